//! The graph of waiting sessions at a moment, and its cycles.
//!
//! A wait names the resource, not its holder at the time: the holders are looked up anew each time. So a wait whose
//! reason has gone does not count, though its session has not run since. A waiter goes on when no holder is in its way
//! any more, so it waits for every holder.

use std::collections::HashSet;

use common::{ObjectNumber, Xid};

use super::TableLock;
use super::deadlock::{Deadlock, DeadlockedSession};
use super::locks::{LockTable, Resource, compatible};

/// What a session waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// The end of a transaction.
    End(Xid),
    /// That no transaction but this one holds a resource.
    Unheld(Xid, Resource),
    /// A lock of a table.
    Table(ObjectNumber, TableLock),
}

/// A session's wait.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) wanted: Wanted,
    /// As it is shown when it is part of a deadlock, but for the holder.
    pub(super) shown: DeadlockedSession,
}

impl LockTable {
    /// The sessions that are in the way of what `sid` wants, as things are; 0 for a transaction that a crash has left.
    pub(super) fn holders(&self, sid: u32, wanted: &Wanted) -> Vec<u32> {
        match wanted {
            Wanted::End(xid) => self.active.get(xid).copied().into_iter().collect(),
            Wanted::Unheld(own, resource) => {
                let holders = self.resources.get(resource).into_iter().flatten().filter(|holder| *holder != own);
                holders.filter_map(|holder| self.active.get(holder).copied()).collect()
            }
            Wanted::Table(table, mode) => {
                let others = self.tables.iter().filter(|held| held.table == *table && held.sid != sid);
                others.filter(|held| !compatible(held.mode, *mode)).map(|held| held.sid).collect()
            }
        }
    }

    /// The circle that the wait of a session would close, if it does: that session first, each with the one that it
    /// waits for.
    pub(super) fn circle(&self, wait: &Wait) -> Option<Deadlock> {
        let first = wait.shown.sid;
        let mut seen = HashSet::new();
        // Waits, each for a holder of what the one before wants, with the holders that have not been looked at.
        let mut way = vec![(wait, self.holders(first, &wait.wanted).into_iter())];
        while let Some((_, holders)) = way.last_mut() {
            // What a session holds for which another one works comes free when that one goes on.
            match holders.next().map(|holder| self.actor(holder)) {
                None => {
                    way.pop();
                }
                Some(0) => {}
                Some(holder) if holder == first => {
                    let waits = way.iter().map(|(wait, _)| *wait);
                    let next = waits.clone().skip(1).map(|wait| wait.shown.sid).chain([first]);
                    let sessions: Vec<_> = waits.zip(next).map(|(wait, holder)| wait.held_by(holder)).collect();
                    debug_assert!(
                        sessions.first().is_some_and(|session| session.sid == first)
                            && sessions.last().is_some_and(|session| session.holder == first)
                            && sessions.windows(2).all(|pair| pair[0].holder == pair[1].sid),
                        "each waits for the next, and the last for the first: {sessions:?}"
                    );
                    return Some(Deadlock { sessions });
                }
                Some(holder) => {
                    if seen.insert(holder)
                        && let Some(wait) = self.waits.get(&holder)
                    {
                        way.push((wait, self.holders(holder, &wait.wanted).into_iter()));
                    }
                }
            }
        }
        None
    }
}

impl Wait {
    fn held_by(&self, holder: u32) -> DeadlockedSession {
        DeadlockedSession { holder, ..self.shown.clone() }
    }
}
