//! What a crash leaves: everything that is durable, and of the rest whatever the disk happened to have written.
//!
//! 1. Durable are writes that a later sync of their file has returned for, durable writes that have returned, and names whose directory was synced.
//! 2. Of other writes each sector of 512 bytes is kept or lost by itself, in any combination. A sector is never half written.
//! 3. The operation that the crash falls into counts as not durable, also a durable write.
//! 4. Names change in the order in which they were changed: a journal of the file system keeps some first part of them. A name may survive whose file's
//!    bytes do not.
//! 5. What a failed sync was about is never durable by a later one.

use std::collections::BTreeMap;
use std::path::Path;

use common::Seeded;
use common::sync::Arc;

use super::image::Image;
use super::operation::{FileId, Operation};

const SECTOR: usize = 512;

/// Which of the writes that are not durable survive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// None.
    Nothing,
    /// All, the one in flight too.
    Everything,
    /// Those up to some moment; the last one torn.
    First,
    /// Those from some moment on: the disk has written the youngest first.
    Last,
    /// Any of them, each whole.
    Writes,
    /// Any sectors of them.
    Sectors,
}

impl Keep {
    pub const ALL: [Self; 6] = [Self::Nothing, Self::Everything, Self::First, Self::Last, Self::Writes, Self::Sectors];
}

#[derive(Clone, Debug)]
enum Waiting {
    Write {
        offset: u64,
        bytes: Arc<[u8]>,
        /// It is durable; it waits here only for the order among the others.
        durable: bool,
        /// A sync of it has failed.
        stuck: bool,
    },
    Size(u64),
}

/// Goes along the operations of a run, and knows at each what a crash could leave.
#[derive(Clone, Debug)]
pub struct Walk {
    durable: Image,
    waiting: BTreeMap<FileId, Vec<Waiting>>,
    names: Vec<Operation>,
}

impl Walk {
    /// From a disk on which everything is durable.
    #[must_use]
    pub fn new(image: Image) -> Self {
        Self { durable: image, waiting: BTreeMap::new(), names: Vec::new() }
    }

    /// The operation has returned.
    pub fn pass(&mut self, operation: &Operation) {
        match operation {
            Operation::Write { file, offset, bytes, durable } => {
                let waiting = self.waiting.entry(*file).or_default();
                if *durable && waiting.is_empty() {
                    self.durable.content_mut(*file).write(*offset, bytes);
                } else {
                    let bytes = bytes.clone();
                    waiting.push(Waiting::Write { offset: *offset, bytes, durable: *durable, stuck: false });
                }
            }
            Operation::SetSize { file, bytes } => {
                self.waiting.entry(*file).or_default().push(Waiting::Size(*bytes));
            }
            Operation::Sync { file, failed } => self.sync(*file, *failed),
            Operation::Create { .. } | Operation::Remove { .. } | Operation::Rename { .. } => {
                self.names.push(operation.clone());
            }
            Operation::SyncDirectory { path } => {
                let (now, later) = std::mem::take(&mut self.names).into_iter().partition(|name| is_in(name, path));
                self.names = later;
                for name in &now {
                    rename(&mut self.durable, name);
                }
            }
            Operation::Note(_) => {}
        }
    }

    fn sync(&mut self, file: FileId, failed: bool) {
        let Some(waiting) = self.waiting.get_mut(&file) else { return };
        if failed {
            for one in waiting {
                if let Waiting::Write { stuck, .. } = one {
                    *stuck = true;
                }
            }
            return;
        }
        let content = self.durable.content_mut(file);
        // Once a write is stuck, nothing of the file is certain that is not durable by itself.
        if waiting.iter().any(|one| matches!(one, Waiting::Write { stuck: true, .. })) {
            for one in waiting {
                if let Waiting::Write { stuck: false, durable, .. } = one {
                    *durable = true;
                }
            }
            return;
        }
        for one in waiting.drain(..) {
            match one {
                Waiting::Write { offset, bytes, .. } => content.write(offset, &bytes),
                Waiting::Size(bytes) => content.resize(bytes),
            }
        }
    }

    /// A disk as it may be after a crash within `operation`, or after all that has passed when there is none.
    #[must_use]
    pub fn crash(&self, operation: Option<&Operation>, keep: Keep, random: &mut Seeded) -> Image {
        let mut walk = self.clone();
        match operation {
            Some(Operation::Write { file, offset, bytes, .. }) => {
                let write = Waiting::Write { offset: *offset, bytes: bytes.clone(), durable: false, stuck: false };
                walk.waiting.entry(*file).or_default().push(write);
            }
            Some(Operation::Sync { .. } | Operation::SyncDirectory { .. }) | None => {}
            Some(other) => walk.pass(other),
        }
        let names = match keep {
            Keep::Nothing => 0,
            Keep::Everything => walk.names.len(),
            _ => random.index(walk.names.len() + 1),
        };
        let mut image = walk.durable;
        for name in &walk.names[..names] {
            rename(&mut image, name);
        }
        for (file, waiting) in &walk.waiting {
            if !waiting.is_empty() {
                survive(&mut image, *file, waiting, keep, random);
            }
        }
        image
    }

    /// Writes that are not durable.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.values().map(Vec::len).sum::<usize>() + self.names.len()
    }
}

fn survive(image: &mut Image, file: FileId, waiting: &[Waiting], keep: Keep, random: &mut Seeded) {
    let content = image.content_mut(file);
    let moment = random.index(waiting.len() + 1);
    for (n, one) in waiting.iter().enumerate() {
        let all = match keep {
            Keep::Nothing => false,
            Keep::Everything => true,
            Keep::First => n < moment,
            Keep::Last => n >= moment,
            Keep::Writes | Keep::Sectors => random.percent(50),
        };
        match one {
            Waiting::Size(bytes) if all => content.resize(*bytes),
            Waiting::Size(_) => {}
            Waiting::Write { offset, bytes, durable, .. } => {
                let torn = !durable && (keep == Keep::Sectors || (keep == Keep::First && n == moment));
                if torn {
                    let first = random.index(bytes.len().div_ceil(SECTOR) + 1);
                    for (sector, part) in bytes.chunks(SECTOR).enumerate() {
                        let kept = if keep == Keep::First { sector < first } else { random.percent(50) };
                        if kept {
                            write_within(content, offset + (sector * SECTOR) as u64, part);
                        }
                    }
                } else if all || *durable {
                    write_within(content, *offset, bytes);
                }
            }
        }
    }
}

/// A write whose file's growth is lost is lost with it.
fn write_within(content: &mut super::content::Content, offset: u64, bytes: &[u8]) {
    let room = content.size().saturating_sub(offset).min(bytes.len() as u64) as usize;
    content.write(offset, &bytes[..room]);
}

fn is_in(operation: &Operation, directory: &Path) -> bool {
    match operation {
        Operation::Create { path, .. } | Operation::Remove { path } => path.parent() == Some(directory),
        Operation::Rename { to, .. } => to.parent() == Some(directory),
        _ => false,
    }
}

/// Changes names as an operation says.
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
