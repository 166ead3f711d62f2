//! The flags there are, with their help.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, Command};

use crate::build_info;

/// A flag followed by `key=value` words, or by one value.
fn words(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .num_args(1..)
        .action(ArgAction::Append)
        .value_name(value)
        .value_parser(NonEmptyStringValueParser::new())
        .help(help)
}

/// A flag with one value.
fn value(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).num_args(1).value_name(value).allow_negative_numbers(true).help(help)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The command line. Flags are written with one dash or two.
pub(super) fn command() -> Command {
    Command::new("merel-match")
        .version(build_info::VERSION)
        .about(
            "Plays matches between engines for Nine Men's Morris. Flags and report are those of \
             fastchess; a flag is written with one dash or two.",
        )
        .after_help(
            "Example:\n  merel-match -engine cmd=merel name=new -engine cmd=old/merel name=old \\\n    \
             -each tc=10+0.1 -openings file=openings.epd order=random -rounds 500 -repeat \\\n    \
             -concurrency 2 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -pgnout file=games.pgn\n\n\
             The exit code is 0 when the match was played to its end, 1 when an engine stopped it, \
             2 for arguments or files that are refused, 130 when it was interrupted.",
        )
        .args([
            words("engine", "KEY=VALUE", "An engine: cmd= name= args= dir= proto=uci|sanmill|gbgp tc=[MOVES/][MIN:]SEC[+INC] st=SEC nodes=N depth=PLIES (or plies=PLIES) timemargin=MS (default 0, with st= 20) restart=on|off option.NAME=VALUE; one flag for each engine"),
            words("each", "KEY=VALUE", "Keys for all engines that do not give their own"),
            value("rounds", "N", "Openings to play, each by every pairing [default: 2]"),
            value("games", "N", "Games of a pairing with each opening: 2 make a pair [default: 2]"),
            switch("repeat", "The same opening for both games of a pair: always so, accepted for habit"),
            switch("noswap", "Do not exchange colours in the second game"),
            switch("reverse", "The second engine begins with White"),
            value("concurrency", "N", "Games at the same time; 0 or less: so many fewer than processors [default: 1]"),
            switch("force-concurrency", "Allow more games at a time than processors"),
            words("openings", "KEY=VALUE", "Openings: file= format=epd|txt|pgn order=sequential|random plies=N start=N seed=N; each line is a FEN or the turns from the empty board; of pgn, which stands for every form that merel games reads, each game is one"),
            value("srand", "N", "Seed for order=random [default: drawn from the time]"),
            words("sprt", "KEY=VALUE", "Stop when decided: elo0= elo1= alpha= beta= model=normalized|logistic|bayesian"),
            words("draw", "KEY=VALUE", "Call a game drawn: movenumber=N movecount=N score=HUNDREDTHS"),
            words("resign", "KEY=VALUE", "Call a game lost: movecount=N score=HUNDREDTHS twosided=true|false"),
            value("tb", "FOLDERS", "Call a game by the endgame tables in these folders, separated as in PATH, and by those in the program; builtin: by these alone"),
            value("tbpieces", "N", "Only with so many stones on the board, or fewer [default: 18]"),
            switch("tbignore50", "Call a win by tables even if repetition or the quiet limit might still cut it short"),
            value("tbadjudicate", "WHAT", "What tables may call: BOTH, WIN_LOSS or DRAW [default: BOTH]"),
            value("maxmoves", "N", "A game is drawn after so many turns of each player [default: 300]"),
            words("rules", "PRESET", "Rules of the match: standard, playok, ivory or millgame, then double_mill=one|two no_immediate_return=on|off repetition=third|off all_in_mills=any|none quiet_limit=PLIES [default: standard]").alias("variant"),
            words("tournament", "KIND", "roundrobin or gauntlet [default: roundrobin]"),
            value("seeds", "N", "With gauntlet: the first N engines play all others [default: 1]"),
            words("pgnout", "KEY=VALUE", "Game file: file= notation=merel|sanmill|playok append=true|false min=true|false, and what comments tell: timeleft= latency= nodes= seldepth= nps= hashfull= tbhits="),
            words("epdout", "KEY=VALUE", "File of the final position of each game: file="),
            words("log", "KEY=VALUE", "Log of every line with times: file= level=trace|info|warn|err|fatal engine=true|false realtime=true|false"),
            switch("recover", "Start an engine again that crashed or stalled, and go on; without it the match stops there"),
            switch("strict", "Stop the match at a breach of protocol, such as a variation that cannot be played; without it that is a warning"),
            switch("show-latency", "Tell at the end by how much measured and reported times differ"),
            Arg::new("use-affinity").long("use-affinity").num_args(0..).value_name("CPUS").help("Bind each game with its engines to a processor of this list, as 3,5,7-11, or of all (Linux)"),
            words("config", "KEY=VALUE", "FILE or file=FILE goes on with a saved match, with stats=false from its first game on; outname=FILE saves this one there"),
            value("autosaveinterval", "GAMES", "Save the match after so many games; 0: only at the end [default: 1]"),
            value("ratinginterval", "GAMES", "Report after so many games; 0: only at the end [default: 10]"),
            value("scoreinterval", "GAMES", "Tell the score after so many games; 0: never [default: 0, with -output format=cutechess 1]"),
            words("report", "KEY=VALUE", "penta=true|false: estimates from pairs or from single games"),
            words("output", "KEY=VALUE", "format=fastchess|cutechess: the form of reports"),
            value("event", "TEXT", "Event tag of the game file"),
            value("site", "TEXT", "Site tag of the game file"),
            value("wait", "MS", "Pause before each game [default: 0]"),
            value("startup-ms", "MS", "How long an engine may take to greet [default: 10000]"),
            value("ucinewgame-ms", "MS", "How long it may take for a new game [default: 60000]"),
            value("ping-ms", "MS", "How long it may take to answer isready [default: 60000]"),
            value("turn-ms", "MS", "How long it may take for a turn that no time control limits [default: 300000]"),
            value("stop-ms", "MS", "How long it may take after stop, once its time is over [default: 10000]"),
            words("compliance", "ENGINE", "Check step by step that this program (with these arguments) speaks its protocol; with -engine keys: -compliance ENGINE -each proto=gbgp"),
        ])
}
