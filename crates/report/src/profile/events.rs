//! What is known of wait events by their names: class, whether they are idle, what their parameters mean.

use common::BlockClass;
use waits::Event;

use crate::trace::{Wait, WaitParameter};

/// Events in which nobody waits for the database to do something, beside those of the class "Idle" that Highwater itself has.
const IDLE: [&str; 24] = [
    "HS message to agent",
    "JOX Jit Process Sleep",
    "LogMiner: client waiting for transaction",
    "LogMiner: slave waiting for activate message",
    "LogMiner: wakeup event for builder",
    "LogMiner: wakeup event for preparer",
    "Null event",
    "PL/SQL lock timer",
    "SQL*Net message from client",
    "SQL*Net vector message from client",
    "Space Manager: slave idle wait",
    "Streams AQ: waiting for messages in the queue",
    "class slave wait",
    "jobq slave wait",
    "null event",
    "parallel recovery slave next change",
    "pipe get",
    "pmon timer",
    "queue messages",
    "rdbms ipc message",
    "single-task message",
    "smon timer",
    "virtual circuit wait",
    "wait for unread message on broadcast channel",
];

/// Events of parallel slaves that wait for work.
const IDLE_PARALLEL: [&str; 6] = [
    "PX Deq: Execute Reply",
    "PX Deq: Execution Msg",
    "PX Deq: Join ACK",
    "PX Deq: Parse Reply",
    "PX Deq: Table Q Normal",
    "PX Idle Wait",
];

/// Beginnings of names, and the class of all events that begin so; the first that fits counts.
const CLASSES: [(&str, &str); 75] = [
    ("ARCH wait", "Network"),
    ("ASM ", "System I/O"),
    ("BFILE", "User I/O"),
    ("Backup: ", "Administrative"),
    ("Data file init write", "User I/O"),
    ("Datapump dump file I/O", "User I/O"),
    ("Disk file ", "User I/O"),
    ("LGWR-LNS", "Network"),
    ("LNS ", "Network"),
    ("RMAN backup", "System I/O"),
    ("SQL*Net break/reset", "Application"),
    ("SQL*Net ", "Network"),
    ("Streams AQ: enqueue blocked", "Queueing"),
    ("TCP Socket", "Network"),
    ("UTL_FILE I/O", "User I/O"),
    ("Wait for Table Lock", "Application"),
    ("alter system set dispatcher", "Administrative"),
    ("buffer busy", "Concurrency"),
    ("buffer deadlock", "Concurrency"),
    ("buffer pool resize", "Administrative"),
    ("cell list of blocks", "User I/O"),
    ("cell multiblock", "User I/O"),
    ("cell single block", "User I/O"),
    ("cell smart file creation", "User I/O"),
    ("cell smart incremental backup", "System I/O"),
    ("cell smart index scan", "User I/O"),
    ("cell smart table scan", "User I/O"),
    ("cell statistics gather", "User I/O"),
    ("checkpoint completed", "Configuration"),
    ("control file ", "System I/O"),
    ("cursor:", "Concurrency"),
    ("db file async I/O submit", "System I/O"),
    ("db file parallel write", "System I/O"),
    ("db file ", "User I/O"),
    ("dbms_file_transfer", "User I/O"),
    ("direct path ", "User I/O"),
    ("enq: HW", "Configuration"),
    ("enq: KO", "Application"),
    ("enq: RC", "Application"),
    ("enq: RO", "Application"),
    ("enq: SQ", "Configuration"),
    ("enq: SS", "Configuration"),
    ("enq: ST", "Configuration"),
    ("enq: TM", "Application"),
    ("enq: TX - allocate ITL", "Configuration"),
    ("enq: TX - contention", "Other"),
    ("enq: TX - index", "Concurrency"),
    ("enq: TX - row", "Application"),
    ("enq: UL", "Application"),
    ("enq: WG", "Concurrency"),
    ("free buffer waits", "Configuration"),
    ("gc ", "Cluster"),
    ("global cache ", "Cluster"),
    ("io done", "System I/O"),
    ("latch: In memory undo", "Concurrency"),
    ("latch: Undo Hint", "Concurrency"),
    ("latch: cache buffers", "Concurrency"),
    ("latch: library cache", "Concurrency"),
    ("latch: redo", "Configuration"),
    ("latch: row cache", "Concurrency"),
    ("latch: shared pool", "Concurrency"),
    ("library cache", "Concurrency"),
    ("local write wait", "User I/O"),
    ("log buffer space", "Configuration"),
    ("log file switch", "Configuration"),
    ("log file sync", "Commit"),
    ("log file ", "System I/O"),
    ("os thread startup", "Concurrency"),
    ("read by other session", "User I/O"),
    ("recovery read", "System I/O"),
    ("resmgr:", "Scheduler"),
    ("row cache", "Concurrency"),
    ("securefile ", "User I/O"),
    ("undo segment extension", "Configuration"),
    ("write complete waits", "Configuration"),
];

/// The wait class of an event, by its name in any release; "Other" when it is not known.
#[must_use]
pub fn event_class(name: &str) -> &'static str {
    if is_idle(name) {
        return "Idle";
    }
    if let Some(event) = Event::from_name(name) {
        return event.class().name();
    }
    CLASSES.iter().find(|(beginning, _)| name.starts_with(beginning)).map_or("Other", |(_, class)| class)
}

