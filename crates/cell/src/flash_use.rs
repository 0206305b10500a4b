//! CELL_FLASH_CACHE: what a segment wants of the flash caches of cells.

use std::collections::BTreeMap;

use common::ObjectNumber;
use common::sync::RwLock;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};

use crate::message::{Malformed, Reader, Result};

/// What a segment wants of flash caches.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum FlashUse {
    /// Small reads are cached, as long as there is room.
    #[default]
    Default,
    /// All reads are cached, those of scans too, and stay longer than others.
    Keep,
    /// Nothing is cached.
    None,
}

impl FlashUse {
    pub const ALL: [Self; 3] = [Self::Default, Self::Keep, Self::None];

    /// As the STORAGE clause and the views have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "DEFAULT",
            Self::Keep => "KEEP",
            Self::None => "NONE",
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<Self> {
        Self::ALL.get(usize::from(code)).copied().ok_or(Malformed("an unknown use of the flash cache"))
    }
}

/// What segments want, by their data objects: those that want anything but the default. A cell looks at the data object
/// in a block that it has read or is to write.
#[derive(Default, Debug)]
pub struct FlashRules {
    rules: RwLock<BTreeMap<ObjectNumber, FlashUse>>,
    version: AtomicU64,
}

impl FlashRules {
    /// What a segment wants from now on.
    pub fn set(&self, object: ObjectNumber, wanted: FlashUse) {
        let mut rules = self.rules.write();
        let before = match wanted {
            FlashUse::Default => rules.remove(&object),
            other => rules.insert(object, other),
        };
        if before.unwrap_or_default() != wanted {
            self.version.fetch_add(1, Relaxed);
        }
    }

    #[must_use]
    pub fn of(&self, object: ObjectNumber) -> FlashUse {
        self.rules.read().get(&object).copied().unwrap_or_default()
    }

    /// What the segment of a block wants.
    pub(crate) fn of_block(&self, bytes: &[u8]) -> FlashUse {
        if self.version() == 0 || bytes.len() < format::block::HEADER_BYTES.max(512) {
            return FlashUse::Default;
        }
        format::object::data_object(bytes).map_or(FlashUse::Default, |object| self.of(object))
    }

    /// Rises with each change; 0 when there was none.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }

    /// All of them, for a cell elsewhere.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        for (object, wanted) in &*self.rules.read() {
            to.extend(object.0.to_le_bytes());
            to.push(*wanted as u8);
        }
        to
    }

    /// Takes those of an instance elsewhere instead of what there was.
    ///
    /// # Errors
    /// What is wrong with the message; nothing has changed then.
    pub(crate) fn take(&self, message: &[u8]) -> Result<()> {
        let mut from = Reader::new(message, 0);
        let mut rules = BTreeMap::new();
        while from.left() > 0 {
            rules.insert(ObjectNumber(from.u32()?), FlashUse::from_code(from.u8()?)?);
        }
        *self.rules.write() = rules;
        self.version.fetch_add(1, Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_that_were_set_last() {
        let (rules, other) = (FlashRules::default(), FlashRules::default());
        rules.set(ObjectNumber(7), FlashUse::Default);
        assert_eq!(rules.version(), 0);
        rules.set(ObjectNumber(7), FlashUse::Keep);
        rules.set(ObjectNumber(8), FlashUse::None);
        rules.set(ObjectNumber(8), FlashUse::None);
        rules.set(ObjectNumber(9), FlashUse::Keep);
        rules.set(ObjectNumber(9), FlashUse::Default);
        assert_eq!(rules.version(), 4);
        other.set(ObjectNumber(1), FlashUse::Keep);
        other.take(&rules.encode()).unwrap();
        let of = |object| other.of(ObjectNumber(object));
        assert_eq!([1, 7, 8, 9].map(of), [FlashUse::Default, FlashUse::Keep, FlashUse::None, FlashUse::Default]);
        let mut message = rules.encode();
        message.pop();
        other.take(&message).unwrap_err();
        message.push(3);
        other.take(&message).unwrap_err();
        assert_eq!(of(7), FlashUse::Keep);
    }
}
