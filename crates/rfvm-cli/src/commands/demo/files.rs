//! The study as comma-separated tables.

use std::io::{self, Write};

use rfvm::Dataset;

use super::study::{DemoStudy, FeatureTruth, classes};

/// One line per subject: name, class, every feature.
pub(super) fn data(out: &mut impl Write, data: &Dataset) -> io::Result<()> {
    let table = data.table();
    let (names, labels) = classes(data);
    write!(out, "sample,class")?;
    for name in table.feature_names().iter() {
        write!(out, ",{name}")?;
    }
    writeln!(out)?;
    for (n, (sample, &label)) in table.sample_names().iter().zip(labels).enumerate() {
        write!(out, "{sample},{}", names[label])?;
        for d in 0..table.features() {
            write!(out, ",{}", table.feature(d)[n])?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// One line per feature: name, whether the classes differ in it, the informative feature it is correlated with.
pub(super) fn truth(out: &mut impl Write, study: &DemoStudy) -> io::Result<()> {
    writeln!(out, "feature,informative,correlated_with")?;
    for (d, name) in study.train.table().feature_names().iter().enumerate() {
        match study.truth(d) {
            FeatureTruth::Informative => writeln!(out, "{name},1,")?,
            FeatureTruth::CorrelatedWith(partner) => writeln!(out, "{name},0,{partner}")?,
            FeatureTruth::Noise => writeln!(out, "{name},0,")?,
        }
    }
    Ok(())
}
