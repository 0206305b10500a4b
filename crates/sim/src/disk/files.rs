//! The file system that the engine works on under simulation.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use device::{Device, FileSystem};

use super::broken::{Broken, FaultsMet, FileFault, Request};
use super::crash::rename;
use super::device::SimulatedDevice;
use super::flight::{Flights, end};
use super::image::Image;
use super::operation::{FileId, Note, Operation};
use crate::clock::SimulatedClock;

const SECTOR: usize = 512;

/// A fault that happens once, at the operation of its kind with the given number; the first is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A read fails.
    Read(u64),
    /// This read fails, and every later one: the device has gone.
    ReadsFrom(u64),
    /// One bit of a read's result is flipped; a second read is right.
    FlippedRead(u64),
    /// A write fails after some of its sectors.
    Write(u64),
    /// A sync fails, and its writes are lost though a later sync succeeds.
    Sync(u64),
    /// There is no room to make or grow a file.
    Growth(u64),
}

/// A step that the disk, or the engine, leaves out while reporting success. The simulator must detect each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lie {
    #[default]
    None,
    /// Datafiles are not synced.
    SkippedSync,
    /// Nothing is written to the double-write area.
    SkippedDoubleWrite,
    /// Writes of redo return before they are durable, and so do commits.
    EarlyAcknowledgement,
    /// Directories are not synced.
    SkippedDirectorySync,
    /// After a kill the killed process's writes to datafiles are never synced.
    SkippedSyncAfterKill,
    /// The same of the redo log files.
    SkippedLogSyncAfterKill,
}

fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "simulated: no answer in time")
}

#[derive(Default, Debug)]
struct Counts {
    reads: u64,
    writes: u64,
    syncs: u64,
    growths: u64,
}

#[derive(Debug)]
pub(super) struct State {
    image: Image,
    operations: Vec<Operation>,
    next_file: u32,
    counts: Counts,
    faults: Vec<Fault>,
    happened: Vec<Fault>,
    broken: Broken,
    lie: Lie,
    /// Bytes that files may still grow by.
    room: u64,
    /// Numbers of calls when writes and syncs of several threads overlap; None: each is done at once.
    next_call: Option<u32>,
    pub(super) flights: Flights,
}

impl State {
    fn fails(&mut self, fault: Fault) -> bool {
        let Some(at) = self.faults.iter().position(|planned| *planned == fault) else { return false };
        self.faults.swap_remove(at);
        self.happened.push(fault);
        true
    }

    fn is_gone(&mut self, read: u64) -> bool {
        let gone = self.faults.iter().find(|fault| matches!(fault, Fault::ReadsFrom(from) if *from <= read)).copied();
        if let Some(fault) = gone
            && !self.happened.contains(&fault)
        {
            self.happened.push(fault);
        }
        gone.is_some()
    }

    fn name(&mut self, operation: Operation) {
        rename(&mut self.image, &operation);
        self.operations.push(operation);
    }

