//! Constraints of a table whose columns are dropped: those on dropped columns go too, the others follow the columns
//! that stay.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::rows::ConstraintColumnRow;
use crate::dictionary::{ConstraintDef, Reference, TableDef};

impl Ddl<'_> {
    /// Drops the constraints on columns that are to be dropped (positions in the table); returns the table without
    /// them.
    ///
    /// # Errors
    /// ORA-12992 where a dropped key is referred to by a foreign key that stays, ORA-12991 where a constraint is also
    /// on columns that stay, both unless `cascade` drops these too.
    pub(super) fn drop_constraints_on(
        &mut self,
        table: &TableDef,
        gone: &[usize],
        cascade: bool,
    ) -> Result<Arc<TableDef>> {
        let goes = |column: &u16| gone.contains(&usize::from(*column));
        let current = |ddl: &Self, object: ObjectNumber| {
            let found = ddl.catalog.table_by_number(object).cloned();
            found.ok_or_else(|| Error::bug("a table is gone"))
        };
        let touched: Vec<Arc<ConstraintDef>> =
            table.constraints.iter().filter(|constraint| constraint.columns.iter().any(goes)).cloned().collect();
        if !cascade {
            for constraint in &touched {
                if !constraint.columns.iter().all(goes) {
                    let name = &constraint.name;
                    return Err(Error::user(
                        12991,
                        format!("column is referenced in a multi-column constraint: {name}"),
                    ));
                }
                let stays = |foreign: &&Arc<ConstraintDef>| {
                    foreign.reference.as_ref().is_some_and(|reference| reference.key == constraint.number)
                        && !(foreign.table == table.object && foreign.columns.iter().all(goes))
                };
                if let Some(foreign) = table.referencing.iter().find(stays) {
                    let name = foreign.qualified_name();
                    return Err(Error::user(12992, format!("cannot drop parent key column: {name} refers to it")));
                }
            }
        }
        for constraint in touched {
            // A foreign key to a key of the same table may be gone with that.
            if self.catalog.constraint_by_number(constraint.number).is_some() {
                self.drop_constraint(&constraint, true, None)?;
            }
        }
        let table = current(self, table.object)?;
        for index in table.indexes.iter().filter(|index| index.columns.iter().any(goes)) {
            self.check_index_free(index)?;
        }
        Ok(table)
    }

    /// Moves constraints to the columns' new positions: `kept` are the old positions, in the order of the new.
    pub(super) fn move_constraint_columns(&mut self, table: &TableDef, kept: &[usize]) -> Result<()> {
        let moved = |columns: &[u16]| -> Result<Vec<u16>> {
            let place = |column: &u16| kept.iter().position(|old| *old == usize::from(*column));
            let columns = columns.iter().map(|column| place(column).map(|at| at as u16));
            columns.collect::<Option<_>>().ok_or_else(|| Error::bug("a constraint has a column that is dropped"))
        };
        let of_table = |constraint: &&Arc<ConstraintDef>| {
            let referred = constraint.reference.as_ref().map(|reference| reference.table);
            constraint.table == table.object || referred == Some(table.object)
        };
        let constraints: Vec<Arc<ConstraintDef>> = self.catalog.constraints().filter(of_table).cloned().collect();
        for constraint in constraints {
            let mut next = ConstraintDef::clone(&constraint);
            if constraint.table == table.object {
                next.columns = moved(&constraint.columns)?;
                if next.columns != constraint.columns {
                    let row = |(position, column): (u16, &u16)| ConstraintColumnRow {
                        number: next.number,
                        table: table.object.0,
                        position,
                        column: column + 1,
                    };
                    let rows: Vec<_> = (1u16..).zip(&next.columns).map(row).collect();
                    self.delete::<ConstraintColumnRow>(&equal("CON#", next.number)?)?;
                    self.insert(&rows)?;
                }
            }
            if let Some(reference) = &constraint.reference
                && reference.table == table.object
            {
                next.reference = Some(Reference { columns: moved(&reference.columns)?, ..reference.clone() });
            }
            self.catalog.put_constraint(next);
        }
        Ok(())
    }
}
