//! Reads a table of any format and prints how long it took, what it is, and the most memory used for each byte of the matrix.
//!
//! `cargo run --release -p rfvm-studies --bin read_table -- FILE`

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;

use rfvm_io::{ReadOptions, read};

/// The most memory this process had at once, in bytes; Linux says so in a file.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: f64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("which file is to be read?")?
        .into();
    let start = Instant::now();
    let source = read(&path, &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let matrix = &source.matrix;
    println!("seconds {seconds:.4}");
    println!("samples {}", matrix.samples);
    println!("features {}", matrix.features);
    println!(
        "sum {:?}",
        matrix
            .values
            .iter()
            .filter(|value| !value.is_nan())
            .sum::<f64>()
    );
    println!("format {}, {:?}", source.format, source.orientation);
    if let Some(peak) = peak_memory() {
        let bytes = (matrix.values.len() * size_of::<f64>()) as f64;
        println!("memory {:.3}", peak / bytes);
    }
    Ok(())
}
