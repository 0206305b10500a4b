//! A connection as the host of its programs.

use std::collections::HashMap;
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::{Error, Result};
use engine::dictionary::{ProgramKind, ProgramStatus, Rights};
use plsql::ast::SqlText;
use plsql::host::{
    Column, DynamicSql, Executed, ExecutedMany, Host, Mark, Object, OpenQuery, PreparedSql, StatementKey, Viewer,
};
use plsql::run::session::Session;
use scalar::{Context, Datum};
use storage::txn::Mark as EngineMark;

use super::prepare::prepare;
use crate::cursor::connection::Connection;
use crate::cursor::open::CursorNumber;
use crate::plan::binder::Tables;
use crate::statement::parse::Statement;

/// Cursors that a session keeps open for statements of its programs; beyond that the least recently used is closed.
const CACHED_CURSORS_MAX: usize = 50;

/// Marks are unique over all sessions.
static NEXT_MARK: AtomicU64 = AtomicU64::new(0);

/// A connection's state for its programs.
#[derive(Default, Debug)]
pub(crate) struct Programs {
    /// The cursors of statements, by statement.
    cursors: HashMap<StatementKey, CachedCursor>,
    uses: u64,
    queries: HashMap<OpenQuery, Query>,
    next_query: u64,
    /// Marks given out in the running calls.
    marks: Vec<(Mark, EngineMark)>,
    /// Invalid programs found in the running call.
    invalid: Vec<ProgramName>,
    /// The program that a statement of the session has compiled last: SHOW ERRORS.
    pub(super) last_compiled: Option<ProgramName>,
}

/// Owner, name and kind.
pub(super) type ProgramName = (String, String, ProgramKind);

impl Programs {
    /// The number of marks given out.
    pub(super) fn marks(&self) -> usize {
        self.marks.len()
    }

    fn place_of(&self, mark: Mark) -> Option<(usize, EngineMark)> {
        let at = self.marks.iter().rposition(|(known, _)| *known == mark)?;
        Some((at, self.marks[at].1))
    }

    /// At the end of a call: drops its marks.
    pub(super) fn forget_marks(&mut self, known: usize) {
        self.marks.truncate(known);
    }

    /// Notes an invalid program.
    pub(crate) fn note_invalid(&mut self, name: ProgramName) {
        if !self.invalid.contains(&name) {
            self.invalid.push(name);
        }
    }

    /// Takes the invalid programs found.
    pub(super) fn take_invalid(&mut self) -> Vec<ProgramName> {
        std::mem::take(&mut self.invalid)
    }
}

#[derive(Debug)]
struct CachedCursor {
    number: CursorNumber,
    used: u64,
    /// It is running, or its query is open: the statement's next execution needs another cursor.
    busy: bool,
    /// Schema and rights under which it was parsed.
    seen: (String, Rights),
}

/// A program's open query.
#[derive(Debug)]
struct Query {
    cursor: CursorNumber,
    /// The statement of its cursor; None when the cursor is closed with the query.
    statement: Option<StatementKey>,
}

/// The session during one call of a program. An autonomous transaction runs in a session of its own, so the outer
/// transaction keeps its locks.
#[derive(Debug)]
pub(crate) struct SessionHost<'c> {
    connection: &'c mut Connection,
    autonomous: Vec<Connection>,
    /// Schema and rights before each running program with its owner's rights.
    entered: Vec<(String, Option<Rights>)>,
}

impl<'c> SessionHost<'c> {
    pub(crate) fn new(connection: &'c mut Connection) -> Self {
        Self { connection, autonomous: Vec::new(), entered: Vec::new() }
    }

    /// Sets schema and rights until [`SessionHost::leave`].
    pub(super) fn enter(&mut self, schema: &str, rights: Rights) {
        let connection = self.connection();
        let schema = std::mem::replace(&mut connection.schema, schema.to_owned());
        let rights = connection.session.assume(Some(rights));
        self.entered.push((schema, rights));
    }

