//! The match runner. See `merel-match -help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    merel_protocol::match_runner::run(std::env::args_os())
}
