//! The files of the operating system, except that nothing can be changed: an instance over them leaves the database as it was.
//!
//! What is written whole, which is the control file at opening and closing, is accepted and forgotten.

use std::io;
use std::path::Path;

use common::sync::Arc;
use device::{AlignedBuffer, Device, FileSystem, OsFileSystem, PendingRead};

#[derive(Debug, Default)]
pub(super) struct ReadOnlyFileSystem(OsFileSystem);

#[derive(Debug)]
struct ReadOnly(Arc<dyn Device>);

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "verification changes nothing")
}

impl FileSystem for ReadOnlyFileSystem {
    fn create(&self, _path: &Path, _bytes: u64) -> io::Result<Arc<dyn Device>> {
        Err(refused())
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(ReadOnly(self.0.open(path)?)))
    }

    fn remove(&self, _path: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.0.exists(path)
    }

    fn rename(&self, _from: &Path, _to: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn create_directory(&self, _path: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn write_whole(&self, _path: &Path, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read_whole(path)
    }
}

impl Device for ReadOnly {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.0.read_at(offset, buffers)
    }

    fn write_at(&self, _offset: u64, _buffers: &[&[u8]]) -> io::Result<()> {
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

    fn set_size(&self, _bytes: u64) -> io::Result<()> {
        Err(refused())
    }

    fn direct(&self) -> bool {
        self.0.direct()
    }
}
