//! The flash log of a cell: a durable write goes to its disk and to a log on a flash device at once, and has ended when
//! one of the two is durable.
//!
//! ```text
//!   device   header    entry entry entry …      entries begin at blocks of 4 KB, and follow each other in a circle
//!   header   magic, checksum, number up to which entries are retired, first number of those that are kept although
//!            they are before it, and the names of their disks
//!   entry    magic, number, number of the oldest entry that its disk had not yet, identities of the log's file and the
//!            disk's, offset, length, checksum, name of the disk, bytes
//! ```
//!
//! What was acknowledged by the log alone is written to the disk by a thread of the disk. Until then reads of its place
//! wait, and so do writes there. A cell that starts writes again what the log has and the disks may not have: entries
//! from the oldest one on that the last entry names. A write that does not go by the log, to a place that an entry has,
//! first has the entry retired on the device; so a start never puts old bytes over later ones. Nor does it write to a
//! file that has taken the disk's place: the log's file is the same then, and the disk's another one. Where both are
//! others somebody has copied the whole cell.
//!
//! When the disk refuses a write that the log has acknowledged, it takes and gives nothing any more: the bytes are
//! kept in the log, and whoever opens the disk the next time has it written again. When the log's device fails, the
//! cell goes on without it, and gives its file another name.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};
use common::sync::{Arc, Condvar, Mutex, MutexGuard};
use device::{AlignedBuffer, Device, FileIdentity, FileSystem, PendingRead};

use crate::message::{Malformed, Reader, put_bytes, put_number};
use crate::worker::Worker;

/// Entries begin at multiples of this.
const BLOCK: usize = 4096;
/// Longer writes go to the disk alone.
const ENTRY_BYTES_MAX: usize = 1 << 20;
/// The log is read in parts of this size at a start.
const WINDOW: usize = 4 << 20;
const HEADER_MAGIC: u64 = u64::from_le_bytes(*b"HWFLLOG1");
const ENTRY_MAGIC: u64 = u64::from_le_bytes(*b"HWFLENT1");
/// Bytes of an entry before the name of the disk.
const FIXED: usize = 8 + 8 + 8 + 8 + 8 + 8 + 4 + 4 + 2;
const NAME_MAX: usize = 256;

/// A write that the log has, or is getting.
#[derive(Clone, Debug)]
struct Entry {
    disk: Arc<str>,
    bytes: Range<u64>,
    /// Its place in the log.
    at: Range<u64>,
    /// Its disk has it, durably, or whoever wrote it knows that it may not.
    settled: bool,
    /// Its writer was told that it is durable, because the log has it.
    acknowledged: bool,
    on_flash: bool,
}

