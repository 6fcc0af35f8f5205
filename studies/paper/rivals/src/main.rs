//! Reads a job from standard input and writes a line of JSON for every cell as soon as it is finished.
//!
//!     cargo run --release -p rfvm-rivals < job.json

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use rfvm_rivals::{cells, job::Job};

fn run() -> Result<(), Box<dyn Error>> {
    let job: Job = serde_json::from_reader(io::stdin().lock())?;
    let mut out = io::stdout().lock();
    cells::run(&job, |cell| {
        serde_json::to_writer(&mut out, &cell)?;
        writeln!(out)?;
        Ok(out.flush()?)
    })
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "rfvm-rivals: {error}");
            ExitCode::FAILURE
        }
    }
}
