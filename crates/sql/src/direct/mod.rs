//! Statements on one table without the planner's executor: see README.md.

pub(crate) mod change;
pub(crate) mod lock;
mod loops;
mod merge;
pub(crate) mod nested_loops;
mod order_cost;
pub(crate) mod plan;
pub(crate) mod run;
mod shown;
pub(crate) mod value;
