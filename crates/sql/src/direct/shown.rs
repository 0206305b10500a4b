//! The steps of a compiled query above its read, as plans show them.

use super::plan::DirectQuery;
use crate::explain::step::PlanStep;

impl DirectQuery {
    /// The steps above the read, outermost first.
    pub(crate) fn steps(&self) -> Vec<PlanStep> {
        let mut steps = Vec::new();
        if self.skip > 0 || self.fetch.is_some() {
            let mut step = PlanStep::new("COUNT", "STOPKEY");
            if self.totals.is_some() {
                step.rows = Some(1);
            }
            steps.push(step);
        }
        if self.totals.is_some() {
            steps.push(PlanStep { rows: Some(1), ..PlanStep::new("SORT", "AGGREGATE") });
        }
        steps
    }
}
