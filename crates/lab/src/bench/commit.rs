//! `bench commit`: sessions that insert a row and commit it, again and again, compared with PostgreSQL and with the
//! sync rate of the disk itself.
//!
//! Both sides work inside the server: ours executes one cursor again and again on the session's own thread,
//! PostgreSQL's a PL/pgSQL procedure with COMMIT in its loop. So the benchmark compares the commit, not the way to the
//! server.

use std::path::Path;
use std::sync::{Arc, Barrier};

use common::{Error, Result};
use sql::{Connection, Datum};
use storage::txn::CommitWrite;
use waits::{MeterSnapshot, Statistic};

use super::BenchOptions;
use super::disk::{self, SyncRate};
use super::outcome::{Case, Outcome};
use super::together::together;
use crate::laboratory::Laboratory;
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;
use peer::{Installation, Postgres, settings};

const TABLE: &str = "commit_target";
/// Sessions that work at the same time, a case each.
const SESSIONS: [u32; 3] = [1, 5, 16];
/// Rows that each session inserts, at scale 1.
const ROWS: f64 = 2_000.0;
/// With two numbers and the row's header this makes 260 bytes of a row.
const FILLER_BYTES: usize = 246;
/// The first size of our table's file.
const FILE_MB: u32 = 64;

/// Commits a second of one side, by case and run.
type Rates = Vec<Vec<f64>>;

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let rows = (ROWS * options.scale).ceil().max(1.0) as u64;
    let mut skipped = Vec::new();
    progress.step("Highwater: creating the database");
    let mut ours = Highwater::start(&home.path().join("highwater"), options)?;
    let installation = options.installation();
    let mut theirs = match &installation {
        Ok(found) => {
            progress.step("PostgreSQL: creating the database");
            let mut server = Postgres::start(found, home.path(), options.cache_mb)?;
            server.run(&procedure())?;
            Some(server)
        }
        Err(why) => {
            skipped.push(format!("skipped: beside PostgreSQL: {why}"));
            None
        }
    };
    let (mut our_rates, mut their_rates): (Rates, Rates) = (vec![Vec::new(); 3], vec![Vec::new(); 3]);
    for number in 1..=options.runs {
        for (case, sessions) in SESSIONS.into_iter().enumerate() {
            progress.step(&format!("run {number} of {}: Highwater, sessions: {sessions}", options.runs));
            our_rates[case].push(ours.commits(sessions, rows)?);
            if let Some(server) = &mut theirs {
                progress.step(&format!("run {number} of {}: PostgreSQL, sessions: {sessions}", options.runs));
                their_rates[case].push(postgres_commits(server, sessions, rows)?);
            }
        }
    }
    drop(theirs);
    let redo = ours.redo;
    progress.step("closing");
    ours.stop()?;
    let mut notes = notes(options, rows, redo, installation.as_ref().ok());
    match options.fio() {
        Ok(()) => {
            progress.step("what the disk syncs");
            match disk::sync_rates(home.path(), options.scale) {
                Ok(rates) => notes.push(disk_note(&rates)),
                Err(error) => skipped.push(format!("skipped: beside the disk: {error}")),
            }
        }
        Err(why) => skipped.push(format!("skipped: beside the disk: {why}")),
    }
    progress.end();
    let cases = SESSIONS.into_iter().zip(our_rates).zip(their_rates);
    let cases = cases.map(|((sessions, ours), theirs)| {
        let name = if sessions == 1 { "1 session".to_owned() } else { format!("{sessions} sessions") };
        let mut case = Case::new(&format!("insert and commit, {name}"), "commits/s", "PostgreSQL", None, ours, theirs);
        // Commits that are durable on one side alone have no ratio.
        if redo.writes == 0 {
            case.ratio = None;
        }
        case
    });
    Ok(Outcome { name: "commit".to_owned(), cases: cases.collect(), notes, skipped, device: None })
}

/// The cost of our commits, over all runs.
#[derive(Clone, Copy, Default, Debug)]
struct Redo {
    commits: u64,
    bytes: u64,
    writes: u64,
    synched: u64,
}

#[derive(Debug)]
struct Highwater {
    laboratory: Laboratory,
    connection: Connection,
    redo: Redo,
}

impl Highwater {
    fn start(directory: &Path, options: &BenchOptions) -> Result<Self> {
        let parameters = [("db_cache_size", format!("{}M", options.cache_mb))];
        let laboratory = Laboratory::create(Some(directory), options.device.as_ref(), parameters)?;
        let mut connection = laboratory.connect()?;
        connection.run(&format!(
            "create tablespace bench_tbs datafile 'bench01.dbf' size {FILE_MB}M autoextend on next {FILE_MB}M \
             extent management local autoallocate segment space management auto"
        ))?;
        Ok(Self { laboratory, connection, redo: Redo::default() })
    }

    fn counted(&self) -> MeterSnapshot {
        self.laboratory.database().instance().system_meter().snapshot()
    }