impl Entry {
    fn touches(&self, disk: &str, bytes: &Range<u64>) -> bool {
        *self.disk == *disk && self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

type Failure = (io::ErrorKind, String);

fn said((kind, text): &Failure) -> io::Error {
    io::Error::new(*kind, text.clone())
}

#[derive(Debug)]
struct State {
    last: u64,
    head: u64,
    /// Those that a start would write again, and those under way.
    entries: BTreeMap<u64, Entry>,
    /// The entry of the highest number that the device has. It says where a start begins, so nothing is put over it.
    newest: Option<(u64, Range<u64>)>,
    /// Disks that have refused what the log had acknowledged.
    broken: BTreeMap<Arc<str>, Failure>,
    /// Those among them whose entries the header keeps.
    kept: BTreeSet<Arc<str>>,
    /// The device has failed: nothing more goes to it.
    failed: bool,
}

impl State {
    /// The number of the oldest entry that its disk has not, and that the header does not keep.
    fn oldest(&self) -> u64 {
        let mut missing = self.entries.iter().filter(|(_, entry)| !entry.settled && !self.kept.contains(&entry.disk));
        missing.next().map_or(self.last + 1, |(number, _)| *number)
    }

    /// A place in the log for so many bytes; None while entries are there that their disks have not.
    fn place(&mut self, size: u64, bytes: u64) -> Option<Range<u64>> {
        let begin = if self.head + bytes > size { BLOCK as u64 } else { self.head };
        let place = begin..begin + bytes;
        let overlaps = |at: &Range<u64>| at.start < place.end && place.start < at.end;
        let is_taken = |entry: &Entry| !entry.settled && overlaps(&entry.at);
        let is_newest = self.newest.as_ref().is_some_and(|(_, at)| overlaps(at));
        if place.end > size || is_newest || self.entries.values().any(is_taken) {
            return None;
        }
        self.head = place.end;
        Some(place)
    }

    /// Does an entry keep others waiting? Not when its disk will never have it.
    fn is_awaited(&self, entry: &Entry) -> bool {
        !entry.settled && !self.broken.contains_key(&entry.disk)
    }

    /// An entry that is settled is not needed any more where the log's device has it not.
    fn drop_unlogged(&mut self, number: u64) {
        if self.entries.get(&number).is_some_and(|entry| entry.settled && !entry.on_flash) {
            self.entries.remove(&number);
        }
    }
}

/// What the log has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FlashLogFigures {
    /// Writes that the log's device ended first, and those that the disk did.
    pub flash_first: u64,
    pub disk_first: u64,
    /// Writes for which the log had no room.
    pub full: u64,
}

/// The log, with the threads that write to it and to the disks.
#[derive(Debug)]
pub(crate) struct FlashLog {
    shared: Arc<Shared>,
    /// None: the caller writes to both, one after the other.
    writer: Option<Worker>,
}

#[derive(Debug)]
struct Shared {
    device: Arc<dyn Device>,
    size: u64,
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    /// Whoever gives a broken disk what the log has for it.
    retrying: Mutex<()>,
    /// The number up to which the header retires entries. Whoever writes the header has it locked.
    retired: Mutex<u64>,
    flash_first: AtomicU64,
    disk_first: AtomicU64,
    full: AtomicU64,
}

/// A number of the file at a path; 0 where files have only their paths.
fn identity(files: &dyn FileSystem, path: &Path) -> u64 {
    let found = files.identity(path).ok().flatten();
    found.map_or(0, |FileIdentity { device, inode }| device.rotate_left(32) ^ inode)
}

/// Identities of the log's file and of the disk's.
type Identities = (u64, u64);

fn encode(
    (number, oldest): (u64, u64),
    identities: Identities,
    disk: &str,
    offset: u64,
    parts: &[&[u8]],
) -> AlignedBuffer {
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let mut to = Vec::with_capacity((FIXED + disk.len() + bytes).next_multiple_of(BLOCK));
    to.extend(ENTRY_MAGIC.to_le_bytes());
    to.extend(number.to_le_bytes());
    to.extend(oldest.to_le_bytes());
    to.extend(identities.0.to_le_bytes());
    to.extend(identities.1.to_le_bytes());
    to.extend(offset.to_le_bytes());
    to.extend((bytes as u32).to_le_bytes());
    // Checksum.
    to.extend([0; 4]);
    to.extend((disk.len() as u16).to_le_bytes());
    to.extend(disk.as_bytes());
    parts.iter().for_each(|part| to.extend_from_slice(part));
    let sum = crc32c::crc32c(&to);
    to[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    to.resize(to.len().next_multiple_of(BLOCK), 0);
    AlignedBuffer::copy_of(&to)
}

const CHECKSUM: Range<usize> = FIXED - 6..FIXED - 2;

/// What a start finds.
struct Found {
    at: Range<u64>,
    number: u64,
    oldest: u64,
    identities: Identities,
    disk: String,
    offset: u64,
    bytes: Vec<u8>,
}

/// The length of an entry by its first block; None where that begins none.
fn length(block: &[u8]) -> Option<usize> {
    let mut from = Reader::new(block, 0);
    if from.u64().ok()? != ENTRY_MAGIC {
        return None;
    }
    from.take(40).ok()?;
    let bytes = from.u32().ok()? as usize;
    from.take(4).ok()?;
    let name = usize::from(from.u16().ok()?);
    (bytes <= ENTRY_BYTES_MAX && name <= NAME_MAX).then_some(FIXED + name + bytes)
}

fn decode(entry: &mut [u8], at: u64) -> Result<Found, Malformed> {
    let sum = Reader::new(&entry[CHECKSUM], 0).u32()?;
    entry[CHECKSUM].fill(0);
    if crc32c::crc32c(entry) != sum {
        return Err(Malformed("an entry that was not written whole"));
    }
    let mut from = Reader::new(entry, 8);
    let (number, oldest) = (from.u64()?, from.u64()?);
    let identities = (from.u64()?, from.u64()?);
    let offset = from.u64()?;
    let (bytes, _) = (from.u32()? as usize, from.u32()?);
    let name = usize::from(from.u16()?);
    let disk = std::str::from_utf8(from.take(name)?).map_err(|_| Malformed("a name that is no text"))?.to_owned();
    let at = at..at + entry.len().next_multiple_of(BLOCK) as u64;
    Ok(Found { at, number, oldest, identities, disk, offset, bytes: from.take(bytes)?.to_vec() })
}

/// The entry at a place of a log; None where there is no whole one.
fn entry_at(device: &dyn Device, at: u64, size: u64) -> io::Result<Option<Found>> {
    let mut block = AlignedBuffer::zeroed(BLOCK);
    device.read_at(at, &mut [&mut block])?;
    let Some(length) = length(&block).filter(|length| at + *length as u64 <= size) else { return Ok(None) };
    let mut entry = AlignedBuffer::zeroed(length);
    device.read_at(at, &mut [&mut entry])?;
    Ok(decode(&mut entry, at).ok())
}

/// All whole entries of a log.
fn entries(device: &dyn Device, size: u64) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut window = AlignedBuffer::zeroed(WINDOW.min(size as usize));
    let mut at = BLOCK as u64;
    while at < size {
        let bytes = (window.len() as u64).min(size - at) as usize;
        device.read_at(at, &mut [&mut window[..bytes]])?;
        for (number, block) in window[..bytes].chunks_exact(BLOCK).enumerate() {
            let begin = at + (number * BLOCK) as u64;
            if length(block).is_some() {
                found.extend(entry_at(device, begin, size)?);
            }
        }
        at += bytes as u64;
    }
    found.sort_unstable_by_key(|found| found.number);
    Ok(found)
}

/// Writes to a disk what the log has for it.
fn write_again(files: &dyn FileSystem, directory: &Path, disk: &str, found: &[&Found]) -> io::Result<()> {
    let device = files.open(&directory.join(disk))?;
    let size = device.size()?;
    for entry in found {
        if entry.offset + entry.bytes.len() as u64 > size {
            let text = format!("the disk ends before byte {}", entry.offset + entry.bytes.len() as u64);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        device.write_at(entry.offset, &[&entry.bytes])?;
    }
    device.sync()
}

/// The content of the header.
#[derive(Default, PartialEq, Eq, Debug)]
struct Header {
    retired: u64,
    kept_from: u64,
    kept: BTreeSet<Arc<str>>,
}

impl Header {
    fn encode(&self) -> io::Result<AlignedBuffer> {
        let mut to = vec![0; 12];
        to[..8].copy_from_slice(&HEADER_MAGIC.to_le_bytes());
        to.extend(self.retired.to_le_bytes());
        to.extend(self.kept_from.to_le_bytes());
        put_number(&mut to, self.kept.len() as u64);
        self.kept.iter().for_each(|disk| put_bytes(&mut to, disk.as_bytes()));
        let sum = crc32c::crc32c(&to[12..]);
        to[8..12].copy_from_slice(&sum.to_le_bytes());
        if to.len() > BLOCK {
            return Err(io::Error::other("too many disks have refused what the flash log has for them"));
        }
        to.resize(BLOCK, 0);
        Ok(AlignedBuffer::copy_of(&to))
    }

    /// None: the block is none.
    fn decode(block: &[u8]) -> Option<Self> {
        if block.iter().all(|byte| *byte == 0) {
            return Some(Self::default());
        }
        let mut from = Reader::new(block, 0);
        if from.u64().ok()? != HEADER_MAGIC {
            return None;
        }
        let (sum, begin) = (from.u32().ok()?, from.at);
        let (retired, kept_from) = (from.u64().ok()?, from.u64().ok()?);
        let names = from.count(1).ok()?;
        let name = |_| Some(std::str::from_utf8(from.bytes().ok()?).ok()?.into());
        let kept = (0..names).map(name).collect::<Option<_>>()?;
        (crc32c::crc32c(&block[begin..from.at]) == sum).then_some(Self { retired, kept_from, kept })
    }
}

impl FlashLog {
    /// The log in a file, after what it had was written to the disks of its folder. `inline`: it has no threads.
    ///
    /// # Errors
    /// Those of the device, and [`io::ErrorKind::InvalidData`] for one that is no log.
    pub(crate) fn open(files: &Arc<dyn FileSystem>, path: &Path, inline: bool) -> io::Result<Self> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let device = files.open(path)?;
        let size = device.size()? / BLOCK as u64 * BLOCK as u64;
        if size < 2 * BLOCK as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a flash log of less than 8 KB"));
        }
        let mut block = AlignedBuffer::zeroed(BLOCK);
        device.read_at(0, &mut [&mut block])?;
        let header = Header::decode(&block)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no flash log, or a damaged one"))?;
        let found = entries(&*device, size)?;
        let (last, oldest) = found.last().map_or((0, 0), |last| (last.number, last.oldest));
        let is_wanted = |found: &&Found| {
            let is_kept = header.kept.contains(&*found.disk) && found.number >= header.kept_from;
            (found.number > header.retired && found.number >= oldest) || is_kept
        };
        let mut by_disk: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
        let own = identity(&**files, path);
        let is_exchanged = |found: &&Found| {
            found.identities.0 == own && found.identities.1 != identity(&**files, &directory.join(&found.disk))
        };
        // A disk that is not there may come back.
        let is_there = |found: &&Found| files.exists(&directory.join(&found.disk)).unwrap_or(true);
        for entry in found.iter().filter(is_wanted).filter(|found| !(is_there(found) && is_exchanged(found))) {
            by_disk.entry(&entry.disk).or_default().push(entry);
        }
        let last = last.max(header.retired);
        let mut state = State {
            last,
            head: BLOCK as u64,
            entries: BTreeMap::new(),
            newest: None,
            broken: BTreeMap::new(),
            kept: BTreeSet::new(),
            failed: false,
        };
        for (disk, found) in by_disk {
            let Err(error) = write_again(&**files, directory, disk, &found) else { continue };
            let disk: Arc<str> = disk.into();
            for entry in found.iter() {
                let bytes = end_of(entry.offset, entry.bytes.len());
                let at = entry.at.clone();
                let entry_of =
                    Entry { disk: Arc::clone(&disk), bytes, at, settled: false, acknowledged: true, on_flash: true };
                state.entries.insert(entry.number, entry_of);
            }
            let text = format!("the flash log has {} writes that disk {disk} has not: {error}", found.len());
            state.broken.insert(disk, (error.kind(), text));
        }
        let (flash_first, disk_first, full) = Default::default();
        let shared = Shared {
            device,
            size,
            files: Arc::clone(files),
            path: path.to_owned(),
            state: Mutex::new(state),
            changed: Condvar::default(),
            retrying: Mutex::default(),
            retired: Mutex::new(0),
            flash_first,
            disk_first,
            full,
        };
        shared.write_header(last)?;
        Ok(Self { shared: Arc::new(shared), writer: (!inline).then(|| Worker::new("flash log")) })
    }

