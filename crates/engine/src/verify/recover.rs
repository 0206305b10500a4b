//! Opens the database that is checked; what a crash has left is put in order first, in memory.

use std::path::Path;
use std::time::Duration;

use common::sync::Arc;
use common::{Clock, Error, Result};
use device::FileSystem;

use super::report::{Recovered, Report};
use crate::instance::{Instance, Session};

/// Between two looks at whether everything is rolled back.
const LOOK: Duration = Duration::from_millis(5);

/// A session of the database in a state in which nothing is changed any more, and which the files hold.
///
/// # Errors
/// Those of opening and recovering it.
pub(super) fn open(
    files: &Arc<dyn FileSystem>,
    directory: &Path,
    clock: &Arc<dyn Clock>,
    report: &mut Report,
) -> Result<Arc<Session>> {
    let instance = Instance::open(files.clone(), directory, clock.clone(), None)?;
    let (forward, dead) = (instance.rolled_forward().copied(), instance.dead_transactions());
    if forward.is_none() && dead == 0 {
        return instance.connect("SYS");
    }
    roll_back(&instance)?;
    instance.shutdown()?;
    drop(instance);
    let forward = forward.unwrap_or_default();
    report.recovered =
        Some(Recovered { records: forward.records, bytes: forward.bytes, torn: forward.torn, transactions: dead });
    Instance::open(files.clone(), directory, clock.clone(), None)?.connect("SYS")
}

/// Waits until the transactions that were under way are rolled back.
fn roll_back(instance: &Arc<Instance>) -> Result<()> {
    // The one session that there is by now rolls them back, and is gone when it is done or has failed.
    while !instance.processes().is_empty() {
        std::thread::sleep(LOOK);
    }
    instance.health().check()?;
    match instance.undo().transactions().first() {
        None => Ok(()),
        Some(left) => Err(Error::bug(format!("transaction {} cannot be rolled back", left.xid))),
    }
}