    /// All sessions' commits a second, from the first's begin to the last's end, into a new table.
    fn commits(&mut self, sessions: u32, rows: u64) -> Result<f64> {
        let session = self.connection.session();
        if session.catalog().table(&session.user(), &TABLE.to_uppercase()).is_some() {
            self.connection.run(&format!("drop table {TABLE}"))?;
        }
        self.connection.run(&format!(
            "create table {TABLE} (session_id number, n number, filler varchar2({FILLER_BYTES})) tablespace bench_tbs"
        ))?;
        let meter = Arc::clone(self.connection.session().meter());
        self.laboratory.database().instance().checkpoint(&meter)?;
        let connections = (0..sessions).map(|_| self.laboratory.connect()).collect::<Result<Vec<_>>>()?;
        let before = self.counted();
        let time_us = together(&**meter.clock(), connections, |number, connection, begin| {
            insert_and_commit(connection, number, rows, begin)
        })?;
        let counted = self.counted().minus(&before);
        self.redo.commits += u64::from(sessions) * rows;
        self.redo.bytes += counted.value(Statistic::RedoSize);
        self.redo.writes += counted.value(Statistic::RedoWrites);
        self.redo.synched += counted.value(Statistic::RedoSynchWrites);
        let found = crate::laboratory::numbers(&mut self.connection, &format!("select count(*) from {TABLE}"))?;
        check(found.first().copied().unwrap_or(0), sessions, rows)?;
        Ok(rate(sessions, rows, time_us))
    }

    fn stop(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

/// One session's work; it begins when all are ready.
fn insert_and_commit(mut connection: Connection, number: u32, rows: u64, begin: &Barrier) -> Result<()> {
    let parsed = connection.parse(&format!("insert into {TABLE} values (:s, :n, :f)"));
    begin.wait();
    let insert = parsed?;
    connection.bind(insert, "s", Datum::integer(i64::from(number)))?;
    connection.bind(insert, "f", Datum::varchar2("x".repeat(FILLER_BYTES)))?;
    for row in 0..rows {
        connection.bind(insert, "n", Datum::integer(row as i64))?;
        connection.execute(insert)?;
        connection.commit(CommitWrite::default())?;
    }
    connection.close(insert);
    Ok(())
}

fn rate(sessions: u32, rows: u64, time_us: u64) -> f64 {
    (u64::from(sessions) * rows) as f64 / seconds(time_us.max(1))
}

fn check(found: u64, sessions: u32, rows: u64) -> Result<()> {
    let expected = u64::from(sessions) * rows;
    if found == expected {
        return Ok(());
    }
    Err(Error::bug(format!("{expected} rows were committed and {found} are there")))
}

/// PostgreSQL's loop. COMMIT in a procedure waits for its log as any other.
fn procedure() -> String {
    format!(
        "create procedure insert_and_commit(s bigint, rows bigint, filler varchar) language plpgsql as $$ \
         begin for i in 1..rows loop insert into {TABLE} values (s, i, filler); commit; end loop; end $$"
    )
}

fn postgres_commits(server: &mut Postgres, sessions: u32, rows: u64) -> Result<f64> {
    server.run(&format!("drop table if exists {TABLE}"))?;
    server.run(&format!("create table {TABLE} (session_id bigint, n bigint, filler varchar({FILLER_BYTES}))"))?;
    server.run("checkpoint")?;
    let clients = (0..sessions).map(|_| server.another()).collect::<Result<Vec<_>>>()?;
    let filler = "x".repeat(FILLER_BYTES);
    let time_us = together(server.clock(), clients, |number, mut client, begin| {
        let call = format!("call insert_and_commit({number}, {rows}, '{filler}')");
        begin.wait();
        client.run(&call)
    })?;
    check(server.count(TABLE)?, sessions, rows)?;
    Ok(rate(sessions, rows, time_us))
}

fn notes(options: &BenchOptions, rows: u64, redo: Redo, installation: Option<&Installation>) -> Vec<String> {
    let mut notes = vec![format!(
        "{} rows of 260 bytes a session, each committed by itself; {} runs of each side in turn, both on one file system, {} MB of buffer cache each{}",
        grouped(rows),
        options.runs,
        options.cache_mb,
        if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
    )];
    notes.push(if redo.writes == 0 {
        "durable: Highwater wrote no redo in these runs, so its commits made nothing durable, and its rates are those of inserting alone. PostgreSQL's \
         commits waited for their log to be synced. So there are no ratios."
            .to_owned()
    } else {
        format!(
            "durable: both sides' commits waited for their log. Highwater's {} commits made {} bytes of redo each, {:.2} commits a write of the log, \
             and {} of them waited",
            grouped(redo.commits),
            redo.bytes / redo.commits.max(1),
            redo.commits as f64 / redo.writes as f64,
            grouped(redo.synched),
        )
    });
    if let Some(found) = installation {
        let set: Vec<String> =
            settings(options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
        notes.push(format!(
            "{}: {}; log and all else by default (wal_level replica, synchronous_commit on, wal_sync_method fdatasync, commit_delay 0)",
            found.version,
            set.join(", ")
        ));
    }
    notes
}

fn disk_note(rates: &[SyncRate]) -> String {
    let rates: Vec<String> = rates
        .iter()
        .map(|rate| {
            let measured = match &rate.writes_s {
                Ok(writes) => format!("{} a second", grouped(writes.round() as u64)),
                Err(why) => format!("not to be had ({why})"),
            };
            format!("{} bytes, {} in flight: {measured}", grouped(rate.bytes), rate.in_flight)
        })
        .collect();
    format!("the disk itself, fio, O_DIRECT and O_DSYNC into a file that was written before: {}", rates.join("; "))
}
