//! How weights, groups and costs are attached to a data set, and what is checked.

use std::sync::Arc;

use super::attached::ClassWeight;
use super::dataset::{Dataset, Target};
use super::facts::FeatureFacts;
use crate::error::{Error, factor};

impl Dataset {
    /// With a weight of each row, times its class's: k is k copies of it, 0 is none. Weights that are all 1 are none. A
    /// regression takes none.
    pub fn with_sample_weight(mut self, weight: Vec<f64>) -> Result<Self, Error> {
        self.one_each("sample weights, one per sample", weight.len())?;
        for &weight in &weight {
            if weight != 0.0 {
                factor("sample_weight", weight)?;
            }
        }
        let weighted = weight.iter().any(|&weight| weight != 1.0);
        self.refuse_weights_in_a_regression(weighted)?;
        self.attached.sample_weight = weighted.then_some(weight);
        Ok(self)
    }

    /// With a weight of each class. A regression takes none.
    pub fn with_class_weight(mut self, weight: ClassWeight) -> Result<Self, Error> {
        if let ClassWeight::PerClass(below, above) = weight {
            factor("class_weight (negative class)", below)?;
            factor("class_weight (positive class)", above)?;
        }
        self.refuse_weights_in_a_regression(weight != ClassWeight::None)?;
        self.attached.class_weight = weight;
        Ok(self)
    }

    /// The same samples, taken as independent.
    pub fn without_groups(mut self) -> Self {
        self.attached.groups = None;
        self
    }

    /// With samples that belong together, one number each: the folds by which a size is chosen never split them, nor do
    /// shuffles of the target.
    pub fn with_groups(mut self, groups: Vec<usize>) -> Result<Self, Error> {
        self.one_each("groups, one per sample", groups.len())?;
        self.attached.groups = Some(groups);
        Ok(self)
    }

    /// With cost factors κ_d of named features; 1 for all others, and a name that the table does not have is no mistake.
    ///
    /// With [`crate::Projected`] the prior of a weight is w_d ~ N(0, 1/(λ κ_d)), and the feature with the largest
    /// |x_d · residual| / √κ_d enters first. With [`crate::Signatures`] a feature must make the data κ_d times likelier than
    /// others need to (its hyperprior has the shape `delta_shape` / κ_d). [`crate::MeanField`] takes none: with the paper's
    /// hyperprior a fit forgets any prior on a precision, so a cost would do nothing.
    pub fn with_feature_cost(mut self, cost: Vec<(String, f64)>) -> Result<Self, Error> {
        for (_, cost) in &cost {
            factor("feature_cost", *cost)?;
        }
        self.attached.feature_cost = Some(cost);
        Ok(self)
    }

    /// With what is known of the features: prices, panels, blocks, annotation. Prices make cost factors in the place of
    /// [`Dataset::with_feature_cost`]; panels and blocks are for [`crate::Projected`] alone.
    pub fn with_facts(mut self, facts: FeatureFacts) -> Result<Self, Error> {
        facts.check_for(self.table().feature_names())?;
        self.attached.facts = (!facts.is_empty()).then(|| Arc::new(facts));
        Ok(self)
    }

    /// What is known of the features.
    pub fn facts(&self) -> Option<&FeatureFacts> {
        self.attached.facts.as_deref()
    }

    /// The weight of each row, where some differ from 1.
    pub fn sample_weight(&self) -> Option<&[f64]> {
        self.attached.sample_weight.as_deref()
    }

    /// The weights of the classes.
    pub fn class_weight(&self) -> &ClassWeight {
        &self.attached.class_weight
    }

    /// The group of each row, where there are groups.
    pub fn groups(&self) -> Option<&[usize]> {
        self.attached.groups.as_deref()
    }

    /// The cost factors that were given.
    pub fn feature_cost(&self) -> Option<&[(String, f64)]> {
        self.attached.feature_cost.as_deref()
    }

    fn one_each(&self, what: &'static str, got: usize) -> Result<(), Error> {
        let expected = self.table().samples();
        let wrong = Error::Length {
            what,
            expected,
            got,
        };
        (got == expected).then_some(()).ok_or(wrong)
    }

    fn refuse_weights_in_a_regression(&self, weighted: bool) -> Result<(), Error> {
        match self.target() {
            Target::Values(_) if weighted => Err(Error::Target(
                "class and sample weights multiply the class likelihood; a regression takes none",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    fn data() -> Dataset {
        let table = Table::unnamed(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 6).unwrap();
        let target = Target::Classes {
            names: ["a", "b", "c"].map(String::from).to_vec(),
            labels: vec![0, 1, 2, 0, 1, 2],
        };
        Dataset::new(table, target).unwrap()
    }

    fn refusal(attached: Result<Dataset, Error>) -> String {
        attached.unwrap_err().to_string()
    }

    #[test]
    fn lengths_and_ranges_are_checked() {
        assert_eq!(
            refusal(data().with_sample_weight(vec![1.0])),
            "expected 6 sample weights, one per sample, got 1"
        );
        assert_eq!(
            refusal(data().with_groups(vec![0; 7])),
            "expected 6 groups, one per sample, got 7"
        );
        let negative = vec![1.0, -1.0, 1.0, 1.0, 1.0, 1.0];
        assert!(refusal(data().with_sample_weight(negative)).contains("sample_weight is -1"));
        let none = ClassWeight::PerClass(1.0, 0.0);
        assert!(refusal(data().with_class_weight(none)).contains("(positive class) is 0"));
        let cost = vec![("f1".to_string(), f64::NAN)];
        assert!(refusal(data().with_feature_cost(cost)).contains("feature_cost is NaN"));
        let all_one = data().with_sample_weight(vec![1.0; 6]).unwrap();
        assert_eq!(all_one, data());
    }

    #[test]
    fn a_regression_takes_no_weights() {
        let target = Target::Values(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let data = Dataset::new(data().table().clone(), target).unwrap();
        let twos = data.clone().with_sample_weight(vec![2.0; 6]);
        assert!(refusal(twos).contains("a regression takes none"));
        let balanced = data.clone().with_class_weight(ClassWeight::Balanced);
        assert!(refusal(balanced).contains("a regression takes none"));
        data.with_sample_weight(vec![1.0; 6]).unwrap();
    }

    #[test]
    fn rows_and_classes_take_it_along() {
        let weight = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let data = data()
            .with_sample_weight(weight)
            .and_then(|data| data.with_groups(vec![0, 0, 1, 1, 2, 2]))
            .and_then(|data| data.with_feature_cost(vec![("f1".into(), 2.0)]))
            .unwrap();
        let data = data.one_against_rest(&["b", "c"]).unwrap();
        let some = data.rows(&[5, 0, 4, 3]).unwrap();
        assert_eq!(some.sample_weight(), Some(&[6.0, 1.0, 5.0, 4.0][..]));
        assert_eq!(some.groups(), Some(&[2, 0, 2, 1][..]));
        assert_eq!(some.feature_cost(), data.feature_cost());
    }
}
