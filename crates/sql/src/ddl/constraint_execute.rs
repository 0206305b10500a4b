//! Execution of constraint clauses: conditions of checks are bound, names resolved, the engine's methods called.

use std::sync::Arc;

use common::{Error, Result};
use engine::ddl::{ConstraintChange, ConstraintRule, ConstraintSpec, KeyIndex};
use engine::dictionary::{ColumnDef, TableDef};
use sqlparser::tokenizer::Token;

use super::command::{Constraint, CreateIndex, Rule, TableClause, UsingIndex};
use crate::cursor::connection::Connection;
use crate::dml::condition::Condition;
use crate::statement::words::{Word, Words};

/// Functions and pseudocolumns whose value changes with the moment or the session.
const VARIABLES: [&str; 11] = [
    "SYSDATE",
    "SYSTIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIMESTAMP",
    "LOCALTIMESTAMP",
    "USER",
    "UID",
    "USERENV",
    "SYS_CONTEXT",
    "ROWNUM",
    "LEVEL",
];

impl Connection {
    /// A constraint with its names in full and its condition checked. `columns` are the table's; `tablespace` is the
    /// default for its index.
    pub(super) fn constraint_spec(
        &self,
        constraint: &Constraint,
        owner: &str,
        table: &str,
        columns: &[ColumnDef],
        tablespace: Option<&String>,
    ) -> Result<ConstraintSpec> {
        let Constraint { name, rule, state } = constraint.clone();
        let rule = match rule {
            Rule::NotNull { column } => ConstraintRule::NotNull { column },
            Rule::Key { primary, columns, index } => {
                ConstraintRule::Key { primary, columns, index: self.key_index(index, tablespace) }
            }
            Rule::ForeignKey { columns, table: parent, referenced, on_delete } => {
                let (owner, table) = self.qualified(&parent);
                ConstraintRule::ForeignKey { columns, owner, table, referenced, on_delete }
            }
            Rule::Check { condition, offset, column } => {
                let columns = self
                    .check_columns(&condition, table, columns, column.as_deref())
                    .map_err(|error| Error { position: error.position.map(|place| place + offset), ..error })?;
                ConstraintRule::Check { condition, columns }
            }
        };
        if owner != self.schema && matches!(&rule, ConstraintRule::ForeignKey { .. }) {
            self.session.catalog().require_user(owner)?;
        }
        Ok(ConstraintSpec { name, rule, state })
    }

    fn key_index(&self, index: UsingIndex, tablespace: Option<&String>) -> KeyIndex {
        match index {
            UsingIndex::Existing(name) => {
                let (owner, name) = self.qualified(&name);
                KeyIndex::Existing { owner, name }
            }
            UsingIndex::Created(index) => {
                let (owner, name) = self.qualified(&index.name);
                KeyIndex::Existing { owner, name }
            }
            UsingIndex::Made(attributes) => KeyIndex::Made {
                tablespace: attributes.tablespace.or_else(|| tablespace.cloned()),
                physical: attributes.physical,
                storage: attributes.storage,
                logging: attributes.logging,
            },
        }
    }

    /// The columns that a check's condition names.
    fn check_columns(
        &self,
        condition: &str,
        table: &str,
        columns: &[ColumnDef],
        column: Option<&str>,
    ) -> Result<Vec<String>> {
        let mut words = Words::new(condition)?;
        while let Some(Word { token, start, .. }) = words.advance() {
            let Token::Word(word) = token else { continue };
            if word.quote_style.is_some() {
                continue;
            }
            let name = word.value.to_uppercase();
            if VARIABLES.contains(&name.as_str()) && !columns.iter().any(|column| column.name == name) {
                let text = "date or system variable wrongly specified in CHECK constraint";
                return Err(Error::user(2436, text).at(start));
            }
            if name == "SELECT" {
                return Err(Error::user(2251, "subquery not allowed here").at(start));
            }
        }
        let bound = Condition::bind(self, condition, table, columns)?;
        let named = bound.columns();
        if let Some(column) = column
            && let Some(other) = named.iter().find(|name| *name != column)
        {
            return Err(Error::user(2438, format!("column check constraint cannot reference other columns: {other}")));
        }
        Ok(named)
    }

    /// Makes the index of USING INDEX (CREATE INDEX …) first, and drops it when the constraint fails.
    fn with_index(&self, index: Option<&CreateIndex>, change: impl FnOnce() -> Result<()>) -> Result<()> {
        let Some(index) = index else { return change() };
        self.create_index(index)?;
        change().inspect_err(|_| {
            let (owner, name) = self.qualified(&index.name);
            // The first error is the one to report.
            let _ = self.session.drop_index(&owner, &name);
        })
    }

    /// The constraints of a new table that are added once it exists: those whose indexes have statements of their own,
    /// and then foreign keys, which may refer to them.
    pub(super) fn later_constraints(constraints: &[Constraint]) -> (Vec<Constraint>, Vec<Constraint>) {
        let created = |constraint: &&Constraint| constraint.created_index().is_some();
        if !constraints.iter().any(|constraint| created(&constraint)) {
            return (constraints.to_vec(), Vec::new());
        }
        let foreign = |constraint: &&Constraint| matches!(constraint.rule, Rule::ForeignKey { .. });
        let at_once = constraints.iter().filter(|one| !created(one) && !foreign(one)).cloned().collect();
        let keys = constraints.iter().filter(created);
        (at_once, keys.chain(constraints.iter().filter(foreign)).cloned().collect())
    }

    pub(super) fn alter_constraint(&self, owner: &str, table: &str, clause: &TableClause) -> Result<()> {
        let mut test = |table: &Arc<TableDef>, condition: &str| self.all_rows_satisfy(table, condition);
        match clause {
            TableClause::AddConstraint(constraint) => {
                let found = self.session.catalog().require_table(owner, table)?.clone();
                let spec = self.constraint_spec(constraint, owner, table, &found.columns, None)?;
                self.with_index(constraint.created_index(), || {
                    self.session.add_constraint(owner, table, &spec, &mut test)
                })
            }
            TableClause::DropConstraint { name, cascade, keep_index } => {
                self.session.drop_constraint(owner, table, name, *cascade, *keep_index)
            }
            TableClause::ChangeConstraint { name, change, index } => {
                let change = ConstraintChange { index: self.key_index(index.clone(), None), ..change.clone() };
                let created = if let UsingIndex::Created(index) = index { Some(&**index) } else { None };
                self.with_index(created, || self.session.change_constraint(owner, table, name, &change, &mut test))
            }
            TableClause::RenameConstraint { from, to } => self.session.rename_constraint(owner, table, from, to),
            _ => Err(Error::bug("a clause that is not about a constraint")),
        }
    }
}
