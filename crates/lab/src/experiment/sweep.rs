//! Sweeps: the same work over several values of factors.
//!
//! ```text
//! values of factors -> points -> runner.rs -> csv.rs (a line a run), page.rs (charts by chart.rs, and a table)
//! ```
//!
//! Of several values of a factor one sweep is made, the others at their least value meanwhile; one value alone is that of
//! all points. Factors that are lines of the charts have all their values in every sweep; crossed ones multiply it.

use std::fmt::Debug;
use std::io::{self, Write};

use common::Result;
use serde_json::{Value, json};

use super::declaration::Declaration;
use super::factor::{Factor, Role};
use super::figure::{Cells, Figure};
use super::options::{Options, wrong_use};
use super::plan::Plan;
use super::print::lines;
use super::setting::Setting;
use super::workload::Workload;
use super::{ArmOf, csv, page, runner};
use crate::grid::Grid;
use crate::interval::cells;
use crate::progress::Progress;
use crate::text::number;

/// A further column of the page: its head, and words about a point.
pub type Remark<W> = (&'static str, fn(&ArmOf<W>) -> String);

/// Further columns of the CSV: of each run the same ones.
pub type Columns<R> = fn(&R) -> Vec<(String, f64)>;

/// What an experiment says of its sweeps.
#[derive(Debug)]
pub struct SweepTexts<W: Workload> {
    /// Heading of the page.
    pub title: &'static str,
    /// What is done at each point, in a sentence.
    pub about: fn(&Plan) -> String,
    /// Values where nobody gives any; None: some have to be given.
    pub usual: Option<(&'static Factor, &'static [u32])>,
    /// The member `work` of the JSON.
    pub work: fn(&Plan) -> Value,
    pub remark: Option<Remark<W>>,
    pub columns: Columns<W::Run>,
}

/// Factors that are swept, with their values.
pub(super) type Swept = Vec<(&'static Factor, Vec<u32>)>;

/// What a sweep gives back.
#[derive(Debug)]
pub struct Sweep<W: Workload> {
    pub(super) declaration: &'static Declaration<W>,
    pub(super) texts: &'static SweepTexts<W>,
    pub plan: Plan,
    pub(super) swept: Swept,
    /// By the crossed factors, then by those that are lines, then by the others.
    pub points: Vec<ArmOf<W>>,
    pub notes: Vec<String>,
}

/// A sweep, whatever the experiment.
pub trait AnySweep: Debug {
    /// The document of `--json`.
    fn json(&self) -> Value;
    /// Prints the points.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    fn print(&self, out: &mut dyn Write) -> io::Result<()>;
    /// A line for each run, with a head.
    ///
    /// # Errors
    /// ORA-00600: memory takes everything.
    fn csv(&self) -> Result<Vec<u8>>;
    /// One HTML page that needs nothing beside it.
    fn page(&self) -> String;
}

impl<W: Workload> Declaration<W> {
    /// The plan of a sweep, and what is swept.
    ///
    /// # Errors
    /// HW-0003 for a factor that the experiment has not, and for values out of range.
    pub(super) fn sweep_plan(&self, options: &Options) -> Result<(Plan, Swept)> {
        let texts =
            self.sweep.as_ref().ok_or_else(|| wrong_use(format!("the experiment {} has no sweeps", self.name)))?;
        let mut given: Swept = Vec::new();
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
        let (crossed, mut swept): (Swept, Swept) =
            given.into_iter().partition(|(factor, _)| factor.role == Role::Crossed);
        let single = swept.first().cloned();
        swept.retain(|(_, values)| values.len() > 1);
        let lines: Swept = self.of_role(Role::Line).map(|factor| (factor, factor.all())).collect();
        let mut points = Vec::new();
        for base in product(base, &crossed) {
            for line in product(base, &lines) {
                let line = line.counting();
                let mut settings = vec![line];
                for (factor, values) in swept.iter().filter(|(factor, _)| (factor.counts)(&line)) {
                    settings.extend(values.iter().map(|value| line.with(factor, *value)));
                }
                settings.sort_unstable_by_key(Setting::values);
                settings.dedup();
                points.extend(settings);
            }
        }
        if swept.is_empty() {
            swept.extend(single);
        }
        Ok((self.plan_of(points, options, self.part.map(|_| "sweep"))?, swept))
    }

    fn of_role(&self, role: Role) -> impl Iterator<Item = &'static Factor> {
        self.factors.iter().copied().filter(move |factor| factor.role == role)
    }

    /// Runs a sweep.
    ///
    /// # Errors
    /// HW-0003 for options that are out of range; those of the workload.
    pub fn run_sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Sweep<W>> {
        let (plan, swept) = self.sweep_plan(options)?;
        let texts = self.sweep.as_ref().ok_or_else(|| common::Error::bug("a sweep without texts"))?;
        progress.step("making the database");
        let mut work = W::open(&plan, progress)?;
        let points = runner::run(self, &mut work, &plan, progress)?;
        let notes = runner::notes(self, &work, &plan);
        progress.step("closing the database");
        work.close()?;
        progress.end();
        Ok(Sweep { declaration: self, texts, plan, swept, points, notes })
    }
}

/// The setting with every combination of these values, the last factor's fastest.
fn product(base: Setting, factors: &Swept) -> Vec<Setting> {
    factors.iter().fold(vec![base], |settings, (factor, values)| {
        settings.iter().flat_map(|setting| values.iter().map(|value| setting.with(factor, *value))).collect()
    })
}

impl<W: Workload> Sweep<W> {
    /// The figures that the page's table has.
    pub(super) fn listed(&self) -> impl Iterator<Item = &'static Figure<W::Run>> {
        self.declaration.figures.iter().filter(|figure| figure.cells != Cells::None)
    }

    /// Those of them that the printed table has.
    fn printed(&self) -> impl Iterator<Item = &'static Figure<W::Run>> {
        self.listed().filter(|figure| figure.cells != Cells::Page)
    }

    /// Factors with a column of their own.
    pub(super) fn crossed(&self) -> impl Iterator<Item = &'static Factor> {
        self.declaration.of_role(Role::Crossed)
    }
}

