//! The measured figures, before any comparison.

use common::{Error, Result};

use super::plan::Plan;
use super::setting::Setting;
use crate::interval::{Estimate, median};

/// An arm, or a point of a sweep. `R`: a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm<R> {
    pub setting: Setting,
    /// In the order of the repetitions.
    pub runs: Vec<R>,
}

impl<R> Arm<R> {
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
}

/// All figures of a run of the experiment. `M`: figures that are measured in addition to the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured<R, M> {
    pub plan: Plan,
    pub arms: Vec<Arm<R>>,
    pub rest: M,
}

impl<R, M> Measured<R, M> {
    /// An arm, whatever its crossed factors are.
    ///
    /// # Errors
    /// ORA-00600 when it was not run.
    pub fn arm(&self, setting: Setting) -> Result<&Arm<R>> {
        let found = self.arms.iter().find(|arm| arm.setting.is_arm(&setting));
        found.ok_or_else(|| Error::bug(format!("'{}' was not run", setting.name())))
    }

    /// Ratio of a figure of two arms, repetition by repetition, so that other load of the machine meets both. None if a
    /// repetition has none.
    #[must_use]
    pub fn ratio(&self, over: Setting, under: Setting, figure: impl Fn(&R) -> f64) -> Option<Estimate> {
        let (over, under) = (self.arm(over).ok()?, self.arm(under).ok()?);
        let ratios: Vec<f64> = over.runs.iter().zip(&under.runs).map(|(a, b)| figure(a) / figure(b)).collect();
        Estimate::of(&ratios)
    }
}
