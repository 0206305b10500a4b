//! `bench plsql`: programs in the server beside PostgreSQL's PL/pgSQL: the loop of the experiment `freelists`, and
//! loops of nothing but arithmetic.
//!
//! The loop inserts a row, has a column returned, commits, and does so for some seconds, in five sessions at once: our
//! jobs, PostgreSQL's sessions that call a procedure. A COMMIT inside PL/SQL is waited for when the call ends, one
//! inside PL/pgSQL at once. So the first two cases put like beside like: both sides wait for each commit, and neither
//! does. The third leaves each side its own way.

use std::time::Duration;

use common::{Clock, Result};
use sql::Connection;

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use super::together::together;
use crate::experiment::plan::Turn;
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::freelists::setting::{self, auto, manual};
use crate::freelists::work::Work;
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;
use peer::{Postgres, settings};

const SESSIONS: u32 = 5;
/// Length of a run of the loop at scale 1.
const SECONDS: f64 = 5.0;
/// Iterations of the loops of arithmetic at scale 1.
const ITERATIONS: f64 = 10_000_000.0;
const TABLE: &str = "test";
const US: u64 = 1_000_000;
/// Required ratios.
const LEAST_LOOP: f64 = 1.3;
const LEAST_ARITHMETIC: f64 = 1.0;

/// The two settings; the better one counts.
fn measured() -> [Setting; 2] {
    [manual(5), auto(1)].map(of_sessions)
}

/// The setting of the case in which both sides wait.
fn waiting() -> Setting {
    of_sessions(manual(5))
}

fn of_sessions(setting: Setting) -> Setting {
    setting.with(&setting::SESSIONS, SESSIONS)
}

/// The types that the loops count with, ours and PostgreSQL's.
const TYPES: [(&str, &str); 2] = [("pls_integer", "integer"), ("number", "numeric")];

