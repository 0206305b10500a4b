//! Instrumentation of the engine: events, statistics, latches, enqueues, segments, one meter a session, the sum over
//! all of them, figures of each statement, samples of active sessions, and the SQL trace.
//!
//! ```text
//! events.toml ─┐ build.rs               Session 1 ── Meter ─┬─ counters ──┐
//! stats.toml  ─┴────────► Event,        Session 2 ── Meter ─┼─ counters ──┼── SystemMeter: live ones + ended ones
//!                         Statistic                         └─ TraceFile  │
//!                                        MeterSnapshot::minus ◄───────────┘
//! ```
//!
//! Counting costs one relaxed addition to memory that only this session writes. Sums (`session logical reads`, waits by
//! class) are computed when they are read.

mod active_session;
mod counters;
mod cpu_clock;
mod enqueue;
mod event;
mod known;
mod latch;
mod meter;
mod segment;
mod snapshot;
mod sql_area;
mod sql_id;
mod statistic;
mod system;
mod trace;

pub use active_session::{ActiveSessionSample, ActiveSessions};
pub use counters::GetMode;
pub use enqueue::{Enqueue, EnqueueTotals};
pub use event::{Event, WaitClass, enqueue_name_mode};
pub use known::{event_class, is_idle, may_be_idle};
pub use latch::{LatchName, LatchTotals};
pub use meter::{CurrentWait, LastWait, Meter};
pub use segment::{SegmentStatistic, SegmentTotals};
pub use snapshot::{BufferWaits, EventTotals, HISTOGRAM_BUCKETS, MeterSnapshot, histogram_bound_us, histogram_bucket};
pub use sql_area::{CallReading, SqlArea, SqlCall, SqlFigures, SqlSource, SqlStatement};
pub use sql_id::{sql_hash, sql_id};
pub use statistic::{Statistic, Unit};
pub use system::SystemMeter;
pub use trace::{
    Bind, CallFigures, CallKind, LEVEL_BINDS, LEVEL_WAITS, NO_CURSOR, ParsedCursor, StatLine, TraceFile, TraceHeader,
};
