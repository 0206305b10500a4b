//! Transactions that have ended, told by the SCN of their changes: what a cell is told, which does not know
//! transactions.
//!
//! ```text
//!   SCN   ──────── before ──────────── at ─────────>
//!          changes here are of transactions that      a snapshot at `at` or later sees all of them
//!          had ended when the SCN was `at`
//! ```

use std::collections::VecDeque;

use common::Scn;
use common::sync::Mutex;

use super::Worker;

/// Statements that have begun since an observation can use it; the oldest go first.
const KEPT: usize = 64;

/// What was seen at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Observation {
    /// The SCN at that moment.
    at: Scn,
    /// Whatever transaction had changed something before this SCN had ended.
    before: Scn,
}

/// The last observations, by SCN.
#[derive(Default, Debug)]
pub(super) struct Ended(Mutex<VecDeque<Observation>>);

impl Ended {
    fn add(&self, new: Observation) {
        let mut kept = self.0.lock();
        match kept.back_mut() {
            Some(last) if last.at >= new.at => return,
            // The earlier one says no less, and is of use to more.
            Some(last) if last.before >= new.before => return,
            _ => {}
        }
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(new);
    }

    /// The latest `before` for a snapshot.
    fn before(&self, snapshot: Scn) -> Option<Scn> {
        self.0.lock().iter().rev().find(|one| one.at <= snapshot).map(|one| one.before)
    }
}

impl Worker {
    /// Whatever transaction has changed a block before the returned SCN had ended at the snapshot, and its changes are
    /// seen. SCN 0: nothing is known.
    pub(crate) fn ended_before(&self, snapshot: Scn) -> Scn {
        self.observe_ended();
        self.transactions().ended.before(snapshot).unwrap_or(Scn(0))
    }

    fn observe_ended(&self) {
        let at = self.store().scn();
        // Read in this order: a transaction that is not listed any more has taken its SCN before it left the list, and
        // one that is not listed yet makes its changes at `at` or later.
        let Some(before) = self.undo().none_begun_before(self, at) else { return };
        // A commit in between may be behind the snapshots that `at` is for.
        if self.store().scn() == at && self.store().visible_scn() == at {
            self.transactions().ended.add(Observation { at, before });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_uses_the_last_observation_before_it() {
        let ended = Ended::default();
        assert_eq!(ended.before(Scn(9)), None);
        for (at, before) in [(10, 5), (20, 20), (30, 20), (15, 15), (40, 35)] {
            ended.add(Observation { at: Scn(at), before: Scn(before) });
        }
        for (snapshot, before) in
            [(9, None), (10, Some(5)), (19, Some(5)), (20, Some(20)), (39, Some(20)), (40, Some(35))]
        {
            assert_eq!(ended.before(Scn(snapshot)), before.map(Scn), "{snapshot}");
        }
        for at in 100..300 {
            ended.add(Observation { at: Scn(at), before: Scn(at) });
        }
        assert_eq!(ended.0.lock().len(), KEPT);
        assert_eq!(ended.before(Scn(150)), None);
    }
}
