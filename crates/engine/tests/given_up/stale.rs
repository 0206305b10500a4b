//! A scan of a dropped table, beside a direct load that writes where it reads.

use std::io;
use std::path::{Path, PathBuf};

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Condvar, Mutex, spawn};
use device::{AlignedBuffer, Device, FileSystem, MemoryFileSystem, PendingRead};

use super::support::{
    MANAGEMENTS, Numbers, Options, all, crash, create, create_filled, insert_uncleaned, join, pause, rest, scan, sound,
    table, table_spec,
};

/// Blocks of a write that only a load makes.
const LARGE: usize = 16 * 8192;

/// Holds the next large write of t.dbf until it is opened.
#[derive(Debug, Default)]
struct Gate {
    armed: AtomicBool,
    held: AtomicBool,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self, bytes: usize) {
        if bytes < LARGE || !self.armed.swap(false, Ordering::AcqRel) {
            return;
        }
        self.held.store(true, Ordering::Release);
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }
}

#[derive(Debug)]
struct Gated(Arc<MemoryFileSystem>, Arc<Gate>);

#[derive(Debug)]
struct GatedDevice(Arc<dyn Device>, Arc<Gate>);

impl Device for GatedDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.0.read_at(offset, buffers)
    }
    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.1.pass(buffers.iter().map(|buffer| buffer.len()).sum());
        self.0.write_at(offset, buffers)
    }
    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.0.submit_read(offset, buffers)
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }
    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.0.set_size(bytes)
    }
    fn direct(&self) -> bool {
        self.0.direct()
    }
}

impl Gated {
    fn device(&self, path: &Path, device: Arc<dyn Device>) -> Arc<dyn Device> {
        if path.ends_with("t.dbf") { Arc::new(GatedDevice(device, self.1.clone())) } else { device }
    }
}

impl FileSystem for Gated {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        Ok(self.device(path, self.0.create(path, bytes)?))
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(self.device(path, self.0.open(path)?))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.0.exists(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.0.create_directory(path)
    }
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.0.sync_directory(path)
    }
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.0.write_whole(path, bytes)
    }
    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read_whole(path)
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.list(directory)
    }
}

/// The rows of A are due for cleanout; A is dropped, B is loaded in its place, and the scan of A continues while B's
/// blocks are being written.
fn load_beside_a_scan(crashes: bool) {
    for management in MANAGEMENTS {
        let gate = Arc::new(Gate::default());
        let files: Arc<dyn FileSystem> = Arc::new(Gated(Arc::new(MemoryFileSystem::new()), gate.clone()));
        let options = Options { management, file_bytes: 2 << 20, cache: "16M", ..Options::default() };
        let (instance, s) = create(&files, &options);
        s.create_table(&table_spec("A")).unwrap();
        let a = table(&s, "A");
        insert_uncleaned(&s, &a, 0..2_500);
        instance.cache().flush(s.meter()).unwrap();
        let reader = instance.connect("SYSTEM").unwrap();
        let mut under_way = scan(&reader, &a);
        assert!(under_way.next(&mut Numbers::default(), 1).unwrap());
        s.truncate_table("SYSTEM", "A").unwrap();
        instance.cache().flush(s.meter()).unwrap();
        gate.armed.store(true, Ordering::Release);
        let loader = {
            let s = instance.connect("SYSTEM").unwrap();
            spawn("loader", move || create_filled(&s, "B", 0..2_500).unwrap()).unwrap()
        };
        while !gate.held.load(Ordering::Acquire) {
            pause();
        }
        // Another test is about the scan's error.
        let _ = rest(&mut under_way);
        *gate.open.lock() = true;
        gate.opened.notify_all();
        assert_eq!(join(loader, 60), 2_500);
        drop((under_way, reader));
        let expected: Vec<_> = (0..2_500).collect();
        let (instance, s) = if crashes { crash(&files, instance, s) } else { (instance, s) };
        instance.cache().flush(s.meter()).unwrap();
        assert_eq!(all(&s, "B"), expected, "{management:?}");
        sound(&files, instance, s);
    }
}

#[test]
fn a_scan_of_a_table_that_is_gone_leaves_the_blocks_of_a_load_alone() {
    load_beside_a_scan(false);
}

#[test]
fn a_scan_of_a_table_that_is_gone_leaves_no_redo_for_the_blocks_of_a_load() {
    load_beside_a_scan(true);
}
