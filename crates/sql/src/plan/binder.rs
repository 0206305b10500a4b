//! The binder: from Oracle's syntax tree to DataFusion's logical plan, with every name resolved and every type known.
//!
//! It takes the place of DataFusion's own SQL planner, which drops in silence syntax that it does not know (CONNECT BY,
//! FOR UPDATE, hints …) and has other rules for names, types and NULL. Here each part of the tree is matched by name;
//! unsupported parts are refused with HW-0001. A plan is made for one execution: bind values, SYSDATE and the session's
//! formats are literals in it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::catalog::TableProvider;
use plsql::compile::sql_call::CallArgument;
use scalar::Context;
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::bound::Bound;
use super::hints::Hints;
use super::query::BoundQuery;
use super::sequence::{SequencePlace, SequenceUse};
use crate::explain::function::Argument;
use crate::functions::program::Program;
use crate::functions::sequence::Sequence;

/// A column of a table for the binder.
#[derive(Clone, Debug)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
    /// ROWID: found by name, not by `*`.
    pub(crate) pseudo: bool,
}

/// A table or view that a FROM clause names.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) owner: String,
    /// One a field of the provider's schema or an output of the query, in its order.
    pub(crate) columns: Vec<TableColumn>,
    pub(crate) source: Source,
}

/// Source of a relation's rows.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Provider(Arc<dyn TableProvider>),
    /// The query of a view.
    Query(Box<BoundQuery>),
}

/// Name resolution for the binder.
pub(crate) trait Tables: fmt::Debug + Send + Sync {
    /// The table or view of this name; without an owner, in the current user's name resolution. None when there is
    /// none.
    ///
    /// # Errors
    /// When the dictionary cannot be read.
    fn relation(&self, owner: Option<&str>, name: &str, hints: &Hints) -> Result<Option<Relation>>;

    /// The sequence of this name, resolved as in `relation`.
    ///
    /// # Errors
    /// When the user may not take values of it.
    fn sequence(&self, owner: Option<&str>, name: &str) -> Result<Option<Sequence>>;

    /// Checks for a cancel of the call.
    ///
    /// # Errors
    /// ORA-01013, or the error of a killed session.
    fn check_cancelled(&self) -> Result<()> {
        Ok(())
    }

    /// True: the name is that of a stored or supplied program.
    fn is_program(&self, path: &[String]) -> bool {
        let _ = path;
        false
    }

    /// The rows of a function in FROM. None when there is no such function.
    ///
    /// # Errors
    /// When it exists and does not take these arguments.
    fn table_function(&self, path: &[String], arguments: &[Argument]) -> Result<Option<Relation>> {
        let _ = (path, arguments);
        Ok(None)
    }

    /// The PL/SQL function of this name for these arguments. None when there is none that the user may execute.
    ///
    /// # Errors
    /// When it exists and SQL cannot call it with these arguments.
    fn program(&self, path: &[String], arguments: Vec<CallArgument>) -> Result<Option<Program>> {
        let _ = (path, arguments);
        Ok(None)
    }
}

/// Nesting depth of aggregates: `max(count(*))`.
pub(crate) const AGGREGATES_NESTED_MAX: u8 = 2;

/// A bind variable's value.
pub(crate) type BindValue = (String, Bound);

/// The environment of binding a statement.
#[derive(Debug)]
pub(crate) struct BindContext<'a> {
    pub(crate) tables: &'a dyn Tables,
    pub(crate) context: Arc<dyn Context>,
    /// The statement, for positions of errors.
    pub(crate) text: &'a str,
    /// By name, without the colon, upper-cased.
    pub(crate) variables: &'a [BindValue],
}

/// A query of the WITH clause.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) query: BoundQuery,
}

#[derive(Debug)]
pub(crate) struct Binder<'a> {
    pub(crate) cx: &'a BindContext<'a>,
    /// Offset of the text in the whole statement, in bytes: behind AS in CREATE TABLE.
    pub(crate) base: Cell<usize>,
    pub(crate) named: RefCell<Vec<Named>>,
    /// The queries of WITH being bound, outermost first, and whether their columns are named.
    pub(crate) defining: RefCell<Vec<(String, bool)>>,
    /// Tables marked by `(+)`, while a condition is bound.
    pub(crate) outer_marks: RefCell<Vec<String>>,
    /// True: ROWNUM occurs in the block being bound.
    pub(crate) rownum_used: Cell<bool>,
    /// True: ROWNUM is allowed at this place: among the rows of a query block, or of an UPDATE.
    pub(crate) rownum_allowed: Cell<bool>,
    /// Levels of aggregates still allowed at this place: window functions are allowed where it is all of them.
    pub(crate) aggregates_allowed: Cell<u8>,
    /// The rule for NEXTVAL and CURRVAL at this place.
    pub(crate) sequences: Cell<SequencePlace>,
    /// The sequences in the select list being bound.
    pub(crate) sequences_used: RefCell<Vec<SequenceUse>>,
    /// The columns of each `*` of a select list, with its range in the text.
    pub(crate) wildcards: RefCell<Vec<(Range<usize>, String)>>,
    /// True: programs may not be called at this place: expressions that the dictionary keeps for later rows.
    pub(crate) programs_refused: Cell<bool>,
    unique: Cell<u32>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(cx: &'a BindContext<'a>) -> Self {
        Self {
            cx,
            base: Cell::new(0),
            named: RefCell::default(),
            defining: RefCell::default(),
            outer_marks: RefCell::default(),
            rownum_used: Cell::new(false),
            rownum_allowed: Cell::new(false),
            aggregates_allowed: Cell::new(0),
            sequences: Cell::default(),
            sequences_used: RefCell::default(),
            wildcards: RefCell::default(),
            programs_refused: Cell::new(false),
            unique: Cell::new(0),
        }
    }

    /// For DEFAULT and CHECK.
    pub(crate) fn without_programs(&self) -> &Self {
        self.programs_refused.set(true);
        self
    }

    pub(crate) fn context(&self) -> &Arc<dyn Context> {
        &self.cx.context
    }

    /// A name that no user can write.
    pub(crate) fn unique_name(&self, stem: &str) -> String {
        self.unique.set(self.unique.get() + 1);
        format!("{stem}\u{1}{}", self.unique.get())
    }
}

/// A name as the dictionary spells it: upper case unless quoted.
pub(crate) fn fold(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_uppercase() }
}

/// The parts of a dotted name, folded.
pub(crate) fn fold_name(name: &ObjectName) -> Result<Vec<String>> {
    name.0
        .iter()
        .map(|part| match part {
            ObjectNamePart::Identifier(ident) => Ok(fold(ident)),
            other @ ObjectNamePart::Function(_) => Err(Error::unsupported(format!("name {other}"))),
        })
        .collect()
}

/// Owner and name from a dotted name of one or two parts.
pub(crate) fn owner_and_name(name: &ObjectName) -> Result<(Option<String>, String)> {
    let mut parts = fold_name(name)?;
    let last = parts.pop().ok_or_else(|| Error::user(903, "invalid table name"))?;
    match parts.len() {
        0 => Ok((None, last)),
        1 => Ok((parts.pop(), last)),
        _ => Err(Error::unsupported(format!("table name of three parts: {name}"))),
    }
}
