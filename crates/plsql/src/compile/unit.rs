//! A compiled unit: code for the interpreter, and the interface for other units.

use std::collections::HashMap;
use std::sync::Arc;

use common::sync::atomic::AtomicU64;
use scalar::{DatumType, Function as ScalarFunction};

use super::op::{Index, Op, Register, Target};
use super::symbol::Symbol;
use crate::ast::{At, Mode};
use crate::exception::ExceptionKey;
use crate::host::{PreparedSql, StatementKey, Viewer};
use crate::value::{ScalarType, Value};

/// Location of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableRoot {
    Register(Register),
    /// In the frame of an enclosing subprogram, so many levels up.
    Outer {
        levels: u16,
        register: Register,
    },
    /// State of a package: of this unit, or of a linked one.
    Global {
        link: Option<u16>,
        slot: Index,
    },
}

/// One step from a variable into a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStep {
    Field(u16),
    /// The subscript is in this register.
    Element(Register),
}

/// A variable or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariablePlace {
    pub root: VariableRoot,
    pub steps: Box<[PathStep]>,
}

/// Handlers of exceptions in a range of a function.
#[derive(Clone, Debug)]
pub struct Handlers {
    /// Instructions guarded.
    pub from: Target,
    pub to: Target,
    /// No exceptions: OTHERS.
    pub choices: Vec<(Vec<ExceptionKey>, Target)>,
    /// Exceptions that are being handled around the block.
    pub depth: u16,
    /// Registers from here on are cleared.
    pub clear_from: Register,
}

/// A subprogram, or the statements of a block, a trigger or a package's initialization.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// As backtraces name it.
    pub name: Box<str>,
    pub parameters: u16,
    pub is_function: bool,
    pub registers: u16,
    /// Nesting depth: 0 for the unit's own subprograms.
    pub level: u16,
    pub ops: Vec<Op>,
    /// Source position of each instruction.
    pub places_in_source: Vec<At>,
    /// The innermost first.
    pub handlers: Vec<Handlers>,
    pub autonomous: bool,
    /// Declared, but its body has not been seen.
    pub is_declared_only: bool,
    /// Its text is in the package's body.
    pub in_body: bool,
}

/// A SQL statement of the unit.
#[derive(Clone, Debug)]
pub struct SqlStatement {
    pub prepared: PreparedSql,
    pub key: StatementKey,
    pub binds: u16,
    pub is_dml: bool,
}

/// The form of a collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectionKind {
    Integers,
    Texts,
    Nested,
    Varray(u32),
}

/// A statement given as text at run time, with its USING clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dynamic {
    pub using: Vec<Mode>,
    /// Number of values that INTO takes; None without INTO.
    pub into: Option<u16>,
    pub bulk: bool,
    /// Number of values that RETURNING INTO takes.
    pub returning: Option<u16>,
    pub key: StatementKey,
}

/// The collection made by BULK COLLECT: of scalars, or of records with these fields.
#[derive(Clone, PartialEq, Debug)]
pub struct BulkShape {
    pub kind: CollectionKind,
    pub fields: Vec<ScalarType>,
}

/// A subprogram whose body is not PL/SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Native {
    /// `PACKAGE.PROGRAM`.
    pub name: Box<str>,
    pub parameters: Vec<(Mode, Option<ScalarType>)>,
    pub result: Option<ScalarType>,
}

/// Another unit whose subprograms or state this one uses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    pub owner: Box<str>,
    pub name: Box<str>,
}

/// An object of the dictionary that the unit was compiled with. When its fingerprint changes, the unit is recompiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    pub owner: Box<str>,
    pub name: Box<str>,
    /// The name in the unit: a synonym, or a name that another object may shadow later.
    pub written: Vec<Box<str>>,
    /// Of the columns of a table, or of the text of a program.
    pub fingerprint: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitType {
    Block,
    Procedure,
    Function,
    /// Specification, and the body when there is one.
    Package,
    Trigger,
    /// A call of a function by a SQL statement.
    SqlCall,
}

