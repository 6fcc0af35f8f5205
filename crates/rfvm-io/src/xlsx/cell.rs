//! Cells of a sheet.

use calamine::DataRef;

use crate::common::{number_text, truth_text};
use crate::source::ReadOptions;

/// The usual spellings of a missing value.
const MISSING: [&str; 17] = [
    "", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "<NA>", "?", ".", "-",
    "#N/A", "#NA", "missing",
];

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// A cell.
#[derive(Debug)]
pub(super) enum SheetCell<'a> {
    Number(f64),
    Truth(bool),
    Text(&'a str),
    Date(String),
    Error,
    Missing,
}

impl SheetCell<'_> {
    /// The cell as a number, NaN where it is none that counts.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(number) => number_text(*number),
            Self::Truth(truth) => truth_text(*truth),
            Self::Text(text) => (*text).to_owned(),
            Self::Date(text) => text.clone(),
            Self::Error | Self::Missing => String::new(),
        }
    }
}

/// The spellings of a missing value.
pub(super) struct Words {
    further: Vec<String>,
}

impl Words {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self {
            further: options.missing.clone(),
        }
    }

    fn is_missing(&self, text: &str) -> bool {
        MISSING.contains(&text) || self.further.iter().any(|further| further == text)
    }

    /// What a cell holds. Text that is a number counts as one.
    pub(super) fn cell<'a>(&self, data: &'a DataRef<'_>) -> SheetCell<'a> {
        match data {
            DataRef::Int(number) => self.of_number(*number as f64),
            DataRef::Float(number) => self.of_number(*number),
            DataRef::Bool(truth) => SheetCell::Truth(*truth),
            DataRef::String(text) => self.of_text(text),
            DataRef::SharedString(text) => self.of_text(text),
            DataRef::DateTime(date) => {
                let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
                let day = format!("{year:04}-{month:02}-{day:02}");
                SheetCell::Date(if (hour, minute, second) == (0, 0, 0) {
                    day
                } else {
                    format!("{day} {hour:02}:{minute:02}:{second:02}")
                })
            }
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
                SheetCell::Date(text.clone())
            }
            DataRef::Error(_) => SheetCell::Error,
            DataRef::Empty => SheetCell::Missing,
        }
    }

    fn of_number<'a>(&self, number: f64) -> SheetCell<'a> {
        let stands_for_none = |further: &String| further.parse() == Ok(number);
        if !number.is_finite() || self.further.iter().any(stands_for_none) {
            SheetCell::Missing
        } else {
            SheetCell::Number(number)
        }
    }

    fn of_text<'a>(&self, text: &'a str) -> SheetCell<'a> {
        let text = text.trim();
        if self.is_missing(text) {
            return SheetCell::Missing;
        }
        // Not what Rust reads beyond that, such as `infinity`.
        let numeric = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
        match text.parse() {
            Ok(number) if numeric => self.of_number(number),
            _ => SheetCell::Text(text),
        }
    }
}

/// The name of a cell: `B7` for row 6 and column 1.
pub(super) fn cell_name((row, column): (u32, u32)) -> String {
    let mut letters = Vec::new();
    let mut left = u64::from(column) + 1;
    while left > 0 {
        left -= 1;
        letters.push(char::from(b'A' + (left % 26) as u8));
        left /= 26;
    }
    let letters: String = letters.into_iter().rev().collect();
    format!("{letters}{}", u64::from(row) + 1)
}

/// Whether a name is what Excel makes of names of genes: `2-Sep`, `Mar-01`, `2006-09-02`.
pub(crate) fn looks_like_date(name: &str) -> bool {
    let day = name.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['-', '/', '.']).collect();
    let digits = |part: &str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let month = |part: &str| MONTHS.contains(&part.to_lowercase().as_str());
    match *parts.as_slice() {
        [a, b] => digits(a, 1, 4) && month(b) || month(a) && digits(b, 1, 4),
        [a, b, c] => {
            let middle = digits(b, 1, 2) || month(b);
            middle
                && (digits(a, 4, 4) && digits(c, 1, 2)
                    || digits(a, 1, 2) && (digits(c, 4, 4) || digits(c, 2, 2)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_among_names() {
        for name in [
            "2-Sep",
            "Mar-01",
            "1-mar",
            "2006-09-02",
            "2006-09-02 00:00:00",
            "9/2/2006",
        ] {
            assert!(looks_like_date(name), "{name}");
        }
        for name in [
            "SEPT2",
            "MARCH1",
            "1007_s_at",
            "12-34",
            "1.5",
            "miR-21",
            "HLA-A",
            "1-2-3-4",
            "",
        ] {
            assert!(!looks_like_date(name), "{name}");
        }
    }

    #[test]
    fn names_of_cells() {
        assert_eq!(cell_name((0, 0)), "A1");
        assert_eq!(cell_name((6, 26)), "AA7");
        assert_eq!(cell_name((1_048_575, 16_383)), "XFD1048576");
    }

    #[test]
    fn text_that_is_a_number() {
        let words = Words::new(&ReadOptions {
            missing: vec!["-99".to_owned(), "leer".to_owned()],
            ..ReadOptions::default()
        });
        assert_eq!(words.of_text(" 1.5 ").number(), Some(1.5));
        assert!(matches!(words.of_text("inf"), SheetCell::Text("inf")));
        assert!(matches!(words.of_text("leer"), SheetCell::Missing));
        assert!(matches!(words.of_number(-99.0), SheetCell::Missing));
    }
}
