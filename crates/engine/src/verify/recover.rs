//! Opens the database that is checked, after a recovery in memory if it needs one.

use std::path::Path;
use std::time::Duration;

use common::sync::Arc;
use common::{Clock, Error, Result};
use device::FileSystem;

use super::report::{Recovered, Report};
use crate::instance::{Instance, Session};

/// Poll interval of the wait for the rollback.
const LOOK: Duration = Duration::from_millis(5);

/// A session of the database in a state that changes no more and that the files hold.
///
/// # Errors
/// Errors of opening and recovering it.
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

/// Waits until the transactions under way are rolled back.
fn roll_back(instance: &Arc<Instance>) -> Result<()> {
    // The only session left rolls them back, and ends when it is done or has failed.
    while !instance.processes().is_empty() {
        std::thread::sleep(LOOK);
    }
    instance.health().check()?;
    match instance.undo().transactions().first() {
        None => Ok(()),
        Some(left) => Err(Error::bug(format!("transaction {} cannot be rolled back", left.xid))),
    }
}
