//! Closing a database.

use common::Result;

use super::Instance;
use storage::control::Shutdown;

impl Instance {
    /// Closes the database cleanly, as SHUTDOWN IMMEDIATE does: new sessions are refused, running calls are cancelled
    /// (ORA-01089) and waited for, every changed block is written and synced, then the control file is marked clean.
    /// Not to be called from within a call, which it would wait for. A second close waits for the first.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped before: the database is not marked clean then.
    pub fn shutdown(&self) -> Result<()> {
        self.jobs.close();
        for group in self.groups().mounted() {
            group.stop_rebalance();
        }
        if !self.calls.close() {
            return self.health().check_stopped();
        }
        // Also after an error: another close waits for the end of this one.
        let _closed = self.calls.until_closed();
        self.write_all()
    }

    fn write_all(&self) -> Result<()> {
        self.stop_writer();
        for group in self.groups().mounted() {
            group.close_rebalance();
        }
        self.health().check()?;
        // Work outside a call must not change blocks that are being written for the last time.
        self.health().close();
        self.cache().checkpoint(&self.background)?;
        // Each file is stamped with the SCN of this close, so that an older copy of one is known at the next open.
        let files = self.cache().open_files();
        let closed = self.control().data().closed_scn;
        let mut scn = closed.unwrap_or_default();
        if closed.is_none() || files.iter().any(|file| file.changed()) {
            scn = self.advance_scn().0;
            for file in files {
                let stamped = file
                    .stamped_header(common::Scn(scn))
                    .and_then(|(address, block)| self.cache().write_whole(&self.background, &file, address, &block));
                stamped.map_err(|error| self.health().stop(&error))?;
            }
        }
        // The last write of the log is its end; no session needs it after this.
        self.redo().shutdown()?;
        for group in self.groups().mounted() {
            group.group().settle()?;
        }
        let now = self.scn().0;
        self.control().update(|data| {
            data.scn = now;
            data.closed_scn = Some(scn);
            data.shutdown = Shutdown::Clean;
        })
    }
}
