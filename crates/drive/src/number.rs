//! Numbers of a model file that are checked where they are read, so that an error has their line.

use serde::{Deserialize, Serialize};

const LEAST: f64 = 1e-6;
const MOST: f64 = 1e12;

/// A number that is not too small or too large for a device: 10^-6 to 10^12.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(f64);

/// Zero to 10^12.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct NotNegative(f64);

/// Zero to N.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct AtMost<const N: u32>(f64);

/// A number of parts: 1 to 1,000,000.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Count(u32);

impl Positive {
    pub const ONE: Self = Self(1.0);

    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl NotNegative {
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<const N: u32> AtMost<N> {
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<const N: u32> From<AtMost<N>> for f64 {
    fn from(number: AtMost<N>) -> Self {
        number.0
    }
}

impl<const N: u32> TryFrom<f64> for AtMost<N> {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (0.0..=f64::from(N)).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("{number} is not within 0 and {N}"))
        }
    }
}

impl Count {
    const MAX: u32 = 1_000_000;

    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl From<Count> for u32 {
    fn from(count: Count) -> Self {
        count.0
    }
}

impl From<Positive> for f64 {
    fn from(number: Positive) -> Self {
        number.0
    }
}

impl From<NotNegative> for f64 {
    fn from(number: NotNegative) -> Self {
        number.0
    }
}

impl TryFrom<f64> for Positive {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (LEAST..=MOST).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("{number} is not within 0.000001 and 10^12"))
        }
    }
}

impl TryFrom<f64> for NotNegative {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (0.0..=MOST).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("{number} is not within 0 and 10^12"))
        }
    }
}

impl TryFrom<u32> for Count {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if (1..=Self::MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("{number} is not within 1 and {}", Self::MAX))
        }
    }
}
