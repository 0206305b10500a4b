//! The state after a crash: all durable changes, and any part of the rest.
//!
//! 1. Durable are writes that had returned when a sync of their file began which has returned, durable writes that have
//!    returned, and names that were changed when a sync of their directory began which has returned.
//! 2. Of other writes each sector of 512 bytes is kept or lost by itself, in any combination. A sector is never half
//!    written.
//! 3. The operation that the crash falls into counts as not durable, also a durable write; so do all that other threads
//!    have under way. Of several writes of one file in flight each is, by itself, absent, whole or torn, in whatever
//!    order they began.
//! 4. Names change in the order in which they were changed: a journal of the file system keeps some first part of them.
//!    A name may survive whose file's bytes do not.
//! 5. What a failed sync was about is never durable by a later one.
//! 6. A process that is killed changes nothing of this: the next one reads all that the killed one has written, and
//!    what was in doubt stays in doubt until the next one syncs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::Seeded;

use super::image::Image;
use super::operation::{FileId, Operation};
use super::waiting::{Change, Queue};

/// Which of the writes that are not durable survive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// None.
    Nothing,
    /// All, including the one in flight.
    Everything,
    /// The writes up to some moment; the last one torn.
    First,
    /// The writes from some moment on: the disk has written the youngest first.
    Last,
    /// Any of them, each whole; those in flight may be cut at a sector.
    Writes,
    /// Any sectors of them.
    Sectors,
}

impl Keep {
    pub const ALL: [Self; 6] = [Self::Nothing, Self::Everything, Self::First, Self::Last, Self::Writes, Self::Sectors];
}

/// An operation that has begun.
#[derive(Clone, Debug)]
enum Call {
    Change {
        file: FileId,
        number: u64,
        durable: bool,
    },
    Sync {
        file: FileId,
        failed: bool,
        covered: Vec<u64>,
    },
    /// Of a directory, up to some change of names.
    Names {
        path: PathBuf,
        until: u64,
    },
}

/// Walks along the operations of a run, and knows at each the possible states after a crash.
#[derive(Clone, Debug)]
pub struct Walk {
    durable: Image,
    waiting: BTreeMap<FileId, Queue>,
    /// Changes of names that are not durable, by number.
    names: Vec<(u64, Operation)>,
    names_so_far: u64,
    calls: BTreeMap<u32, Call>,
}

impl Walk {
    /// From a disk on which everything is durable.
    #[must_use]
    pub fn new(image: Image) -> Self {
        Self { durable: image, waiting: BTreeMap::new(), names: Vec::new(), names_so_far: 0, calls: BTreeMap::new() }
    }

    /// The operation has returned, or, with other threads' operations in between, begun or ended.
    pub fn pass(&mut self, operation: &Operation) {
        match operation {
            Operation::Begun { call, operation } => {
                if let Some(begun) = self.begin(operation) {
                    self.calls.insert(*call, begun);
                }
            }
            Operation::Ended { call } => {
                if let Some(call) = self.calls.remove(call) {
                    self.end(call);
                }
            }
            operation => {
                if let Some(call) = self.begin(operation) {
                    self.end(call);
                }
            }
        }
    }

    fn begin(&mut self, operation: &Operation) -> Option<Call> {
        let mut change = |file: FileId, change, durable| {
            Some(Call::Change { file, number: self.waiting.entry(file).or_default().begin(change), durable })
        };
        match operation {
            Operation::Write { file, offset, bytes, durable } => {
                change(*file, Change::Write { offset: *offset, bytes: bytes.clone() }, *durable)
            }
            Operation::SetSize { file, bytes } => change(*file, Change::Size(*bytes), false),
            Operation::Sync { file, failed } => {
                let covered = self.waiting.get(file).map(Queue::returned).unwrap_or_default();
                Some(Call::Sync { file: *file, failed: *failed, covered })
            }
            Operation::Create { .. } | Operation::Remove { .. } | Operation::Rename { .. } => {
                self.names_so_far += 1;
                self.names.push((self.names_so_far, operation.clone()));
                None
            }
            Operation::SyncDirectory { path } => Some(Call::Names { path: path.clone(), until: self.names_so_far }),
            Operation::PutBack { file, path, earlier } => {
                self.waiting.remove(file);
                self.durable.replace(path, earlier);
                None
            }
            Operation::Note(_) | Operation::Begun { .. } | Operation::Ended { .. } => None,
        }
    }

