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
