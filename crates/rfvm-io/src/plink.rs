//! PLINK genotypes: a `.bed` file with two bits per genotype, SNP after SNP, a `.bim` file with a line per SNP, and a
//! `.fam` file with a line per individual.

use std::collections::HashSet;
use std::fs;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::common::{finish, open};
use crate::error::IoError;
use crate::matrix::Matrix;
use crate::room::Room;
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};

const FORMAT: &str = "a PLINK bed file";
const MAGIC: [u8; 2] = [0x6c, 0x1b];

/// What the two bits of a genotype count: copies of the first allele of the `.bim` file.
const COUNTS: [f64; 4] = [2.0, f64::NAN, 1.0, 0.0];

/// Reads PLINK genotypes, given the `.bed` file or one of the two files beside it.
///
/// The values are the numbers of copies (0, 1, 2) of allele A1, the fifth column of the `.bim` file; a missing genotype
/// is NaN. Sex and phenotype of the `.fam` file become the annotations `sex` (`male`, `female`) and `phenotype`.
///
/// # Errors
///
/// Where one of the three files is missing or damaged, or where the genotypes lie individual after individual.
pub fn read_plink(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let bed = path.with_extension("bed");
    let bim_path = beside(&bed, "bim", "names the SNPs")?;
    let fam_path = beside(&bed, "fam", "names the individuals")?;
    let families = fam(&fam_path)?;
    let mut feature_names = bim(&bim_path)?;
    let (samples, all) = (families.len(), feature_names.len());

    let (file, length) = open(&bed)?;
    let malformed = |place: String, what: String| IoError::malformed(&bed, FORMAT, place, what);
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut start = [0; 3];
    reader.read_exact(&mut start).map_err(|_| {
        malformed(
            "its start".to_owned(),
            format!("the file has {length} bytes, where its mark alone takes 3"),
        )
    })?;
    let [first, second, mode] = start;
    if [first, second] != MAGIC {
        let what = "the mark 6c 1b of PLINK files is not there".to_owned();
        return Err(malformed("byte 0".to_owned(), what));
    }
    match mode {
        1 => {}
        0 => {
            return Err(IoError::unsupported(
                &bed,
                "its genotypes lie individual after individual; write it SNP after SNP with plink --make-bed",
            ));
        }
        other => {
            let what = format!("the mode {other:#04x} is not known, where 01 is read");
            return Err(malformed("byte 2".to_owned(), what));
        }
    }
    let row = samples.div_ceil(4);
    let expected = (row as u64).saturating_mul(all as u64).saturating_add(3);
    if length != expected {
        return Err(malformed(
            "its length".to_owned(),
            format!(
                "{samples} individuals and {all} SNPs take {expected} bytes, but it has {length}"
            ),
        ));
    }
    // Only the first features are read, unless the target is among the others.
    let target = options.target.as_ref();
    let kept = options
        .max_features
        .filter(|_| !feature_names.iter().any(|name| Some(name) == target))
        .map_or(all, |most| most.min(all));
    feature_names.truncate(kept);
    let mut values = Room::new(length, options).zeros(&bed, samples, kept)?;
    let mut bytes = vec![0; row];
    for (number, column) in values.chunks_exact_mut(samples.max(1)).enumerate() {
        reader
            .read_exact(&mut bytes)
            .map_err(|error| malformed(format!("SNP {}", number + 1), error.to_string()))?;
        for (four, &byte) in column.chunks_mut(4).zip(&bytes) {
            for (place, value) in four.iter_mut().enumerate() {
                *value = COUNTS[usize::from(byte >> (2 * place) & 3)];
            }
        }
    }
    let annotations = vec![
        Annotation {
            name: "sex".to_owned(),
            values: families.iter().map(Individual::sex).collect(),
        },
        Annotation {
            name: "phenotype".to_owned(),
            values: families.iter().map(Individual::phenotype).collect(),
        },
    ];
    Ok(finish(
        Source {
feature_names_made_up: false,
about_features: FeatureTexts::default(),
            format: "PLINK bed".to_owned(),
            orientation: Orientation::FeaturesAsRows,
            orientation_certain: true,
            matrix: Matrix {
                samples,
                features: kept,
                values,
            },
            feature_names: Some(feature_names),
            sample_names: Some(names(&families)),
            annotations,
            notes: vec![
                "the values count the copies (0, 1, 2) of allele A1, the fifth column of the bim file".to_owned(),
            ],
        },
        options,
    ))
}

