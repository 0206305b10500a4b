//! The way to the rows: estimates, costs, the order and the methods of joins.
//!
//! ```text
//! DataFusion's optimised plan (with transitive.rs among its rules)
//!   -> semi       semi-joins with a unique side become inner joins
//!   -> arrange    the inner joins of each block in the order that costs least (order.rs), each as nested loops by an
//!                 index or as a hash join; loops become one source of rows (loops_table.rs)
//!   -> direct     the whole query row by row, or
//!   -> physical   DataFusion's operators
//! estimate        rows and distinct values: of logical plans (logical.rs), and of physical ones for what plans show
//!                 (physical.rs)
//! ```

pub(crate) mod arrange;
pub(crate) mod cost;
pub(crate) mod estimate;
mod logical;
pub(crate) mod loops_table;
mod order;
pub(crate) mod physical;
mod semi;
pub(crate) mod transitive;
