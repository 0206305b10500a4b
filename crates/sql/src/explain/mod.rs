//! Display of plans: EXPLAIN PLAN, DBMS_XPLAN, V$SQL_PLAN, and the row sources of STAT lines.
//!
//! ```text
//! physical plan ── sources ──> row sources (step: what is to be done; figures: what was done)
//!                                 │   └─> STAT lines of a trace (cursor/trace.rs)
//!                                 └─> plan: the statement above them
//!                                       ├─> the cursor's, for DISPLAY_CURSOR and V$SQL_PLAN
//!                                       └─> table: rows of a plan table, for DISPLAY
//! ```

pub(crate) mod display;
pub(crate) mod format;
pub(crate) mod function;
pub(crate) mod hints;
mod kept;
pub(crate) mod own;
pub(crate) mod plan;
pub(crate) mod predicate;
pub(crate) mod sources;
pub(crate) mod statement;
pub(crate) mod step;
pub(crate) mod table;
