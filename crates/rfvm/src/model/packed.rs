//! Many features in little room: the arrays of a full model as its file keeps them.
//!
//! Numbers are little-endian with the first bytes of all of them side by side, then the second ones and so on, because
//! neighbouring exponents compress and neighbouring mantissas do not; names are a JSON list. Both are deflated and written
//! as base64. Single precision is enough for everything but the place of a feature's zero, which may be far from its spread.

use std::io::{Read, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use crate::data::scale::{Bend, Scale};
use crate::posterior::signature::Feature;

/// The longest that names may be on average: a file that claims more is damaged.
const LONGEST_NAME: usize = 4096;

/// Features with their scales and moments, an array each.
#[derive(Serialize, Deserialize)]
pub(crate) struct PackedFeatures {
    count: usize,
    names: String,
    /// Centres of bent features, means of plain ones.
    origin: String,
    sd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bend: Option<PackedBends>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    median: Option<String>,
    /// Ends of what the training rows had, scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    low: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<String>,
    v: String,
    g: String,
    spread: String,
}

/// Units of the bends and means of the bent values.
#[derive(Serialize, Deserialize)]
struct PackedBends {
    unit: String,
    mean: String,
}

/// The features and their ⟨v⟩, g and variances of w.
pub(crate) struct Unpacked {
    pub(crate) features: Vec<Feature>,
    pub(crate) v: Vec<f64>,
    pub(crate) g: Vec<f64>,
    pub(crate) spread: Vec<f64>,
}

impl PackedFeatures {
    pub(crate) fn new(features: &[Feature], v: &[f64], g: &[f64], spread: &[f64]) -> Self {
        let names: Vec<&str> = features.iter().map(|f| f.name.as_str()).collect();
        // A list of strings is always written.
        let names = serde_json::to_vec(&names).unwrap_or_default();
        let origin = |f: &Feature| f.scale.bend.map_or(f.scale.mean, |bend| bend.centre);
        let bent = features.iter().any(|f| f.scale.bend.is_some());
        let unit = |f: &Feature| f.scale.bend.map_or(0.0, |bend| bend.unit);
        let medians: Option<Vec<f64>> = features.iter().map(|f| f.median).collect();
        let end = |at: usize| -> Option<String> {
            let ends = features
                .iter()
                .map(|f| Some(f.scale.apply(f.range?[at])))
                .collect::<Option<Vec<f64>>>();
            ends.map(|ends| singles(&ends))
        };
        let of = |get: &dyn Fn(&Feature) -> f64| features.iter().map(get).collect::<Vec<f64>>();
        Self {
            count: features.len(),
            names: deflated(&names),
            origin: doubles(&of(&origin)),
            sd: short(&of(&|f| f.scale.sd)),
            bend: bent.then(|| PackedBends {
                unit: short(&of(&unit)),
                mean: short(&of(&|f| f.scale.mean)),
            }),
            median: medians
                .filter(|m| !m.is_empty())
                .map(|medians| doubles(&medians)),
            low: end(0),
            high: end(1),
            v: singles(v),
            g: singles(g),
            spread: singles(spread),
        }
    }

    /// `None` where the arrays are damaged or do not fit together.
    pub(crate) fn unpack(&self) -> Option<Unpacked> {
        let count = self.count;
        let names = inflated(
            &self.names,
            LONGEST_NAME.checked_mul(count)?.checked_add(2)?,
        )?;
        let names: Vec<String> = serde_json::from_slice(&names).ok()?;
        (names.len() == count).then_some(())?;
        let (origin, sd) = (
            read_doubles(&self.origin, count)?,
            read_short(&self.sd, count)?,
        );
        let bend = match &self.bend {
            None => None,
            Some(bend) => Some((
                read_short(&bend.unit, count)?,
                read_short(&bend.mean, count)?,
            )),
        };
        let median = match &self.median {
            None => None,
            Some(median) => Some(read_doubles(median, count)?),
        };
        let end = |end: &Option<String>| match end {
            None => Some(None),
            Some(end) => read_singles(end, count).map(Some),
        };
        let range = end(&self.low)?.zip(end(&self.high)?);
        let v = read_singles(&self.v, count)?;
        let g = read_singles(&self.g, count)?;
        let spread = read_singles(&self.spread, count)?;
        let scale = |d: usize| Scale {
            mean: bend.as_ref().map_or(origin[d], |(_, mean)| mean[d]),
            sd: sd[d],
            bend: bend.as_ref().map(|(unit, _)| Bend {
                centre: origin[d],
                unit: unit[d],
            }),
        };
        let feature = |(d, name): (usize, String)| Feature {
            name,
            scale: scale(d),
            range: (range.as_ref())
                .map(|(low, high)| [low[d], high[d]].map(|end| scale(d).invert(end))),
            median: median.as_ref().map(|median| median[d]),
            weight: v[d] * g[d],
            sd: spread[d].sqrt(),
            relevance: v[d].abs(),
        };
        Some(Unpacked {
            features: names.into_iter().enumerate().map(feature).collect(),
            v,
            g,
            spread,
        })
    }
}

fn doubles(values: &[f64]) -> String {
    shuffled(values.iter().map(|value| value.to_le_bytes()))
}

fn singles(values: &[f64]) -> String {
    shuffled(values.iter().map(|&value| (value as f32).to_le_bytes()))
}

/// In single precision, where that holds all of them.
fn short(values: &[f64]) -> String {
    let holds = |value: &f64| f64::from(*value as f32) == *value;
    match values.iter().all(holds) {
        true => singles(values),
        false => doubles(values),
    }
}

fn read_short(text: &str, count: usize) -> Option<Vec<f64>> {
    read_singles(text, count).or_else(|| read_doubles(text, count))
}

fn shuffled<const BYTES: usize>(numbers: impl Iterator<Item = [u8; BYTES]>) -> String {
    let numbers: Vec<[u8; BYTES]> = numbers.collect();
    let planes = (0..BYTES).flat_map(|byte| numbers.iter().map(move |number| number[byte]));
    deflated(&planes.collect::<Vec<u8>>())
}

fn read_doubles(text: &str, count: usize) -> Option<Vec<f64>> {
    finite(unshuffled(text, count)?.map(f64::from_le_bytes))
}

fn read_singles(text: &str, count: usize) -> Option<Vec<f64>> {
    finite(unshuffled(text, count)?.map(|bytes| f64::from(f32::from_le_bytes(bytes))))
}

fn finite(values: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    values
        .map(|value| value.is_finite().then_some(value))
        .collect()
}

fn unshuffled<const BYTES: usize>(
    text: &str,
    count: usize,
) -> Option<impl Iterator<Item = [u8; BYTES]>> {
    let length = count.checked_mul(BYTES)?;
    let planes = inflated(text, length)?;
    (planes.len() == length).then_some(())?;
    Some((0..count).map(move |i| std::array::from_fn(|byte| planes[byte * count + i])))
}

fn deflated(bytes: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    BASE64_STANDARD.encode(written.unwrap_or_default())
}

/// At most so many bytes come back: what a file claims beyond is damage.
fn inflated(text: &str, most: usize) -> Option<Vec<u8>> {
    let packed = BASE64_STANDARD.decode(text).ok()?;
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(&packed[..]).take(most as u64 + 1);
    decoder.read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}
