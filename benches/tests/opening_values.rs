//! The page on the opening book says what the tables in the program say.

use std::process::Command;

#[test]
fn the_page_is_the_one_that_the_command_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/book/README.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let printed = Command::new(env!("CARGO_BIN_EXE_opening_values")).output().expect("it runs");
    let printed = String::from_utf8(printed.stdout).expect("text");
    assert!(printed.replace("\r\n", "\n") == page.replace("\r\n", "\n"), "make the page again");
    assert_eq!(page.matches("The empty board is drawn.").count(), 2);
}
