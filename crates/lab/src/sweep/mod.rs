//! Sweeps of the experiment `freelists`: the same jobs over several values of FREELISTS, bitmaps, and several numbers of sessions.
//!
//! ```text
//! grid of settings x sessions -> freelists::run_all -> csv.rs (a line a run), page.rs (one page: charts by chart.rs, and a table)
//! ```

pub(crate) mod chart;
mod csv;
pub(crate) mod page;
mod print;

use std::io::{self, Write};
use std::path::PathBuf;

use common::Result;
use serde_json::{Value, json};

use crate::freelists::measured::Arm;
use crate::freelists::plan::{Plan, check_sessions};
use crate::freelists::setting::Setting;
use crate::freelists::work::{CACHE_MB, Work};
use crate::freelists::{self, measured_arm, notes, run_all};
use crate::options::{Options, wrong_use};
use crate::progress::Progress;

/// FREELISTS where nobody says which: those of the experiment.
const FREELISTS: [u16; 2] = [1, 5];
/// FREELISTS that fit into the segment header of a block of 8 KB.
const FREELISTS_MAX: u32 = 101;

/// What is swept.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepOptions {
    /// Values of FREELISTS under manual management; none: 1 and 5. Bitmaps are always there.
    pub freelists: Vec<u32>,
    /// Numbers of sessions; none: that of the experiment.
    pub sessions: Vec<u32>,
    pub minutes: Option<f64>,
    pub repetitions: Option<u32>,
    pub seed: Option<u64>,
    /// Multiplies the length of a repetition.
    pub scale: f64,
    /// Where the database is made, and stays; None: in a temporary directory.
    pub data: Option<PathBuf>,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            freelists: Vec::new(),
            sessions: Vec::new(),
            minutes: None,
            repetitions: None,
            seed: None,
            scale: 1.0,
            data: None,
        }
    }
}

/// A point of the sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    pub sessions: u32,
    /// Setting and runs.
    pub arm: Arm,
}

/// What a sweep gives back.
#[derive(Clone, PartialEq, Debug)]
pub struct Sweep {
    pub plan: Plan,
    /// By number of sessions, then by setting; bitmaps last.
    pub points: Vec<Point>,
    pub notes: Vec<String>,
}

impl SweepOptions {
    /// Looks whether the sweep can be run, before anything is made for it.
    ///
    /// # Errors
    /// HW-0003 for options that are out of range.
    pub fn check(&self) -> Result<()> {
        self.grid().map(drop)
    }

    fn grid(&self) -> Result<(Plan, Vec<(Setting, u32)>)> {
        let Self { minutes, repetitions, seed, scale, .. } = *self;
        let options = Options { minutes, repetitions, seed, scale: Some(scale), ..Options::default() };
        let mut plan = Plan::new(&options)?;
        let mut freelists = self.freelists.clone();
        if freelists.is_empty() {
            freelists.extend(FREELISTS.map(u32::from));
        }
        let mut sessions = self.sessions.clone();
        if sessions.is_empty() {
            sessions.push(plan.sessions);
        }
        for values in [&mut freelists, &mut sessions] {
            values.sort_unstable();
            values.dedup();
        }
        sessions.iter().try_for_each(|sessions| check_sessions(*sessions))?;
        plan.sessions = sessions.last().copied().unwrap_or(plan.sessions);
        let mut settings = Vec::new();
        for lists in freelists {
            let fits = u16::try_from(lists).ok().filter(|_| (1..=FREELISTS_MAX).contains(&lists));
            let lists = fits.ok_or_else(|| wrong_use(format!("FREELISTS is 1 to {FREELISTS_MAX}, not {lists}")))?;
            settings.push(Setting::manual(lists));
        }
        settings.push(Setting::auto(1));
        let points =
            sessions.iter().flat_map(|sessions| settings.iter().map(|setting| (*setting, *sessions))).collect();
        Ok((plan, points))
    }
}

/// Runs the sweep.
///
/// # Errors
/// HW-0003 for options that are out of range; those of making the database and of the statements; HW-0011 when a job fails or does not end.
pub fn run(options: &SweepOptions, progress: &mut dyn Progress) -> Result<Sweep> {
    let (plan, points) = options.grid()?;
    progress.step("making the database");
    let mut work = Work::new(options.data.as_deref(), plan.seconds, plan.sessions, CACHE_MB)?;
    let arms = run_all(&mut work, &plan, &points, progress)?;
    progress.step("closing the database");
    work.close()?;
    progress.end();
    let points_of = points.iter().zip(arms).map(|((_, sessions), arm)| Point { sessions: *sessions, arm });
    Ok(Sweep { plan, points: points_of.collect(), notes: notes(&plan, &points) })
}

impl Sweep {
    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let point = |point: &Point| {
            json!({
                "management": point.arm.setting.management,
                "freelists": point.freelists(),
                "sessions": point.sessions,
                "measured": measured_arm(&point.arm),
            })
        };
        json!({
            "experiment": freelists::NAME,
            "work": {
                "seconds": self.plan.seconds,
                "repetitions": self.plan.repetitions,
                "seed": self.plan.seed,
            },
            "sweep": self.points.iter().map(point).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// Prints the points.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        print::print(self, out)
    }

    /// A line for each run, with a head.
    ///
    /// # Errors
    /// ORA-00600: memory takes everything.
    pub fn csv(&self) -> Result<Vec<u8>> {
        csv::csv(self)
    }

    /// One HTML page that needs nothing beside it.
    #[must_use]
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// The settings, in the order of the points.
    fn settings(&self) -> Vec<Setting> {
        let mut settings: Vec<Setting> = self.points.iter().map(|point| point.arm.setting).collect();
        settings.sort_unstable();
        settings.dedup();
        settings
    }

    /// The numbers of sessions, least first.
    fn sessions(&self) -> Vec<u32> {
        let mut sessions: Vec<u32> = self.points.iter().map(|point| point.sessions).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    fn point(&self, setting: Setting, sessions: u32) -> Option<&Point> {
        self.points.iter().find(|point| (point.arm.setting, point.sessions) == (setting, sessions))
    }
}

impl Point {
    /// FREELISTS; None under bitmaps, which have none.
    fn freelists(&self) -> Option<u16> {
        let Setting { management, freelists } = self.arm.setting;
        (management == crate::management::Management::Manual).then_some(freelists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_every_setting_with_every_number_of_sessions() {
        let options = SweepOptions { freelists: vec![3, 1, 3], sessions: vec![8, 2], ..SweepOptions::default() };
        let (plan, points) = options.grid().unwrap();
        assert_eq!(plan.sessions, 8);
        let settings = [Setting::manual(1), Setting::manual(3), Setting::auto(1)];
        let expected: Vec<_> = [2, 8].into_iter().flat_map(|n| settings.map(|setting| (setting, n))).collect();
        assert_eq!(points, expected);
        let (_, points) = SweepOptions::default().grid().unwrap();
        assert_eq!(points, [(Setting::manual(1), 5), (Setting::manual(5), 5), (Setting::auto(1), 5)]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (freelists, sessions) in
            [(vec![0], vec![5]), (vec![102], vec![5]), (vec![1], vec![0]), (vec![], vec![2_000])]
        {
            assert!(SweepOptions { freelists, sessions, ..SweepOptions::default() }.grid().is_err());
        }
    }
}
