//! A connection: one session and its open cursors.
//!
//! All work is done on the caller's thread. DataFusion's plans run in a runtime of this thread alone, in one partition,
//! so engine calls may block inside it and every wait has its session. Parse, execute and fetch are calls of the
//! session: the close of the instance cancels those that run, waits for them, and refuses further ones.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use common::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use common::{Error, ErrorKind, Result};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::execution::SessionState;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::{Optimizer, OptimizerRule};
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionConfig;
use engine::dictionary::Rights;
use engine::instance::Session;
use scalar::{Datum, Nls};
use storage::parameters::Parameter;
use tokio::runtime::Runtime;
use waits::{CallKind, SqlCall, Statistic};

use super::arrays::FetchedArrays;
use super::chain::OneStream;
use super::checked_rules;
use super::context::{StatementContext, local_time};
use super::database::Database;
use super::keep_order::KeepOrder;
use super::keys::ForgetKeys;
use super::library::SharedCursor;
use super::merge_joins::MergeJoins;
use super::nested::{CallPlace, Nested};
use super::nullable::ForgetConstants;
use super::open::{ColumnDescription, Cursor, CursorNumber, Prepared, Query};
use super::push_down::PushDown;
use super::shared::Shared;
use super::tables::SessionTables;
use super::trace::{self, CallStart};
use crate::functions::rows;
use crate::optimizer::transitive::Transitive;
use crate::plan::binder::{BindValue, Binder, Tables};
use crate::plan::bound::Bound;
use crate::plan::locking::LockingQuery;
use crate::plan::parameter::Parameters;
use crate::plan::query::Output;
use crate::statement::parse::Statement;

/// The result of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Executed {
    /// The words of the feedback: `SELECT`, `CREATE TABLE`, `INSERT` ….
    pub verb: &'static str,
    /// True: the statement is a query with rows to fetch.
    pub is_query: bool,
    /// Rows inserted, updated or deleted; of CREATE TABLE AS SELECT the rows of the table.
    pub rows: Option<u64>,
    /// CREATE FORCE VIEW or ALTER VIEW … COMPILE left a view that cannot be used.
    pub compilation_errors: bool,
}

/// Rows of a query.
#[derive(Clone, PartialEq, Debug)]
pub struct Fetched {
    pub rows: Vec<Vec<Datum>>,
    /// True: these are the last rows.
    pub end: bool,
}

/// One session; or, below a session whose statements call programs, the connection for the SQL of those programs.
pub struct Connection {
    pub(crate) database: Arc<Database>,
    pub(crate) session: Arc<Session>,
    /// State shared by all connections of the session.
    pub(crate) shared: Arc<Shared>,
    /// CURRENT_SCHEMA: the schema of names without an owner.
    pub(crate) schema: String,
    /// The kind of statement that calls it: whether its SQL may change rows and end transactions.
    pub(crate) place: CallPlace,
    /// The place of programs that its current statement calls.
    pub(crate) calling: Cell<CallPlace>,
    pub(crate) state: SessionState,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) demand: Arc<AtomicUsize>,
    /// For programs that its statements call.
    pub(crate) nested: Arc<Nested>,
    /// Number of the session's connections above it.
    level: usize,
    /// The last query that was parsed and closed without an execution, until the next execution: EXECUTE IMMEDIATE
    /// describes its statement before it opens it.
    unexecuted: Option<Unexecuted>,
}

/// A query that was bound, with the rights under which it was.
struct Unexecuted {
    shared: Arc<SharedCursor>,
    rights: Rights,
    prepared: Prepared,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Start of a session's random numbers.
fn seed(session: &Session) -> u64 {
    session.instance().clock().wall_us() ^ (u64::from(session.sid()) << 48)
}

/// DataFusion's optimiser rules, with corrections.
fn logical_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> = Vec::new();
    for rule in Optimizer::new().rules {
        if ForgetKeys::comes_before(rule.name()) {
            rules.push(Arc::new(ForgetKeys::default()));
        }
        let push_down = PushDown::default();
        if rule.name() == push_down.name() {
            rules.push(Arc::new(Transitive));
            rules.push(Arc::new(push_down));
        } else {
            rules.push(rule);
        }
    }
    rules
}

