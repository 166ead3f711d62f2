use super::*;

const TWO: [&str; 6] = ["-engine", "cmd=x/merel", "-engine", "cmd=merel", "-each", "nodes=100"];

fn read_match(more: &[&str]) -> MatchConfig {
    match read_words(&[&TWO[..], more].concat()) {
        Ok(Request::Match(config)) => *config,
        other => panic!("{other:?}"),
    }
}

fn refusal(words: &[&str]) -> String {
    let reason = read_words(words).expect_err("it is refused");
    assert!(!reason.contains('\n'), "one line: {reason}");
    reason
}

#[test]
fn a_short_command_gets_the_defaults() {
    let config = read_match(&[]);
    assert_eq!((config.rounds, config.games, config.concurrency), (2, 2, 1));
    assert!(config.has_pairs() && config.counts_pairs() && !config.recover);
    let names: Vec<&str> = config.engines.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["merel", "merel_2"]);
    assert_eq!(config.rules.rules(), Ok(Rules::default()));
}

#[test]
fn one_dash_or_two_and_own_keys_before_common_ones() {
    for dashes in ["-", "--"] {
        let words: Vec<String> = [
            "engine cmd=a name=A tc=10+0.1 option.Hash=32 option.Move~Overhead=5",
            "engine cmd=b proto=gbgp",
            "each st=0.5 depth=7 option.Hash=16 timemargin=20",
            "rounds 7",
            "noswap",
            "sprt elo0=-1.5 elo1=2 model=logistic",
            "resign movecount=3 score=500 twosided=true",
            "rules playok quiet_limit=100",
        ]
        .iter()
        .flat_map(|line| {
            format!("{dashes}{line}").split(' ').map(str::to_owned).collect::<Vec<_>>()
        })
        .map(|word| word.replace('~', " "))
        .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Ok(Request::Match(config)) = read_words(&words) else { panic!("{words:?}") };
        let [a, b] = config.engines.as_slice() else { panic!() };
        assert_eq!(
            (a.limits.to_string().as_str(), b.limits.to_string().as_str()),
            ("10+0.1 depth 7", "0.5/move depth 7")
        );
        assert_eq!(a.options[0], ("Hash".to_owned(), "32".to_owned()));
        assert_eq!(a.options[1], ("Move Overhead".to_owned(), "5".to_owned()));
        assert_eq!((b.limits.margin_ms, config.rounds, config.swap), (20, 7, false));
        assert_eq!(config.sprt.map(|s| (s.elo0, s.model)), Some((-1.5, Model::Logistic)));
        assert_eq!(config.rules.text(), "playok, QuietLimit 100");
    }
}

#[test]
fn every_unknown_or_surplus_word_is_named_with_a_remedy() {
    for (more, parts) in [
        (&["-round", "3"][..], &["'-round'", "did you mean '-rounds'?"][..]),
        (&["-rounds", "x"], &["-rounds", "'x'", "from 1"]),
        (&["-rounds"], &["-rounds", "needs a value"]),
        (&["-rounds", "3", "4"], &["surplus value '4'"]),
        (&["-rounds", "3", "-rounds", "4"], &["-rounds", "twice"]),
        (&["-games", "3"], &["-games", "from 1 to 2"]),
        (&["-sprt", "elo=1"], &["-sprt", "'elo'", "did you mean 'elo0'?", "elo1="]),
        (&["-sprt", "elo0=1"], &["-sprt", "elo1=", "missing"]),
        (&["-sprt", "elo0=5", "elo1=0"], &["less than"]),
        (&["-sprt", "elo0=0", "elo1=5", "alpha=0.7"], &["alpha=", "0.499", "'0.7'"]),
        (
            &["-sprt", "elo0=0", "elo1=5", "model=pentanomial"],
            &["model=", "normalized or logistic"],
        ),
        (&["-sprt", "elo0=nan", "elo1=5"], &["elo0=", "'nan'"]),
        (&["-sprt", "elo0"], &["'elo0'", "key=value"]),
        (&["-draw", "movecount=3"], &["score=", "missing"]),
        (&["-rules", "playk"], &["-rules", "did you mean 'playok'?"]),
        (&["-rules", "quiet=3"], &["-rules", "'quiet'"]),
        (&["-tournament", "swiss"], &["roundrobin or gauntlet"]),
        (&["-tournament", "gauntlet", "2"], &["surplus value '2'"]),
        (&["-seeds", "1"], &["gauntlet"]),
        (&["-openings", "order=random"], &["file=", "missing"]),
        (&["-openings", "file=a", "format=bin"], &["format=", "epd or txt or pgn"]),
        (&["-tbpieces", "7"], &["-tbpieces belongs to -tb", "-tb builtin"]),
        (&["-tb", "builtin", "-tbpieces", "40"], &["-tbpieces", "from 6 to 18"]),
        (
            &["-tb", "builtin", "-tbadjudicate", "win"],
            &["-tbadjudicate", "BOTH or WIN_LOSS or DRAW"],
        ),
        (&["-use-affinity", "3-1"], &["-use-affinity", "'3-1'", "3,5,7-11"]),
        (&["-log", "file=a", "level=loud"], &["level=", "trace or info"]),
        (&["-pgnout", "file=a", "notation=san"], &["notation=", "merel or sanmill or playok"]),
        (&["-pgnout", "file=a", "sdepth=true"], &["'sdepth'", "did you mean 'seldepth'?"]),
        (&["-each", "depth=3", "plies=3"], &["depth= and plies="]),
        (&["-strict", "yes"], &["surplus value 'yes'"]),
        (&["-openings", "file=a", "file=b"], &["file=", "twice"]),
        (&["-concurrency", "100000"], &["processors", "-force-concurrency"]),
        (&["-each", "tc=5", "st=1"], &["tc= and st="]),
        (&["-each", "tc=x"], &["tc=", "'x'"]),
        (&["-pgnout", "games.pgn"], &["-pgnout", "key=value", "file="]),
        (&["-autosaveinterval", "-1"], &["-autosaveinterval", "from 0"]),
        (&["surplus"], &["each", "'surplus'"]),
    ] {
        let reason = refusal(&[&TWO[..], more].concat());
        for part in parts {
            assert!(reason.contains(part), "{more:?}: {reason}");
        }
    }
    assert!(refusal(&[]).contains("two engines"));
    assert!(refusal(&["-engine", "cmd=a"]).contains("only one"));
    assert!(refusal(&["-engine", "cmd=a", "-engine", "cmd=b"]).contains("nothing limits"));
    assert!(refusal(&["-engine", "name=a", "-engine", "cmd=b"]).contains("cmd="));
    assert!(
        refusal(&["-engine", "cmd=a", "protocol=uci", "-engine", "cmd=b"]).contains("'protocol'")
    );
}

