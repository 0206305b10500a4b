//! Triggers: their events and their tables.

use std::sync::Arc;

use common::{Error, ObjectNumber};

use super::program::{ProgramDef, ProgramKind};

/// When a trigger fires.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TriggerTiming {
    BeforeStatement,
    BeforeRow,
    AfterStatement,
    AfterRow,
    /// In the place of a change of a view.
    InsteadOf,
}

impl TriggerTiming {
    const ALL: [Self; 5] =
        [Self::BeforeStatement, Self::BeforeRow, Self::AfterStatement, Self::AfterRow, Self::InsteadOf];

    /// TRIGGER$.TYPE#.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|timing| timing.number() == number)
    }

    /// FOR EACH ROW.
    #[must_use]
    pub fn is_row(self) -> bool {
        matches!(self, Self::BeforeRow | Self::AfterRow | Self::InsteadOf)
    }
}

/// The rule that fires a trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriggerRule {
    pub timing: TriggerTiming,
    pub on_insert: bool,
    pub on_update: bool,
    pub on_delete: bool,
    /// UPDATE OF these columns; empty for any.
    pub columns: Vec<String>,
    /// The names of the old and the new row: REFERENCING.
    pub old: String,
    pub new: String,
    /// The condition of WHEN, without its parentheses.
    pub when: Option<String>,
}

/// The definition of a trigger beside its text. It refers to the table by number: the table may be renamed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriggerDef {
    /// The table or view.
    pub base: ObjectNumber,
    pub rule: TriggerRule,
    pub enabled: bool,
}

pub(crate) fn no_trigger(name: &str) -> Error {
    Error::user(4080, format!("trigger '{name}' does not exist"))
}

impl super::Catalog {
    /// The trigger of this name in a schema: triggers have a name space of their own.
    #[must_use]
    pub fn trigger(&self, owner: &str, name: &str) -> Option<&Arc<ProgramDef>> {
        self.program(owner, name, ProgramKind::Trigger)
    }
}
