//! Properties of wait events by name, also of those that only other releases have: class, and whether they are idle.

use crate::{Event, WaitClass};

include!(concat!(env!("OUT_DIR"), "/known.rs"));

/// The wait class of an event, by its name in any release; "Other" for an unknown name.
#[must_use]
pub fn event_class(name: &str) -> &'static str {
    if is_idle(name) {
        return WaitClass::Idle.name();
    }
    if let Some(event) = Event::from_name(name) {
        return event.class().name();
    }
    CLASSES
        .iter()
        .find(|(beginning, _)| name.starts_with(beginning))
        .map_or(WaitClass::Other.name(), |(_, class)| class)
}

/// True: processes without work wait in this event.
#[must_use]
pub fn is_idle(name: &str) -> bool {
    IDLE.binary_search(&name).is_ok()
        || IDLE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || Event::from_name(name).is_some_and(|event| event.class() == WaitClass::Idle)
}

/// True: a cut name may be that of an idle event; all its completions count.
#[must_use]
pub fn may_be_idle(beginning: &str) -> bool {
    let own = || Event::ALL.iter().filter(|event| event.class() == WaitClass::Idle).map(|event| event.name());
    IDLE.iter().copied().chain(own()).any(|name| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_idle_events_can_be_searched() {
        assert!(IDLE.is_sorted() && IDLE.len() > 100);
    }

    #[test]
    fn the_longest_beginning_says_the_class() {
        for (name, class) in [
            ("db file parallel write", "System I/O"),
            ("db file something new", "User I/O"),
            ("latch: cache buffers chains", "Concurrency"),
            ("latch: cache buffers lru chain", "Other"),
            ("latch: redo allocation", "Other"),
            ("latch: redo writing", "Configuration"),
            ("enq: TX - contention", "Other"),
            ("enq: TX - row lock contention", "Application"),
            ("enq: TX - index contention", "Concurrency"),
            ("gc cr block busy", "Cluster"),
            ("SQL*Net break/reset to client", "Application"),
            ("SQL*Net message to client", "Network"),
            ("SQL*Net message from client", "Idle"),
            ("PX Idle Wait", "Idle"),
            ("Streams AQ: qmn of a later release", "Idle"),
            ("PL/SQL lock timer", "Idle"),
            ("log file sync", "Commit"),
            ("log file switch (checkpoint incomplete)", "Configuration"),
            ("gc buffer busy acquire", "Cluster"),
            ("what nobody knows", "Other"),
        ] {
            assert_eq!(event_class(name), class, "{name}");
        }
    }

    #[test]
    fn a_cut_name_is_idle_where_it_may_be() {
        assert!(may_be_idle("SQL*Net message from clien") && may_be_idle("LGWR worker group"));
        assert!(!may_be_idle("SQL*Net message to client") && !may_be_idle("log file switch (checkpoin"));
    }
}
