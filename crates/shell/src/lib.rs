//! A SQL*Plus-compatible shell and script runner over any database that implements [`Server`].
//!
//! ```text
//! Console (terminal, pipe) ─┐                         ┌─> command/   SET, SPOOL, COLUMN, @script …
//!                           ├─ line ─ shell: gathers ─┤
//! script files ─────────────┘                         └─> execute ─> Server ─> query ─> layout
//!                                                           ─> Output (screen, spool)
//! ```
//!
//! Lines become commands or statements ([`statement`]), `&` variables are replaced ([`define`]), statements go to the
//! server one at a time, and rows are laid out as in SQL*Plus. The shell looks only at a statement's quotes, its
//! terminator and its first words.
//!
//! Unsupported commands are refused with a number; nothing is skipped in silence. README.md has the list.

mod autotrace;
mod bind;
mod breaks;
mod column;
mod command;
mod compute;
mod console;
mod decimal;
mod define;
mod execute;
mod feedback;
mod groups;
pub mod interrupt;
mod layout;
mod local_time;
mod logon;
mod number;
mod output;
mod query;
mod server;
mod set;
mod settings;
mod shell;
mod statement;
mod title;
mod words;

pub use bind::{Bind, Binds};
pub use console::{Console, Input, Pipe, Terminal};
pub use logon::Logon;
pub use server::{
    Cell, ColumnInfo, CompilationError, CompilationErrors, DebugTarget, Done, Outcome, Server, ShutdownMode,
};
pub use settings::{Autotrace, Csv, RecordSeparator, ServerOutput, Settings, SqlCase};
pub use shell::{DONE, FAILED, Options, Shell, run};
