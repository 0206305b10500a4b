//! The declaration of an experiment, or of a part of one: made once, and everything else follows from it.

use common::{Error, Result};
use serde_json::{Value, json};

use super::expectation::{Expectation, ExpectationSpec, Finding};
use super::factor::{Factor, Role};
use super::figure::Figure;
use super::measured::Measured;
use super::options::Options;
use super::plan::{Limits, Plan};
use super::published::Published;
use super::setting::Setting;
use super::sweep::SweepTexts;
use super::table::Table;
use super::workload::Workload;
use super::{ArmOf, runner};
use crate::progress::Progress;

/// Judges an expectation.
pub type Judge<W> = fn(&ExpectationSpec, &Comparison<W>) -> Result<Finding>;

/// The parts of an experiment. [`Declaration::new`] gives most of them their usual values.
#[derive(Debug)]
pub struct Declaration<W: Workload> {
    /// Of the experiment, as `reproduce` takes it.
    pub name: &'static str,
    /// Of the part, where the experiment has several: table of the data file, member of the JSON, `--part`.
    pub part: Option<&'static str>,
    /// The data file: the published figures, and the expectations.
    pub file: &'static str,
    /// At most eight.
    pub factors: &'static [&'static Factor],
    /// The arms, in the order of the printed tables.
    pub arms: fn() -> Vec<Setting>,
    /// Arms that run in the first repetition only.
    pub once: fn(&Setting) -> bool,
    /// Each repetition has an order of its own, drawn by the seed.
    pub shuffled: bool,
    pub limits: Limits,
    /// Options beside those of factors and those that follow: `minutes` from a length, `repetitions` from several,
    /// `seed` from `shuffled`.
    pub takes: &'static [&'static str],
    /// Figures of a run, by name: CSV, charts, tables of sweeps, and the JSON of an arm.
    pub figures: &'static [Figure<W::Run>],
    pub tables: &'static [Table<W>],
    /// A judge for each id of the data file.
    pub judges: &'static [(&'static str, Judge<W>)],
    /// Corrects a finding: some runs cannot show all of an expectation.
    pub qualify: fn(&ExpectationSpec, &Comparison<W>, Finding) -> Finding,
    /// Paragraphs about the work, under the heading: the first word, and the rest.
    pub about: fn(&Comparison<W>) -> Vec<(&'static str, String)>,
    /// The arm whose published figures stand beside those of a setting.
    pub known_as: fn(Setting) -> Setting,
    /// Members that `measured` of an arm has in addition to factors, figures and runs.
    pub more: fn(&ArmOf<W>) -> Value,
    /// An arm as JSON has it: `name`, `published`, `measured`.
    pub arm_json: fn(&Comparison<W>, &ArmOf<W>) -> Value,
    /// Members that a point of a sweep has in JSON in addition to its factors.
    pub point_json: fn(&Declaration<W>, &ArmOf<W>) -> Value,
    /// Members of the JSON (of the part's, if the experiment has several) beside `arms`.
    pub members: fn(&Comparison<W>) -> Value,
    /// Members of the whole document, where the experiment has parts.
    pub document: fn(&Comparison<W>) -> Value,
    /// None: it has no sweeps.
    pub sweep: Option<SweepTexts<W>>,
}

