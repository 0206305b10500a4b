//! TKPROF: a trace summed up by statement, as a model, as the printed report, as JSON.
//!
//! ```text
//! trace records -> summarise.rs  whose call, whose wait, which plan (recursion.rs takes recursive calls off, plans.rs
//!                                joins row sources)
//!               -> model.rs      Report
//!               -> print.rs      the classic tables        json.rs  the shape of --json
//! TKPROF's output -> read.rs     the same model, as far as that is printed
//! ```
//!
//! Statements are the same when parsing user and text are. A call's line includes its recursive calls; unless
//! [`Options::inclusive`] is set they are subtracted, as TKPROF does (README.md has the comparison).

mod json;
mod model;
mod options;
mod plans;
mod print;
mod read;
mod recursion;
mod summarise;

pub use json::{ReportJson, StatementJson, json};
pub use model::{
    Captured, ErrorCount, FailedParse, Figures, LobTotals, Plan, Report, RowSource, Statement, Totals, Transactions,
    WaitTotals,
};
pub use options::{Options, SortKey};
pub use print::print;
pub use read::{Printed, read};
pub(crate) use recursion::Recursion;
pub use summarise::summarise;
pub(crate) use summarise::{KEPT_SESSIONS, SessionId, Summary};
