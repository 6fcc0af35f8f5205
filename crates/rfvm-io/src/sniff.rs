//! What a file is, by its first bytes; the suffix only breaks ties between text formats.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::IoError;
use crate::text::open_text;
use crate::text::utf16::looks_like_utf16;

/// The formats that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma, tab, semicolon or space between cells; plain, gzip or zstd.
    Delimited,
    /// GCT 1.2 or 1.3.
    Gct,
    /// Classes of samples beside a GCT file.
    Cls,
    /// GEO series matrix.
    Geo,
    /// LIBSVM or svmlight.
    Svmlight,
    /// Positions of the ones, a line a sample.
    SparseIndices,
    /// One number a line: labels.
    NumberPerLine,
    /// NumPy array.
    Npy,
    /// NumPy archive.
    Npz,
    /// MATLAB v5 to v7.
    Mat,
    /// MATLAB v7.3.
    Mat73,
    /// AnnData.
    H5ad,
    /// Parquet.
    Parquet,
    /// Feather (Arrow IPC).
    Feather,
    /// Excel workbook.
    Xlsx,
    /// PLINK genotypes.
    PlinkBed,
}

/// Looks at the beginning of a file.
pub fn sniff(path: &Path) -> Result<Format, IoError> {
    if path.is_dir() {
        return Err(IoError::unsupported(
            path,
            "it is a folder; name the file in it",
        ));
    }
    let file = File::open(path).map_err(|error| IoError::read(path, error))?;
    let mut head = Vec::new();
    file.take(4096)
        .read_to_end(&mut head)
        .map_err(|error| IoError::read(path, error))?;
    if head.is_empty() {
        return Err(IoError::unsupported(
            path,
            "the file is empty; copy or export it again",
        ));
    }
    if let Some(format) = binary(&head, path) {
        return Ok(format);
    }
    let mut text = Vec::new();
    let reader = open_text(path)?;
    reader
        .take(1 << 16)
        .read_to_end(&mut text)
        .map_err(|error| IoError::read(path, error))?;
    if looks_like_utf16(&text) {
        return Err(IoError::unsupported(
            path,
            "it looks like text in UTF-16 without a byte order mark; save it as UTF-8 (in Excel: \"CSV UTF-8\")",
        ));
    }
    if text.contains(&0) {
        return Err(IoError::unsupported(
            path,
            "its content is neither text nor any format that is read here; save the table as CSV",
        ));
    }
    Ok(of_text(&String::from_utf8_lossy(&text), path))
}

fn binary(head: &[u8], path: &Path) -> Option<Format> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if starts(b"MATLAB 7.3") {
        Some(Format::Mat73)
    } else if starts(b"MATLAB") {
        Some(Format::Mat)
    } else if starts(b"\x89HDF\r\n\x1a\n") {
        Some(if has_suffix(path, "mat") {
            Format::Mat73
        } else {
            Format::H5ad
        })
    } else if starts(b"\x93NUMPY") {
        Some(Format::Npy)
    } else if starts(b"PAR1") {
        Some(Format::Parquet)
    } else if starts(b"ARROW1") || starts(b"FEA1") {
        Some(Format::Feather)
    } else if starts(&[0x6c, 0x1b]) {
        Some(Format::PlinkBed)
    } else if starts(b"PK\x03\x04") {
        // An archive's first entry tells: a workbook's parts have folders, an array is called NAME.npy.
        let length = usize::from(u16::from_le_bytes([*head.get(26)?, *head.get(27)?]));
        let name = head.get(30..30 + length)?;
        Some(if name.ends_with(b".npy") {
            Format::Npz
        } else {
            Format::Xlsx
        })
    } else {
        None
    }
}

fn has_suffix(path: &Path, suffix: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(suffix))
}

fn of_text(text: &str, path: &Path) -> Format {
    let first = text
        .lines()
        .next()
        .unwrap_or("")
        .trim_start_matches('\u{feff}')
        .trim();
    if first == "#1.2" || first == "#1.3" {
        return Format::Gct;
    }
    if first.starts_with("!Series_")
        || first.starts_with("!Sample_")
        || first.starts_with("\"!Series_")
    {
        return Format::Geo;
    }
    // The last line may be cut by the limit on what was looked at.
    let mut lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.len() > 1 && text.len() >= 1 << 16 {
        lines.pop();
    }
    let lines = &lines[..lines.len().min(20)];
    if is_cls(lines) {
        return Format::Cls;
    }
    if lines.iter().all(|line| line.parse::<f64>().is_ok())
        && (has_suffix(path, "labels") || lines.len() > 1)
    {
        return Format::NumberPerLine;
    }
    let pair = |token: &str| {
        token
            .split_once(':')
            .is_some_and(|(i, v)| i.parse::<u64>().is_ok() && v.parse::<f64>().is_ok())
    };
    let svmlight = |line: &&str| {
        let mut tokens = line.split('#').next().unwrap_or("").split_whitespace();
        let label = tokens
            .next()
            .is_some_and(|label| label.parse::<f64>().is_ok());
        label && tokens.all(|token| token.starts_with("qid:") || pair(token))
    };
    // A damaged line is for the reader to complain of.
    if lines
        .iter()
        .any(|line| line.split_whitespace().nth(1).is_some_and(pair))
        && lines.first().is_some_and(svmlight)
        && 2 * lines.iter().filter(|line| svmlight(line)).count() > lines.len()
    {
        return Format::Svmlight;
    }
    if is_sparse_indices(lines) {
        return Format::SparseIndices;
    }
    Format::Delimited
}

/// Three counts, a line of class names that starts with #, then the labels.
fn is_cls(lines: &[&str]) -> bool {
    let counts = lines.first().map_or(0, |line| {
        line.split_whitespace()
            .filter(|t| t.parse::<u64>().is_ok())
            .count()
    });
    counts == 3
        && lines.len() >= 3
        && lines[0].split_whitespace().count() == 3
        && lines[1].starts_with('#')
}

/// Rising whole numbers on every line, and not equally many: positions, not cells.
fn is_sparse_indices(lines: &[&str]) -> bool {
    let numbers = |line: &&str| {
        line.split(' ')
            .map(|token| token.parse::<u64>().ok())
            .collect::<Option<Vec<_>>>()
    };
    let Some(rows) = lines.iter().map(numbers).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let rising = rows
        .iter()
        .all(|row| row.windows(2).all(|pair| pair[0] < pair[1]));
    rising && rows.len() > 1 && rows.iter().any(|row| row.len() != rows[0].len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> Format {
        of_text(content, Path::new("x.txt"))
    }

    #[test]
    fn text_formats_are_told_apart_by_their_content() {
        assert_eq!(text("#1.2\n3\t2\nName\tDescription\ta\tb\n"), Format::Gct);
        assert_eq!(text("6 2 1\n# ALL AML\n0 0 0 1 1 1\n"), Format::Cls);
        assert_eq!(text("!Series_title\t\"x\"\n"), Format::Geo);
        assert_eq!(text("+1 1:0.5 7:2\n-1 2:1 # note\n"), Format::Svmlight);
        assert_eq!(text("3 9 100 \n1 2 \n"), Format::SparseIndices);
        assert_eq!(text("1\n-1\n1\n"), Format::NumberPerLine);
        assert_eq!(text("id,class,a\ns1,x,0.5\n"), Format::Delimited);
        assert_eq!(text("1 2 3\n4 5 6\n"), Format::Delimited);
    }
}
