//! Wait events and wait classes.

use std::fmt;

/// The group an event belongs to; the number is the `wait_class#` of the views.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum WaitClass {
    Other = 0,
    Application = 1,
    Configuration = 2,
    Administrative = 3,
    Concurrency = 4,
    Commit = 5,
    Idle = 6,
    Network = 7,
    UserIo = 8,
    SystemIo = 9,
    Scheduler = 10,
}

impl WaitClass {
    /// Each of them, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Other,
        Self::Application,
        Self::Configuration,
        Self::Administrative,
        Self::Concurrency,
        Self::Commit,
        Self::Idle,
        Self::Network,
        Self::UserIo,
        Self::SystemIo,
        Self::Scheduler,
    ];

    /// As the views and reports show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Other => "Other",
            Self::Application => "Application",
            Self::Configuration => "Configuration",
            Self::Administrative => "Administrative",
            Self::Concurrency => "Concurrency",
            Self::Commit => "Commit",
            Self::Idle => "Idle",
            Self::Network => "Network",
            Self::UserIo => "User I/O",
            Self::SystemIo => "System I/O",
            Self::Scheduler => "Scheduler",
        }
    }

    /// The `wait_class#`.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for WaitClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct EventData {
    name: &'static str,
    class: WaitClass,
    parameters: [&'static str; 3],
    about: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/event.rs"));

impl Event {
    /// As the views, reports and traces show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        EVENTS[self as usize].name
    }

    #[must_use]
    pub fn class(self) -> WaitClass {
        EVENTS[self as usize].class
    }

    /// Names of P1, P2 and P3; empty where there is none.
    #[must_use]
    pub fn parameters(self) -> [&'static str; 3] {
        EVENTS[self as usize].parameters
    }

    /// The waiter and the reason, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        EVENTS[self as usize].about
    }

    /// The position in events.toml.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The event of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// P1 of the waits for enqueues: the two letters of the lock's type, then its mode.
#[must_use]
pub fn enqueue_name_mode(name: [u8; 2], mode: u16) -> u64 {
    u64::from(name[0]) << 24 | u64::from(name[1]) << 16 | u64::from(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_and_names_lead_back() {
        for (position, event) in Event::ALL.into_iter().enumerate() {
            assert_eq!(event.number() as usize, position);
            assert_eq!(Event::from_name(event.name()), Some(event));
            assert!(event.about().ends_with('.'), "{event}");
        }
        for (position, class) in WaitClass::ALL.into_iter().enumerate() {
            assert_eq!(class.number() as usize, position);
        }
    }

    #[test]
    fn parameters_are_named_from_the_first_on() {
        for event in Event::ALL {
            let named: Vec<bool> = event.parameters().iter().map(|p| !p.is_empty()).collect();
            assert!(named.is_sorted_by(|a, b| a >= b), "{event}");
        }
    }

    #[test]
    fn well_known_events_have_their_class_and_parameters() {
        assert_eq!(Event::DbFileScatteredRead.class(), WaitClass::UserIo);
        assert_eq!(Event::BufferBusyWaits.parameters(), ["file#", "block#", "class#"]);
        assert_eq!(Event::EnqHwContention.class(), WaitClass::Configuration);
        assert_eq!(Event::SqlNetMessageFromClient.class(), WaitClass::Idle);
        assert_eq!(Event::DiskFileOperationsIo.name(), "Disk file operations I/O");
        assert_eq!(enqueue_name_mode(*b"TX", 6), 0x5458_0006);
    }
}
