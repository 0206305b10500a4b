//! Files whose requests take the time of a model: bytes are really stored in the files beneath.

use std::io;
use std::path::{Path, PathBuf};

use common::Clock;
use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Claim, Device, FileAccess, FileIdentity, FileSystem, PendingRead, ReadInFlight};

use crate::cell::{CELL_FILE, Cell};
use crate::disk::SECTOR;
use crate::model::{Kind, Request};
use crate::spindle::{Spindle, Submitted};

/// A file on a modelled device.
#[derive(Debug)]
pub struct ModelledDevice {
    below: Arc<dyn Device>,
    spindle: Arc<Spindle>,
    /// Where on the device the file begins.
    offset: u64,
}

impl ModelledDevice {
    /// `offset`: where on the device the file begins, in bytes.
    #[must_use]
    pub fn new(below: Arc<dyn Device>, spindle: Arc<Spindle>, offset: u64) -> Self {
        Self { below, spindle, offset }
    }

    fn submit(&self, kind: Kind, offset: u64, bytes: usize) -> Option<Submitted> {
        if bytes == 0 {
            return None;
        }
        let (from, to) = (self.offset.saturating_add(offset), self.offset.saturating_add(offset + bytes as u64));
        let block = from / SECTOR;
        Some(self.spindle.submit(Request { kind, block, blocks: to.div_ceil(SECTOR) - block }))
    }

    /// Runs a request on both: it ends when both have ended.
    fn both(
        &self,
        kind: Kind,
        offset: u64,
        bytes: usize,
        below: impl FnOnce(&dyn Device) -> io::Result<()>,
    ) -> io::Result<()> {
        let submitted = self.submit(kind, offset, bytes);
        let result = below(&*self.below);
        if let Some(submitted) = submitted {
            self.spindle.wait(submitted);
        }
        result
    }
}

fn bytes_of(buffers: &[&[u8]]) -> usize {
    buffers.iter().map(|buffer| buffer.len()).sum()
}

impl Device for ModelledDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        self.both(Kind::Read, offset, bytes, |below| below.read_at(offset, buffers))
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.both(Kind::Write, offset, bytes_of(buffers), |below| below.write_at(offset, buffers))
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.both(Kind::WriteThrough, offset, bytes_of(buffers), |below| below.write_durable(offset, buffers))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let submitted = self.submit(Kind::Read, offset, bytes);
        let read = self.below.submit_read(offset, buffers)?;
        let Some(submitted) = submitted else { return Ok(read) };
        Ok(PendingRead::new(ModelledRead { read, spindle: Arc::clone(&self.spindle), submitted }))
    }

    fn sync(&self) -> io::Result<()> {
        let submitted = self.spindle.flush();
        let result = self.below.sync();
        self.spindle.wait(submitted);
        result
    }

    fn size(&self) -> io::Result<u64> {
        self.below.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
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
    spindle: Arc<Spindle>,
    submitted: Submitted,
}

impl ReadInFlight for ModelledRead {
    fn is_done(&mut self) -> bool {
        self.spindle.is_done(self.submitted) && self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let result = self.read.wait();
        self.spindle.wait(self.submitted);
        result
    }
}

/// Files of which those in a cell's folder are on modelled devices.
#[derive(Debug)]
pub struct ModelledFileSystem {
    below: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    cells: Mutex<Vec<(PathBuf, Option<Arc<Cell>>)>>,
}

fn directory_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

impl ModelledFileSystem {
    #[must_use]
    pub fn new(below: Arc<dyn FileSystem>, clock: Arc<dyn Clock>) -> Self {
        Self { below, clock, cells: Mutex::new(Vec::new()) }
    }

    /// The cell of a folder. All users of this file system share its devices.
    fn cell(&self, directory: &Path) -> io::Result<Option<Arc<Cell>>> {
        let mut cells = self.cells.lock();
        if let Some((_, cell)) = cells.iter().find(|(known, _)| known == directory) {
            return Ok(cell.clone());
        }
        let loaded = Cell::load(&*self.below, directory, &self.clock).map_err(io::Error::other)?;
        let cell = loaded.map(Arc::new);
        cells.push((directory.to_owned(), cell.clone()));
        Ok(cell)
    }

    /// The cells whose files have been opened.
    #[must_use]
    pub fn cells(&self) -> Vec<Arc<Cell>> {
        self.cells.lock().iter().filter_map(|(_, cell)| cell.clone()).collect()
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
        let Some((spindle, offset)) = cell.place(&name) else {
            let text = format!("{} is no grid disk of cell {} ({CELL_FILE})", path.display(), cell.name);
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        };
        Ok(Arc::new(ModelledDevice::new(self.below.open(path)?, spindle, offset)))
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
        paths.retain(|path| path.file_name().is_none_or(|name| name != CELL_FILE));
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
