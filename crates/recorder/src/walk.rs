//! The possible states after a power failure at any moment of a recording.
//!
//! 1. Durable are: writes of which a later sync has returned that began when they had returned; durable writes that
//!    have returned; sizes like writes; names
//!    whose directory was synced in the same way. A process that ends or is killed makes nothing durable.
//! 2. Of any other write, each sector of 512 bytes is kept or lost by itself, in any combination. A sector is never
//!    half written.
//! 3. An operation that has begun and not returned may have happened.
//! 4. Names change in the order in which they were changed: of those that are not durable some first part is kept. A
//!    name may survive whose file's bytes do
//!    not, and bytes whose name does not.
//! 5. What a failed sync was about is never made durable by a later one.
//! 6. A write behind the end of a file makes it longer; when that is lost, so are the bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::Seeded;
use common::sync::Arc;
use sim::disk::{FileId, Image, Keep};

use crate::event::{Event, Operation, OperationNumber};
use crate::image;

const SECTOR: usize = 512;

#[derive(Clone, Debug)]
enum Change {
    Write { offset: u64, bytes: Arc<[u8]> },
    Size(u64),
}

/// A change of a file that is in doubt.
#[derive(Clone, Debug)]
struct Waiting {
    number: OperationNumber,
    change: Change,
    returned: bool,
    /// Durable by itself; it waits only for its turn in the order.
    durable: bool,
    /// A sync of it has failed.
    stuck: bool,
}

/// An operation that has begun and not returned.
#[derive(Clone, Debug)]
enum Flight {
    Write {
        file: FileId,
        durable: bool,
    },
    /// With the operations returned when it began.
    Sync {
        file: FileId,
        covered: Vec<OperationNumber>,
    },
    SyncDirectory {
        path: PathBuf,
        covered: Vec<OperationNumber>,
    },
    AtOnce(Operation),
}

/// Treatment of syncs. A disk that ignores them must be detected.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Honesty {
    #[default]
    Honest,
    /// Syncs and durable writes are ignored.
    Lying,
}

/// Goes along the events of a recording.
#[derive(Clone, Debug)]
pub struct Walk {
    durable: Image,
    /// The files as a process reads them.
    cache: Image,
    waiting: BTreeMap<FileId, Vec<Waiting>>,
    names: Vec<(OperationNumber, Operation)>,
    flights: BTreeMap<OperationNumber, Flight>,
    honesty: Honesty,
}

impl Walk {
    /// From files that are durable.
    #[must_use]
    pub fn new(image: Image, honesty: Honesty) -> Self {
        Self {
            durable: image.clone(),
            cache: image,
            waiting: BTreeMap::new(),
            names: Vec::new(),
            flights: BTreeMap::new(),
            honesty,
        }
    }

    /// Passes an event.
    pub fn pass(&mut self, event: &Event) {
        match event {
            Event::Begun { number, operation } => self.begin(*number, operation),
            Event::Ended { number, moved } => self.end(*number, *moved),
            Event::Failed { number } => self.fail(*number),
            Event::Said(_) | Event::LifeBegun | Event::LifeEnded(_) => {}
        }
    }

    /// The files as a process sees them.
    #[must_use]
    pub fn cache(&self) -> &Image {
        &self.cache
    }

