//! Files, buffer pools, storage cells and undo.

use std::collections::BTreeMap;

use common::Result;
use report::statspack::Snapshot;
use report::statspack::records::{BufferPool, CellTraffic, FileStatistics, RollbackSegment, UndoStatistics};
use storage::parameters::Parameter;
use waits::{MeterSnapshot, Statistic};

use super::{centiseconds, local};
use crate::cursor::connection::Connection;

pub(super) fn files(connection: &Connection, all: &MeterSnapshot, snapshot: &mut Snapshot) -> Result<()> {
    let instance = connection.session.instance();
    let records = instance.control().data().datafiles.clone();
    let tablespaces = instance.tablespaces().all();
    for record in records {
        // A file that is being dropped may be gone already.
        let Ok(file) = instance.cache().file(record.file()) else { continue };
        let figures = file.figures();
        let tablespace = tablespaces.iter().find(|tablespace| tablespace.number() == file.tablespace());
        snapshot.files.push(FileStatistics {
            tablespace: tablespace.map(|tablespace| tablespace.name().to_owned()).unwrap_or_default(),
            file: instance.resolve(&record.name).to_string_lossy().into_owned(),
            reads: figures.reads,
            writes: figures.writes,
            read_centiseconds: centiseconds(figures.read_us),
            write_centiseconds: centiseconds(figures.write_us),
            blocks_read: figures.blocks_read,
            blocks_written: figures.blocks_written,
            buffer_waits: figures.buffer_waits,
            buffer_wait_centiseconds: centiseconds(figures.buffer_wait_us),
        });
    }
    let pools = instance.cache().figures();
    // Gets and waits are counted by session and by class, not by pool: a single pool has them all.
    let of_all = |value: u64| if pools.len() == 1 { value } else { 0 };
    let busy: u64 = common::BlockClass::ALL.iter().map(|class| all.buffer_waits(*class).waits).sum();
    for pool in &pools {
        snapshot.buffer_pools.push(BufferPool {
            name: "DEFAULT".to_owned(),
            block_size: pool.size.bytes() as u64,
            buffers: pool.capacity as u64,
            free_buffer_waits: pool.free_buffer_waits,
            write_complete_waits: pool.write_complete_waits,
            buffer_busy_waits: of_all(busy),
            current_gets: of_all(all.value(Statistic::DbBlockGetsFromCache)),
            consistent_gets: of_all(all.value(Statistic::ConsistentGetsFromCache)),
            reads: pool.physical_reads,
            writes: pool.physical_writes,
        });
    }
    Ok(())
}

/// Characters of a cell's name, which have so many bytes at most as its column has.
const NAME_MAX: usize = 32;

pub(super) fn cells(connection: &Connection, snapshot: &mut Snapshot) {
    let mut cells: BTreeMap<String, CellTraffic> = BTreeMap::new();
    for (_, cell) in connection.session.store().cells().all() {
        // Folders of one name in two places are one cell here: the name is the key.
        let name: String = cell.name().chars().take(NAME_MAX).collect();
        let (figures, sum) = (cell.traffic(), cells.entry(name).or_default());
        sum.reads += figures.reads;
        sum.writes += figures.writes;
        sum.scans += figures.scans;
        sum.bytes_sent += figures.bytes_sent;
        sum.bytes_received += figures.bytes_received;
    }
    snapshot.cells.extend(cells.into_iter().map(|(cell, sum)| CellTraffic { cell, ..sum }));
}

pub(super) fn undo(connection: &Connection, snapshot: &mut Snapshot) -> Result<()> {
    let session = &connection.session;
    let instance = session.instance();
    let name = instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
    let tablespaces = instance.tablespaces().all();
    let current = tablespaces.iter().find(|tablespace| tablespace.name() == name);
    let tablespace = current.map_or(0, |tablespace| u64::from(tablespace.number().0));
    instance.undo().sample(session)?;
    for interval in instance.undo().intervals(session) {
        let begin = local(interval.begin_us)?;
        // When the wall clock goes back an hour, six intervals begin at times that occurred before: the key has no room
        // for both.
        if snapshot.undo.iter().any(|known: &UndoStatistics| known.begin == begin) {
            continue;
        }
        snapshot.undo.push(UndoStatistics {
            begin,
            end: local(interval.end_us)?,
            tablespace,
            blocks: interval.undo_blocks,
            transactions: interval.transactions,
            longest_query_s: interval.max_query_s,
            longest_query: String::new(),
            concurrent_transactions: interval.max_concurrency,
            unexpired_stolen: interval.unexpired_steals,
            unexpired_released: interval.unexpired_blocks_released,
            unexpired_reused: interval.unexpired_blocks_reused,
            expired_stolen: interval.expired_steals,
            expired_released: interval.expired_blocks_released,
            expired_reused: interval.expired_blocks_reused,
            snapshot_too_old: interval.too_old_errors,
            out_of_space: interval.no_space_errors,
            tuned_retention_s: interval.tuned_retention_s(),
        });
    }
    for figures in instance.undo().segments(session)? {
        let of = tablespaces.iter().find(|tablespace| tablespace.number() == figures.tablespace);
        let block_bytes = of.map_or(0, |tablespace| tablespace.block_size().bytes() as u64);
        snapshot.rollback_segments.push(RollbackSegment {
            number: u64::from(figures.number),
            extents: u64::from(figures.extents),
            bytes: u64::from(figures.blocks) * block_bytes,
            written: figures.writes,
            transactions: u64::from(figures.transactions),
            gets: figures.gets,
            waits: figures.waits,
            bytes_max: u64::from(figures.most_blocks) * block_bytes,
            shrinks: figures.shrinks,
            wraps: figures.wraps,
            extends: figures.extends,
        });
    }
    Ok(())
}
