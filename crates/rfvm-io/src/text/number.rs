//! Cells that are numbers, and cells that are missing.

use super::words::decode;
use crate::source::{BeyondLimit, ReadOptions};

/// The usual spellings of a missing value.
const MISSING: [&str; 17] = [
    "", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "<NA>", "?", ".", "-",
    "#N/A", "#NA", "missing",
];

/// The powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A whole number up to this is an `f64` exactly.
const EXACT: u64 = 1 << 53;

/// How cells are read as numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    /// The decimal sign is a comma.
    pub(crate) decimal_comma: bool,
    /// Further spellings of a missing value that are text.
    missing_texts: Vec<Vec<u8>>,
    /// Numbers that stand for a missing value, such as -99.
    missing_numbers: Vec<f64>,
    below: Option<BeyondLimit>,
    percent: bool,
    thousands: bool,
}

/// Signs that make a number something to be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NumberMark {
    /// `<0.1` or `>50`: beyond a limit of detection.
    Limit,
    /// `5%`
    Percent,
    /// `1,234`
    Thousands,
}

impl NumberMark {
    /// What such a cell is, and how to say what it stands for.
    pub(crate) fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Limit => (
                "beyond a limit of detection",
                "--below half, --below limit or --below missing",
            ),
            Self::Percent => ("a percentage", "--percent"),
            Self::Thousands => ("a number with its thousands set apart", "--thousands"),
        }
    }
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Missing,
    Text,
}

impl Numbers {
    pub(crate) fn new(options: &ReadOptions, decimal_comma: bool) -> Self {
        let mut numbers = Self {
            decimal_comma,
            below: options.below,
            percent: options.percent,
            thousands: options.thousands,
            ..Self::default()
        };
        for spelling in &options.missing {
            let cell = spelling.as_bytes().trim_ascii();
            match numbers.parse(cell) {
                Some(number) => numbers.missing_numbers.push(number),
                None => numbers.missing_texts.push(cell.to_owned()),
            }
        }
        numbers
    }

    /// A further spelling of a missing value.
    pub(crate) fn with_missing(mut self, spelling: &str) -> Self {
        self.missing_texts.push(spelling.as_bytes().to_owned());
        self
    }

