//! Model files: JSON with a format version and a checksum, written atomically.
//!
//! ```text
//! {"format": "rfvm-model", "version": 2, "checksum": "sha256:...", "model": {...}}
//! ```
//!
//! The checksum is over the exact text of `model`. Matrices are base64 of little-endian doubles (symmetric ones
//! as their lower triangle, column by column), so that 100 features and 10 vectors stay below 100 kB.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::covariate_base::CovariateBase;
use super::packed::{PackedFeatures, Unpacked};
use super::predict::Model;
use crate::data::scale::Scale;
use crate::data::{CovariateCoding, KnownFeatures, Task, Training};
use crate::error::Error;
use crate::numerics::linalg::Dense;
use crate::params::Parameters;
use crate::posterior::companions::{Companion, Companions};
use crate::posterior::correction::Correction;
use crate::posterior::effects::Effects;
use crate::posterior::moments::{Moments, Spread, Vectors};
use crate::posterior::recalibration::Recalibration;
use crate::posterior::signature::{Feature, RelevanceVector, Signature};
use crate::posterior::trace::{Iteration, Phase, StopReason};
use crate::projection::{Expected, Judgement, PathSize};

const FORMAT: &str = "rfvm-model";
const VERSION: u64 = 2;
/// How every model file begins.
const OPENING: &str = "{\"format\":\"rfvm-model\",";
/// Iterations of the trace that a file keeps at most; longer traces are thinned evenly, first and last kept.
const TRACE_LIMIT: usize = 500;

#[derive(Serialize, Deserialize)]
struct File<'a> {
    format: String,
    version: u64,
    checksum: String,
    #[serde(borrow)]
    model: &'a RawValue,
}

/// What is read before anything else, of any version.
#[derive(Deserialize)]
struct FileHeader {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct ModelRecord {
    task: Task,
    classes: Vec<String>,
    target_scale: Scale,
    training: Training,
    parameters: Parameters,
    correction: Correction,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    class_intercepts: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recalibrations: Vec<Recalibration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<Expected>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    full: Option<Expected>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judgement: Option<Judgement>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<PathSize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covariates: Option<CovariateRecord>,
    signatures: Vec<SignatureRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    companions: Option<CompanionsRecord>,
    #[serde(default, skip_serializing_if = "KnownFeatures::is_empty")]
    known: KnownFeatures,
}

/// How the features hang together; the correlations as their lower triangle.
#[derive(Serialize, Deserialize)]
struct CompanionsRecord {
    stand_ins: Vec<Option<usize>>,
    companions: Vec<CompanionRecord>,
    correlation: String,
    shrinkage: f64,
}

#[derive(Serialize, Deserialize)]
struct CompanionRecord {
    name: String,
    scale: Scale,
}

/// What is kept of covariates.
#[derive(Serialize, Deserialize)]
struct CovariateRecord {
    coding: CovariateCoding,
    alone: EffectsRecord,
    noise: f64,
    correction: Correction,
}

/// Intercept and effects.
#[derive(Serialize, Deserialize)]
struct EffectsRecord {
    mean: Vec<f64>,
    cov: String,
}

#[derive(Serialize, Deserialize)]
struct SignatureRecord {
    stop: StopReason,
    evidence: Option<f64>,
    vectors: Vec<RelevanceVector>,
    bias: f64,
    bias_variance: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effects: Option<EffectsRecord>,
    noise: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    widest: Option<f64>,
    posterior: PosteriorRecord,
    trace: TraceRecord,
}

/// Few features with everything about them, or all of them packed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PosteriorRecord {
    Few {
        features: Vec<Feature>,
        /// ⟨v⟩ with its sign.
        v: String,
        v_spread: SpreadRecord,
        a_cov: String,
        z: String,
    },
    Full(PackedFeatures),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SpreadRecord {
    Independent(String),
    Joint(String),
}

/// The trace, thinned and run-length encoded: sizes of active sets change rarely.
#[derive(Serialize, Deserialize)]
struct TraceRecord {
    signature: usize,
    /// Iterations of the fit, and every how manieth of them is kept (the last one always is).
    iterations: usize,
    step: usize,
    phase: Runs<Phase>,
    features: Runs<usize>,
    vectors: Runs<usize>,
    /// Bounds of those iterations whose phase has one.
    bound: String,
}

/// Values with the number of times each is repeated.
type Runs<T> = Vec<(T, usize)>;

impl Model {
    /// Writes the model to a file. The file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_atomically(path.as_ref(), self.to_json().as_bytes())
    }

