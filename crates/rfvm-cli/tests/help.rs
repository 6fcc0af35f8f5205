//! The help of the program and of each command, as it is printed.

#![allow(clippy::unwrap_used)]

mod support;

use support::run;

fn help(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let assert = run(folder.path(), &[arguments, &["--help"]].concat()).success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn of_the_program_and_of_each_command() {
    let program = help(&[]);
    insta::assert_snapshot!("rfvm", program);
    for command in [
        "demo",
        "peek",
        "fit",
        "path",
        "predict",
        "inspect",
        "evaluate",
        "report",
        "completions",
        "man",
    ] {
        assert!(program.contains(&format!("\n  {command} ")), "{command}");
        let text = help(&[command]);
        let examples = text
            .split_once("\nExamples:\n")
            .map(|(_, examples)| examples);
        assert!(
            examples.is_some_and(|lines| lines
                .lines()
                .all(|line| line.starts_with(&format!("  rfvm {command}")))),
            "{command}: {text}"
        );
        insta::assert_snapshot!(command, text);
    }
}
