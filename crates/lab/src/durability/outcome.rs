//! The outcome of many loops. `docs/json.md` documents the JSON.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::ledger::{Fault, Finding};
use super::trial::{Checked, Killed};
use crate::grid::Grid;
use crate::text::grouped;

/// Findings that are printed.
const PRINTED_MAX: usize = 40;

/// The figures of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Outcome {
    pub seed: u64,
    pub sessions: u32,
    pub loops: u64,
    pub databases: u64,
    pub killed_working: u64,
    pub killed_opening: u64,
    /// Loops in which no transaction was acknowledged before the kill.
    pub idle_loops: u64,
    pub acknowledged: u64,
    pub nowait: u64,
    pub nowait_absent: u64,
    pub definitions: u64,
    pub in_flight_whole: u64,
    pub in_flight_absent: u64,
    pub rolled_back: u64,
    pub deadlocks: u64,
    /// Of each open after a crash: redo that was read, and how long it took.
    pub redo_bytes: Vec<u64>,
    pub open_us: Vec<u64>,
    pub torn: u64,
    pub dead: u64,
    /// Faults; the run ends with the first loop that has any.
    pub findings: Vec<Finding>,
    /// The loop that they are of, and where its database is.
    pub failed_loop: Option<u64>,
    pub kept: Option<PathBuf>,
}

impl Outcome {
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    #[must_use]
    pub fn count(&self, fault: Fault) -> u64 {
        self.findings.iter().filter(|finding| finding.fault == fault).count() as u64
    }

    pub(super) fn killed(&mut self, killed: Killed) {
        match killed {
            Killed::Working => self.killed_working += 1,
            Killed::Opening => self.killed_opening += 1,
        }
    }

    pub(super) fn add(&mut self, checked: Checked) {
        let settled = checked.settled;
        self.loops += 1;
        self.idle_loops += u64::from(settled.acknowledged == 0);
        for (sum, more) in [
            (&mut self.acknowledged, settled.acknowledged),
            (&mut self.nowait, settled.nowait),
            (&mut self.nowait_absent, settled.nowait_absent),
            (&mut self.definitions, settled.definitions),
            (&mut self.in_flight_whole, settled.in_flight_whole),
            (&mut self.in_flight_absent, settled.in_flight_absent),
            (&mut self.rolled_back, settled.rolled_back),
            (&mut self.deadlocks, settled.deadlocks),
            (&mut self.torn, checked.torn),
            (&mut self.dead, checked.dead),
        ] {
            *sum += more;
        }
        if let Some(bytes) = checked.redo_bytes {
            self.redo_bytes.push(bytes);
            self.open_us.push(checked.open_us);
        }
        self.findings.extend(settled.findings);
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let spread = |values: &[u64]| json!({"median": median(values), "max": values.iter().max()});
        let seconds: Vec<f64> = self.open_us.iter().map(|us| *us as f64 / 1e6).collect();
        let open_s = json!({
            "median": median(&self.open_us).map(|us| us as f64 / 1e6),
            "max": seconds.iter().copied().max_by(f64::total_cmp),
        });
        json!({
            "name": super::NAME,
            "seed": self.seed,
            "sessions": self.sessions,
            "loops": self.loops,
            "databases": self.databases,
            "killed": {"working": self.killed_working, "opening": self.killed_opening},
            "idle_loops": self.idle_loops,
            "acknowledged": {
                "all": self.acknowledged,
                "nowait": self.nowait,
                "nowait_absent": self.nowait_absent,
                "definitions": self.definitions,
            },
            "in_flight": {"whole": self.in_flight_whole, "absent": self.in_flight_absent},
            "rolled_back": {"all": self.rolled_back, "deadlocks": self.deadlocks},
            "redo_bytes": spread(&self.redo_bytes),
            "open_s": open_s,
            "torn_blocks": self.torn,
            "dead_transactions": self.dead,
            "lost": self.count(Fault::Lost),
            "half": self.count(Fault::Half),
            "unasked": self.count(Fault::Unasked),
            "holes": self.count(Fault::Hole),
            "broken": self.count(Fault::Broken),
            "verify_problems": self.count(Fault::Damaged),
            "findings": self.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "failed_loop": self.failed_loop,
            "kept": self.kept,
        })
    }

    /// Prints the table and the faults.
    ///
    /// # Errors
    /// Those of writing to `out`.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let debug = if cfg!(debug_assertions) { ", a debug build" } else { "" };
        writeln!(out, "bench {}: {} sessions, seed {}{debug}\n", super::NAME, self.sessions, self.seed)?;
        let mut grid = Grid::new(&["what", "figure"], 1);
        for (what, figure) in self.rows() {
            grid.row([what.to_owned(), figure]);
        }
        grid.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
        if self.is_clean() {
            return Ok(());
        }
        writeln!(out, "\nloop {}:", self.failed_loop.unwrap_or_default())?;
        self.findings.iter().take(PRINTED_MAX).try_for_each(|finding| writeln!(out, "{finding}"))?;
        if self.findings.len() > PRINTED_MAX {
            writeln!(out, "... and {} more", self.findings.len() - PRINTED_MAX)?;
        }
        self.kept.iter().try_for_each(|kept| writeln!(out, "the database is kept in {}", kept.display()))
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let milliseconds = |us: u64| format!("{} ms", grouped(us.div_ceil(1_000)));
        let bytes = |bytes: u64| format!("{} bytes", grouped(bytes));
        let max = |values: &[u64]| values.iter().copied().max();
        let dash = |figure: Option<String>| figure.unwrap_or_else(|| "-".to_owned());
        vec![
            ("loops", grouped(self.loops)),
            ("databases", grouped(self.databases)),
            ("killed with the database open", grouped(self.killed_working)),
            ("killed while it was opened", grouped(self.killed_opening)),
            ("loops without an acknowledged transaction", grouped(self.idle_loops)),
            ("transactions acknowledged", grouped(self.acknowledged)),
            ("  with NOWAIT", grouped(self.nowait)),
            ("    absent, as they may be", grouped(self.nowait_absent)),
            ("  DDL", grouped(self.definitions)),
            ("in flight at the kill: whole", grouped(self.in_flight_whole)),
            ("in flight at the kill: absent", grouped(self.in_flight_absent)),
            ("rolled back by their sessions", grouped(self.rolled_back)),
            ("  in a deadlock", grouped(self.deadlocks)),
            ("redo applied, median", dash(median(&self.redo_bytes).map(bytes))),
            ("redo applied, most", dash(max(&self.redo_bytes).map(bytes))),
            ("time to open, median", dash(median(&self.open_us).map(milliseconds))),
            ("time to open, longest", dash(max(&self.open_us).map(milliseconds))),
            ("torn blocks put back", grouped(self.torn)),
            ("transactions rolled back after a crash", grouped(self.dead)),
            ("lost", grouped(self.count(Fault::Lost))),
            ("half", grouped(self.count(Fault::Half))),
            ("there though nobody asked", grouped(self.count(Fault::Unasked))),
            ("absent below one that is there", grouped(self.count(Fault::Hole))),
            ("errors of the engine", grouped(self.count(Fault::Broken))),
            ("problems found by verify", grouped(self.count(Fault::Damaged))),
        ]
    }
}

/// The lower of the two in the middle.
fn median(values: &[u64]) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}
