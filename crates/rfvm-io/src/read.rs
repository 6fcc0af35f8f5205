//! Any file to a [`Source`]: the format is found out, the reader called, rows of several files stacked.

use std::path::{Path, PathBuf};

use crate::common::number_text;
use crate::error::IoError;
use crate::matrix::Matrix;
use crate::pipe::{is_pipe, spool};
use crate::sniff::{Format, sniff};
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};

/// Reads one file, whatever it is; `-` is standard input, which like a pipe is kept in a file of its own while it is read.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    if path.as_os_str() == "-" {
        let spool = spool(path, STANDARD_INPUT)?;
        return read_file(spool.path(), options).map_err(|error| error.about(STANDARD_INPUT));
    }
    if is_pipe(path) {
        let name = path.to_string_lossy();
        let spool = spool(path, &name)?;
        return read_file(spool.path(), options).map_err(|error| error.about(&name));
    }
    read_file(path, options)
}

/// What standard input is called in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

fn read_file(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let mut source = match sniff(path)? {
        Format::Delimited => crate::delimited::read_delimited(path, options),
        Format::Gct => crate::gct::read_gct(path, options),
        Format::Geo => crate::geo::read_geo(path, options),
        Format::Svmlight => crate::svmlight::read_svmlight(path, options),
        Format::SparseIndices => crate::dorothea::read_dorothea(path, options),
        Format::Npy => crate::npz::read_npy_source(path, options),
        Format::Npz => crate::npz::read_npz_source(path, options),
        Format::Mat => crate::mat::read_mat_source(path, options),
        #[cfg(feature = "hdf5")]
        Format::Mat73 => crate::mat73::read_mat73(path, options),
        #[cfg(feature = "hdf5")]
        Format::H5ad => crate::h5ad::read_h5ad(path, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::read_parquet(path, options),
        #[cfg(feature = "feather")]
        Format::Feather => crate::feather::read_feather(path, options),
        #[cfg(feature = "excel")]
        Format::Xlsx => crate::xlsx::read_xlsx(path, options),
        Format::PlinkBed => crate::plink::read_plink(path, options),
        Format::Cls | Format::NumberPerLine => Err(IoError::unsupported(
            path,
            "this is a file of labels; give the table and name this file with --labels",
        )),
        #[cfg(not(all(
            feature = "excel",
            feature = "feather",
            feature = "hdf5",
            feature = "parquet"
        )))]
        left_out => Err(left_out_of_this_build(path, left_out)),
    }?;
    if let Some(most) = options.max_features
        && source.matrix.features > most
    {
        source.matrix.values.truncate(most * source.matrix.samples);
        source.matrix.features = most;
        source
            .feature_names
            .iter_mut()
            .for_each(|names| names.truncate(most));
    }
    if source.matrix.samples == 0 || source.matrix.features == 0 {
        let what = format!(
            "it holds {} samples and {} features; give a table with both",
            source.matrix.samples, source.matrix.features
        );
        return Err(IoError::unsupported(path, what));
    }
    source.number_features();
    Ok(source)
}

/// Why a file of a format that was not built in cannot be read.
#[cfg(any(test, not(feature = "default")))]
fn left_out_of_this_build(path: &Path, format: Format) -> IoError {
    let (what, feature) = match format {
        Format::Mat73 => ("a MATLAB file of version 7.3", "hdf5"),
        Format::H5ad => ("an AnnData file", "hdf5"),
        Format::Parquet => ("a Parquet file", "parquet"),
        Format::Feather => ("a Feather file", "feather"),
        _ => ("an Excel workbook", "excel"),
    };
    IoError::not_built_in(path, what, feature)
}

/// Reads one or several files; the rows of several are stacked, and must have the same features.
pub fn read_tables(paths: &[PathBuf], options: &ReadOptions) -> Result<Source, IoError> {
    let Some((first, rest)) = paths.split_first() else {
        return Err(IoError::unsupported(
            Path::new("(none)"),
            "no table was named",
        ));
    };
    let mut source = read(first, options)?;
    for path in rest {
        let options = options.holding(source.taken());
        source = stack(source, read(path, &options)?, path)?;
    }
    Ok(source)
}