    /// A disk is opened, once more: it gets what it has refused before.
    pub(crate) fn retry(&self, disk: &str, device: &dyn Device) {
        self.shared.retry(disk, device);
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> u64 {
        self.shared.size
    }

    pub(crate) fn figures(&self) -> FlashLogFigures {
        FlashLogFigures {
            flash_first: self.shared.flash_first.load(Relaxed),
            disk_first: self.shared.disk_first.load(Relaxed),
            full: self.shared.full.load(Relaxed),
        }
    }
}

impl Drop for FlashLog {
    /// Waits for the disks, and leaves nothing to be written again.
    fn drop(&mut self) {
        let shared = &self.shared;
        let mut state = shared.state.lock();
        while state.entries.values().any(|entry| state.is_awaited(entry)) {
            shared.changed.wait(&mut state);
        }
        let (last, retire) = (state.last, !state.failed && !state.entries.is_empty());
        drop(state);
        if retire {
            // Without it the next start writes again what the disks have.
            let _ = shared.write_header(last);
        }
    }
}

impl Shared {
    /// No start writes an entry again that has this number or a lower one, unless its disk is broken.
    fn write_header(&self, retired: u64) -> io::Result<()> {
        let mut before = self.retired.lock();
        let retired = retired.max(*before);
        let header = {
            let state = self.state.lock();
            let kept: BTreeSet<_> = state.broken.keys().cloned().collect();
            let first = state.entries.iter().find(|(_, entry)| kept.contains(&entry.disk));
            Header { retired, kept_from: first.map_or(0, |(number, _)| *number), kept }
        };
        let written = header.encode().and_then(|block| self.device.write_durable(0, &[&block]));
        let mut state = self.state.lock();
        match &written {
            Ok(()) => {
                *before = retired;
                state.kept = header.kept;
            }
            Err(_) => state.failed = true,
        }
        written
    }