    /// Changes that are in doubt.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.values().map(Vec::len).sum::<usize>() + self.names.len()
    }

    fn begin(&mut self, number: OperationNumber, operation: &Operation) {
        let flight = match operation {
            Operation::Write { file, offset, bytes, durable } => {
                let end = offset + bytes.len() as u64;
                if end > self.cache.file_size(*file) {
                    self.wait(*file, number, Change::Size(end));
                }
                self.wait(*file, number, Change::Write { offset: *offset, bytes: bytes.clone() });
                Flight::Write { file: *file, durable: *durable }
            }
            Operation::Sync { file } => {
                let waiting = self.waiting.get(file).map_or(&[][..], Vec::as_slice);
                let covered = waiting.iter().filter(|one| one.returned).map(|one| one.number).collect();
                Flight::Sync { file: *file, covered }
            }
            Operation::SyncDirectory { path } => {
                let inside = self.names.iter().filter(|(_, name)| is_in(name, path));
                Flight::SyncDirectory { path: path.clone(), covered: inside.map(|(number, _)| *number).collect() }
            }
            other => Flight::AtOnce(other.clone()),
        };
        self.flights.insert(number, flight);
    }

    fn wait(&mut self, file: FileId, number: OperationNumber, change: Change) {
        let one = Waiting { number, change, returned: false, durable: false, stuck: false };
        self.waiting.entry(file).or_default().push(one);
    }

    fn end(&mut self, number: OperationNumber, moved: usize) {
        match self.flights.remove(&number) {
            Some(Flight::Write { file, durable }) => {
                let durable = durable && self.honesty == Honesty::Honest;
                for one in self.waiting.entry(file).or_default().iter_mut().filter(|one| one.number == number) {
                    one.returned = true;
                    one.durable |= durable;
                    if let Change::Write { offset, bytes } = &mut one.change {
                        debug_assert!(moved > 0 || bytes.is_empty(), "a write that returns has moved something");
                        if moved < bytes.len() {
                            *bytes = bytes[..moved].into();
                        }
                        self.cache.write(file, *offset, bytes);
                    }
                }
                self.settle(file);
            }
            Some(Flight::Sync { file, covered }) if self.honesty == Honesty::Honest => {
                for one in self.waiting.entry(file).or_default() {
                    one.durable |= !one.stuck && covered.contains(&one.number);
                }
                self.settle(file);
            }
            Some(Flight::SyncDirectory { path, covered }) if self.honesty == Honesty::Honest => {
                debug_assert!(self.cache.has_directory(&path), "a directory that is synced is there");
                let (now, later) =
                    std::mem::take(&mut self.names).into_iter().partition(|(number, _)| covered.contains(number));
                self.names = later;
                for (_, name) in &now {
                    rename(&mut self.durable, name);
                }
            }
            Some(Flight::AtOnce(operation)) => {
                image::apply(&mut self.cache, &operation, 0);
                match operation {
                    Operation::SetSize { file, bytes } => {
                        self.wait(file, number, Change::Size(bytes));
                        for one in self.waiting.entry(file).or_default().iter_mut().rev().take(1) {
                            one.returned = true;
                        }
                    }
                    name => self.names.push((number, name)),
                }
            }
            Some(Flight::Sync { .. } | Flight::SyncDirectory { .. }) | None => {}
        }
    }

    fn fail(&mut self, number: OperationNumber) {
        match self.flights.remove(&number) {
            Some(Flight::Write { file, .. }) => {
                self.waiting.entry(file).or_default().retain(|one| one.number != number);
            }
            Some(Flight::Sync { file, covered }) => {
                for one in self.waiting.entry(file).or_default() {
                    one.stuck |= covered.contains(&one.number);
                }
            }
            Some(Flight::SyncDirectory { .. } | Flight::AtOnce(_)) | None => {}
        }
    }

    /// Makes changes durable that have none before them in doubt.
    fn settle(&mut self, file: FileId) {
        let Some(waiting) = self.waiting.get_mut(&file) else { return };
        let first = waiting.iter().position(|one| !one.durable).unwrap_or(waiting.len());
        for one in waiting.drain(..first) {
            match one.change {
                Change::Write { offset, bytes } => self.durable.write(file, offset, &bytes),
                Change::Size(bytes) => self.durable.set_size(file, bytes),
            }
        }
    }

    /// Files as they may be after the power has failed at this moment.
    #[must_use]
    pub fn crash(&self, keep: Keep, random: &mut Seeded) -> Image {
        let names = match keep {
            Keep::Nothing => 0,
            Keep::Everything => self.names.len(),
            _ => random.index(self.names.len() + 1),
        };
        let mut image = self.durable.clone();
        for (_, name) in &self.names[..names] {
            rename(&mut image, name);
        }
        for (file, waiting) in &self.waiting {
            if !waiting.is_empty() {
                survive(&mut image, *file, waiting, keep, random);
            }
        }
        image
    }
}

fn survive(image: &mut Image, file: FileId, waiting: &[Waiting], keep: Keep, random: &mut Seeded) {
    let moment = random.index(waiting.len() + 1);
    for (n, one) in waiting.iter().enumerate() {
        let all = one.durable
            || match keep {
                Keep::Nothing => false,
                Keep::Everything => true,
                Keep::First => n < moment,
                Keep::Last => n >= moment,
                Keep::Writes | Keep::Sectors => random.percent(50),
            };
        match &one.change {
            Change::Size(bytes) if all => image.set_size(file, *bytes),
            Change::Size(_) => {}
            Change::Write { offset, bytes } => {
                let torn = !one.durable && (keep == Keep::Sectors || (keep == Keep::First && n == moment));
                if torn {
                    let first = random.index(bytes.len().div_ceil(SECTOR) + 1);
                    for (sector, (at, part)) in sectors(*offset, bytes).enumerate() {
                        let kept = if keep == Keep::First { sector < first } else { random.percent(50) };
                        if kept {
                            write_within(image, file, at, part);
                        }
                    }
                } else if all {
                    write_within(image, file, *offset, bytes);
                }
            }
        }
    }
}

/// The parts of a write by sectors of the disk.
fn sectors(offset: u64, bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let head = ((SECTOR - offset as usize % SECTOR) % SECTOR).min(bytes.len());
    let (first, rest) = bytes.split_at(head);
    let whole = rest.chunks(SECTOR).enumerate().map(move |(n, part)| (offset + (head + n * SECTOR) as u64, part));
    (!first.is_empty()).then_some((offset, first)).into_iter().chain(whole)
}

fn write_within(image: &mut Image, file: FileId, offset: u64, bytes: &[u8]) {
    let room = image.file_size(file).saturating_sub(offset).min(bytes.len() as u64) as usize;
    image.write(file, offset, &bytes[..room]);
}

/// Changes a name, unless the folder that it would be in was lost.
fn rename(image: &mut Image, operation: &Operation) {
    let path = match operation {
        Operation::Create { path, .. } | Operation::MakeDirectory { path } | Operation::Rename { to: path, .. } => path,
        other => return image::apply(image, other, 0),
    };
    if path.parent().is_none_or(|parent| image.has_directory(parent)) {
        image::apply(image, operation, 0);
    }
}

fn is_in(operation: &Operation, directory: &Path) -> bool {
    match operation {
        Operation::Create { path, .. }
        | Operation::MakeDirectory { path }
        | Operation::Remove { path }
        | Operation::Rename { to: path, .. } => path.parent() == Some(directory),
        _ => false,
    }
}
