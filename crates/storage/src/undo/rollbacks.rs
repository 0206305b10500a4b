//! Rollbacks that wait, are under way, or were long enough to be kept, with their progress.

use std::collections::BTreeMap;

use common::sync::Mutex;
use common::{Error, Xid};

use super::UndoSegments;
use super::figures::RollbackFigures;
use crate::process::Process;

/// Least time of a session's rollback that is kept: V$SESSION_LONGOPS calls that long.
const LONG_US: u64 = 6_000_000;
/// Most ended rollbacks of sessions that are kept.
const ENDED_MAX: usize = 500;

#[derive(Default)]
pub(super) struct Rollbacks {
    all: Mutex<BTreeMap<Xid, RollbackFigures>>,
    failed: Mutex<BTreeMap<Xid, Error>>,
}

impl UndoSegments {
    /// Notes a transaction that a crash has left.
    pub(super) fn rollback_waits(&self, xid: Xid, blocks: u32) {
        let waits = RollbackFigures { xid, sid: 0, serial: 0, blocks_done: 0, blocks, begun_us: None, ended_us: None };
        self.rollbacks.all.lock().insert(xid, waits);
    }

    /// Notes the begin of the rollback of a whole transaction with `blocks` undo blocks.
    pub fn rollback_begins(&self, s: &Process, xid: Xid, blocks: u32) {
        let now = s.meter().clock().monotonic_us();
        let mut all = self.rollbacks.all.lock();
        let (sid, serial) = (s.sid(), s.meter().serial());
        let figures = all.entry(xid).or_insert(RollbackFigures {
            xid,
            sid,
            serial,
            blocks_done: 0,
            blocks,
            begun_us: None,
            ended_us: None,
        });
        figures.begun_us = Some(now);
    }

    /// Notes that another undo block is done.
    pub(crate) fn rollback_goes_on(&self, xid: Xid) {
        if let Some(figures) = self.rollbacks.all.lock().get_mut(&xid) {
            debug_assert!(figures.begun_us.is_some() && figures.ended_us.is_none(), "{figures:?} is not under way");
            figures.blocks_done = (figures.blocks_done + 1).min(figures.blocks);
        }
    }

    /// Notes the end of a rollback. Blocks that only held parts of long records have not been counted before.
    pub fn rollback_ended(&self, s: &Process, xid: Xid) {
        let now = s.meter().clock().monotonic_us();
        let mut all = self.rollbacks.all.lock();
        let Some(figures) = all.get_mut(&xid) else { return };
        debug_assert!(figures.begun_us.is_some(), "{figures:?} ends before it has begun");
        (figures.ended_us, figures.blocks_done) = (Some(now), figures.blocks);
        if figures.sid == 0 {
            return;
        }
        if now.saturating_sub(figures.begun_us.unwrap_or(now)) < LONG_US {
            all.remove(&xid);
            return;
        }
        let ended =
            all.values().filter(|other| other.sid > 0).filter_map(|other| other.ended_us.map(|at| (at, other.xid)));
        let ended: Vec<_> = ended.collect();
        if ended.len() > ENDED_MAX
            && let Some((_, oldest)) = ended.iter().min()
        {
            all.remove(oldest);
        }
    }

    /// Notes that the rollback of a transaction that a crash has left has failed: it waits again, to be tried once
    /// more.
    pub fn rollback_failed(&self, xid: Xid, error: &Error) {
        if let Some(figures) = self.rollbacks.all.lock().get_mut(&xid) {
            figures.begun_us = None;
        }
        self.rollbacks.failed.lock().insert(xid, error.clone());
    }

    /// The error of the last attempt to roll back a transaction that a crash has left, if that failed.
    #[must_use]
    pub fn rollback_error(&self, xid: Xid) -> Option<Error> {
        self.rollbacks.failed.lock().get(&xid).cloned()
    }

    /// Takes the transactions whose rollback has failed: they count as not failed from now on.
    pub fn take_failed(&self) -> Vec<Xid> {
        std::mem::take(&mut *self.rollbacks.failed.lock()).into_keys().collect()
    }

    /// Rollbacks since the instance was started: for V$FAST_START_TRANSACTIONS those without a session, for
    /// V$SESSION_LONGOPS the others.
    #[must_use]
    pub fn rollbacks(&self) -> Vec<RollbackFigures> {
        self.rollbacks.all.lock().values().copied().collect()
    }
}
