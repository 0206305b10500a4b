//! SHUTDOWN ABORT.

use common::{Error, ErrorKind, Number};

use super::Instance;

impl Instance {
    /// Ends the instance at once, as a crash would: nothing is rolled back or written, running calls get ORA-01092, and
    /// the next open recovers durable commits.
    pub fn abort(&self) {
        let ended = Error::new(ErrorKind::Poisoned, Number::Ora(1092), "the instance was ended by SHUTDOWN ABORT");
        self.health().stop(&ended);
        self.jobs.close();
        self.monitor.close();
        self.sampler.stop();
        self.checkpoints().close();
        if let Ok(redo) = self.cache().redo() {
            redo.abandon();
        }
        if let Some(writer) = self.writer.lock().take() {
            // The thread's outcome no longer matters.
            let _ = writer.join();
        }
    }
}
