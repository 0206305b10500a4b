//! The two sides: a database with the tables and procedures, and sessions that call them. Each call is a transaction,
//! and it has returned when the commit is durable.

use std::path::Path;
use std::sync::Arc;

use common::{Error, Result};
use peer::{Installation, Postgres, PostgresSession, refusal};
use postgres::Statement;
use postgres::error::SqlState;
use postgres::types::ToSql;
use sql::{Connection, CursorNumber, Datum};

use super::dialect::{Dialect, TABLESPACE};
use super::inputs::{Argument, Kind, Transaction};
use super::load;
use super::procedures::procedures;
use super::schema;
use super::size::Size;
use crate::laboratory::{Laboratory, numbers};
use crate::modelled_run::ModelledRun;

/// ORA-00060: deadlock detected while waiting for resource.
const DEADLOCK: u32 = 60;

/// What came of a call.
pub(super) enum Answer {
    /// The transaction has ended; what a terminal would show.
    Done(String),
    /// It was rolled back to end a deadlock, and can be tried again.
    Deadlock,
}

/// A session of a side.
pub(super) trait Session: Send {
    fn call(&mut self, transaction: &Transaction) -> Result<Answer>;

    /// Calls the procedure that does nothing.
    fn nothing(&mut self) -> Result<()>;
}

/// Time that sessions and backgrounds have waited for an event.
#[derive(Clone, Debug)]
pub(super) struct Waited {
    pub(super) event: String,
    pub(super) time_us: u64,
}

/// A side's database.
pub(super) trait Side {
    fn dialect(&self) -> Dialect;

    fn run(&mut self, text: &str) -> Result<()>;

    /// The value of a query of one whole number.
    fn number(&mut self, query: &str) -> Result<u64>;

    /// A session of its own.
    fn session(&mut self) -> Result<Box<dyn Session>>;

    /// What is done before each run, apart from its time.
    fn settle(&mut self) -> Result<()>;

    /// Bytes of tables and indexes.
    fn bytes(&mut self) -> Result<u64>;

    /// What all sessions and backgrounds have waited for so far, where the side tells.
    fn waits(&mut self) -> Result<Vec<Waited>> {
        Ok(Vec::new())
    }

    fn close(self: Box<Self>) -> Result<()>;
}

/// Makes and fills the tables, and makes the procedures.
pub(super) fn fill(side: &mut dyn Side, size: Size) -> Result<()> {
    let dialect = side.dialect();
    let statements =
        [schema::tables(dialect), load::rows(dialect, size), schema::indexes(dialect), procedures(dialect)];
    statements.iter().flatten().try_for_each(|text| side.run(text))
}

/// Our database.
pub(super) struct Highwater {
    laboratory: Laboratory,
    connection: Connection,
}

impl Highwater {
    /// `files` is the value of FILESYSTEMIO_OPTIONS.
    pub(super) fn create(directory: &Path, device: Option<&ModelledRun>, cache_mb: u64, files: &str) -> Result<Self> {
        let set = [("db_cache_size", format!("{cache_mb}M")), ("filesystemio_options", files.to_owned())];
        let laboratory = Laboratory::create(Some(directory), device, set)?;
        let connection = laboratory.connect()?;
        Ok(Self { laboratory, connection })
    }
}

impl Side for Highwater {
    fn dialect(&self) -> Dialect {
        Dialect::Highwater
    }

    fn run(&mut self, text: &str) -> Result<()> {
        self.connection.run(text).map(drop)
    }

    fn number(&mut self, query: &str) -> Result<u64> {
        let row = numbers(&mut self.connection, query)?;
        row.first().copied().ok_or_else(|| Error::bug(format!("no column: {query}")))
    }

    fn session(&mut self) -> Result<Box<dyn Session>> {
        Ok(Box::new(OurSession::new(self.laboratory.connect()?)?))
    }

    fn settle(&mut self) -> Result<()> {
        let meter = Arc::clone(self.connection.session().meter());
        self.laboratory.database().instance().checkpoint(&meter)
    }

    fn bytes(&mut self) -> Result<u64> {
        let tablespace = TABLESPACE.to_uppercase();
        self.number(&format!("select sum(bytes) from user_segments where tablespace_name = '{tablespace}'"))
    }

    fn waits(&mut self) -> Result<Vec<Waited>> {
        let query = "select event, time_waited_micro from v$system_event where wait_class <> 'Idle'";
        let rows = self.connection.query(query)?;
        let waited = |row: &Vec<Datum>| {
            let event = row.first().and_then(Datum::as_text)?.to_owned();
            let Some(Datum::Number(time)) = row.get(1) else { return None };
            let time_us = format::number::decode_i64(time).and_then(|time| u64::try_from(time).ok())?;
            Some(Waited { event, time_us })
        };
        Ok(rows.iter().filter_map(waited).collect())
    }

    fn close(self: Box<Self>) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

/// A cursor for each procedure: its block is parsed once.
struct OurSession {
    connection: Connection,
    procedures: Vec<CursorNumber>,
    nothing: CursorNumber,
}

impl OurSession {
    fn new(mut connection: Connection) -> Result<Self> {
        let mut parse = |kind: Kind| {
            let (name, arguments) = kind.procedure();
            let arguments: String = (0..arguments).map(|at| format!(":{}, ", variable(at))).collect();
            // The call returns when this commit is durable.
            connection.parse(&format!("begin {name}({arguments}:{OUT}); commit; end;"))
        };
        let procedures = Kind::ALL.into_iter().map(&mut parse).collect::<Result<_>>()?;
        let nothing = connection.parse(&format!("begin nothing(:{OUT}); commit; end;"))?;
        Ok(Self { connection, procedures, nothing })
    }

