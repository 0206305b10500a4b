//! The instance's counters at one moment, for a snapshot.
//!
//! Every figure is one that the dynamic views show too. Figures that the engine does not count are left out: there are
//! no temporary files, no latch misses by place in the code, and of the memory of sessions only the work areas.

mod contention;
mod files;
mod instance;
mod objects;
mod os;

use common::Result;
use report::statspack::{LocalTime, Snapshot};

use crate::cursor::connection::Connection;
use crate::cursor::context::local_time;

/// A snapshot with this number. `level` and `comment` come from the caller and are kept.
pub(super) fn snapshot(connection: &Connection, id: u64, level: u64, comment: &str) -> Result<Snapshot> {
    let instance = connection.session.instance();
    let mut snapshot = Snapshot { id, database_id: instance.dbid().into(), instance_number: 1, ..Snapshot::default() };
    // Background processes first: the rest is the foreground's.
    let background = instance.background_snapshot();
    let all = instance.system_meter().snapshot();
    snapshot.set_meters(&all, &background);
    instance::header(connection, &all, &mut snapshot, level, comment)?;
    instance::counters(connection, &all, &mut snapshot);
    contention::contention(&all, &mut snapshot);
    objects::statements(connection, &mut snapshot);
    objects::segments(connection, &mut snapshot);
    files::files(connection, &all, &mut snapshot)?;
    files::cells(connection, &mut snapshot);
    files::undo(connection, &mut snapshot)?;
    snapshot.os_statistics = os::statistics();
    snapshot.sort();
    Ok(snapshot)
}

/// A moment in microseconds since 1970 on the instance's wall clock.
fn local(wall_us: u64) -> Result<LocalTime> {
    Ok(LocalTime(local_time(wall_us)?.unix_seconds()))
}

/// Microseconds as centiseconds, which keep the fraction.
fn centiseconds(micros: u64) -> f64 {
    micros as f64 / 10_000.0
}