    fn find(&self, path: &Path) -> io::Result<FileId> {
        self.image
            .names
            .get(path)
            .copied()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("there is no file {}", path.display())))
    }

    pub(super) fn size(&self, file: FileId) -> u64 {
        self.image.contents.get(&file).map_or(0, |content| content.size())
    }

    pub(super) fn resize(&mut self, file: FileId, bytes: u64) -> io::Result<()> {
        let old = self.size(file);
        if bytes > old {
            self.counts.growths += 1;
            let number = self.counts.growths;
            if self.fails(Fault::Growth(number)) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room = self.room.checked_sub(bytes - old).ok_or(io::ErrorKind::StorageFull)?;
        } else {
            self.room = self.room.saturating_add(old - bytes);
        }
        if bytes != old {
            self.image.content_mut(file).resize(bytes);
            self.operations.push(Operation::SetSize { file, bytes });
        }
        Ok(())
    }

    /// Records an operation, or its begin: its call must be ended then.
    fn begin(&mut self, operation: Operation) -> Option<u32> {
        let Some(call) = self.next_call else {
            self.operations.push(operation);
            return None;
        };
        self.next_call = Some(call + 1);
        if let Operation::Write { file, durable: true, .. } = &operation
            && self.name_of(*file).ends_with(".log")
        {
            self.flights.begin(call, *file);
        }
        self.operations.push(Operation::Begun { call, operation: Box::new(operation) });
        Some(call)
    }

    /// A call that had begun has returned.
    pub(super) fn ended(&mut self, call: u32) {
        self.operations.push(Operation::Ended { call });
    }

    fn write(&mut self, file: FileId, offset: u64, bytes: &[u8], durable: bool) -> Option<u32> {
        let end = offset + bytes.len() as u64;
        if end > self.size(file) {
            self.image.content_mut(file).resize(end);
            self.operations.push(Operation::SetSize { file, bytes: end });
        }
        self.image.content_mut(file).write(offset, bytes);
        self.broken.written(file, offset, bytes.len() as u64);
        self.begin(Operation::Write { file, offset, bytes: bytes.into(), durable })
    }

    fn name_of(&self, file: FileId) -> String {
        let path = self.image.names.iter().find(|(_, other)| **other == file).map(|(path, _)| path);
        path.and_then(|path| path.file_name()).map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    pub(super) fn try_write(
        &mut self,
        file: FileId,
        offset: u64,
        bytes: &[u8],
        durable: bool,
    ) -> io::Result<Option<u32>> {
        self.counts.writes += 1;
        let number = self.counts.writes;
        let broken = self.broken.fails(file, Request::Write);
        if broken && self.broken.is_gone(file) {
            return Err(io::Error::other("simulated: the disk is gone"));
        }
        if broken && self.broken.is_hanging(file) {
            if !self.broken.hold(file, offset, bytes) {
                let _ = self.write(file, offset, bytes, false);
            }
            return Err(no_answer());
        }
        if self.fails(Fault::Write(number)) || broken {
            let sectors = bytes.len().div_ceil(SECTOR) / 2;
            let some = &bytes[..(sectors * SECTOR).min(bytes.len())];
            // Its call never ends: it never becomes durable.
            let _ = self.write(file, offset, some, false);
            return Err(io::Error::other("simulated: the write failed"));
        }
        if self.lie == Lie::SkippedDoubleWrite && self.name_of(file).starts_with("doublewrite") {
            return Ok(None);
        }
        let durable = durable && self.lie != Lie::EarlyAcknowledgement;
        Ok(self.write(file, offset, bytes, durable))
    }

    pub(super) fn sync(&mut self, file: FileId) -> io::Result<Option<u32>> {
        self.counts.syncs += 1;
        let number = self.counts.syncs;
        let broken = self.broken.fails(file, Request::Sync);
        if broken && self.broken.is_hanging(file) {
            return Err(no_answer());
        }
        if broken || self.fails(Fault::Sync(number)) {
            self.operations.push(Operation::Sync { file, failed: true });
            return Err(io::Error::other("simulated: the sync failed"));
        }
        let name = if self.lie == Lie::SkippedSync { self.name_of(file) } else { String::new() };
        let skipped = name.ends_with(".dbf") && !name.starts_with("doublewrite");
        Ok(if skipped { None } else { self.begin(Operation::Sync { file, failed: false }) })
    }

    fn sync_directory(&mut self, path: &Path) -> Option<u32> {
        if self.lie == Lie::SkippedDirectorySync {
            return None;
        }
        self.begin(Operation::SyncDirectory { path: path.to_owned() })
    }

    pub(super) fn read(&mut self, file: FileId, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.counts.reads += 1;
        let number = self.counts.reads;
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let broken = self.broken.fails(file, Request::Read { offset, bytes });
        if broken && self.broken.is_hanging(file) {
            return Err(no_answer());
        }
        if broken || self.is_gone(number) || self.fails(Fault::Read(number)) {
            return Err(io::Error::other("simulated: the read failed"));
        }
        let empty = Arc::default();
        let content = self.image.contents.get(&file).unwrap_or(&empty).clone();
        let mut at = offset;
        for buffer in &mut *buffers {
            content.read(at, buffer)?;
            at += buffer.len() as u64;
        }
        self.broken.flip(file, offset, buffers);
        if self.fails(Fault::FlippedRead(number))
            && let Some(byte) = buffers.first_mut().and_then(|buffer| {
                let middle = buffer.len() / 2;
                buffer.get_mut(middle)
            })
        {
            *byte ^= 0x10;
        }
        Ok(())
    }
}

