//! Definitions of constraints.

use std::fmt;

use common::ObjectNumber;

use super::table::TableDef;

/// CDEF$.TYPE#.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstraintKind {
    Check,
    PrimaryKey,
    Unique,
    ForeignKey,
    NotNull,
}

impl ConstraintKind {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Check => 1,
            Self::PrimaryKey => 2,
            Self::Unique => 3,
            Self::ForeignKey => 4,
            Self::NotNull => 7,
        }
    }

    pub(crate) const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Check,
            2 => Self::PrimaryKey,
            3 => Self::Unique,
            4 => Self::ForeignKey,
            7 => Self::NotNull,
            _ => return None,
        })
    }

    /// CONSTRAINT_TYPE of the dictionary views. NOT NULL is a check there.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Check | Self::NotNull => "C",
            Self::PrimaryKey => "P",
            Self::Unique => "U",
            Self::ForeignKey => "R",
        }
    }

    /// A primary or unique key: an index enforces it, and foreign keys may refer to it.
    #[must_use]
    pub const fn is_key(self) -> bool {
        matches!(self, Self::PrimaryKey | Self::Unique)
    }
}

/// Action on child rows when their parent row is deleted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnDelete {
    /// Refuses the delete of the parent row: ORA-02292.
    #[default]
    NoAction,
    Cascade,
    SetNull,
}

impl OnDelete {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::NoAction => 0,
            Self::Cascade => 1,
            Self::SetNull => 2,
        }
    }

    pub(crate) const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::NoAction,
            1 => Self::Cascade,
            2 => Self::SetNull,
            _ => return None,
        })
    }

    /// DELETE_RULE of the dictionary views.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
        }
    }
}

/// The key that a foreign key refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    pub table: ObjectNumber,
    /// The number of the key's constraint.
    pub key: u32,
    /// The key's columns, positions in the parent table.
    pub columns: Vec<u16>,
    pub on_delete: OnDelete,
}

/// The state of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstraintState {
    pub enabled: bool,
    /// Every existing row has been found to satisfy it.
    pub validated: bool,
    pub deferrable: bool,
    /// INITIALLY DEFERRED: checked at the end of the transaction, unless SET CONSTRAINTS says otherwise.
    pub deferred: bool,
}

impl Default for ConstraintState {
    fn default() -> Self {
        Self { enabled: true, validated: true, deferrable: false, deferred: false }
    }
}

/// A constraint.
#[derive(Clone, PartialEq, Eq)]
pub struct ConstraintDef {
    /// CON#.
    pub number: u32,
    pub owner: String,
    pub name: String,
    /// The name was made up: `SYS_Cnnnnnn`.
    pub generated: bool,
    pub kind: ConstraintKind,
    pub table: ObjectNumber,
    /// Positions in the table's columns: of a key and a foreign key in its order; of a check those that its condition
    /// names.
    pub columns: Vec<u16>,
    /// The text of a check's condition.
    pub condition: Option<String>,
    /// The index that enforces a key, while it is enabled.
    pub index: Option<ObjectNumber>,
    /// The index was made for this key and goes with it.
    pub own_index: bool,
    pub reference: Option<Reference>,
    pub state: ConstraintState,
    /// Wall time, microseconds since 1970.
    pub changed_us: u64,
}

impl ConstraintDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }

    /// True: it forbids NULL in this column, as NOT NULL and PRIMARY KEY do.
    #[must_use]
    pub fn forbids_null(&self, column: usize) -> bool {
        matches!(self.kind, ConstraintKind::NotNull | ConstraintKind::PrimaryKey)
            && self.columns.iter().any(|position| usize::from(*position) == column)
    }
}

impl fmt::Debug for ConstraintDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConstraintDef({} {:?} {})", self.number, self.kind, self.qualified_name())
    }
}

impl TableDef {
    /// True: new and changed rows must have a value in this column. `nullable` does not say this: existing rows may
    /// lack a value when a constraint is enabled but not validated.
    #[must_use]
    pub fn refuses_null(&self, column: usize) -> bool {
        !self.columns[column].nullable
            || self.constraints.iter().any(|constraint| constraint.state.enabled && constraint.forbids_null(column))
    }

    /// The table's constraint of this name.
    #[must_use]
    pub fn constraint(&self, name: &str) -> Option<&std::sync::Arc<ConstraintDef>> {
        self.constraints.iter().find(|constraint| constraint.name == name)
    }

    /// The table's primary key.
    #[must_use]
    pub fn primary_key(&self) -> Option<&std::sync::Arc<ConstraintDef>> {
        self.constraints.iter().find(|constraint| constraint.kind == ConstraintKind::PrimaryKey)
    }
}