    /// The text that a cursor's procedure returned.
    fn shown(&mut self, cursor: CursorNumber) -> Result<String> {
        let returned = self.connection.returned(cursor)?;
        let shown = returned.into_iter().find(|(name, _)| name == OUT).map(|(_, value)| value);
        Ok(shown.as_ref().and_then(Datum::as_text).unwrap_or_default().to_owned())
    }
}

/// The variable of what a procedure returns.
const OUT: &str = "SHOWN";

/// The variable of an argument.
fn variable(at: usize) -> &'static str {
    ["A", "B", "C", "D", "E", "F", "G"][at]
}

impl Session for OurSession {
    fn call(&mut self, transaction: &Transaction) -> Result<Answer> {
        let Some(&cursor) = self.procedures.get(transaction.kind() as usize) else {
            return Err(Error::bug("a transaction without its procedure"));
        };
        for (at, argument) in transaction.arguments().into_iter().enumerate() {
            let value = match argument {
                Argument::Integer(number) => Datum::integer(number),
                Argument::Text(text) => Datum::varchar2(text),
                Argument::NoText => Datum::Null,
            };
            self.connection.bind(cursor, variable(at), value)?;
        }
        self.connection.bind(cursor, OUT, Datum::Null)?;
        match self.connection.execute(cursor) {
            Ok(_) => Ok(Answer::Done(self.shown(cursor)?)),
            Err(error) if error.is_ora(DEADLOCK) => {
                self.connection.rollback()?;
                Ok(Answer::Deadlock)
            }
            Err(error) => Err(error),
        }
    }

    fn nothing(&mut self) -> Result<()> {
        self.connection.bind(self.nothing, OUT, Datum::Null)?;
        self.connection.execute(self.nothing).map(drop)
    }
}

/// PostgreSQL's.
pub(super) struct Peer {
    server: Postgres,
}

impl Peer {
    pub(super) fn create(installation: &Installation, directory: &Path, cache_mb: u64) -> Result<Self> {
        Ok(Self { server: Postgres::start(installation, directory, cache_mb)? })
    }
}

impl Side for Peer {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn run(&mut self, text: &str) -> Result<()> {
        self.server.run(text)
    }

    fn number(&mut self, query: &str) -> Result<u64> {
        self.server.number(query)
    }

    fn session(&mut self) -> Result<Box<dyn Session>> {
        Ok(Box::new(TheirSession::new(self.server.another()?)?))
    }

    /// Nothing else removes dead rows here: autovacuum is off, so that it does not run in one run and not in another.
    fn settle(&mut self) -> Result<()> {
        self.server.run("vacuum")?;
        self.server.run("checkpoint")
    }

    fn bytes(&mut self) -> Result<u64> {
        self.server.number(
            "select sum(pg_total_relation_size(oid))::bigint from pg_class \
             where relkind = 'r' and relnamespace = 'public'::regnamespace",
        )
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

struct TheirSession {
    session: PostgresSession,
    procedures: Vec<Statement>,
    nothing: Statement,
}

impl TheirSession {
    fn new(mut session: PostgresSession) -> Result<Self> {
        let mut prepare = |text: &str| session.client().prepare(text).map_err(|error| refusal(text, &error));
        let procedures = Kind::ALL.into_iter().map(|kind| {
            let (name, arguments) = kind.procedure();
            let arguments: String = (1..=arguments).map(|at| format!("${at}, ")).collect();
            prepare(&format!("call {name}({arguments}null)"))
        });
        let procedures = procedures.collect::<Result<_>>()?;
        let nothing = prepare("call nothing(null)")?;
        Ok(Self { session, procedures, nothing })
    }
}

impl Session for TheirSession {
    fn call(&mut self, transaction: &Transaction) -> Result<Answer> {
        const NO_TEXT: Option<&str> = None;
        let kind = transaction.kind();
        let arguments = transaction.arguments();
        let values: Vec<&(dyn ToSql + Sync)> = arguments
            .iter()
            .map(|argument| -> &(dyn ToSql + Sync) {
                match argument {
                    Argument::Integer(number) => number,
                    Argument::Text(text) => text,
                    Argument::NoText => &NO_TEXT,
                }
            })
            .collect();
        let Some(statement) = self.procedures.get(kind as usize) else {
            return Err(Error::bug("a transaction without its procedure"));
        };
        match self.session.client().query_one(statement, &values) {
            Ok(row) => Ok(Answer::Done(row.get(0))),
            Err(error) if error.code() == Some(&SqlState::T_R_DEADLOCK_DETECTED) => Ok(Answer::Deadlock),
            Err(error) => Err(refusal(kind.name(), &error)),
        }
    }

    fn nothing(&mut self) -> Result<()> {
        let called = self.session.client().query_one(&self.nothing, &[]);
        called.map(drop).map_err(|error| refusal("call nothing", &error))
    }
}
