//! The two ways of managing space in segments, which the experiments set beside each other.

use crate::experiment::factor::{Factor, Role, Values};
use crate::experiment::setting::Setting;

/// SEGMENT SPACE MANAGEMENT of a tablespace, as CREATE TABLESPACE has it: freelists, then bitmaps.
pub static MANAGEMENT: Factor = Factor {
    role: Role::Line,
    words: |value| if value == 0 { "manual".to_owned() } else { "auto".to_owned() },
    why: "Freelists keep the room of a segment in linked lists, bitmaps in blocks of bits",
    ..Factor::number("management", "segment space management", Values::Words(&["manual", "auto"]), Some(0))
};

/// Bitmaps manage the space.
#[must_use]
pub fn is_auto(setting: &Setting) -> bool {
    setting.number(&MANAGEMENT) != 0
}