    /// Restores the schema and rights before the last entered program.
    pub(super) fn leave(&mut self) -> bool {
        let Some((schema, rights)) = self.entered.pop() else { return false };
        let connection = self.connection();
        connection.schema = schema;
        connection.session.assume(rights);
        true
    }

    /// The connection of the innermost transaction.
    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.autonomous.last_mut().unwrap_or(self.connection)
    }

    /// A free cursor of the statement, parsed anew when there is none.
    fn cursor(&mut self, key: StatementKey, sql: &PreparedSql) -> Result<(CursorNumber, Option<StatementKey>)> {
        let connection = self.connection();
        let shared = Arc::clone(&connection.shared);
        let mut programs = shared.programs.lock();
        programs.uses += 1;
        let used = programs.uses;
        // A program with its caller's rights may run in another schema than last time.
        let seen = (connection.schema.clone(), connection.session.rights());
        if let Some(cached) = programs.cursors.get_mut(&key) {
            if cached.busy || cached.seen != seen {
                drop(programs);
                return connection.parse(&sql.text).map(|number| (number, None));
            }
            cached.used = used;
            cached.busy = true;
            return Ok((cached.number, Some(key)));
        }
        let idle = programs.cursors.iter().filter(|(_, cached)| !cached.busy);
        let oldest = idle.min_by_key(|(_, cached)| cached.used).map(|(key, cached)| (*key, cached.number));
        if programs.cursors.len() >= CACHED_CURSORS_MAX
            && let Some((oldest, number)) = oldest
        {
            programs.cursors.remove(&oldest);
            connection.close(number);
        }
        drop(programs);
        let number = connection.parse(&sql.text)?;
        shared.programs.lock().cursors.insert(key, CachedCursor { number, used, busy: true, seen });
        Ok((number, Some(key)))
    }

    fn execute_once(&mut self, number: CursorNumber, binds: &[Datum]) -> Result<Executed> {
        let connection = self.connection();
        connection.bind_numbered(number, binds)?;
        let executed = connection.execute(number)?;
        let returned = connection.returned_rows(number)?;
        Ok(Executed { rows: executed.rows.unwrap_or(0), returned })
    }

    /// Runs `work` with a connection that may run programs in its turn: the session's PL/SQL side is lent to it.
    fn lend<R>(&mut self, session: &mut Session, work: impl FnOnce(&mut Self) -> R) -> R {
        let placeholder = Session::new(Arc::clone(self.connection().database().programs()), "");
        let shared = Arc::clone(&self.connection().shared);
        let outer = shared.plsql.lock().replace(std::mem::replace(session, placeholder));
        let result = work(self);
        let back = std::mem::replace(&mut *shared.plsql.lock(), outer);
        if let Some(back) = back {
            *session = back;
        }
        result
    }

    fn opened(&mut self, cursor: CursorNumber, statement: Option<StatementKey>) -> OpenQuery {
        let programs = &mut *self.connection().shared.programs.lock();
        programs.next_query += 1;
        let query = OpenQuery(programs.next_query);
        programs.queries.insert(query, Query { cursor, statement });
        query
    }

    fn with_query<R>(&mut self, query: OpenQuery, work: impl FnOnce(&mut Query) -> R) -> Result<R> {
        let programs = &mut *self.connection().shared.programs.lock();
        programs.queries.get_mut(&query).map(work).ok_or_else(|| Error::user(1001, "invalid cursor"))
    }

    fn cursor_of(&mut self, query: OpenQuery) -> Result<CursorNumber> {
        self.with_query(query, |query| query.cursor)
    }

    /// Returns the statement's cursor; one without a statement is closed.
    fn give_back(&mut self, cursor: CursorNumber, statement: Option<StatementKey>) {
        let connection = self.connection();
        match statement {
            None => connection.close(cursor),
            Some(key) => {
                if let Some(cached) = connection.shared.programs.lock().cursors.get_mut(&key) {
                    cached.busy = false;
                }
            }
        }
    }
}

impl Drop for SessionHost<'_> {
    /// After a panic some programs have not been left.
    fn drop(&mut self) {
        self.autonomous.clear();
        while self.leave() {}
    }
}

