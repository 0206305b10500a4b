//! Drops the keys of a join's sides above the join.
//!
//! A grouping is a key of its rows, and DataFusion keeps that key above a join as one whose values repeat. When such
//! rows are grouped again, it takes the key for one of all columns of the new groups, although it is a key of its
//! side's columns alone: `select distinct a, d from t, (select distinct d from u)` has `d` for its key then. It drops
//! keys of an ORDER BY and of a GROUP BY behind `d`, and a DISTINCT over `d`. Tables declare no keys. ROWNUM is a key
//! of the rows that it numbers, and is kept below a join.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{FunctionalDependencies, JoinType, Result};
use datafusion::logical_expr::{Distinct, LogicalPlan};
use datafusion::optimizer::replace_distinct_aggregate::ReplaceDistinctWithAggregate;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// Runs before each rule that looks at keys, since rules that rebuild joins bring the keys back. It makes groupings of
/// DISTINCTs itself: the rule that does so looks at the keys that a DISTINCT further down has brought in the same pass.
#[derive(Debug, Default)]
pub(super) struct ForgetKeys {
    distinct: ReplaceDistinctWithAggregate,
}

/// The planner's rules that look at keys.
const LOOKING: [&str; 4] =
    ["replace_distinct_aggregate", "eliminate_join", "eliminate_duplicated_expr", "optimize_projections"];

impl ForgetKeys {
    /// True: the rule looks at keys.
    pub(super) fn comes_before(rule: &str) -> bool {
        LOOKING.contains(&rule)
    }
}

impl OptimizerRule for ForgetKeys {
    fn name(&self) -> &'static str {
        "forget_keys"
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let (mut keys, mut distinct) = (false, false);
        plan.apply_with_subqueries(|node| {
            keys |= has_keys_of_sides(node);
            distinct |= is_distinct(node);
            Ok(TreeNodeRecursion::Continue)
        })?;
        if !keys && !distinct {
            return Ok(Transformed::no(plan));
        }
        let forgetful = plan.transform_up_with_subqueries(|node| {
            // Nodes above take over the keys.
            let mut node = node.recompute_schema()?;
            if is_distinct(&node) {
                return self.distinct.rewrite(node, config);
            }
            if has_keys_of_sides(&node)
                && let LogicalPlan::Join(join) = &mut node
            {
                let schema = join.schema.as_ref().clone();
                join.schema = Arc::new(schema.with_functional_dependencies(FunctionalDependencies::empty())?);
            }
            Ok(Transformed::yes(node))
        })?;
        // Without a DISTINCT the plan is the same: no reason for the other rules to run again.
        Ok(Transformed::new(forgetful.data, distinct, TreeNodeRecursion::Continue))
    }
}

fn is_distinct(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::Distinct(Distinct::All(_)))
}

/// True: a join that repeats the rows of its sides and states their keys.
fn has_keys_of_sides(node: &LogicalPlan) -> bool {
    match node {
        LogicalPlan::Join(join) => {
            matches!(join.join_type, JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full)
                && !join.schema.functional_dependencies().is_empty()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::optimizer::optimizer::Optimizer;

    use super::*;

    #[test]
    fn the_rules_that_it_comes_before_are_the_planners() {
        let rules = Optimizer::new().rules;
        for name in LOOKING {
            assert!(rules.iter().any(|rule| rule.name() == name), "{name}");
        }
    }
}
