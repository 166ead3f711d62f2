//! Very many conversations at random: whatever comes in, nothing panics, nothing hangs, and each
//! `go` has its one answer.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;

use merel_protocol::command::{Command, parse};
use merel_protocol::converse;
use merel_tests::oracle::splitmix64;
use merel_tests::program::PATIENCE;

/// Streams in all, and how many follow each other in one session: an engine takes longer to make
/// than a stream to obey.
const STREAMS: u64 = 10_000;
const PER_SESSION: u64 = 25;

/// What commands are made of. Numbers stay where a table of so many MiB is no burden, and no
/// option names a file.
const COMMANDS: &str = "uci gbgp isready ucinewgame newgame setoption position go stop ponderhit d \
    fen moves eval perft bench flip compiler help license debug #";
const LIMITS: &str = "depth nodes movetime wtime btime winc binc movestogo mate infinite ponder \
    searchmoves perft atomic";
const NUMBERS: &str = "0 1 2 3 5 8 64 200 -1 -9 +7 007 1e3 99999999999999999999 x";
const TURNS: &str = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 a1 G7 B7 a9 a7-d7 d7-a7 d6-d5 \
    a7xd6 g7xb6 g7xd6 xb4 xd6 xb6 d6xb4xc3 a7-a4xb6 - x a7-a7 a7-";
const OPTIONS: &str = "Hash Threads MultiPV Ponder MoveOverhead SkillLevel UCI_LimitStrength UCI_Elo \
    UCI_ShowWDL ClearHash UCI_Dialect Rules DoubleMill NoImmediateReturn Repetition AllInMills \
    QuietLimit";
const VALUES: &str = "turn sanmill standard playok ivory millgame one two true false third off any \
    none 0 1 2 5 20 200 600 99999999999999999999 -1 x";
const POSITIONS: &str = "w:wb4,c4:bd2:2 b:w:b:1 w:wa7,d7,g7:bb6,d6,f6:12 : , startpos fen pos moves w b \
    ********/********/******** *@@@****/********/OO*****O O*@*****/O*@*****/*@*****O p m s r \
    ids:nodes 0 1 2 3 9 -1";

/// Lines that are right as they stand.
const LINES: [&str; 24] = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves a7 b6 d7 d6 g7xd6",
    "position startpos moves a7 b6 d7 d6 g7",
    "position fen O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
    "position fen O*@*@*@*/O*******/*O*****O w p p 4 5 3 6 0 0 0 0 0 0 0 0 5 moves d7",
    "position pos b:wb4,c4:bd2:2",
    "go depth 3",
    "go nodes 200 searchmoves g4 f4",
    "go infinite",
    "go ponder wtime 100 btime 100",
    "go mate 2",
    "perft 2 atomic",
    "setoption name Rules value playok",
    "setoption name UCI_Dialect value sanmill",
    "setoption name NoImmediateReturn value true",
    "setoption name Threads value 2",
    "setoption name Skill Level value 3",
    "setoption name Hash value 2",
    "moves",
    "d",
    "flip",
];

/// A source of random choices.
struct Dice<R>(R);

impl<R: FnMut() -> u64> Dice<R> {
    fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).expect("a small number");
        usize::try_from((self.0)() % count).expect("below it")
    }

    fn byte(&mut self) -> u8 {
        (self.0)().to_le_bytes()[0]
    }

    fn word(&mut self, list: &'static str) -> &'static str {
        let count = list.split_whitespace().count();
        list.split_whitespace().nth(self.below(count)).expect("fewer than there are")
    }

    fn words(&mut self, list: &'static str, most: usize) -> String {
        let count = self.below(most + 1);
        (0..count).map(|_| format!(" {}", self.word(list))).collect()
    }

    /// Something like a command.
    fn command(&mut self) -> String {
        match self.below(6) {
            0 => {
                let limits = (0..=self.below(3)).map(|_| {
                    let (limit, number) = (self.word(LIMITS), self.word(NUMBERS));
                    format!(" {limit} {number}")
                });
                format!("go{}", limits.collect::<String>())
            }
            1 => {
                let (option, value) = (self.word(OPTIONS), self.word(VALUES));
                format!("setoption name {option} value {value}")
            }
            2 => format!("position startpos moves{}", self.words(TURNS, 8)),
            3 => format!("position{}", self.words(POSITIONS, 20)),
            4 => format!("go searchmoves{} depth 2", self.words(TURNS, 4)),
            _ => {
                let list = [COMMANDS, LIMITS, NUMBERS, TURNS, OPTIONS, VALUES][self.below(6)];
                format!("{}{}", self.word(COMMANDS), self.words(list, 4))
            }
        }
    }

    /// A line with its end, right or wrong.
    fn line(&mut self) -> Vec<u8> {
        let mut line = match self.below(10) {
            0..=2 => LINES[self.below(LINES.len())].as_bytes().to_vec(),
            3 => {
                let length = self.below(40);
                (0..length).map(|_| self.byte()).collect()
            }
            _ => self.command().into_bytes(),
        };
        match self.below(8) {
            0 => line.truncate(self.below(line.len() + 1)),
            1 if !line.is_empty() => {
                let at = self.below(line.len());
                line[at] = self.byte();
            }
            _ => {}
        }
        line.extend_from_slice(if self.below(5) == 0 { b"\r\n" } else { b"\n" });
        line
    }

    /// The lines of a stream.
    fn stream(&mut self) -> impl Iterator<Item = Vec<u8>> {
        let count = 1 + self.below(6);
        (0..count).map(|_| self.line())
    }
}

