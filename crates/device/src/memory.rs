//! Files in memory: for tests, and for the simulator to build on.
//!
//! A file is a list of pieces; a piece never written does not exist and reads as zeros. Names and contents have locks
//! of their own, so that a removed or renamed file lives on in its open devices. Everything is durable at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, RwLock};

use crate::buffer::AlignedBuffer;
use crate::device::{Device, FileSystem, PendingRead};

/// Bytes of a file that are kept together.
const PIECE: usize = 256 << 10;

/// Files in memory.
#[derive(Debug)]
pub struct MemoryFileSystem {
    names: Mutex<Names>,
    space: Arc<Space>,
}

#[derive(Default, Debug)]
struct Names {
    files: BTreeMap<PathBuf, Arc<RwLock<Content>>>,
    directories: BTreeSet<PathBuf>,
}

/// Bytes by which all files together may still grow.
#[derive(Debug)]
struct Space(AtomicU64);

impl Space {
    fn take(&self, bytes: u64) -> io::Result<()> {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_| io::ErrorKind::StorageFull.into())
    }

    fn give_back(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct Content {
    pieces: Vec<Option<Box<[u8]>>>,
    size: u64,
    space: Arc<Space>,
}

impl Drop for Content {
    fn drop(&mut self) {
        self.space.give_back(self.size);
    }
}

impl Content {
    fn new(space: &Arc<Space>) -> Self {
        Self { pieces: Vec::new(), size: 0, space: Arc::clone(space) }
    }

    fn resize(&mut self, bytes: u64) -> io::Result<()> {
        if bytes > self.size {
            let pieces = usize::try_from(bytes.div_ceil(PIECE as u64)).map_err(|_| io::ErrorKind::FileTooLarge)?;
            self.space.take(bytes - self.size)?;
            self.pieces.resize(pieces, None);
        } else {
            self.space.give_back(self.size - bytes);
            self.pieces.truncate(bytes.div_ceil(PIECE as u64) as usize);
            let used = (bytes % PIECE as u64) as usize;
            if used > 0
                && let Some(Some(last)) = self.pieces.last_mut()
            {
                last[used..].fill(0);
            }
        }
        self.size = bytes;
        Ok(())
    }

    /// The end of the range; an error when it exceeds the address space.
    fn end(offset: u64, bytes: usize) -> io::Result<u64> {
        offset
            .checked_add(bytes as u64)
            .filter(|end| i64::try_from(*end).is_ok())
            .ok_or(io::ErrorKind::InvalidInput.into())
    }

    fn read(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let wanted = buffers.iter().map(|b| b.len()).sum();
        if Self::end(offset, wanted)? > self.size && wanted > 0 {
            let got = self.size.saturating_sub(offset);
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("read of {wanted} bytes at offset {offset} met the end of the file after {got}"),
            ));
        }
        let mut at = offset;
        for buffer in buffers {
            let mut rest = &mut **buffer;
            while !rest.is_empty() {
                let (piece, from) = place(at);
                let bytes = rest.len().min(PIECE - from);
                let (now, later) = rest.split_at_mut(bytes);
                match &self.pieces[piece] {
                    Some(content) => now.copy_from_slice(&content[from..from + bytes]),
                    None => now.fill(0),
                }
                rest = later;
                at += bytes as u64;
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|b| b.len()).sum();
        let end = Self::end(offset, bytes)?;
        if end > self.size && bytes > 0 {
            self.resize(end)?;
        }
        let mut at = offset;
        for buffer in buffers {
            let mut rest = *buffer;
            while !rest.is_empty() {
                let (piece, from) = place(at);
                let (now, later) = rest.split_at(rest.len().min(PIECE - from));
                let content = self.pieces[piece].get_or_insert_with(|| vec![0; PIECE].into_boxed_slice());
                content[from..from + now.len()].copy_from_slice(now);
                rest = later;
                at += now.len() as u64;
            }
        }
        Ok(())
    }
}

/// The piece of an offset, and the position in it.
fn place(offset: u64) -> (usize, usize) {
    ((offset / PIECE as u64) as usize, (offset % PIECE as u64) as usize)
}

impl Default for MemoryFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryFileSystem {
    /// No files, and space limited by the machine's memory alone.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(u64::MAX)
    }

    /// No files, and room for `bytes` in all of them together: more is [`io::ErrorKind::StorageFull`].
    #[must_use]
    pub fn with_capacity(bytes: u64) -> Self {
        Self { names: Mutex::default(), space: Arc::new(Space(AtomicU64::new(bytes))) }
    }

    fn content(&self, path: &Path) -> io::Result<Arc<RwLock<Content>>> {
        self.names.lock().files.get(path).cloned().ok_or_else(|| not_found(path))
    }
}

fn not_found(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("there is no file {}", path.display()))
}

impl FileSystem for MemoryFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        let mut names = self.names.lock();
        if names.files.contains_key(path) || names.directories.contains(path) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is there already", path.display())));
        }
        let mut content = Content::new(&self.space);
        content.resize(bytes)?;
        let content = Arc::new(RwLock::new(content));
        names.files.insert(path.to_owned(), Arc::clone(&content));
        Ok(Arc::new(MemoryDevice(content)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(MemoryDevice(self.content(path)?)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.names.lock().files.remove(path).map(drop).ok_or_else(|| not_found(path))
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        let names = self.names.lock();
        Ok(names.files.contains_key(path) || names.directories.contains(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut names = self.names.lock();
        let content = names.files.remove(from).ok_or_else(|| not_found(from))?;
        names.files.insert(to.to_owned(), content);
        Ok(())
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.names.lock().directories.extend(path.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut content = Content::new(&self.space);
        content.write(0, &[bytes])?;
        self.names.lock().files.insert(path.to_owned(), Arc::new(RwLock::new(content)));
        Ok(())
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        let content = self.content(path)?;
        let content = content.read();
        let mut bytes = vec![0; usize::try_from(content.size).map_err(|_| io::ErrorKind::FileTooLarge)?];
        content.read(0, &mut [&mut bytes])?;
        Ok(bytes)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let names = self.names.lock();
        let found: Vec<_> = names.files.keys().filter(|path| path.parent() == Some(directory)).cloned().collect();
        if found.is_empty() && !names.directories.contains(directory) {
            return Err(not_found(directory));
        }
        Ok(found)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let names = self.names.lock();
        Ok(names.directories.iter().filter(|path| path.parent() == Some(directory)).cloned().collect())
    }
}

#[derive(Debug)]
struct MemoryDevice(Arc<RwLock<Content>>);

impl Device for MemoryDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.0.read().read(offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.0.write().write(offset, buffers)
    }

    fn submit_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|b| &mut **b).collect();
        let result = self.read_at(offset, &mut parts);
        Ok(PendingRead::ready(result.map(|()| buffers)))
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.read().size)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.0.write().resize(bytes)
    }

    fn direct(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_limited_and_comes_back() {
        let files = MemoryFileSystem::with_capacity(1000);
        let first = files.create(Path::new("a"), 600).unwrap();
        assert_eq!(files.create(Path::new("b"), 600).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(!files.exists(Path::new("b")).unwrap());
        assert_eq!(first.set_size(1001).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(first.size().unwrap(), 600);
        first.set_size(100).unwrap();
        files.create(Path::new("b"), 900).unwrap();
        drop(first);
        files.remove(Path::new("a")).unwrap();
        files.create(Path::new("c"), 100).unwrap();
    }
}