    /// The device has failed: no start may take what it has. The disks have had time to get it.
    fn give_up(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        while state.entries.values().any(|entry| state.is_awaited(entry)) {
            self.changed.wait(&mut state);
        }
        if let Some(failure) = state.broken.values().next() {
            // It has all that there is of some writes.
            return Err(said(failure));
        }
        if state.entries.is_empty() {
            return Ok(());
        }
        let mut name = self.path.as_os_str().to_owned();
        name.push(".failed");
        self.files.rename(&self.path, Path::new(&name))?;
        self.files.sync_directory(self.path.parent().unwrap_or(Path::new("")))?;
        state.entries.clear();
        Ok(())
    }

    /// Waits until the disk has what entries have of some of its bytes.
    fn settled<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        disk: &str,
        bytes: &Range<u64>,
    ) -> io::Result<MutexGuard<'s, State>> {
        loop {
            if let Some(failure) = state.broken.get(disk) {
                return Err(said(failure));
            }
            if !state.entries.values().any(|entry| !entry.settled && entry.touches(disk, bytes)) {
                return Ok(state);
            }
            self.changed.wait(&mut state);
        }
    }

    /// A write to these bytes will not go by the log: no start may put an entry over it.
    fn retire(&self, disk: &str, bytes: &Range<u64>) -> io::Result<()> {
        let mut state = self.settled(self.state.lock(), disk, bytes)?;
        let touched = state.entries.iter().rev().find(|(_, entry)| entry.touches(disk, bytes));
        let Some(number) = touched.map(|(number, _)| *number) else { return Ok(()) };
        // The header retires all entries before, too.
        while state.entries.range(..=number).any(|(_, entry)| state.is_awaited(entry)) {
            self.changed.wait(&mut state);
        }
        let failed = state.failed;
        drop(state);
        if failed || self.write_header(number).is_err() {
            return self.give_up();
        }
        self.state.lock().entries.retain(|other, entry| *other > number || !entry.settled);
        Ok(())
    }

    /// The disk has an entry, or has refused it.
    fn ended(&self, number: u64, written: &io::Result<()>) {
        let mut state = self.state.lock();
        let mut retired = None;
        let broken = match (written, state.entries.get_mut(&number)) {
            (Err(error), Some(entry)) if entry.acknowledged => Some((error, Arc::clone(&entry.disk))),
            (_, Some(entry)) => {
                entry.settled = true;
                None
            }
            (_, None) => None,
        };
        match broken {
            Some((error, disk)) => {
                state.broken.entry(disk).or_insert((error.kind(), error.to_string()));
                retired = Some(state.oldest().saturating_sub(1));
            }
            None => state.drop_unlogged(number),
        }
        drop(state);
        if let Some(retired) = retired {
            // Later entries do not name it as the oldest any more, once the header keeps it.
            let _ = self.write_header(retired);
        }
        self.changed.notify_all();
    }

    /// The writer of an entry is told that it is durable, because the log has it. False: the disk's write has ended.
    fn acknowledge(&self, number: u64) -> bool {
        match self.state.lock().entries.get_mut(&number) {
            Some(entry) if !entry.settled => {
                entry.acknowledged = true;
                true
            }
            // The outcome of the disk's write is about to be told.
            _ => false,
        }
    }

    /// A disk that has refused what the log had acknowledged is opened anew: it may take it now.
    fn retry(&self, disk: &str, device: &dyn Device) {
        let _one = self.retrying.lock();
        let missing: Vec<(u64, u64)> = {
            let state = self.state.lock();
            if !state.broken.contains_key(disk) {
                return;
            }
            let missing = state.entries.iter().filter(|(_, entry)| *entry.disk == *disk && !entry.settled);
            missing.map(|(number, entry)| (*number, entry.at.start)).collect()
        };
        let write_again = || {
            for (number, at) in &missing {
                let found = entry_at(&*self.device, *at, self.size)?.filter(|found| found.number == *number);
                let found = found.ok_or_else(|| io::Error::other("the flash log has lost a write"))?;
                device.write_at(found.offset, &[&found.bytes])?;
            }
            device.sync()
        };
        let written = write_again();
        let mut state = self.state.lock();
        if let Err(error) = written {
            state.broken.insert(disk.into(), (error.kind(), error.to_string()));
            return;
        }
        for (number, _) in missing {
            if let Some(entry) = state.entries.get_mut(&number) {
                entry.settled = true;
            }
        }
        state.broken.remove(disk);
        let retired = state.oldest().saturating_sub(1);
        drop(state);
        // Without it the next start writes them once more; later writes there retire them before.
        let _ = self.write_header(retired);
        self.changed.notify_all();
    }

    /// Writes an entry to the log's device. False: it was not needed any more, or the device has failed.
    fn log(&self, number: u64, oldest: u64, bytes: &[u8]) -> bool {
        let at = {
            let mut state = self.state.lock();
            let failed = state.failed;
            match state.entries.get_mut(&number) {
                Some(entry) if !entry.settled && !failed => {
                    // From now on a start may find it.
                    entry.on_flash = true;
                    entry.at.clone()
                }
                _ => return false,
            }
        };
        let written = self.device.write_durable(at.start, &[bytes]);
        let mut guard = self.state.lock();
        let state = &mut *guard;
        match written {
            Ok(()) => {
                if state.newest.as_ref().is_none_or(|(newest, _)| *newest < number) {
                    state.newest = Some((number, at));
                    let State { entries, kept, .. } = state;
                    entries.retain(|number, entry| *number >= oldest || kept.contains(&entry.disk));
                }
            }
            Err(_) => state.failed = true,
        }
        !state.failed
    }
}

