//! State that programs leave in a session: package state, output, attributes of the last SQL statement.

use std::collections::HashMap;
use std::sync::Arc;

use common::sync::Mutex;
use common::{DataType, Error, Result};
use scalar::Datum;

use super::cursor::Orphans;
use super::output::Output;
use crate::compile::types::Type;
use crate::compile::unit::{Link, Unit};
use crate::library::Library;
use crate::value::{ScalarKind, ScalarType, Value};

/// Nesting limit of SQL and programs that call each other.
pub const NESTING_MAX: usize = 32;

/// A unit in a session.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) unit: Arc<Unit>,
    /// Instances of the units it links to, as far as they have been needed.
    pub(crate) links: Vec<Option<usize>>,
    pub(crate) globals: Vec<Value>,
    pub(crate) is_initialized: bool,
    /// The call of the session in which it was last seen to be current.
    pub(crate) seen_in: u64,
}

impl Instance {
    pub(crate) fn new(unit: Arc<Unit>, seen_in: u64) -> Self {
        Self {
            links: vec![None; unit.links.len()],
            globals: vec![Value::Null; unit.globals],
            is_initialized: unit.unit_type != crate::compile::unit::UnitType::Package,
            unit,
            seen_in,
        }
    }
}

/// The attributes SQL%….
#[derive(Debug, Default)]
pub(crate) struct SqlState {
    /// None: no statement yet.
    pub(crate) rows: Option<u64>,
    pub(crate) bulk_rows: Vec<(i64, u64)>,
    /// Index, counted from 1, and code without its sign.
    pub(crate) bulk_errors: Vec<(i64, i64)>,
}

/// The PL/SQL side of a session. It outlives calls.
#[derive(Debug)]
pub struct Session {
    pub(crate) library: Arc<Library>,
    /// Whose names anonymous blocks use.
    pub(crate) schema: Box<str>,
    pub(crate) instances: Vec<Option<Instance>>,
    pub(crate) by_name: HashMap<Link, usize>,
    /// Triggers fired, by name: the call in which each was last seen to be current.
    pub(crate) triggers: HashMap<Box<str>, (u64, Arc<Unit>)>,
    pub(crate) sql: SqlState,
    pub(crate) orphans: Orphans,
    pub(crate) depth: usize,
    /// Counts the calls that come from outside of PL/SQL.
    pub(crate) call: u64,
    pub(crate) dictionary_version: Option<u64>,
    /// Package state is reset when the call ends.
    reset_at_end: bool,
    /// DBMS_OUTPUT.
    pub output: Output,
}

impl Session {
    /// A session that compiles for a schema, and shares its compiled units with others.
    #[must_use]
    pub fn new(library: Arc<Library>, schema: &str) -> Self {
        Self {
            library,
            schema: schema.into(),
            instances: Vec::new(),
            by_name: HashMap::new(),
            triggers: HashMap::new(),
            sql: SqlState::default(),
            orphans: Arc::new(Mutex::new(Vec::new())),
            depth: 0,
            call: 0,
            dictionary_version: None,
            reset_at_end: false,
            output: Output::default(),
        }
    }

    /// Whose names anonymous blocks use.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// ALTER SESSION SET CURRENT_SCHEMA.
    pub fn set_schema(&mut self, schema: &str) {
        self.schema = schema.into();
    }

    /// Resets the state of every package, as DBMS_SESSION.RESET_PACKAGE does. Between calls only.
    pub fn reset_packages(&mut self) {
        if self.depth == 0 {
            self.instances.clear();
            self.by_name.clear();
        }
    }

    /// Forgets the state of every package when the outermost call has ended.
    pub fn reset_packages_at_end(&mut self) {
        self.reset_at_end = true;
    }

    /// The outermost call has ended.
    pub(crate) fn end_call(&mut self) {
        if std::mem::take(&mut self.reset_at_end) {
            self.reset_packages();
        }
    }

    pub(crate) fn add_instance(&mut self, instance: Instance) -> usize {
        match self.instances.iter().position(Option::is_none) {
            Some(free) => {
                self.instances[free] = Some(instance);
                free
            }
            None => {
                self.instances.push(Some(instance));
                self.instances.len() - 1
            }
        }
    }

    pub(crate) fn instance(&mut self, at: usize) -> Result<&mut Instance> {
        self.instances.get_mut(at).and_then(Option::as_mut).ok_or_else(|| Error::bug("a unit's instance is gone"))
    }
}

/// A variable of the caller's that a block names as `:NAME`.
#[derive(Clone, Debug)]
pub struct HostVariable {
    /// Without the colon, in upper case.
    pub name: Box<str>,
    pub data_type: HostType,
    /// In and out. A REF CURSOR's open query comes out as [`Value::Cursor`].
    pub value: Value,
}

/// The type of a host variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HostType {
    Scalar(DataType),
    /// A text or number of any length, as values of EXECUTE IMMEDIATE are.
    Any(scalar::DatumType),
    RefCursor,
}

impl HostType {
    pub(crate) fn as_type(self) -> Type {
        use scalar::DatumType;
        match self {
            Self::Scalar(data_type) => Type::Scalar(ScalarType::from(data_type)),
            Self::Any(DatumType::Number) => Type::NUMBER,
            Self::Any(DatumType::Date) => Type::Scalar(ScalarType::DATE),
            Self::Any(DatumType::Timestamp) => Type::Scalar(ScalarType::TIMESTAMP),
            Self::Any(DatumType::Raw) => Type::Scalar(ScalarType::RAW),
            Self::Any(DatumType::Char) => Type::CHAR,
            Self::Any(DatumType::Varchar2 | DatumType::Rowid | DatumType::Null) => {
                Type::Scalar(ScalarType::from(ScalarKind::Varchar2(None)))
            }
            Self::RefCursor => Type::Cursor(None),
        }
    }
}

/// The event that fires a trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TriggerEvent {
    Insert,
    Delete,
    /// The columns that the UPDATE assigns, in upper case.
    Update(Vec<Box<str>>),
}

/// The row of a row trigger.
#[derive(Debug)]
pub struct TriggerRow<'r> {
    /// Of UPDATE and DELETE.
    pub old: Option<&'r [Datum]>,
    /// Of INSERT and UPDATE. A BEFORE trigger may change it.
    pub new: Option<&'r mut Vec<Datum>>,
}
