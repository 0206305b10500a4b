//! Changing the dictionary: rows of its tables, and the latch that makes DDL one at a time.
//!
//! Steps of a DDL statement, under the latch:
//!
//! 1. It makes or changes segments;
//! 2. it changes dictionary rows, each noted in `Ddl::changes`;
//! 3. it puts the next catalog in place.
//!
//! The rows are one transaction, which commits before the next catalog is put in place; the session's open transaction
//! commits before the statement. When a step fails, the transaction is rolled back, new segments are dropped, and the
//! old catalog stays. After a crash the transaction is rolled back too; extents of a segment that no dictionary row
//! names are freed at the next open.

use std::sync::Arc;

use common::sync::MutexGuard;
use common::{Error, ErrorKind, ObjectNumber, Result, Rowid};
use waits::{Event, LatchName};

use super::lock::lock_for_ddl;
use crate::dictionary::access::{Condition, delete_row, equal, insert_rows, select, update_row};
use crate::dictionary::field::{Moment, damaged};
use crate::dictionary::lock::ExclusiveLock;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{
    ConstraintNameRow, DictionaryRow, KIND_NEXT_OBJECT, NEXT_CONSTRAINT, ObjectGrantRow, ObjectRow,
};
use crate::dictionary::sequence::SequenceState;
use crate::dictionary::{Catalog, SYS, SystemPrivilege, TableDef};
use crate::instance::Session;
use storage::cache::Mini;
use storage::redo::Reserved;
use storage::segment::Segment;
use storage::table;
use storage::txn::CommitWrite;

/// Mode of the lock on the dictionary: exclusive.
const DDL_MODE: u64 = 5;

/// Upper bound of the commit's part of a redo record.
const COMMIT_BYTES: u64 = 32 << 10;
/// HW-0049: a statement needs a longer redo record than the log takes.
const RECORD_TOO_LONG: u32 = 49;

/// A step that can be undone.
enum DdlStep {
    Segment(Arc<Segment>),
}

/// A DDL statement under way.
pub(crate) struct Ddl<'a> {
    pub(crate) session: &'a Arc<Session>,
    /// The next catalog.
    pub(crate) catalog: Catalog,
    changes: Vec<DdlStep>,
    /// Segments to drop once the next catalog is in place.
    dropped: Vec<Arc<Segment>>,
    /// Tables whose rows have been moved, and whether their segments give back what is free behind them once the next
    /// catalog is in place.
    shrunk: Vec<(Arc<TableDef>, bool)>,
    /// Sequences that give no more values once the next catalog is in place.
    ended: Vec<Arc<SequenceState>>,
    /// Table locks, held to the end of the statement.
    locks: Vec<ExclusiveLock>,
    /// The open mini-transaction from here to the commit: emptied segments and the commit of the dictionary's rows are
    /// one redo record.
    whole: Option<Mini<'a>>,
    /// Space reserved in the log for that record.
    reserved: Option<Reserved<'a>>,
    /// Segments that the commit empties, under their old data object numbers.
    emptied: Vec<Arc<Segment>>,
    /// The next numbers as stored in the dictionary's rows.
    kept_numbers: (u32, u32),
    /// The next catalog gets another version.
    pub(crate) new_version: bool,
    /// The state of a program has changed.
    pub(crate) state_changed: bool,
}