/// A host variable that a block names, in order of first appearance.
#[derive(Clone, PartialEq, Debug)]
pub struct HostVariable {
    /// Without the colon.
    pub name: Box<str>,
    pub register: Register,
}

/// The result of compiling.
#[derive(Debug)]
pub struct Unit {
    /// Of a block the schema it runs in.
    pub owner: Box<str>,
    /// Empty for a block.
    pub name: Box<str>,
    pub unit_type: UnitType,
    pub stamp: u64,
    pub body_stamp: Option<u64>,
    pub source: Arc<str>,
    pub body_source: Option<Arc<str>>,
    /// Function 0 is the block's, the trigger's or the package's initialization; of a procedure or function itself.
    pub functions: Vec<Function>,
    /// Package state: so many variables.
    pub globals: usize,
    pub constants: Vec<Value>,
    pub places: Vec<VariablePlace>,
    pub scalar_types: Vec<ScalarType>,
    pub scalar_functions: Vec<(&'static ScalarFunction, DatumType)>,
    pub collection_kinds: Vec<CollectionKind>,
    pub statements: Vec<SqlStatement>,
    pub dynamics: Vec<Dynamic>,
    pub shapes: Vec<BulkShape>,
    pub natives: Vec<Native>,
    pub exceptions: Vec<(ExceptionKey, Box<str>)>,
    pub sequences: Vec<(Box<str>, Box<str>)>,
    pub links: Vec<Link>,
    pub dependencies: Vec<Dependency>,
    /// AUTHID CURRENT_USER.
    pub invoker_rights: bool,
    /// The version of the dictionary in which the dependencies were last found unchanged, plus one; 0 for none.
    pub(crate) current_in: AtomicU64,
    pub host_variables: Vec<HostVariable>,
    /// Names that other units may use.
    pub exports: HashMap<Box<str>, Vec<Symbol>>,
    /// Trigger: whether WHEN guards it is compiled into the function.
    pub trigger: Option<TriggerFrame>,
    /// A package with initialization code.
    pub has_state: bool,
}

/// The registers a trigger's function finds its row in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriggerFrame {
    pub columns: u16,
    pub row: bool,
    pub before: bool,
}

/// Registers of a trigger's function.
pub mod trigger_registers {
    use super::Register;

    pub const OLD: Register = 0;
    pub const NEW: Register = 1;
    pub const INSERTING: Register = 2;
    pub const UPDATING: Register = 3;
    pub const DELETING: Register = 4;
    /// The set of columns that an UPDATE assigns.
    pub const COLUMNS: Register = 5;
    pub const COUNT: Register = 6;
}

impl Unit {
    /// The viewer for which the unit's names are resolved.
    #[must_use]
    pub fn viewer(&self) -> Viewer<'_> {
        match self.unit_type {
            UnitType::Block | UnitType::SqlCall => Viewer::Session(&self.owner),
            _ => Viewer::Owner(&self.owner),
        }
    }

    /// True: definer's rights (AUTHID DEFINER). False: invoker's rights.
    #[must_use]
    pub fn has_own_rights(&self) -> bool {
        !self.invoker_rights && !matches!(self.unit_type, UnitType::Block | UnitType::SqlCall)
    }

    /// The line of a place of a function's source, counted from 1.
    #[must_use]
    pub fn line(&self, function: usize, at: At) -> usize {
        let source = match &self.body_source {
            Some(body) if self.functions.get(function).is_some_and(|function| function.in_body) => body,
            _ => &self.source,
        };
        line_and_column(source, at).0
    }
}

/// Line and column of a byte offset, both counted from 1.
#[must_use]
pub fn line_and_column(source: &str, at: At) -> (usize, usize) {
    let before = &source.as_bytes()[..(at as usize).min(source.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    (line, before.len() - start + 1)
}