/// The outcome of a write on both ways.
#[derive(Default)]
struct Race {
    outcome: Mutex<Outcome>,
    changed: Condvar,
}

#[derive(Default)]
struct Outcome {
    disk: Option<io::Result<()>>,
    logged: bool,
}

/// A disk whose durable writes go by the log.
#[derive(Debug)]
pub(crate) struct LoggedDisk {
    below: Arc<dyn Device>,
    name: Arc<str>,
    identities: Identities,
    log: Arc<FlashLog>,
    writer: Option<Worker>,
}

fn end_of(offset: u64, bytes: usize) -> Range<u64> {
    offset..offset.saturating_add(bytes as u64)
}

impl LoggedDisk {
    /// A disk that is opened.
    pub(crate) fn new(below: Arc<dyn Device>, name: &str, log: &Arc<FlashLog>) -> Self {
        let writer = log.writer.as_ref().map(|_| Worker::new(&format!("flash log {name}")));
        let (files, path) = (&*log.shared.files, &log.shared.path);
        let identities = (identity(files, path), identity(files, &path.with_file_name(name)));
        Self { below, name: name.into(), identities, log: Arc::clone(log), writer }
    }

    /// Waits until the file has what the log has for some bytes.
    fn settle(&self, offset: u64, bytes: usize) -> io::Result<()> {
        let shared = &self.log.shared;
        shared.settled(shared.state.lock(), &self.name, &end_of(offset, bytes)).map(drop)
    }

