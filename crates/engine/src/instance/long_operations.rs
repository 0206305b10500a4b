//! Long operations that sessions report of themselves: DBMS_APPLICATION_INFO.SET_SESSION_LONGOPS.

use std::collections::VecDeque;

use common::sync::Mutex;

use super::Instance;
use super::session::Session;

/// Operations kept; of more, the one that was reported first goes.
const OPERATIONS_MAX: usize = 500;

/// Progress of a long operation, as the session reports it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Progress {
    pub name: Option<String>,
    /// The object number of the target; 0 for none.
    pub target: u64,
    pub context: u64,
    pub so_far: f64,
    pub total: f64,
    pub target_description: Option<String>,
    pub units: Option<String>,
}

/// A long operation of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct LongOperation {
    /// The key by which the session names it.
    pub index: u64,
    pub sid: u32,
    pub serial: u32,
    pub progress: Progress,
    /// Wall time, microseconds since 1970.
    pub started_us: u64,
    pub updated_us: u64,
}

/// The long operations of an instance.
#[derive(Default, Debug)]
pub(super) struct LongOperations(Mutex<OperationList>);

#[derive(Default, Debug)]
struct OperationList {
    operations: VecDeque<LongOperation>,
    last: u64,
}

impl Session {
    /// Reports progress of a long operation; `index` is the result of an earlier call for it, None for a new one.
    /// Returns the operation's index. An operation that has been forgotten begins anew.
    pub fn note_long_operation(&self, index: Option<u64>, progress: Progress) -> u64 {
        let now_us = self.meter().clock().wall_us();
        let (sid, serial) = self.identity();
        let mut state = self.instance().long_operations.0.lock();
        let own = |operation: &&mut LongOperation| {
            Some(operation.index) == index && (operation.sid, operation.serial) == (sid, serial)
        };
        if let Some(found) = state.operations.iter_mut().find(own) {
            (found.progress, found.updated_us) = (progress, now_us);
            return found.index;
        }
        state.last += 1;
        let index = state.last;
        if state.operations.len() == OPERATIONS_MAX {
            state.operations.pop_front();
        }
        state.operations.push_back(LongOperation {
            index,
            sid,
            serial,
            progress,
            started_us: now_us,
            updated_us: now_us,
        });
        index
    }
}

impl Instance {
    /// Reported operations, the oldest first, also those that have ended.
    #[must_use]
    pub fn long_operations(&self) -> Vec<LongOperation> {
        self.long_operations.0.lock().operations.iter().cloned().collect()
    }
}