impl Connection {
    pub(crate) fn new(database: Arc<Database>, user: &str, password: Option<&str>) -> Result<Self> {
        let user = user.to_uppercase();
        let session = database.instance().connect(&user)?;
        session.authenticate(&user, password)?;
        Self::of_session(database, session)
    }

    /// A session that the database itself begins for a user: a job.
    pub(crate) fn of_user(database: Arc<Database>, user: &str) -> Result<Self> {
        let session = database.instance().connect(user)?;
        Self::of_session(database, session)
    }

    fn of_session(database: Arc<Database>, session: Arc<Session>) -> Result<Self> {
        let shared = Shared::new(seed(&session));
        Self::with_shared(database, session, shared, 0)
    }

    /// A session of a user that works for this one within its call, with a transaction of its own: for example an
    /// autonomous transaction.
    pub(crate) fn worker(&self, user: &str) -> Result<Self> {
        let session = self.session.connect_for(user)?;
        let shared = self.shared.for_worker(trace::path_of(&self.session, &self.shared));
        Self::with_shared(Arc::clone(&self.database), session, shared, self.nested.level())
    }

    /// A session for an autonomous transaction of this one; to the user it is the same session. It has the same
    /// settings, names, rights, sequence values and client description, and writes into the same trace.
    ///
    /// # Errors
    /// ORA-00020 no process left; ORA-48100 the trace file cannot be written.
    pub(crate) fn autonomous(&self) -> Result<Self> {
        let mut worker = self.worker(&self.user())?;
        worker.schema.clone_from(&self.schema);
        worker.session.assume(Some(self.session.rights()));
        worker.session.parameters().take_over(self.session.parameters());
        worker.session.change_work(|work| *work = self.session.work());
        worker.set_isolation(self.shared.transaction.lock().isolation);
        worker.refresh_nls()?;
        trace::join(&worker.session, &self.session, &worker.shared)?;
        Ok(worker)
    }

    /// Copies the settings of an autonomous transaction's session back to its caller.
    ///
    /// # Errors
    /// ORA-48100 the trace file cannot be written.
    pub(crate) fn give_back_to(&self, caller: &mut Self) -> Result<()> {
        caller.session.parameters().take_over(self.session.parameters());
        caller.session.change_work(|work| *work = self.session.work());
        let isolation = self.shared.transaction.lock().isolation;
        if isolation != caller.shared.transaction.lock().isolation {
            caller.set_isolation(isolation);
        }
        caller.refresh_nls()?;
        trace::part(&self.session, &caller.session)
    }

    /// `calls`: number of connections of other sessions above it.
    fn with_shared(database: Arc<Database>, session: Arc<Session>, shared: Shared, calls: usize) -> Result<Self> {
        let mut config = SessionConfig::new().with_target_partitions(1).with_information_schema(false);
        // The limit ends a DISTINCT at so many rows, and is wrong where the planner sorts the DISTINCT's input
        // afterwards.
        config.options_mut().optimizer.enable_distinct_aggregation_soft_limit = false;
        // The check wants both kinds of plans to agree on what may be NULL. Of CASE WHEN a = b THEN a … the logical
        // plan can tell that it is none, the physical one cannot.
        config.options_mut().execution.skip_physical_aggregate_schema_check = true;
        let mut rules = PhysicalOptimizer::new().rules;
        // The rule finds columns by name: if two inputs have a name in common, a condition may go to the wrong one. Its
        // use, scans that take conditions while they run, does not exist here; the logical plan's conditions are in
        // their places already.
        rules.retain(|rule| !rule.name().starts_with("FilterPushdown"));
        rules.insert(0, Arc::new(MergeJoins));
        rules.insert(1, Arc::new(OneStream));
        rules.insert(2, Arc::new(KeepOrder));
        rules.insert(3, Arc::new(ForgetConstants));
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(database.query_environment()?)
            .with_analyzer_rules(checked_rules::analyzing(&session))
            .with_optimizer_rules(checked_rules::optimizing(&session, logical_rules()))
            .with_physical_optimizer_rules(checked_rules::physical(&session, rules))
            .build();
        let connection = Self::of_depth(database, session, Arc::new(shared), state, (0, calls))?;
        connection.refresh_nls()?;
        Ok(connection)
    }

