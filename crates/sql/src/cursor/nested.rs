//! Programs that a running statement calls: triggers, and functions in its expressions.
//!
//! ```text
//! Connection ──> Nested ──> Connection of the next depth ──> Nested ──> …
//!      │            │              │                     each keeps the one below it for the next call
//!      └────────────┴──────────────┴──> Shared, engine session
//!                                                        one transaction, one PL/SQL state, one table of cursors
//! ```
//!
//! A connection is borrowed while it executes a statement; the SQL of called programs runs on the connection of the
//! next depth, which has a runtime of its own.

use std::fmt;
use std::sync::Arc;

use common::sync::Mutex;
use common::{Error, ErrorKind, Result};
use datafusion::execution::SessionState;
use engine::dictionary::Rights;
use engine::instance::Session;
use plsql::run::session::{NESTING_MAX, Session as ProgramSession};

use super::connection::Connection;
use super::database::Database;
use super::shared::Shared;
use crate::plsql::SessionHost;

/// Stack of a thread for programs. Memory is committed as it is used.
const STACK_BYTES: usize = 16 << 20;

/// The kind of statement that calls a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum CallPlace {
    #[default]
    Free,
    /// DML: transactions do not end in it.
    Change,
    /// A query: no rows change in it.
    Query,
}

/// The caller for whom a statement calls programs.
#[derive(Debug)]
pub(crate) struct Caller<'c> {
    pub(crate) schema: &'c str,
    pub(crate) rights: Rights,
    pub(crate) place: CallPlace,
}

/// Calls of programs from the statements of a connection.
pub(crate) struct Nested {
    database: Arc<Database>,
    session: Arc<Session>,
    shared: Arc<Shared>,
    state: SessionState,
    /// Number of connections above this one's, including those of sessions that the session works for: they share a
    /// stack.
    level: usize,
    /// Idle connections of the next depth.
    idle: Mutex<Vec<Connection>>,
}

