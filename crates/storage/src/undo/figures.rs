//! Figures of undo: intervals of ten minutes, transactions, segments.

use std::collections::VecDeque;

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use common::{BlockAddress, BlockClass, Result, Scn, TablespaceNumber, Uba, Xid};
use format::undo;

use super::UndoSegments;
use crate::process::Process;
use crate::process::metadata;

/// Number of intervals that are kept: four days.
pub(super) const INTERVALS_MAX: usize = 576;
pub(super) const INTERVAL_US: u64 = 600 * 1_000_000;

/// A row of V$UNDOSTAT. Times in microseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UndoInterval {
    pub begin_us: u64,
    pub end_us: u64,
    /// Undo blocks taken by transactions.
    pub undo_blocks: u64,
    /// Transactions begun.
    pub transactions: u64,
    /// The most transactions that were active at once.
    pub max_concurrency: u64,
    /// Attempts to take unexpired extents from other segments; `unexpired_blocks_released`: the blocks that they
    /// brought.
    pub unexpired_steals: u64,
    pub unexpired_blocks_released: u64,
    /// Unexpired blocks of a segment's own that were used again.
    pub unexpired_blocks_reused: u64,
    /// Attempts to take expired extents from other segments; `expired_blocks_released`: the blocks that they brought.
    pub expired_steals: u64,
    pub expired_blocks_released: u64,
    pub expired_blocks_reused: u64,
    /// ORA-01555.
    pub too_old_errors: u64,
    /// ORA-30036.
    pub no_space_errors: u64,
    /// Seconds of the longest statement, from its beginning to the close of its cursor.
    pub max_query_s: u64,
    /// Retention in seconds when it was last worked out; 0 before that.
    pub tuned_s: u64,
    /// The age in seconds of the youngest undo of ended transactions that was given up before it had expired.
    pub given_up_s: Option<u64>,
    /// Blocks of the undo tablespace's extents by status, at the last sample.
    pub active_blocks: u64,
    pub unexpired_blocks: u64,
    pub expired_blocks: u64,
}

impl UndoInterval {
    /// V$UNDOSTAT.TUNED_UNDORETENTION in seconds: the tuned retention, or the shorter one that was reached.
    #[must_use]
    pub fn tuned_retention_s(&self) -> u64 {
        self.given_up_s.map_or(self.tuned_s, |least| least.min(self.tuned_s))
    }
}

/// The intervals, the present one last.
#[derive(Debug)]
pub(super) struct Intervals(VecDeque<UndoInterval>);

impl Intervals {
    pub(super) fn new(now_us: u64) -> Self {
        let first = UndoInterval { begin_us: now_us, end_us: now_us, ..UndoInterval::default() };
        Self(VecDeque::from([first]))
    }

    /// The present interval; ends those before it.
    pub(super) fn at(&mut self, now_us: u64, active: u64) -> &mut UndoInterval {
        while let Some(last) = self.0.back_mut() {
            // The wall clock may have been put back.
            if now_us < last.begin_us.saturating_add(INTERVAL_US) {
                last.end_us = last.end_us.max(now_us);
                break;
            }
            last.end_us = last.begin_us + INTERVAL_US;
            // A long pause gets rows only for as many of its intervals as are kept.
            let skipped = (now_us - last.end_us) / INTERVAL_US;
            let before = *last;
            let begin_us = last.end_us + skipped.saturating_sub(INTERVALS_MAX as u64) * INTERVAL_US;
            self.0.push_back(UndoInterval {
                begin_us,
                end_us: begin_us,
                max_concurrency: active,
                tuned_s: before.tuned_s,
                active_blocks: before.active_blocks,
                unexpired_blocks: before.unexpired_blocks,
                expired_blocks: before.expired_blocks,
                ..UndoInterval::default()
            });
            if self.0.len() > INTERVALS_MAX {
                self.0.pop_front();
            }
        }
        debug_assert!((1..=INTERVALS_MAX).contains(&self.0.len()), "{} intervals are kept", self.0.len());
        let last = self.0.len() - 1;
        debug_assert!(self.0[last].begin_us <= self.0[last].end_us, "an interval ends before it begins");
        &mut self.0[last]
    }

    /// The most undo blocks of an interval; None until an interval has ended.
    pub(super) fn highest_rate(&self) -> Option<u64> {
        (self.0.len() > 1).then(|| self.0.iter().map(|interval| interval.undo_blocks).max().unwrap_or(0))
    }

    /// The intervals, newest first.
    pub(super) fn rows(&self) -> Vec<UndoInterval> {
        self.0.iter().rev().copied().collect()
    }
}

/// A transaction, for V$TRANSACTION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionFigures {
    pub xid: Xid,
    /// Session that began it; 0 when a crash has ended that session.
    pub sid: u32,
    /// Begin, in microseconds since 1970.
    pub begun_us: u64,
    pub start_scn: Scn,
    pub first: Uba,
    pub last: Uba,
    pub used_blocks: u32,
    pub used_records: u32,
}

