//! ORADEBUG: the chosen session, and its call stack.

use common::sync::Arc;
use common::{Error, Result};
use engine::dictionary::SystemPrivilege;
use engine::instance::{Session, SessionFigures, SessionKind};
use shell::DebugTarget;

/// The ids of a session, and its description.
///
/// # Errors
/// ORA-01031 without ALTER SYSTEM; ORA-00072 when there is no such session.
pub(super) fn find(own: &Arc<Session>, target: DebugTarget) -> Result<((u32, u32), String)> {
    own.catalog().check_system_privilege(&own.user(), SystemPrivilege::AlterSystem)?;
    let id = (own.sid(), own.meter().serial());
    let sessions = own.instance().sessions();
    let found = match target {
        DebugTarget::Own => return Ok((id, "Statement processed.".to_owned())),
        DebugTarget::Process(number) => sessions.iter().find(|session| session.process.0 == number),
        DebugTarget::Thread(number) => of_thread(&sessions, number)?,
    };
    let (DebugTarget::Process(number) | DebugTarget::Thread(number)) = target else {
        return Err(Error::bug("no number"));
    };
    let found = found.ok_or_else(|| Error::user(72, format!("process \"{number}\" is not active")))?;
    let thread = found.thread.map_or_else(String::new, |thread| format!(", thread: {}", thread.0));
    let (pid, process, program) = (found.process.0, std::process::id(), &found.program);
    let said = format!("Highwater pid: {pid}, Unix process pid: {process}{thread}, image: {program}");
    Ok(((found.sid, found.serial), said))
}

/// By the number of its thread; by the process's when that has a single session.
fn of_thread(sessions: &[SessionFigures], number: u32) -> Result<Option<&SessionFigures>> {
    let is_on = |session: &&SessionFigures| session.thread.is_some_and(|thread| thread.0.cast_unsigned() == number);
    if let Some(found) = sessions.iter().find(is_on) {
        return Ok(Some(found));
    }
    if number != std::process::id() {
        return Ok(None);
    }
    let mut users = sessions.iter().filter(|session| session.kind == SessionKind::User);
    match (users.next(), users.next()) {
        (found, None) => Ok(found),
        _ => Err(Error::user(
            72,
            format!(
                "process \"{number}\" is that of all sessions; SETORAPID, or SETOSPID with V$PROCESS.STID, names one"
            ),
        )),
    }
}

/// The call stack of a session, as one line.
///
/// # Errors
/// ORA-00072 when it has ended; those of taking a stack.
pub(super) fn short_stack(own: &Arc<Session>, (sid, serial): (u32, u32)) -> Result<String> {
    // A session that asks for its own is in this call.
    let _call = own.call()?;
    let Some(session) = own.instance().session(sid, serial) else {
        let is_background = |session: &SessionFigures| (session.sid, session.serial) == (sid, serial);
        if own.instance().sessions().iter().any(is_background) {
            return Err(Error::unsupported("ORADEBUG SHORT_STACK of a background process"));
        }
        return Err(Error::user(72, format!("the process of session {sid},{serial} is not active")));
    };
    sql::short_stack(&session).map(|stack| stack.line())
}
