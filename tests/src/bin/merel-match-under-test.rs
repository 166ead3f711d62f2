//! The match runner once more, so that cargo builds it for the tests of this package and tells
//! them where it is.

fn main() -> std::process::ExitCode {
    merel_protocol::match_runner::run(std::env::args_os())
}