/// The part of a transaction that other sessions may see. Its writer keeps it up to date.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) sid: u32,
    pub(super) begun_us: u64,
    pub(super) start_scn: Scn,
    first: AtomicU64,
    last: AtomicU64,
    used_blocks: AtomicU32,
    used_records: AtomicU32,
}

impl Live {
    pub(super) fn new(sid: u32, begun_us: u64, start_scn: Scn) -> Self {
        Self {
            sid,
            begun_us,
            start_scn,
            first: AtomicU64::new(0),
            last: AtomicU64::new(0),
            used_blocks: AtomicU32::new(0),
            used_records: AtomicU32::new(0),
        }
    }

    pub(super) fn note(&self, first: Uba, last: Uba, blocks: u32, records: u32) {
        self.first.store(u64::from_le_bytes(first.pack()), Ordering::Relaxed);
        self.last.store(u64::from_le_bytes(last.pack()), Ordering::Relaxed);
        self.used_blocks.store(blocks, Ordering::Relaxed);
        self.used_records.store(records, Ordering::Relaxed);
    }

    /// The newest record that is not undone.
    pub(super) fn last(&self) -> Uba {
        Uba::unpack(self.last.load(Ordering::Relaxed).to_le_bytes())
    }

    pub(super) fn figures(&self, xid: Xid) -> TransactionFigures {
        let uba = |place: &AtomicU64| Uba::unpack(place.load(Ordering::Relaxed).to_le_bytes());
        TransactionFigures {
            xid,
            sid: self.sid,
            begun_us: self.begun_us,
            start_scn: self.start_scn,
            first: uba(&self.first),
            last: uba(&self.last),
            used_blocks: self.used_blocks.load(Ordering::Relaxed),
            used_records: self.used_records.load(Ordering::Relaxed),
        }
    }
}

/// An undo segment, for V$ROLLSTAT and DBA_ROLLBACK_SEGS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentFigures {
    pub number: u16,
    pub name: String,
    pub tablespace: TablespaceNumber,
    pub header: BlockAddress,
    pub extents: u32,
    /// Most extents for which its header has room.
    pub extents_most: u32,
    pub blocks: u32,
    pub current_extent: u32,
    pub current_block: u32,
    /// Number of active transactions.
    pub transactions: u32,
    /// Gets of the header since the instance was started.
    pub gets: u64,
    /// Gets of the header that waited for a session with it latched.
    pub waits: u64,
    /// Bytes of undo records written since the instance was started.
    pub writes: u64,
    /// Moves into an extent that the segment had already; `extends`: moves into one that was added.
    pub wraps: u64,
    pub extends: u64,
    /// Number of times that extents were taken from it; `shrunk_bytes`: their bytes.
    pub shrinks: u64,
    pub shrunk_bytes: u64,
    /// The most blocks it has had since the instance was started.
    pub most_blocks: u32,
    /// True: transactions may be bound to it.
    pub online: bool,
}

/// The rollback of a whole transaction, by its session, or after a crash by the instance. Times on the monotonic clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RollbackFigures {
    pub xid: Xid,
    /// Session that rolls it back; 0 after a crash.
    pub sid: u32,
    pub serial: u32,
    /// Number of the transaction's undo blocks that are done.
    pub blocks_done: u32,
    pub blocks: u32,
    /// None while it waits to be rolled back.
    pub begun_us: Option<u64>,
    pub ended_us: Option<u64>,
}

/// Status of an extent of undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtentStatus {
    /// Transactions under way need it.
    Active,
    /// Queries may need it, by the retention.
    Unexpired,
    Expired,
}

/// An extent of an undo segment, for DBA_UNDO_EXTENTS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtentFigures {
    pub segment: u16,
    /// Number in the segment, from 0 on.
    pub number: u32,
    pub start: BlockAddress,
    pub blocks: u32,
    pub status: ExtentStatus,
}

impl UndoSegments {
    /// DBA_UNDO_EXTENTS: segment by segment in the order of their headers.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn extents(&self, s: &Process) -> Result<Vec<ExtentFigures>> {
        let mut extents = Vec::new();
        for segment in self.all() {
            let limit = self.retention(s, &segment.tablespace).expired;
            let header = metadata::current(s, segment.header, BlockClass::UndoHeader)?;
            for number in 0..undo::header(&header).extents.get() {
                let extent = undo::extent(&header, number as usize);
                let status = if segment.is_used(extent.address()) {
                    ExtentStatus::Active
                } else if extent.committed_s.get() > limit {
                    ExtentStatus::Unexpired
                } else {
                    ExtentStatus::Expired
                };
                let (start, blocks) = (extent.address(), extent.blocks.get());
                extents.push(ExtentFigures { segment: segment.number, number, start, blocks, status });
            }
        }
        Ok(extents)
    }
}