impl Session {
    /// The current catalog. A statement takes it once and keeps it.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.dictionary().catalog()
    }

    /// The catalog of all sessions, without the objects that this session is making.
    pub(crate) fn kept_catalog(&self) -> Arc<Catalog> {
        self.dictionary().kept()
    }

    /// The DDL latch.
    fn lock_dictionary(&self) -> MutexGuard<'_, ()> {
        let lock = &self.instance().ddl;
        let wait = || self.meter().wait(Event::RowCacheLock, [0, 0, DDL_MODE], -1, || lock.lock());
        lock.try_lock().unwrap_or_else(wait)
    }

    /// Runs a DDL statement: the catalog shows all of `work` or nothing.
    pub(crate) fn ddl<R>(self: &Arc<Self>, work: impl FnOnce(&mut Ddl<'_>) -> Result<R>) -> Result<R> {
        if self.is_within_ddl() {
            return Err(Error::user(14552, "cannot perform a DDL, commit or rollback inside a query or DML"));
        }
        let _latch = self.lock_dictionary();
        self.commit(CommitWrite::default())?;
        // The statement sees the current dictionary and its own changes.
        let _current = self.leave_statement();
        let mut ddl = Ddl::new(self, Catalog::clone(&self.catalog()), true);
        let result = work(&mut ddl).and_then(|result| {
            ddl.keep_numbers()?;
            ddl.check_whole()?;
            Ok(result)
        });
        // With a mini-transaction open, the commit and the segments are one record, durable up to the log's end.
        let committed = result.and_then(|result| {
            self.commit(CommitWrite { no_wait: ddl.whole.is_some(), batch: false })?;
            // Published before the segments are emptied: a statement that begins now finds the new definitions, and
            // waits for the segments' headers.
            ddl.publish();
            if let Some(whole) = ddl.whole.take() {
                ddl.emptied.iter().for_each(|segment| segment.set_given_up());
                whole.commit();
                ddl.reserved = None;
                self.instance().redo().flush(self.instance().redo().end())?;
            }
            Ok(result)
        });
        match committed {
            Ok(result) => {
                ddl.ended.iter().for_each(|sequence| sequence.end());
                ddl.shrink_segments()?;
                ddl.drop_segments().map(|()| result)
            }
            Err(error) => {
                ddl.use_up_numbers();
                Err(ddl.take_back(error))
            }
        }
    }

    /// Stores states of programs, under the DDL latch and in this session's transaction. This is no statement of a
    /// user's: the catalog keeps its version, unless other programs become invalid.
    pub(crate) fn change_states<R>(self: &Arc<Self>, work: impl FnOnce(&mut Ddl<'_>) -> Result<R>) -> Result<R> {
        let _latch = self.lock_dictionary();
        let mut ddl = Ddl::new(self, Catalog::clone(&self.catalog()), false);
        let committed = work(&mut ddl).and_then(|result| {
            // A crash costs a compilation, no more.
            self.commit(CommitWrite { no_wait: true, batch: true })?;
            Ok(result)
        });
        match committed {
            Ok(result) => {
                if ddl.state_changed {
                    ddl.publish();
                }
                Ok(result)
            }
            Err(error) => Err(ddl.take_back(error)),
        }
    }
}

impl<'a> Ddl<'a> {
    /// To be called with the DDL latch held, for as long as this lives.
    fn new(session: &'a Arc<Session>, catalog: Catalog, new_version: bool) -> Self {
        let kept_numbers = (catalog.next_object, catalog.next_constraint);
        Self {
            session,
            catalog,
            kept_numbers,
            emptied: Vec::new(),
            changes: Vec::new(),
            dropped: Vec::new(),
            shrunk: Vec::new(),
            ended: Vec::new(),
            locks: Vec::new(),
            whole: None,
            reserved: None,
            new_version,
            state_changed: false,
        }
    }
}

impl Ddl<'_> {
    /// Puts the next catalog in place.
    fn publish(&mut self) {
        if self.new_version {
            self.catalog.advance();
        }
        let catalog = &self.session.instance().catalog;
        *self.session.meter().latch_exclusive(LatchName::RowCacheObjects, catalog) =
            Arc::new(std::mem::take(&mut self.catalog));
    }

    /// Wall time, as definitions and rows note it: whole seconds.
    pub(crate) fn now_us(&self) -> u64 {
        self.session.meter().clock().wall_us() / 1_000_000 * 1_000_000
    }

    /// Runs `work` with a catalog that has the statement's objects, which no other session sees yet.
    pub(crate) fn with_what_is_made<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        struct Making<'a>(&'a Session);
        impl Drop for Making<'_> {
            fn drop(&mut self) {
                self.0.dictionary().set_making(None);
            }
        }
        let mut catalog = self.catalog.clone();
        catalog.set_private_version();
        let _making = Making(self.session);
        self.session.dictionary().set_making(Some(Arc::new(catalog)));
        work()
    }

    /// Opens the mini-transaction in which the segments' changes and the commit happen as a whole or not at all, by an
    /// error or in a crash. No dictionary row may change after this: the transaction would not know of blocks that are
    /// put back. `segments` are those to be [emptied](Self::empty); the log reserves space for them.
    pub(crate) fn as_a_whole(&mut self, segments: &[&Segment]) -> Result<()> {
        self.keep_numbers()?;
        let s = self.session;
        let bytes = segments
            .iter()
            .try_fold(COMMIT_BYTES, |bytes, segment| Ok::<_, Error>(bytes + segment.bytes_to_empty(s)?))?;
        self.reserved = Some(s.instance().redo().reserve(s.meter(), bytes)?);
        self.whole = Some(s.begin_mini());
        Ok(())
    }

    /// Empties a segment within that mini-transaction and gives it a new data object number.
    pub(crate) fn empty(&mut self, segment: &Arc<Segment>, data_object: ObjectNumber) -> Result<Arc<Segment>> {
        let emptied = segment.empty(self.session, data_object)?;
        self.emptied.push(segment.clone());
        Ok(emptied)
    }

    /// # Errors
    /// HW-0049 when the whole record is longer than a log file has room for.
    fn check_whole(&self) -> Result<()> {
        let Some(whole) = &self.whole else { return Ok(()) };
        let (bytes, most) =
            (whole.record_bytes() as u64 + COMMIT_BYTES, self.session.instance().redo().longest_latched_record());
        if bytes <= most {
            debug_assert!(
                self.reserved.as_ref().is_some_and(|reserved| reserved.holds(bytes)),
                "{bytes} bytes of redo"
            );
            return Ok(());
        }
        let text =
            format!("the statement needs a redo record of {bytes} bytes, and log files and log buffer hold {most}");
        Err(Error::own(ErrorKind::OutOfResource, RECORD_TOO_LONG, text))
    }

    /// Notes a segment that was made.
    pub(crate) fn created(&mut self, segment: Arc<Segment>) {
        self.changes.push(DdlStep::Segment(segment));
    }

    /// Drops a segment when the next catalog is in place.
    pub(crate) fn drop_at_end(&mut self, segment: Arc<Segment>) {
        self.dropped.push(segment);
    }

    /// Notes a table whose rows have been moved: after the commit its segment gives back the free space behind them,
    /// with `lower`.
    pub(crate) fn shrink_at_end(&mut self, table: Arc<TableDef>, lower: bool) {
        self.shrunk.push((table, lower));
    }

    fn shrink_segments(&self) -> Result<()> {
        for (table, lower) in &self.shrunk {
            table.segment.moved(self.session.instance().visible_scn());
            if !lower {
                continue;
            }
            let last = table::shrink::last_used(self.session, table)?;
            table.segment.shrink(self.session, last)?;
        }
        Ok(())
    }

    /// Locks a table for this statement, if it has not locked it yet.
    pub(crate) fn lock(&mut self, table: &TableDef) -> Result<()> {
        if !self.locks.iter().any(|lock| lock.is_of(table)) {
            self.locks.push(lock_for_ddl(self.session, table)?);
        }
        Ok(())
    }

    /// Ends a sequence when the next catalog is in place.
    pub(crate) fn end_at_end(&mut self, sequence: Arc<SequenceState>) {
        self.ended.push(sequence);
    }

    /// The statement stands already. Space that cannot be given back is lost until the tablespace is dropped, and
    /// reported.
    fn drop_segments(&self) -> Result<()> {
        let mut result = Ok(());
        for segment in &self.dropped {
            let dropped = segment.drop_segment(self.session);
            result = result.and(dropped);
        }
        result
    }

    /// A number for a new object or a new data object.
    pub(crate) fn new_object(&mut self) -> ObjectNumber {
        let number = self.catalog.next_object;
        self.catalog.next_object += 1;
        ObjectNumber(number)
    }

    /// Stores the next numbers in the dictionary, if they have changed.
    fn keep_numbers(&mut self) -> Result<()> {
        let (object, constraint) = self.kept_numbers;
        self.keep_next_object(object)?;
        self.keep_next_constraint(constraint)?;
        self.kept_numbers = (self.catalog.next_object, self.catalog.next_constraint);
        Ok(())
    }

    fn keep_next_object(&mut self, first_object: u32) -> Result<()> {
        let next = self.catalog.next_object;
        if next == first_object {
            return Ok(());
        }
        let changed = self.update::<ObjectRow>(&equal("TYPE#", KIND_NEXT_OBJECT)?, |row| row.data_object = next)?;
        if changed == 1 { Ok(()) } else { Err(damaged("OBJ$ has no row with the next object number")) }
    }

    /// A number for a new constraint.
    pub(crate) fn new_constraint(&mut self) -> u32 {
        let number = self.catalog.next_constraint;
        self.catalog.next_constraint += 1;
        number
    }

    fn keep_next_constraint(&mut self, first_constraint: u32) -> Result<()> {
        let next = self.catalog.next_constraint;
        if next == first_constraint {
            return Ok(());
        }
        let row = equal("NAME", NEXT_CONSTRAINT.to_owned())?;
        let changed = self.update::<ConstraintNameRow>(&row, |row| row.number = next)?;
        if changed == 1 { Ok(()) } else { Err(damaged("CON$ has no row with the next constraint number")) }
    }

    /// Checks that the user may make objects in this schema.
    ///
    /// # Errors
    /// ORA-01031.
    pub(crate) fn check_schema_privilege(&self, owner: &str, own: SystemPrivilege, any: SystemPrivilege) -> Result<()> {
        let user = self.session.rights();
        if owner == SYS && user != SYS {
            return Err(insufficient(format_args!("only {SYS} makes objects of {SYS}")));
        }
        if user == owner && self.catalog.has_system_privilege(&user, own) {
            return Ok(());
        }
        self.catalog.check_system_privilege(&user, if user == owner { own } else { any })
    }

    /// # Errors
    /// ORA-00955.
    pub(crate) fn check_name_free(&self, owner: &str, name: &str) -> Result<()> {
        if self.catalog.object(owner, name).is_some() || self.catalog.is_unusable(owner, name) {
            return Err(Error::user(955, format!("the name {owner}.{name} is used by another object")));
        }
        Ok(())
    }

    /// Takes an object without a segment out of OBJ$ and OBJAUTH$. Its own rows are gone already.
    pub(crate) fn delete_object_rows(&mut self, object: ObjectNumber) -> Result<()> {
        self.delete::<ObjectGrantRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ObjectRow>(&equal("OBJ#", object.0)?)?;
        Ok(())
    }

    /// Notes in OBJ$ that an object was changed.
    pub(crate) fn touch(&mut self, object: ObjectNumber, now_us: u64) -> Result<()> {
        self.update::<ObjectRow>(&equal("OBJ#", object.0)?, |row| row.changed = Moment(now_us))?;
        Ok(())
    }

    fn table(&self, object: ObjectNumber) -> Result<&Arc<TableDef>> {
        self.catalog.table_by_number(object).ok_or_else(|| Error::bug(format!("no dictionary table {}", object.0)))
    }

    /// The rows of a dictionary table that satisfy all of `conditions`.
    pub(crate) fn select<R: DictionaryRow>(&self, conditions: &[Condition]) -> Result<Vec<(Rowid, R)>> {
        select(self.session, self.table(R::TABLE.object)?, conditions)
    }

    pub(crate) fn insert<R: DictionaryRow>(&mut self, rows: &[R]) -> Result<()> {
        let object = R::TABLE.object;
        for row in rows {
            let row = row.encode()?;
            insert_rows(self.session, self.table(object)?, std::slice::from_ref(&row))?;
        }
        Ok(())
    }

    /// Deletes the rows that satisfy all of `conditions`; returns how many.
    pub(crate) fn delete<R: DictionaryRow>(&mut self, conditions: &[Condition]) -> Result<usize> {
        let rows = self.select::<R>(conditions)?;
        let table = self.table(R::TABLE.object)?.clone();
        for (rowid, _) in &rows {
            delete_row(self.session, &table, *rowid)?;
        }
        Ok(rows.len())
    }

    /// Changes the rows that satisfy all of `conditions`; returns how many.
    pub(crate) fn update<R: DictionaryRow>(
        &mut self,
        conditions: &[Condition],
        change: impl Fn(&mut R),
    ) -> Result<usize> {
        let rows = self.select::<R>(conditions)?;
        let count = rows.len();
        let table = self.table(R::TABLE.object)?.clone();
        for (rowid, mut row) in rows {
            let old = row.encode()?;
            change(&mut row);
            let new = row.encode()?;
            if old != new {
                update_row(self.session, &table, rowid, &new)?;
            }
        }
        Ok(count)
    }

    /// Numbers of a failed statement are not given again: sessions may remember free space in its segment.
    fn use_up_numbers(&self) {
        let catalog = &self.session.instance().catalog;
        let mut current = self.session.meter().latch_exclusive(LatchName::RowCacheObjects, catalog);
        if current.next_object < self.catalog.next_object {
            Arc::make_mut(&mut current).next_object = self.catalog.next_object;
        }
    }

    /// Undoes every row change, the last one first. Returns the error to report.
    fn take_back(mut self, error: Error) -> Error {
        // Dropped without a commit: the segments are as they were.
        self.whole = None;
        self.reserved = None;
        if let Err(second) = self.session.rollback() {
            let text = format!("{}; and the dictionary could not be put back: {second}", error.text);
            return Error { text, ..error };
        }
        let changes = std::mem::take(&mut self.changes);
        for change in changes.into_iter().rev() {
            if let Err(second) = self.take_back_one(change) {
                return Error {
                    text: format!("{}; and the dictionary could not be put back: {second}", error.text),
                    ..error
                };
            }
        }
        error
    }

    fn take_back_one(&self, change: DdlStep) -> Result<()> {
        match change {
            DdlStep::Segment(segment) => segment.drop_segment(self.session),
        }
    }
}
