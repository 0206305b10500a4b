//! The commit loop: five sessions that insert a row of some 260 bytes and commit it. What counting and timing cost is
//! the difference between this
//!
//! ```text
//! cargo run --release -p engine --example commit_loop -- <directory | memory> [seconds] [sessions]
//! ```
//!
//! and the same with `--features unmeasured`, by runs that alternate. Each run is a database of its own and prints one
//! line: commits a second, the processor time of the sessions for a commit in microseconds, and block gets a commit,
//! which are 0 where nothing is counted. In memory there is no device to wait for, so the share of the processor's work
//! is at its largest.

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use common::{Error, Result};
use storage::control::SpaceManagement;
use waits::Statistic;

#[path = "sessions/mod.rs"]
mod sessions;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or_else(|| Error::user(1, "which directory?"))?;
    let mut argument = |usual| arguments.next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(usual);
    let (seconds, count) = (argument(5.0), argument(5.0) as u32);
    let place = sessions::Place::new(&directory, "commit_loop")?;
    place.tablespace("TEST_TBS", SpaceManagement::Auto)?;
    let owner = place.instance.connect("SYSTEM")?;
    let table = place.table(&owner, "TEST_TBS", 1)?;
    // The work done once for each session and extent is done by then.
    sessions::insert_and_commit(&place, &table, count, 500_000)?;
    let measured = sessions::insert_and_commit(&place, &table, count, (seconds * 1e6) as u64)?;
    let gets = measured.counted.value(Statistic::SessionLogicalReads) as f64;
    let gets_per_commit = gets / (measured.commits_per_s * seconds);
    println!("{:.0} {:.2} {gets_per_commit:.2}", measured.commits_per_s, measured.cpu_us_per_commit);
    drop(owner);
    place.close()
}
