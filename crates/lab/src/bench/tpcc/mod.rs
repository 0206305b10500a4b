//! `bench tpcc`: the five transactions of TPC-C (revision 5.11) as stored procedures, beside the same procedures in
//! PostgreSQL's PL/pgSQL. Sessions call them without think times, so the figures are no results of TPC-C: they compare
//! two sides on one machine.
//!
//! [`size`] rows of [`schema`] come from [`load`]; sessions of a [`side`] call [`procedures`] with [`inputs`] for the
//! time of a [`run`], and after each run the conditions of [`consistency`] must hold.

mod consistency;
mod dialect;
mod inputs;
mod load;
mod procedures;
mod run;
mod schema;
mod side;
mod size;

use common::{Result, SystemClock};
use peer::{Installation, settings};

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use crate::progress::Progress;
use crate::text::{grouped, number};
use dialect::Dialect;
use inputs::Kind;
use run::{Run, Tally};
use side::{Highwater, Peer, Side, Waited};
use size::{DISTRICTS, Size};

/// Sessions that work at the same time, a case each.
const SESSIONS: [u32; 3] = [1, 5, 16];
/// Length of a run at scale 1 and above, and of the shortest.
const SECONDS: f64 = 20.0;
const LEAST_SECONDS: f64 = 0.3;
/// Required ratios: with the database in the cache, and with one that is larger.
const ASKED_CACHED: f64 = 1.2;
const ASKED_LARGER: f64 = 1.0;
/// How much of the database the cache of the second part holds, and the least that an instance is given.
const CACHE_SHARE: u64 = 4;
const LEAST_CACHE_MB: u64 = 16;
/// Events of a run that are named.
const WAITS_SHOWN: usize = 8;
const MB: u64 = 1 << 20;
const PEER: &str = "PostgreSQL";

/// One cache, and all that was measured with it.
struct Part {
    cache_mb: u64,
    asked: f64,
    /// Bytes of tables and indexes after the load, of ours and theirs.
    bytes: Vec<u64>,
    empty_call_us: Vec<f64>,
    /// By number of sessions, then by side, then by run.
    tallies: [[Vec<Tally>; 2]; 3],
    /// What our side waited for in the last run of so many sessions, the longest first.
    waits: [Vec<Waited>; 3],
}

impl Part {
    fn new(cache_mb: u64, asked: f64) -> Self {
        Self {
            cache_mb,
            asked,
            bytes: Vec::new(),
            empty_call_us: Vec::new(),
            tallies: Default::default(),
            waits: Default::default(),
        }
    }

    /// Megabytes of the larger side's database.
    fn mb(&self) -> u64 {
        self.bytes.iter().max().map_or(0, |bytes| bytes.div_ceil(MB))
    }

    /// Megabytes of the smaller side's: of both, the second part's cache holds no more than it should.
    fn least_mb(&self) -> u64 {
        self.bytes.iter().min().map_or(0, |bytes| bytes.div_ceil(MB))
    }

    /// FILESYSTEMIO_OPTIONS. PostgreSQL's reads come from the operating system's page cache where that has the page:
    /// where blocks are read all the time, ours do so too.
    fn files(&self) -> &'static str {
        if self.is_larger() { "ASYNCH" } else { "SETALL" }
    }

    fn holds_all(&self) -> bool {
        self.mb() <= self.cache_mb
    }

    /// True: the part whose cache is to be too small.
    fn is_larger(&self) -> bool {
        self.asked < ASKED_CACHED
    }

    /// The part's name: what the cache held, and not what it was to hold.
    fn name(&self) -> String {
        match (self.is_larger(), self.holds_all()) {
            (false, true) => "cached".to_owned(),
            (false, false) => "not all cached".to_owned(),
            (true, true) => "least cache".to_owned(),
            (true, false) => format!("{} times the cache", number(self.least_mb() as f64 / self.cache_mb as f64, 1)),
        }
    }

    fn cases(&self) -> impl Iterator<Item = Case> {
        let of = |what: &'static str, unit: &'static str, asked: Option<f64>, rate: fn(&Tally) -> f64| {
            SESSIONS.into_iter().zip(&self.tallies).map(move |(sessions, [ours, theirs])| {
                let name = format!("{what}, {}, {}", self.name(), named(sessions));
                let rates = |tallies: &[Tally]| tallies.iter().map(rate).collect();
                Case::new(&name, unit, PEER, asked, rates(ours), rates(theirs))
            })
        };
        of("New-Order", "transactions/min", Some(self.asked), Tally::new_orders_a_minute).chain(of(
            "all transactions",
            "transactions/s",
            None,
            Tally::transactions_a_second,
        ))
    }
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let size = Size::of(options.scale);
    let installation = options.installation();
    let bench = Bench { options, size, installation: installation.as_ref().ok(), clock: SystemClock::default() };
    let cached = bench.part(Part::new(options.cache_mb, ASKED_CACHED), progress)?;
    let smaller_mb = (cached.least_mb() / CACHE_SHARE).max(LEAST_CACHE_MB);
    let larger = bench.part(Part::new(smaller_mb, ASKED_LARGER), progress)?;
    progress.end();
    let skipped = match &installation {
        Ok(_) => Vec::new(),
        Err(why) => vec![format!("skipped: beside PostgreSQL: {why}")],
    };
    let cases = cached.cases().chain(larger.cases()).collect();
    Ok(Outcome { name: "tpcc".to_owned(), cases, notes: bench.notes(&[cached, larger]), skipped, device: None })
}

