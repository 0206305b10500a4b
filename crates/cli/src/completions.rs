//! `highwater completions`.

use std::io::{self, Write};

use clap::CommandFactory;
use common::Result;

use crate::command_line::{CommandLine, Completions};
use crate::failure::{Outcome, written};

pub(crate) fn run(arguments: &Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "highwater", &mut script);
    written(io::stdout().write_all(&script))?;
    Ok(Outcome::DONE)
}
