//! The help of the program and of each command, as it is printed.

use crate::support::run;

fn help(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let assert = run(folder.path(), &[arguments, &["--help"]].concat()).success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn of_the_program_and_of_each_command() {
    let program = help(&[]);
    insta::assert_snapshot!("rfvm", program);
    let commands = [
        "demo",
        "peek",
        "fit",
        "path",
        "predict",
        "inspect",
        "evaluate",
        "compare",
        "validate",
        "report",
        "export",
        "study",
        "completions",
        "man",
    ];
    for command in commands {
        assert!(program.contains(&format!("\n  {command} ")), "{command}");
        of_one(&[command]);
    }
}

#[test]
fn of_each_part_of_a_study() {
    let study = help(&["study"]);
    for part in ["init", "add", "fit", "advise", "report", "log", "demo"] {
        assert!(study.contains(&format!("\n  {part} ")), "{part}");
        of_one(&["study", part]);
    }
}

/// Its examples are of this very command, and it is as it was last seen.
fn of_one(command: &[&str]) {
    let text = help(command);
    let examples = text
        .split_once("\nExamples:\n")
        .map(|(_, examples)| examples);
    let start = format!("  rfvm {}", command.join(" "));
    assert!(
        examples.is_some_and(|lines| lines.lines().all(|line| line.starts_with(&start))),
        "{command:?}: {text}"
    );
    insta::assert_snapshot!(command.join("_"), text);
}
