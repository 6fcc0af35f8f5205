//! Where data come from, as far as it bears on what is claimed of them: warnings, columns that are not used, a given panel.

use serde::{Deserialize, Serialize};

/// What a model, an evaluation and a report keep of how their data came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// What may make a result look better than it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<DataWarning>,
    /// Columns that were read and are no features of the fit, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<UnusedColumns>,
    /// The features, where they were given rather than left to the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Panel>,
}

/// Something in the data that may make a result look better than it is: to be checked by someone who knows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataWarning {
    /// What it is about.
    pub kind: WarningKind,
    /// The columns it is about.
    pub columns: Vec<String>,
    /// How strong it is: an AUC, a correlation, Cramér's V.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// The chance that data in which there is nothing would look so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// One sentence.
    pub message: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// A feature that is the target by another name.
    CopyOfTarget,
    /// Features each of which tells the target nearly without fault.
    SingleFeature,
    /// A feature that is missing in one class alone.
    MissingTellsTarget,
    /// A text column that says what the target says.
    TextTellsTarget,
    /// A column of few samples a value, all of one class: subjects with several samples?
    RepeatedSubjects,
    /// A batch or site that hangs together with the target.
    Batch,
    /// An evaluation that is worse where whole batches are held out.
    BatchHeldOut,
    /// Features that were given.
    Panel,
}

/// Columns that are no features, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedColumns {
    /// Why.
    pub reason: String,
    /// How many they are.
    pub count: usize,
    /// Their names.
    pub columns: Vec<String>,
}

/// Features that were given rather than left to the fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Panel {
    /// How many.
    pub features: usize,
    /// Where they came from, in the words of whoever gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What a cross-validation gave in which whole batches were held out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The column of batches.
    pub column: String,
    /// How many batches there are.
    pub batches: usize,
    /// Folds in all repeats whose held-out batches could be judged.
    pub judged: usize,
    /// Mean AUC over these folds, and over those of the plain evaluation beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<[f64; 2]>,
    /// The same of the root mean squared error of a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmse: Option<[f64; 2]>,
    /// One sentence: what was found, or why nothing could be.
    pub message: String,
}

/// Names in a sentence, a reason has at most so many.
const NAMED: usize = 5;

impl UnusedColumns {
    /// The reason, how many there are, and the first few names.
    pub fn sentence(&self) -> String {
        let names = self.columns.iter().take(NAMED);
        let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
        let more = match self.count.saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more} ({})", names.join(", "), self.reason)
    }
}

impl Panel {
    /// What the panel means for what is claimed: a warning, unless it is known where it came from.
    pub fn warning(&self) -> Option<DataWarning> {
        self.from.is_none().then(|| DataWarning {
            kind: WarningKind::Panel,
            columns: Vec::new(),
            strength: None,
            chance: None,
            message: "the panel was given; if it was chosen on these data, what is claimed here is too good".to_string(),
        })
    }
}

impl Provenance {
    /// Takes what another has of the same data, warnings once each.
    pub fn merge(&mut self, other: &Self) {
        for warning in &other.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
        if self.unused.is_empty() {
            self.unused.clone_from(&other.unused);
        }
        if self.panel.is_none() {
            self.panel.clone_from(&other.panel);
        }
    }
}