impl Host for SessionHost<'_> {
    fn resolve(&mut self, viewer: Viewer<'_>, path: &[&str]) -> Result<Option<(Object, usize)>> {
        let connection = self.connection();
        let (found, invalid) = super::dictionary::resolve(connection.tables()?, viewer, path)?;
        if let Some(name) = invalid {
            connection.shared.programs.lock().note_invalid(name);
        }
        Ok(found)
    }

    fn package_body(&mut self, owner: &str, name: &str) -> Result<Option<(Arc<str>, u64)>> {
        let connection = self.connection();
        let catalog = connection.session.catalog();
        let body = catalog.program(owner, name, ProgramKind::PackageBody);
        if let Some(body) = body.filter(|body| body.status != ProgramStatus::Valid) {
            let name = (body.owner.clone(), body.name.clone(), body.kind);
            connection.shared.programs.lock().invalid.push(name);
        }
        Ok(super::program::package_body(&catalog, owner, name))
    }

    fn trigger_table(&mut self, owner: &str, name: &str) -> Result<Option<(Box<str>, Box<str>)>> {
        let catalog = self.connection().session.catalog();
        let trigger = catalog.trigger(owner, name).and_then(|program| program.trigger.clone());
        let table = trigger.and_then(|trigger| catalog.object_by_number(trigger.base));
        Ok(table.map(|table| (table.owner().into(), table.name().into())))
    }

    fn prepare(
        &mut self,
        viewer: Viewer<'_>,
        sql: &SqlText,
        is_variable: &mut dyn FnMut(&[&str]) -> bool,
    ) -> Result<PreparedSql> {
        prepare(self.connection().tables()?, viewer, sql, is_variable)
    }

    fn dictionary_version(&mut self) -> Option<u64> {
        Some(self.connection().session.catalog().version())
    }

    fn viewer_name(&mut self) -> Box<str> {
        super::dictionary::viewer_name(&self.connection().session.rights())
    }

    fn context(&mut self) -> Result<Arc<dyn Context>> {
        self.connection().statement_context()
    }

    fn check(&mut self) -> Result<()> {
        self.connection().session.check_cancelled()
    }

    fn execute(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<Executed> {
        let (number, statement) = self.cursor(key, sql)?;
        let executed = self.lend(session, |host| host.execute_once(number, binds));
        self.give_back(number, statement);
        executed
    }

    fn execute_many(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Vec<Datum>],
    ) -> Result<ExecutedMany> {
        let (number, statement) = self.cursor(key, sql)?;
        let mut done = ExecutedMany::default();
        for (at, row) in binds.iter().enumerate() {
            match self.lend(session, |host| host.execute_once(number, row)) {
                Ok(executed) => {
                    done.rows.push(executed.rows);
                    done.returned.extend(executed.returned);
                }
                Err(error) => {
                    done.failed = Some((at, error));
                    break;
                }
            }
        }
        self.give_back(number, statement);
        Ok(done)
    }

    fn open(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<OpenQuery> {
        let (number, statement) = self.cursor(key, sql)?;
        let executed = self.lend(session, |host| {
            let connection = host.connection();
            connection.bind_numbered(number, binds).and_then(|()| connection.execute(number))
        });
        if let Err(error) = executed {
            self.give_back(number, statement);
            return Err(error);
        }
        Ok(self.opened(number, statement))
    }

    fn prepare_dynamic(&mut self, text: &str) -> Result<DynamicSql> {
        super::dynamic::prepare(self.connection(), text)
    }

    fn execute_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &mut [Datum]) -> Result<Executed> {
        self.lend(session, |host| {
            let connection = host.connection();
            let number = connection.parse(&sql.text)?;
            let result = super::dynamic::execute(connection, number, sql, binds);
            connection.close(number);
            result
        })
    }

    fn open_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &[Datum]) -> Result<OpenQuery> {
        let number = self.lend(session, |host| {
            let connection = host.connection();
            let number = connection.parse(&sql.text)?;
            let opened = super::dynamic::bind(connection, number, sql, binds).and_then(|()| connection.execute(number));
            if opened.is_err() {
                connection.close(number);
            }
            opened.map(|_| number)
        })?;
        Ok(self.opened(number, None))
    }

    fn fetch(&mut self, session: &mut Session, query: OpenQuery, rows: usize) -> Result<(Vec<Vec<Datum>>, bool)> {
        let cursor = self.cursor_of(query)?;
        let fetched = self.lend(session, |host| host.connection().fetch(cursor, rows))?;
        Ok((fetched.rows, fetched.end))
    }

    fn columns(&mut self, query: OpenQuery) -> Result<Vec<Column>> {
        let cursor = self.cursor_of(query)?;
        let described = self.connection().describe(cursor)?.into_iter();
        Ok(described
            .map(|column| Column { name: column.name.into(), data_type: column.data_type, nullable: column.nullable })
            .collect())
    }

    fn locks_rows(&mut self, query: OpenQuery) -> Result<bool> {
        let cursor = self.cursor_of(query)?;
        let statement = self.connection().statement_of(cursor)?;
        Ok(matches!(statement.statement, Statement::Query { lock: Some(_), .. }))
    }

    fn current_rowid(&mut self, query: OpenQuery, ahead: usize) -> Result<Datum> {
        let cursor = self.cursor_of(query)?;
        let none = || Error::user(1410, "invalid ROWID: the cursor is on no row, or locks none");
        self.connection().rowid_of_fetched(cursor, ahead).ok_or_else(none)
    }

    fn close(&mut self, query: OpenQuery) {
        let connection = self.connection();
        let found = connection.shared.programs.lock().queries.remove(&query);
        let Some(query) = found else { return };
        if query.statement.is_some() {
            connection.end_query(query.cursor);
        }
        self.give_back(query.cursor, query.statement);
    }

    fn sequence(&mut self, owner: &str, name: &str, next: bool) -> Result<Datum> {
        let tables = self.connection().tables()?;
        let sequence = tables.sequence(Some(owner), name)?;
        let sequence = sequence.ok_or_else(|| Error::user(2289, format!("sequence does not exist: {owner}.{name}")))?;
        sequence.one(next)
    }

    fn mark(&mut self) -> Mark {
        let connection = self.connection();
        let mark = connection.session.mark();
        let mut programs = connection.shared.programs.lock();
        let number = Mark(NEXT_MARK.fetch_add(1, Ordering::Relaxed));
        programs.marks.push((number, mark));
        number
    }

    fn back_to(&mut self, mark: Mark) -> Result<()> {
        let connection = self.connection();
        let found = connection.shared.programs.lock().place_of(mark).map(|(_, mark)| mark);
        let found = found.ok_or_else(|| Error::bug("a mark that was not given"))?;
        connection.session.rollback_to_mark(found)
    }

    fn forget(&mut self, mark: Mark) {
        let mut programs = self.connection().shared.programs.lock();
        if let Some((at, _)) = programs.place_of(mark) {
            programs.forget_marks(at);
        }
    }

    fn begin_autonomous(&mut self) -> Result<()> {
        let connection = self.connection().autonomous()?;
        self.autonomous.push(connection);
        Ok(())
    }

    fn end_autonomous(&mut self) -> Result<()> {
        let Some(mut connection) = self.autonomous.pop() else { return Err(Error::bug("no autonomous transaction")) };
        connection.give_back_to(self.connection())?;
        if !connection.session.in_transaction() {
            return Ok(());
        }
        connection.rollback()?;
        Err(Error::user(6519, "active autonomous transaction detected and rolled back"))
    }

    fn enter_rights(&mut self, owner: &str) -> Result<()> {
        self.enter(owner, Rights::of_owner(owner));
        Ok(())
    }

    fn leave_rights(&mut self) {
        self.leave();
    }

    fn native(&mut self, session: &mut Session, name: &str, arguments: &mut [Datum]) -> Result<Datum> {
        super::native::call(self, session, name, arguments)
    }
}
