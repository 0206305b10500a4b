//! A folder on one modelled device: each of its files has a range of the device, in the order in which they are made.
//!
//! ```text
//!     system01.dbf ── 0 ─────────── 64 MB ┐
//!     redo01.log   ── 64 ── 192 MB        ├── one address space, one arm, one queue
//!     bench01.dbf  ── 192 ─ 256 MB        │
//!     undo01.dbf   ── 256 ─ 320 MB        │
//!     bench01.dbf  ── 320 ─ 384 MB        ┘  has grown; a request across two ranges is two for the device
//! ```
//!
//! - A file grows into the range behind its last one while that is free; else into the first free range that is large
//!   enough; else into several, from the begin of the device on.
//! - A file that was there before is placed when it is opened. Places are kept in memory alone: another process would
//!   place the files anew.
//! - Files are known by their paths as they are given: a link is another file.
//! - Making, removing and renaming files takes no time of the device, and neither does their growth. Files outside the
//!   folder are passed through.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::Clock;
use common::sync::{Arc, Mutex};
use device::{Claim, Device, FileAccess, FileIdentity, FileSystem};

use crate::file::ModelFile;
use crate::lateness::{Lateness, LatenessSummary};
use crate::model::Kind;
use crate::modelled::{InFlight, ModelledDevice, Placement};
use crate::spindle::Spindle;

/// Ranges are multiples of it, as the blocks of file systems are.
const UNIT: u64 = 4096;

/// A file system in which one folder, with what is below it, lies on a modelled device.
#[derive(Debug)]
pub struct ModelledFolder {
    below: Arc<dyn FileSystem>,
    directory: PathBuf,
    spindle: Arc<Spindle>,
    space: Arc<Mutex<FolderSpace>>,
    files: Mutex<BTreeMap<PathBuf, Arc<FileRanges>>>,
}

/// The ranges of the device that no file has: begin and end of each, none touching another.
#[derive(Debug)]
struct FolderSpace(BTreeMap<u64, u64>);

/// The ranges of a file, in the order of its bytes. They are free again when this is dropped.
#[derive(Debug)]
struct FileRanges {
    ranges: Mutex<Vec<Range<u64>>>,
    space: Arc<Mutex<FolderSpace>>,
}

impl FolderSpace {
    fn free(&self) -> u64 {
        self.0.iter().map(|(begin, end)| end - begin).sum()
    }

    /// Takes so many bytes, behind `last` where that is possible.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`]; nothing is taken then.
    fn take(&mut self, bytes: u64, last: Option<u64>) -> io::Result<Vec<Range<u64>>> {
        if bytes > self.free() {
            let text = format!("the modelled device is full: {bytes} bytes are wanted, {} are free", self.free());
            return Err(io::Error::new(io::ErrorKind::StorageFull, text));
        }
        let (mut taken, mut rest) = (Vec::new(), bytes);
        while rest > 0 {
            let behind = last.filter(|last| taken.is_empty() && self.0.contains_key(last));
            let large = || self.0.iter().find(|(begin, end)| *end - *begin >= rest).map(|(begin, _)| *begin);
            let Some(begin) = behind.or_else(large).or_else(|| self.0.keys().next().copied()) else { break };
            let Some(end) = self.0.remove(&begin) else { break };
            let here = rest.min(end - begin);
            if begin + here < end {
                self.0.insert(begin + here, end);
            }
            taken.push(begin..begin + here);
            rest -= here;
        }
        Ok(taken)
    }

    fn give_back(&mut self, range: Range<u64>) {
        let Range { mut start, mut end } = range;
        if let Some(behind) = self.0.remove(&end) {
            end = behind;
        }
        if let Some((before, touching)) = self.0.range(..start).next_back().map(|(begin, end)| (*begin, *end))
            && touching == start
        {
            self.0.remove(&before);
            start = before;
        }
        if start < end {
            self.0.insert(start, end);
        }
    }
}

