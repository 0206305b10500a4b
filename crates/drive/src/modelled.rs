//! Files whose requests take the time of a model: bytes are really stored in the files beneath.

use std::fmt::Debug;
use std::io;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::Clock;
use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Claim, Device, FileAccess, FileIdentity, FileSystem, PendingRead, ReadInFlight};

use crate::cell::{CELL_FILE, Cell, is_own_file};
use crate::disk::SECTOR;
use crate::model::{Kind, Request};
use crate::spindle::{Spindle, Submitted};

/// Where a file lies on its device.
pub(crate) trait Placement: Send + Sync + Debug {
    /// The parts of the device that hold these bytes of the file, in bytes; a write may extend the file.
    ///
    /// # Errors
    /// When a write is for bytes that the file cannot have.
    fn parts(&self, kind: Kind, bytes: Range<u64>) -> io::Result<Vec<Range<u64>>>;

    /// The file is to have this size.
    ///
    /// # Errors
    /// When it cannot have it.
    fn resize(&self, bytes: u64) -> io::Result<()>;
}

/// One range of a device, which the file keeps.
#[derive(Debug)]
struct Fixed {
    offset: u64,
    bytes: u64,
}

impl Fixed {
    fn too_large(&self, offset: u64) -> io::Error {
        let text = format!("byte {offset} and what follows: the grid disk has {} bytes", self.bytes);
        io::Error::new(io::ErrorKind::InvalidInput, text)
    }
}

impl Placement for Fixed {
    fn parts(&self, kind: Kind, bytes: Range<u64>) -> io::Result<Vec<Range<u64>>> {
        match bytes.end <= self.bytes {
            true => Ok(iter::once(self.offset + bytes.start..self.offset + bytes.end).collect()),
            // A read beyond the end is the file's own error.
            false if kind == Kind::Read => Ok(Vec::new()),
            false => Err(self.too_large(bytes.start)),
        }
    }

    fn resize(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.bytes { Err(self.too_large(bytes)) } else { Ok(()) }
    }
}

/// A file on a modelled device.
#[derive(Debug)]
pub struct ModelledDevice {
    below: Arc<dyn Device>,
    spindle: Arc<Spindle>,
    place: Arc<dyn Placement>,
}

/// A request under way on a spindle, in one part or several. A drop before the wait has the spindle forget it.
#[derive(Debug)]
pub(crate) struct InFlight {
    spindle: Arc<Spindle>,
    submitted: Vec<Submitted>,
}

impl InFlight {
    /// Submits a request for these parts of the device, in bytes.
    pub(crate) fn submit(spindle: &Arc<Spindle>, kind: Kind, parts: &[Range<u64>]) -> Self {
        let submit = |part: &Range<u64>| {
            let block = part.start / SECTOR;
            spindle.submit(Request { kind, block, blocks: part.end.div_ceil(SECTOR) - block })
        };
        let parts = if spindle.is_untimed() { &[] } else { parts };
        let submitted = parts.iter().filter(|part| !part.is_empty()).map(submit).collect();
        Self { spindle: Arc::clone(spindle), submitted }
    }

    /// Asks for what has been written to become durable.
    fn flush(spindle: &Arc<Spindle>) -> Self {
        let submitted = if spindle.is_untimed() { Vec::new() } else { vec![spindle.flush()] };
        Self { spindle: Arc::clone(spindle), submitted }
    }

    fn is_done(&self) -> bool {
        self.submitted.iter().all(|submitted| self.spindle.is_done(submitted))
    }

    /// Blocks until the request ends.
    pub(crate) fn wait(self) {
        self.wait_since(0.0);
    }

    /// Blocks until the request ends; lateness counts from `asked` on.
    fn wait_since(mut self, mut asked: f64) {
        for submitted in std::mem::take(&mut self.submitted) {
            self.spindle.wait_since(submitted, asked);
            // A part that ended while another one was waited for is not late.
            asked = self.spindle.now();
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        for submitted in std::mem::take(&mut self.submitted) {
            self.spindle.forget(submitted);
        }
    }
}

impl ModelledDevice {
    /// `offset`: where on the device the file begins, in bytes; `bytes`: how many of them it can have.
    #[must_use]
    pub fn new(below: Arc<dyn Device>, spindle: Arc<Spindle>, offset: u64, bytes: u64) -> Self {
        Self::placed(below, spindle, Arc::new(Fixed { offset, bytes }))
    }

    pub(crate) fn placed(below: Arc<dyn Device>, spindle: Arc<Spindle>, place: Arc<dyn Placement>) -> Self {
        Self { below, spindle, place }
    }

    fn submit(&self, kind: Kind, offset: u64, bytes: usize) -> io::Result<InFlight> {
        let end = offset.checked_add(bytes as u64);
        let parts = match end {
            // No file is so long: the error is that of the file beneath.
            None => Vec::new(),
            Some(end) => self.place.parts(kind, offset..end)?,
        };
        Ok(InFlight::submit(&self.spindle, kind, &parts))
    }

