//! What is kept of a deadlock, for the trace file of the session whose statement failed.
//!
//! ```text
//!                          ---------Blocker(s)--------  ---------Waiter(s)---------
//! Resource Name            process session holds waits  process session holds waits
//! TX-00010007-00000003          18      18     X             19      19           X
//! TX-00020003-00000005          19      19     X             18      18           X
//! ```
//!
//! Process and session are shown under the session's number. What a session holds is not known to be a certain row: it
//! is a transaction, whole, or a table lock.

use std::fmt::{self, Write};

use common::sync::Arc;
use common::{ObjectNumber, Rowid, Xid};

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// The end of a transaction.
    Transaction(Xid),
    /// A lock of a table.
    Table(ObjectNumber),
}

impl fmt::Display for Waited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transaction(xid) => write!(f, "TX-{:04x}{:04x}-{:08x}", xid.segment, xid.slot, xid.sequence),
            Self::Table(object) => write!(f, "TM-{:08x}-{:08x}", object.0, 0),
        }
    }
}

/// A session of a deadlock, and what it waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadlockedSession {
    pub sid: u32,
    pub waited: Waited,
    /// Mode in which it is wanted: 4 share, 6 exclusive.
    pub mode: u64,
    /// The session that holds it.
    pub holder: u32,
    /// The row that it wants, if it is for a row.
    pub row: Option<Rowid>,
    /// The object of that row.
    pub object: Option<ObjectNumber>,
    /// The statement at work, if it is known.
    pub statement: Option<Arc<str>>,
}

/// Sessions that wait for each other in a circle; the first is the one that was told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    pub sessions: Vec<DeadlockedSession>,
}

fn letter(mode: u64) -> &'static str {
    match mode {
        2 => "SS",
        3 => "SX",
        4 => "S",
        5 => "SSX",
        _ => "X",
    }
}

impl Deadlock {
    /// The text for the trace file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Formatting into memory does not fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        out.push_str("*** DEADLOCK DETECTED (ORA-00060)\n");
        out.push_str("Two or more sessions wait for each other, each for what another one holds. The statement of the first has failed and has been\n");
        out.push_str("taken back; its transaction stands. How to avoid it is a matter of the order in which the application locks.\n\n");
        out.push_str("Deadlock graph:\n");
        out.push_str("                         ---------Blocker(s)--------  ---------Waiter(s)---------\n");
        out.push_str("Resource Name            process session holds waits  process session holds waits\n");
        for session in &self.sessions {
            let (holder, waiter, mode) = (session.holder, session.sid, letter(session.mode));
            let holds = if matches!(session.waited, Waited::Transaction(_)) { "X" } else { "" };
            let name = session.waited.to_string();
            writeln!(
                out,
                "{name:<24} {holder:>7} {holder:>7} {holds:>5} {:>5}  {waiter:>7} {waiter:>7} {:>5} {mode:>5}",
                "", ""
            )?;
        }
        out.push_str("\nRows waited on:\n");
        for session in &self.sessions {
            match (session.row, session.object) {
                (Some(rowid), Some(object)) => {
                    writeln!(out, "  Session {}: obj - rowid = {:08X} - {rowid}", session.sid, object.0)?;
                    writeln!(
                        out,
                        "  (dictionary objn - {}, file - {}, block - {}, slot - {})",
                        object.0, rowid.block.file.0, rowid.block.block, rowid.slot
                    )?;
                }
                _ => writeln!(out, "  Session {}: no row", session.sid)?,
            }
        }
        for (number, session) in self.sessions.iter().enumerate() {
            let title = if number == 0 { "Current SQL statement for this session" } else { "SQL statement waiting" };
            let text = session.statement.as_deref().unwrap_or("(not known)");
            writeln!(out, "\n----- {title} (session {}) -----\n{text}", session.sid)?;
        }
        Ok(())
    }
}
