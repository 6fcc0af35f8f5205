//! Ctrl-C: exit code 130, one sentence, and nothing left behind.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{entries, npy};

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("rfvm"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends the signal of Ctrl-C to a program that is still at work, and sees how it ends.
fn interrupt(mut child: Child) {
    assert!(child.try_wait().unwrap().is_none(), "it was too quick");
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    let lines = message.split_inclusive('\n');
    let message: String = lines
        .filter(|line| !line.starts_with("rfvm: note: "))
        .collect();
    assert_eq!(message, "rfvm: interrupted; nothing was written\n");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_fit_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Noise, with the class in the last column; many signatures, so that the fit takes its time.
    let noise = |n: usize, d: usize| ((n * 7919 + d * 104_729 + n * d % 977 * 31) % 1000) as f64;
    let value = |n, d| {
        if d == 20_000 {
            (n % 2) as f64
        } else {
            noise(n, d)
        }
    };
    fs::write(at.join("table.npy"), npy(150, 20_001, value)).unwrap();
    fs::write(at.join("old.json"), "before").unwrap();
    for output in ["model.json", "old.json"] {
        let arguments = [
            "fit",
            "table.npy",
            "--target",
            "-1",
            "--method",
            "signatures",
            "--signatures",
            "50",
            "-o",
            output,
        ];
        let child = start(at, &arguments);
        sleep(Duration::from_millis(700));
        interrupt(child);
        assert_eq!(entries(at), ["old.json", "table.npy"]);
        assert_eq!(fs::read_to_string(at.join("old.json")).unwrap(), "before");
    }
}

#[test]
fn a_demo_takes_its_unfinished_folder_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let child = start(at, &["demo", "--out", "new/study"]);
    let begun = Instant::now();
    let staged = || at.join("new/study").is_dir() && !entries(&at.join("new/study")).is_empty();
    while !staged() && begun.elapsed() < Duration::from_secs(20) {
        sleep(Duration::from_millis(2));
    }
    interrupt(child);
    assert!(entries(at).is_empty(), "{:?}", entries(at));
}
