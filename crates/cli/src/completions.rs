//! `highwater completions`.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use common::Result;

use crate::command_line::{CommandLine, Completions};
use crate::failure::{Outcome, written};

pub(crate) fn run(arguments: &Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    let all = CommandLine::command();
    // Options hidden in the help have no completions.
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    // `help` is one of ours: clap's own would be a second one of that name.
    let mut command =
        Command::new("highwater").version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true).subcommands(shown);
    clap_complete::generate(arguments.shell, &mut command, "highwater", &mut script);
    written(io::stdout().write_all(&script))?;
    Ok(Outcome::DONE)
}
