//! The program is killed two hundred times in the middle of its work; the study stays sound each time.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{begin_study, study_command as command};
use rfvm_study::{Event, Study};

const KILLS: usize = 200;

fn wave(at: &Path, name: &str, subjects: std::ops::Range<usize>) {
    let tests: Vec<String> = (0..6).map(|d| format!("t{d}")).collect();
    let mut text = format!("subject,outcome,{}\n", tests.join(","));
    for n in subjects {
        let value = |d: usize| {
            ((n * 37 + d * 91 + n * d % 13 * 7) % 101) as f64 / 40.0
                + if d == 2 { 1.5 * (n % 2) as f64 } else { 0.0 }
        };
        let cells: Vec<String> = (0..6).map(|d| format!("{:.3}", value(d))).collect();
        text += &format!("s{n},{},{}\n", ["well", "ill"][n % 2], cells.join(","));
    }
    fs::write(at.join(name), text).unwrap();
}

/// A number below one that looks random and is the same every time.
fn chance(n: usize) -> f64 {
    let mixed = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64
}

/// Everything that was told as written is there, whole, and nothing else is but what the killed process may have finished.
fn check(at: &Path, before: &[Event], killed: &str) -> Vec<Event> {
    let study = Study::open(&at.join("s.rfvm")).unwrap();
    assert_eq!(study.problems().unwrap(), Vec::<String>::new(), "{killed}");
    let log = study.log().unwrap();
    assert_eq!(&log[..before.len()], before, "{killed}");
    assert!(log.len() <= before.len() + 1, "{killed}");
    let state = study.state().unwrap();
    let of_waves = log.iter().filter(|event| event.kind == "wave");
    let subjects: u64 = of_waves
        .map(|event| event.summary["new_subjects"].as_u64().unwrap())
        .sum();
    assert_eq!(state.subjects.len() as u64, subjects, "{killed}");
    log
}

#[test]
#[ignore = "slow: two hundred processes"]
fn two_hundred_kills_leave_a_sound_file_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tests = "test,cost\nt0,1\nt1,1\nt2,1\nt3,1\nt4,1\nt5,1\n";
    begin_study(at, tests, &[]);
    wave(at, "first.csv", 0..40);
    assert!(
        command(at, &["add", "s.rfvm", "first.csv"])
            .status()
            .unwrap()
            .success()
    );
    let kinds: [&[&str]; 3] = [
        &["add", "s.rfvm", "next.csv"],
        &["fit", "s.rfvm", "--repeats", "1", "--signatures", "1"],
        &[
            "advise",
            "s.rfvm",
            "--quick",
            "--repeats",
            "1",
            "--folds",
            "2",
            "--size",
            "3",
        ],
    ];
    let (mut next, mut killed, mut journals) = (40, 0, 0);
    let mut log = Study::open(&at.join("s.rfvm")).unwrap().log().unwrap();
    // How long each kind takes when it is left alone; measured again from time to time, as the study grows.
    let mut whole = [Duration::ZERO; 3];
    for n in 0.. {
        if killed == KILLS {
            break;
        }
        assert!(
            n < 3 * KILLS,
            "only {killed} of {n} processes could be killed"
        );
        let kind = n % 3;
        wave(at, "next.csv", next..next + 4);
        let began = Instant::now();
        let mut child = command(at, kinds[kind]).spawn().unwrap();
        let alone = n % 60 < 3;
        if !alone {
            // From the first moment to a little after the usual end; the last third, where it writes, more often.
            let share = if n.is_multiple_of(2) {
                1.05 * chance(n)
            } else {
                0.7 + 0.35 * chance(n)
            };
            sleep(whole[kind].mul_f64(share));
            // SIGKILL: the process has no chance to tidy up.
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        if alone {
            assert!(
                output.status.success(),
                "{:?}: {}",
                kinds[kind],
                String::from_utf8_lossy(&output.stderr)
            );
            whole[kind] = began.elapsed();
        } else if output.status.code().is_none() {
            killed += 1;
        }
        journals += usize::from(at.join("s.rfvm-journal").exists());
        let told = output.status.success();
        let now = check(at, &log, &format!("process {n}, {}", kinds[kind][0]));
        assert!(
            !told || now.len() == log.len() + 1,
            "process {n} told that it had written"
        );
        next += if now.last().is_some_and(|event| event.kind == "wave") && now.len() > log.len() {
            4
        } else {
            0
        };
        log = now;
    }
    // A process killed before its journal counts leaves an idle one behind, which the next that writes takes away.
    let done = command(at, kinds[1]).status().unwrap().success();
    assert!(done && !at.join("s.rfvm-journal").exists());
    // Seen with --nocapture: how many kills hit a transaction.
    let mut out = std::io::stdout().lock();
    let _ = std::io::Write::write_fmt(
        &mut out,
        format_args!(
            "{killed} kills, {journals} in the middle of a transaction, {} events\n",
            log.len()
        ),
    );
}
