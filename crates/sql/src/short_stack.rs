//! SHORT_STACK: the functions on a session's call stack.

use std::time::Duration;

use common::{Error, ErrorKind, Result};
use engine::instance::Session;
use stacks::Stack;

/// Longest wait for the answer of a session's thread.
const ANSWER_MOST: Duration = Duration::from_secs(2);
/// Attempts on a session whose calls end and begin meanwhile.
const LOOKS: u32 = 5;

/// The functions of a session's current call, the innermost first.
///
/// # Errors
/// HW-0009 when it has none; HW-0008 when its thread does not answer, because it is in a system call that no signal
/// interrupts; HW-0002 when the operating system refuses the request.
pub fn short_stack(session: &Session) -> Result<Stack> {
    for _ in 0..LOOKS {
        let Some(thread) = session.thread() else { break };
        let stack = stacks::take(thread, ANSWER_MOST);
        // A thread whose call of this session has ended may have been working on something else, or have ended itself.
        if session.thread() == Some(thread) {
            return stack;
        }
    }
    let (sid, serial) = (session.sid(), session.meter().serial());
    Err(Error::own(ErrorKind::Retry, 9, format!("session {sid},{serial} has no call under way, and so no stack")))
}