    /// Runs a request on both: it ends when both have ended.
    fn run_on_both(
        &self,
        kind: Kind,
        offset: u64,
        bytes: usize,
        below: impl FnOnce(&dyn Device) -> io::Result<()>,
    ) -> io::Result<()> {
        let in_flight = self.submit(kind, offset, bytes)?;
        let result = below(&*self.below);
        in_flight.wait();
        result
    }
}

fn bytes_of(buffers: &[&[u8]]) -> usize {
    buffers.iter().map(|buffer| buffer.len()).sum()
}

impl Device for ModelledDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        self.run_on_both(Kind::Read, offset, bytes, |below| below.read_at(offset, buffers))
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.run_on_both(Kind::Write, offset, bytes_of(buffers), |below| below.write_at(offset, buffers))
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.run_on_both(Kind::WriteThrough, offset, bytes_of(buffers), |below| below.write_durable(offset, buffers))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let in_flight = self.submit(Kind::Read, offset, bytes)?;
        let read = self.below.submit_read(offset, buffers)?;
        Ok(PendingRead::new(ModelledRead { read, in_flight }))
    }

    fn sync(&self) -> io::Result<()> {
        let in_flight = InFlight::flush(&self.spindle);
        let result = self.below.sync();
        in_flight.wait();
        result
    }

    fn size(&self) -> io::Result<u64> {
        self.below.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.place.resize(bytes)?;
        self.below.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.below.direct()
    }

    fn cuts_at(&self) -> Option<u64> {
        self.below.cuts_at()
    }
}

struct ModelledRead {
    read: PendingRead,
    in_flight: InFlight,
}

impl ReadInFlight for ModelledRead {
    fn is_done(&mut self) -> bool {
        self.in_flight.is_done() && self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let asked = self.in_flight.spindle.now();
        let result = self.read.wait();
        self.in_flight.wait_since(asked);
        result
    }
}

/// A file system. Files in a cell's folder are on modelled devices; the others are passed through.
#[derive(Debug)]
pub struct ModelledFileSystem {
    below: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    cells: Mutex<Vec<KnownCell>>,
}

/// A cell whose folder has been met.
#[derive(Debug)]
struct KnownCell {
    directory: PathBuf,
    identity: Option<FileIdentity>,
    cell: Arc<Cell>,
}

fn directory_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

impl ModelledFileSystem {
    #[must_use]
    pub fn new(below: Arc<dyn FileSystem>, clock: Arc<dyn Clock>) -> Self {
        Self { below, clock, cells: Mutex::new(Vec::new()) }
    }

    /// The cell of a folder. All users of this file system share its devices, by whatever path they come.
    fn cell(&self, directory: &Path) -> io::Result<Option<Arc<Cell>>> {
        let identity = self.below.identity(directory)?;
        let mut cells = self.cells.lock();
        // Another folder may get the identity of one that was removed.
        if !self.below.exists(&directory.join(CELL_FILE))? {
            cells.retain(|known| match (known.identity, identity) {
                (Some(known), Some(identity)) => known != identity,
                _ => known.directory != directory,
            });
            return Ok(None);
        }
        let is_known = |known: &&KnownCell| match (known.identity, identity) {
            (Some(known), Some(identity)) => known == identity,
            _ => known.directory == directory,
        };
        if let Some(known) = cells.iter().find(is_known) {
            return Ok(Some(Arc::clone(&known.cell)));
        }
        let Some(cell) = Cell::load(&*self.below, directory, &self.clock).map_err(io::Error::other)? else {
            return Ok(None);
        };
        let cell = Arc::new(cell);
        cells.push(KnownCell { directory: directory.to_owned(), identity, cell: Arc::clone(&cell) });
        Ok(Some(cell))
    }

    /// The cells whose files have been opened.
    #[must_use]
    pub fn cells(&self) -> Vec<Arc<Cell>> {
        self.cells.lock().iter().map(|known| Arc::clone(&known.cell)).collect()
    }
}

impl FileSystem for ModelledFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        if self.cell(directory_of(path))?.is_some() {
            let text = format!("{}: in a cell's folder only the command cells makes files", path.display());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        self.below.create(path, bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        let Some(cell) = self.cell(directory_of(path))? else { return self.below.open(path) };
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let Some((spindle, offset, bytes)) = cell.place(&name) else {
            let text = format!("{} is no grid disk of cell {} ({CELL_FILE})", path.display(), cell.name);
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        };
        Ok(Arc::new(ModelledDevice::new(self.below.open(path)?, spindle, offset, bytes)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.below.remove(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.below.exists(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.below.identity(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.below.rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.below.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.below.sync_directory(path)
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.below.write_whole(path, bytes)
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.below.read_whole(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = self.below.list(directory)?;
        paths.retain(|path| !is_own_file(path));
        Ok(paths)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        self.below.free_bytes(directory)
    }

    fn access_by(&self, access: FileAccess) {
        self.below.access_by(access);
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.below.claim(path)
    }
}
