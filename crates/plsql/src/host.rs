//! The host: the session for the programs that it runs.

use std::sync::Arc;

use common::{DataType, Result};
use scalar::{Context, Datum};

use crate::ast::SqlText;
use crate::run::session::Session;

/// A column of a table or of a query's result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: Box<str>,
    pub data_type: DataType,
    pub nullable: bool,
}

/// A prepared SQL statement of a program: variables have become `:B1`, `:B2` ….
#[derive(Clone, Debug)]
pub struct PreparedSql {
    /// In upper case but for quoted parts, blanks folded to one: as V$SQL and traces show it.
    pub text: Arc<str>,
    /// The path of each variable, in the order of `:B1`, `:B2` ….
    pub variables: Vec<Vec<Box<str>>>,
    /// Result columns of a query or of RETURNING; empty otherwise.
    pub columns: Vec<Column>,
    /// Tables, views, sequences and programs that it depends on, by their names in it: `NAME`, `OWNER.NAME`.
    pub depends_on: Vec<Vec<Box<str>>>,
}

/// The meaning of a name that is not declared in the program itself.
#[derive(Clone, Debug)]
pub enum Object {
    /// A table or view.
    Relation {
        owner: Box<str>,
        name: Box<str>,
        columns: Vec<Column>,
    },
    /// A procedure, a function or a package: the text that it was made of, from PROCEDURE, FUNCTION or PACKAGE on.
    Program {
        owner: Box<str>,
        name: Box<str>,
        source: Arc<str>,
        stamp: u64,
    },
    Sequence {
        owner: Box<str>,
        name: Box<str>,
    },
}

impl Object {
    #[must_use]
    pub fn owner_and_name(&self) -> (&str, &str) {
        match self {
            Self::Relation { owner, name, .. } | Self::Program { owner, name, .. } | Self::Sequence { owner, name } => {
                (owner, name)
            }
        }
    }
}

/// The schema and the privileges for resolving names during a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Viewer<'v> {
    /// A stored program: its owner, with privileges granted directly.
    Owner(&'v str),
    /// A block: names of this schema, with the rights in force in the session.
    Session(&'v str),
}

impl<'v> Viewer<'v> {
    /// Where names without an owner are looked up.
    #[must_use]
    pub fn schema(self) -> &'v str {
        match self {
            Self::Owner(schema) | Self::Session(schema) => schema,
        }
    }
}

/// A query that the session has open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OpenQuery(pub u64);

/// The result of a SQL statement.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Executed {
    /// Inserted, updated, deleted, merged.
    pub rows: u64,
    /// The rows of RETURNING: one for each changed row.
    pub returned: Vec<Vec<Datum>>,
}

/// A position in the session's transaction to which a failed call rolls back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark(pub u64);

/// The session for programs. Errors of a call become PL/SQL exceptions.
pub trait Host {
    // While compiling.

    /// Resolves `path` in the dictionary for `viewer`: `A`, `OWNER.A`; synonyms are followed. The second value is the
    /// number of parts used. A program that the viewer may not execute is not found.
    ///
    /// # Errors
    /// When the dictionary cannot be read. A missing object is None.
    fn resolve(&mut self, viewer: Viewer<'_>, path: &[&str]) -> Result<Option<(Object, usize)>>;

    /// The body of a package, when it has one: its text from PACKAGE BODY on.
    ///
    /// # Errors
    /// When the dictionary cannot be read.
    fn package_body(&mut self, owner: &str, name: &str) -> Result<Option<(Arc<str>, u64)>>;

    /// The table of a stored trigger, owner and name, when it differs from the trigger's text: a trigger follows its
    /// table when that is renamed.
    ///
    /// # Errors
    /// When the dictionary cannot be read.
    fn trigger_table(&mut self, _owner: &str, _name: &str) -> Result<Option<(Box<str>, Box<str>)>> {
        Ok(None)
    }

    /// Prepares a statement. A name that is a column of one of its tables is that column; any other for which
    /// `is_variable` returns true becomes a bind variable. `is_variable` is called with `A`, `A.B` and `A.B.C`, and for
    /// names with a colon: `:X` as the one part `:X`, `:NEW.X` as the parts `:NEW` and `X`. Placeholders of the
    /// compiler's own are `:PLSQL_1` and so on. [`PreparedSql::variables`] has the same parts.
    ///
    /// # Errors
    /// The error of the statement, with the byte offset into its text.
    fn prepare(
        &mut self,
        viewer: Viewer<'_>,
        sql: &SqlText,
        is_variable: &mut dyn FnMut(&[&str]) -> bool,
    ) -> Result<PreparedSql>;

    /// A number that changes with every change of the dictionary. None: unknown, so compiled programs are checked at
    /// each call.
    fn dictionary_version(&mut self) -> Option<u64> {
        None
    }

    /// Identity of [`Viewer::Session`]: blocks are shared only where it is the same. Equal names mean equal privileges.
    fn viewer_name(&mut self) -> Box<str> {
        "".into()
    }

    // While running. The session is handed over where a statement may run programs in its turn: triggers, functions,
    // blocks.

    /// Time, user, NLS settings; SYSDATE is that of the moment of this call.
    ///
    /// # Errors
    /// When the clock is out of range.
    fn context(&mut self) -> Result<Arc<dyn Context>>;

    /// Fails with ORA-01013 when the user has cancelled the call, ORA-00028 when the session was killed. Asked every
    /// few hundred jumps backwards and calls, and before waiting.
    ///
    /// # Errors
    /// ORA-01013, ORA-00028.
    fn check(&mut self) -> Result<()>;

    /// Executes DML or a transaction statement. `key` is the statement's own place in the program: the host keeps its
    /// cursor there from one execution to the next.
    ///
    /// # Errors
    /// Any error of the statement, which leaves no change.
    fn execute(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<Executed>;

    /// Executes DML once for each row of binds (FORALL). Each row's count comes back; the first that fails ends it,
    /// with its index.
    ///
    /// # Errors
    /// Errors of the statement as a whole only.
    fn execute_many(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Vec<Datum>],
    ) -> Result<ExecutedMany>;

    /// Opens a query.
    ///
    /// # Errors
    /// Any error of the query.
    fn open(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<OpenQuery>;

    /// Prepares text given at run time: any statement, including DDL and anonymous blocks. Its bind variables, in order
    /// of appearance, are `variables`.
    ///
    /// # Errors
    /// The error of the statement.
    fn prepare_dynamic(&mut self, text: &str) -> Result<DynamicSql>;

    /// Executes it. After an anonymous block `binds` have the block's values.
    ///
    /// # Errors
    /// Any error of the statement.
    fn execute_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &mut [Datum]) -> Result<Executed>;

    /// Opens it, when it is a query.
    ///
    /// # Errors
    /// Any error of the query.
    fn open_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &[Datum]) -> Result<OpenQuery>;

