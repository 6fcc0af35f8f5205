//! How large a model is to be.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which model of a path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// At most three features.
    Compact,
    /// At most 27 features: the fewest that keep most of what the full model tells.
    Balanced,
    /// At most 55 features, chosen by the same rule but to keep nearly all.
    Accurate,
    /// All features: the full posterior itself.
    Full,
    /// This many features.
    Features(usize),
    /// The fewest features that keep this share of what the full model tells.
    Share(f64),
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "compact" => Ok(Self::Compact),
            "balanced" => Ok(Self::Balanced),
            "accurate" => Ok(Self::Accurate),
            "full" => Ok(Self::Full),
            number => match number.parse() {
                Ok(count) if count > 0 => Ok(Self::Features(count)),
                _ => Err("compact, balanced, accurate, full or a number of features from 1"),
            },
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Compact => f.write_str("compact"),
            Self::Balanced => f.write_str("balanced"),
            Self::Accurate => f.write_str("accurate"),
            Self::Full => f.write_str("full"),
            Self::Features(count) => write!(f, "{count}"),
            Self::Share(share) => write!(f, "share {share}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for size in ["compact", "balanced", "accurate", "full", "7"] {
            assert_eq!(size.parse::<Size>().unwrap().to_string(), size);
        }
        assert!("0".parse::<Size>().is_err() && "-1".parse::<Size>().is_err());
    }
}
