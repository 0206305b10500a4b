//! `highwater reproduce`: a paper's experiment, published and measured side by side; and sweeps of one.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use common::{Error, Result};
use lab::{Experiment, Options, experiments};

use crate::bench::write_json;
use crate::command_line::Reproduce;
use crate::device::{dilate, modelled_run};
use crate::failure::{self, Outcome, file, wrong_use};
use crate::numbers::{Numbers, Percentages};

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
    let (experiment, options) = (lab::experiment(name)?, options(arguments)?);
    if arguments.out.is_some() || experiment.is_sweep(&options) {
        return run_sweep(experiment, arguments, &options);
    }
    let reproduction = experiment.reproduce(&options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    failure::written(lab::print::print(&reproduction, &mut out).and_then(|()| out.flush()))?;
    if let Some(path) = &arguments.json {
        write_json(path, &reproduction.json())?;
    }
    Ok(Outcome(if reproduction.passed() { 0 } else { 1 }))
}

fn options(arguments: &Reproduce) -> Result<Options> {
    let source = arguments.source.as_ref().map(|source| source.parse());
    let source = source.transpose().map_err(|error: Error| wrong_use(error.text))?;
    Ok(Options {
        device: modelled_run(&arguments.modelled)?,
        dilate: arguments.modelled.dilate.map(dilate).transpose()?,
        scale: arguments.scale,
        source,
        data: arguments.data.clone(),
        minutes: arguments.minutes,
        repetitions: arguments.repetitions,
        seed: arguments.seed,
        part: arguments.part.clone(),
        flamegraph: arguments.flamegraph.clone(),
        factors: factors(arguments),
    })
}

/// The factors that are given, with their values.
fn factors(arguments: &Reproduce) -> BTreeMap<String, Vec<u32>> {
    let numbers = |numbers: &Option<Numbers>| numbers.as_ref().map(|Numbers(values)| values.clone());
    let percentages = |values: &Option<Percentages>| values.as_ref().map(|Percentages(values)| values.clone());
    let given = [
        ("sessions", numbers(&arguments.sessions)),
        ("freelists", numbers(&arguments.freelists)),
        ("freelist-groups", numbers(&arguments.freelist_groups)),
        ("initrans", numbers(&arguments.initrans)),
        ("pctused", percentages(&arguments.pctused)),
        ("index-freelists", numbers(&arguments.index_freelists)),
        ("pctfree", percentages(&arguments.pctfree)),
        ("au-mb", numbers(&arguments.au_mb)),
        ("extent-mb", numbers(&arguments.extent_mb)),
        ("multiblock-read-count", numbers(&arguments.multiblock_read_count)),
    ];
    given.into_iter().filter_map(|(option, values)| Some((option.to_owned(), values?))).collect()
}

/// The same work over several values, as a table, CSV and a page.
fn run_sweep(experiment: &Experiment, arguments: &Reproduce, options: &Options) -> Result<Outcome> {
    experiment.check_sweep(options)?;
    // Made before the work, not after it.
    let directory = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}-sweep", experiment.name)));
    std::fs::create_dir_all(&directory).map_err(|error| file(&directory, &error))?;
    let swept = experiment.sweep(options, &mut *lab::progress::automatic())?;
    let (csv_path, page_path) = (directory.join("sweep.csv"), directory.join("sweep.html"));
    write(&csv_path, &swept.csv)?;
    write(&page_path, swept.page.as_bytes())?;
    if let Some(path) = &arguments.json {
        write_json(path, &swept.json)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let printed =
        out.write_all(&swept.printed).and_then(|()| writeln!(out, "{}\n{}", csv_path.display(), page_path.display()));
    failure::written(printed.and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(path, content).map_err(|error| file(path, &error))
}
