//! `highwater help`: of a command, or of the number of an error.

use std::io::{self, Write};

use clap::{CommandFactory, Parser};
use common::Result;
use errors::Unknown;

use crate::command_line::{CommandLine, Help};
use crate::failure::{Outcome, written, wrong_use};

pub(crate) fn run(arguments: &Help) -> Result<Outcome> {
    // `ORA 942` is two words.
    let subject = arguments.subject.join(" ");
    if subject.is_empty() {
        return print_help(&[]);
    }
    if CommandLine::command().find_subcommand(&subject).is_some() {
        return print_help(&[&subject]);
    }
    let entry = errors::find(&subject).map_err(|unknown| match unknown {
        Unknown::NoNumber(_) => wrong_use(format!("{unknown}, nor a command; highwater --help lists the commands")),
        Unknown::NotRaised(..) => wrong_use(unknown.to_string()),
    })?;
    written(io::stdout().write_all(entry.page().as_bytes()))?;
    Ok(Outcome::DONE)
}

/// Prints what `highwater COMMAND --help` prints: clap gives it as an error.
fn print_help(command: &[&str]) -> Result<Outcome> {
    let words = ["highwater"].iter().chain(command).chain(&["--help"]);
    if let Err(help) = CommandLine::try_parse_from(words) {
        written(help.print())?;
    }
    Ok(Outcome::DONE)
}
