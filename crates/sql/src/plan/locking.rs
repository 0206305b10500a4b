//! A query with FOR UPDATE: the tables whose rows it locks, with their rowids as further outputs.

use common::{Error, Result};
use scalar::DatumType;
use sqlparser::ast::{self, GroupByExpr, OrderByKind, Query, Select, SetExpr, Spanned, TableFactor, TableWithJoins};

use super::binder::{Binder, fold, owner_and_name};
use super::bound::Bound;
use super::query::BoundQuery;
use super::scope::{Scope, ScopeColumn};
use crate::ddl::command::Name;
use crate::transaction::for_update::ForUpdate;

/// A query that locks its rows. Behind the outputs of its select list it has a rowid for each of `tables`, NULL where
/// an outer join found no row.
#[derive(Clone, Debug)]
pub(crate) struct LockingQuery {
    pub(crate) query: BoundQuery,
    /// Outputs of the select list.
    pub(crate) visible: usize,
    pub(crate) tables: Vec<Name>,
}

impl LockingQuery {
    /// The query without the rowids, for its description.
    pub(crate) fn without_rowids(self) -> BoundQuery {
        let mut query = self.query;
        query.outputs.truncate(self.visible);
        query
    }
}

/// A table of the FROM clause: its name there, and its own.
struct Listed {
    known: String,
    name: Name,
}

impl Binder<'_> {
    /// Binds a query that locks its rows.
    ///
    /// # Errors
    /// ORA-01786 where an output row is no single row of a table, ORA-02014 where a query in FROM has such rows; those
    /// of the query itself.
    pub(crate) fn locking_query(&self, query: &Query, names: &[String], lock: &ForUpdate) -> Result<LockingQuery> {
        let not_allowed = || Error::user(1786, "FOR UPDATE of this query expression is not allowed").at(lock.offset);
        let Query { with, body, order_by, limit_clause, fetch, .. } = query;
        let select = match &**body {
            SetExpr::Select(select) => select,
            SetExpr::SetOperation { .. } => return Err(not_allowed()),
            other => return Err(Error::unsupported(format!("FOR UPDATE of {other}")).at(lock.offset)),
        };
        if limit_clause.is_some() || fetch.is_some() {
            return Err(of_view(lock));
        }
        if !select.connect_by.is_empty() {
            return Err(Error::unsupported("FOR UPDATE of a query with CONNECT BY").at(lock.offset));
        }
        if select.distinct.is_some() {
            return Err(not_allowed());
        }
        let order = match order_by {
            None => &[][..],
            Some(ast::OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys.as_slice(),
            Some(other) => return Err(Error::unsupported(format!("{other}"))),
        };
        if let Some(with) = with {
            self.with(with)?;
        }
        let mut listed = Vec::new();
        for item in &select.from {
            self.listed(item, lock, &mut listed)?;
        }
        let mut tables = Vec::new();
        let bound = self.block_with(select, order, None, names, |scope, grouped| {
            if grouped {
                return Err(not_allowed());
            }
            self.rowids(scope, &listed, lock, &mut tables)
        });
        self.named.borrow_mut().clear();
        let query = bound?;
        Ok(LockingQuery { visible: query.outputs.len() - tables.len(), query, tables })
    }

    /// The tables of an item of FROM.
    fn listed(&self, item: &TableWithJoins, lock: &ForUpdate, into: &mut Vec<Listed>) -> Result<()> {
        let factors = std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation));
        for factor in factors {
            match factor {
                TableFactor::Table { name, alias, .. } => {
                    let name = owner_and_name(name)?;
                    let named = self.named.borrow().iter().rev().find(|named| named.name == name.1).is_some();
                    if name.0.is_none() && named {
                        return Err(Error::unsupported("FOR UPDATE of a query of WITH").at(lock.offset));
                    }
                    let known = alias.as_ref().map_or_else(|| name.1.clone(), |alias| fold(&alias.name));
                    into.push(Listed { known, name });
                }
                TableFactor::Derived { subquery, .. } if !keeps_rows(subquery) => return Err(of_view(lock)),
                TableFactor::NestedJoin { table_with_joins, .. } => self.listed(table_with_joins, lock, into)?,
                other => {
                    let error = Error::unsupported("FOR UPDATE of a query in FROM");
                    return Err(self.at(error, other.span()));
                }
            }
        }
        Ok(())
    }

    /// The rowids of the tables whose rows are locked.
    fn rowids(
        &self,
        scope: &Scope<'_>,
        listed: &[Listed],
        lock: &ForUpdate,
        tables: &mut Vec<Name>,
    ) -> Result<Vec<(String, Bound)>> {
        let mut wanted = Vec::new();
        for (parts, place) in &lock.of {
            let unknown = || Error::user(904, format!("\"{}\": invalid identifier", parts.join("\".\""))).at(*place);
            let column = scope.find(parts).map_err(|error| error.at(*place))?.ok_or_else(unknown)?;
            wanted.push(column.table.clone().ok_or_else(unknown)?);
        }
        let mut found = Vec::new();
        for Listed { known, name } in listed {
            if !wanted.is_empty() && !wanted.contains(known) {
                continue;
            }
            let rowid = |column: &&ScopeColumn| {
                column.pseudo && column.kind == DatumType::Rowid && column.table.as_ref() == Some(known)
            };
            let column = scope.columns.iter().find(rowid).ok_or_else(|| {
                Error::user(
                    2030,
                    format!(
                        "{} is a view of the dictionary or of figures, or an external table: it can only be read",
                        name.1
                    ),
                )
                .at(lock.offset)
            })?;
            found.push((format!("\u{1}ROWID{}", found.len() + 1), column.bound()));
            tables.push(name.clone());
        }
        Ok(found)
    }
}

fn of_view(lock: &ForUpdate) -> Error {
    Error::user(2014, "cannot select FOR UPDATE from a view or query with DISTINCT, GROUP BY and the like")
        .at(lock.offset)
}

/// True: each row of a query in FROM is a row of its tables, as far as its syntax tells.
fn keeps_rows(query: &Query) -> bool {
    let SetExpr::Select(select) = &*query.body else { return false };
    let Select { distinct, group_by, having, connect_by, .. } = &**select;
    let ungrouped = matches!(group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    distinct.is_none()
        && ungrouped
        && having.is_none()
        && connect_by.is_empty()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
}
