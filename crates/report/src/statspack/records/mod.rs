//! The parts of a snapshot, each the row of a table. Names and units are those of Oracle's STATS$ tables; what differs
//! is said at the field.

mod cells;
mod instance;
mod io;
mod segments;
mod sql;
mod undo;
mod waits;

pub use cells::CellTraffic;
pub use instance::{
    Header, Instance, LibraryCache, OsStatistic, Parameter, PgaStatistic, Sga, SystemStatistic, TimeModel,
};
pub use io::{BufferPool, FileHistogram, FileStatistics};
pub use segments::{SegmentObject, SegmentStatistics};
pub use sql::{SqlStatement, SqlText};
pub use undo::{RollbackSegment, UndoStatistics};
pub use waits::{BackgroundEvent, ClassWaits, EnqueueStatistics, EventHistogram, Latch, LatchMisses, SystemEvent};
