//! The sums over one report, a file each. Findings read them; none of them judges.
//!
//! ```text
//! foreground   waits of foreground processes, without idle events (own list)
//! db_time      CPU + foreground waits + unaccounted time
//! redo_write   a write by the formula and by the event
//! commit_wait  waits of commits, and the part that can be the device
//! redo_volume  redo a transaction, padding, switches
//! host         CPUs, run queue, memory
//! temp, undo, io_share, buffer_busy, reads, multiblock, chained_rows, offload, parsing, statements, segments, files
//! ```

pub(crate) mod buffer_busy;
mod chained_rows;
pub(crate) mod class;
pub(crate) mod commit_wait;
mod db_time;
pub(crate) mod files;
pub(crate) mod foreground;
pub(crate) mod host;
pub(crate) mod idle;
mod io_share;
pub(crate) mod ledger;
pub(crate) mod multiblock;
mod offload;
mod parsing;
mod reads;
pub(crate) mod redo_volume;
pub(crate) mod redo_write;
pub(crate) mod segments;
pub(crate) mod statements;
mod temp;
pub(crate) mod undo;

use report::model::Report;

pub(crate) use buffer_busy::BufferBusy;
pub(crate) use chained_rows::ChainedRows;
pub(crate) use commit_wait::CommitWait;
pub(crate) use db_time::DbTime;
pub(crate) use foreground::Foreground;
pub(crate) use host::Host;
pub(crate) use io_share::IoShares;
pub(crate) use ledger::Ledger;
pub(crate) use multiblock::Multiblock;
pub(crate) use offload::Offload;
pub(crate) use parsing::Parsing;
pub(crate) use reads::Reads;
pub(crate) use redo_volume::RedoVolume;
pub(crate) use redo_write::RedoWrite;
pub(crate) use temp::Temp;
pub(crate) use undo::Undo;

/// All sums of a report.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(crate) foreground: Foreground,
    pub(crate) db_time: DbTime,
    pub(crate) redo: RedoWrite,
    pub(crate) commit: CommitWait,
    pub(crate) volume: RedoVolume,
    pub(crate) host: Host,
    pub(crate) temp: Temp,
    pub(crate) undo: Undo,
    pub(crate) busy: BufferBusy,
    pub(crate) reads: Reads,
    pub(crate) multiblock: Multiblock,
    pub(crate) chained: ChainedRows,
    pub(crate) offload: Offload,
    pub(crate) parsing: Parsing,
    pub(crate) io: IoShares,
}

impl Sums {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let foreground = Foreground::of(report, ledger);
        let db_time = DbTime::of(report, &foreground, ledger);
        let redo = RedoWrite::of(report, ledger);
        let commit = CommitWait::of(report, &foreground, &redo, ledger);
        let volume = RedoVolume::of(report, ledger);
        let host = Host::of(report, ledger);
        let busy = BufferBusy::of(report, &foreground, ledger);
        let temp = Temp::of(report, &foreground, ledger);
        let undo = Undo::of(report, &foreground, &busy, ledger);
        let reads = Reads::of(&foreground, ledger);
        let multiblock = Multiblock::of(report, &foreground, ledger);
        let chained = ChainedRows::of(report, ledger);
        let offload = Offload::of(report, &foreground, ledger);
        let parsing = Parsing::of(report, &foreground, ledger);
        let io = IoShares::of(report, ledger);
        Self {
            foreground,
            db_time,
            redo,
            commit,
            volume,
            host,
            temp,
            undo,
            busy,
            reads,
            multiblock,
            chained,
            offload,
            parsing,
            io,
        }
    }
}

/// A statistic's difference over the window. One that is negative or no number (a counter that was reset between the
/// snapshots) is not known.
pub(crate) fn counted(report: &Report, name: &str) -> Option<f64> {
    report.statistic(name).filter(|total| possible(*total))
}

/// Seconds of a line of the time model, under the same rule.
pub(crate) fn modelled_s(report: &Report, name: &str) -> Option<f64> {
    report.time_model_s(name).filter(|time| possible(*time))
}

/// True of a count or a time that can be: finite and not negative.
pub(crate) fn possible(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
