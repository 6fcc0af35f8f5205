//! Recalibration: a model's correction learned anew on other samples than its own.

use serde::{Deserialize, Serialize};

use super::correction::Correction;

/// What of a correction is learned anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalibrate {
    /// What is added to every score.
    Intercept,
    /// That, and by how much scores are stretched.
    Slope,
}

/// How a model was recalibrated, and on what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recalibration {
    /// What was learned.
    pub how: Recalibrate,
    /// What is done to the scores as they were corrected before (to the predicted values of a regression).
    pub change: Correction,
    /// Fingerprint of the data.
    pub data: String,
    /// Number of samples.
    pub samples: usize,
    /// How many of them are of the positive class; `None` in a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<usize>,
    /// Log loss there (mean squared error of a regression) before, and after as cross-validation has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<[f64; 2]>,
    /// Version of the engine.
    pub version: String,
}

impl Recalibrate {
    /// As files, options and Python spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intercept => "intercept",
            Self::Slope => "slope",
        }
    }
}

impl Recalibration {
    /// What was done, on what, and what it changed.
    pub fn sentence(&self) -> String {
        let Correction { slope, intercept } = self.change;
        let (what, measure, of) = match self.positive {
            Some(positive) => (
                "logits",
                "log loss",
                format!(" ({positive} of the positive class)"),
            ),
            None => ("predictions", "mean squared error", String::new()),
        };
        let learned = match self.how {
            Recalibrate::Intercept => format!("{intercept:+.3} is added to all {what}"),
            Recalibrate::Slope => {
                format!("{what} are stretched by {slope:.3} and {intercept:+.3} is added")
            }
        };
        let loss = self.loss.map_or(String::new(), |[before, after]| {
            format!("; {measure} there {before:.3} before and {after:.3} after, cross-validated")
        });
        format!(
            "Recalibrated on {} other samples{of}, data {}: {learned}{loss}.",
            self.samples, self.data
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_what_and_on_what() {
        let of = |how, positive| Recalibration {
            how,
            change: Correction {
                slope: 0.5,
                intercept: 1.25,
            },
            data: "sha256:1".to_string(),
            samples: 34,
            positive,
            loss: Some([0.5, 0.25]),
            version: "1".to_string(),
        };
        assert_eq!(
            of(Recalibrate::Intercept, Some(25)).sentence(),
            "Recalibrated on 34 other samples (25 of the positive class), data sha256:1: +1.250 is added to all logits; log loss there 0.500 before and 0.250 after, cross-validated."
        );
        assert_eq!(
            of(Recalibrate::Slope, None).sentence(),
            "Recalibrated on 34 other samples, data sha256:1: predictions are stretched by 0.500 and +1.250 is added; mean squared error there 0.500 before and 0.250 after, cross-validated."
        );
    }
}
