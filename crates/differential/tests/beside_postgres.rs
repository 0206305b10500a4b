//! Fixed seeds beside a PostgreSQL server. Without PostgreSQL in `.peers/postgres` the test skips with a line.

#![allow(clippy::print_stdout, reason = "a test that skips says so")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use common::limits::SESSION_STACK_BYTES;
use common::sync::spawn_with_stack;
use differential::{Campaign, Plan, Way};
use peer::Installation;

fn check(seed: u64, way: Way) {
    let postgres = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.peers/postgres");
    if !postgres.exists() {
        println!("skipped: PostgreSQL is not in .peers/postgres; scripts/fetch-postgres.sh puts it there");
        return;
    }
    let installation = Installation::find(Some(&postgres)).unwrap();
    let plan = Plan { seed, queries: 360, changes: 80, first: 0, differences: 3, way };
    let run = move || Campaign::start(&installation, plan).and_then(|campaign| campaign.run(|_, _| {}));
    let tally = spawn_with_stack("differential", SESSION_STACK_BYTES, run).unwrap().join().unwrap().unwrap();
    println!("{tally}");
    assert!(tally.differences.is_empty(), "{}", tally.differences.join("\n"));
    // Statements that both refuse, or that have no rows on either side, say little.
    let all = tally.queries + tally.changes;
    assert!(tally.same * 3 > all, "{} of {all} statements gave rows", tally.same);
    assert_eq!(tally.scans_by_cells > 100, way == Way::Offloaded, "{} scans by cells", tally.scans_by_cells);
}

#[test]
fn answers_are_those_of_postgresql() {
    check(4, Way::Usual);
}

#[test]
fn answers_are_those_of_postgresql_with_other_tables() {
    check(6, Way::Usual);
}

#[test]
fn the_planner_gives_the_same_answers() {
    check(4, Way::Planned);
}

#[test]
fn cells_give_the_same_answers() {
    check(5, Way::Offloaded);
}