#[test]
fn only_what_may_change_in_a_saved_match_is_taken() {
    let Ok(Request::Resume { file, changes, keeps_results: true }) =
        read_words(&["-config", "m.json", "-recover", "-rounds", "9"])
    else {
        panic!()
    };
    assert_eq!((file, changes.recover, changes.rounds), (PathBuf::from("m.json"), true, Some(9)));
    let reason = refusal(&["--config", "file=m.json", "-sprt", "elo0=0", "elo1=1"]);
    assert!(reason.contains("-sprt cannot be changed"), "{reason}");
    let config = read_match(&["-config", "outname=there.json"]);
    assert!(config.keep_save && config.save.as_os_str() == "there.json");
    let anew = read_words(&["-config", "file=m.json", "stats=false"]);
    assert!(matches!(anew, Ok(Request::Resume { keeps_results: false, .. })), "{anew:?}");
    let named = read_match(&["-config", "file=there.json", "discard=true"]);
    assert!(named.keep_save && named.save.as_os_str() == "there.json");
}

#[test]
fn a_program_and_its_arguments_are_checked_for_compliance() {
    let words = ["-compliance", "x", "one", "two", "-each", "proto=gbgp"];
    let Ok(Request::Compliance(engine, _)) = read_words(&words) else { panic!() };
    assert_eq!((engine.command, engine.arguments.len()), (PathBuf::from("x"), 2));
}

#[test]
fn tables_affinity_and_comments_are_read() {
    let paths = std::env::join_paths(["a", "b c"]).unwrap();
    let words = [
        "-tb",
        paths.to_str().unwrap(),
        "-tbpieces",
        "8",
        "-tbadjudicate",
        "win_loss",
        "-use-affinity",
        "3,1,5-6",
        "-pgnout",
        "file=g",
        "tbhits=on",
        "nodes=true",
        "-openings",
        "file=x.PGN",
    ];
    let config = read_match(&words);
    let tables = config.tables.unwrap();
    assert_eq!(tables.folders, [PathBuf::from("a"), PathBuf::from("b c")]);
    assert_eq!((tables.pieces, tables.results), (8, TableResults::WinLoss));
    assert_eq!(config.affinity, Some(vec![1, 3, 5, 6]));
    assert_eq!(config.pgn.unwrap().details, [Detail::Nodes, Detail::TbHits]);
    assert_eq!(config.openings.unwrap().format, OpeningsFormat::Games);
    let config = read_match(&["-tb", "builtin", "-use-affinity"]);
    assert_eq!(config.tables.map(|t| t.folders.len()), Some(0));
    assert_eq!(config.affinity, Some(Vec::new()));
}
