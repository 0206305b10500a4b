//! The functions that a session is in.

use std::time::Duration;

use common::{Error, ErrorKind, Result};
use engine::instance::Session;
use stacks::Stack;

/// How long a session's thread is waited for.
const ANSWER_MOST: Duration = Duration::from_secs(2);
/// Looks at a session whose calls end and begin meanwhile.
const LOOKS: u32 = 5;

/// The functions of the call that a session has under way, the innermost first.
///
/// # Errors
/// HW-0009 when it has none; HW-0008 when its thread does not answer, because it is in a system call that no signal interrupts; HW-0002 when the operating
/// system refuses what is needed.
pub fn short_stack(session: &Session) -> Result<Stack> {
    for _ in 0..LOOKS {
        let Some(thread) = session.thread() else { break };
        let stack = stacks::take(thread, ANSWER_MOST);
        // A thread whose call of this session has ended may have been at something else already, or have ended itself.
        if session.thread() == Some(thread) {
            return stack;
        }
    }
    let (sid, serial) = (session.sid(), session.meter().serial());
    Err(Error::own(ErrorKind::Retry, 9, format!("session {sid},{serial} has no call under way, and so no stack")))
}
