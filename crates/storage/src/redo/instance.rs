//! The instance, as the log sees it: the trait through which the log reaches the control file, the SCN and checkpoints.

use common::Result;

use super::group::{LogGroupRecord, Lsn};

/// The services of the instance for the log. The log writer and sessions call its methods; none may wait for redo or
/// for a block latch.
pub trait LogInstance: Send + Sync {
    /// Makes the groups' records durable in the control file.
    ///
    /// # Errors
    /// When the control file cannot be written; the log then stops the instance.
    fn store(&self, groups: &[LogGroupRecord]) -> Result<()>;

    /// The SCN now, for V$LOG.
    fn scn(&self) -> u64;

    /// Asks for a checkpoint that makes everything before `before` unnecessary. `urgent`: sessions wait for it.
    fn checkpoint_wanted(&self, before: Lsn, urgent: bool);

    /// Single-threaded (simulation): a caller that waits for a write, a switch or a checkpoint runs the work itself.
    fn inline(&self) -> bool {
        false
    }

    /// Without threads: one round of the database writer, by a session that waits for a checkpoint.
    ///
    /// # Errors
    /// HW-0010 when a write fails.
    fn writer_round(&self) -> Result<()> {
        Ok(())
    }
}
