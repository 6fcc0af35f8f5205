//! CLS, the class files of GenePattern and GSEA that go with a GCT file.

use std::path::Path;

use crate::error::{IoError, quoted};
use crate::source::ReadOptions;
use crate::text::open::label_text;
use crate::text::words::counted;

const FORMAT: &str = "a CLS file";

/// Reads the class of each sample, in the order of the file.
///
/// The second line names the classes. As the format has it, the first label that appears on the third line belongs to
/// the first class named, the second one that appears to the second, and so on, whether labels are numbers or words;
/// labels that are the names of the classes themselves stand for these.
///
/// # Errors
///
/// Where the file cannot be read, is not CLS, does not have the numbers of samples and classes it declares, or holds
/// continuous phenotypes (`#numeric`).
pub fn read_cls(path: &Path) -> Result<Vec<String>, IoError> {
    cls_labels(path, &ReadOptions::default())
}

/// The same with a limit on memory.
pub(crate) fn cls_labels(path: &Path, options: &ReadOptions) -> Result<Vec<String>, IoError> {
    let (text, mut held) = label_text(path, options)?;
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let malformed =
        |line: usize, what: String| IoError::malformed(path, FORMAT, format!("line {line}"), what);

    let (number, first) = lines.next().unwrap_or((1, ""));
    if first.trim_start().starts_with("#numeric") {
        return Err(IoError::unsupported(
            path,
            "it holds numbers for each sample (#numeric), where classes are wanted; give numbers as a table with the samples' names",
        ));
    }
    let counts: Option<Vec<usize>> = first
        .split_ascii_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let Some(&[samples, classes, _]) = counts.as_deref() else {
        let what = "is not three whole numbers: of samples, of classes, and a 1";
        return Err(malformed(
            number,
            format!("{} {what}", quoted(first.trim())),
        ));
    };
    let (number, second) = lines.next().unwrap_or((number + 1, ""));
    let Some(names) = second.trim_start().strip_prefix('#') else {
        let what = format!(
            "{} is not # and the names of the classes",
            quoted(second.trim())
        );
        return Err(malformed(number, what));
    };
    let names: Vec<&str> = names.split_ascii_whitespace().collect();
    if names.len() != classes {
        let what = format!(
            "it has {} where {classes} are declared",
            counted(names.len(), "class name")
        );
        return Err(malformed(number, what));
    }
    let mut number = number + 1;
    let mut labels: Vec<&str> = Vec::new();
    for (line, text) in lines {
        if labels.is_empty() {
            number = line;
        }
        labels.extend(text.split_ascii_whitespace());
    }
    if labels.len() != samples {
        let what = format!(
            "it has {} where {samples} are declared",
            counted(labels.len(), "label")
        );
        return Err(malformed(number, what));
    }
    // One long name may stand for a million short labels.
    let mut kept = |name: &str| {
        held.add(name)
            .map_err(|what| IoError::unsupported(path, what))?;
        Ok(name.to_owned())
    };
    if labels.iter().all(|label| names.contains(label)) {
        return labels.into_iter().map(kept).collect();
    }
    let mut seen: Vec<&str> = Vec::new();
    labels
        .into_iter()
        .map(|label| {
            let class = seen
                .iter()
                .position(|&known| known == label)
                .unwrap_or_else(|| {
                    seen.push(label);
                    seen.len() - 1
                });
            let name = names.get(class).ok_or_else(|| {
                let what = format!("{} is one label more than there are classes", quoted(label));
                malformed(number, what)
            })?;
            kept(name)
        })
        .collect()
}
