//! A file system that changes nothing: the check opens the database through it, and writes of the open, recovery
//! included, stay in memory.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex, RwLock};
use device::{AlignedBuffer, Device, FileIdentity, FileSystem, MemoryFileSystem, PendingRead};

/// Bytes of a page, the unit of overlaid writes.
const PAGE: usize = 4096;

/// Reads come from `below` and from later writes.
#[derive(Debug)]
pub(super) struct ReadOnly {
    below: Arc<dyn FileSystem>,
    /// Small files written whole.
    written: Mutex<HashMap<PathBuf, Vec<u8>>>,
    /// New files.
    made: MemoryFileSystem,
    opened: Mutex<HashMap<PathBuf, Arc<dyn Device>>>,
}

impl ReadOnly {
    pub(super) fn new(below: Arc<dyn FileSystem>) -> Self {
        Self { below, written: Mutex::default(), made: MemoryFileSystem::new(), opened: Mutex::default() }
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a check writes nothing")
}

impl FileSystem for ReadOnly {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        if self.below.exists(path)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if let Some(parent) = path.parent() {
            self.made.create_directory(parent)?;
        }
        self.made.create(path, bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        if self.made.exists(path)? {
            return self.made.open(path);
        }
        if let Some(device) = self.opened.lock().get(path) {
            return Ok(device.clone());
        }
        let below = self.below.open(path)?;
        let size = below.size()?;
        let device: Arc<dyn Device> =
            Arc::new(Overlay { below, pages: RwLock::new(WrittenPages { size, pages: BTreeMap::new() }) });
        self.opened.lock().insert(path.to_owned(), device.clone());
        Ok(device)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.made.exists(path)? { self.made.remove(path) } else { Err(refused()) }
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.written.lock().contains_key(path) || self.made.exists(path)? || self.below.exists(path)?)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.below.identity(path)
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn create_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.written.lock().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.list(directory)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    // Files are not claimed: an instance that has mounted a disk group keeps its disks.

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.written.lock().get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.below.read_whole(path),
        }
    }
}

#[derive(Debug)]
struct WrittenPages {
    size: u64,
    /// Written pages, by number.
    pages: BTreeMap<u64, Box<[u8]>>,
}

/// A file below, with the pages written over it.
#[derive(Debug)]
struct Overlay {
    below: Arc<dyn Device>,
    pages: RwLock<WrittenPages>,
}

impl Overlay {
    /// A page as it is below; zero behind its end.
    fn page_below(&self, number: u64) -> io::Result<Box<[u8]>> {
        let mut page = vec![0; PAGE].into_boxed_slice();
        let start = number * PAGE as u64;
        let there = self.below.size()?.saturating_sub(start).min(PAGE as u64) as usize;
        if there > 0 {
            self.below.read_at(start, &mut [&mut page[..there]])?;
        }
        Ok(page)
    }
}

impl Device for Overlay {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let pages = self.pages.read();
        let mut at = offset;
        for buffer in buffers.iter_mut() {
            let end = at + buffer.len() as u64;
            if end > pages.size {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let there = self.below.size()?.saturating_sub(at).min(buffer.len() as u64) as usize;
            if there > 0 {
                self.below.read_at(at, &mut [&mut buffer[..there]])?;
            }
            buffer[there..].fill(0);
            for (number, page) in pages.pages.range(at / PAGE as u64..=end / PAGE as u64) {
                let start = number * PAGE as u64;
                let (from, to) = (start.max(at), (start + PAGE as u64).min(end));
                if from < to {
                    buffer[(from - at) as usize..(to - at) as usize]
                        .copy_from_slice(&page[(from - start) as usize..(to - start) as usize]);
                }
            }
            at = end;
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let mut pages = self.pages.write();
        let mut at = offset;
        for buffer in buffers {
            let mut rest = *buffer;
            while !rest.is_empty() {
                let (number, within) = (at / PAGE as u64, (at % PAGE as u64) as usize);
                let take = rest.len().min(PAGE - within);
                let page = match pages.pages.entry(number) {
                    Entry::Occupied(page) => page.into_mut(),
                    Entry::Vacant(place) => place.insert(self.page_below(number)?),
                };
                page[within..within + take].copy_from_slice(&rest[..take]);
                at += take as u64;
                rest = &rest[take..];
            }
        }
        pages.size = pages.size.max(at);
        Ok(())
    }

    fn submit_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let mut slices: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
        let result = self.read_at(offset, &mut slices);
        drop(slices);
        Ok(PendingRead::ready(result.map(|()| buffers)))
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.pages.read().size)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.pages.write().size = bytes;
        Ok(())
    }

    fn direct(&self) -> bool {
        false
    }
}

/// The same files, read-only: writes stay in memory.
pub(crate) fn read_only(files: Arc<dyn FileSystem>) -> Arc<dyn FileSystem> {
    Arc::new(ReadOnly::new(files))
}
