//! The content of a CREATE statement or an anonymous block.

use std::ops::Range;

use super::{At, Block, Declaration, Expr, Ident, Path, Statement, Subprogram};

#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    /// Where the unit's own text begins: at PROCEDURE, FUNCTION, PACKAGE, TRIGGER; of a block at its first word. The
    /// dictionary keeps the text from here.
    pub at: At,
    /// CREATE OR REPLACE.
    pub or_replace: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum UnitKind {
    /// An anonymous block, labels and all.
    Block(Statement),
    Subprogram(Box<Subprogram>),
    PackageSpecification {
        name: Path,
        invoker_rights: bool,
        declarations: Vec<Declaration>,
    },
    PackageBody {
        name: Path,
        declarations: Vec<Declaration>,
        initialization: Option<Block>,
    },
    Trigger(Box<Trigger>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    pub name: Path,
    pub timing: TriggerTiming,
    /// At least one.
    pub events: Vec<TriggerEvent>,
    pub table: Path,
    pub for_each_row: bool,
    /// REFERENCING OLD AS … NEW AS …; `OLD` and `NEW` where nothing is said.
    pub old: Ident,
    pub new: Ident,
    /// WHEN (…), in which OLD and NEW have no colon.
    pub when: Option<Expr>,
    /// Where its text is.
    pub when_text: Option<Range<At>>,
    /// DISABLE stands in the statement.
    pub disabled: bool,
    pub body: Block,
    pub at: At,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TriggerTiming {
    Before,
    After,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TriggerEvent {
    Insert,
    Delete,
    /// No columns: any.
    Update {
        columns: Vec<Ident>,
    },
}
