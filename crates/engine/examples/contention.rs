//! Five sessions that insert single rows into one table and commit each, under four settings of its space: what they
//! wait for.
//!
//! ```text
//! cargo run --release -p engine --example contention -- <directory | memory> [seconds] [repetitions] [sessions]
//! ```
//!
//! The settings take turns in random order. A line for each run: transactions a second, waits for buffers by class, and
//! the events that took longest; at the end medians over the repetitions.

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use common::{BlockClass, Clock, Error, Result, Seeded};
use storage::control::SpaceManagement;
use waits::{Event, LatchName, MeterSnapshot, Statistic, WaitClass};

#[path = "sessions/mod.rs"]
mod sessions;

struct Arm {
    name: &'static str,
    tablespace: &'static str,
    freelists: u16,
}

const ARMS: [Arm; 4] = [
    Arm { name: "manual/1", tablespace: "ASSM_MANUAL", freelists: 1 },
    Arm { name: "manual/5", tablespace: "ASSM_MANUAL", freelists: 5 },
    Arm { name: "auto/1", tablespace: "ASSM_AUTO", freelists: 1 },
    Arm { name: "auto/5", tablespace: "ASSM_AUTO", freelists: 5 },
];

/// Events that are shown of a run.
const TOP: usize = 6;

fn run(place: &sessions::Place, arm: &Arm, count: u32, micros: u64) -> Result<sessions::Measured> {
    let owner = place.instance.connect("SYSTEM")?;
    let table = place.table(&owner, arm.tablespace, arm.freelists)?;
    place.instance.checkpoint(owner.meter())?;
    let measured = sessions::insert_and_commit(place, &table, count, micros)?;
    owner.drop_table("SYSTEM", "TEST")?;
    Ok(measured)
}

fn classes(counted: &MeterSnapshot) -> String {
    let all = BlockClass::ALL.into_iter().map(|class| (class, counted.buffer_waits(class)));
    let waited = all.filter(|(_, waits)| waits.waits > 0);
    let text = |(class, waits): (BlockClass, waits::BufferWaits)| {
        format!("{} {} ({:.0} us)", class.name(), waits.waits, waits.micros as f64 / waits.waits as f64)
    };
    waited.map(text).collect::<Vec<_>>().join(", ")
}

fn top(counted: &MeterSnapshot) -> String {
    let mut events: Vec<_> = Event::ALL
        .into_iter()
        .filter(|event| event.class() != WaitClass::Idle)
        .map(|event| (event, counted.event(event)))
        .filter(|(_, totals)| totals.waits > 0)
        .collect();
    events.sort_by_key(|(_, totals)| std::cmp::Reverse(totals.micros));
    let text = |(event, totals): &(Event, waits::EventTotals)| {
        format!("{event} {} in {:.2} s", totals.waits, totals.micros as f64 / 1e6)
    };
    events.iter().take(TOP).map(text).collect::<Vec<_>>().join("; ")
}

fn latches(counted: &MeterSnapshot) -> String {
    let missed = LatchName::ALL.into_iter().map(|latch| (latch, counted.latch(latch))).filter(|(_, l)| l.misses > 0);
    let text = |(latch, totals): (LatchName, waits::LatchTotals)| {
        format!("{latch} {} gets, {} misses, {} sleeps", totals.gets, totals.misses, totals.sleeps)
    };
    missed.map(text).collect::<Vec<_>>().join("; ")
}

/// The median.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or_else(|| Error::user(1, "which directory?"))?;
    let mut argument = |usual| arguments.next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(usual);
    let (seconds, repetitions, count) = (argument(5.0), argument(3.0) as usize, argument(5.0) as u32);
    let place = sessions::Place::new(&directory, "contention")?;
    place.tablespace("ASSM_MANUAL", SpaceManagement::Manual)?;
    place.tablespace("ASSM_AUTO", SpaceManagement::Auto)?;
    let mut dice = Seeded::new(place.clock.wall_us());
    let mut figures: [Vec<[f64; 4]>; 4] = Default::default();
    for repetition in 1..=repetitions {
        let mut order = [0, 1, 2, 3];
        (1..order.len()).rev().for_each(|at| order.swap(at, dice.index(at + 1)));
        for number in order {
            let measured = run(&place, &ARMS[number], count, (seconds * 1e6) as u64)?;
            let counted = &measured.counted;
            let of = |class| counted.buffer_waits(class).waits as f64;
            let busy = counted.event(Event::BufferBusyWaits).waits as f64;
            println!(
                "{repetition} {:9} {:7.0} tx/s, {:.1} us of CPU each, buffer busy waits {busy:.0}: {}\n            {}\n            {}\n            commits a redo write {:.2}",
                ARMS[number].name,
                measured.commits_per_s,
                measured.cpu_us_per_commit,
                classes(counted),
                top(counted),
                latches(counted),
                measured.commits_per_s * seconds / counted.value(Statistic::RedoWrites).max(1) as f64,
            );
            figures[number].push([measured.commits_per_s, busy, of(BlockClass::Data), of(BlockClass::SegmentHeader)]);
        }
    }
    println!("medians of {repetitions}:");
    for (arm, runs) in ARMS.iter().zip(&figures) {
        let of = |at: usize| median(runs.iter().map(|run| run[at]).collect());
        println!(
            "{:9} {:7.0} tx/s, buffer busy waits {:6.0}, of which data blocks {:6.0}, segment header {:6.0}",
            arm.name,
            of(0),
            of(1),
            of(2),
            of(3),
        );
    }
    place.close()
}