    /// Reads a model file; a damaged, truncated, foreign, older or newer one is refused, and one of several classes
    /// ([`crate::AnyModel`] reads all).
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        read(path.as_ref(), Self::from_json)
    }

    /// The text of a model file.
    pub fn to_json(&self) -> String {
        let record = ModelRecord {
            task: self.task,
            classes: self.classes.clone(),
            target_scale: self.target_scale,
            training: self.training.clone(),
            parameters: self.parameters.clone(),
            correction: self.correction,
            class_intercepts: self.class_intercepts.clone(),
            recalibrations: self.recalibrations.clone(),
            expected: self.expected,
            share: self.share,
            full: self.full,
            judgement: self.judgement,
            sizes: self.sizes.clone(),
            covariates: self.covariates.as_ref().map(CovariateRecord::new),
            signatures: self.signatures.iter().map(SignatureRecord::new).collect(),
            companions: self.companions.as_ref().map(CompanionsRecord::new),
            known: self.known.clone(),
        };
        // Plain structs of numbers and strings: serialising them cannot fail.
        let model = serde_json::value::to_raw_value(&record).expect("a model is plain data");
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            checksum: checksum(model.get()),
            model: &model,
        };
        serde_json::to_string(&file).expect("a model is plain data")
    }

    /// Reads the text of a model file; the error says what is wrong with it and what to do.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let model = Self::of_any_kind(bytes)?;
        match model.classes.len() {
            0..=2 => Ok(model),
            classes => Err(format!(
                "this model tells {classes} classes apart, and this needs a model of two classes or of a number; fit one class against the rest for it"
            )),
        }
    }

    /// The same, also of several classes, which is not to leave this folder as it is.
    pub(super) fn of_any_kind(bytes: &[u8]) -> Result<Self, String> {
        let ours = OPENING.as_bytes();
        let header: FileHeader = serde_json::from_slice(bytes).map_err(|_| {
            if bytes.starts_with(ours) || ours.starts_with(bytes) {
                "the model file is damaged or cut short; copy it again or fit again".to_string()
            } else {
                "this is not an rfvm model file".to_string()
            }
        })?;
        if header.format != FORMAT {
            return Err(format!(
                "this is not an rfvm model file (its format is '{}')",
                header.format.escape_debug()
            ));
        }
        if header.version > VERSION {
            return Err(format!(
                "this model has format version {}, and this program reads up to {VERSION}; update rfvm",
                header.version
            ));
        }
        if header.version < VERSION {
            return Err(format!(
                "this model has format version {}, which this version of rfvm no longer reads; fit it again",
                header.version
            ));
        }
        // What the parser says may quote the file, line ends and all.
        let damaged = |what: &str| {
            let what = what.replace(char::is_control, " ");
            format!("the model file is damaged ({what}); copy it again or fit again")
        };
        let file: File =
            serde_json::from_slice(bytes).map_err(|_| damaged("a field is missing"))?;
        if file.checksum != checksum(file.model.get()) {
            return Err(damaged("its checksum does not match"));
        }
        let record: ModelRecord =
            serde_json::from_str(file.model.get()).map_err(|error| damaged(&error.to_string()))?;
        let model = record
            .into_model()
            .ok_or_else(|| damaged("its parts do not fit together"))?;
        model.check().map_err(|wrong| damaged(&wrong))?;
        Ok(model)
    }
}

impl ModelRecord {
    fn into_model(self) -> Option<Model> {
        let signatures = self.signatures.into_iter();
        let signatures: Option<Vec<Signature>> =
            signatures.map(SignatureRecord::into_signature).collect();
        let companions = match self.companions {
            Some(record) => Some(record.into_companions()?),
            None => None,
        };
        Some(Model {
            known: self.known,
            companions,
            task: self.task,
            classes: self.classes,
            target_scale: self.target_scale,
            training: self.training,
            parameters: self.parameters,
            correction: self.correction,
            class_intercepts: self.class_intercepts,
            recalibrations: self.recalibrations,
            expected: self.expected,
            share: self.share,
            full: self.full,
            judgement: self.judgement,
            sizes: self.sizes,
            covariates: match self.covariates {
                Some(record) => Some(record.into_base()?),
                None => None,
            },
            signatures: signatures?,
        })
    }
}

impl CompanionsRecord {
    fn new(kept: &Companions) -> Self {
        let companion = |companion: &Companion| CompanionRecord {
            name: companion.name.clone(),
            scale: companion.scale,
        };
        Self {
            stand_ins: kept.stand_ins.clone(),
            companions: kept.companions.iter().map(companion).collect(),
            correlation: encode(&lower_triangle(&kept.correlation)),
            shrinkage: kept.shrinkage,
        }
    }

    fn into_companions(self) -> Option<Companions> {
        let size = self.stand_ins.len() + self.companions.len();
        let companion = |record: CompanionRecord| Companion {
            name: record.name,
            scale: record.scale,
        };
        Some(Companions {
            stand_ins: self.stand_ins,
            correlation: symmetric(&self.correlation, size)?,
            companions: self.companions.into_iter().map(companion).collect(),
            shrinkage: self.shrinkage,
        })
    }
}

