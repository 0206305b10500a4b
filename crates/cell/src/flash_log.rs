//! The flash log of a cell: a durable write goes to its disk and to a log on a flash device at once, and has ended when
//! one of the two is durable.
//!
//! ```text
//!   device   header header    entry entry entry …      entries begin at blocks of 4 KB, wherever there is room
//!   header   magic, checksum, number of the header, last number of an entry, and for each disk the number up to which
//!            its entries are retired; the two are written in turn
//!   entry    magic, number, number of the oldest entry that its disk had not yet, identities of the log's file and the
//!            disk's, offset, length, checksum, name of the disk, bytes
//! ```
//!
//! What was acknowledged by the log alone is written to the disk by a thread of the disk. Until then reads of its place
//! wait, and so do writes there. A cell that starts writes again what the log has and a disk may not have: the disk's
//! entries from the oldest one on that its last entry names, without those that are retired. `entries` has just these,
//! and nothing in the log is put over them. So that a start never puts old bytes over later ones,
//!
//! - a write to a place that an entry has is not acknowledged before the log has it, too;
//! - a write that does not go by the log, to such a place, first has the disk's entries retired on the device.
//!
//! When the disk refuses a write that the log has acknowledged, it takes and gives nothing any more: the bytes are
//! kept in the log, and the first open after all users have closed the disk writes them. The log writes nothing to a
//! file that has taken the place of a disk: its requests fail until the administrator decides. When the log's file is
//! another one, too, the whole cell was copied. When the log's device fails, the cell goes on without it, and gives
//! its file another name.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
/// Where entries begin: behind the headers.
const FIRST: u64 = 2 * BLOCK as u64;
/// Entries that wait for the log's device, at most.
const WAITING_MAX: usize = 64;
/// How long a cell that ends waits for its disks.
const CLOSE: Duration = Duration::from_secs(5);
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
    /// The disk has it durably, or its writer was told that the write has failed.
    settled: bool,
    /// Its writer was told that it is durable, because the log has it.
    acknowledged: bool,
    /// The disk has refused it after that.
    refused: bool,
    /// A start may find it.
    on_flash: bool,
    /// An older one has a part of its place, so the log must have this one, too.
    needed: bool,
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
    /// Disks that have refused what the log had acknowledged.
    broken: BTreeMap<Arc<str>, Failure>,
    /// The device has failed: nothing more goes to it.
    failed: bool,
}

impl State {
    /// The number of the oldest entry of a disk that the disk has not.
    fn oldest(&self, disk: &str) -> u64 {
        let mut missing = self.entries.iter().filter(|(_, entry)| *entry.disk == *disk && !entry.settled);
        missing.next().map_or(self.last + 1, |(number, _)| *number)
    }

    /// A place in the log for so many bytes, where there is nothing that a start would write again.
    fn place(&mut self, size: u64, bytes: u64) -> Option<Range<u64>> {
        let (mut begin, mut again) = (self.head, false);
        loop {
            if begin + bytes > size {
                if std::mem::replace(&mut again, true) {
                    return None;
                }
                begin = FIRST;
                continue;
            }
            let overlaps = |entry: &&Entry| entry.at.start < begin + bytes && begin < entry.at.end;
            match self.entries.values().find(overlaps) {
                Some(taken) => begin = taken.at.end,
                None => {
                    self.head = begin + bytes;
                    return Some(begin..begin + bytes);
                }
            }
        }
    }

    /// Does an entry keep others waiting? Not when its disk will never have it.
    fn is_awaited(&self, entry: &Entry) -> bool {
        !entry.settled && !self.broken.contains_key(&entry.disk)
    }

