//! The planner's rules, each with a check for a cancel before it looks at a node: planning a long statement takes time
//! too.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::analyzer::{Analyzer, AnalyzerRule};
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::{PhysicalOptimizerContext, PhysicalOptimizerRule};
use datafusion::physical_plan::ExecutionPlan;
use engine::instance::Session;

use crate::error::to_datafusion;

/// A rule of one of the planner's three kinds, for a session.
struct Checked<R: ?Sized> {
    session: Arc<Session>,
    rule: Arc<R>,
}

impl<R: ?Sized> Checked<R> {
    fn check(&self) -> Result<()> {
        self.session.check_cancelled().map_err(to_datafusion)
    }
}

impl<R: ?Sized + fmt::Debug> fmt::Debug for Checked<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.fmt(f)
    }
}

type Analyzing = dyn AnalyzerRule + Send + Sync;
type Optimizing = dyn OptimizerRule + Send + Sync;
type Physical = dyn PhysicalOptimizerRule + Send + Sync;

/// The planner's own analyzer rules.
pub(super) fn analyzing(session: &Arc<Session>) -> Vec<Arc<Analyzing>> {
    let checked = |rule| Arc::new(Checked::<Analyzing> { session: Arc::clone(session), rule }) as Arc<Analyzing>;
    Analyzer::new().rules.into_iter().map(checked).collect()
}

/// These rules for logical plans.
pub(super) fn optimizing(session: &Arc<Session>, rules: Vec<Arc<Optimizing>>) -> Vec<Arc<Optimizing>> {
    let checked = |rule| Arc::new(Checked::<Optimizing> { session: Arc::clone(session), rule }) as Arc<Optimizing>;
    rules.into_iter().map(checked).collect()
}

/// These rules for physical plans.
pub(super) fn physical(session: &Arc<Session>, rules: Vec<Arc<Physical>>) -> Vec<Arc<Physical>> {
    let checked = |rule| Arc::new(Checked::<Physical> { session: Arc::clone(session), rule }) as Arc<Physical>;
    rules.into_iter().map(checked).collect()
}

impl AnalyzerRule for Checked<Analyzing> {
    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        self.check()?;
        self.rule.analyze(plan, config)
    }

    fn name(&self) -> &str {
        self.rule.name()
    }
}

impl OptimizerRule for Checked<Optimizing> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        self.check()?;
        self.rule.rewrite(plan, config)
    }
}

impl PhysicalOptimizerRule for Checked<Physical> {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        self.check()?;
        self.rule.optimize(plan, config)
    }

    fn optimize_with_context(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: &dyn PhysicalOptimizerContext,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.check()?;
        self.rule.optimize_with_context(plan, context)
    }

    fn name(&self) -> &str {
        self.rule.name()
    }

    fn schema_check(&self) -> bool {
        self.rule.schema_check()
    }
}