impl SignatureRecord {
    fn new(signature: &Signature) -> Self {
        let moments = &signature.moments;
        Self {
            stop: signature.stop,
            evidence: signature.evidence,
            vectors: signature.vectors.clone(),
            bias: moments.b,
            bias_variance: moments.b_var,
            effects: moments.effects.as_ref().map(EffectsRecord::new),
            noise: moments.noise,
            widest: signature.widest,
            posterior: PosteriorRecord::new(&signature.features, moments),
            trace: TraceRecord::new(&signature.trace),
        }
    }

    fn into_signature(self) -> Option<Signature> {
        let m = self.vectors.len();
        let a = self.vectors.iter().map(|vector| vector.coefficient);
        let still = Moments {
            a: a.collect(),
            b_var: self.bias_variance,
            effects: match self.effects {
                Some(record) => Some(record.into_effects()?),
                None => None,
            },
            ..Moments::constant(self.bias, self.noise)
        };
        let (features, moments) = self.posterior.into_moments(m, still)?;
        Some(Signature {
            features,
            vectors: self.vectors,
            moments,
            widest: self.widest,
            trace: self.trace.into_iterations()?,
            evidence: self.evidence,
            stop: self.stop,
        })
    }
}

impl CovariateRecord {
    fn new(base: &CovariateBase) -> Self {
        Self {
            coding: base.coding.clone(),
            alone: EffectsRecord::new(&base.alone),
            noise: base.noise,
            correction: base.correction,
        }
    }

    fn into_base(self) -> Option<CovariateBase> {
        Some(CovariateBase {
            coding: self.coding,
            alone: self.alone.into_effects()?,
            noise: self.noise,
            correction: self.correction,
        })
    }
}

impl EffectsRecord {
    fn new(effects: &Effects) -> Self {
        Self {
            mean: effects.mean.clone(),
            cov: encode(&lower_triangle(&effects.cov)),
        }
    }

    fn into_effects(self) -> Option<Effects> {
        let cov = symmetric(&self.cov, self.mean.len())?;
        Some(Effects {
            mean: self.mean,
            cov,
        })
    }
}

impl PosteriorRecord {
    fn new(features: &[Feature], moments: &Moments) -> Self {
        let (v_spread, z) = match (&moments.v_spread, &moments.z) {
            (Spread::Weights(spread), Vectors::Sums(g)) => {
                return Self::Full(PackedFeatures::new(features, &moments.v, g, spread));
            }
            (Spread::Joint(cov), Vectors::Values(z)) => (
                SpreadRecord::Joint(encode(&lower_triangle(cov))),
                z.values(),
            ),
            (Spread::Independent(var) | Spread::Weights(var), Vectors::Values(z)) => {
                (SpreadRecord::Independent(encode(var)), z.values())
            }
            (spread, Vectors::Sums(_)) => {
                unreachable!("only the full posterior has sums: {spread:?}")
            }
        };
        Self::Few {
            features: features.to_vec(),
            v: encode(&moments.v),
            v_spread,
            a_cov: encode(&lower_triangle(&moments.a_cov)),
            z: encode(z),
        }
    }

    /// The features and the moments, over m vectors; `still` has what does not depend on them.
    fn into_moments(self, m: usize, still: Moments) -> Option<(Vec<Feature>, Moments)> {
        match self {
            Self::Few {
                features,
                v,
                v_spread,
                a_cov,
                z,
            } => {
                let d = features.len();
                let moments = Moments {
                    v: decode(&v, d)?,
                    v_spread: match &v_spread {
                        SpreadRecord::Independent(text) => Spread::Independent(decode(text, d)?),
                        SpreadRecord::Joint(text) => Spread::Joint(symmetric(text, d)?),
                    },
                    a_cov: symmetric(&a_cov, m)?,
                    z: Vectors::Values(Dense::from_vec(m, d, decode(&z, m * d)?)),
                    ..still
                };
                Some((features, moments))
            }
            Self::Full(packed) => {
                let Unpacked {
                    features,
                    v,
                    g,
                    spread,
                } = packed.unpack()?;
                let moments = Moments {
                    v,
                    v_spread: Spread::Weights(spread),
                    z: Vectors::Sums(g),
                    ..still
                };
                Some((features, moments))
            }
        }
    }
}