fn stack(mut top: Source, bottom: Source, path: &Path) -> Result<Source, IoError> {
    let same_names = top.feature_names == bottom.feature_names;
    if top.matrix.features != bottom.matrix.features || !same_names {
        let what = format!(
            "its features are not those of the first file ({} and {} of them); give tables with the same features in the same order",
            bottom.matrix.features, top.matrix.features
        );
        return Err(IoError::unsupported(path, what));
    }
    // In place, from the last column to the first: a copy beside both would take as much again.
    let (above, below) = (top.matrix.samples, bottom.matrix.samples);
    let mut values = std::mem::take(&mut top.matrix.values);
    values.reserve_exact(bottom.matrix.values.len());
    values.resize(values.len() + bottom.matrix.values.len(), 0.0);
    for (d, column) in bottom.matrix.values.chunks_exact(below).enumerate().rev() {
        let from = d * (above + below);
        values.copy_within(d * above..(d + 1) * above, from);
        values[from + above..from + above + below].copy_from_slice(column);
    }
    for annotation in &mut top.annotations {
        let other = bottom
            .annotations
            .iter()
            .find(|other| other.name == annotation.name);
        match other {
            Some(other) => annotation.values.extend_from_slice(&other.values),
            None => annotation
                .values
                .extend(std::iter::repeat_n(String::new(), bottom.matrix.samples)),
        }
    }
    top.sample_names = match (top.sample_names, bottom.sample_names) {
        (Some(mut above), Some(below)) => {
            above.extend(below);
            Some(above)
        }
        _ => None,
    };
    top.matrix = Matrix {
        samples: top.matrix.samples + bottom.matrix.samples,
        features: top.matrix.features,
        values,
    };
    top.notes.extend(bottom.notes);
    Ok(top)
}

/// Takes a column out of a list by its name.
pub(crate) fn take_named(columns: &mut Vec<Annotation>, name: &str) -> Option<Vec<String>> {
    let at = columns.iter().position(|column| column.name == name)?;
    Some(columns.remove(at).values)
}

impl Source {
    /// Takes a column out by its name: an annotation, else a feature, whose numbers become text.
    pub fn take_column(&mut self, name: &str) -> Option<Vec<String>> {
        if let Some(values) = self.take_annotation(name) {
            return Some(values);
        }
        let names = self.feature_names.as_ref()?;
        let d = names.iter().position(|feature| feature == name)?;
        Some(self.take_feature(d))
    }

    /// Takes an annotation out by its name.
    pub(crate) fn take_annotation(&mut self, name: &str) -> Option<Vec<String>> {
        take_named(&mut self.annotations, name)
    }

    /// Takes a feature out, its values as text.
    pub(crate) fn take_feature(&mut self, feature: usize) -> Vec<String> {
        let n = self.matrix.samples;
        let values = self.matrix.values.drain(feature * n..(feature + 1) * n);
        let texts = values.map(number_text).collect();
        self.matrix.features -= 1;
        if let Some(names) = &mut self.feature_names {
            names.remove(feature);
        }
        texts
    }

    /// Takes samples for features and features for samples.
    pub(crate) fn turn_round(&mut self) {
        let (samples, features) = (self.matrix.samples, self.matrix.features);
        self.matrix = Matrix::from_sample_major(features, samples, &self.matrix.values);
        std::mem::swap(&mut self.sample_names, &mut self.feature_names);
        self.feature_names_made_up = false;
        self.annotations.clear();
        self.about_features = FeatureTexts::default();
        self.orientation = match self.orientation {
            Orientation::SamplesAsRows => Orientation::FeaturesAsRows,
            Orientation::FeaturesAsRows => Orientation::SamplesAsRows,
        };
        self.orientation_certain = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_was_left_out_is_named() {
        for (format, what, feature) in [
            (Format::Parquet, "a Parquet file", "parquet"),
            (Format::Feather, "a Feather file", "feather"),
            (Format::Xlsx, "an Excel workbook", "excel"),
            (Format::H5ad, "an AnnData file", "hdf5"),
            (Format::Mat73, "a MATLAB file of version 7.3", "hdf5"),
        ] {
            let message = left_out_of_this_build(Path::new("t"), format).to_string();
            let start = format!(
                "cannot read t: this is {what}, and this program was built without the feature {feature};"
            );
            assert!(message.starts_with(&start), "{message}");
        }
    }
}
