//! The Relevance Feature and Vector Machine: a Bayesian classifier for *fat* data (few samples, very many
//! features) that learns in one fit which few features matter and which few samples define the model.
//!
//! # Model
//!
//! N samples x_n of D features; M candidates z_m for relevance vectors, by default the samples themselves:
//!
//! ```text
//! t_n ~ Bernoulli(σ(y_n)),   y = X diag(v) Z' a + b + ε,   ε ~ N(0, 1/τ)
//! a_m ~ N(0, 1/ψ_m)          ψ_m ~ Gamma                   sparsity over samples
//! v_d ~ half-normal(1/δ_d)   δ_d ~ Gamma                   sparsity over features
//! ```
//!
//! The weight of a feature is w_d = v_d (z_:d · a); its sign says which class the feature speaks for.
//!
//! # From data to a model
//!
//! ```
//! use rfvm::{Params, Simulation, metrics};
//!
//! // A simulated study with known truth: 100 subjects, 5000 features, five of them informative.
//! let study = Simulation::default().draw()?;
//! let model = Params::default().check()?.fit(study.data.clone())?;
//!
//! for feature in model.signatures()[0].features() {
//!     let class = &model.classes()[feature.class()];
//!     println!("{} speaks for {class}: {:.2} ± {:.2}", feature.name, feature.weight, feature.sd);
//! }
//! assert!(model.feature_count() <= 27);
//! let probability = model.predict_probability(study.data.table())?;
//! assert_eq!(probability.len(), 100);
//! # Ok::<(), rfvm::Error>(())
//! ```
//!
//! `examples/own_numbers.rs` does the same with numbers of one's own.
//!
//! # Where things are
//!
//! Every folder imports from those above it alone; a test reads the `use` lines and holds them to that.
//!
//! | folder | what |
//! |---|---|
//! | `error.rs` | what can be wrong with data and parameters |
//! | `numerics/` | linear algebra, special functions, statistics, threads |
//! | `data/` | tables, targets, scales, folds |
//! | `posterior/` | hyperpriors, moments, the predictive distribution, signatures |
//! | `params/` | the methods and their parameters |
//! | `inference/` | the updates of the mean-field and of the structured posterior |
//! | `projection/` | the default: full posterior, forward selection, small models, held-back rows |
//! | `model/` | a fitted model: predictions, files |
//! | `fit/` | from data and parameters to a model, or to a path of models |
//! | `evaluate/` | cross-validation, metrics, stability, permuted labels |
//! | `summary/` | all there is to say of a model, its data and its evaluation: what a report draws |
//! | `validate/` | a model on labelled new samples, and its recalibration there |
//! | `simulate.rs` | studies with known truth |

mod data;
mod error;
mod evaluate;
mod fit;
mod inference;
mod model;
mod numerics;
mod params;
mod posterior;
mod projection;
mod simulate;
#[cfg(test)]
#[path = "../../../scripts/skipped.rs"]
mod skipped;
pub mod summary;
mod validate;

pub use data::{
    Bend, ClassWeight, Covariate, CovariateCoding, CovariateColumn, CovariateValues, Covariates,
    DataWarning, Dataset, FeatureFacts, FeatureSet, Folds, HeldOut, KnownCell, KnownFeature,
    KnownFeatures, KnownPanel, LabelledRows, MadeUpNames, Names, Panel, Provenance, Scale, Scaling,
    Standardizer, Table, Target, Task, Training, Transform, UnusedColumns, WarningKind,
    is_constant,
};
pub use error::Error;
pub use evaluate::{
    AddedMeasure, AddedValue, AddedVerdict, Association, AtThreshold, BaseRate, Bootstrap,
    CalibrationMeasures, ClassMeasures, ClassesEvaluation, ClassesFold, ComparedBy,
    ComparedMeasure, Comparison, Estimate, Evaluation, FoldResult, NetBenefit, Permuted,
    PredictionMeasures, Rejection, Selection, Stability, Wanted, confounding, delong, leakage,
    metrics, stability,
};
pub use fit::{MulticlassPath, Path, PathPoint};
pub use model::{
    AnyModel, ClassPrediction, Contribution, CovariateBase, CovariateEffect, Explanation,
    Extrapolation, FarValue, FilledFeature, FilledPredictions, Formula, Gaps, LogOdds, Model,
    MulticlassModel, PanelFeature, PointBand, PointFeature, PointScore, PointTotal, Prediction,
    ScorePart, SignatureFormula, draft_beside, is_device, write_atomically,
};
pub use numerics::parallel::threads;
pub use numerics::random::standard_normal;
pub use numerics::{special, stats};
pub use params::{
    Budget, CandidateCount, Candidates, CheckedParams, DataParameters, MeanField, Method, Missing,
    Parameters, Params, Preprocessing, Projected, Pruning, Signatures, Size, Start, Stopping,
    Sweep,
};
pub use posterior::class_correction::ClassCorrection;
pub use posterior::correction::Correction;
pub use posterior::family::Family;
pub use posterior::prior::{Hyper, Tau};
pub use posterior::recalibration::{Recalibrate, Recalibration};
pub use posterior::signature::{Feature, RelevanceVector, Signature};
pub use posterior::trace::{Iteration, Phase, StopReason};
pub use projection::{Expected, Judgement, PathSize, Verdict};
pub use simulate::{SimulatedData, Simulation};
pub use summary::{Overview, Summary};
pub use validate::{
    AgainstExpected, FeatureShift, PointLoss, RecalibrationCheck, UnlikeRows, ValidatedSample,
    Validation,
};
