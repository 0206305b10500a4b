//! Meaning of the parameters of wait events, by the events' names. Their classes are in `waits`.

use common::BlockClass;

use crate::trace::{Wait, WaitParameter};

/// The name of a block class: 1 "data block" to 16; from 17 on header and blocks of undo segments in turn. `None` for
/// 0.
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
    /// Determines it from the names of the parameters; up to 9i, where these are p1 to p3, from the event's name.
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
