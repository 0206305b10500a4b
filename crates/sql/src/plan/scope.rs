//! Name scopes of expressions: the columns of the own FROM clause, then those of the enclosing queries.

use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::{DataType, Error, Result};
use datafusion::arrow::datatypes::Field;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::Expr;
use scalar::DatumType;

use super::bound::Bound;
use crate::subquery::with_scope;
use crate::types::ArrowForm;

/// A column in scope.
#[derive(Clone, Debug)]
pub(crate) struct ScopeColumn {
    /// The alias, or the table's name.
    pub(crate) table: Option<String>,
    /// The schema, when the table has no alias.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    /// The planner's name.
    pub(crate) column: Column,
    pub(crate) kind: DatumType,
    pub(crate) declared: DataType,
    /// The declared type is a column's own, not an estimate.
    pub(crate) exact: bool,
    pub(crate) nullable: bool,
    /// ROWID and LEVEL: found by name, not by `*`.
    pub(crate) pseudo: bool,
    /// One of the two columns merged by JOIN … USING or NATURAL JOIN: found by `table.*` only.
    pub(crate) merged: Merged,
}

/// The merge of a column with another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Merged {
    #[default]
    No,
    Using,
    Natural,
}

impl ScopeColumn {
    pub(crate) fn bound(&self) -> Bound {
        let mut bound = Bound::new(Expr::Column(self.column.clone()), self.kind);
        if let DataType::Varchar2 { bytes } | DataType::Char { bytes } | DataType::Raw { bytes } = self.declared {
            bound.bytes = u32::from(bytes);
        }
        bound.declared = self.exact.then_some(self.declared);
        bound.nullable = self.nullable;
        // A literal in the select list of a query in FROM is a CHAR, as everywhere.
        bound.text_literal =
            !self.exact && self.kind == DatumType::Varchar2 && matches!(self.declared, DataType::Char { .. });
        bound
    }

    fn outer(&self, scope: u64) -> Bound {
        let field = Arc::new(with_scope(Field::new(&self.column.name, self.kind.arrow(), true), scope));
        Bound { expr: Expr::OuterReferenceColumn(field, self.column.clone()), ..self.bound() }
    }
}

/// The columns of a FROM clause, and the scope around it.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// Unique number of the scope, which references to its columns carry.
    pub(crate) number: u64,
    pub(crate) columns: Vec<ScopeColumn>,
    pub(crate) parent: Option<&'a Scope<'a>>,
    /// Names of the select list with their values, which unqualified names in ORDER BY find before columns.
    aliases: Vec<(String, Bound)>,
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Self::under(None)
    }
}

impl<'a> Scope<'a> {
    pub(crate) fn under(parent: Option<&'a Scope<'a>>) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self { number: LAST.fetch_add(1, Ordering::Relaxed) + 1, columns: Vec::new(), parent, aliases: Vec::new() }
    }

    /// A scope of these columns without an enclosing one.
    pub(crate) fn of(columns: Vec<ScopeColumn>) -> Self {
        Self { columns, ..Self::under(None) }
    }

    /// The same for ORDER BY beside a select list with these names.
    pub(crate) fn with_aliases(&self, aliases: Vec<(String, Bound)>) -> Self {
        Self { number: self.number, columns: self.columns.clone(), parent: self.parent, aliases }
    }

    /// The same for the arguments of an aggregate or a window: there columns come first, and items that contain such a
    /// function have no name. None where that makes no difference.
    pub(crate) fn inside_aggregate(&self) -> Option<Self> {
        if self.aliases.is_empty() {
            return None;
        }
        let over_rows = |node: &Expr| Ok(matches!(node, Expr::AggregateFunction(_) | Expr::WindowFunction(_)));
        let visible = |(name, bound): &&(String, Bound)| {
            !self.columns.iter().any(|column| column.name == *name) && !bound.expr.exists(over_rows).unwrap_or(true)
        };
        Some(self.with_aliases(self.aliases.iter().filter(visible).cloned().collect()))
    }

    /// The value of this name in the select list.
    ///
    /// # Errors
    /// ORA-00960 when the name occurs more than once.
    fn alias(&self, parts: &[String]) -> Result<Option<Bound>> {
        let [name] = parts else { return Ok(None) };
        let mut named = self.aliases.iter().filter(|(alias, _)| alias == name).map(|(_, bound)| bound);
        let Some(first) = named.next() else { return Ok(None) };
        if named.any(|other| other.expr != first.expr) {
            return Err(Error::user(960, format!("ambiguous column naming in select list: {name}")));
        }
        Ok(Some(first.clone()))
    }

    /// The column with this name, `table.name` or `owner.table.name`, here or in an enclosing scope; None when there is
    /// none.
    pub(crate) fn resolve(&self, parts: &[String]) -> Result<Option<Bound>> {
        if let Some(value) = self.alias(parts)? {
            return Ok(Some(value));
        }
        if let Some(column) = self.find(parts)? {
            return Ok(Some(column.bound()));
        }
        let mut scope = self.parent;
        while let Some(outer) = scope {
            if let Some(column) = outer.find(parts)? {
                return Ok(Some(column.outer(outer.number)));
            }
            scope = outer.parent;
        }
        Ok(None)
    }

    /// The column of this FROM clause with this name.
    pub(crate) fn find(&self, parts: &[String]) -> Result<Option<&ScopeColumn>> {
        let mut found = self.columns.iter().filter(|column| match parts {
            [name] => column.name == *name && column.merged == Merged::No,
            [table, name] => column.name == *name && column.table.as_ref() == Some(table),
            [owner, table, name] => {
                column.name == *name && column.table.as_ref() == Some(table) && column.owner.as_ref() == Some(owner)
            }
            _ => false,
        });
        let first = found.next();
        let merged = first.map_or(Merged::No, |column| column.merged);
        match (first, found.next()) {
            (Some(_), _) if merged == Merged::Using => Err(Error::user(
                25154,
                format!("column part of USING clause cannot have qualifier: {}", parts.join(".")),
            )),
            (Some(_), _) if merged == Merged::Natural => Err(Error::user(
                25155,
                format!("column used in NATURAL join cannot have qualifier: {}", parts.join(".")),
            )),
            (Some(_), Some(_)) => Err(Error::user(918, format!("column ambiguously defined: {}", parts.join(".")))),
            (first, _) => Ok(first),
        }
    }
}

/// The planner's name for a column of a FROM item.
pub(crate) fn qualified(relation: &str, name: &str) -> Column {
    Column::new(Some(TableReference::bare(relation)), name)
}
