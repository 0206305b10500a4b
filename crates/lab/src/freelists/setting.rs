//! How a table manages its space: what the arms of the experiment and the points of its sweeps differ in.

use serde::{Deserialize, Serialize};

use super::factor::Factor;
use crate::management::Management;

/// Management of the tablespace, and attributes of the table. Those that the published test leaves alone have Oracle's defaults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Setting {
    pub management: Management,
    pub freelists: u16,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub freelist_groups: u16,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub initrans: u16,
    #[serde(default = "forty", skip_serializing_if = "is_forty")]
    pub pctused: u16,
    /// FREELISTS of an index on the column that is inserted; None: there is no index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_freelists: Option<u16>,
}

pub(crate) const PCTUSED: u16 = 40;

fn one() -> u16 {
    1
}

fn is_one(value: &u16) -> bool {
    *value == 1
}

fn forty() -> u16 {
    PCTUSED
}

fn is_forty(value: &u16) -> bool {
    *value == PCTUSED
}

impl Setting {
    /// The arms of the published test, in its order.
    pub const ARMS: [Self; 4] = [Self::manual(1), Self::manual(5), Self::auto(1), Self::auto(5)];

    const fn of(management: Management, freelists: u16) -> Self {
        Self { management, freelists, freelist_groups: 1, initrans: 1, pctused: PCTUSED, index_freelists: None }
    }

    /// Freelists.
    #[must_use]
    pub const fn manual(freelists: u16) -> Self {
        Self::of(Management::Manual, freelists)
    }

    /// Bitmaps; FREELISTS is said and not used.
    #[must_use]
    pub const fn auto(freelists: u16) -> Self {
        Self::of(Management::Auto, freelists)
    }

    /// Factors beside FREELISTS whose value is not the default, with it.
    pub(crate) fn others(self) -> impl Iterator<Item = (Factor, u16)> {
        let usual = Self::manual(self.freelists);
        let others = Factor::ALL.into_iter().filter(|factor| *factor != Factor::Freelists);
        others.filter_map(move |factor| {
            let value = factor.said(&self).filter(|_| factor.said(&self) != factor.said(&usual))?;
            Some((factor, value))
        })
    }

    /// `manual, freelists 5, INITRANS 10`.
    #[must_use]
    pub fn name(self) -> String {
        let others: String = self.others().map(|(factor, value)| format!(", {} {value}", factor.name())).collect();
        format!("{}, freelists {}{others}", self.management.as_str(), self.freelists)
    }

    /// `M5i10`, for lists.
    #[must_use]
    pub fn short(self) -> String {
        let letter = match self.management {
            Management::Manual => 'M',
            Management::Auto => 'A',
        };
        let others: String = self.others().map(|(factor, value)| format!("{}{value}", factor.short())).collect();
        format!("{letter}{}{others}", self.freelists)
    }

    /// The tablespace of tables so set.
    #[must_use]
    pub fn tablespace(self) -> &'static str {
        match self.management {
            Management::Manual => "assm_manual",
            Management::Auto => "assm_auto",
        }
    }

    /// The statement that makes a table so set. Attributes with their defaults are not written.
    pub(crate) fn create_table(self, name: &str, columns: &str) -> String {
        let usual = Self::manual(self.freelists);
        let mut text = format!("create table {name} ({columns})");
        if self.pctused != usual.pctused {
            text += &format!(" pctused {}", self.pctused);
        }
        if self.initrans != usual.initrans {
            text += &format!(" initrans {}", self.initrans);
        }
        let groups = if self.freelist_groups == usual.freelist_groups {
            String::new()
        } else {
            format!(" freelist groups {}", self.freelist_groups)
        };
        text + &format!(" storage (freelists {}{groups}) tablespace {}", self.freelists, self.tablespace())
    }

    /// The statement that makes the index; None: there is none.
    pub(crate) fn create_index(self, table: &str, column: &str) -> Option<String> {
        let freelists = self.index_freelists?;
        let tablespace = self.tablespace();
        Some(format!(
            "create index {table}_{column} on {table} ({column}) storage (freelists {freelists}) tablespace {tablespace}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_say_what_is_no_default() {
        assert_eq!(
            Setting::manual(5).create_table("t", "x date"),
            "create table t (x date) storage (freelists 5) tablespace assm_manual"
        );
        let mut setting = Setting::auto(1);
        assert_eq!(setting.create_index("t", "x"), None);
        for (factor, value) in Factor::ALL.into_iter().zip([3, 2, 10, 80, 4]) {
            setting = factor.with(setting, value);
        }
        assert_eq!(
            setting.create_table("t", "x date"),
            "create table t (x date) pctused 80 initrans 10 storage (freelists 3 freelist groups 2) tablespace assm_auto"
        );
        assert_eq!(
            setting.create_index("t", "x").unwrap(),
            "create index t_x on t (x) storage (freelists 4) tablespace assm_auto"
        );
        assert_eq!(setting.short(), "A3g2i10u80x4");
        assert_eq!(
            setting.name(),
            "auto, freelists 3, FREELIST GROUPS 2, INITRANS 10, PCTUSED 80, FREELISTS of the index 4"
        );
        let json = serde_json::to_value(Setting::manual(1)).unwrap();
        assert_eq!(json, serde_json::json!({"management": "manual", "freelists": 1}));
        assert_eq!(serde_json::from_value::<Setting>(json).unwrap(), Setting::manual(1));
    }
}