fn named(sessions: u32) -> String {
    format!("{sessions} session{}", if sessions == 1 { "" } else { "s" })
}

struct Bench<'a> {
    options: &'a BenchOptions,
    size: Size,
    installation: Option<&'a Installation>,
    clock: SystemClock,
}

impl Bench<'_> {
    fn length_us(&self) -> u64 {
        ((SECONDS * self.options.scale).clamp(LEAST_SECONDS, SECONDS) * 1e6) as u64
    }

    /// Loads both sides with this cache and runs all numbers of sessions on each in turn.
    fn part(&self, mut part: Part, progress: &mut dyn Progress) -> Result<Part> {
        let home = super::home(self.options)?;
        let cached = format!("cache of {} MB", part.cache_mb);
        let mut sides: Vec<Box<dyn Side>> = Vec::new();
        progress.step(&format!("{cached}: Highwater: creating the database"));
        let (directory, device) = (home.path().join("highwater"), self.options.device.as_ref());
        sides.push(Box::new(Highwater::create(&directory, device, part.cache_mb, part.files())?));
        if let Some(found) = self.installation {
            progress.step(&format!("{cached}: PostgreSQL: creating the database"));
            sides.push(Box::new(Peer::create(found, home.path(), part.cache_mb)?));
        }
        let mut answers = Vec::new();
        for side in &mut sides {
            let side = &mut **side;
            progress.step(&format!("{cached}: {}: loading", side.dialect().name()));
            side::fill(side, self.size)?;
            consistency::check(side, self.size, "after the load")?;
            part.bytes.push(side.bytes()?);
            // There is nothing to compare without a peer.
            if self.installation.is_some() {
                answers.push(run::answers(side, self.size)?);
                consistency::check(side, self.size, "after the transactions that are compared")?;
            }
            part.empty_call_us.push(run::empty_call_us(&mut *side.session()?, &self.clock)?);
        }
        if let [ours, theirs] = &answers[..] {
            run::compare(ours, theirs)?;
        }
        for side in &mut sides {
            progress.step(&format!("{cached}: {}: warming up", side.dialect().name()));
            Run::warming(self.length_us() / 2).of(&mut **side, &self.clock, self.size)?;
        }
        for seed in 1..=self.options.runs {
            for ((sessions, tallies), waits) in SESSIONS.into_iter().zip(&mut part.tallies).zip(&mut part.waits) {
                for (side, tallies) in sides.iter_mut().zip(tallies) {
                    let what = format!("run {seed} of {}: {}", self.options.runs, named(sessions));
                    progress.step(&format!("{cached}: {what}: {}", side.dialect().name()));
                    let run = Run { seed: seed.into(), sessions, length_us: self.length_us() };
                    let (tally, waited) = run.of(&mut **side, &self.clock, self.size)?;
                    tallies.push(tally);
                    if side.dialect() == Dialect::Highwater {
                        *waits = waited;
                    }
                    consistency::check(&mut **side, self.size, &what)?;
                }
            }
        }
        progress.step(&format!("{cached}: closing"));
        sides.into_iter().try_for_each(Side::close)?;
        Ok(part)
    }

    fn notes(&self, parts: &[Part; 2]) -> Vec<String> {
        let Size { warehouses, customers, items } = self.size;
        let mut notes = vec![
            format!(
                "warehouses: {}, of {DISTRICTS} districts with {} customers and orders each, {} items; 45 % New-Order, \
                 43 % Payment, 4 % each of Order-Status, Delivery and Stock-Level, no think times (so no result of \
                 TPC-C); a session's warehouse is always the same; {} runs of each side in turn, {} s each{}",
                grouped(warehouses),
                grouped(customers),
                grouped(items),
                self.options.runs,
                number(self.length_us() as f64 / 1e6, 1),
                if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
            ),
            "durable: each transaction is committed, and its call returns when its commit is durable, on both sides. \
             Both read committed. Conditions 1 to 4 of consistency (3.3.2.1 to 3.3.2.4) held after each run"
                .to_owned(),
        ];
        if self.installation.is_some() {
            notes.push(format!(
                "the same seeds gave both sides the same inputs, and both answered the same to {} transactions of one \
                 session before the runs",
                run::COMPARED
            ));
        }
        for part in parts {
            notes.push(part.sizes());
            notes.extend(part.details());
            notes.extend(part.waited());
        }
        if let Some(found) = self.installation {
            let set: Vec<String> =
                settings(self.options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
            notes.push(format!(
                "{}: {}; in the second part shared_buffers={}MB; fillfactor 90 where PCTFREE is 10; autovacuum's work \
                 is done by VACUUM before each run; log and all else by default. Its reads come from the operating \
                 system's page cache where that has the page; Highwater's too in the second part \
                 (FILESYSTEMIO_OPTIONS={}), and go past it in the first",
                found.version,
                set.join(", "),
                parts[1].cache_mb,
                parts[1].files()
            ));
        }
        notes
    }
}

