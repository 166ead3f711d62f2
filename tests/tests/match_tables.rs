//! Games are called by endgame tables: those in the program and those of folders.

use merel_engine::tablebase::{Tables, Value};
use merel_engine::{Color, Position, Rules};
use merel_tests::matches::{Finished, Place, WrittenGame};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tables");

/// Five stones against four, sliding against sliding; 4 against 3 and 3 against 3.
const POSITIONS: [&str; 4] = [
    "OO**@***/*O*@*O**/**@*O**@ w m s 5 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
    "O***@***/*O*@*O**/****O*@@ b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
    "O***@***/*O*@*O**/****O*@* w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
    "O***@***/*O*@****/****O*@* b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
];

fn play(place: &Place, more: &str) -> Finished {
    let cmd = format!("cmd={MEREL}");
    let mut words = vec!["-engine", &cmd, "name=a", "-engine", &cmd, "name=b"];
    // Without tables of their own they may err, and go on.
    words.extend("-each nodes=50 option.TablebaseProbeLimit=0 option.Hash=1".split(' '));
    words.extend("-rounds 4 -maxmoves 40 -pgnout file=games.pgn append=false".split(' '));
    words.extend("-openings file=o.epd".split(' '));
    words.extend(more.split_whitespace());
    place.write("o.epd", &POSITIONS.join("\n"));
    place.run(&words)
}

/// The positions after each turn.
fn positions(game: &WrittenGame) -> Vec<Position> {
    let mut position = Position::from_fen(game.tag("FEN"), Rules::default()).expect("a FEN");
    let mut all = Vec::new();
    for turn in &game.turns {
        position = position.after(position.parse_turn(turn).expect("a legal turn"));
        all.push(position);
    }
    all
}

/// The result that tables give a position.
fn result(tables: &Tables, position: &Position) -> Option<&'static str> {
    Some(match (tables.wdl(position)?, position.to_move()) {
        (Value::Draw, _) => "1/2-1/2",
        (Value::Win, Color::White) | (Value::Loss, Color::Black) => "1-0",
        (Value::Loss, Color::White) | (Value::Win, Color::Black) => "0-1",
    })
}

fn is_called(game: &WrittenGame) -> bool {
    game.tag("Termination") == "adjudication" && game.tag("ResultReason").contains("endgame tables")
}

#[test]
fn the_first_known_position_ends_a_game_as_the_tables_say() {
    let tables = Tables::builtin();
    for folders in ["builtin", FOLDER] {
        let place = Place::new(RUNNER);
        let finished = play(&place, &format!("-tb {folders}"));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let games = place.games("games.pgn");
        assert_eq!(games.len(), 8);
        for game in &games {
            let [last] = positions(game).try_into().unwrap_or_else(|_| panic!("{game:?}"));
            if last.outcome().is_none() {
                assert!(is_called(game), "{game:?}");
                assert_eq!(result(&tables, &last), Some(game.result.as_str()), "{game:?}");
            }
        }
        assert!(games.iter().any(is_called));
        assert!(finished.output.contains("by adjudication: endgame tables"), "{finished:?}");
    }
}

#[test]
fn what_may_be_called_can_be_limited() {
    let tables = Tables::builtin();
    for (more, may_call) in [
        ("-tbadjudicate WIN_LOSS", (|result, _| result != "1/2-1/2") as fn(&str, u32) -> bool),
        ("-tbadjudicate DRAW", |result, _| result == "1/2-1/2"),
        ("-tbpieces 7", |_, stones| stones <= 7),
        // Nothing is won before the limit comes.
        ("-rules standard quiet_limit=1", |result, _| result == "1/2-1/2"),
        ("-rules standard quiet_limit=1 -tbignore50", |_, _| true),
    ] {
        let place = Place::new(RUNNER);
        let finished = play(&place, &format!("-tb builtin {more}"));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for game in place.games("games.pgn") {
            let positions = positions(&game);
            let (last, before) = positions.split_last().unwrap();
            let stones = |position: &Position| {
                Color::ALL.into_iter().map(|color| position.stones(color).len()).sum()
            };
            let allowed = |position: &Position| {
                result(&tables, position).is_some_and(|found| may_call(found, stones(position)))
            };
            assert!(!before.iter().any(allowed), "{more}: {game:?}");
            assert!(!is_called(&game) || allowed(last), "{more}: {game:?}");
        }
    }
}

#[test]
fn tables_that_cannot_be_used_are_refused_by_name() {
    let place = Place::new(RUNNER);
    for (more, part) in [
        ("-tb no/such/folder", "-tb: 'no/such/folder' cannot be read"),
        ("-tb .", "-tb: '.' holds no table of values"),
        ("-tb builtin -rules standard no_immediate_return=on", "do not hold under these rules"),
    ] {
        let finished = play(&place, more);
        assert_eq!(finished.code, Some(2), "{more}: {finished:?}");
        assert!(finished.errors.contains(part), "{more}: {finished:?}");
        assert_eq!(finished.errors.lines().count(), 1, "{finished:?}");
    }
}

#[test]
fn a_match_with_tables_goes_on_from_its_save() {
    let place = Place::new(RUNNER);
    let finished = play(&place, "-tb builtin -config outname=m.json");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let longer = place.run(&["-config", "m.json", "-rounds", "5"]);
    assert_eq!(longer.code, Some(0), "{longer:?}");
    assert!(is_called(place.games("games.pgn").last().unwrap()));
}
