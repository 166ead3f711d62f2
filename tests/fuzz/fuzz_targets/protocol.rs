//! Bytes as they come on standard input of the engine program.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use merel_protocol::command::{Command, parse};
use merel_protocol::converse;
use merel_protocol::options::{self, Setting};

fuzz_target!(|input: &[u8]| -> Corpus {
    if !input.split(|&byte| byte == b'\n').all(is_harmless) {
        return Corpus::Reject;
    }
    // What the input began and did not end would go on for a while.
    let output = converse([input, b"\nstop\n"].concat());
    let text = String::from_utf8(output).expect("the program writes text");
    assert!(text.is_empty() || text.ends_with('\n'), "a line is written whole");
    Corpus::Keep
});

/// Whether the line neither writes a file nor takes much memory or many threads.
fn is_harmless(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    // As the program does for the first line.
    let text = text.trim_start_matches('\u{feff}').trim();
    let Ok(Command::SetOption(option)) = parse(text) else { return true };
    match options::parse(&option.name, option.value) {
        Ok(Setting::DebugLogFile(_)) => false,
        Ok(Setting::Hash(mebibytes)) => mebibytes <= 32,
        Ok(Setting::Threads(count)) => count <= 4,
        _ => true,
    }
}