impl Part {
    fn sizes(&self) -> String {
        let sizes: Vec<String> = self.bytes.iter().map(|bytes| grouped(bytes.div_ceil(MB))).collect();
        let held = match (self.holds_all(), self.is_larger()) {
            (true, false) => "it is cached when it is loaded, and grows in the runs".to_owned(),
            (true, true) => "THE DATABASE IS TOO SMALL to be larger than the least cache".to_owned(),
            (false, true) => "the database is larger than the cache".to_owned(),
            (false, false) => format!("NOT ALL IS CACHED: --cache-mb {} would hold it", self.mb() * 3 / 2),
        };
        let calls: Vec<String> = self.empty_call_us.iter().map(|us| number(*us, 0)).collect();
        format!(
            "cache of {} MB each: the database takes {} MB after the load; {held}. A call that does nothing takes {} \
             microseconds{}",
            self.cache_mb,
            sizes.join(" here and "),
            calls.join(" here and "),
            if sizes.len() > 1 {
                " there (Highwater is called in the process, PostgreSQL through a socket)"
            } else {
                ""
            }
        )
    }

    /// What our sessions and backgrounds waited for.
    fn waited(&self) -> impl Iterator<Item = String> {
        SESSIONS.into_iter().zip(&self.waits).zip(&self.tallies).filter_map(|((sessions, waits), [ours, _])| {
            let time_us = ours.last()?.time_us.max(1) * u64::from(sessions);
            let share = |waited: &Waited| {
                format!("{} {} %", waited.event, number(waited.time_us as f64 * 100.0 / time_us as f64, 1))
            };
            let longest: Vec<String> = waits.iter().take(WAITS_SHOWN).map(share).collect();
            let what = "waits of sessions and backgrounds, in per cent of the sessions' time";
            Some(format!("{}, {}, {what}: {}", self.name(), named(sessions), longest.join(", ")))
        })
    }

    /// What the transactions took, and how many were repeated or rolled back.
    fn details(&self) -> impl Iterator<Item = String> {
        SESSIONS.into_iter().zip(&self.tallies).map(|(sessions, sides)| {
            let sums = sides.each_ref().map(|tallies| {
                let mut sum = Tally::default();
                tallies.iter().for_each(|tally| sum.add(tally));
                sum
            });
            let there = !sides[1].is_empty();
            let pair = |of: &dyn Fn(&Tally) -> String| {
                if there { format!("{} and {}", of(&sums[0]), of(&sums[1])) } else { of(&sums[0]) }
            };
            let kinds: Vec<String> = Kind::ALL
                .into_iter()
                .map(|kind| format!("{} {}", kind.name(), pair(&|sum| number(sum.milliseconds(kind), 2))))
                .collect();
            format!(
                "{}, {}, milliseconds a transaction{}: {}; rolled back for their item {}, deadlocks {}",
                self.name(),
                named(sessions),
                if there { ", Highwater and PostgreSQL" } else { "" },
                kinds.join(", "),
                pair(&|sum| grouped(sum.rolled_back)),
                pair(&|sum| grouped(sum.deadlocks)),
            )
        })
    }
}
