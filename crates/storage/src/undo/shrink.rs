//! Giving undo space back when the load has gone: expired extents go back to the tablespace, segments that are not
//! needed go offline.
//!
//! The system monitor does both in rounds. A segment keeps as many extents as it has entered since the round before, so
//! a segment under a steady load keeps its ring. A reader whose undo lies in an extent that was given back gets
//! ORA-01555 once another segment has the blocks.

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{BlockClass, BlockRange, Result};
use format::undo;

use super::UndoSegments;
use super::extents::{EXTENTS_LEAST, Reuse};
use super::figures::ExtentStatus;
use super::segment::UndoSegment;
use super::{FIRST_SEGMENTS, figures::INTERVAL_US};
use crate::control::TablespaceKind;
use crate::invariants::hold;
use crate::parameters::Parameter;
use crate::process::Process;
use crate::process::metadata;
use crate::tablespace::Tablespace;

impl UndoSegments {
    /// Time between two rounds.
    pub const ROUND_US: u64 = INTERVAL_US;

    /// One round over all undo segments.
    ///
    /// # Errors
    /// Errors of the cache; ORA-01089 when the instance is being closed.
    pub fn round(&self, s: &Process) -> Result<()> {
        self.sample(s)?;
        for tablespace in self.tablespaces().all() {
            if tablespace.kind() != TablespaceKind::Undo {
                continue;
            }
            let expired = Reuse::Expired(self.retention(s, &tablespace).expired);
            for segment in self.by_use(tablespace.number()) {
                s.check_cancelled()?;
                let keep = EXTENTS_LEAST + segment.entered_since_round();
                // An idle segment is not latched without need.
                if segment.extents(s)? > keep {
                    let _space = self.space(s, segment.number);
                    segment.give_back(s, expired, keep)?;
                }
            }
            self.take_idle_offline(s, &tablespace);
        }
        Ok(())
    }

    /// Notes the use of the undo tablespace, for V$UNDOSTAT, and works out its retention.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn sample(&self, s: &Process) -> Result<()> {
        let name = s.store().parameters().text(Parameter::UndoTablespace).to_uppercase();
        let Ok(tablespace) = self.tablespaces().named(&name) else { return Ok(()) };
        self.retention(s, &tablespace);
        let own: Vec<_> = self.by_use(tablespace.number()).iter().map(|segment| segment.number).collect();
        let extents = self.extents(s)?;
        let blocks = |status| {
            let of_status = extents.iter().filter(|extent| own.contains(&extent.segment) && extent.status == status);
            of_status.map(|extent| u64::from(extent.blocks)).sum()
        };
        self.count(s, |interval| {
            interval.active_blocks = blocks(ExtentStatus::Active);
            interval.unexpired_blocks = blocks(ExtentStatus::Unexpired);
            interval.expired_blocks = blocks(ExtentStatus::Expired);
        });
        Ok(())
    }

    /// Takes segments beyond the first ones offline to which no transaction was bound since the last round.
    fn take_idle_offline(&self, s: &Process, tablespace: &Arc<Tablespace>) {
        let _binding = self.binding(s);
        let own = self.all().into_iter().filter(|segment| segment.tablespace.number() == tablespace.number());
        for (place, segment) in own.enumerate() {
            let begun = segment.counts.begun.load(Ordering::Relaxed);
            let idle = std::mem::replace(&mut segment.needed.lock().1, begun) == begun;
            if place >= FIRST_SEGMENTS && idle && segment.transactions.load(Ordering::Acquire) == 0 {
                debug_assert!(segment.uses.lock().is_empty(), "{segment:?}: no transaction uses an idle segment");
                segment.online.store(false, Ordering::Release);
            }
        }
    }
}

impl UndoSegment {
    pub(super) fn is_online(&self) -> bool {
        self.online.load(Ordering::Acquire)
    }

    /// Counts extents that were taken from the segment.
    pub(super) fn shrunk(&self, blocks: u64) {
        self.counts.shrinks.fetch_add(1, Ordering::Relaxed);
        self.counts.shrunk_bytes.fetch_add(blocks * self.block_bytes() as u64, Ordering::Relaxed);
    }

    /// Number of extents that the segment has entered since the last call.
    fn entered_since_round(&self) -> u32 {
        let entered = self.counts.wraps.load(Ordering::Relaxed) + self.counts.extends.load(Ordering::Relaxed);
        let before = std::mem::replace(&mut self.needed.lock().0, entered);
        debug_assert!(entered >= before, "{self:?}: {entered} extents were entered, and {before} before");
        u32::try_from(entered - before).unwrap_or(u32::MAX / 2)
    }

    fn extents(&self, s: &Process) -> Result<u32> {
        let header = self.got(s, || metadata::current(s, self.header, BlockClass::UndoHeader))?;
        Ok(undo::header(&header).extents.get())
    }

    /// Gives extents back to the tablespace until the segment has `keep`, those whose transactions ended longest ago
    /// first. The caller holds [`UndoSegments::space`].
    fn give_back(&self, s: &Process, reuse: Reuse, keep: u32) -> Result<()> {
        debug_assert!(keep >= EXTENTS_LEAST, "{self:?}: it would keep {keep} extents");
        let mut blocks = 0;
        loop {
            // An extent leaves the segment and becomes free in one record.
            let mini = s.begin_mini();
            let mut header = self.header_mut(s)?;
            if undo::header(&header).extents.get() <= keep {
                break;
            }
            let Some(ordinal) = self.oldest(&header, reuse) else { break };
            let extent = *undo::extent(&header, ordinal as usize);
            self.tablespace.free(s, BlockRange { start: extent.address(), blocks: extent.blocks.get() })?;
            s.change(&mut header, |bytes| undo::remove_extent(bytes, ordinal as usize));
            hold(|| self.check_header(&header));
            mini.commit();
            blocks += u64::from(extent.blocks.get());
        }
        if blocks > 0 {
            self.shrunk(blocks);
        }
        Ok(())
    }
}