/// Whether nobody waits for the database in this event.
#[must_use]
pub fn is_idle(name: &str) -> bool {
    IDLE.binary_search(&name).is_ok()
        || IDLE_PARALLEL.contains(&name)
        || Event::from_name(name).is_some_and(|event| event.class() == waits::WaitClass::Idle)
}

/// The name of a block class: 1 "data block" to 16; from 17 on header and blocks of undo segments in turn. `None` for 0.
#[must_use]
pub fn block_class(number: u32) -> Option<&'static str> {
    if number > 16 {
        return Some(if number % 2 == 1 { BlockClass::UndoHeader.name() } else { BlockClass::UndoBlock.name() });
    }
    BlockClass::ALL.iter().find(|class| **class as u32 == number).map(|class| class.name())
}

/// Lock and mode of a wait for a lock: two letters in the upper half of the first parameter, the mode in the lower.
#[must_use]
pub fn enqueue(parameter: i128) -> Option<([char; 2], u32)> {
    let value = u32::try_from(parameter).ok()?;
    let letters = [(value >> 24) as u8, (value >> 16) as u8];
    letters.iter().all(u8::is_ascii_uppercase).then(|| (letters.map(char::from), value & 0xffff))
}

/// Which parameters of an event name a file, a block, its class, and a number of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Shape {
    file: Option<u8>,
    block: Option<u8>,
    class: Option<u8>,
    blocks: Option<u8>,
    /// The first parameter is lock and mode.
    pub(super) lock: bool,
}

impl Shape {
    /// Reads it off the names of the parameters; to 9i, where these are p1 to p3, off the event's name.
    pub(super) fn of(wait: &Wait<'_>) -> Self {
        let mut shape = Self::default();
        for (at, parameter) in (0..).zip(wait.parameters.iter().flatten()) {
            match parameter.name {
                "file#" | "file number" | "fileno" => shape.file = Some(at),
                "block#" | "first dba" | "block" => shape.block = Some(at),
                "class#" => shape.class = Some(at),
                "blocks" | "block cnt" => shape.blocks = Some(at),
                "name|mode" => shape.lock = true,
                _ => {}
            }
        }
        if matches!(wait.parameters[0], Some(WaitParameter { name: "p1", .. })) {
            match wait.event {
                "db file sequential read"
                | "db file scattered read"
                | "direct path read"
                | "direct path write"
                | "direct path read (lob)"
                | "direct path write (lob)" => {
                    (shape.file, shape.block, shape.blocks) = (Some(0), Some(1), Some(2));
                }
                // The third is a reason, not a class.
                "buffer busy waits" | "free buffer waits" | "write complete waits" => {
                    (shape.file, shape.block) = (Some(0), Some(1));
                }
                "enqueue" => shape.lock = true,
                _ => {}
            }
        }
        // "files, blocks, requests" of a parallel read or write are numbers of files and blocks.
        if wait.parameters[0].is_some_and(|parameter| parameter.name == "files") {
            shape.file = None;
        }
        // A lock's "block" is no block of a buffer.
        if shape.file.is_none() {
            shape.block = None;
        }
        shape
    }

    fn value<T: TryFrom<i128>>(at: Option<u8>, wait: &Wait<'_>) -> Option<T> {
        wait.parameters[usize::from(at?)].and_then(|parameter| T::try_from(parameter.value).ok())
    }

    pub(super) fn file(self, wait: &Wait<'_>) -> Option<u32> {
        Self::value(self.file, wait)
    }

    pub(super) fn block(self, wait: &Wait<'_>) -> Option<u64> {
        Self::value(self.block, wait)
    }

    pub(super) fn class(self, wait: &Wait<'_>) -> Option<u32> {
        Self::value(self.class, wait)
    }

    pub(super) fn blocks(self, wait: &Wait<'_>) -> Option<u64> {
        Self::value(self.blocks, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_events_of_all_releases() {
        assert!(IDLE.is_sorted());
        for (name, class) in [
            ("SQL*Net message from client", "Idle"),
            ("SQL*Net message to client", "Network"),
            ("SQL*Net break/reset to client", "Application"),
            ("PL/SQL lock timer", "Idle"),
            ("log file sync", "Commit"),
            ("log file switch (checkpoint incomplete)", "Configuration"),
            ("log file parallel write", "System I/O"),
            ("db file sequential read", "User I/O"),
            ("db file parallel write", "System I/O"),
            ("enq: TX - index contention", "Concurrency"),
            ("enq: TX - row lock contention", "Application"),
            ("gc buffer busy acquire", "Cluster"),
            ("an event of tomorrow", "Other"),
        ] {
            assert_eq!(event_class(name), class, "{name}");
        }
    }

    #[test]
    fn block_classes_by_number() {
        assert_eq!(
            [1, 4, 6, 8].map(block_class),
            ["data block", "segment header", "free list", "1st level bmb"].map(Some)
        );
        assert_eq!(
            [17, 18, 33, 200].map(block_class),
            ["undo header", "undo block", "undo header", "undo block"].map(Some)
        );
        assert_eq!(block_class(0), None);
    }

    #[test]
    fn lock_and_mode() {
        assert_eq!(enqueue(1_415_053_318), Some((['T', 'X'], 6)));
        assert_eq!(enqueue(1_213_661_190), Some((['H', 'W'], 6)));
        assert_eq!((enqueue(6), enqueue(-1)), (None, None));
    }
}
