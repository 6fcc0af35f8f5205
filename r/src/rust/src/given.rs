//! Arguments that R hands over as a named list; one that is not there, or is NULL, was not given.

use std::collections::HashMap;

use extendr_api::prelude::*;
use rfvm::Covariate;
use rfvm::CovariateValues;

/// What is wrong, in one sentence.
pub(crate) type Outcome<T> = Result<T, String>;

/// The engine's error as its sentence.
pub(crate) fn sentence(error: impl ToString) -> String {
    error.to_string()
}

/// A named list.
pub(crate) struct Given(HashMap<&'static str, Robj>);

impl Given {
    pub(crate) fn new(list: List) -> Self {
        Self(list.iter().collect())
    }

    fn get(&self, name: &str) -> Option<&Robj> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn as_kind<T>(
        &self,
        name: &str,
        kind: &str,
        read: impl Fn(&Robj) -> Option<T>,
    ) -> Outcome<Option<T>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let read = read(value).ok_or_else(|| format!("{name} must be {kind}"))?;
        Ok(Some(read))
    }

    pub(crate) fn text(&self, name: &str) -> Outcome<Option<String>> {
        self.as_kind(name, "one text", |value| {
            value.as_str().map(ToString::to_string)
        })
    }

    pub(crate) fn texts(&self, name: &str) -> Outcome<Option<Vec<String>>> {
        self.as_kind(name, "texts", Robj::as_string_vector)
    }

    pub(crate) fn number(&self, name: &str) -> Outcome<Option<f64>> {
        self.as_kind(name, "one number", Robj::as_real)
    }

    pub(crate) fn numbers(&self, name: &str) -> Outcome<Option<Vec<f64>>> {
        self.as_kind(name, "numbers", Robj::as_real_vector)
    }

    pub(crate) fn flag(&self, name: &str) -> Outcome<bool> {
        let flag = self.as_kind(name, "TRUE or FALSE", Robj::as_bool)?;
        Ok(flag.unwrap_or(false))
    }

    /// A whole number from 0; R has it as a double.
    pub(crate) fn count(&self, name: &str) -> Outcome<Option<usize>> {
        let whole = |value: &Robj| {
            let number = value.as_real()?;
            // Beyond this a double does not hold every whole number.
            (number >= 0.0 && number.fract() == 0.0 && number <= 2f64.powi(53))
                .then_some(number as usize)
        };
        self.as_kind(name, "a whole number from 0", whole)
    }

    /// Whole numbers from 1, as R numbers things, counted from 0.
    pub(crate) fn positions(&self, name: &str) -> Outcome<Option<Vec<usize>>> {
        let whole = |value: &Robj| {
            let numbers = value.as_integer_vector()?;
            let less = |number: &i32| usize::try_from(*number).ok()?.checked_sub(1);
            numbers.iter().map(less).collect()
        };
        self.as_kind(name, "whole numbers from 1", whole)
    }

    /// Covariates: a named list of numbers and texts.
    pub(crate) fn covariates(&self) -> Outcome<Vec<Covariate>> {
        let columns = self.as_kind("covariates", "a list", Robj::as_list)?;
        let columns = columns.unwrap_or_else(List::default);
        let column = |(name, value): (&str, Robj)| {
            let values = match value.as_string_vector() {
                Some(texts) => CovariateValues::Levels(texts),
                None => CovariateValues::Numbers(
                    value
                        .as_real_vector()
                        .ok_or_else(|| format!("covariate '{name}' must be numbers or texts"))?,
                ),
            };
            let name = name.to_string();
            Ok(Covariate { name, values })
        };
        columns.iter().map(column).collect()
    }
}

/// The numbers of a matrix, column by column: the engine's one copy of them.
pub(crate) fn values(x: &Robj) -> Outcome<Vec<f64>> {
    let values = x.as_real_slice().ok_or("x must be a matrix of numbers")?;
    Ok(values.to_vec())
}
