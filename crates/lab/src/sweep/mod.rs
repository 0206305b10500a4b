//! Sweeps of the experiment `freelists`: the same jobs over several values of FREELISTS and other attributes, bitmaps, and several numbers of sessions.
//!
//! ```text
//! grid of settings x sessions -> freelists::run_all -> csv.rs (a line a run), page.rs (one page: charts of each sweep by chart.rs, and a table)
//! ```

pub(crate) mod chart;
mod csv;
pub(crate) mod page;
mod print;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use common::Result;
use serde_json::{Value, json};

use crate::freelists::factor::Factor;
use crate::freelists::measured::Arm;
use crate::freelists::plan::{Plan, check_sessions};
use crate::freelists::setting::{PCTUSED, Setting};
use crate::freelists::work::{CACHE_MB, Work};
use crate::freelists::{self, measured_arm, notes, run_all};
use crate::management::Management;
use crate::options::Options;
use crate::progress::Progress;

/// FREELISTS where nobody says which: those of the experiment.
const FREELISTS: [u32; 2] = [1, 5];

/// What is swept.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepOptions {
    /// Values of factors. Of several values of a factor one sweep is made, the others at their least value meanwhile; one value alone is that of all points.
    /// Without any: FREELISTS 1 and 5. Bitmaps are always there.
    pub factors: BTreeMap<Factor, Vec<u32>>,
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
            factors: BTreeMap::new(),
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
    /// The setting of all points but for the factor that is swept, under freelists.
    base: Setting,
    /// The factors that are swept, with their values; FREELISTS alone where none has several.
    swept: Vec<(Factor, Vec<u16>)>,
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

    fn grid(&self) -> Result<Swept> {
        let Self { minutes, repetitions, seed, scale, .. } = *self;
        let options = Options { minutes, repetitions, seed, scale: Some(scale), ..Options::default() };
        let mut plan = Plan::new(&options)?;
        let mut sessions = self.sessions.clone();
        if sessions.is_empty() {
            sessions.push(plan.sessions);
        }
        sessions.sort_unstable();
        sessions.dedup();
        sessions.iter().try_for_each(|sessions| check_sessions(*sessions))?;
        plan.sessions = sessions.last().copied().unwrap_or(plan.sessions);
        let mut factors = self.factors.clone();
        factors.retain(|_, values| !values.is_empty());
        if factors.is_empty() {
            factors.insert(Factor::Freelists, FREELISTS.to_vec());
        }
        let (mut base, mut swept) = (Setting::manual(1), Vec::new());
        for (factor, values) in factors {
            let mut values = values.iter().map(|value| factor.check(*value)).collect::<Result<Vec<u16>>>()?;
            values.sort_unstable();
            values.dedup();
            base = factor.with(base, values[0]);
            if values.len() > 1 {
                swept.push((factor, values));
            }
        }
        if swept.is_empty() {
            swept.push((Factor::Freelists, vec![base.freelists]));
        }
        let under = |management| {
            let base = match management {
                Management::Manual => base,
                Management::Auto => Setting { management, freelists: 1, freelist_groups: 1, pctused: PCTUSED, ..base },
            };
            let mut settings = vec![base];
            for (factor, values) in swept.iter().filter(|(factor, _)| factor.counts_under(management)) {
                settings.extend(values.iter().map(|value| factor.with(base, *value)));
            }
            settings.sort_unstable();
            settings.dedup();
            settings
        };
        let settings = [under(Management::Manual), under(Management::Auto)].concat();
        let points =
            sessions.iter().flat_map(|sessions| settings.iter().map(|setting| (*setting, *sessions))).collect();
        Ok(Swept { plan, base, swept, points })
    }
}

/// What is to be run.
struct Swept {
    plan: Plan,
    base: Setting,
    swept: Vec<(Factor, Vec<u16>)>,
    points: Vec<(Setting, u32)>,
}

