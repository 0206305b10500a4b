//! `highwater bench`: a benchmark beside its peers, as ratios; `durability` is separate.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use common::{Error, Result};
use lab::BenchOptions;
use lab::bench::{CellHost, benchmarks, print};

use crate::command_line::Bench;
use crate::device::modelled_run;
use crate::durability;
use crate::failure::{self, Outcome, file, wrong_use};

pub(crate) fn run(arguments: &Bench) -> Result<Outcome> {
    if arguments.list {
        let mut out = io::stdout().lock();
        let listed = benchmarks().iter().chain([&lab::durability::NAME]).try_for_each(|name| writeln!(out, "{name}"));
        failure::written(listed.and_then(|()| out.flush()))?;
        return Ok(Outcome::DONE);
    }
    let name =
        arguments.name.as_deref().ok_or_else(|| wrong_use("bench takes the name of a benchmark; --list has them"))?;
    if arguments.modelled.dilate.is_some() && arguments.modelled.device.is_none() {
        return Err(wrong_use("--dilate needs --device, whose times it stretches"));
    }
    if name == lab::durability::NAME {
        if arguments.modelled.device.is_some() {
            let text = "durability kills processes, and a modelled device is within one: it does not take --device";
            return Err(wrong_use(format!("the benchmark {text}")));
        }
        return durability::run(arguments);
    }
    let options = BenchOptions {
        scale: arguments.scale,
        runs: arguments.runs,
        data: arguments.data.clone(),
        device: modelled_run(&arguments.modelled)?,
        postgres: arguments.postgres.clone(),
        cache_mb: arguments.cache_mb,
        cells: std::env::current_exe().ok().map(|program| CellHost { program, files: crate::cell::files }),
    };
    let outcome = lab::bench(name, &options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    failure::written(print(&outcome, &mut out).and_then(|()| out.flush()))?;
    if let Some(path) = &arguments.json {
        write_json(path, &outcome.json())?;
    }
    Ok(Outcome::DONE)
}

/// The file of `--json`.
pub(crate) fn write_json(path: &Path, document: &serde_json::Value) -> Result<()> {
    let text = serde_json::to_string_pretty(document).map_err(|error| Error::bug(error.to_string()))?;
    std::fs::write(path, text + "\n").map_err(|error| file(path, &error))
}