fn bytes_of(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

impl FileRanges {
    fn new(space: &Arc<Mutex<FolderSpace>>, bytes: u64) -> io::Result<Self> {
        let file = Self { ranges: Mutex::default(), space: Arc::clone(space) };
        file.resize(bytes)?;
        Ok(file)
    }

    fn grow(&self, ranges: &mut Vec<Range<u64>>, bytes: u64) -> io::Result<()> {
        let have = bytes_of(ranges);
        if bytes <= have {
            return Ok(());
        }
        let wanted = bytes.checked_next_multiple_of(UNIT).ok_or(io::ErrorKind::FileTooLarge)?;
        let taken = self.space.lock().take(wanted - have, ranges.last().map(|last| last.end))?;
        for range in taken {
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        Ok(())
    }

    fn shrink(&self, ranges: &mut Vec<Range<u64>>, bytes: u64) {
        let mut over = bytes_of(ranges) - bytes;
        let mut space = self.space.lock();
        while over > 0
            && let Some(last) = ranges.last_mut()
        {
            let here = over.min(last.end - last.start);
            space.give_back(last.end - here..last.end);
            last.end -= here;
            if last.is_empty() {
                ranges.pop();
            }
            over -= here;
        }
    }
}

impl Drop for FileRanges {
    fn drop(&mut self) {
        self.shrink(&mut self.ranges.lock(), 0);
    }
}

impl Placement for FileRanges {
    fn parts(&self, kind: Kind, bytes: Range<u64>) -> io::Result<Vec<Range<u64>>> {
        let mut ranges = self.ranges.lock();
        if kind != Kind::Read {
            self.grow(&mut ranges, bytes.end)?;
        }
        let (mut parts, mut begin) = (Vec::new(), 0);
        for range in ranges.iter() {
            let end = begin + (range.end - range.start);
            let (from, to) = (bytes.start.max(begin), bytes.end.min(end));
            if from < to {
                parts.push(range.start + (from - begin)..range.start + (to - begin));
            }
            begin = end;
        }
        Ok(parts)
    }

    fn resize(&self, bytes: u64) -> io::Result<()> {
        let mut ranges = self.ranges.lock();
        self.grow(&mut ranges, bytes)?;
        let keep = bytes.next_multiple_of(UNIT);
        if keep < bytes_of(&ranges) {
            self.shrink(&mut ranges, keep);
        }
        Ok(())
    }
}

impl ModelledFolder {
    /// A folder of another file system, on a device of this model at rest. `dilate`: so many times slower than the
    /// model says.
    #[must_use]
    pub fn new(
        below: Arc<dyn FileSystem>,
        directory: &Path,
        model: &ModelFile,
        clock: Arc<dyn Clock>,
        dilate: f64,
    ) -> Self {
        let model = model.start();
        let whole = model.bytes() / UNIT * UNIT;
        let space = Arc::new(Mutex::new(FolderSpace(BTreeMap::from([(0, whole)]))));
        let spindle = Arc::new(Spindle::new(model, clock, dilate));
        Self { below, directory: directory.to_owned(), spindle, space, files: Mutex::default() }
    }

    /// The device.
    #[must_use]
    pub fn spindle(&self) -> &Arc<Spindle> {
        &self.spindle
    }

    /// The places of a file on the device, in the order of its bytes; None for one that has not been opened.
    #[must_use]
    pub fn places(&self, path: &Path) -> Option<Vec<Range<u64>>> {
        self.files.lock().get(path).map(|file| file.ranges.lock().clone())
    }

    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.directory)
    }

    fn on_device(&self, below: Arc<dyn Device>, ranges: Arc<FileRanges>) -> Arc<dyn Device> {
        Arc::new(ModelledDevice::placed(below, Arc::clone(&self.spindle), ranges))
    }

    /// The ranges of a file that has so many bytes where it is met for the first time.
    fn placed(&self, path: &Path, bytes: u64) -> io::Result<Arc<FileRanges>> {
        let mut files = self.files.lock();
        if let Some(known) = files.get(path) {
            return Ok(Arc::clone(known));
        }
        let ranges = Arc::new(FileRanges::new(&self.space, bytes)?);
        files.insert(path.to_owned(), Arc::clone(&ranges));
        Ok(ranges)
    }
}

/// How late requests of several devices ended, all together.
#[must_use]
pub fn lateness_of<'a>(devices: impl IntoIterator<Item = &'a Arc<Spindle>>) -> LatenessSummary {
    let all = Lateness::default();
    devices.into_iter().for_each(|device| all.add(device.lateness()));
    all.summary()
}

impl FileSystem for ModelledFolder {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        if !self.is_inside(path) {
            return self.below.create(path, bytes);
        }
        // Before the file is made: a device that is full is to leave none.
        let ranges = Arc::new(FileRanges::new(&self.space, bytes)?);
        let below = self.below.create(path, bytes)?;
        self.files.lock().insert(path.to_owned(), Arc::clone(&ranges));
        Ok(self.on_device(below, ranges))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        let below = self.below.open(path)?;
        if !self.is_inside(path) {
            return Ok(below);
        }
        let ranges = self.placed(path, below.size()?)?;
        Ok(self.on_device(below, ranges))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.below.remove(path)?;
        self.files.lock().remove(path);
        Ok(())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.below.exists(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.below.identity(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.below.rename(from, to)?;
        let mut files = self.files.lock();
        let moved = files.remove(from);
        files.remove(to);
        if let Some(ranges) = moved.filter(|_| self.is_inside(to)) {
            files.insert(to.to_owned(), ranges);
        }
        Ok(())
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.below.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.below.sync_directory(path)
    }

    /// One durable write of the device.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if !self.is_inside(path) {
            return self.below.write_whole(path, bytes);
        }
        let size = bytes.len() as u64;
        let ranges = self.placed(path, size)?;
        ranges.resize(size)?;
        let parts = ranges.parts(Kind::WriteThrough, 0..size)?;
        let in_flight = InFlight::submit(&self.spindle, Kind::WriteThrough, &parts);
        let result = self.below.write_whole(path, bytes);
        in_flight.wait();
        result
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        if !self.is_inside(path) {
            return self.below.read_whole(path);
        }
        let size = self.below.open(path)?.size()?;
        let parts = self.placed(path, size)?.parts(Kind::Read, 0..size)?;
        let in_flight = InFlight::submit(&self.spindle, Kind::Read, &parts);
        let result = self.below.read_whole(path);
        in_flight.wait();
        result
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.list(directory)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        let below = self.below.free_bytes(directory)?;
        if !self.is_inside(directory) {
            return Ok(below);
        }
        let free = self.space.lock().free();
        Ok(Some(below.map_or(free, |below| below.min(free))))
    }

    fn access_by(&self, access: FileAccess) {
        self.below.access_by(access);
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.below.claim(path)
    }
}
