//! The program `honnin`.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::cli::run()
}
