//! Transactions that a crash has left, rolled back in the background.

use common::Result;
use common::sync::Arc;

use super::Instance;
use super::session::Session;
use storage::txn::Dead;

impl Instance {
    /// Retries to roll back transactions that a crash has left; the system monitor does so in each of its rounds.
    ///
    /// # Errors
    /// ORA-01089 when the instance is being closed.
    pub fn retry_rollbacks(&self, session: &Arc<Session>) -> Result<()> {
        let failed = self.undo().take_failed();
        if failed.is_empty() {
            return Ok(());
        }
        let _call = session.call()?;
        let active = self.undo().active().into_iter().filter(|(xid, _)| failed.contains(xid));
        active.for_each(|(xid, last)| session.roll_back_or_note(Dead { xid, last }));
        Ok(())
    }
}

impl Session {
    /// Rolls back a transaction that a crash has left. A failure, for a block that cannot be read, is noted and does
    /// not keep the rows of other transactions locked.
    pub(crate) fn roll_back_or_note(self: &Arc<Self>, dead: Dead) {
        let done = self.call().and_then(|_call| self.rollback_dead(dead));
        if let Err(error) = done {
            self.instance().undo().rollback_failed(dead.xid, &error);
        }
    }
}
