//! A crash at any write: what is in flight then lands sector by sector or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::Duration;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, spawn};
use device::{AlignedBuffer, Device, FileSystem, MemoryFileSystem, PendingRead};

use super::stage::{Stage, record};
use crate::redo::Lsn;

/// What a [`Disk`] does.
#[derive(Debug)]
pub(super) struct Plan {
    /// The machine dies at this durable write; 0 is the first.
    pub(super) crash_at: u64,
    /// Each durable write takes up to this long.
    pub(super) delay_us: u64,
    pub(super) seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self { crash_at: u64::MAX, delay_us: 0, seed: 1 }
    }
}

/// Files in memory whose durable writes take time, happen in any order, and tear when the machine dies.
#[derive(Debug)]
pub(super) struct Disk {
    files: MemoryFileSystem,
    power: Arc<Power>,
}

#[derive(Debug)]
struct Power {
    plan: Plan,
    writes: Mutex<u64>,
    random: AtomicU64,
    /// Writes in flight: now, and at the most so far.
    at_once: AtomicU64,
    most_at_once: AtomicU64,
    /// Of the threads that have written.
    writers: Mutex<BTreeSet<String>>,
}

impl Power {
    fn random(&self) -> u64 {
        let mut x = self.random.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }
}

impl Disk {
    pub(super) fn new(plan: Plan) -> Arc<Self> {
        let random = AtomicU64::new(plan.seed);
        Arc::new(Self {
            files: MemoryFileSystem::new(),
            power: Arc::new(Power {
                plan,
                writes: Mutex::new(0),
                random,
                at_once: AtomicU64::new(0),
                most_at_once: AtomicU64::new(0),
                writers: Mutex::default(),
            }),
        })
    }

    pub(super) fn most_at_once(&self) -> u64 {
        self.power.most_at_once.load(Ordering::SeqCst)
    }

    /// Names of the threads that have written since this was asked last.
    pub(super) fn take_writers(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.power.writers.lock())
    }

    fn is_dead(&self) -> bool {
        *self.power.writes.lock() > self.power.plan.crash_at
    }

    /// The same files after the machine was started again.
    fn copy(&self, names: &[&str]) -> Arc<dyn FileSystem> {
        let copy = MemoryFileSystem::new();
        for name in names {
            let path = Path::new("data").join(name);
            copy.write_whole(&path, &self.files.read_whole(&path).unwrap()).unwrap();
        }
        Arc::new(copy)
    }
}

impl FileSystem for Disk {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(DiskFile { inner: self.files.create(path, bytes)?, power: self.power.clone() }))
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(DiskFile { inner: self.files.open(path)?, power: self.power.clone() }))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files.remove(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.files.exists(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.files.rename(from, to)
    }
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.files.create_directory(path)
    }
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.files.sync_directory(path)
    }
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.files.write_whole(path, bytes)
    }
    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read_whole(path)
    }
}

#[derive(Debug)]
struct DiskFile {
    inner: Arc<dyn Device>,
    power: Arc<Power>,
}

impl Device for DiskFile {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.inner.read_at(offset, buffers)
    }
    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.inner.write_at(offset, buffers)
    }
    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.power.writers.lock().insert(std::thread::current().name().unwrap_or_default().to_owned());
        let at_once = self.power.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.power.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        if self.power.plan.delay_us > 0 {
            std::thread::sleep(Duration::from_micros(self.power.random() % self.power.plan.delay_us));
        }
        self.power.at_once.fetch_sub(1, Ordering::SeqCst);
        let mut writes = self.power.writes.lock();
        *writes += 1;
        if *writes <= self.power.plan.crash_at {
            return self.inner.write_at(offset, buffers);
        }
        let bytes = buffers.concat();
        for (sector, part) in (0..).zip(bytes.chunks(512)) {
            if self.power.random().is_multiple_of(2) {
                self.inner.write_at(offset + sector * 512, &[part])?;
            }
        }
        Err(io::Error::other("the machine is dead"))
    }
    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.inner.submit_read(offset, buffers)
    }
    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }
    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.inner.set_size(bytes)
    }
    fn direct(&self) -> bool {
        false
    }
}