    /// A connection of a session, below `level` others of it, and `calls` in all.
    pub(super) fn of_depth(
        database: Arc<Database>,
        session: Arc<Session>,
        shared: Arc<Shared>,
        state: SessionState,
        (level, calls): (usize, usize),
    ) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| {
            Error::own(ErrorKind::OutOfResource, 63, format!("no runtime for the session: {error}"))
        })?;
        let below = Nested::new(Arc::clone(&database), Arc::clone(&session), Arc::clone(&shared), state.clone(), calls);
        Ok(Self {
            schema: session.user(),
            database,
            session,
            shared,
            place: CallPlace::Free,
            calling: Cell::default(),
            state,
            runtime: Arc::new(runtime),
            demand: Arc::default(),
            nested: Arc::new(below),
            level,
            unexecuted: None,
        })
    }

    /// True: it runs the session's own statements, not those of programs that statements call.
    pub(crate) fn is_outermost(&self) -> bool {
        self.level == 0
    }

    /// The session's user.
    #[must_use]
    pub fn user(&self) -> String {
        self.session.user()
    }

    /// The rights in force.
    pub(crate) fn effective_user(&self) -> Rights {
        self.session.rights()
    }

    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    #[must_use]
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Flag that cancels the running call when set: ORA-01013.
    #[must_use]
    pub fn cancel_handle(&self) -> Arc<AtomicBool> {
        self.session.cancel_handle()
    }

    /// Reads the NLS settings from the session's parameters.
    pub(crate) fn refresh_nls(&self) -> Result<()> {
        let parameters = self.session.parameters();
        let mut nls = Nls::default();
        nls.set_date_format(&parameters.text(Parameter::NlsDateFormat))?;
        nls.set_timestamp_format(&parameters.text(Parameter::NlsTimestampFormat))?;
        nls.set_numeric_characters(&parameters.text(Parameter::NlsNumericCharacters))?;
        *self.shared.nls.lock() = Arc::new(nls);
        Ok(())
    }

    /// The context of a statement that begins now.
    pub(crate) fn statement_context(&self) -> Result<Arc<dyn scalar::Context>> {
        Ok(Arc::new(self.statement()?))
    }

    /// The same by its own type.
    pub(crate) fn statement(&self) -> Result<StatementContext> {
        let user = self.session.user();
        let user_id = self.session.catalog().user(&user).map_or(0, |user| user.number.0);
        Ok(StatementContext {
            nls: Arc::clone(&self.shared.nls.lock()),
            now: local_time(self.session.meter().clock().wall_us())?,
            user,
            user_id,
            schema: self.schema.clone(),
            session: Arc::clone(&self.session),
            random: Arc::clone(&self.shared.random),
        })
    }

    pub(crate) fn tables(&self) -> Result<SessionTables> {
        let context = self.statement_context()?;
        Ok(SessionTables {
            database: Arc::clone(&self.database),
            session: Arc::clone(&self.session),
            catalog: self.session.catalog(),
            schema: self.schema.clone(),
            user: self.effective_user(),
            names_only: false,
            compiling: false,
            parameters: Parameters::new(Arc::clone(&context), Vec::new()),
            context,
            within: Vec::new(),
            demand: Arc::clone(&self.demand),
            current_values: Arc::clone(&self.shared.current_values),
            nested: Arc::clone(&self.nested),
            place: self.calling.get(),
            loading: self.shared.loading.lock().clone(),
        })
    }

    /// Runs `work` with a binder over this session's tables.
    pub(crate) fn with_binder<R>(
        &self,
        text: &str,
        binds: &[(String, Datum)],
        work: impl FnOnce(&Binder<'_>) -> Result<R>,
    ) -> Result<R> {
        self.tables()?.with_binder(text, binds, work)
    }

    /// A value as text, by the session's NLS settings.
    ///
    /// # Errors
    /// Errors of formatting a date.
    pub fn text(&self, value: &Datum) -> Result<String> {
        scalar::coerce::to_text(&*self.statement_context()?, value)
    }

    /// Notices since the last call: clauses without effect.
    pub fn take_notices(&self) -> Vec<String> {
        self.shared.take_notices()
    }

    // The calls of a cursor.

    /// Opens a cursor and parses a statement in it. A query without bind variables is checked against the dictionary
    /// and can be described.
    ///
    /// # Errors
    /// The statement's error, with the byte offset if known.
    pub fn parse(&mut self, text: &str) -> Result<CursorNumber> {
        let _call = self.session.call()?;
        let meter = Arc::clone(self.session.meter());
        let start = CallStart::now(&self.session);
        self.count_call();
        meter.count(Statistic::ParseCountTotal, 1);
        let number = self.shared.cursors.lock().next();
        let before = meter.set_current_cursor(number);
        let parsed = self.parse_statement(text);
        meter.set_current_cursor(before);
        let cursor = match parsed {
            Ok(cursor) => cursor,
            Err(error) => {
                meter.count(Statistic::ParseCountFailures, 1);
                self.trace_parse_error(number, text, &error);
                return Err(error);
            }
        };
        let misses = u64::from(cursor.parse_was_hard);
        meter.count(Statistic::ParseCountHard, misses);
        meter.count(Statistic::OpenedCursorsCumulative, 1);
        meter.count(Statistic::OpenedCursorsCurrent, 1);
        let ids = self.user_ids();
        let statement = cursor.shared.figures(&self.session, &self.schema);
        let figures = start.figures(&self.session, self.shared.depth(), Some((statement, SqlCall::Parse)), misses, 0);
        meter.count(Statistic::ParseTimeCpu, figures.cpu_us);
        meter.count(Statistic::ParseTimeElapsed, figures.elapsed_us);
        meter.trace(|trace| {
            trace.parsing(number, &trace::parsed(&self.session, &cursor.shared, self.shared.depth(), ids))
        });
        trace::call(&self.session, CallKind::Parse, number, &figures);
        self.shared.cursors.lock().put(number, cursor);
        Ok(number)
    }

    fn count_call(&self) {
        let call = if self.shared.is_recursive() { Statistic::RecursiveCalls } else { Statistic::UserCalls };
        self.session.meter().count(call, 1);
    }

    /// The numbers of the session's user and of the one whose rights count.
    fn user_ids(&self) -> (u32, u32) {
        let catalog = self.session.catalog();
        let number = |user: &str| catalog.user(user).map_or(0, |user| user.number.0);
        (number(&self.session.user()), number(&self.session.rights().to_string()))
    }

    fn trace_parse_error(&self, number: CursorNumber, text: &str, error: &Error) {
        if self.session.meter().trace_level() == 0 {
            return;
        }
        let code = match error.number {
            common::Number::Ora(code) | common::Number::Hw(code) | common::Number::Sp2(code) => code,
        };
        let sql_id = waits::sql_id(text);
        let (uid, lid) = self.user_ids();
        let parsed = waits::ParsedCursor {
            text,
            depth: self.shared.depth(),
            uid,
            lid,
            oct: 0,
            hash: waits::sql_hash(text),
            sql_id: &sql_id,
            address: 0,
            tim: self.session.meter().tim(),
        };
        self.session.meter().trace(|trace| trace.parse_error(number, &parsed, code));
    }

    fn parse_statement(&mut self, text: &str) -> Result<Cursor> {
        let catalog = self.session.catalog();
        let (shared, hard) = self.database.library().find(text, &self.schema, catalog.version())?;
        let mut cursor = Cursor { parse_was_hard: hard, ..Cursor::new(shared) };
        if let Some(columns) = self.known_columns(&cursor.shared) {
            cursor.columns = columns;
            return Ok(cursor);
        }
        let known = self.unexecuted.take().filter(|known| Arc::ptr_eq(&known.shared, &cursor.shared));
        if let Some(Unexecuted { rights, prepared, .. }) = known
            && rights == self.session.rights()
            && self.is_fresh(&prepared)
        {
            cursor.columns = describe(&prepared.query.outputs);
            cursor.prepared = Some(prepared);
            return Ok(cursor);
        }
        if let Statement::Query { query, headings, lock } = &cursor.shared.statement {
            self.calling.set(CallPlace::Query);
            let bound = match lock {
                None => self.with_binder(text, &[], |binder| binder.statement_query(query, headings)),
                // A FOR UPDATE query is bound again when it is executed.
                Some(lock) => self
                    .with_binder(text, &[], |binder| binder.locking_query(query, headings, lock))
                    .map(LockingQuery::without_rowids),
            };
            match bound {
                Ok(query) => {
                    cursor.columns = describe(&query.outputs);
                    let wall_us = self.session.meter().clock().wall_us();
                    let (catalog_version, nls) = (catalog.version(), Arc::clone(&self.shared.nls.lock()));
                    cursor.prepared = lock.is_none().then_some(Prepared { query, catalog_version, nls, wall_us });
                }
                // Bind variables have no values yet: the rest is checked at execution.
                Err(error) if error.is_ora(1008) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(cursor)
    }

    /// Runs `work` with an idle cursor.
    fn with_cursor<R>(&self, number: CursorNumber, work: impl FnOnce(&mut Cursor) -> R) -> Result<R> {
        self.shared.cursors.lock().get(number).map(work)
    }

    /// The columns of a cursor's query; empty for other statements, and for a query with bind variables before its
    /// execution.
    ///
    /// # Errors
    /// ORA-01001 when there is no such cursor.
    pub fn describe(&mut self, number: CursorNumber) -> Result<Vec<ColumnDescription>> {
        self.with_cursor(number, |cursor| cursor.columns.clone())
    }

    /// Gives a bind variable its value. `name` is without the colon.
    ///
    /// # Errors
    /// ORA-01001 when there is no such cursor.
    pub fn bind(&mut self, number: CursorNumber, name: &str, value: Datum) -> Result<()> {
        let name = name.trim_start_matches(':').to_uppercase();
        self.with_cursor(number, |cursor| {
            cursor.prepared = None;
            cursor.binds.retain(|(variable, _)| *variable != name);
            cursor.binds.push((name, value));
        })
    }

    /// Gives the bind variables `:B1`, `:B2` … their values.
    pub(crate) fn bind_numbered(&mut self, number: CursorNumber, values: &[Datum]) -> Result<()> {
        self.with_cursor(number, |cursor| {
            cursor.prepared = None;
            if cursor.binds.len() == values.len() {
                for ((_, bound), value) in cursor.binds.iter_mut().zip(values) {
                    bound.clone_from(value);
                }
            } else {
                let named = |(at, value): (usize, &Datum)| (format!("B{}", at + 1), value.clone());
                cursor.binds = values.iter().enumerate().map(named).collect();
            }
        })
    }

    /// Ends the query of a cursor that stays open.
    pub(crate) fn end_query(&mut self, number: CursorNumber) {
        let wall_us = self.session.meter().clock().wall_us();
        let _ = self.with_cursor(number, |cursor| cursor.end(wall_us));
    }

    /// The rowid, in the first table, of a fetched row of a query that has locked its rows: of the last but `ahead`.
    pub(crate) fn rowid_of_fetched(&self, number: CursorNumber, ahead: usize) -> Option<Datum> {
        let last = |cursor: &mut Cursor| *cursor.locked_rows.get(cursor.fetched.checked_sub(1 + ahead)?)?;
        let rowid = self.with_cursor(number, last).ok()??;
        Some(Datum::varchar2(rowid.to_string()))
    }

    /// Describes a cursor's query while these bind variables have no values.
    pub(crate) fn describe_unbound(
        &mut self,
        number: CursorNumber,
        variables: &[Box<str>],
    ) -> Result<Vec<ColumnDescription>> {
        let shared = self.statement_of(number)?;
        let Statement::Query { query, headings, .. } = &shared.statement else { return Ok(Vec::new()) };
        let binds: Vec<(String, Datum)> = variables.iter().map(|name| (name.to_string(), Datum::Null)).collect();
        let bound = self.with_binder(&shared.text, &binds, |binder| binder.statement_query(query, headings))?;
        Ok(describe(&bound.outputs))
    }

    /// The statement of a cursor.
    pub(crate) fn statement_of(&mut self, number: CursorNumber) -> Result<Arc<SharedCursor>> {
        self.with_cursor(number, |cursor| Arc::clone(&cursor.shared))
    }

    /// The values of RETURNING … INTO of the last execution: bind variables, upper case, and values. Empty when there
    /// was no row.
    ///
    /// # Errors
    /// ORA-01001 when there is no such cursor.
    pub fn returned(&mut self, number: CursorNumber) -> Result<Vec<(String, Datum)>> {
        self.with_cursor(number, |cursor| cursor.returned.clone())
    }

    /// The values of RETURNING of each row of the last execution.
    pub(crate) fn returned_rows(&self, number: CursorNumber) -> Result<Vec<Vec<Datum>>> {
        self.with_cursor(number, |cursor| std::mem::take(&mut cursor.returned_rows))
    }

    /// Executes a cursor.
    ///
    /// # Errors
    /// Any error of the statement, which leaves no change.
    pub fn execute(&mut self, number: CursorNumber) -> Result<Executed> {
        let _call = self.session.call()?;
        let mut cursor = self.take_cursor(number)?;
        self.unexecuted = None;
        let meter = Arc::clone(self.session.meter());
        let start = CallStart::now(&self.session);
        self.count_call();
        meter.count(Statistic::ExecuteCount, 1);
        self.database.library().uses.pinned(cursor.shared.executed.swap(true, Ordering::Relaxed));
        cursor.running = None;
        cursor.snapshot = None;
        cursor.row_sources.clear();
        cursor.returned.clear();
        cursor.returned_rows.clear();
        cursor.locked_rows.clear();
        cursor.fetched = 0;
        cursor.measured = self.measures(&cursor.shared);
        let before = meter.set_current_cursor(number);
        trace::binds(&self.session, number, &cursor.binds, |value| self.text(value).unwrap_or_default());
        let outer = self.session.set_statement(Some(Arc::clone(&cursor.shared.text)));
        let result = self.execute_statement(&mut cursor);
        self.session.set_statement(outer);
        meter.set_current_cursor(before);
        if let Some(deadlock) = self.session.take_deadlock() {
            trace::deadlock(&self.session, &deadlock);
        }
        let rows = result.as_ref().ok().and_then(|executed| executed.rows).unwrap_or(0);
        // The library was searched at the parse.
        let statement = cursor.shared.figures(&self.session, &self.schema);
        let figures = start.figures(&self.session, self.shared.depth(), Some((statement, SqlCall::Execute)), 0, rows);
        trace::call(&self.session, CallKind::Exec, number, &figures);
        if let Err(error) = &result {
            trace::failed(&self.session, number, error);
        }
        cursor.executed = true;
        if result.is_ok() {
            self.note_executed(&cursor, &figures);
        }
        self.shared.cursors.lock().put(number, cursor);
        self.after_call(result)
    }

    fn take_cursor(&self, number: CursorNumber) -> Result<Cursor> {
        self.shared.cursors.lock().take(number).ok_or_else(|| Error::user(1001, "invalid cursor"))
    }

    /// End of the outermost call: cleans up after programs that a statement has called.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped meanwhile: the result may rest on changes that are lost.
    fn after_call<R>(&mut self, result: Result<R>) -> Result<R> {
        let result = result.and_then(|value| self.session.instance().health().check_readable().map(|()| value));
        if self.is_outermost() && !self.shared.is_recursive() && self.shared.take_called() {
            let ended = self.end_programs();
            return result.and_then(|value| ended.map(|()| value));
        }
        result
    }

    /// Fetches up to `rows` rows of a cursor's query.
    ///
    /// # Errors
    /// ORA-01002 when the cursor has no query running; any other error, which ends the query.
    pub fn fetch(&mut self, number: CursorNumber, rows: usize) -> Result<Fetched> {
        let (rows, end) = self.fetch_as(number, rows, |query| query.fetch(rows), Vec::len)?;
        Ok(Fetched { rows, end })
    }

    /// Fetches up to `rows` rows of a cursor's query as arrays, one a column: the way for many rows.
    ///
    /// # Errors
    /// As [`Connection::fetch`].
    pub fn fetch_arrays(&mut self, number: CursorNumber, rows: usize) -> Result<FetchedArrays> {
        let count = |batches: &Vec<RecordBatch>| batches.iter().map(RecordBatch::num_rows).sum();
        let (batches, end) = self.fetch_as(number, rows, |query| query.fetch_arrays(rows), count)?;
        Ok(FetchedArrays { batches, end })
    }

    /// Fetches up to `rows` rows in the form that `take` gives; `count` counts them. True: these are the last.
    fn fetch_as<R>(
        &mut self,
        number: CursorNumber,
        rows: usize,
        take: impl FnOnce(&mut Query) -> Result<R>,
        count: impl FnOnce(&R) -> usize,
    ) -> Result<(R, bool)> {
        let _call = self.session.call()?;
        let mut cursor = self.take_cursor(number)?;
        let meter = Arc::clone(self.session.meter());
        let start = CallStart::now(&self.session);
        self.count_call();
        let before = meter.set_current_cursor(number);
        let outer = self.session.set_statement(Some(Arc::clone(&cursor.shared.text)));
        let seen = cursor.snapshot.clone().map(|snapshot| self.session.enter(snapshot));
        let result = match &mut cursor.running {
            Some(query) => take(query),
            None => Err(Error::user(1002, "fetch out of sequence")),
        };
        drop(seen);
        self.session.set_statement(outer);
        meter.set_current_cursor(before);
        let count = result.as_ref().map_or(0, count);
        let statement = cursor.shared.figures(&self.session, &self.schema);
        let figures =
            start.figures(&self.session, self.shared.depth(), Some((statement, SqlCall::Fetch)), 0, count as u64);
        trace::call(&self.session, CallKind::Fetch, number, &figures);
        if let Err(error) = &result {
            trace::failed(&self.session, number, error);
        }
        cursor.fetched += count;
        let end = count < rows;
        if end {
            cursor.end(meter.clock().wall_us());
        }
        self.shared.cursors.lock().put(number, cursor);
        self.after_call(result.map(|rows| (rows, end)))
    }

    /// Ends the queries whose row locks end with the transaction, or with a rollback to a savepoint: a later fetch gets
    /// ORA-01002.
    pub(crate) fn close_locking_cursors(&mut self, since: u64) {
        let wall_us = self.session.meter().clock().wall_us();
        for cursor in self.shared.cursors.lock().all().filter(|cursor| cursor.locked_at.is_some_and(|at| at > since)) {
            cursor.locked_at = None;
            cursor.end(wall_us);
        }
    }

    /// Closes a cursor.
    pub fn close(&mut self, number: CursorNumber) {
        let Ok(mut cursor) = self.take_cursor(number) else { return };
        let start = CallStart::now(&self.session);
        cursor.end(self.session.meter().clock().wall_us());
        if let Some(prepared) = cursor.prepared.take() {
            let (shared, rights) = (Arc::clone(&cursor.shared), self.session.rights());
            self.unexecuted = Some(Unexecuted { shared, rights, prepared });
        }
        if let Some(plan) = cursor.plan.take() {
            self.shared.kept_plans.lock().put(plan);
        }
        self.session.meter().discount(Statistic::OpenedCursorsCurrent, 1);
        if cursor.executed {
            trace::row_sources(&self.session, number, &cursor.row_sources);
        }
        let figures = start.figures(&self.session, self.shared.depth(), None, 0, 0);
        trace::call(&self.session, CallKind::Close, number, &figures);
    }

    /// Parses and executes a statement that is no query, and closes its cursor.
    ///
    /// # Errors
    /// Any error of the statement.
    pub fn run(&mut self, text: &str) -> Result<Executed> {
        let cursor = self.parse(text)?;
        let result = self.execute(cursor);
        self.close(cursor);
        result
    }

    /// All rows of a query.
    ///
    /// # Errors
    /// Any error of the query.
    pub fn query(&mut self, text: &str) -> Result<Vec<Vec<Datum>>> {
        let cursor = self.parse(text)?;
        let result = self.execute(cursor).and_then(|_| self.fetch(cursor, usize::MAX));
        self.close(cursor);
        result.map(|fetched| fetched.rows)
    }

    /// Columns of a table or view, named as `NAME` or `OWNER.NAME`.
    ///
    /// # Errors
    /// ORA-04043 when there is none of that name.
    pub fn describe_object(&mut self, name: &str) -> Result<Vec<ColumnDescription>> {
        let _call = self.session.call()?;
        let mut words = crate::statement::words::Words::new(name)?;
        let (owner, table) = words.name()?;
        words.end()?;
        let relation = self
            .tables()?
            .relation(owner.as_deref(), &table, &crate::plan::hints::Hints::default())
            // A sequence has no columns.
            .or_else(|error| if error.is_ora(2201) { Ok(None) } else { Err(error) })?
            .ok_or_else(|| Error::user(4043, format!("object {name} does not exist")))?;
        Ok(relation
            .columns
            .into_iter()
            .filter(|column| !column.pseudo)
            .map(|column| ColumnDescription {
                name: column.name,
                data_type: column.data_type,
                kind: scalar::DatumType::from(column.data_type),
                nullable: column.nullable,
            })
            .collect())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_outermost() {
            return;
        }
        let open = self.shared.cursors.lock().numbers();
        for number in open {
            self.close(number);
        }
        // The caller has committed a transaction that it wants to keep. An error leaves the transaction to the end of
        // the session.
        if self.session.in_transaction() {
            let _ = self.rollback();
        }
        // A trace that could not be written has reported it at the request; this place has no caller to report to.
        let _ = trace::stop(&self.session);
    }
}

pub(crate) fn describe(outputs: &[Output]) -> Vec<ColumnDescription> {
    outputs
        .iter()
        .map(|output| ColumnDescription {
            name: output.name.clone(),
            data_type: output.declared,
            kind: output.kind,
            nullable: output.nullable,
        })
        .collect()
}

pub(crate) fn bind_value((name, value): &(String, Datum)) -> Result<BindValue> {
    let kind = value.datum_type();
    let expr = datafusion::logical_expr::Expr::Literal(rows::to_scalar(value, kind)?, None);
    Ok((name.clone(), Bound::new(expr, kind)))
}