impl TraceRecord {
    fn new(trace: &[Iteration]) -> Self {
        let iterations = trace.len();
        let step = iterations.div_ceil(TRACE_LIMIT).max(1);
        let kept: Vec<&Iteration> = kept_iterations(iterations, step)
            .map(|at| &trace[at])
            .collect();
        let bounds: Vec<f64> = kept
            .iter()
            .filter_map(|iteration| iteration.bound)
            .collect();
        Self {
            signature: trace.first().map_or(1, |iteration| iteration.signature),
            iterations,
            step,
            phase: runs(kept.iter().map(|iteration| iteration.phase)),
            features: runs(kept.iter().map(|iteration| iteration.features)),
            vectors: runs(kept.iter().map(|iteration| iteration.vectors)),
            bound: encode(&bounds),
        }
    }

    fn into_iterations(self) -> Option<Vec<Iteration>> {
        // A length that the sizes do not back up is damage, not a reason to reserve memory.
        let kept = self
            .phase
            .iter()
            .try_fold(0usize, |sum, run| sum.checked_add(run.1))?;
        (kept <= TRACE_LIMIT + 1 && self.step > 0).then_some(())?;
        let has_bound = |phase: Phase| !matches!(phase, Phase::Wide | Phase::Path);
        let with_bound = self
            .phase
            .iter()
            .filter(|run| has_bound(run.0))
            .map(|run| run.1)
            .sum();
        let mut bounds = decode(&self.bound, with_bound)?.into_iter();
        let (mut features, mut vectors) = (expand(self.features), expand(self.vectors));
        let mut numbers = kept_iterations(self.iterations, self.step);
        expand(self.phase)
            .map(|phase| {
                Some(Iteration {
                    signature: self.signature,
                    number: numbers.next()? + 1,
                    phase,
                    bound: if has_bound(phase) {
                        Some(bounds.next()?)
                    } else {
                        None
                    },
                    features: features.next()?,
                    vectors: vectors.next()?,
                })
            })
            .collect()
    }
}

/// Positions of every `step`-th iteration and of the last.
fn kept_iterations(iterations: usize, step: usize) -> impl Iterator<Item = usize> {
    let last = iterations.saturating_sub(1);
    let missing = !last.is_multiple_of(step);
    (0..iterations).step_by(step).chain(missing.then_some(last))
}

fn runs<T: PartialEq>(values: impl Iterator<Item = T>) -> Runs<T> {
    let mut runs: Runs<T> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs
}

fn expand<T: Copy>(runs: Runs<T>) -> impl Iterator<Item = T> {
    runs.into_iter()
        .flat_map(|(value, count)| std::iter::repeat_n(value, count))
}

/// Reads a file by `parse`.
pub(super) fn read<M>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<M, String>,
) -> Result<M, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::File {
        path: path.to_path_buf(),
        source,
    })?;
    parse(&bytes).map_err(|reason| Error::ModelFile {
        path: path.to_path_buf(),
        reason,
    })
}

fn checksum(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn encode(values: &[f64]) -> String {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    BASE64_STANDARD.encode(bytes)
}

/// The numbers in `text`, if they are `count` finite ones.
fn decode(text: &str, count: usize) -> Option<Vec<f64>> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    let (chunks, rest) = bytes.as_chunks::<8>();
    let values: Vec<f64> = chunks
        .iter()
        .map(|chunk| f64::from_le_bytes(*chunk))
        .collect();
    let fits = rest.is_empty() && values.len() == count && values.iter().all(|v| v.is_finite());
    fits.then_some(values)
}

fn lower_triangle(matrix: &Dense) -> Vec<f64> {
    (0..matrix.cols())
        .flat_map(|j| matrix.col(j)[j..].iter().copied())
        .collect()
}

fn symmetric(text: &str, size: usize) -> Option<Dense> {
    let mut values = decode(text, size * (size + 1) / 2)?.into_iter();
    let mut matrix = Dense::zeros(size, size);
    for j in 0..size {
        for entry in &mut matrix.col_mut(j)[j..] {
            *entry = values.next()?;
        }
    }
    matrix.mirror_lower();
    Some(matrix)
}

/// Writes to a temporary file beside the target, then renames it over the target: a file appears whole or not at all.
/// Links are followed. What is no regular file (a device, a pipe) is written to and never replaced.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File {
        path: path.to_path_buf(),
        source,
    };
    if is_device(path) {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        let mut file = file.map_err(failed)?;
        return file.write_all(bytes).map_err(failed);
    }
    let target = path.canonicalize();
    let target = target.as_deref().unwrap_or(path);
    let mut file = draft_beside(target).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Whether something is there that is neither a file nor a folder: a device, a pipe, a socket.
pub fn is_device(path: &Path) -> bool {
    let kind = path.metadata().map(|found| found.file_type());
    kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
}

/// A file beside a place that is yet to be taken, and of which nothing stays behind unless it is renamed to it.
pub fn draft_beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rfvm-");
    // As an ordinary new file would be, less the user's mask; the default of a temporary file is private.
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666))
    };
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
