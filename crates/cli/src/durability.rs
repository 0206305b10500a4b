//! `highwater bench durability`, and the processes that it starts and kills.

use std::io::{self, BufWriter, Write};

use common::{Error, ErrorKind, Result};
use lab::durability::{Options, Work, work};

use crate::bench::write_json;
use crate::command_line::{Bench, DurabilityProcess};
use crate::failure::{self, Outcome};

pub(crate) fn run(arguments: &Bench) -> Result<Outcome> {
    let program = std::env::current_exe()
        .map_err(|error| Error::own(ErrorKind::Io, 2, format!("the program does not find itself: {error}")))?;
    let options = Options {
        loops: arguments.loops,
        sessions: arguments.sessions,
        seed: arguments.seed,
        data: arguments.data.clone(),
    };
    let outcome = lab::durability::run(&program, &options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    failure::written(outcome.print(&mut out).and_then(|()| out.flush()))?;
    if let Some(path) = &arguments.json {
        write_json(path, &outcome.json())?;
    }
    Ok(if outcome.is_clean() { Outcome::DONE } else { Outcome(1) })
}

/// A process with sessions, until it is killed or its parent has ended.
pub(crate) fn process(arguments: DurabilityProcess) -> Result<Outcome> {
    let DurabilityProcess { data, seed, life, sessions, idle } = arguments;
    work(&Work { data, seed, life, sessions, idle })?;
    Ok(Outcome::DONE)
}
