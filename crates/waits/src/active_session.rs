//! Samples of active sessions, kept in memory for a while.

use std::collections::VecDeque;

use common::Xid;
use common::sync::{Arc, Mutex};

use crate::event::Event;

/// One active session in one sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveSessionSample {
    /// Number of the sample; all its sessions have the same.
    pub sample: u64,
    /// Time of the sample, microseconds since 1970.
    pub taken_us: u64,
    pub sid: u32,
    pub serial: u32,
    /// A session of the instance's own.
    pub background: bool,
    pub user: Arc<str>,
    pub program: Arc<str>,
    pub module: Option<Arc<str>>,
    pub action: Option<Arc<str>>,
    /// The SQL id of the current statement.
    pub sql_id: Option<Arc<str>>,
    /// What it waited for, and P1 to P3; None when it worked, or wanted to.
    pub wait: Option<(Event, [u64; 3])>,
    /// Microseconds of the wait so far.
    pub waited_us: u64,
    /// The object that the wait was about; -1 for none.
    pub object: i64,
    /// The session waited for, if known; 0 for a transaction that a crash has left.
    pub blocking_session: Option<u32>,
    pub xid: Option<Xid>,
}

/// The samples of the last while: V$ACTIVE_SESSION_HISTORY.
#[derive(Debug)]
pub struct ActiveSessions {
    capacity: usize,
    ring: Mutex<Ring>,
}

#[derive(Default, Debug)]
struct Ring {
    samples: VecDeque<ActiveSessionSample>,
    taken: u64,
}

impl ActiveSessions {
    /// `capacity`: number of entries kept, each of one session in one sample. Memory is committed as it is used.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, ring: Mutex::default() }
    }

    /// Adds the active sessions of one sample, possibly none; `sample` of each is filled in. The oldest entries are
    /// dropped beyond the capacity.
    pub fn add(&self, sessions: Vec<ActiveSessionSample>) {
        let mut ring = self.ring.lock();
        ring.taken += 1;
        let sample = ring.taken;
        let over = (ring.samples.len() + sessions.len()).saturating_sub(self.capacity).min(ring.samples.len());
        ring.samples.drain(..over);
        let room = self.capacity - ring.samples.len();
        ring.samples.extend(sessions.into_iter().take(room).map(|session| ActiveSessionSample { sample, ..session }));
    }

    /// What is kept, the oldest first, from a time on (microseconds since 1970; 0 for all).
    #[must_use]
    pub fn since(&self, taken_us: u64) -> Vec<ActiveSessionSample> {
        self.ring.lock().samples.iter().filter(|sample| sample.taken_us >= taken_us).cloned().collect()
    }

    /// Samples taken since the start, including those without an active session.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.ring.lock().taken
    }

    /// Lines that are kept at the most.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(sid: u32, taken_us: u64) -> ActiveSessionSample {
        ActiveSessionSample {
            sample: 0,
            taken_us,
            sid,
            serial: 1,
            background: false,
            user: "SYSTEM".into(),
            program: "test".into(),
            module: None,
            action: None,
            sql_id: None,
            wait: Some((Event::LogFileSync, [1, 2, 3])),
            waited_us: 5,
            object: -1,
            blocking_session: None,
            xid: None,
        }
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many() {
        let ring = ActiveSessions::new(5);
        ring.add(vec![session(1, 10), session(2, 10)]);
        ring.add(Vec::new());
        ring.add(vec![session(1, 30), session(2, 30), session(3, 30)]);
        assert_eq!((ring.taken(), ring.since(0).len(), ring.since(20).len()), (3, 5, 3));
        ring.add(vec![session(9, 40)]);
        let kept: Vec<_> = ring.since(0).iter().map(|sample| (sample.sample, sample.sid)).collect();
        assert_eq!(kept, [(1, 2), (3, 1), (3, 2), (3, 3), (4, 9)]);
        ring.add((0..8).map(|sid| session(sid, 50)).collect());
        assert_eq!(ring.since(0).iter().map(|sample| sample.sid).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