impl<W: Workload> AnySweep for Sweep<W> {
    fn json(&self) -> Value {
        let point = |point: &ArmOf<W>| {
            super::merged([
                Value::Object(point.setting.all_json()),
                (self.declaration.point_json)(self.declaration, point),
            ])
        };
        json!({
            "experiment": self.declaration.name,
            "work": (self.texts.work)(&self.plan),
            "sweep": self.points.iter().map(point).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = self.swept.iter().map(|(factor, _)| factor.name).collect();
        writeln!(out, "{}: a sweep over {}, {}", self.declaration.name, names.join(", "), self.plan.words())?;
        lines(out, "", &(self.texts.about)(&self.plan))?;
        self.notes.iter().try_for_each(|note| lines(out, "", note))?;
        writeln!(out)?;
        let mut heads = vec!["setting"];
        heads.extend(self.crossed().map(|factor| factor.name));
        for figure in self.printed() {
            heads.push(figure.name);
            if figure.cells == Cells::Interval {
                heads.extend(["from", "to"]);
            }
        }
        let mut grid = Grid::new(&heads, 1);
        for point in &self.points {
            let mut row = vec![point.setting.label()];
            row.extend(self.crossed().map(|factor| point.setting.number(factor).to_string()));
            for figure in self.printed() {
                let estimate = point.estimate(|run| (figure.of)(run, &point.setting));
                let shown = cells(estimate, |value| number(value, figure.digits));
                row.extend(shown.into_iter().take(if figure.cells == Cells::Interval { 3 } else { 1 }));
            }
            grid.row(row);
        }
        grid.print(out)
    }

    fn csv(&self) -> Result<Vec<u8>> {
        csv::csv(self)
    }

    fn page(&self) -> String {
        page::page(self)
    }
}
