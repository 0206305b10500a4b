//! The triggers of one table that a statement fires.
//!
//! ```text
//! BEFORE statement   for each row: BEFORE row, the change, AFTER row   AFTER statement
//! ```
//!
//! Row triggers must not read the rows that change: while they run, the table is mutating (ORA-04091). [`Nested`] runs
//! their SQL.
//!
//! [`Nested`]: crate::cursor::nested::Nested

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};
use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ChangeLock, ProgramDef, ProgramStatus, TableDef, TriggerTiming};
use plsql::compile::entry::Stored;
use plsql::run::session::{TriggerEvent, TriggerRow};
use scalar::Datum;
use storage::table::Row;
use storage::txn::{Entered, LockWait, TableLock};

use super::assign::{Statement, Target};
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::cursor::run;
use crate::scan::table::EngineTable;

/// The event of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'e> {
    Insert,
    /// One row, given by VALUES: its table is not mutating before the row is inserted, so BEFORE row triggers may read
    /// it.
    InsertOne,
    /// The columns assigned.
    Update(&'e [usize]),
    Delete,
}

/// The triggers of a table that a statement fires, at least one.
#[derive(Debug)]
pub(crate) struct Triggers<'c> {
    connection: &'c Connection,
    table: Arc<TableDef>,
    event: TriggerEvent,
    one: bool,
    programs: Vec<(TriggerTiming, Arc<ProgramDef>)>,
    /// For new values from triggers.
    targets: Vec<Target>,
    /// The parent table, when a foreign key causes this change.
    parent: Option<ObjectNumber>,
}

/// A row for triggers.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) row: Row,
    pub(crate) values: Vec<Datum>,
}

impl Image {
    pub(crate) fn of(table: &TableDef, columns: &[Option<&[u8]>]) -> Result<Self> {
        let load = |(at, column): (usize, &engine::dictionary::ColumnDef)| {
            scalar::load(columns.get(at).copied().flatten(), column.data_type)
        };
        let values = table.columns.iter().enumerate().map(load).collect::<Result<_>>()?;
        Ok(Self { row: Row::from_columns(columns), values })
    }

    /// All columns of the table.
    pub(crate) fn columns(&self) -> Vec<Option<&[u8]>> {
        (0..self.values.len()).map(|at| self.row.column(at)).collect()
    }
}

impl<'c> Triggers<'c> {
    /// The enabled triggers of `table` that `event` fires; None when there are none.
    pub(crate) fn of(connection: &'c Connection, table: &Arc<TableDef>, event: Event<'_>) -> Option<Self> {
        let catalog = connection.session.catalog();
        let mut programs = Vec::new();
        for program in catalog.triggers_of(table.object) {
            let Some(trigger) = program.trigger.as_ref().filter(|trigger| trigger.enabled) else { continue };
            let rule = &trigger.rule;
            let fires = match event {
                Event::Insert | Event::InsertOne => rule.on_insert,
                Event::Delete => rule.on_delete,
                Event::Update(columns) => {
                    let named = |at: &usize| rule.columns.contains(&table.columns[*at].name);
                    rule.on_update && (rule.columns.is_empty() || columns.iter().any(named))
                }
            };
            if fires {
                programs.push((rule.timing, Arc::clone(program)));
            }
        }
        if programs.is_empty() {
            return None;
        }
        let one = matches!(event, Event::InsertOne);
        let (statement, event) = match event {
            Event::Insert | Event::InsertOne => (Statement::Insert, TriggerEvent::Insert),
            Event::Delete => (Statement::Update, TriggerEvent::Delete),
            Event::Update(columns) => {
                let names = columns.iter().map(|at| table.columns[*at].name.as_str().into());
                (Statement::Update, TriggerEvent::Update(names.collect()))
            }
        };
        let targets = (0..table.columns.len()).map(|column| Target::new(table, column, None, statement)).collect();
        Some(Self { connection, table: Arc::clone(table), event, one, programs, targets, parent: None })
    }

    /// The same, for a change that a foreign key makes because rows of `parent` change.
    pub(crate) fn because_of(self, parent: ObjectNumber) -> Self {
        Self { parent: Some(parent), ..self }
    }

    fn has(&self, timing: TriggerTiming) -> bool {
        self.programs.iter().any(|(its, _)| *its == timing)
    }

    pub(crate) fn has_row(&self) -> bool {
        self.has_before_row() || self.has_after_row()
    }

    pub(crate) fn has_before_row(&self) -> bool {
        self.has(TriggerTiming::BeforeRow)
    }

    pub(crate) fn has_after_row(&self) -> bool {
        self.has(TriggerTiming::AfterRow)
    }

    /// Fires the BEFORE statement triggers. The statement sees their changes, as long as the guard lives.
    pub(crate) fn begin(&self) -> Result<Option<Entered>> {
        if !self.has(TriggerTiming::BeforeStatement) {
            return Ok(None);
        }
        self.fire(TriggerTiming::BeforeStatement, &[], None, None)?;
        let session = &self.connection.session;
        Ok(Some(session.enter(session.begin_snapshot())))
    }

    /// Fires the AFTER statement triggers.
    pub(crate) fn end(&self) -> Result<()> {
        self.fire(TriggerTiming::AfterStatement, &[], None, None)
    }

