//! Tables that come through a pipe.

use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_pipe_without_a_writer_is_waited_for_with_a_word() {
    let folder = tempfile::TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.csv");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let program = Command::new(env!("CARGO_BIN_EXE_rfvm"))
        .arg("peek")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    std::fs::write(&pipe, "id,g1,g2\np1,1,2\np2,3,5\n").unwrap();
    let output = program.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("waiting for") && told.contains("pipe.csv"),
        "{told}"
    );
}