impl<W: Workload> Declaration<W> {
    /// A declaration without figures, tables and judges yet, whose arms run once.
    #[must_use]
    pub const fn new(
        name: &'static str,
        file: &'static str,
        factors: &'static [&'static Factor],
        arms: fn() -> Vec<Setting>,
    ) -> Self {
        Self {
            name,
            part: None,
            file,
            factors,
            arms,
            once: |_| false,
            shuffled: false,
            limits: Limits::USUAL,
            takes: &[],
            figures: &[],
            tables: &[],
            judges: &[],
            qualify: |_, _, finding| finding,
            about: |_| Vec::new(),
            known_as: |setting| setting,
            more: |_| Value::Null,
            arm_json: |comparison, arm| comparison.arm_json(arm),
            point_json: |declaration, arm| json!({"measured": declaration.estimates(arm)}),
            members: |_| Value::Null,
            document: |_| Value::Null,
            sweep: None,
        }
    }

    /// The factors of an arm, its figures by their names (median and interval, null if a run has none), further
    /// members, and its runs.
    #[must_use]
    pub fn estimates(&self, arm: &ArmOf<W>) -> Value {
        let figure = |figure: &Figure<W::Run>| {
            let estimate = arm.estimate(|run| (figure.of)(run, &arm.setting));
            (figure.key.to_owned(), json!(estimate))
        };
        let figures = self.figures.iter().map(figure).collect();
        let runs = json!({"runs": arm.runs});
        super::merged([Value::Object(arm.setting.all_json()), Value::Object(figures), (self.more)(arm), runs])
    }

    /// The plan of the arms.
    ///
    /// # Errors
    /// HW-0003 for an option out of range.
    pub fn plan(&self, options: &Options) -> Result<Plan> {
        let mut points = (self.arms)();
        for factor in self.factors.iter().filter(|factor| factor.role == Role::Crossed) {
            if let Some([value]) = options.factors.get(&factor.option()).map(Vec::as_slice) {
                let value = factor.check(*value)?;
                points.iter_mut().for_each(|point| *point = point.with(factor, value));
            }
        }
        self.plan_of(points, options, self.part)
    }

    /// A plan whose database is in this folder of `--data`.
    pub(super) fn plan_of(&self, points: Vec<Setting>, options: &Options, folder: Option<&str>) -> Result<Plan> {
        let mut plan = Plan::new(&self.limits, points, options)?;
        if let Some((data, folder)) = plan.options.data.as_mut().zip(folder) {
            data.push(folder);
        }
        Ok(plan)
    }

    /// Runs the arms and measures the figures beside them. Returns the notes about the run too.
    ///
    /// # Errors
    /// HW-0003 for options out of range; those of the workload.
    pub fn run(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<(Comparison<W>, Vec<String>)> {
        let plan = self.plan(options)?;
        progress.step("making the database");
        let mut work = W::open(&plan, progress)?;
        let arms = runner::run(self, &mut work, &plan, progress)?;
        let rest = work.rest(progress)?;
        let notes = runner::notes(self, &work, &plan);
        progress.step("closing the database");
        work.close()?;
        Ok((self.compare(Measured { plan, arms, rest })?, notes))
    }

    /// Sets the measured figures beside the published ones.
    ///
    /// # Errors
    /// ORA-00600 when the data file lacks something.
    pub fn compare(&'static self, measured: Measured<W::Run, W::Rest>) -> Result<Comparison<W>> {
        Ok(Comparison { declaration: self, published: self.published()?, measured })
    }

    /// The content of the data file.
    ///
    /// # Errors
    /// ORA-00600 when it lacks something: it is tested that it does not.
    pub fn published(&self) -> Result<Published<W::Known, W::Paper>> {
        Published::read(self.file, self.part, self.factors)
    }
}

/// Published and measured.
#[derive(Debug)]
pub struct Comparison<W: Workload> {
    pub(super) declaration: &'static Declaration<W>,
    pub published: Published<W::Known, W::Paper>,
    pub measured: Measured<W::Run, W::Rest>,
}

impl<W: Workload> Comparison<W> {
    /// The published figures that stand beside those of a setting.
    #[must_use]
    pub fn known(&self, setting: Setting) -> Option<&W::Known> {
        self.published.arm((self.declaration.known_as)(setting)).ok()
    }

    /// The same as JSON; null without published figures.
    #[must_use]
    pub fn published_json(&self, setting: Setting) -> Value {
        self.published.json((self.declaration.known_as)(setting))
    }

    /// The JSON of an arm, if the experiment declares no other: `name`, `published` and `measured`.
    #[must_use]
    pub fn arm_json(&self, arm: &ArmOf<W>) -> Value {
        json!({
            "name": arm.setting.name(),
            "published": self.published_json(arm.setting),
            "measured": self.declaration.estimates(arm),
        })
    }

    /// Judges every expectation of the data file.
    ///
    /// # Errors
    /// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
    pub fn judge(&self) -> Result<Vec<Expectation>> {
        self.published.expectations.iter().map(|spec| self.judge_one(spec)).collect()
    }

    /// Judges the expectation with this id.
    ///
    /// # Errors
    /// ORA-00600 when the expectation or its judge is missing, or figures lack an arm.
    pub fn judge_by_id(&self, id: &str) -> Result<Expectation> {
        let spec = self.published.expectations.iter().find(|spec| spec.id == id);
        self.judge_one(spec.ok_or_else(|| Error::bug(format!("no expectation '{id}'")))?)
    }

    fn judge_one(&self, spec: &ExpectationSpec) -> Result<Expectation> {
        let judge = self.declaration.judges.iter().find(|(id, _)| *id == spec.id).map(|(_, judge)| judge);
        let judge = judge.ok_or_else(|| Error::bug(format!("no judge for the expectation '{}'", spec.id)))?;
        Ok(spec.judged((self.declaration.qualify)(spec, self, judge(spec, self)?)))
    }
}
