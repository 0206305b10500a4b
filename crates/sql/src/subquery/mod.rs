//! Subqueries in expressions: those that the planner turns into joins, and the execution of the others.
//!
//! ```text
//! binder: Exists, InSubquery, ScalarSubquery, SetComparison
//!   -> rewrite   a subquery whose shape is trusted stays and becomes a join (shape.rs says which)
//!                any other becomes a function of its outer columns (apply.rs), which runs it for each set of their
//!                values
//!   -> order     what looks at the order of rows finds it above those joins
//! ```

mod apply;
mod order;
mod reference;
mod rewrite;
mod shape;
mod shown;
mod tuple;

pub(crate) use apply::{Planner, is_new_each_time};
pub(crate) use reference::{columns_of_block, with_scope};
pub(crate) use rewrite::{holds, holds_subquery, rewrite};
pub(crate) use shape::{may_be_joined, renamed};
pub(crate) use shown::shown;
pub(crate) use tuple::{compared_with_one, tuple};