/// Runs sessions until the machine dies at a write, starts again, and looks. Returns whether a write landed behind a
/// hole.
fn crash(seed: u64, crash_at: u64, delay_us: u64) {
    let disk = Disk::new(Plan { crash_at, delay_us, seed });
    let stage = Stage::new(disk.clone(), &[(1, 70), (2, 64), (1, 80)]);
    let log = match stage.try_open(None) {
        Ok(log) => log,
        // At the header of the first sequence there is nothing to lose.
        Err(_) => return,
    };
    let appended = Arc::new(Mutex::new(BTreeMap::new()));
    let acknowledged = Arc::new(AtomicU64::new(0));
    let checkpoint = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..4_u64)
        .map(|thread| {
            let (log, meter, appended, acknowledged) =
                (log.clone(), stage.meter(), appended.clone(), acknowledged.clone());
            spawn("session", move || {
                for turn in 0.. {
                    let number = thread << 32 | turn;
                    let made = record(number, 24 + ((number * 7919 + seed * 31) % 1500) as usize);
                    let Ok((start, end)) = log.append(&meter, &made) else { return };
                    appended.lock().insert(start.0, made);
                    if turn % 2 == 0 {
                        if log.wait_durable(&meter, end).is_err() {
                            return;
                        }
                        acknowledged.fetch_max(end.0, Ordering::SeqCst);
                    }
                }
            })
            .unwrap()
        })
        .collect();
    while !disk.is_dead() {
        let lsn = log.durable();
        stage.checkpoint(&log, lsn);
        checkpoint.store(lsn.0, Ordering::SeqCst);
        std::thread::sleep(Duration::from_micros(200));
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let error = log.append(&stage.meter(), &record(1, 24)).unwrap_err();
    assert_eq!(error.number, common::Number::Hw(10), "{error}");
    drop(log);

    let after = stage.crashed(disk.copy(&["redo01.log", "redo02.log", "redo02a.log", "redo03.log"]));
    let mut reader = after.reader().unwrap();
    let appended = appended.lock();
    let mut at = reader.lsn().0;
    assert!(at <= checkpoint.load(Ordering::SeqCst));
    while let Some((_, found)) = reader.next().unwrap() {
        assert_eq!(Some(found), appended.get(&at).map(|r| &r[..]), "at {at}");
        at += found.len() as u64;
    }
    let end = reader.end().unwrap();
    assert_eq!(end.lsn, Lsn(at));
    assert!(at >= acknowledged.load(Ordering::SeqCst), "redo to {at} of {acknowledged:?} acknowledged");

    // After recovery and its checkpoint the log goes on, and what lies behind the hole stays away, also at a second
    // crash.
    let before = *after.control.checkpoint.lock();
    *after.control.checkpoint.lock() = Some(end.rba());
    let log = after.try_open(Some(end)).unwrap();
    let more = record(7, 333);
    let (start, _) = log.append(&after.meter(), &more).unwrap();
    assert_eq!(start, end.lsn);
    log.flush(log.end()).unwrap();
    drop(log);
    assert_eq!(after.read().unwrap().0, std::slice::from_ref(&more));
    let groups = after.control.groups.lock().clone();
    let needed = before.map_or(0, |rba| rba.sequence);
    if (needed..=end.sequence).all(|sequence| groups.iter().any(|group| group.sequence == sequence)) {
        *after.control.checkpoint.lock() = before;
        let (records, again) = after.read().unwrap();
        assert_eq!((records.last(), again.lsn.0), (Some(&more), at + 333));
    }
}

#[test]
fn no_acknowledged_record_is_lost_wherever_it_crashes() {
    for seed in 0..60 {
        crash(seed, seed, 300);
    }
    for seed in 60..90 {
        crash(seed, seed * 3, 0);
    }
    // So slow that several writes are in flight.
    for seed in 90..110 {
        crash(seed, seed / 2, 2400);
    }
}
