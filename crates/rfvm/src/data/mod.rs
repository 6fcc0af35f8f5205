//! The data of a fit: a table of values, a target, and what is attached to them.
//!
//! ```text
//! table.rs        values with names, feature by feature
//! names.rs        many names in little memory
//! dataset.rs      a table with a target
//! labelled.rs     the same to judge a model on, which needs less than a fit
//! covariates.rs   age, sex, site: what is allowed for and not selected; covariate_coding.rs: as columns of numbers
//! attached.rs     weights of rows and classes, groups of rows, costs of features
//! attach.rs       how they are attached and checked
//! facts.rs        prices, panels, blocks and annotation of features; known.rs: what a model keeps of them
//! transform.rs    log2(1 + x)
//! scale.rs        robust and plain standardising
//! groups.rs       rows that belong together
//! folds.rs        stratified folds that keep groups whole
//! shuffle.rs      a target dealt out anew
//! provenance.rs   columns not used, warnings, a panel that was given
//! fingerprint.rs  a digest by which a model knows its data
//! training.rs     what a model keeps of its data
//! ```

mod attach;
mod attached;
mod covariate_coding;
mod covariates;
pub(crate) mod dataset;
mod facts;
mod fingerprint;
mod folds;
pub(crate) mod groups;
mod known;
mod labelled;
pub(crate) mod names;
mod provenance;
pub(crate) mod scale;
pub(crate) mod shuffle;
pub(crate) mod table;
mod training;
pub(crate) mod transform;

pub(crate) use attached::Attached;
pub use attached::ClassWeight;
pub use covariate_coding::{CovariateCoding, CovariateColumn};
pub use covariates::{Covariate, CovariateValues, Covariates};
pub use dataset::{Dataset, Target, Task};
pub(crate) use facts::FeatureWeights;
pub use facts::{FeatureFacts, FeatureSet};
pub use folds::Folds;
pub use known::{KnownCell, KnownFeature, KnownFeatures, KnownPanel};
pub use labelled::LabelledRows;
pub use names::Names;
pub use provenance::{DataWarning, HeldOut, Panel, Provenance, UnusedColumns, WarningKind};
pub use scale::{Bend, Scale, Scaling, Standardizer, is_constant};
pub use table::{MadeUpNames, Table};
pub use training::Training;
pub use transform::Transform;