    fn end(&mut self, call: Call) {
        let file = match call {
            Call::Change { file, number, durable } => {
                self.waiting.entry(file).or_default().end(number, durable);
                file
            }
            Call::Sync { file, failed, covered } => {
                self.waiting.entry(file).or_default().synced(&covered, failed);
                file
            }
            Call::Names { path, until } => {
                let durable = |(number, name): &(u64, Operation)| *number <= until && is_in(name, &path);
                let (now, later) = std::mem::take(&mut self.names).into_iter().partition(durable);
                self.names = later;
                let now: Vec<(u64, Operation)> = now;
                now.iter().for_each(|(_, name)| rename(&mut self.durable, name));
                return;
            }
        };
        if let Some(queue) = self.waiting.get_mut(&file)
            && queue.can_fold()
        {
            queue.fold(self.durable.content_mut(file));
        }
    }

    /// A possible disk after a crash within `operation`, or without one, after all that has passed.
    #[must_use]
    pub fn crash(&self, operation: Option<&Operation>, keep: Keep, random: &mut Seeded) -> Image {
        let mut walk = self.clone();
        if let Some(operation) = operation {
            let _ = walk.begin(operation.begun());
        }
        let names = match keep {
            Keep::Nothing => 0,
            Keep::Everything => walk.names.len(),
            _ => random.index(walk.names.len() + 1),
        };
        let mut image = walk.durable;
        for (_, name) in &walk.names[..names] {
            rename(&mut image, name);
        }
        for (file, waiting) in walk.waiting.iter().filter(|(_, waiting)| waiting.len() > 0) {
            waiting.survive(image.content_mut(*file), keep, random);
        }
        image
    }

    /// The most writes of one log file that are in flight in a crash within `operation`.
    #[must_use]
    pub fn in_flight(&self, operation: Option<&Operation>) -> usize {
        let mut files: BTreeMap<FileId, usize> = BTreeMap::new();
        for call in self.calls.values() {
            if let Call::Change { file, durable: true, .. } = call {
                *files.entry(*file).or_default() += 1;
            }
        }
        if let Some(Operation::Write { file, durable: true, .. }) = operation.map(Operation::begun) {
            *files.entry(*file).or_default() += 1;
        }
        files.into_iter().filter(|(file, _)| self.is_log(*file)).map(|(_, writes)| writes).max().unwrap_or_default()
    }

    fn is_log(&self, file: FileId) -> bool {
        let is_log = |path: &Path| path.extension().is_some_and(|extension| extension == "log");
        let made = self.names.iter().any(|(_, name)| match name {
            Operation::Create { path, file: made } => *made == file && is_log(path),
            _ => false,
        });
        made || self.durable.names.iter().any(|(path, named)| *named == file && is_log(path))
    }

    /// Writes that are not durable.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.values().map(Queue::len).sum::<usize>() + self.names.len()
    }
}

fn is_in(operation: &Operation, directory: &Path) -> bool {
    match operation {
        Operation::Create { path, .. } | Operation::Remove { path } => path.parent() == Some(directory),
        Operation::Rename { to, .. } => to.parent() == Some(directory),
        _ => false,
    }
}

/// Changes names by an operation.
pub(super) fn rename(image: &mut Image, operation: &Operation) {
    match operation {
        Operation::Create { path, file } => {
            image.names.insert(path.clone(), *file);
            image.contents.entry(*file).or_default();
        }
        Operation::Remove { path } => {
            image.names.remove(path);
        }
        Operation::Rename { from, to } => {
            if let Some(file) = image.names.remove(from) {
                image.names.insert(to.clone(), file);
            }
        }
        _ => {}
    }
}