    /// Reads a number at the start of `rest` the short way: digits with at most one decimal sign, few enough that
    /// the quotient of two exact `f64` is the nearest `f64`. Gives the number and its length in bytes.
    #[inline]
    pub(crate) fn short(&self, rest: &[u8]) -> Option<(f64, usize)> {
        let point = if self.decimal_comma { b',' } else { b'.' };
        let negative = rest.first() == Some(&b'-');
        let mut at = usize::from(negative);
        let start = at;
        let mut whole = 0_u64;
        while let Some(digit) = digit(rest, at) {
            whole = whole.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        let mut digits = at - start;
        let mut decimals = 0;
        if rest.get(at) == Some(&point) {
            at += 1;
            let first = at;
            while let Some(digit) = digit(rest, at) {
                whole = whole.wrapping_mul(10).wrapping_add(digit);
                at += 1;
            }
            decimals = at - first;
            digits += decimals;
        }
        // Up to 19 digits cannot have wrapped around.
        if digits == 0 || digits > 19 || whole > EXACT {
            return None;
        }
        let magnitude = whole as f64 / POWERS.get(decimals)?;
        let number = if negative { -magnitude } else { magnitude };
        Some((self.unless_missing(number), at))
    }

    #[inline]
    fn unless_missing(&self, number: f64) -> f64 {
        if !self.missing_numbers.is_empty() && self.missing_numbers.contains(&number) {
            f64::NAN
        } else {
            number
        }
    }

    /// What a cell holds, whichever way it is written.
    pub(crate) fn value(&self, cell: &[u8]) -> Value {
        let cell = cell.trim_ascii();
        if self.is_missing_text(cell) {
            return Value::Missing;
        }
        let number = self.parse(cell).or_else(|| self.parse_marked(cell));
        match number.map(|number| self.unless_missing(number)) {
            None => Value::Text,
            Some(number) if number.is_nan() => Value::Missing,
            Some(number) => Value::Number(number),
        }
    }

    fn is_missing_text(&self, cell: &[u8]) -> bool {
        (cell.len() <= 7 && MISSING.iter().any(|spelling| spelling.as_bytes() == cell))
            || self.missing_texts.iter().any(|spelling| spelling == cell)
    }

    /// A number with a mark that the caller has said the meaning of.
    fn parse_marked(&self, cell: &[u8]) -> Option<f64> {
        // Most text is read where nothing was explained.
        if self.below.is_none() && !self.percent && !self.thousands {
            return None;
        }
        let (mark, number) = self.marked(cell)?;
        let known = match mark {
            NumberMark::Limit => self.below.is_some(),
            NumberMark::Percent => self.percent,
            NumberMark::Thousands => self.thousands,
        };
        known.then_some(number)
    }

    /// A number with a mark, said or not.
    pub(crate) fn marked(&self, cell: &[u8]) -> Option<(NumberMark, f64)> {
        let text = std::str::from_utf8(cell).ok()?.trim();
        if let Some(limit) = text.strip_prefix(['<', '>', '≤', '≥']) {
            let limit = self.parse(limit.trim_start_matches('=').trim().as_bytes())?;
            let low = text.starts_with(['<', '≤']);
            let number = match self.below {
                Some(BeyondLimit::Half) if low => 0.5 * limit,
                Some(BeyondLimit::Missing) => f64::NAN,
                _ => limit,
            };
            return Some((NumberMark::Limit, number));
        }
        if let Some(number) = text.strip_suffix('%') {
            let number = self.parse(number.trim().as_bytes())?;
            return Some((NumberMark::Percent, number / 100.0));
        }
        let comma = if self.decimal_comma { '.' } else { ',' };
        let plain = self.parse(without_thousands(text, comma)?.as_bytes())?;
        Some((NumberMark::Thousands, plain))
    }

    fn parse(&self, cell: &[u8]) -> Option<f64> {
        // Every number begins with one of these; much text does not.
        if !matches!(
            cell.first()?,
            b'0'..=b'9' | b'-' | b'+' | b'.' | b',' | b'i' | b'I' | b'n' | b'N'
        ) {
            return None;
        }
        let text = std::str::from_utf8(cell).ok()?;
        if !self.decimal_comma {
            return text.parse().ok();
        }
        if text.contains('.') {
            return None;
        }
        text.replacen(',', ".", 1).parse().ok()
    }

    /// A cell as a text about a sample: empty where it is missing, and with a decimal point where it is a number.
    pub(crate) fn text(&self, cell: &[u8]) -> String {
        let cell = cell.trim_ascii();
        match self.value(cell) {
            // A minus can be one of two values, as in +/-; what it is shows only in the whole column.
            Value::Missing if cell == b"-" => "-".to_owned(),
            Value::Missing => String::new(),
            Value::Number(_) if self.decimal_comma => decode(cell).replacen(',', ".", 1),
            _ => decode(cell),
        }
    }
}

/// Makes the minus a missing value in a column of texts, unless there is a plus beside it.
pub(crate) fn settle_minus(values: &mut [String]) {
    if !values.iter().any(|value| value == "+") {
        for value in values.iter_mut().filter(|value| *value == "-") {
            value.clear();
        }
    }
}

/// `1,234,567.8` without its commas; nothing where they do not set thousands apart.
fn without_thousands(text: &str, comma: char) -> Option<String> {
    let end = |c: char| !(c.is_ascii_digit() || c == comma);
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = &unsigned[..unsigned.find(end).unwrap_or(unsigned.len())];
    let mut groups = whole.split(comma);
    let first = groups.next()?;
    let mut rest = groups.peekable();
    rest.peek()?;
    let fits = (1..=3).contains(&first.len()) && rest.all(|group| group.len() == 3);
    fits.then(|| text.replace(comma, ""))
}

#[inline]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(missing: &[&str], decimal_comma: bool) -> Numbers {
        let options = ReadOptions {
            missing: missing.iter().map(|&text| text.to_owned()).collect(),
            ..ReadOptions::default()
        };
        Numbers::new(&options, decimal_comma)
    }

    #[test]
    fn cells() {
        let plain = numbers(&["-99", "none given"], false);
        for (cell, value) in [
            ("1", Value::Number(1.0)),
            (" -2.5\t", Value::Number(-2.5)),
            ("+1e-3", Value::Number(1e-3)),
            ("1E5", Value::Number(1e5)),
            (".5", Value::Number(0.5)),
            ("5.", Value::Number(5.0)),
            ("Inf", Value::Number(f64::INFINITY)),
            ("-inf", Value::Number(f64::NEG_INFINITY)),
            (
                "12345678901234567890123",
                Value::Number(12345678901234567890123.0),
            ),
            ("-99", Value::Missing),
            ("-99.0", Value::Missing),
            ("none given", Value::Missing),
            ("missing", Value::Missing),
            ("", Value::Missing),
            ("  ", Value::Missing),
            ("-", Value::Missing),
            ("#N/A", Value::Missing),
            ("1,5", Value::Text),
            ("1 2", Value::Text),
            ("0x10", Value::Text),
            ("1e", Value::Text),
            ("--1", Value::Text),
            ("I", Value::Text),
        ] {
            assert_eq!(plain.value(cell.as_bytes()), value, "{cell:?}");
        }
        assert!(plain.short(b"-99,").unwrap().0.is_nan());
        let comma = numbers(&["-9,5"], true);
        assert_eq!(comma.value(b"1,5"), Value::Number(1.5));
        assert_eq!(comma.value(b"-1,5e2"), Value::Number(-150.0));
        assert_eq!(comma.value(b"1.5"), Value::Text);
        assert_eq!(comma.value(b"-9,5"), Value::Missing);
        assert_eq!(comma.value(b"1,5,5"), Value::Text);
        assert_eq!(comma.text(b"1,5"), "1.5");
        assert_eq!(comma.short(b"2,25;"), Some((2.25, 4)));
        assert!(plain.value(&[0xff, b'1']) == Value::Text);
    }

    #[test]
    fn marked_numbers_are_text_until_their_marks_are_explained() {
        let cells = [
            "<0.1",
            "< 0.1",
            "<=0.1",
            ">50",
            "≥50",
            "5%",
            "1,234",
            "-1,234,567.5",
        ];
        let silent = numbers(&[], false);
        for cell in cells {
            assert_eq!(silent.value(cell.as_bytes()), Value::Text, "{cell}");
            assert!(silent.marked(cell.as_bytes()).is_some(), "{cell}");
        }
        let explained = |below| {
            let options = ReadOptions {
                below: Some(below),
                percent: true,
                thousands: true,
                ..ReadOptions::default()
            };
            cells.map(|cell| Numbers::new(&options, false).value(cell.as_bytes()))
        };
        let marked = [5.0 / 100.0, 1234.0, -1_234_567.5].map(Value::Number);
        let beyond = |low, high| [vec![low; 3], vec![high; 2]].concat();
        for (below, low, high) in [
            (BeyondLimit::Half, Value::Number(0.05), Value::Number(50.0)),
            (BeyondLimit::Limit, Value::Number(0.1), Value::Number(50.0)),
            (BeyondLimit::Missing, Value::Missing, Value::Missing),
        ] {
            let want = [beyond(low, high), marked.to_vec()].concat();
            assert_eq!(explained(below).to_vec(), want, "{below:?}");
        }
        for text in [
            "1,23",
            "12,34,567",
            ",123",
            "1,2345",
            "<",
            "< high",
            "%",
            "1234",
            "a,123",
        ] {
            assert_eq!(silent.marked(text.as_bytes()), None, "{text}");
        }
        // Where the comma is the decimal sign, points set thousands apart.
        assert_eq!(
            numbers(&[], true).marked(b"1.234,5"),
            Some((NumberMark::Thousands, 1234.5))
        );
    }

    #[test]
    fn a_minus_beside_a_plus_is_a_value() {
        let mut strand = vec!["+".to_owned(), "-".to_owned()];
        settle_minus(&mut strand);
        assert_eq!(strand, ["+", "-"]);
        let mut class = vec!["a".to_owned(), "-".to_owned()];
        settle_minus(&mut class);
        assert_eq!(class, ["a", ""]);
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_nearest_number(text in "-?[0-9]{0,12}(\\.[0-9]{0,12})?") {
            if let Some((number, length)) = numbers(&[], false).short(text.as_bytes()) {
                prop_assert_eq!(length, text.len());
                let right: f64 = text.parse().unwrap();
                prop_assert_eq!(number.to_bits(), right.to_bits());
            }
        }
    }
}
