//! Sweeps: the same work over several values of factors.
//!
//! ```text
//! values of factors -> points -> runner.rs -> csv.rs (a line a run), page.rs (charts by chart.rs, and a table)
//! ```
//!
//! Of several values of a factor one sweep is made, the others at their least value meanwhile; one value alone is that
//! of all points. Factors that are lines of the charts have all their values in every sweep; crossed ones multiply it.

use std::fmt::Debug;
use std::io::{self, Write};

use common::Result;
use serde_json::{Value, json};

use super::declaration::Declaration;
use super::factor::{Factor, Role};
use super::figure::Cells;
use super::options::{Options, wrong_use};
use super::plan::Plan;
use super::print::lines;
use super::setting::Setting;
use super::workload::Workload;
use super::{ArmOf, csv, page, runner};
use crate::grid::Grid;
use crate::interval::cells;
use crate::modelled_run::{DeviceReport, ModelledRun, member};
use crate::progress::Progress;
use crate::text::number;

/// A further column of the page: its head, and words about a point.
pub type Remark<W> = (&'static str, fn(&ArmOf<W>) -> String);

/// Further columns of the CSV: of each run the same ones.
pub type Columns<R> = fn(&R) -> Vec<(String, f64)>;

/// Texts and columns of an experiment's sweeps.
#[derive(Debug)]
pub struct SweepTexts<W: Workload> {
    /// Heading of the page.
    pub title: &'static str,
    /// The work at each point, in a sentence.
    pub about: fn(&Plan) -> String,
    /// Values to take when none are given; None: some must be given.
    pub usual: Option<(&'static Factor, &'static [u32])>,
    /// The member `work` of the JSON.
    pub work: fn(&Plan) -> Value,
    pub remark: Option<Remark<W>>,
    pub columns: Columns<W::Run>,
}

/// Factors with their values.
pub(super) type Given = Vec<(&'static Factor, Vec<u32>)>;

/// The outcome of a sweep.
#[derive(Debug)]
pub struct Sweep<W: Workload> {
    pub(super) declaration: &'static Declaration<W>,
    pub(super) texts: &'static SweepTexts<W>,
    pub plan: Plan,
    pub(super) swept: Given,
    /// Crossed factors with several values.
    pub(super) crossed: Given,
    /// The least of each swept factor, for each line of a chart.
    pub(super) bases: Vec<Setting>,
    /// By the crossed factors, then by those that are lines, then by the others.
    pub points: Vec<ArmOf<W>>,
    pub notes: Vec<String>,
    /// None: it ran on the machine's own devices.
    pub device: Option<DeviceReport>,
}

/// A sweep, whatever the experiment.
#[derive(Debug)]
pub struct Swept {
    /// The document of `--json`.
    pub json: Value,
    /// The points as a table.
    pub printed: Vec<u8>,
    /// A line for each run, with a head.
    pub csv: Vec<u8>,
    /// One HTML page that needs nothing beside it.
    pub page: String,
}

impl<W: Workload> Declaration<W> {
    /// A sweep that has not run.
    ///
    /// # Errors
    /// HW-0003 where the experiment has no sweeps, and for values out of range.
    pub(super) fn plan_sweep(&'static self, options: &Options) -> Result<Sweep<W>> {
        let texts =
            self.sweep.as_ref().ok_or_else(|| wrong_use(format!("the experiment {} has no sweeps", self.name)))?;
        let mut given: Given = Vec::new();
        for factor in self.factors {
            let values = options.factors.get(&factor.option()).map_or(&[][..], Vec::as_slice);
            let mut values = values.iter().map(|value| factor.check(*value)).collect::<Result<Vec<u32>>>()?;
            values.sort_unstable();
            values.dedup();
            if !values.is_empty() {
                given.push((factor, values));
            }
        }
        if !given.iter().any(|(factor, _)| factor.role == Role::Swept) {
            let (factor, values) = texts.usual.ok_or_else(|| {
                let options: Vec<String> =
                    self.of_role(Role::Swept).map(|factor| format!("--{}", factor.option())).collect();
                wrong_use(format!("a sweep of {} needs values of {}", self.name, options.join(", ")))
            })?;
            given.push((factor, values.to_vec()));
        }
        let base = given.iter().fold(Setting::new(self.factors), |base, (factor, values)| base.with(factor, values[0]));
        let (mut crossed, mut swept): (Given, Given) =
            given.into_iter().partition(|(factor, _)| factor.role == Role::Crossed);
        let single = swept.first().cloned();
        swept.retain(|(_, values)| values.len() > 1);
        let lines: Given = self.of_role(Role::Line).map(|factor| (factor, factor.all())).collect();
        let (mut points, mut bases) = (Vec::new(), Vec::new());
        for base in product(base, &crossed).into_iter().flat_map(|base| product(base, &lines)).map(Setting::counting) {
            let mut settings = vec![base];
            for (factor, values) in swept.iter().filter(|(factor, _)| (factor.counts)(&base)) {
                settings.extend(values.iter().map(|value| base.with(factor, *value)));
            }
            settings.sort_unstable_by_key(Setting::values);
            settings.dedup();
            points.extend(settings);
            bases.push(base);
        }
        if swept.is_empty() {
            swept.extend(single);
        }
        crossed.retain(|(_, values)| values.len() > 1);
        let plan = self.plan_of(points, options, self.part.map(|_| "sweep"))?;
        Ok(Sweep {
            declaration: self,
            texts,
            plan,
            swept,
            crossed,
            bases,
            points: Vec::new(),
            notes: Vec::new(),
            device: None,
        })
    }

    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = &'static Factor> {
        self.factors.iter().copied().filter(move |factor| factor.role == role)
    }

    /// Runs a sweep.
    ///
    /// # Errors
    /// HW-0003 for options that are out of range; those of the workload.
    pub fn run_sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Sweep<W>> {
        let mut sweep = self.plan_sweep(options)?;
        progress.step("making the database");
        let mut work = W::open(&sweep.plan, progress)?;
        sweep.points = runner::run(self, &mut work, &sweep.plan, progress)?;
        sweep.notes = runner::notes(self, &work, &sweep.plan);
        progress.step("closing the database");
        work.close()?;
        progress.end();
        sweep.device = options.device.as_ref().map(ModelledRun::report);
        Ok(sweep)
    }
}

/// The setting with every combination of these values, the last factor's fastest.
fn product(base: Setting, factors: &Given) -> Vec<Setting> {
    factors.iter().fold(vec![base], |settings, (factor, values)| {
        settings.iter().flat_map(|setting| values.iter().map(|value| setting.with(factor, *value))).collect()
    })
}

impl<W: Workload> Sweep<W> {
    /// The sweep as table, CSV, page and JSON.
    ///
    /// # Errors
    /// ORA-00600: memory takes everything.
    pub fn report(&self) -> Result<Swept> {
        let mut printed = Vec::new();
        self.print(&mut printed).map_err(|error| common::Error::bug(format!("a table: {error}")))?;
        Ok(Swept { json: self.json(), printed, csv: csv::csv(self)?, page: page::page(self) })
    }

    fn json(&self) -> Value {
        let point = |point: &ArmOf<W>| {
            super::merged([
                Value::Object(point.setting.all_json()),
                (self.declaration.point_json)(self.declaration, point),
            ])
        };
        let own = json!({
            "experiment": self.declaration.name,
            "work": (self.texts.work)(&self.plan),
            "sweep": self.points.iter().map(point).collect::<Vec<_>>(),
            "notes": self.notes,
        });
        super::merged([own, member(self.device.as_ref())])
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = self.swept.iter().map(|(factor, _)| factor.name).collect();
        let medians = if self.plan.repetitions > 1 { "medians of " } else { "" };
        let (name, names, plan) = (self.declaration.name, names.join(", "), self.plan.words());
        writeln!(out, "{name}: a sweep over {names}, {medians}{plan}")?;
        lines(out, "", &(self.texts.about)(&self.plan))?;
        self.notes.iter().try_for_each(|note| lines(out, "", note))?;
        writeln!(out)?;
        let (heads, rows) = self.table(|cells| matches!(cells, Cells::Median | Cells::Interval));
        let mut grid = Grid::new(&heads, 1);
        rows.into_iter().for_each(|row| grid.row(row));
        grid.print(out)?;
        self.device_lines().iter().try_for_each(|line| lines(out, "", line))
    }

    /// What the run on modelled devices says.
    pub(super) fn device_lines(&self) -> Vec<String> {
        self.device.as_ref().map_or_else(Vec::new, DeviceReport::lines)
    }

    /// Heads and rows of a table of all points, with the figures whose cells it takes.
    pub(super) fn table(&self, takes: impl Fn(Cells) -> bool) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let figures: Vec<_> = self.declaration.figures.iter().filter(|figure| takes(figure.cells)).collect();
        let crossed: Vec<_> = self.declaration.of_role(Role::Crossed).collect();
        let mut heads = vec!["setting"];
        heads.extend(crossed.iter().map(|factor| factor.name));
        for figure in &figures {
            heads.extend([figure.name, "from", "to"].into_iter().take(figure.cells.columns()));
        }
        let row = |point: &ArmOf<W>| {
            let mut row = vec![point.setting.label()];
            row.extend(crossed.iter().map(|factor| point.setting.number(factor).to_string()));
            for figure in &figures {
                let estimate = point.estimate(|run| (figure.of)(run, &point.setting));
                let shown = cells(estimate, |value| number(value, figure.digits));
                row.extend(shown.into_iter().take(figure.cells.columns()));
            }
            row
        };
        (heads, self.points.iter().map(row).collect())
    }
}