    /// An entry that is settled is not needed any more where the log's device has it not.
    fn drop_unlogged(&mut self, number: u64) {
        if self.entries.get(&number).is_some_and(|entry| entry.settled && !entry.on_flash && !entry.needed) {
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
    /// Writes for which the log had no room, or too many others waited.
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
    /// The header on the device. A thread that writes the header holds the lock.
    header: Mutex<Header>,
    flash_first: AtomicU64,
    disk_first: AtomicU64,
    full: AtomicU64,
}

/// A number of the file at a path; 0 where files have only their paths.
fn identity(files: &dyn FileSystem, path: &Path) -> io::Result<u64> {
    let found = files.identity(path)?;
    Ok(found.map_or(0, |FileIdentity { device, inode }| device.rotate_left(32) ^ inode))
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
fn write_again(files: &dyn FileSystem, log: &Path, disk: &str, found: &[&Found]) -> io::Result<()> {
    let path = log.with_file_name(disk);
    let write = || {
        let device = files.open(&path)?;
        let now = (identity(files, log)?, identity(files, &path)?);
        if found.iter().any(|entry| entry.identities.0 == now.0 && entry.identities.1 != now.1) {
            let text = "another file is in its place; to give the writes of all disks up, remove flash_log";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let size = device.size()?;
        for entry in found {
            if entry.offset + entry.bytes.len() as u64 > size {
                let text = format!("the disk ends before byte {}", entry.offset + entry.bytes.len() as u64);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            device.write_at(entry.offset, &[&entry.bytes])?;
        }
        device.sync()
    };
    write().map_err(|error| {
        let text = format!("the flash log has {} writes that disk {disk} has not: {error}", found.len());
        io::Error::new(error.kind(), text)
    })
}

/// The content of a header.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Header {
    number: u64,
    last: u64,
    /// For each disk the number up to which its entries are retired.
    retired: BTreeMap<Arc<str>, u64>,
}

impl Header {
    fn encode(&self) -> io::Result<AlignedBuffer> {
        let mut to = vec![0; 12];
        to[..8].copy_from_slice(&HEADER_MAGIC.to_le_bytes());
        to.extend(self.number.to_le_bytes());
        to.extend(self.last.to_le_bytes());
        put_number(&mut to, self.retired.len() as u64);
        for (disk, number) in &self.retired {
            put_bytes(&mut to, disk.as_bytes());
            to.extend(number.to_le_bytes());
        }
        let sum = crc32c::crc32c(&to[12..]);
        to[8..12].copy_from_slice(&sum.to_le_bytes());
        if to.len() > BLOCK {
            return Err(io::Error::other("the flash log is for fewer disks"));
        }
        to.resize(BLOCK, 0);
        Ok(AlignedBuffer::copy_of(&to))
    }

    /// None: the block is none, or was not written whole.
    fn decode(block: &[u8]) -> Option<Self> {
        let mut from = Reader::new(block, 0);
        if from.u64().ok()? != HEADER_MAGIC {
            return None;
        }
        let (sum, begin) = (from.u32().ok()?, from.at);
        let (number, last) = (from.u64().ok()?, from.u64().ok()?);
        let disks = from.count(9).ok()?;
        let disk = |_| Some((std::str::from_utf8(from.bytes().ok()?).ok()?.into(), from.u64().ok()?));
        let retired = (0..disks).map(disk).collect::<Option<_>>()?;
        (crc32c::crc32c(&block[begin..from.at]) == sum).then_some(Self { number, last, retired })
    }

    /// The later one of the two headers of a log.
    fn read(device: &dyn Device) -> io::Result<Self> {
        let mut both = AlignedBuffer::zeroed(FIRST as usize);
        device.read_at(0, &mut [&mut both])?;
        if both.iter().all(|byte| *byte == 0) {
            return Ok(Self::default());
        }
        let found = both.chunks_exact(BLOCK).filter_map(Self::decode).max_by_key(|header| header.number);
        found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no flash log, or a damaged one"))
    }
}

/// The entries of a log by their disks: those that a start has to write again.
fn missing<'f>(found: &'f [Found], header: &Header) -> BTreeMap<&'f str, Vec<&'f Found>> {
    let mut by_disk: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for entry in found {
        by_disk.entry(&entry.disk).or_default().push(entry);
    }
    for (disk, found) in &mut by_disk {
        let retired = header.retired.get(*disk).copied().unwrap_or(0);
        // They are in order.
        let oldest = found.last().map_or(0, |last| last.oldest);
        found.retain(|entry| entry.number > retired && entry.number >= oldest);
    }
    by_disk.retain(|_, found| !found.is_empty());
    by_disk
}

impl FlashLog {
    /// The log in a file, after what it had was written to the disks of its folder. `inline`: it has no threads.
    ///
    /// # Errors
    /// Those of the device, and [`io::ErrorKind::InvalidData`] for one that is no log.
    pub(crate) fn open(files: &Arc<dyn FileSystem>, path: &Path, inline: bool) -> io::Result<Self> {
        let device = files.open(path)?;
        let size = device.size()? / BLOCK as u64 * BLOCK as u64;
        if size <= FIRST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a flash log of 8 KB or less"));
        }
        let mut header = Header::read(&*device)?;
        let found = entries(&*device, size)?;
        header.last = header.last.max(found.last().map_or(0, |last| last.number));
        let mut state =
            State { last: header.last, head: FIRST, entries: BTreeMap::new(), broken: BTreeMap::new(), failed: false };
        // What has no entry in the log needs none in the header.
        let mut retired: BTreeMap<Arc<str>, u64> =
            found.iter().map(|entry| (Arc::from(&*entry.disk), header.last)).collect();
        for (disk, found) in missing(&found, &header) {
            let Err(error) = write_again(&**files, path, disk, &found) else { continue };
            let disk: Arc<str> = disk.into();
            retired.insert(Arc::clone(&disk), header.retired.get(&disk).copied().unwrap_or(0));
            for found in &found {
                let entry = Entry {
                    disk: Arc::clone(&disk),
                    bytes: end_of(found.offset, found.bytes.len()),
                    at: found.at.clone(),
                    settled: false,
                    acknowledged: true,
                    refused: true,
                    on_flash: true,
                    needed: true,
                };
                state.entries.insert(found.number, entry);
            }
            state.broken.insert(disk, (error.kind(), error.to_string()));
        }
        header.retired = retired;
        let (flash_first, disk_first, full) = Default::default();
        let shared = Shared {
            device,
            size,
            files: Arc::clone(files),
            path: path.to_owned(),
            state: Mutex::new(state),
            changed: Condvar::default(),
            header: Mutex::new(header),
            flash_first,
            disk_first,
            full,
        };
        shared.retire_to(|_| {})?;
        Ok(Self { shared: Arc::new(shared), writer: (!inline).then(|| Worker::new("flash log")) })
    }

    /// Writes to a disk what it has refused. The caller opens the disk anew, and no other user has it open.
    pub(crate) fn retry(&self, disk: &str) {
        self.shared.retry(disk);
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
    /// Waits for the disks, and leaves nothing to be written again. The next start gets along with what is left.
    fn drop(&mut self) {
        let shared = &self.shared;
        let mut state = shared.state.lock();
        while state.entries.values().any(|entry| state.is_awaited(entry)) {
            if shared.changed.wait_for(&mut state, CLOSE).timed_out() {
                break;
            }
        }
        let retire = !state.failed && !state.entries.is_empty();
        drop(state);
        if retire {
            let _ = shared.retire_settled();
        }
    }
}

impl Shared {
    /// Writes a header with changes, in the place of the older one.
    fn retire_to(&self, change: impl FnOnce(&mut Header)) -> io::Result<()> {
        let mut header = self.header.lock();
        let mut next = header.clone();
        next.number += 1;
        next.last = self.state.lock().last;
        change(&mut next);
        let at = next.number % 2 * BLOCK as u64;
        let written = next.encode().and_then(|block| self.device.write_durable(at, &[&block]));
        match &written {
            Ok(()) => *header = next,
            Err(_) => self.state.lock().failed = true,
        }
        written
    }

    /// For each disk with entries, the number up to which it has them all.
    fn settled_numbers(&self) -> BTreeMap<Arc<str>, u64> {
        let state = self.state.lock();
        let disks = state.entries.values().map(|entry| Arc::clone(&entry.disk));
        disks.map(|disk| (Arc::clone(&disk), state.oldest(&disk) - 1)).collect()
    }

    /// Retires what the disks have.
    fn retire_settled(&self) -> io::Result<()> {
        self.retire_numbers(&self.settled_numbers())
    }

    fn retire_numbers(&self, upto: &BTreeMap<Arc<str>, u64>) -> io::Result<()> {
        self.retire_to(|header| {
            for (disk, upto) in upto {
                // Another thread may have retired more of the disk meanwhile.
                let retired = header.retired.entry(Arc::clone(disk)).or_default();
                *retired = (*upto).max(*retired);
            }
        })?;
        let is_retired = |number: &u64, entry: &Entry| upto.get(&entry.disk).is_some_and(|upto| number <= upto);
        self.state.lock().entries.retain(|number, entry| !is_retired(number, entry));
        Ok(())
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
    fn retire(&self, disk: &Arc<str>, bytes: &Range<u64>) -> io::Result<()> {
        let mut state = self.settled(self.state.lock(), disk, bytes)?;
        let touched = state.entries.iter().rev().find(|(_, entry)| entry.touches(disk, bytes));
        let Some(number) = touched.map(|(number, _)| *number) else { return Ok(()) };
        // Entries of the disk before it are retired, too.
        while state.entries.range(..=number).any(|(_, entry)| entry.disk == *disk && !entry.settled) {
            if let Some(failure) = state.broken.get(disk) {
                return Err(said(failure));
            }
            self.changed.wait(&mut state);
        }
        let failed = state.failed;
        drop(state);
        let retired = |header: &mut Header| {
            let upto = header.retired.entry(Arc::clone(disk)).or_default();
            *upto = number.max(*upto);
        };
        if failed || self.retire_to(retired).is_err() {
            return self.give_up();
        }
        self.state.lock().entries.retain(|other, entry| *other > number || entry.disk != *disk);
        Ok(())
    }

    /// The disk has an entry, or has refused it.
    fn ended(&self, number: u64, written: &io::Result<()>) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        match (written, state.entries.get_mut(&number)) {
            (Err(error), Some(entry)) if entry.acknowledged => {
                entry.refused = true;
                let disk = Arc::clone(&entry.disk);
                state.broken.entry(disk).or_insert((error.kind(), error.to_string()));
            }
            (_, Some(entry)) => {
                entry.settled = true;
                state.drop_unlogged(number);
            }
            (_, None) => {}
        }
        drop(guard);
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

    fn retry(&self, disk: &str) {
        let refused: Vec<(u64, u64)> = {
            let state = self.state.lock();
            let missing = || state.entries.iter().filter(|(_, entry)| *entry.disk == *disk && !entry.settled);
            // One that is still under way may land later.
            if !state.broken.contains_key(disk) || !missing().all(|(_, entry)| entry.refused) {
                return;
            }
            missing().map(|(number, entry)| (*number, entry.at.start)).collect()
        };
        let find = |(number, at): &(u64, u64)| {
            let found = entry_at(&*self.device, *at, self.size)?.filter(|found| found.number == *number);
            found.ok_or_else(|| io::Error::other("the flash log has lost a write"))
        };
        let found: io::Result<Vec<Found>> = refused.iter().map(find).collect();
        let written =
            found.and_then(|found| write_again(&*self.files, &self.path, disk, &found.iter().collect::<Vec<_>>()));
        let mut state = self.state.lock();
        if let Err(error) = written {
            state.broken.insert(disk.into(), (error.kind(), error.to_string()));
            return;
        }
        for (number, _) in refused {
            if let Some(entry) = state.entries.get_mut(&number) {
                entry.settled = true;
            }
        }
        state.broken.remove(disk);
        drop(state);
        self.changed.notify_all();
    }

    /// Writes an entry to the log's device.
    fn log(&self, entry: &Numbered) -> Logged {
        let at = {
            let mut state = self.state.lock();
            let failed = state.failed;
            match state.entries.get_mut(&entry.number) {
                Some(_) if failed => return Logged::Failed,
                Some(found) if found.needed || !found.settled => {
                    // From now on a start may find it.
                    found.on_flash = true;
                    found.at.clone()
                }
                // Or it was retired, with those before it.
                _ => return Logged::NotNeeded,
            }
        };
        let written = self.device.write_durable(at.start, &[&entry.bytes]);
        let mut state = self.state.lock();
        if written.is_err() {
            state.failed = true;
            return Logged::Failed;
        }
        // A start begins with the oldest one that this one names.
        state.entries.retain(|number, other| *number >= entry.oldest || other.disk != entry.disk);
        Logged::Yes
    }
}

/// What has become of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Logged {
    Yes,
    /// The disk has it, and no start writes an older one.
    NotNeeded,
    /// The log's device has failed.
    Failed,
}

/// An entry for the log's device.
struct Numbered {
    number: u64,
    oldest: u64,
    disk: Arc<str>,
    /// An older entry has a part of its place.
    needed: bool,
    bytes: AlignedBuffer,
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
    logged: Option<Logged>,
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
    ///
    /// # Errors
    /// When the files' identities cannot be told.
    pub(crate) fn new(below: Arc<dyn Device>, name: &str, log: &Arc<FlashLog>) -> io::Result<Self> {
        let writer = log.writer.as_ref().map(|_| Worker::new(&format!("flash log {name}")));
        let (files, path) = (&*log.shared.files, &log.shared.path);
        let identities = (identity(files, path)?, identity(files, &path.with_file_name(name))?);
        Ok(Self { below, name: name.into(), identities, log: Arc::clone(log), writer })
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

    /// A new entry; None where the disk alone is written to.
    fn enter(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<Option<Numbered>> {
        let shared = &self.log.shared;
        let bytes: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        if bytes == 0 || bytes > ENTRY_BYTES_MAX || self.name.len() > NAME_MAX {
            return Ok(None);
        }
        if self.log.writer.as_ref().is_some_and(|writer| writer.waiting() >= WAITING_MAX) {
            shared.full.fetch_add(1, Relaxed);
            return Ok(None);
        }
        let range = end_of(offset, bytes);
        let entry_bytes = (FIXED + self.name.len() + bytes).next_multiple_of(BLOCK) as u64;
        let mut state = shared.settled(shared.state.lock(), &self.name, &range)?;
        if state.failed {
            return Ok(None);
        }
        let mut place = state.place(shared.size, entry_bytes);
        if place.is_none() && state.entries.values().any(|entry| entry.settled) {
            drop(state);
            // A failure is noted; without the log it goes on.
            let _ = shared.retire_settled();
            state = shared.settled(shared.state.lock(), &self.name, &range)?;
            place = if state.failed { None } else { state.place(shared.size, entry_bytes) };
        }
        let Some(at) = place else {
            shared.full.fetch_add(1, Relaxed);
            return Ok(None);
        };
        let needed = state.entries.values().any(|entry| entry.touches(&self.name, &range));
        state.last += 1;
        let number = state.last;
        let entry = Entry {
            disk: Arc::clone(&self.name),
            bytes: range,
            at,
            settled: false,
            acknowledged: false,
            refused: false,
            on_flash: false,
            needed,
        };
        state.entries.insert(number, entry);
        let oldest = state.oldest(&self.name);
        drop(state);
        let bytes = encode((number, oldest), self.identities, &self.name, offset, buffers);
        Ok(Some(Numbered { number, oldest, disk: Arc::clone(&self.name), needed, bytes }))
    }

    /// The disk has an entry: may its writer be told? Not while a start would put an older one over it.
    fn told_by_disk(&self, entry_is_needed: bool, logged: Option<Logged>) -> io::Result<()> {
        self.log.shared.disk_first.fetch_add(1, Relaxed);
        if entry_is_needed && logged == Some(Logged::Failed) { self.log.shared.give_up() } else { Ok(()) }
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
        let Some(entry) = self.enter(offset, buffers)? else {
            self.retire(offset, buffers)?;
            return self.below.write_durable(offset, buffers);
        };
        let shared = &self.log.shared;
        let (number, needed) = (entry.number, entry.needed);
        let (Some(disk), Some(flash)) = (&self.writer, &self.log.writer) else {
            let logged = shared.log(&entry);
            let written = self.below.write_durable(offset, buffers);
            shared.ended(number, &written);
            written?;
            return self.told_by_disk(needed, Some(logged));
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
            let logged = of_flash.log(&entry);
            flash_race.outcome.lock().logged = Some(logged);
            flash_race.changed.notify_all();
        });
        let mut outcome = race.outcome.lock();
        loop {
            if outcome.logged == Some(Logged::Yes) && outcome.disk.is_none() && shared.acknowledge(number) {
                shared.flash_first.fetch_add(1, Relaxed);
                return Ok(());
            }
            let logged = outcome.logged;
            match outcome.disk.take() {
                Some(Err(error)) => return Err(error),
                Some(Ok(())) if !needed || logged.is_some() => {
                    drop(outcome);
                    return self.told_by_disk(needed, logged);
                }
                // The log has an older write there.
                waiting => outcome.disk = waiting,
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

#[cfg(test)]
mod tests {
    use device::MemoryFileSystem;

    use super::*;

    /// What a session has seen of a log before it writes the header can be old by then.
    #[test]
    fn of_two_retirements_at_once_the_later_one_stays() -> io::Result<()> {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        files.create_directory(Path::new("/c"))?;
        let (path, disk_path) = (Path::new("/c/flash_log"), Path::new("/c/one"));
        files.create(path, 1 << 20)?;
        files.create(disk_path, 1 << 20)?;
        let log = Arc::new(FlashLog::open(&files, path, true)?);
        let disk = LoggedDisk::new(files.open(disk_path)?, "one", &log)?;
        let written = |offset: u64, byte: u8| disk.write_durable(offset, &[&[byte; 512]]);
        written(0, 1)?;
        let seen = log.shared.settled_numbers();
        written(4096, 2)?;
        // The disk alone has what comes now, so the entry before it is retired.
        disk.write_at(4096, &[&[3; 512]])?;
        disk.sync()?;
        log.shared.retire_numbers(&seen)?;
        // A start has nothing to write again: the process ends here, without a further header.
        drop(FlashLog::open(&files, path, true)?);
        let mut now = [0; 512];
        files.open(disk_path)?.read_at(4096, &mut [&mut now])?;
        assert_eq!(now, [3; 512]);
        Ok(())
    }
}