    /// Up to `rows` further rows, and true when these are the last.
    ///
    /// # Errors
    /// Any error, which ends the query.
    fn fetch(&mut self, session: &mut Session, query: OpenQuery, rows: usize) -> Result<(Vec<Vec<Datum>>, bool)>;

    /// The columns of an open query.
    ///
    /// # Errors
    /// ORA-01001 when it is not open.
    fn columns(&mut self, query: OpenQuery) -> Result<Vec<Column>>;

    /// The rowid of the row that the program was given last, for WHERE CURRENT OF: the query was opened FOR UPDATE, and
    /// `ahead` rows behind that one have been fetched.
    ///
    /// # Errors
    /// ORA-01410 when there is none.
    fn current_rowid(&mut self, query: OpenQuery, ahead: usize) -> Result<Datum>;

    /// True: the query was opened FOR UPDATE.
    ///
    /// # Errors
    /// ORA-01001 when it is not open.
    fn locks_rows(&mut self, query: OpenQuery) -> Result<bool>;

    fn close(&mut self, query: OpenQuery);

    /// NEXTVAL (or CURRVAL) of a sequence.
    ///
    /// # Errors
    /// Errors of taking a value.
    fn sequence(&mut self, owner: &str, name: &str, next: bool) -> Result<Datum>;

    /// The present position in the session's transaction.
    fn mark(&mut self) -> Mark;

    /// Rolls back to the mark, unless a COMMIT or ROLLBACK came between.
    ///
    /// # Errors
    /// When the rollback fails.
    fn back_to(&mut self, mark: Mark) -> Result<()>;

    /// Drops a mark that is not needed any more.
    fn forget(&mut self, _mark: Mark) {}

    /// Suspends the session's transaction and begins an autonomous one.
    ///
    /// # Errors
    /// ORA-00164 and its like.
    fn begin_autonomous(&mut self) -> Result<()>;

    /// Ends it. Uncommitted changes are rolled back with ORA-06519.
    ///
    /// # Errors
    /// ORA-06519.
    fn end_autonomous(&mut self) -> Result<()>;

    /// From now on names are looked up in `owner`'s schema, and `owner`'s privileges count: a program with its owner's
    /// rights has been entered.
    ///
    /// # Errors
    /// When the owner no longer exists.
    fn enter_rights(&mut self, owner: &str) -> Result<()> {
        let _ = owner;
        Ok(())
    }

    /// Restores the rights from before [`Host::enter_rights`].
    fn leave_rights(&mut self) {}

    /// A procedure or function that the host implements: those of the supplied packages. `name` is `PACKAGE.PROGRAM`;
    /// OUT arguments are written into `arguments`. The value is a function's result.
    ///
    /// # Errors
    /// Any error of the subprogram.
    fn native(&mut self, session: &mut Session, name: &str, arguments: &mut [Datum]) -> Result<Datum>;
}

/// Key of a statement in a program, unique in the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StatementKey(pub u64);

/// The result of FORALL.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExecutedMany {
    pub rows: Vec<u64>,
    pub returned: Vec<Vec<Datum>>,
    /// The row of binds that failed, counted from 0, and why.
    pub failed: Option<(usize, common::Error)>,
}

/// A statement that was given as text at run time.
#[derive(Clone, Debug)]
pub struct DynamicSql {
    pub text: Arc<str>,
    /// Names of its bind variables; of SQL each appearance, of a block each name once.
    pub variables: Vec<Box<str>>,
    pub is_query: bool,
    /// DML with RETURNING … INTO: number of the last variables that belong to that clause.
    pub returning: usize,
    pub columns: Vec<Column>,
}
