//! How a table manages its space: what the arms of the experiment differ in.

use serde::{Deserialize, Serialize};

use crate::management::Management;

/// Management of the tablespace, and FREELISTS of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Setting {
    pub management: Management,
    pub freelists: u16,
}

impl Setting {
    /// The arms of the published test, in its order.
    pub const ARMS: [Self; 4] = [Self::manual(1), Self::manual(5), Self::auto(1), Self::auto(5)];

    /// Freelists.
    #[must_use]
    pub const fn manual(freelists: u16) -> Self {
        Self { management: Management::Manual, freelists }
    }

    /// Bitmaps; FREELISTS is said and not used.
    #[must_use]
    pub const fn auto(freelists: u16) -> Self {
        Self { management: Management::Auto, freelists }
    }

    /// `manual, freelists 5`.
    #[must_use]
    pub fn name(self) -> String {
        format!("{}, freelists {}", self.management.as_str(), self.freelists)
    }

    /// `M5`, for lists.
    #[must_use]
    pub fn short(self) -> String {
        let letter = match self.management {
            Management::Manual => 'M',
            Management::Auto => 'A',
        };
        format!("{letter}{}", self.freelists)
    }

    /// The tablespace of tables so set.
    #[must_use]
    pub fn tablespace(self) -> &'static str {
        match self.management {
            Management::Manual => "assm_manual",
            Management::Auto => "assm_auto",
        }
    }
}
