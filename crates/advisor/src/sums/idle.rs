//! Idle events: processes without work wait in them.
//!
//! The list of `waits` is our own, because reports differ in theirs: Statspack's top five of a 12.1 instance is led by
//! an idle group of redo writers, and a 19c report counts `PX Deq: reap credit` of one background process as thousands
//! of active sessions.
//!
//! `SQL*Net message from client` is idle here although it may hold the application's own thinking time: DB time does
//! not contain it.

use report::model::Event;

/// True when the event measures a process without work. A name that was cut counts as every idle event it could be.
pub(crate) fn is_idle(event: &Event) -> bool {
    if event.class.as_deref().is_some_and(|class| class.eq_ignore_ascii_case("idle")) {
        return true;
    }
    let name = event.name.as_str();
    waits::is_idle(name) || (name.len() >= 10 && event.cut && waits::may_be_idle(name))
}

#[cfg(test)]
mod tests {
    use report::model::Event;

    use super::is_idle;

    fn event(name: &str, cut: bool) -> Event {
        Event { name: name.to_owned(), cut, ..Event::default() }
    }

    #[test]
    fn an_idle_group_of_redo_writers_is_idle() {
        assert!(is_idle(&event("LGWR worker group idle", false)));
        assert!(!is_idle(&event("LGWR any worker group", false)));
    }

    #[test]
    fn a_cut_name_is_known_by_its_beginning() {
        assert!(is_idle(&event("SQL*Net message from clien", true)));
        assert!(!is_idle(&event("SQL*Net message to client", false)));
        assert!(!is_idle(&event("log file switch (checkpoin", true)));
    }
}