    fn retire(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        self.log.shared.retire(&self.name, &end_of(offset, bytes))
    }

    /// The number of a new entry, that of the oldest one, and the entry; None where the disk alone is written to.
    fn enter(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<Option<(u64, u64, AlignedBuffer)>> {
        let shared = &self.log.shared;
        let bytes: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        if bytes == 0 || bytes > ENTRY_BYTES_MAX || self.name.len() > NAME_MAX {
            return Ok(None);
        }
        let range = end_of(offset, bytes);
        let mut state = shared.settled(shared.state.lock(), &self.name, &range)?;
        if state.failed {
            return Ok(None);
        }
        let entry_bytes = (FIXED + self.name.len() + bytes).next_multiple_of(BLOCK) as u64;
        let Some(at) = state.place(shared.size, entry_bytes) else {
            shared.full.fetch_add(1, Relaxed);
            return Ok(None);
        };
        state.last += 1;
        let number = state.last;
        let entry = Entry {
            disk: Arc::clone(&self.name),
            bytes: range,
            at,
            settled: false,
            acknowledged: false,
            on_flash: false,
        };
        state.entries.insert(number, entry);
        let oldest = state.oldest();
        drop(state);
        Ok(Some((number, oldest, encode((number, oldest), self.identities, &self.name, offset, buffers))))
    }
}

impl Device for LoggedDisk {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.settle(offset, buffers.iter().map(|buffer| buffer.len()).sum())?;
        self.below.read_at(offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.retire(offset, buffers)?;
        self.below.write_at(offset, buffers)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let Some((number, oldest, entry)) = self.enter(offset, buffers)? else {
            self.retire(offset, buffers)?;
            return self.below.write_durable(offset, buffers);
        };
        let shared = &self.log.shared;
        let (Some(disk), Some(flash)) = (&self.writer, &self.log.writer) else {
            let logged = shared.log(number, oldest, &entry);
            let written = self.below.write_durable(offset, buffers);
            shared.ended(number, &written);
            let first = if logged { &shared.flash_first } else { &shared.disk_first };
            first.fetch_add(1, Relaxed);
            return written;
        };
        let race = Arc::new(Race::default());
        let (below, of_disk, bytes) = (Arc::clone(&self.below), Arc::clone(shared), buffers.concat());
        let disk_race = Arc::clone(&race);
        disk.give(move || {
            let written = below.write_durable(offset, &[&bytes]);
            of_disk.ended(number, &written);
            disk_race.outcome.lock().disk = Some(written);
            disk_race.changed.notify_all();
        });
        let (of_flash, flash_race) = (Arc::clone(shared), Arc::clone(&race));
        flash.give(move || {
            if of_flash.log(number, oldest, &entry) {
                flash_race.outcome.lock().logged = true;
                flash_race.changed.notify_all();
            }
        });
        let mut outcome = race.outcome.lock();
        loop {
            if let Some(written) = outcome.disk.take() {
                shared.disk_first.fetch_add(1, Relaxed);
                return written;
            }
            if outcome.logged && shared.acknowledge(number) {
                shared.flash_first.fetch_add(1, Relaxed);
                return Ok(());
            }
            race.changed.wait(&mut outcome);
        }
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.settle(offset, buffers.iter().map(|buffer| buffer.len()).sum())?;
        self.below.submit_read(offset, buffers)
    }

    fn sync(&self) -> io::Result<()> {
        let shared = &self.log.shared;
        drop(shared.settled(shared.state.lock(), &self.name, &(0..u64::MAX))?);
        self.below.sync()
    }

    fn size(&self) -> io::Result<u64> {
        self.below.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.log.shared.retire(&self.name, &(0..u64::MAX))?;
        self.below.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.below.direct()
    }
}