    /// Fires the BEFORE row triggers, which may change the new row.
    pub(crate) fn before_row(&self, old: Option<&Image>, new: Option<&mut Image>) -> Result<()> {
        if !self.has_before_row() {
            return Ok(());
        }
        let mutating: Vec<ObjectNumber> =
            self.parent.into_iter().chain((!self.one).then_some(self.table.object)).collect();
        let old = old.map(|old| &old.values[..]);
        let Some(new) = new else { return self.fire(TriggerTiming::BeforeRow, &mutating, old, None) };
        let mut values = new.values.clone();
        self.fire(TriggerTiming::BeforeRow, &mutating, old, Some(&mut values))?;
        let context = self.connection.statement_context()?;
        let (mut row, mut bytes) = (Row::new(), Vec::new());
        for (at, target) in self.targets.iter().enumerate() {
            if values[at] == new.values[at] {
                let kept = new.row.column(at);
                target.check_null(kept.is_none())?;
                row.push(kept);
            } else {
                bytes.clear();
                let stored = target.store(&*context, &values[at], &mut bytes)?;
                row.push(stored.then_some(&bytes[..]));
            }
        }
        *new = Image::of(&self.table, &row.columns())?;
        Ok(())
    }

    /// Fires the AFTER row triggers.
    pub(crate) fn after_row(&self, old: Option<&Image>, new: Option<&mut Image>) -> Result<()> {
        if !self.has_after_row() {
            return Ok(());
        }
        let mutating: Vec<ObjectNumber> = self.parent.into_iter().chain([self.table.object]).collect();
        let (old, new) = (old.map(|old| &old.values[..]), new.map(|new| &mut new.values));
        self.fire(TriggerTiming::AfterRow, &mutating, old, new)
    }

    fn fire(
        &self,
        timing: TriggerTiming,
        mutating: &[ObjectNumber],
        old: Option<&[Datum]>,
        mut new: Option<&mut Vec<Datum>>,
    ) -> Result<()> {
        for (_, program) in self.programs.iter().filter(|(its, _)| *its == timing) {
            let shared = &self.connection.shared;
            let name = || (program.owner.clone(), program.name.clone(), program.kind);
            if program.status == ProgramStatus::Invalid {
                shared.programs.lock().note_invalid(name());
            }
            let (new, event) = (new.as_deref_mut(), &self.event);
            shared.in_trigger(mutating, || {
                self.connection.nested.call(&program.owner, |host, session| {
                    let stored = Stored {
                        owner: &program.owner,
                        name: &program.name,
                        source: &program.source,
                        stamp: program.stamp,
                        body: None,
                    };
                    session.fire_trigger(host, &stored, event, TriggerRow { old, new })
                })
            })?;
            // The cause of its errors may be gone.
            if program.status == ProgramStatus::Errors {
                shared.programs.lock().note_invalid(name());
            }
        }
        Ok(())
    }
}

/// Fires the BEFORE statement triggers, if there are any.
pub(crate) fn begin(triggers: Option<&Triggers<'_>>) -> Result<Option<Entered>> {
    triggers.map_or(Ok(None), Triggers::begin)
}

/// Fires the AFTER statement triggers, if there are any.
pub(crate) fn end(triggers: Option<&Triggers<'_>>) -> Result<()> {
    triggers.map_or(Ok(()), Triggers::end)
}

/// ORA-04091.
fn mutating(table: &TableDef) -> Error {
    let name = table.qualified_name();
    Error::user(4091, format!("table {name} is mutating, trigger/function may not see it"))
}

impl Connection {
    /// Makes the physical plan of a query.
    ///
    /// # Errors
    /// ORA-04091 when a running trigger must not read one of its tables; those of planning.
    pub(crate) fn plan(&self, logical: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
        let tables = self.shared.mutating();
        if !tables.is_empty() {
            let mut found = None;
            let _ = logical.apply_with_subqueries(|node| {
                if let LogicalPlan::TableScan(scan) = node
                    && let Ok(provider) = source_as_provider(&scan.source)
                {
                    let provider: &dyn std::any::Any = provider.as_ref();
                    if let Some(table) = provider.downcast_ref::<EngineTable>()
                        && tables.contains(&table.table().object)
                    {
                        found = Some(Arc::clone(table.table()));
                        return Ok(TreeNodeRecursion::Stop);
                    }
                }
                Ok(TreeNodeRecursion::Continue)
            });
            if let Some(table) = found {
                return Err(mutating(&table));
            }
        }
        run::plan(&self.session, &self.runtime, &self.state, logical)
    }

    /// The table for a change; locked, unless the statement is only explained.
    ///
    /// # Errors
    /// As [`Connection::lock_for_change`].
    pub(crate) fn hold_for_change(
        &self,
        table: &Arc<TableDef>,
        cursor: &Cursor,
    ) -> Result<(Option<ChangeLock>, Arc<TableDef>)> {
        if cursor.explaining {
            return Ok((None, Arc::clone(table)));
        }
        self.lock_for_change(table).map(|(lock, table)| (Some(lock), table))
    }

    /// Locks a table for a statement that changes its rows.
    ///
    /// # Errors
    /// ORA-04091 when a running trigger must not change it; ORA-12838; as `Session::lock_for_change`.
    pub(crate) fn lock_for_change(&self, table: &TableDef) -> Result<(ChangeLock, Arc<TableDef>)> {
        if self.shared.mutating().contains(&table.object) {
            return Err(mutating(table));
        }
        self.session.check_not_loaded(table.object)?;
        self.session.lock_for_change(table)
    }

    /// Locks a table for a direct load, to the end of the transaction: no other session may change a row of it.
    ///
    /// # Errors
    /// As [`Connection::lock_for_change`].
    pub(crate) fn lock_for_load(&self, table: &TableDef) -> Result<()> {
        if self.shared.mutating().contains(&table.object) {
            return Err(mutating(table));
        }
        self.session.check_not_loaded(table.object)?;
        self.session.lock_table(table.object, TableLock::Exclusive, LockWait::Forever)
    }
}
