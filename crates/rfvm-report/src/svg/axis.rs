//! Axes: from values to places, and where the ticks go.

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) range: Option<(f64, f64)>,
    log: bool,
    percent: bool,
    ticks: Option<Vec<(f64, String)>>,
}

impl Axis {
    /// A linear axis over whatever the data cover.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            range: None,
            log: false,
            percent: false,
            ticks: None,
        }
    }

    /// From here to there, whatever the data cover.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Logarithmic; values must be above zero.
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }

    /// Ticks as percentages of one.
    pub fn percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// These ticks and no others.
    pub fn ticks(mut self, ticks: Vec<(f64, String)>) -> Self {
        self.ticks = Some(ticks);
        self
    }

    /// The axis between two places, wide enough for the data.
    pub(crate) fn place(&self, data: impl Iterator<Item = f64>, from: f64, to: f64) -> Placed {
        let usable = |v: &f64| v.is_finite() && (!self.log || *v > 0.0);
        let (low, high) = self.range.unwrap_or_else(|| {
            let found = data
                .filter(usable)
                .fold(None, |found: Option<(f64, f64)>, v| {
                    Some(found.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
                });
            padded(
                found.unwrap_or((if self.log { 1.0 } else { 0.0 }, 1.0)),
                self.log,
            )
        });
        let mut placed = Placed {
            low: if self.log { low.ln() } else { low },
            high: if self.log { high.ln() } else { high },
            log: self.log,
            from,
            to,
            ticks: Vec::new(),
        };
        placed.ticks = match &self.ticks {
            Some(ticks) => ticks.clone(),
            None if self.log => log_ticks(low, high),
            None => linear_ticks(low, high, self.percent),
        };
        placed
    }
}

/// Room at both ends, and some width where all values are the same.
fn padded((low, high): (f64, f64), log: bool) -> (f64, f64) {
    if log {
        let (low, high) = (low.ln(), high.ln().max(low.ln() + 0.5));
        let pad = 0.04 * (high - low);
        return ((low - pad).exp(), (high + pad).exp());
    }
    let width = if high > low {
        high - low
    } else {
        low.abs().max(1.0) * 0.2
    };
    (low - 0.06 * width, high + 0.06 * width)
}

fn linear_ticks(low: f64, high: f64, percent: bool) -> Vec<(f64, String)> {
    let width = high - low;
    if width.is_nan() || width <= 0.0 {
        return Vec::new();
    }
    let rough = width / 5.0;
    let unit = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|f| f * unit >= rough * 0.999);
    let step = unit * factor.unwrap_or(10.0);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    let digits = if percent {
        -(step * 100.0).log10()
    } else {
        -step.log10()
    };
    let digits = digits.ceil().max(0.0) as usize;
    let word = |v: f64| match percent {
        true => format!("{:.digits$} %", 100.0 * v),
        false => format!("{v:.digits$}"),
    };
    let ticks = (first..=last).map(|i| i as f64 * step);
    // No "-0".
    ticks
        .map(|v| (v, word(if v == 0.0 { 0.0 } else { v })))
        .collect()
}

fn log_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let wide = high / low > 300.0;
    let steps: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let all = decades.flat_map(|decade| steps.iter().map(move |s| s * 10f64.powi(decade)));
    all.filter(|v| (low * 0.999..=high * 1.001).contains(v))
        .map(|v| (v, short(v)))
        .collect()
}

/// A number in few characters.
pub(crate) fn short(v: f64) -> String {
    match v.abs() {
        0.0 => "0".to_string(),
        a if !(1e-3..1e6).contains(&a) => format!("{v:.0e}"),
        a if a >= 100.0 => format!("{v:.0}"),
        _ => {
            let text = format!("{v:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

/// An axis that knows its places.
pub(crate) struct Placed {
    low: f64,
    high: f64,
    log: bool,
    pub(crate) from: f64,
    to: f64,
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Placed {
    /// The place of a value, at most a little outside the axis.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let v = if self.log { value.ln() } else { value };
        let share = ((v - self.low) / (self.high - self.low)).clamp(-0.02, 1.02);
        self.from + share * (self.to - self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            words(linear_ticks(0.0, 1.0, false)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            words(linear_ticks(-0.3, 0.31, false)),
            ["-0.2", "0.0", "0.2"]
        );
        assert_eq!(
            words(linear_ticks(0.0, 0.5, true)),
            ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"]
        );
        assert_eq!(
            words(log_ticks(1.0, 89.0)),
            ["1", "2", "5", "10", "20", "50"]
        );
        assert!(linear_ticks(1.0, 1.0, false).is_empty());
    }

    #[test]
    fn values_find_their_place_and_strays_stay_near() {
        let axis = Axis::new("x")
            .range(0.0, 10.0)
            .place([].into_iter(), 100.0, 200.0);
        assert_eq!(axis.at(5.0), 150.0);
        assert_eq!(axis.at(1e9), 202.0);
        let log = Axis::new("x")
            .log()
            .range(1.0, 100.0)
            .place([].into_iter(), 0.0, 100.0);
        assert!((log.at(10.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn equal_values_and_none_still_have_an_axis() {
        for data in [vec![], vec![3.0], vec![f64::NAN]] {
            let axis = Axis::new("x").place(data.into_iter(), 0.0, 1.0);
            assert!(axis.at(3.0).is_finite() && !axis.ticks.is_empty());
        }
    }

    #[test]
    fn short_numbers() {
        assert_eq!(
            [0.0, 0.5, 12.25, 1234.0, 2e7].map(short),
            ["0", "0.5", "12.25", "1234", "2e7"]
        );
    }
}