/// Rates of all runs: ours by arm, and waiting for each commit; PostgreSQL's waiting and not.
#[derive(Default)]
struct Rates {
    arms: [Vec<f64>; 2],
    waiting: Vec<f64>,
    their_waiting: Vec<f64>,
    their_asynchronous: Vec<f64>,
    arithmetic: [Vec<f64>; TYPES.len()],
    their_arithmetic: [Vec<f64>; TYPES.len()],
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let length_s = (SECONDS * options.scale).round().clamp(1.0, 3_600.0) as u32;
    let iterations = (ITERATIONS * options.scale).round().clamp(1.0, 2e9) as u64;
    let mut skipped = Vec::new();
    progress.step("Highwater: creating the database");
    let cache_mb = u32::try_from(options.cache_mb).unwrap_or(u32::MAX);
    let mut ours =
        Work::new(Some(&home.path().join("highwater")), options.device.as_ref(), length_s, SESSIONS, cache_mb)?;
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
    let mut rates = Rates::default();
    for number in 1..=options.runs {
        let mut step = |what: &str| progress.step(&format!("run {number} of {}: {what}", options.runs));
        for (at, setting) in measured().into_iter().enumerate() {
            step(&format!("Highwater, {}", setting.name()));
            rates.arms[at].push(ours.run_jobs(setting, Turn::default())?.transactions_per_s());
        }
        step("Highwater, waiting for each commit");
        ours.connection().run("alter system set commit_wait = 'FORCE_WAIT'")?;
        rates.waiting.push(ours.run_jobs(waiting(), Turn::default())?.transactions_per_s());
        ours.connection().run("alter system set commit_wait = 'WAIT'")?;
        for (at, (data_type, _)) in TYPES.into_iter().enumerate() {
            step(&format!("Highwater, loop with {data_type}"));
            rates.arithmetic[at].push(arithmetic(ours.connection(), data_type, iterations)?);
        }
        if let Some(server) = &mut theirs {
            step("PostgreSQL");
            rates.their_waiting.push(loop_of(server, length_s, "on")?);
            step("PostgreSQL, synchronous_commit off");
            rates.their_asynchronous.push(loop_of(server, length_s, "off")?);
            for (at, (_, data_type)) in TYPES.into_iter().enumerate() {
                step(&format!("PostgreSQL, loop with {data_type}"));
                rates.their_arithmetic[at].push(their_arithmetic(server, data_type, iterations)?);
            }
        }
    }
    drop(theirs);
    progress.step("closing");
    ours.close()?;
    progress.end();
    let mut notes = notes(options, length_s, iterations, &rates);
    if let Ok(found) = &installation {
        let set: Vec<String> =
            settings(options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
        notes.push(format!("{}: {}; log and all else by default", found.version, set.join(", ")));
    }
    Ok(Outcome { name: "plsql".to_owned(), cases: cases(rates), notes, skipped, device: None })
}

/// The setting with the greater median.
fn best(rates: &Rates) -> usize {
    let medians = rates.arms.each_ref().map(|rates| crate::interval::median(rates).unwrap_or(0.0));
    if medians[1] > medians[0] { 1 } else { 0 }
}

fn cases(rates: Rates) -> Vec<Case> {
    let at = best(&rates);
    let Rates { arms, waiting, their_waiting, their_asynchronous, arithmetic, their_arithmetic } = rates;
    let (unit, peer) = ("transactions/s", "PostgreSQL");
    let best = arms[at].clone();
    // Like beside like comes first; that each side is asked by its own default stands in the name.
    let own_ways = format!("the script's loop, each by its default, {}", measured()[at].name());
    let mut cases = vec![
        Case::new("the loop, both wait for each commit", unit, peer, None, waiting, their_waiting.clone()),
        Case::new("the loop, neither waits for a commit", unit, peer, None, best.clone(), their_asynchronous),
        Case::new(&own_ways, unit, peer, Some(LEAST_LOOP), best, their_waiting),
    ];
    for (((ours, theirs), rates), their_rates) in TYPES.into_iter().zip(arithmetic).zip(their_arithmetic) {
        let limit = (ours == TYPES[0].0).then_some(LEAST_ARITHMETIC);
        let name = format!("loop of n := n + 1, {ours} beside {theirs}");
        cases.push(Case::new(&name, "iterations/s", peer, limit, rates, their_rates));
    }
    cases
}

/// Iterations a second of our loop.
fn arithmetic(connection: &mut Connection, data_type: &str, iterations: u64) -> Result<f64> {
    let clock = std::sync::Arc::clone(connection.session().meter().clock());
    let text = format!(
        "declare n {data_type} := 0; begin for i in 1 .. {iterations} loop n := n + 1; end loop; \
         if n <> {iterations} then raise_application_error(-20000, 'wrong sum'); end if; end;"
    );
    let from_us = clock.monotonic_us();
    connection.run(&text)?;
    Ok(iterations as f64 / seconds((clock.monotonic_us() - from_us).max(1)))
}

fn their_arithmetic(server: &mut Postgres, data_type: &str, iterations: u64) -> Result<f64> {
    let text = format!(
        "do $$ declare n {data_type} := 0; begin for i in 1 .. {iterations} loop n := n + 1; end loop; \
         if n <> {iterations} then raise exception 'wrong sum'; end if; end $$"
    );
    let from_us = server.clock().monotonic_us();
    server.run(&text)?;
    Ok(iterations as f64 / seconds((server.clock().monotonic_us() - from_us).max(1)))
}

/// PostgreSQL's loop: the same statements, and times in whole seconds as SYSDATE has them.
fn procedure() -> String {
    format!(
        "create procedure do_insert(length integer) language plpgsql as $$ \
         declare \
           l_stop timestamp := date_trunc('second', clock_timestamp()) + length * interval '1 second'; \
           l_date timestamp := date_trunc('second', clock_timestamp()); \
         begin \
           while l_date < l_stop loop \
             insert into {TABLE} (x) values (date_trunc('second', clock_timestamp())) returning x into l_date; \
             commit; \
           end loop; \
         end $$"
    )
}

/// Transactions a second of PostgreSQL's sessions, into a new table.
fn loop_of(server: &mut Postgres, length_s: u32, synchronous: &str) -> Result<f64> {
    server.run(&format!("drop table if exists {TABLE}"))?;
    server.run(&format!("create table {TABLE} (x timestamp(0), y char(255) default 'x')"))?;
    server.run("checkpoint")?;
    let clients = (0..SESSIONS).map(|_| server.another()).collect::<Result<Vec<_>>>()?;
    let into_second_us = server.clock().wall_us() % US;
    std::thread::sleep(Duration::from_micros(US - into_second_us));
    let time_us = together(server.clock(), clients, |_, mut client, begin| {
        let ready = client.run(&format!("set synchronous_commit = {synchronous}"));
        begin.wait();
        ready.and_then(|()| client.run(&format!("call do_insert({length_s})")))
    })?;
    Ok(server.count(TABLE)? as f64 / seconds(time_us.max(1)))
}

fn notes(options: &BenchOptions, length_s: u32, iterations: u64, rates: &Rates) -> Vec<String> {
    let arms: Vec<String> = measured()
        .into_iter()
        .zip(&rates.arms)
        .map(|(setting, rates)| {
            let median = crate::interval::median(rates).unwrap_or(0.0).round() as u64;
            format!("{} {}", setting.name(), grouped(median))
        })
        .collect();
    vec![
        format!(
            "the loop: {SESSIONS} sessions for {length_s} s, a new table each time, best setting of: {} transactions/s; loops of arithmetic: {} \
             iterations; {} runs of each side in turn, {} MB of buffer cache each{}",
            arms.join(", "),
            grouped(iterations),
            options.runs,
            options.cache_mb,
            if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
        ),
        "durable: in the first case both sides wait for each commit (COMMIT_WAIT is FORCE_WAIT, synchronous_commit on), in the second neither does (COMMIT_WAIT by \
         default, synchronous_commit off). The third is no like beside like: by default a commit inside PL/SQL is waited for when the call ends, as in Oracle, \
         and one inside PL/pgSQL at once"
            .to_owned(),
    ]
}
