//! The command line as clap reads it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A database engine with Oracle's physical storage architecture, and the laboratory around it.
#[derive(Parser, Debug)]
#[command(name = "highwater", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Tkprof(Tkprof),
    Verify(Verify),
    Dump(Dump),
}

/// Sum up a 10046 trace by statement, as TKPROF does: Highwater's own traces or Oracle's
#[derive(Args, Debug)]
pub(crate) struct Tkprof {
    /// The trace file
    pub(crate) trace: PathBuf,
    /// The file for the report (standard output without one), and options: sort=(exeela,fchela) print=10 sys=no aggregate=no waits=no inclusive=yes
    #[arg(value_name = "OUT|NAME=VALUE")]
    pub(crate) words: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check every block of a closed database, and name those that are wrong
#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
}

/// Print one block in readable form
#[derive(Args, Debug)]
pub(crate) struct Dump {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Absolute file number
    pub(crate) file: u16,
    /// Block number in the file
    pub(crate) block: u32,
}
