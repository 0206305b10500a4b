//! NEXTVAL and CURRVAL.
//!
//! A row gets one value of each sequence, however often it names it. So references to a sequence in a select list
//! become a column of a projection below it, and `s.nextval` and `s.currval` are that column. If the row has NEXTVAL,
//! CURRVAL is the row's new value, whichever is written first.
//!
//! They stand in the select list of the statement's own query block, without DISTINCT, ORDER BY, GROUP BY and set
//! operations; in the values of INSERT and of MERGE; on the right of SET. Everywhere else they are ORA-02287.

use common::{Error, Result};
use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use scalar::DatumType;
use sqlparser::ast::Ident;

use super::binder::Binder;
use super::bound::Bound;
use crate::error::from_datafusion;
use crate::functions::rows;
use crate::functions::sequence::{self, Sequence};

/// The binder's place with respect to sequences.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum SequencePlace {
    #[default]
    Refused,
    /// The statement's own query is about to be bound: its select list may name sequences.
    Statement,
    Allowed,
}

/// A sequence that a row names.
#[derive(Clone, Debug)]
pub(crate) struct SequenceUse {
    sequence: Sequence,
    column: String,
    /// NEXTVAL was written, not only CURRVAL.
    next: bool,
}

/// ORA-02287.
pub(crate) fn not_allowed() -> Error {
    Error::user(2287, "sequence number not allowed here")
}

/// The parts before NEXTVAL or CURRVAL, and true for NEXTVAL.
pub(super) fn parts<'p>(idents: &[Ident], parts: &'p [String]) -> Option<(&'p [String], bool)> {
    let (last, name) = parts.split_last()?;
    if idents.last()?.quote_style.is_some() || !(1..=2).contains(&name.len()) {
        return None;
    }
    match last.as_str() {
        "NEXTVAL" => Some((name, true)),
        "CURRVAL" => Some((name, false)),
        _ => None,
    }
}

impl Binder<'_> {
    /// `[owner.]name.NEXTVAL` or `.CURRVAL`.
    pub(super) fn sequence_value(&self, name: &[String], next: bool) -> Result<Bound> {
        let (owner, name) = match name {
            [owner, name] => (Some(owner.as_str()), name),
            [name] => (None, name),
            _ => return Err(Error::bug("a sequence's name of several parts")),
        };
        let sequence = self
            .cx
            .tables
            .sequence(owner, name)?
            .ok_or_else(|| Error::user(2289, format!("sequence does not exist: {name}")))?;
        if self.sequences.get() != SequencePlace::Allowed {
            return Err(not_allowed());
        }
        let mut used = self.sequences_used.borrow_mut();
        let at = used.iter().position(|used| used.sequence.number() == sequence.number()).unwrap_or_else(|| {
            let column = format!("\u{1}SEQUENCE{}", used.len());
            used.push(SequenceUse { sequence, column, next: false });
            used.len() - 1
        });
        used[at].next |= next;
        let mut bound = Bound::new(Expr::Column(Column::new_unqualified(&used[at].column)), DatumType::Number);
        bound.nullable = false;
        Ok(bound)
    }

    /// Binds a statement's query: its select list may name sequences.
    pub(crate) fn statement_query(
        &self,
        query: &sqlparser::ast::Query,
        names: &[String],
    ) -> Result<super::query::BoundQuery> {
        self.sequences.set(SequencePlace::Statement);
        let bound = self.query(query, None, names);
        self.sequences.set(SequencePlace::Refused);
        bound
    }

    /// Runs `work`, in which sequences are allowed, and returns those that it named.
    pub(crate) fn naming_sequences<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<(R, Vec<SequenceUse>)> {
        let before = self.sequences.replace(SequencePlace::Allowed);
        let result = work();
        self.sequences.set(before);
        let used = self.sequences_used.take();
        result.map(|result| (result, used))
    }
}

/// The plan with a column for each sequence that its rows name.
pub(super) fn with_sequences(plan: LogicalPlan, used: Vec<SequenceUse>) -> Result<LogicalPlan> {
    if used.is_empty() {
        return Ok(plan);
    }
    let mut columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    columns.extend(used.into_iter().map(|used| sequence::call(used.sequence, used.next).alias(used.column)));
    LogicalPlanBuilder::new(plan).project(columns).and_then(LogicalPlanBuilder::build).map_err(from_datafusion)
}

/// Takes the values of one row without a plan, and puts them into its expressions.
pub(crate) fn take_values(used: &[SequenceUse], row: &mut [Option<Bound>]) -> Result<()> {
    for used in used {
        let value = rows::to_scalar(&used.sequence.one(used.next)?, DatumType::Number)?;
        for bound in row.iter_mut().flatten() {
            let replaced = bound.expr.clone().transform_up(|node| {
                Ok(match &node {
                    Expr::Column(column) if column.relation.is_none() && column.name == used.column => {
                        Transformed::yes(Expr::Literal(value.clone(), None))
                    }
                    _ => Transformed::no(node),
                })
            });
            bound.expr = replaced.map_err(from_datafusion)?.data;
        }
    }
    Ok(())
}
