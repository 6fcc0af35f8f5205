//! Names come from files of strangers: what a terminal or a spreadsheet would act on is taken out of what is written.

use std::borrow::Cow;
use std::io::{self, Write};

/// What a terminal acts on rather than shows: escape sequences begin with such characters, and others turn the direction of
/// writing round.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// As JSON has it, so that what is JSON stays so.
fn coded(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let code = |c: char| match acts(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    Cow::Owned(text.chars().map(code).collect())
}

/// A message without anything that a terminal would act on, line ends among them.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    coded(text, |c| acts(c) || c == '\n')
}

/// Passes text on, with codes in place of what a terminal would act on.
pub(crate) struct Harmless<W>(pub(crate) W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(coded(text, acts).as_bytes())?,
            // Half a character: whoever writes such pieces writes no text of ours.
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A cell of a table that a spreadsheet will not take for a formula: an apostrophe before it says that it is text. The
/// reader of text tables leaves it out again.
pub(crate) fn cell(text: &str) -> Cow<'_, str> {
    let formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    match formula {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_written_as_its_code() {
        let mut out = Harmless(Vec::new());
        let (first, second) = ("a\u{1b}[31mb\u{9b}2J", "é\u{202e}\u{7f}\r");
        writeln!(out, "{first}\t{second}").unwrap();
        let text = String::from_utf8(out.0).unwrap();
        assert_eq!(text, "a\\u001b[31mb\\u009b2J\té\\u202e\\u007f\\u000d\n");
        assert_eq!(one_line("a\nb"), "a\\u000ab");
        assert!(matches!(one_line("plain é"), Cow::Borrowed(_)));
        // JSON stays JSON, and says the same.
        let name = "x\u{1b}\u{7f}\u{9b}";
        let mut out = Harmless(Vec::new());
        serde_json::to_writer(&mut out, name).unwrap();
        assert_eq!(serde_json::from_slice::<String>(&out.0).unwrap(), name);
    }

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, want) in [
            ("=1+2", "'=1+2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("+49 30", "'+49 30"),
            ("-1.5", "-1.5"),
            ("patient-7", "patient-7"),
        ] {
            assert_eq!(cell(text), want);
        }
    }
}
