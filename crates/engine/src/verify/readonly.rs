//! A file system that changes nothing: the check opens the database through it, and what opening would write stays in memory.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Device, FileSystem, PendingRead};

/// Reads come from `below`; small files that are written whole are kept here; datafiles cannot be written.
#[derive(Debug)]
pub(super) struct ReadOnly {
    below: Arc<dyn FileSystem>,
    written: Mutex<HashMap<PathBuf, Vec<u8>>>,
}

impl ReadOnly {
    pub(super) fn new(below: Arc<dyn FileSystem>) -> Self {
        Self { below, written: Mutex::default() }
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a check writes nothing")
}

impl FileSystem for ReadOnly {
    fn create(&self, _: &Path, _: u64) -> io::Result<Arc<dyn Device>> {
        Err(refused())
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(ReadOnlyDevice(self.below.open(path)?)))
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.written.lock().contains_key(path) || self.below.exists(path)?)
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

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.written.lock().get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.below.read_whole(path),
        }
    }
}

#[derive(Debug)]
struct ReadOnlyDevice(Arc<dyn Device>);

impl Device for ReadOnlyDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.0.read_at(offset, buffers)
    }

    fn write_at(&self, _: u64, _: &[&[u8]]) -> io::Result<()> {
        Err(refused())
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.0.submit_read(offset, buffers)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn set_size(&self, _: u64) -> io::Result<()> {
        Err(refused())
    }

    fn direct(&self) -> bool {
        self.0.direct()
    }
}