/// Files in memory, with a recording of their operations.
#[derive(Clone, Debug)]
pub struct SimulatedFileSystem(Arc<Mutex<State>>);

impl SimulatedFileSystem {
    /// No files.
    #[must_use]
    pub fn new() -> Self {
        Self::on(Image::default())
    }

    /// The files of an image; all of it counts as durable.
    #[must_use]
    pub fn on(image: Image) -> Self {
        let next_file = image.contents.keys().next_back().map_or(0, |file| file.0 + 1);
        Self(Arc::new(Mutex::new(State {
            image,
            operations: Vec::new(),
            next_file,
            counts: Counts::default(),
            faults: Vec::new(),
            happened: Vec::new(),
            broken: Broken::default(),
            lie: Lie::None,
            room: u64::MAX,
            next_call: None,
            flights: Flights::default(),
        })))
    }

    /// Writes and syncs of several threads overlap from now on, and their calls are numbered from `first` on;
    /// [`SimulatedFileSystem::next_call`] is the first number for the next files. The seed chooses which writes of log
    /// files are held in flight; they take their time by this clock.
    pub fn overlap(&self, first: u32, seed: u64, clock: &Arc<SimulatedClock>) {
        let mut state = self.0.lock();
        state.next_call = Some(first);
        state.flights.slow(seed, clock);
    }

    /// The number of the next call.
    #[must_use]
    pub fn next_call(&self) -> u32 {
        self.0.lock().next_call.unwrap_or_default()
    }

    /// Plans a fault.
    pub fn plan(&self, fault: Fault) {
        self.0.lock().faults.push(fault);
    }

    /// Sets a fault of one file. False when there is no such file.
    pub fn break_file(&self, path: &Path, fault: FileFault) -> bool {
        let mut state = self.0.lock();
        let file = state.find(path).ok();
        file.into_iter().for_each(|file| state.broken.set(file, fault.clone()));
        file.is_some()
    }

    /// Ends the faults of all files. Writes that were given up reach theirs now.
    pub fn heal(&self) {
        let mut state = self.0.lock();
        for late in state.broken.heal() {
            if state.image.contents.contains_key(&late.file) {
                let call = state.write(late.file, late.offset, &late.bytes, false);
                call.into_iter().for_each(|call| state.ended(call));
            }
        }
    }

