//! A file system whose power can be cut: what was not durable may be lost, a sector at a time.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Device, FileSystem, PendingRead};

const SECTOR: usize = 512;

#[derive(Clone, Default, Debug)]
struct Content {
    durable: Vec<u8>,
    /// As reads see it.
    now: Vec<u8>,
    /// Sectors that are not durable, in the order of their writes.
    pending: Vec<(usize, Vec<u8>)>,
}

#[derive(Debug)]
struct Files {
    all: BTreeMap<PathBuf, Content>,
    /// Writes that are still carried out; then the power is off.
    left: u64,
}

/// Files with and without power.
#[derive(Clone, Debug)]
pub(crate) struct PowerFileSystem(Arc<Mutex<Files>>);

impl PowerFileSystem {
    pub(crate) fn new(sizes: &[(&str, usize)]) -> Self {
        let content = |bytes: usize| Content { durable: vec![0; bytes], now: vec![0; bytes], pending: Vec::new() };
        let all = sizes.iter().map(|(path, bytes)| (PathBuf::from(path), content(*bytes))).collect();
        Self(Arc::new(Mutex::new(Files { all, left: u64::MAX })))
    }

    /// After so many further writes the power is off: half of the last one arrives.
    pub(crate) fn cut_after(&self, writes: u64) {
        self.0.lock().left = writes;
    }

    /// Is the power off?
    pub(crate) fn is_off(&self) -> bool {
        self.0.lock().left == 0
    }

    /// What is there when the power is back. `keeps` says of each sector that was not durable whether it has arrived.
    pub(crate) fn after(&self, mut keeps: impl FnMut() -> bool) -> Self {
        let files = self.0.lock();
        let mut all = files.all.clone();
        for content in all.values_mut() {
            for (at, sector) in std::mem::take(&mut content.pending) {
                if keeps() {
                    content.durable[at..at + sector.len()].copy_from_slice(&sector);
                }
            }
            content.now = content.durable.clone();
        }
        Self(Arc::new(Mutex::new(Files { all, left: u64::MAX })))
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        self.0.lock().all[Path::new(path)].now.clone()
    }
}

#[derive(Debug)]
struct PowerDevice {
    path: PathBuf,
    files: Arc<Mutex<Files>>,
}

fn off() -> io::Error {
    io::Error::other("the power is off")
}

impl PowerDevice {
    fn with<T>(&self, work: impl FnOnce(&mut Content) -> T) -> io::Result<T> {
        let mut files = self.files.lock();
        if files.left == 0 {
            return Err(off());
        }
        Ok(work(files.all.get_mut(&self.path).ok_or(io::ErrorKind::NotFound)?))
    }

    fn write(&self, offset: u64, buffers: &[&[u8]], durable: bool) -> io::Result<()> {
        let mut bytes = buffers.concat();
        let last = {
            let mut files = self.files.lock();
            if files.left == 0 {
                return Err(off());
            }
            files.left -= 1;
            files.left == 0
        };
        if last {
            bytes.truncate(bytes.len() / 2 / SECTOR * SECTOR);
        }
        let mut files = self.files.lock();
        let content = files.all.get_mut(&self.path).ok_or(io::ErrorKind::NotFound)?;
        let at = offset as usize;
        if at + bytes.len() > content.now.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        content.now[at..at + bytes.len()].copy_from_slice(&bytes);
        for (number, sector) in bytes.chunks(SECTOR).enumerate() {
            content.pending.push((at + number * SECTOR, sector.to_vec()));
        }
        if last {
            return Err(off());
        }
        if durable {
            // A drive may make more durable than it was asked for.
            for (at, sector) in std::mem::take(&mut content.pending) {
                content.durable[at..at + sector.len()].copy_from_slice(&sector);
            }
        }
        Ok(())
    }
}

impl Device for PowerDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.with(|content| {
            let mut at = offset as usize;
            for buffer in buffers {
                let from = content.now.get(at..at + buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                buffer.copy_from_slice(from);
                at += buffer.len();
            }
            Ok(())
        })?
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, false)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, true)
    }

    fn submit_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        let read = self.read_at(offset, &mut parts);
        Ok(PendingRead::ready(read.map(|()| buffers)))
    }

    fn sync(&self) -> io::Result<()> {
        self.with(|content| {
            for (at, sector) in std::mem::take(&mut content.pending) {
                content.durable[at..at + sector.len()].copy_from_slice(&sector);
            }
        })
    }

    fn size(&self) -> io::Result<u64> {
        self.with(|content| content.now.len() as u64)
    }

    fn set_size(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn direct(&self) -> bool {
        false
    }
}

fn unused<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

impl FileSystem for PowerFileSystem {
    fn create(&self, _: &Path, _: u64) -> io::Result<Arc<dyn Device>> {
        unused()
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        if !self.exists(path)? {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Arc::new(PowerDevice { path: path.to_owned(), files: Arc::clone(&self.0) }))
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        unused()
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.0.lock().all.contains_key(path))
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        unused()
    }

    fn create_directory(&self, _: &Path) -> io::Result<()> {
        unused()
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        unused()
    }

    fn write_whole(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        unused()
    }

    fn read_whole(&self, _: &Path) -> io::Result<Vec<u8>> {
        unused()
    }
}