/// The path of a sibling, which must be there.
fn beside(bed: &Path, extension: &str, what: &str) -> Result<PathBuf, IoError> {
    let path = bed.with_extension(extension);
    if path.is_file() {
        return Ok(path);
    }
    Err(IoError::unsupported(
        bed,
        format!(
            "the file {} that {what} is not beside it; put it there",
            path.display()
        ),
    ))
}

/// The lines of a text file, each with its number.
fn lines(path: &Path) -> Result<String, IoError> {
    let bytes = fs::read(path).map_err(|error| IoError::read(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        IoError::malformed(
            path,
            FORMAT,
            format!("byte {}", error.utf8_error().valid_up_to()),
            "it is not text",
        )
    })
}

/// The words of each line that is not blank, of which there must be so many at least.
fn words<'a>(
    path: &Path,
    text: &'a str,
    format: &'static str,
    least: usize,
) -> Result<Vec<Vec<&'a str>>, IoError> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().take(least).collect();
        if words.is_empty() {
            continue;
        }
        if words.len() < least {
            return Err(IoError::malformed(
                path,
                format,
                format!("line {}", number + 1),
                format!("it has {} words, where {least} are needed", words.len()),
            ));
        }
        rows.push(words);
    }
    Ok(rows)
}

/// The names of the SNPs; where a SNP has none (`.`), its chromosome and position.
fn bim(path: &Path) -> Result<Vec<String>, IoError> {
    let text = lines(path)?;
    let rows = words(path, &text, "a PLINK bim file", 6)?;
    Ok(rows
        .into_iter()
        .map(|row| match *row.as_slice() {
            [chromosome, ".", _, position, ..] => format!("{chromosome}:{position}"),
            [_, name, ..] => name.to_owned(),
            _ => String::new(),
        })
        .collect())
}

/// A line of a `.fam` file.
#[derive(Debug)]
struct Individual {
    family: String,
    name: String,
    sex: String,
    phenotype: String,
}

impl Individual {
    fn sex(&self) -> String {
        match self.sex.as_str() {
            "1" => "male",
            "2" => "female",
            _ => "",
        }
        .to_owned()
    }

    /// The phenotype; -9, 0 and NA stand for none.
    fn phenotype(&self) -> String {
        match self.phenotype.as_str() {
            "-9" | "0" | "NA" | "na" | "nan" => String::new(),
            other => other.to_owned(),
        }
    }
}

fn fam(path: &Path) -> Result<Vec<Individual>, IoError> {
    let text = lines(path)?;
    let rows = words(path, &text, "a PLINK fam file", 6)?;
    Ok(rows
        .into_iter()
        .filter_map(|row| match row.as_slice() {
            &[family, name, _, _, sex, phenotype] => Some(Individual {
                family: family.to_owned(),
                name: name.to_owned(),
                sex: sex.to_owned(),
                phenotype: phenotype.to_owned(),
            }),
            _ => None,
        })
        .collect())
}

/// The individuals' own names, or with their families' names before them where they repeat.
fn names(families: &[Individual]) -> Vec<String> {
    let distinct: HashSet<&str> = families.iter().map(|one| one.name.as_str()).collect();
    let unique = distinct.len() == families.len();
    families
        .iter()
        .map(|one| {
            if unique {
                one.name.clone()
            } else {
                format!("{}_{}", one.family, one.name)
            }
        })
        .collect()
}
