//! Space management of a table: the differences between the arms of the experiment, and between the points of its
//! sweeps.

use format::freelist::freelists_max;
use format::itl::slots_max;

use crate::experiment::factor::{Factor, Role, Shown, Values};
use crate::experiment::setting::Setting;
use crate::management::{MANAGEMENT, is_auto};

/// Bytes of the blocks in which the tables are.
const BLOCK_BYTES: usize = 8192;
const LISTS: Values = Values::Range(1, freelists_max(BLOCK_BYTES) as u32);

/// Bitmaps take no notice of it.
const fn of_freelists(factor: Factor) -> Factor {
    Factor { counts: |setting| !is_auto(setting), ..factor }
}

pub static FREELISTS: Factor = of_freelists(Factor {
    words: |value| format!("freelists {value}"),
    why: "Sessions that share a list insert into the same block",
    ..Factor::number("freelists", "FREELISTS", LISTS, Some(1))
});

/// Each group has a block of its own in the first extent; 100 are more than any sessions here use.
pub static FREELIST_GROUPS: Factor = of_freelists(Factor {
    short: "g",
    shown: Shown::Changed,
    words: |value| format!("FREELIST GROUPS {value}"),
    why: "Each group has a header block of its own, so the segment header is no longer shared",
    ..Factor::number("freelist_groups", "FREELIST GROUPS", Values::Range(1, 100), Some(1))
});

pub static INITRANS: Factor = Factor {
    short: "i",
    shown: Shown::Changed,
    words: |value| format!("INITRANS {value}"),
    why: "Slots for transactions that a block has from the beginning",
    ..Factor::number("initrans", "INITRANS", Values::Range(1, slots_max(BLOCK_BYTES) as u32), Some(1))
};

/// PCTFREE is 10.
pub static PCTUSED: Factor = of_freelists(Factor {
    short: "u",
    shown: Shown::Changed,
    unit: "%",
    words: |value| format!("PCTUSED {value}"),
    why: "A block comes back to its list when less than that is used",
    ..Factor::number("pctused", "PCTUSED", Values::Range(0, 90), Some(40))
});

/// Without a value there is no index.
pub static INDEX_FREELISTS: Factor = of_freelists(Factor {
    short: "x",
    shown: Shown::Changed,
    words: |value| format!("FREELISTS of the index {value}"),
    ignored: "an index",
    why: "All sessions insert at the right edge of an index on an ever-increasing value",
    ..Factor::number("index_freelists", "FREELISTS of the index", LISTS, None)
});

/// As many jobs may run at once as JOB_QUEUE_PROCESSES can be.
pub static SESSIONS: Factor = Factor {
    short: "x",
    shown: Shown::Apart,
    role: Role::Crossed,
    words: |value| if value == 1 { "1 session".to_owned() } else { format!("{value} sessions") },
    why: "Sessions that insert at once",
    ..Factor::number("sessions", "sessions", Values::Range(1, 1_000), Some(5))
};

pub static FACTORS: [&Factor; 7] =
    [&MANAGEMENT, &FREELISTS, &FREELIST_GROUPS, &INITRANS, &PCTUSED, &INDEX_FREELISTS, &SESSIONS];

/// Under freelists; other factors at their defaults.
#[must_use]
pub fn manual(freelists: u32) -> Setting {
    Setting::new(&FACTORS).with(&FREELISTS, freelists)
}

/// Under bitmaps; FREELISTS is said and not used.
#[must_use]
pub fn auto(freelists: u32) -> Setting {
    manual(freelists).with(&MANAGEMENT, 1)
}

/// The arms of the published test, in its order.
#[must_use]
pub fn arms() -> Vec<Setting> {
    vec![manual(1), manual(5), auto(1), auto(5)]
}

/// The tablespace of tables so set.
pub(crate) fn tablespace(setting: Setting) -> String {
    format!("assm_{}", setting.word(&MANAGEMENT))
}

/// The statement that makes a table so set. Attributes with their defaults are not written.
pub(crate) fn create_table(setting: Setting, name: &str, columns: &str) -> String {
    let attribute = |factor: &Factor, words: &str| match setting.value(factor) {
        value if value == factor.default => String::new(),
        _ => format!(" {words} {}", setting.number(factor)),
    };
    format!(
        "create table {name} ({columns}){}{} storage (freelists {}{}) tablespace {}",
        attribute(&PCTUSED, "pctused"),
        attribute(&INITRANS, "initrans"),
        setting.number(&FREELISTS),
        attribute(&FREELIST_GROUPS, "freelist groups"),
        tablespace(setting)
    )
}

/// The statement that makes the index; None without one.
pub(crate) fn create_index(setting: Setting, table: &str, column: &str) -> Option<String> {
    let (freelists, tablespace) = (setting.value(&INDEX_FREELISTS)?, tablespace(setting));
    Some(format!(
        "create index {table}_{column} on {table} ({column}) storage (freelists {freelists}) tablespace {tablespace}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_say_what_is_no_default() {
        assert_eq!(
            create_table(manual(5), "t", "x date"),
            "create table t (x date) storage (freelists 5) tablespace assm_manual"
        );
        let mut setting = auto(1);
        assert_eq!(create_index(setting, "t", "x"), None);
        for (factor, value) in FACTORS.into_iter().skip(1).zip([3, 2, 10, 80, 4]) {
            setting = setting.with(factor, value);
        }
        assert_eq!(
            create_table(setting, "t", "x date"),
            "create table t (x date) pctused 80 initrans 10 storage (freelists 3 freelist groups 2) tablespace assm_auto"
        );
        assert_eq!(
            create_index(setting, "t", "x").unwrap(),
            "create index t_x on t (x) storage (freelists 4) tablespace assm_auto"
        );
        assert_eq!(setting.short(), "A3g2i10u80x4");
        assert_eq!(
            setting.name(),
            "auto, freelists 3, FREELIST GROUPS 2, INITRANS 10, PCTUSED 80, FREELISTS of the index 4"
        );
        assert_eq!(setting.label(), "auto, INITRANS 10, an index");
        let json = serde_json::to_value(manual(1)).unwrap();
        assert_eq!(json, serde_json::json!({"management": "manual", "freelists": 1}));
    }
}
