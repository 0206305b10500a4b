//! The typed records of a trace. Text is borrowed from the line being read; times are in the trace's own unit
//! ([`super::TimeUnit`]).

use super::{Binds, Header, Mark, Operation};

/// One record of a trace.
#[derive(Clone, PartialEq, Debug)]
pub enum Record<'a> {
    /// The lines before the first record; always the first that a visitor gets, perhaps empty.
    Header(&'a Header),
    /// A line that begins with `***`.
    Mark(Mark<'a>),
    /// A cursor's statement, with its text.
    Parsing(Parsing<'a>),
    /// A finished call.
    Call(Call),
    Wait(Wait<'a>),
    /// One row source of a plan.
    Stat(Stat<'a>),
    Binds(Binds<'a>),
    TransactionEnd(TransactionEnd),
    Error(CallError),
    ParseError(ParseError<'a>),
    Application(Application<'a>),
    Lob(LobCall<'a>),
}

/// `PARSING IN CURSOR` and the text up to `END OF STMT`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parsing<'a> {
    pub cursor: u64,
    /// Bytes of the statement as the database counts them.
    pub length: Option<u64>,
    /// 0 for a call of the user, n for one made on behalf of a call at n - 1.
    pub depth: Option<u32>,
    /// Schema it is parsed in.
    pub user: Option<u32>,
    /// User whose privileges count.
    pub privilege_user: Option<u32>,
    /// Command type: 2 insert, 3 select, 6 update, 7 delete, 44 commit, 47 PL/SQL block and so on.
    pub command: Option<u32>,
    pub time: Option<u64>,
    pub hash_value: Option<u64>,
    pub address: Option<&'a str>,
    /// From 11.1 on.
    pub sql_id: Option<&'a str>,
    pub text: &'a str,
    /// The text ended without `END OF STMT`, or was longer than the reader keeps.
    pub incomplete: bool,
}

/// The call that a line reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CallKind {
    Parse,
    Execute,
    Fetch,
    /// From 11.1.0.7 on.
    Close,
    /// Releases a temporary table that a cursor made.
    Unmap,
    /// Releases a sort that a cursor made.
    SortUnmap,
}

/// `PARSE`, `EXEC`, `FETCH`, `CLOSE`, `UNMAP`, `SORT UNMAP`: figures of one call, those of its recursive calls
/// included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    pub kind: CallKind,
    pub cursor: u64,
    pub cpu: Option<i64>,
    pub elapsed: Option<i64>,
    /// Blocks read from disk.
    pub disk: Option<i64>,
    /// Blocks got in consistent mode.
    pub query: Option<i64>,
    /// Blocks got in current mode.
    pub current: Option<i64>,
    /// Misses in the library cache.
    pub misses: Option<i64>,
    pub rows: Option<i64>,
    pub depth: u32,
    /// Optimizer goal: 1 ALL_ROWS, 2 FIRST_ROWS, 3 RULE, 4 CHOOSE.
    pub goal: Option<u32>,
    /// From 11.1.0.7 on.
    pub plan_hash: Option<u64>,
    /// `CLOSE` only: 0 hard close, 1 to 3 kept in the session's cursor cache.
    pub close_type: Option<u32>,
    /// When the call ended.
    pub time: Option<u64>,
}

/// `WAIT`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait<'a> {
    /// 0: no cursor.
    pub cursor: u64,
    pub event: &'a str,
    pub elapsed: i64,
    /// To 9i the names are p1, p2, p3; from 10g on the event's own.
    pub parameters: [Option<WaitParameter<'a>>; 3],
    /// From 10g on; -1 where no object is meant.
    pub object: Option<i64>,
    /// From 10g on.
    pub time: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitParameter<'a> {
    pub name: &'a str,
    pub value: i128,
}

/// `STAT`: one row source of a cursor's plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat<'a> {
    pub cursor: u64,
    pub id: u32,
    /// Rows it gave.
    pub rows: Option<i64>,
    pub parent: Option<u32>,
    pub position: Option<u32>,
    pub object: Option<i64>,
    pub operation: Operation<'a>,
}

/// `XCTEND`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionEnd {
    pub rollback: bool,
    /// Nothing was changed.
    pub read_only: Option<bool>,
    /// From 11g on.
    pub time: Option<u64>,
}

/// `ERROR`: an execute or fetch failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallError {
    pub cursor: u64,
    /// The ORA number.
    pub error: u32,
    pub time: Option<u64>,
}

/// `PARSE ERROR` and the text after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError<'a> {
    pub cursor: u64,
    pub length: Option<u64>,
    pub depth: Option<u32>,
    pub user: Option<u32>,
    pub privilege_user: Option<u32>,
    pub command: Option<u32>,
    pub time: Option<u64>,
    /// The ORA number.
    pub error: u32,
    pub text: &'a str,
}

/// `APPNAME`, up to 9i: set by DBMS_APPLICATION_INFO.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Application<'a> {
    pub module: &'a str,
    pub action: Option<&'a str>,
}

/// `LOBREAD` and its like, from 11g on: a call on a LOB, which belongs to no cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LobCall<'a> {
    /// `LOBREAD`, `LOBWRITE`, `LOBGETLEN`, …
    pub operation: &'a str,
    pub bytes: Option<i64>,
    pub cpu: Option<i64>,
    pub elapsed: Option<i64>,
    pub disk: Option<i64>,
    pub query: Option<i64>,
    pub current: Option<i64>,
    pub time: Option<u64>,
}
