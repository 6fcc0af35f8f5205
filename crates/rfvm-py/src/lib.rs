//! `rfvm._core`: the engine for Python. It takes arrays and hands back models; everything that scikit-learn asks of an
//! estimator is written in Python on top of it (python/rfvm).

use pyo3::prelude::*;

mod error;
mod evaluate;
mod facts;
mod fit;
mod input;
mod model;
mod model_of_classes;
mod report;
mod settings;
mod studies;
mod validate;
mod watch;

/// The engine.
#[pymodule(name = "_core")]
mod core_module {
    #[pymodule_export]
    use crate::evaluate::evaluate;
    #[pymodule_export]
    use crate::facts::{notes_on_facts, read_annotation, read_prices, read_sets};
    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::model::{Feature, Model, Signature, Vector};
    #[pymodule_export]
    use crate::model_of_classes::{MulticlassModel, read_model};
    #[pymodule_export]
    use crate::report::{report, report_classes};
    #[pymodule_export]
    use crate::studies::{read_study, simulate};
    #[pymodule_export]
    use crate::validate::validate;
    #[pymodule_export]
    use crate::watch::Iteration;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
