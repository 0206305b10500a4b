//! `bench block-size`: updates that fit their blocks and that do not, loading, scans from disk at four block sizes,
//! array fetch and a cached count.

use common::Result;

use super::BenchOptions;
use super::flat::Flat;
use super::growth::Growth;
use super::outcome::Outcome;
use crate::block_size::{cache_parameter, multiblock::SIZES};
use crate::laboratory::Laboratory;
use crate::progress::Progress;
use peer::{Postgres, settings};

/// Megabytes of cache of the block sizes that are only read past it.
const SMALL_CACHE_MB: u32 = 32;
/// Size at scale 1 of the tablespace for the table that every run loads again.
const TABLESPACE_MB: f64 = 1_200.0;

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let mut skipped = Vec::new();
    progress.step("Highwater: creating the database");
    // The default size last: it is the cache that both sides have.
    let parameters = SIZES
        .into_iter()
        .filter(|bytes| *bytes != 8192)
        .map(|bytes| (cache_parameter(bytes), format!("{SMALL_CACHE_MB}M")))
        .chain([
            ("db_cache_size".to_owned(), format!("{}M", options.cache_mb)),
            ("sessions".to_owned(), "30".to_owned()),
        ]);
    let laboratory = Laboratory::create(Some(&home.path().join("highwater")), options.device.as_ref(), parameters)?;
    let mut connection = laboratory.connect()?;
    let megabytes = (TABLESPACE_MB * options.scale).max(64.0).ceil();
    connection.run(&format!(
        "create tablespace bench_tbs datafile 'bench01.dbf' size {megabytes}M autoextend on next 16M \
         extent management local autoallocate segment space management auto"
    ))?;
    let mut flat = Flat::new(&laboratory, &mut connection, options.scale, progress)?;
    let mut growth = Growth::new(options.scale);
    let fio = options.fio().map_err(|why| skipped.push(format!("skipped: beside the disk: {why}"))).is_ok();
    let installation = options.installation();
    let mut theirs = match &installation {
        Ok(found) => {
            progress.step("PostgreSQL: loading");
            let mut server = Postgres::start(found, home.path(), options.cache_mb)?;
            let file = flat.prepare(&mut server, home.path())?;
            Some((server, file))
        }
        Err(why) => {
            skipped.push(format!("skipped: beside PostgreSQL: {why}"));
            None
        }
    };
    for number in 1..=options.runs {
        let mut step = |what: &str| progress.step(&format!("run {number} of {}: {what}", options.runs));
        step("Highwater, updates");
        growth.ours(&laboratory, &mut connection)?;
        if let Some((server, _)) = &mut theirs {
            step("PostgreSQL, updates");
            growth.theirs(server)?;
        }
        flat.ours(&mut connection, fio, &mut step)?;
        if let Some((server, file)) = &mut theirs {
            flat.theirs(server, file, &mut connection, &mut step)?;
        }
    }
    drop(theirs);
    let mut cases = growth.cases();
    cases.extend(flat.cases());
    progress.step("closing");
    drop(connection);
    laboratory.close()?;
    progress.end();
    let mut notes = vec![
        format!(
            "{} runs of each side in turn, {} MB of buffer cache each, one session, PostgreSQL without parallel workers{}",
            options.runs,
            options.cache_mb,
            if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
        ),
        "durable: both sides have committed, with their log synced, when a time is taken. The lines with 'and checkpoint' add the time in which each side \
         writes and syncs all changed blocks."
            .to_owned(),
        growth.note(),
    ];
    notes.extend(flat.notes());
    if let Ok(found) = &installation {
        let set: Vec<String> =
            settings(options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
        notes.push(format!("{}: {}; log and all else by default", found.version, set.join(", ")));
    }
    Ok(Outcome { name: "block-size".to_owned(), cases, notes, skipped, device: None })
}
