//! The program `tablebase-gen`. See `tablebase-gen --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    merel_tablebase_gen::run(std::env::args_os())
}