/// A session of streams; each ends what it may have begun.
fn session(number: u64) -> Vec<u8> {
    let mut dice = Dice(splitmix64(number));
    let calculates = dice.below(4) == 0;
    let mut input = Vec::new();
    for _ in 0..PER_SESSION {
        // Without it most streams would have no position.
        if dice.below(2) == 0 {
            input.extend_from_slice(b"position startpos moves d6\n");
        }
        input.extend(dice.stream().filter(|line| calculates || !is_calculation(line)).flatten());
        input.extend_from_slice(b"stop\n");
    }
    // One search is left to come to its end, under whatever rules and options there are by now.
    input.extend_from_slice(match dice.below(4) {
        0 => b"go nodes 1000\nquit\nfen\n",
        1 => b"position startpos\ngo nodes 1000",
        2 => b"position startpos moves a7 b6 d7 d6 g7\ngo depth 4\n",
        _ => b"go depth 4\n",
    });
    input
}

/// Whether what follows has to wait for this line. When the input has ended it waits for half a
/// second at most, so then some answers may be missing.
fn is_calculation(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    match parse(text.trim()) {
        Ok(Command::Go(go)) => go.perft.is_some(),
        Ok(Command::Perft(_) | Command::Bench) => true,
        _ => false,
    }
}

/// How many answers to `go` are due: at least and at most.
fn answers_due(input: &[u8]) -> (usize, usize) {
    let mut due = 0;
    let mut calculates = false;
    for line in input.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        calculates |= is_calculation(line);
        match parse(text.trim()) {
            Ok(Command::Go(_)) => due += 1,
            Err(error) if error.is_go() => due += 1,
            Ok(Command::Quit) => break,
            _ => {}
        }
    }
    (if calculates { 0 } else { due }, due)
}

/// Holds a session. A hang is a failure like any other.
fn check(number: u64) {
    let input = session(number);
    let (sender, printed) = channel();
    let given = input.clone();
    thread::spawn(move || sender.send(converse(given)));
    let shown = || format!("session {number}: {}", input.escape_ascii());
    let Ok(output) = printed.recv_timeout(PATIENCE) else { panic!("no end of {}", shown()) };
    let Ok(output) = String::from_utf8(output) else { panic!("no text out of {}", shown()) };
    assert!(output.is_empty() || output.ends_with('\n'), "{}", shown());
    assert!(!output.contains(|c: char| c.is_control() && c != '\n'), "{}", shown());
    let (least, most) = answers_due(&input);
    let given = output.lines().filter(|line| line.starts_with("bestmove ")).count();
    assert!((least..=most).contains(&given), "{given}, not {least} to {most}: {}", shown());
}

#[test]
fn ten_thousand_random_streams_never_panic_or_hang() {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    // A panic on a thread of the engine may end nothing else.
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Relaxed);
        usual(info);
    }));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = u64::try_from(next.fetch_add(1, Relaxed)).expect("a number");
                    if number * PER_SESSION >= STREAMS {
                        break;
                    }
                    check(number);
                    assert_eq!(PANICS.load(Relaxed), 0, "in session {number} or the one beside it");
                }
            });
        }
    });
}
