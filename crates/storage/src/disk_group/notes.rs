//! What groups tell by themselves: for the user who opened the database, and for the control file.

use std::collections::VecDeque;
use std::fmt;
use std::sync::OnceLock;

use asm::Notes;
use common::sync::{Arc, Mutex};

/// Sentences that are kept, the latest ones: a disk with many bad sectors makes one for each repair.
const KEPT: usize = 1000;

/// Called with a group's name and its epoch.
type OnEpoch = Box<dyn Fn(&str, u64) + Send + Sync>;

/// Sentences, and who is told of a group's epoch.
#[derive(Default)]
pub(super) struct GroupNotes {
    texts: Mutex<VecDeque<String>>,
    on_epoch: OnceLock<OnEpoch>,
}

impl fmt::Debug for GroupNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupNotes").field("texts", &self.texts).finish_non_exhaustive()
    }
}

impl GroupNotes {
    pub(super) fn add(&self, text: String) {
        let mut texts = self.texts.lock();
        if texts.len() == KEPT {
            texts.pop_front();
        }
        texts.push_back(text);
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.texts.lock().iter().cloned().collect()
    }

    pub(super) fn set_on_epoch(&self, on_epoch: OnEpoch) {
        let set = self.on_epoch.set(on_epoch);
        debug_assert!(set.is_ok(), "a second receiver of epochs");
    }
}

impl Notes for GroupNotes {
    fn note(&self, group: &str, text: String) {
        self.add(format!("Disk group {group}: {text}."));
    }

    fn epoch(&self, group: &str, epoch: u64) {
        if let Some(on_epoch) = self.on_epoch.get() {
            on_epoch(group, epoch);
        }
    }
}

/// As the environment of groups takes it.
pub(super) fn as_notes(notes: &Arc<GroupNotes>) -> Arc<dyn Notes> {
    Arc::clone(notes) as Arc<dyn Notes>
}
