//! The engine program once more, so that cargo builds it for the tests of this package and tells
//! them where it is.

fn main() -> std::process::ExitCode {
    merel_protocol::run(std::env::args_os(), std::io::stdin(), std::io::stdout())
}
