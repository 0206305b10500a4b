//! The two ways of managing space in segments, which the experiments set beside each other.

use serde::{Deserialize, Serialize};

/// SEGMENT SPACE MANAGEMENT of a tablespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Management {
    /// Freelists.
    Manual,
    /// Bitmaps.
    Auto,
}

impl Management {
    pub const ALL: [Self; 2] = [Self::Manual, Self::Auto];

    /// As CREATE TABLESPACE has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}
