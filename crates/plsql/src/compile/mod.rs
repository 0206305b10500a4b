//! From syntax tree to instructions.
//!
//! One pass in the order of the text: a declaration is visible from its position on. Each subprogram becomes a function
//! of the unit; a nested one reaches the variables of enclosing ones through their frames. The host resolves each name
//! from outside of the program once, and the name is recorded as a dependency.

pub mod call;
pub mod collect;
pub mod condition;
pub mod convert;
pub mod cursor;
pub mod declare;
pub mod dynamic;
pub mod emit;
pub mod entry;
pub mod error;
pub mod expression;
pub mod function;
pub mod loops;
pub mod names;
pub mod op;
pub mod place;
pub mod sql;
pub mod sql_call;
pub mod sql_text;
pub mod statement;
pub mod subprogram;
pub mod symbol;
pub mod type_name;
pub mod types;
pub mod unit;

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::At;
use crate::error::{Fault, Number};
use crate::host::{Host, Object};
use crate::library::Library;
use emit::FunctionState;
use symbol::Symbol;
use unit::Unit;

/// Names declared together: of a block, a subprogram, a package.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) names: HashMap<Box<str>, Vec<Symbol>>,
    /// `LABEL.NAME`: labels of a block, the name of a subprogram or package.
    pub(crate) labels: Vec<Box<str>>,
}

/// A unit that this one uses.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) unit: Arc<Unit>,
    /// None for the supplied packages, which have no state.
    pub(crate) link: Option<u16>,
}

pub(crate) struct Compiler<'a> {
    pub(crate) host: &'a mut dyn Host,
    pub(crate) library: &'a Library,
    pub(crate) unit: Unit,
    pub(crate) scopes: Vec<Scope>,
    /// Functions being compiled: the innermost last.
    pub(crate) states: Vec<FunctionState>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) imports: HashMap<(Box<str>, Box<str>), Import>,
    pub(crate) resolved: HashMap<Vec<Box<str>>, Option<(Object, usize)>>,
    /// Bind variables may be named: blocks and triggers.
    pub(crate) binds_allowed: bool,
    /// The body of a package is being compiled.
    pub(crate) in_body: bool,
    /// A supplied package: the host implements declarations without a body.
    pub(crate) is_supplied: bool,
    /// Only what other units need to know.
    pub(crate) interface_only: bool,
    pub(crate) depth: usize,
    pub(crate) next_context: u32,
}

impl Compiler<'_> {
    pub(crate) fn report(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Reports the consequence of an error: the statement, declaration or SQL statement that is ignored.
    pub(crate) fn report_ignored(&mut self, at: At, what: &str) {
        self.faults.push(Fault { at, number: Number::Plain, text: format!("{what} ignored") });
    }
}
