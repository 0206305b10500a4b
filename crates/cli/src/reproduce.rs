//! `highwater reproduce`: a paper's experiment, published and measured side by side; and sweeps of one.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use common::{Error, Result};
use lab::freelists::factor::Factor;
use lab::sweep::{self, SweepOptions};
use lab::{Options, experiments};

use crate::bench::write_json;
use crate::command_line::Reproduce;
use crate::failure::{self, Outcome, file, wrong_use};
use crate::numbers::{Numbers, Percentages};

/// The experiments that have sweeps.
const SWEPT: &str = "freelists";
const GROWING: &str = "block-size";

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
    let sessions = arguments.sessions.as_ref().map_or(&[][..], |Numbers(sessions)| sessions);
    // The library reports an unknown experiment.
    let known = experiments().iter().any(|experiment| experiment.name == name);
    if known && arguments.pctfree.is_some() {
        return run_growth_sweep(name, arguments);
    }
    if known && (!factors(arguments).is_empty() || arguments.out.is_some() || sessions.len() > 1) {
        return run_sweep(name, arguments);
    }
    let options = options(arguments)?;
    let reproduction = lab::reproduce(name, &options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    failure::written(lab::print::print(&reproduction, &mut out).and_then(|()| out.flush()))?;
    if let Some(path) = &arguments.json {
        write_json(path, &reproduction.json())?;
    }
    Ok(Outcome(if reproduction.passed() { 0 } else { 1 }))
}

/// The factors that are given, with their values.
fn factors(arguments: &Reproduce) -> BTreeMap<Factor, Vec<u32>> {
    let numbers = |numbers: &Option<Numbers>| numbers.as_ref().map(|Numbers(values)| values.clone());
    let given = |factor: Factor| {
        let values = match factor {
            Factor::Freelists => numbers(&arguments.freelists),
            Factor::FreelistGroups => numbers(&arguments.freelist_groups),
            Factor::Initrans => numbers(&arguments.initrans),
            Factor::Pctused => arguments.pctused.as_ref().map(|Percentages(values)| values.clone()),
            Factor::IndexFreelists => numbers(&arguments.index_freelists),
        };
        values.map(|values| (factor, values))
    };
    Factor::ALL.into_iter().filter_map(given).collect()
}

fn options(arguments: &Reproduce) -> Result<Options> {
    let source = arguments.source.as_ref().map(|source| source.parse());
    let source = source.transpose().map_err(|error: Error| wrong_use(error.text))?;
    let sessions = arguments.sessions.as_ref().and_then(|Numbers(sessions)| sessions.first().copied());
    Ok(Options {
        scale: arguments.scale,
        source,
        data: arguments.data.clone(),
        minutes: arguments.minutes,
        sessions,
        repetitions: arguments.repetitions,
        seed: arguments.seed,
        part: arguments.part.clone(),
        flamegraph: arguments.flamegraph.clone(),
    })
}

/// PCTFREE by block size.
fn run_growth_sweep(name: &str, arguments: &Reproduce) -> Result<Outcome> {
    if name != GROWING {
        return Err(wrong_use(format!("the experiment {name} does not take --pctfree")));
    }
    if let Some(factor) = factors(arguments).keys().next() {
        return Err(wrong_use(format!("the experiment {name} does not take --{}", factor.option())));
    }
    let options = options(arguments)?;
    let values = arguments.pctfree.as_ref().map_or(&[][..], |Percentages(values)| values);
    lab::block_size::sweep::settings(values)?;
    let directory = sweep_directory(name, arguments)?;
    let swept = lab::block_size::sweep::run(values, &options, &mut *lab::progress::automatic())?;
    write_sweep(&directory, arguments, (&swept.csv()?, &swept.page(), &swept.json()), |out| swept.print(out))
}

/// Directory of a sweep's files: made before the work, not after it.
fn sweep_directory(name: &str, arguments: &Reproduce) -> Result<PathBuf> {
    let directory = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-sweep")));
    std::fs::create_dir_all(&directory).map_err(|error| file(&directory, &error))?;
    Ok(directory)
}

fn write_sweep(
    directory: &Path,
    arguments: &Reproduce,
    (csv, page, json): (&[u8], &str, &serde_json::Value),
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Outcome> {
    let (csv_path, page_path) = (directory.join("sweep.csv"), directory.join("sweep.html"));
    write(&csv_path, csv)?;
    write(&page_path, page.as_bytes())?;
    if let Some(path) = &arguments.json {
        write_json(path, json)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let printed = print(&mut out).and_then(|()| writeln!(out, "{}\n{}", csv_path.display(), page_path.display()));
    failure::written(printed.and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}

/// The same work over several values, as a table, CSV and a page.
fn run_sweep(name: &str, arguments: &Reproduce) -> Result<Outcome> {
    if name != SWEPT {
        return Err(wrong_use(format!(
            "the experiment {name} has no sweeps: it takes neither --freelists and the like nor --out nor several --sessions"
        )));
    }
    if arguments.source.is_some() {
        return Err(wrong_use(format!("the experiment {name} does not take --source")));
    }
    if arguments.part.is_some() {
        return Err(wrong_use(format!("the experiment {name} does not take --part")));
    }
    if arguments.flamegraph.is_some() {
        return Err(wrong_use(format!("the experiment {name} does not take --flamegraph")));
    }
    let options = SweepOptions {
        factors: factors(arguments),
        sessions: arguments.sessions.as_ref().map_or_else(Vec::new, |Numbers(values)| values.clone()),
        minutes: arguments.minutes,
        repetitions: arguments.repetitions,
        seed: arguments.seed,
        scale: arguments.scale.unwrap_or(1.0),
        data: arguments.data.clone(),
    };
    options.check()?;
    let directory = sweep_directory(name, arguments)?;
    let swept = sweep::run(&options, &mut *lab::progress::automatic())?;
    write_sweep(&directory, arguments, (&swept.csv()?, &swept.page(), &swept.json()), |out| swept.print(out))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(path, content).map_err(|error| file(path, &error))
}
