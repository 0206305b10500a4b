//! Response-time profile of a trace that adds up to wall-clock, by call and event, by object, file, block and class.
//!
//! ```text
//! trace records ─> tkprof::summarise   whose call, whose wait
//!               └> gather.rs           which wait lies within which call; what is in neither
//!                    timeline.rs       one session's wall clock: window, calls whose caller has not ended, waits not
//!                                      yet given to a call
//!                    sites.rs          waits by object, file, class and statement; waits by block: bounded
//!               -> model.rs  Profile
//!               -> print.rs, json.rs   the sections behind the TKPROF report; order.rs: statements sorted any way
//! ```
//!
//! Rules:
//!
//! 1. The lines of [`Profile::lines`] add up to [`Profile::elapsed_ns`] exactly. What no line of the trace explains is
//!    a line itself: within calls, elapsed time that is neither CPU nor a wait (waiting for a CPU, paging, untraced
//!    code; negative where CPU clocks ran ahead); between calls, time in which the trace shows neither call nor wait.
//! 2. Time is real: units of 1,024 ns are counted as such, unlike in TKPROF's tables.
//! 3. A wait lies within the call in whose span its middle lies. Waits for the client's next request lie between calls
//!    by their name, and so do, in traces whose waits have no time (to 9i), all waits for the client.
//! 4. Memory is bounded whatever the file: every table has a limit, and what is beyond it is summed up and said.

mod events;
mod gather;
mod histogram;
mod json;
mod model;
mod objects;
mod order;
mod print;
mod sites;
mod timeline;

pub use events::{block_class, enqueue};
pub use gather::read;
pub use histogram::{BUCKETS, Histogram};
pub use json::{ProfileJson, json};
pub use model::{
    BlockWaits, Component, Enqueue, EventIndex, EventProfile, Line, Phase, Profile, SessionProfile, Site,
    StatementIndex, StatementProfile, Waits,
};
pub use objects::ObjectName;
pub use order::{ProfileOptions, StatementKey};
pub use print::print;
pub use waits::{event_class, is_idle};