impl fmt::Debug for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nested").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Nested {
    pub(crate) fn new(
        database: Arc<Database>,
        session: Arc<Session>,
        shared: Arc<Shared>,
        state: SessionState,
        level: usize,
    ) -> Self {
        Self { database, session, shared, state, level, idle: Mutex::default() }
    }

    pub(super) fn level(&self) -> usize {
        self.level
    }

    /// The state that all connections of the session share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Runs `work` with the session's programs. Their SQL has the names and the rights of `owner`.
    ///
    /// # Errors
    /// ORA-00036 when programs and statements call each other too deeply; those of `work`.
    pub(crate) fn call<R: Send>(
        &self,
        owner: &str,
        work: impl FnOnce(&mut SessionHost<'_>, &mut ProgramSession) -> Result<R> + Send,
    ) -> Result<R> {
        self.call_as(&Caller { schema: owner, rights: Rights::of_owner(owner), place: CallPlace::Free }, work)
    }

    /// The same with the caller's names and rights given: a program with its owner's rights has others.
    ///
    /// # Errors
    /// As [`Nested::call`].
    pub(crate) fn call_as<R: Send>(
        &self,
        caller: &Caller<'_>,
        work: impl FnOnce(&mut SessionHost<'_>, &mut ProgramSession) -> Result<R> + Send,
    ) -> Result<R> {
        if self.level >= NESTING_MAX {
            return Err(Error::user(36, format!("maximum number of recursive SQL levels ({NESTING_MAX}) exceeded")));
        }
        let mut connection = self.connection()?;
        caller.schema.clone_into(&mut connection.schema);
        connection.place = caller.place;
        let before = self.session.assume(Some(caller.rights.clone()));
        let rights = scopeguard::guard(before, |before| drop(self.session.assume(before)));
        self.shared.note_called();
        let result = if self.needs_thread() {
            on_thread(|| {
                let _moved = self.session.moved();
                connection.with_programs(work)
            })
        } else {
            connection.with_programs(work)
        };
        drop(rights);
        self.idle.lock().push(connection);
        result
    }

    fn connection(&self) -> Result<Connection> {
        if let Some(connection) = self.idle.lock().pop() {
            return Ok(connection);
        }
        let (database, session) = (Arc::clone(&self.database), Arc::clone(&self.session));
        Connection::of_depth(
            database,
            session,
            Arc::clone(&self.shared),
            self.state.clone(),
            (self.level + 1, self.level + 1),
        )
    }

    /// Expressions are evaluated while a runtime of this thread drives the query, and a thread drives one runtime at a
    /// time. Each depth also takes its share of the stack: every second one begins on a new thread, so that the limit
    /// of nesting is reached before the stack's end.
    fn needs_thread(&self) -> bool {
        tokio::runtime::Handle::try_current().is_ok() || self.level % 2 == 1
    }
}

/// Runs `work` on another thread while this one waits.
fn on_thread<R: Send>(work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    common::sync::run_aside("programs", STACK_BYTES, work).unwrap_or_else(|error| {
        Err(Error::own(ErrorKind::OutOfResource, 2, format!("no thread for the programs of a statement: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use common::SystemClock;
    use device::MemoryFileSystem;
    use engine::instance::Instance;
    use engine::startup::CreateOptions;
    use waits::Statistic;

    use super::*;

    fn connection() -> Connection {
        let parameters = vec![("db_cache_size".to_owned(), "16M".to_owned())];
        let options = CreateOptions { parameters, ..CreateOptions::default() };
        let (files, clock) = (Arc::new(MemoryFileSystem::default()), Arc::new(SystemClock::default()));
        let instance = Instance::create(files, Path::new("/database"), clock, None, &options).unwrap();
        let mut connection = Database::new(instance).connect("system", None).unwrap();
        connection.run("create table t (a number)").unwrap();
        connection.enable_output(None);
        connection
    }

    fn block(nested: &Nested, text: &str) -> Result<()> {
        nested.call("SYSTEM", |host, session| session.run_block(host, text, &mut []))
    }

    fn deeper(nested: &Nested, depth: usize) -> Result<usize> {
        nested.call("SYSTEM", |host, _| {
            let connection = host.connection();
            connection.run("insert into t values (1)")?;
            let below = Arc::clone(&connection.nested);
            deeper(&below, depth + 1).or_else(|error| if error.is_ora(36) { Ok(depth + 1) } else { Err(error) })
        })
    }

    #[test]
    fn a_statement_calls_programs_of_its_own_session() {
        let mut connection = connection();
        connection
            .run("create package p as n number := 0; procedure more; end p;")
            .and_then(|_| connection.run("create package body p as procedure more is begin n := n + 1; end; end p;"))
            .unwrap();
        connection.run("begin p.more; insert into t values (1); end;").unwrap();
        let meter = Arc::clone(connection.session.meter());
        let calls = meter.value(Statistic::UserCalls);
        let nested = Arc::clone(&connection.nested);
        let text = "declare c number; begin
            p.more; insert into t values (2); select count(*) into c from t; dbms_output.put_line(p.n || ' ' || c);
        end;";
        block(&nested, text).unwrap();
        assert_eq!(connection.take_output(), ["2 2"]);
        // While a runtime of this thread is running, as for a function in a query.
        let runtime = Arc::clone(&connection.runtime);
        runtime.block_on(async { block(&nested, text) }).unwrap();
        assert_eq!(connection.take_output(), ["3 3"]);
        assert_eq!(meter.value(Statistic::UserCalls), calls);
        // Only the failed statement is rolled back.
        assert!(block(&nested, "begin delete from t; raise no_data_found; end;").unwrap_err().is_ora(1403));
        assert_eq!(connection.query("select * from t").unwrap().len(), 3);
        connection.run("rollback").unwrap();
        assert!(connection.query("select * from t").unwrap().is_empty());
    }

    #[test]
    fn the_sql_of_a_trigger_is_parsed_once_a_session() {
        let mut connection = connection();
        connection.run("create table log (a number)").unwrap();
        let trigger = "create trigger t_log after insert on t for each row
            declare n number; begin insert into log values (:new.a); select count(*) into n from log; end;";
        connection.run(trigger).unwrap();
        connection.run("insert into t values (0)").unwrap();
        let meter = Arc::clone(connection.session.meter());
        let before = [Statistic::ParseCountTotal, Statistic::UserCalls].map(|statistic| meter.value(statistic));
        let executed = connection.run("insert into t select level from dual connect by level <= 50").unwrap();
        assert_eq!(executed.rows, Some(50));
        let after = [Statistic::ParseCountTotal, Statistic::UserCalls].map(|statistic| meter.value(statistic));
        // One parse and one execute of the statement itself.
        assert_eq!([after[0] - before[0], after[1] - before[1]], [1, 2]);
        assert_eq!(connection.query("select * from log").unwrap().len(), 51);
    }

    #[test]
    fn triggers_without_end_are_an_error() {
        let mut connection = connection();
        connection.run("insert into t values (1)").unwrap();
        connection.run("create trigger t_again after update on t begin update t set a = a + 1; end;").unwrap();
        assert!(connection.run("update t set a = 2").unwrap_err().is_ora(36));
        assert_eq!(connection.query("select a from t").unwrap(), [[scalar::Datum::from(1i64)]]);
    }

    #[test]
    fn nesting_ends_before_the_stack_does() {
        let mut connection = connection();
        let nested = Arc::clone(&connection.nested);
        assert_eq!(deeper(&nested, 0).unwrap(), NESTING_MAX);
        assert_eq!(connection.query("select * from t").unwrap().len(), NESTING_MAX);
        assert_eq!(deeper(&nested, 0).unwrap(), NESTING_MAX);
    }
}