/// Runs the sweep.
///
/// # Errors
/// HW-0003 for options that are out of range; those of making the database and of the statements; HW-0011 when a job fails or does not end.
pub fn run(options: &SweepOptions, progress: &mut dyn Progress) -> Result<Sweep> {
    let Swept { plan, base, swept, points } = options.grid()?;
    progress.step("making the database");
    let mut work = Work::new(options.data.as_deref(), plan.seconds, plan.sessions, CACHE_MB)?;
    let arms = run_all(&mut work, &plan, &points, progress)?;
    progress.step("closing the database");
    work.close()?;
    progress.end();
    let points_of = points.iter().zip(arms).map(|((_, sessions), arm)| Point { sessions: *sessions, arm });
    Ok(Sweep { plan, base, swept, points: points_of.collect(), notes: notes(&plan, &points) })
}

impl Sweep {
    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let point = |point: &Point| {
            let mut json = serde_json::Map::new();
            json.insert("management".to_owned(), json!(point.arm.setting.management));
            json.extend(Factor::ALL.map(|factor| (factor.key(), json!(factor.of(&point.arm.setting)))));
            json.insert("sessions".to_owned(), json!(point.sessions));
            json.insert("measured".to_owned(), measured_arm(&point.arm));
            json
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

    /// The setting of all points under bitmaps but for the factor that is swept.
    fn bitmaps(&self) -> Option<Setting> {
        let of_bitmaps = |setting: &Setting| setting.management == Management::Auto;
        // The least of each factor, as the base under freelists has them.
        self.settings().into_iter().find(of_bitmaps)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(factors: &[(Factor, &[u32])], sessions: &[u32]) -> SweepOptions {
        let factors = factors.iter().map(|(factor, values)| (*factor, values.to_vec())).collect();
        SweepOptions { factors, sessions: sessions.to_vec(), ..SweepOptions::default() }
    }

    #[test]
    fn the_grid_has_every_setting_with_every_number_of_sessions() {
        let Swept { plan, points, .. } = options(&[(Factor::Freelists, &[3, 1, 3])], &[8, 2]).grid().unwrap();
        assert_eq!(plan.sessions, 8);
        let settings = [Setting::manual(1), Setting::manual(3), Setting::auto(1)];
        let expected: Vec<_> = [2, 8].into_iter().flat_map(|n| settings.map(|setting| (setting, n))).collect();
        assert_eq!(points, expected);
        let points = SweepOptions::default().grid().unwrap().points;
        assert_eq!(points, [(Setting::manual(1), 5), (Setting::manual(5), 5), (Setting::auto(1), 5)]);
    }

    #[test]
    fn one_value_is_that_of_all_points_and_several_are_a_sweep_of_their_own() {
        let swept = options(
            &[(Factor::Freelists, &[4]), (Factor::Initrans, &[10, 2]), (Factor::IndexFreelists, &[1, 4])],
            &[3],
        );
        let Swept { base, swept, points, .. } = swept.grid().unwrap();
        assert_eq!(swept, [(Factor::Initrans, vec![2, 10]), (Factor::IndexFreelists, vec![1, 4])]);
        assert_eq!(base, Setting { initrans: 2, index_freelists: Some(1), ..Setting::manual(4) });
        let bitmaps = Setting { initrans: 2, index_freelists: Some(1), ..Setting::auto(1) };
        let expected = [
            base,
            Setting { index_freelists: Some(4), ..base },
            Setting { initrans: 10, ..base },
            bitmaps,
            Setting { initrans: 10, ..bitmaps },
        ];
        assert_eq!(points, expected.map(|setting| (setting, 3)));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (factors, sessions) in [
            (&[(Factor::Freelists, &[0][..])][..], 5),
            (&[(Factor::Freelists, &[102])], 5),
            (&[(Factor::Initrans, &[0])], 5),
            (&[(Factor::Pctused, &[91])], 5),
            (&[(Factor::FreelistGroups, &[101])], 5),
            (&[(Factor::IndexFreelists, &[0])], 5),
            (&[(Factor::Freelists, &[1])], 0),
            (&[], 2_000),
        ] {
            assert!(options(factors, &[sessions]).grid().is_err());
        }
    }
}