    /// Whether faults of files are set.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.0.lock().broken.is_any()
    }

    /// The requests that met faults of files.
    #[must_use]
    pub fn faults_met(&self) -> FaultsMet {
        self.0.lock().broken.met
    }

    /// The faults that have happened.
    #[must_use]
    pub fn happened(&self) -> Vec<Fault> {
        self.0.lock().happened.clone()
    }

    /// From now on the disk lies.
    pub fn lie(&self, lie: Lie) {
        self.0.lock().lie = lie;
    }

    /// Counts of reads, writes, syncs and growths so far, for the choice of faults.
    #[must_use]
    pub fn counts(&self) -> [u64; 4] {
        let state = self.0.lock();
        [state.counts.reads, state.counts.writes, state.counts.syncs, state.counts.growths]
    }

    /// Puts a note between the operations.
    pub fn note(&self, note: Note) {
        self.0.lock().operations.push(Operation::Note(note));
    }

    /// Operations since they were last taken out.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.0.lock().operations.len()
    }

    /// A process begins after these operations of others. For the lies about them: a sync of them has failed, so no
    /// later one helps.
    pub fn lie_after_kill(&self, earlier: &[Operation]) {
        let mut state = self.0.lock();
        let ending = match state.lie {
            Lie::SkippedSyncAfterKill => "dbf",
            Lie::SkippedLogSyncAfterKill => "log",
            _ => return,
        };
        let files: BTreeSet<FileId> = earlier
            .iter()
            .filter_map(|operation| match operation.begun() {
                Operation::Write { file, .. } => Some(*file),
                _ => None,
            })
            .collect();
        for file in files {
            let name = state.name_of(file);
            if name.ends_with(ending) && !name.starts_with("doublewrite") {
                state.operations.push(Operation::Sync { file, failed: true });
            }
        }
    }

    /// Takes the operations so far out.
    #[must_use]
    pub fn take_operations(&self) -> Vec<Operation> {
        std::mem::take(&mut self.0.lock().operations)
    }

    /// The files as reads see them.
    #[must_use]
    pub fn image(&self) -> Image {
        self.0.lock().image.clone()
    }

    fn device(&self, file: FileId) -> Arc<dyn Device> {
        Arc::new(SimulatedDevice::new(self.0.clone(), file))
    }
}

impl Default for SimulatedFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

fn make(state: &mut State, path: &Path, bytes: u64) -> io::Result<FileId> {
    let file = FileId(state.next_file);
    state.next_file += 1;
    state.name(Operation::Create { path: path.to_owned(), file });
    if let Err(error) = state.resize(file, bytes) {
        state.name(Operation::Remove { path: path.to_owned() });
        return Err(error);
    }
    Ok(file)
}

impl FileSystem for SimulatedFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        let mut state = self.0.lock();
        if state.image.names.contains_key(path) || state.image.directories.contains(path) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is there already", path.display())));
        }
        let file = make(&mut state, path, bytes)?;
        drop(state);
        Ok(self.device(file))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        let state = self.0.lock();
        let file = state.find(path)?;
        if state.broken.is_gone(file) {
            return Err(io::Error::other("simulated: the disk is gone"));
        }
        if state.broken.is_hanging(file) {
            return Err(no_answer());
        }
        drop(state);
        Ok(self.device(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock();
        let file = state.find(path)?;
        state.room = state.room.saturating_add(state.size(file));
        state.name(Operation::Remove { path: path.to_owned() });
        Ok(())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        let state = self.0.lock();
        Ok(state.image.names.contains_key(path) || state.image.directories.contains(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.lock();
        state.find(from)?;
        state.name(Operation::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.0.lock().image.directories.extend(path.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        let call = self.0.lock().sync_directory(path);
        end(&self.0, call);
        Ok(())
    }

    /// The steps of the operating system's implementation: a crash can come between any of them.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let temporary = PathBuf::from(name);
        let written = (|| {
            let file = {
                let mut state = self.0.lock();
                match state.find(&temporary) {
                    Ok(file) => state.resize(file, 0).map(|()| file),
                    Err(_) => make(&mut state, &temporary, 0),
                }
            }?;
            let call = self.0.lock().try_write(file, 0, bytes, false)?;
            end(&self.0, call);
            let call = self.0.lock().sync(file)?;
            end(&self.0, call);
            self.0.lock().name(Operation::Rename { from: temporary.clone(), to: path.to_owned() });
            Ok(())
        })();
        if let Err(error) = written {
            let _ = self.remove(&temporary);
            return Err(error);
        }
        self.sync_directory(path.parent().unwrap_or(Path::new("/")))
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut state = self.0.lock();
        let file = state.find(path)?;
        let mut bytes = vec![0; state.size(file) as usize];
        state.read(file, 0, &mut [&mut bytes])?;
        Ok(bytes)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let state = self.0.lock();
        Ok(state.image.names.keys().filter(|path| path.parent() == Some(directory)).cloned().collect())
    }
}
