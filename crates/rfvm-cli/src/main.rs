//! The `rfvm` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rfvm_cli::tidy_up_when_interrupted();
    rfvm_cli::run(std::env::args_os()).unwrap_or_else(|error| error.report())
}
