//! Writes that a cell's machine may lose with its power.

use std::io;

use common::sync::Mutex;

/// The writes to a disk that are not durable yet, by the boot of the machine that has acknowledged them.
///
/// They are in the caches of that machine. Once a later boot is met they may be lost: then no request succeeds until
/// the disk is opened anew. Sessions may sync at the same time, and each must hear of it; and what is read may be old.
#[derive(Default, Debug)]
pub(crate) struct Unsynced(Mutex<State>);

#[derive(Default, Debug)]
struct State {
    /// Writes so far.
    writes: u64,
    /// Boots, each with the number of its last write.
    open: Vec<(u64, u64)>,
    is_lost: bool,
}

impl Unsynced {
    /// A write was acknowledged.
    pub(crate) fn wrote(&self, boot: u64) {
        let mut state = self.0.lock();
        state.writes += 1;
        let last = state.writes;
        match state.open.iter_mut().find(|(other, _)| *other == boot) {
            Some((_, number)) => *number = last,
            None => state.open.push((boot, last)),
        }
    }

    /// The machine has this boot.
    ///
    /// # Errors
    /// Another one had acknowledged writes that are not durable.
    pub(crate) fn met(&self, boot: u64) -> io::Result<()> {
        let mut state = self.0.lock();
        state.is_lost |= state.open.iter().any(|(other, _)| *other != boot);
        if !state.is_lost {
            return Ok(());
        }
        let text = "its machine has started anew since writes that were not durable; they may be lost";
        Err(io::Error::other(text))
    }

    /// The number of the last write that a sync covers which starts now.
    pub(crate) fn covered(&self) -> u64 {
        self.0.lock().writes
    }

    /// A sync was acknowledged.
    ///
    /// # Errors
    /// Another boot of the machine had acknowledged writes.
    pub(crate) fn synced(&self, covered: u64, boot: u64) -> io::Result<()> {
        self.met(boot)?;
        self.0.lock().open.retain(|(_, last)| *last > covered);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_by_a_later_boot_fails_when_there_were_writes() {
        let unsynced = Unsynced::default();
        unsynced.synced(unsynced.covered(), 1).unwrap();
        unsynced.synced(unsynced.covered(), 2).unwrap();
        unsynced.wrote(2);
        unsynced.synced(unsynced.covered(), 2).unwrap();
        unsynced.synced(unsynced.covered(), 3).unwrap();
        unsynced.wrote(3);
        unsynced.synced(unsynced.covered(), 4).unwrap_err();
        // A second one does not hide it.
        unsynced.synced(unsynced.covered(), 4).unwrap_err();
    }

    #[test]
    fn nothing_succeeds_once_a_later_boot_is_met() {
        let unsynced = Unsynced::default();
        unsynced.met(1).unwrap();
        unsynced.wrote(1);
        unsynced.met(1).unwrap();
        unsynced.met(2).unwrap_err();
        unsynced.met(1).unwrap_err();
    }

    /// The write was acknowledged while the sync was on its way, so the sync may not have it.
    #[test]
    fn a_write_beside_a_sync_stays_open() {
        let unsynced = Unsynced::default();
        unsynced.wrote(1);
        let covered = unsynced.covered();
        unsynced.wrote(1);
        unsynced.synced(covered, 1).unwrap();
        unsynced.synced(unsynced.covered(), 2).unwrap_err();
    }
}
