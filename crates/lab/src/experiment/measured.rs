//! What was measured, before anything is compared.

use common::{Error, Result};
use serde::Serialize;
use serde_json::Value;

use super::plan::Plan;
use super::setting::Setting;
use crate::interval::{Estimate, median};

/// An arm, or a point of a sweep. `R`: a run; `F`: what is known of the arm however often it ran.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm<R, F = ()> {
    pub setting: Setting,
    /// None before the first run.
    pub facts: Option<F>,
    /// In the order of the repetitions.
    pub runs: Vec<R>,
}

impl<R, F> Arm<R, F> {
    /// Median and interval of a figure of the runs; None without runs, and where a run has none.
    #[must_use]
    pub fn estimate(&self, figure: impl Fn(&R) -> f64) -> Option<Estimate> {
        Estimate::of(&self.runs.iter().map(figure).collect::<Vec<_>>())
    }

    /// The median of a figure of the runs; None without runs.
    #[must_use]
    pub fn median(&self, figure: impl Fn(&R) -> f64) -> Option<f64> {
        median(&self.runs.iter().map(figure).collect::<Vec<_>>())
    }

    /// The last run: counts that do not depend on the machine are alike in all of them.
    ///
    /// # Errors
    /// ORA-00600 without runs.
    pub fn last(&self) -> Result<&R> {
        self.runs.last().ok_or_else(|| Error::bug(format!("'{}' was not run", self.setting.name())))
    }

    /// Facts and runs as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value
    where
        R: Serialize,
        F: Serialize,
    {
        super::merged([serde_json::json!(self.facts), serde_json::json!({"runs": self.runs})])
    }
}

/// All of a run of the experiment. `M`: what is measured beside the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured<R, F = (), M = ()> {
    pub plan: Plan,
    pub arms: Vec<Arm<R, F>>,
    pub rest: M,
}

impl<R, F, M> Measured<R, F, M> {
    /// An arm, whatever its crossed factors are.
    ///
    /// # Errors
    /// ORA-00600 when it was not run.
    pub fn arm(&self, setting: Setting) -> Result<&Arm<R, F>> {
        let found = self.arms.iter().find(|arm| arm.setting.is_arm(&setting));
        found.ok_or_else(|| Error::bug(format!("'{}' was not run", setting.name())))
    }

    /// Ratio of a figure of two arms, repetition by repetition, so that what else the machine did meets both. None where
    /// a repetition has none.
    #[must_use]
    pub fn ratio(&self, over: Setting, under: Setting, figure: impl Fn(&R) -> f64) -> Option<Estimate> {
        let (over, under) = (self.arm(over).ok()?, self.arm(under).ok()?);
        let ratios: Vec<f64> = over.runs.iter().zip(&under.runs).map(|(a, b)| figure(a) / figure(b)).collect();
        Estimate::of(&ratios)
    }
}
