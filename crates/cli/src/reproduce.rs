//! `highwater reproduce`: a paper's experiment, published and measured side by side.

use std::io::{self, BufWriter, Write};

use common::{Error, Result};
use lab::{Options, experiments};

use crate::command_line::Reproduce;
use crate::failure::{self, Outcome, file, wrong_use};

pub(crate) fn run(arguments: &Reproduce) -> Result<Outcome> {
    if arguments.list {
        let mut out = io::stdout().lock();
        let listed = experiments().iter().try_for_each(|e| writeln!(out, "{:<20} {}", e.name, e.title));
        failure::written(listed.and_then(|()| out.flush()))?;
        return Ok(Outcome::DONE);
    }
    let name = arguments
        .name
        .as_deref()
        .ok_or_else(|| wrong_use("reproduce takes the name of an experiment; --list has them"))?;
    let source = arguments.source.parse().map_err(|error: Error| wrong_use(error.text))?;
    let options = Options { scale: arguments.scale, source, data: arguments.data.clone() };
    let reproduction = lab::reproduce(name, &options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    failure::written(lab::print::print(&reproduction, &mut out).and_then(|()| out.flush()))?;
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&reproduction.json()).map_err(|error| Error::bug(error.to_string()))?;
        std::fs::write(path, text + "\n").map_err(|error| file(path, &error))?;
    }
    Ok(Outcome(if reproduction.passed() { 0 } else { 1 }))
}
