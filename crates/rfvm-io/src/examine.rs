//! A second look at what was read: what may make a result look better than it is.

use rfvm::confounding::{association, batch_numbers, batch_warning};
use rfvm::leakage::{telling_features, telling_text};
use rfvm::{Association, DataWarning, Target};

use crate::assemble::Loaded;
use crate::source::{Annotation, Source};

impl Loaded {
    /// Looks for columns that tell the target too well and for batches that hang together with it, and puts what it finds
    /// among the warnings, a moment's work. The batches are put in the order of how strongly they do.
    pub fn examine(&mut self) {
        let target = self.data.target();
        let mut batches: Vec<(Option<Association>, Annotation)> = std::mem::take(&mut self.batches)
            .into_iter()
            .map(|column| (association(&batch_numbers(&column.values), target), column))
            .collect();
        let chance = |found: &Option<Association>| found.map_or(2.0, |found| found.chance);
        batches.sort_by(|(a, _), (b, _)| chance(a).total_cmp(&chance(b)));
        self.batches = batches.into_iter().map(|(_, column)| column).collect();
        let texts: Vec<&Annotation> = (self.annotations.iter())
            .filter(|column| !self.batches.iter().any(|batch| batch.name == column.name))
            .collect();
        let warnings = &mut self.provenance.warnings;
        warnings.extend(telling_features(&self.data));
        let told =
            |column: &&Annotation| telling_text(&column.name, &column.values, texts.len(), target);
        warnings.extend(texts.iter().filter_map(told));
        let told = |column: &Annotation| batch_warning(&column.name, &column.values, target);
        warnings.extend(self.batches.iter().filter_map(told));
    }
}

impl Source {
    /// What batches have to do with a column that may be the target, one class a sample (`None` where it has none).
    pub fn batch_warnings(&self, target: &str, classes: &[Option<usize>]) -> Vec<DataWarning> {
        let known: Vec<usize> = (0..classes.len())
            .filter(|&n| classes[n].is_some())
            .collect();
        let labels: Vec<usize> = classes.iter().flatten().copied().collect();
        let count = labels.iter().max().map_or(0, |last| last + 1);
        let choice = Target::Classes {
            names: (0..count).map(|class| class.to_string()).collect(),
            labels,
        };
        let columns = self.batch_columns().into_iter();
        let columns = columns.filter(|column| column.name != target);
        columns
            .filter_map(|column| {
                let values: Vec<String> = known.iter().map(|&n| column.values[n].clone()).collect();
                let mut warning = batch_warning(&column.name, &values, &choice)?;
                warning.columns.push(target.to_string());
                warning.message = warning.message.replacen(
                    "the classes",
                    &format!("the classes of '{target}'"),
                    1,
                );
                Some(warning)
            })
            .collect()
    }
}
