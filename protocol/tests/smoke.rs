//! The program starts, greets and ends.

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn the_program_answers_the_handshake_and_quits() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_merel"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built with this test");
    let mut input = program.stdin.take().expect("it is piped");
    input.write_all(b"uci\nisready\nquit\n").expect("the program reads");
    let output = program.wait_with_output().expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("the output is text");
    assert!(text.starts_with("id name Merel "), "{text}");
    assert!(text.ends_with("uciok\nreadyok\n"), "{text}");
    assert!(output.status.success());
}
