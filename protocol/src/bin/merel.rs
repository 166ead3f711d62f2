//! The engine program. See `merel --help`, or the command `help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    merel_protocol::run(std::env::args_os(), std::io::stdin(), std::io::stdout())
}
