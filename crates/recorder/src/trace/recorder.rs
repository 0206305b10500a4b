//! Records what a process does to the files below one directory, and makes some of its calls fail.
//!
//! 1. A write and a sync have two moments: the kernel is asked, and the call returns. Names and sizes change at one moment, when the call has returned.
//! 2. Bytes are taken when the kernel is asked: the process must leave them alone until the call returns.
//! 3. Every call that changes files below the directory is recorded, or is an error: [`Error::Unrecorded`]. The process gets no io_uring, because writes
//!    through one make no system calls.
//! 4. What the process writes to standard output is in the same order. Its client is told when that call has returned.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use common::{Clock, SystemClock};
use nix::errno::Errno;
use nix::libc::{self, user_regs_struct};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sim::disk::{FileId, Image};

use super::call::{Call, Name, Source, decode};
use super::memory;
use super::tracee::{Stopped, Tracee};
use crate::error::{Error, Result};
use crate::event::{Event, LifeEnd, Operation, OperationNumber};
use crate::image;

/// Which calls a fault is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// Writes, those that are durable when they return included.
    Write,
    /// Syncs of files and directories.
    Sync,
    Rename,
    /// `ftruncate` and `fallocate`.
    Truncate,
}

impl FaultKind {
    pub const ALL: [Self; 4] = [Self::Write, Self::Sync, Self::Rename, Self::Truncate];
}

/// Makes one call fail: the `number`-th of its kind; the first is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub number: u64,
    pub errno: Errno,
    /// Calls of the kind that come after it fail as well: the device has gone.
    pub lasting: bool,
}

/// When the process is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Never,
    /// Before the operation of this number, counted in this life from 1, reaches the kernel.
    Before(u64),
    /// As soon as it has returned.
    After(u64),
}

/// What a client says next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Nothing yet.
    Wait,
    Say(String),
    /// Nothing any more.
    End,
}

/// What a process reads from standard input.
pub enum Input<'a> {
    Script(&'a str),
    /// The client is asked first with nothing, and then with each output.
    Dialog(&'a mut dyn FnMut(&[u8]) -> Reply),
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Script(_)) { "Script" } else { "Dialog" })
    }
}

/// What became of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    pub end: LifeEnd,
    /// It was killed because it had not ended in time.
    pub hung: bool,
    /// Operations of this life.
    pub operations: u64,
    /// How many calls of each kind there were.
    pub counts: BTreeMap<FaultKind, u64>,
    /// What the faults have hit: the operation and its file.
    pub hits: Vec<String>,
    /// What it has written to standard error.
    pub errors: String,
}

/// What a thread's call will be when it returns.
#[derive(Debug)]
enum Pending {
    Write {
        number: OperationNumber,
        asked: usize,
    },
    Sync {
        number: OperationNumber,
    },
    Size {
        file: FileId,
        bytes: u64,
    },
    Grow {
        file: FileId,
        end: u64,
    },
    Open {
        truncate: bool,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    MakeDirectory {
        path: PathBuf,
    },
    Said(Vec<u8>),
    /// The call is not carried out and returns this error.
    Refused(Errno),
    /// As Refused; the operation is in the recording.
    RefusedSync {
        number: OperationNumber,
        errno: Errno,
    },
}

/// Records one life after the other on one directory.
#[derive(Debug)]
pub struct Recorder {
    root: PathBuf,
    /// What reads see: everything that has returned.
    cache: Image,
    next_file: u32,
    next_number: OperationNumber,
    /// Writes that have not returned: their file, offset and length.
    in_flight: BTreeMap<OperationNumber, (FileId, u64, Arc<[u8]>)>,
    events: Vec<Event>,
}

impl Recorder {
    /// Over the files that the directory holds now.
    ///
    /// # Errors
    /// Those of reading them.
    pub fn new(root: &Path) -> Result<Self> {
        let root = fs::canonicalize(root).map_err(|error| Error::io(root, &error))?;
        let cache = image::read_directory(&root)?;
        let next_file = image::next_file(&cache);
        Ok(Self { root, cache, next_file, next_number: 0, in_flight: BTreeMap::new(), events: Vec::new() })
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files as a process would find them.
    #[must_use]
    pub fn cache(&self) -> &Image {
        &self.cache
    }

    /// What was recorded.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Runs a program until it ends or is stopped.
    ///
    /// # Errors
    /// [`Error::Forbidden`] where ptrace is not permitted; [`Error::Unrecorded`]; [`Error::Trace`].
    pub fn run(
        &mut self,
        program: &Path,
        arguments: &[&str],
        input: Input<'_>,
        stop: Stop,
        faults: &[Fault],
        patience: Duration,
    ) -> Result<Ended> {
        let (input, mut client) = match input {
            Input::Script(text) => (temporary(text.as_bytes())?, None),
            Input::Dialog(ask) => {
                let (reader, writer) = io::pipe().map_err(|error| Error::Io(format!("a pipe: {error}")))?;
                (File::from(OwnedFd::from(reader)), Some(Client { ask, pipe: Some(writer) }))
            }
        };
        if let Some(client) = &mut client {
            client.hear(b"");
        }
        let mut errors = temporary(b"")?;
        let heard = errors.try_clone().map_err(|error| Error::Io(format!("standard error: {error}")))?;
        // The program may write through a copy of the descriptor; the file is the same.
        let output = temporary(b"")?;
        let tracee = Tracee::start(program, arguments, &self.root, [input, output, heard])?;
        let output = link(tracee.pid(), libc::STDOUT_FILENO);
        let watch = Watch::start(tracee.pid(), patience)?;
        self.events.push(Event::LifeBegun);
        let mut life = Life {
            recorder: self,
            tracee,
            client,
            output,
            stop,
            faults,
            pending: BTreeMap::new(),
            operations: 0,
            counts: BTreeMap::new(),
            hits: Vec::new(),
        };
        let end = life.follow()?;
        let (operations, counts, hits) =
            (life.operations, std::mem::take(&mut life.counts), std::mem::take(&mut life.hits));
        drop(life);
        let hung = watch.end();
        self.settle()?;
        self.events.push(Event::LifeEnded(end));
        let errors = read_back(&mut errors)?;
        Ok(Ended { end, hung, operations, counts, hits, errors })
    }

    fn begin(&mut self, operation: Operation) -> OperationNumber {
        let number = self.next_number;
        self.next_number += 1;
        self.events.push(Event::Begun { number, operation });
        number
    }

    /// An operation that has one moment.
    fn at_once(&mut self, operation: Operation) {
        image::apply(&mut self.cache, &operation, usize::MAX);
        let number = self.begin(operation);
        self.events.push(Event::Ended { number, moved: 0 });
    }

    fn make(&mut self, path: PathBuf) -> FileId {
        let file = FileId(self.next_file);
        self.next_file += 1;
        self.at_once(Operation::Create { path, file });
        file
    }

    /// After a kill: what was in flight is there, or not, or by half; the directory says which.
    fn settle(&mut self) -> Result<()> {
        for (number, (file, offset, bytes)) in std::mem::take(&mut self.in_flight) {
            self.events.push(Event::Failed { number });
            let path = self.cache.paths().find(|(_, other)| *other == file).map(|(path, _)| path.to_owned());
            let Some(path) = path else { continue };
            let there = read_range(&path, offset, bytes.len())?;
            let mut before = vec![0; there.len()];
            let known = self.cache.read(file, offset, &mut before).is_ok();
            if !known || before != there {
                self.at_once(Operation::Write { file, offset, bytes: there.into(), durable: false });
            }
        }
        self.settle_names()
    }

    fn settle_names(&mut self) -> Result<()> {
        let (files, directories) = image::list(&self.root)?;
        for path in &directories {
            if !self.cache.has_directory(path) {
                self.at_once(Operation::MakeDirectory { path: path.clone() });
            }
        }
        let gone: Vec<PathBuf> = self
            .cache
            .paths()
            .filter(|(path, _)| !files.contains_key(*path))
            .map(|(path, _)| path.to_owned())
            .collect();
        // A rename that was done before its call returned: the file has another name now.
        let come: Vec<PathBuf> = files.keys().filter(|path| self.cache.file(path).is_none()).cloned().collect();
        for path in gone {
            self.at_once(Operation::Remove { path });
        }
        for path in come {
            let bytes = fs::read(&path).map_err(|error| Error::io(&path, &error))?;
            let file = self.make(path);
            self.at_once(Operation::SetSize { file, bytes: bytes.len() as u64 });
            self.at_once(Operation::Write { file, offset: 0, bytes: bytes.into(), durable: false });
        }
        for (path, bytes) in files {
            if let Some(file) = self.cache.file(&path)
                && self.cache.file_size(file) != bytes
            {
                self.at_once(Operation::SetSize { file, bytes });
            }
        }
        Ok(())
    }
}

/// One process under way.
struct Life<'a> {
    recorder: &'a mut Recorder,
    tracee: Tracee,
    client: Option<Client<'a>>,
    /// What the descriptor of standard output leads to.
    output: Option<PathBuf>,
    stop: Stop,
    faults: &'a [Fault],
    pending: BTreeMap<Pid, Pending>,
    operations: u64,
    counts: BTreeMap<FaultKind, u64>,
    hits: Vec<String>,
}

impl Life<'_> {
    fn follow(&mut self) -> Result<LifeEnd> {
        loop {
            match self.tracee.next()? {
                Stopped::Entry(thread) => {
                    let Some(registers) = self.tracee.registers(thread) else { continue };
                    let Some(call) = decode(&registers) else { continue };
                    let before = self.operations;
                    let pending = self.enter(call)?;
                    if let Some(Pending::Refused(_) | Pending::RefusedSync { .. }) = pending {
                        // No call has this number: the kernel carries nothing out.
                        self.tracee.set_registers(thread, user_regs_struct { orig_rax: u64::MAX, ..registers })?;
                    }
                    if let Some(pending) = pending {
                        self.pending.insert(thread, pending);
                    }
                    if self.operations > before && self.stop == Stop::Before(self.operations) {
                        self.tracee.kill()?;
                        return Ok(LifeEnd::Killed);
                    }
                }
                Stopped::Exit(thread) => {
                    let Some(pending) = self.pending.remove(&thread) else { continue };
                    let Some(registers) = self.tracee.registers(thread) else { continue };
                    self.leave(thread, &registers, pending)?;
                    if self.stop == Stop::After(self.operations) && self.operations > 0 {
                        self.tracee.kill()?;
                        return Ok(LifeEnd::Killed);
                    }
                }
                Stopped::Exited(code) => return Ok(LifeEnd::Exited(code)),
                Stopped::Killed(_) => return Ok(LifeEnd::Killed),
            }
        }
    }

    /// What a call will have done when it returns; None for one that is not about the files.
    fn enter(&mut self, call: Call) -> Result<Option<Pending>> {
        Ok(match call {
            Call::Write { fd, source, offset, durable } => self.write(fd, source, offset, durable)?,
            Call::Sync { fd } => {
                let Some(path) = self.path_of(fd) else { return Ok(None) };
                self.sync(&path)
            }
            Call::Truncate { fd, bytes } => self.sized(fd, |file| Pending::Size { file, bytes }),
            Call::Allocate { fd, mode: 0, end } => self.sized(fd, |file| Pending::Grow { file, end }),
            Call::Allocate { fd, .. } => self.refuse("fallocate with a mode", fd)?,
            Call::Open { truncate } => Some(Pending::Open { truncate }),
            Call::Rename { from, to, flags } => self.rename(from, to, flags)?,
            Call::Remove { name } => self.below(name)?.map(|path| {
                self.operations += 1;
                Pending::Remove { path }
            }),
            Call::MakeDirectory { name } => self.below(name)?.map(|path| {
                self.operations += 1;
                Pending::MakeDirectory { path }
            }),
            Call::MakeRing => Some(Pending::Refused(Errno::ENOSYS)),
            Call::Map { fd } => self.refuse("a shared mapping", fd)?,
            Call::Unrecorded { what, fd } => self.refuse(what, fd)?,
            Call::UnrecordedName { what, name } => match self.below(name)? {
                Some(path) => return Err(Error::Unrecorded(format!("{what} of {}", path.display()))),
                None => None,
            },
            Call::SyncAll => return Err(Error::Unrecorded("a sync of all files".to_owned())),
        })
    }

    fn write(&mut self, fd: i32, source: Source, offset: Option<u64>, durable: bool) -> Result<Option<Pending>> {
        let pid = self.tracee.pid();
        let taken = || {
            match source {
                Source::Bytes { address, length } => memory::bytes(pid, address, length),
                Source::Vectors { address, count } => memory::vectors(pid, address, count),
            }
            .map_err(|errno| Error::Trace(format!("the bytes of a write: {errno}")))
        };
        let target = link(pid, fd);
        if target.is_some() && target == self.output {
            return Ok(Some(Pending::Said(taken()?)));
        }
        let Some((path, file)) = self.file_of(fd) else { return Ok(None) };
        self.operations += 1;
        if let Some(errno) = self.fault(FaultKind::Write, &path) {
            return Ok(Some(Pending::Refused(errno)));
        }
        let (position, flags) = descriptor(pid, fd)?;
        if flags & libc::O_APPEND != 0 {
            return Err(Error::Unrecorded(format!("a write that appends to {}", path.display())));
        }
        let durable = durable || flags & libc::O_DSYNC != 0;
        let (offset, bytes): (u64, Arc<[u8]>) = (offset.unwrap_or(position), taken()?.into());
        let asked = bytes.len();
        let number = self.recorder.begin(Operation::Write { file, offset, bytes: bytes.clone(), durable });
        self.recorder.in_flight.insert(number, (file, offset, bytes));
        Ok(Some(Pending::Write { number, asked }))
    }

    fn sync(&mut self, path: &Path) -> Option<Pending> {
        let operation = if let Some(file) = self.recorder.cache.file(path) {
            Operation::Sync { file }
        } else if self.recorder.cache.has_directory(path) && path.starts_with(&self.recorder.root) {
            Operation::SyncDirectory { path: path.to_owned() }
        } else {
            return None;
        };
        self.operations += 1;
        let errno = self.fault(FaultKind::Sync, path);
        let number = self.recorder.begin(operation);
        Some(match errno {
            Some(errno) => Pending::RefusedSync { number, errno },
            None => Pending::Sync { number },
        })
    }

    fn sized(&mut self, fd: i32, pending: impl FnOnce(FileId) -> Pending) -> Option<Pending> {
        let (path, file) = self.file_of(fd)?;
        self.operations += 1;
        Some(match self.fault(FaultKind::Truncate, &path) {
            Some(errno) => Pending::Refused(errno),
            None => pending(file),
        })
    }

    fn rename(&mut self, from: Name, to: Name, flags: u32) -> Result<Option<Pending>> {
        let (Some(from), Some(to)) = (self.below(from)?, self.below(to)?) else { return Ok(None) };
        if flags & !libc::RENAME_NOREPLACE != 0 {
            return Err(Error::Unrecorded(format!("a rename of {} with flags", from.display())));
        }
        self.operations += 1;
        Ok(Some(match self.fault(FaultKind::Rename, &to) {
            Some(errno) => Pending::Refused(errno),
            None => Pending::Rename { from, to },
        }))
    }

    /// A call that a recording cannot hold is an error where it is about a file below the directory.
    fn refuse(&self, what: &str, fd: i32) -> Result<Option<Pending>> {
        match self.path_of(fd) {
            Some(path) => Err(Error::Unrecorded(format!("{what} of {}", path.display()))),
            None => Ok(None),
        }
    }

    /// The call has returned.
    fn leave(&mut self, thread: Pid, registers: &user_regs_struct, pending: Pending) -> Result<()> {
        let returned = registers.rax.cast_signed();
        let done = returned >= 0;
        match pending {
            Pending::Refused(errno) => return self.answer(thread, registers, errno),
            Pending::RefusedSync { number, errno } => {
                self.recorder.events.push(Event::Failed { number });
                return self.answer(thread, registers, errno);
            }
            Pending::Said(bytes) if done => {
                if let Some(client) = &mut self.client {
                    client.hear(&bytes);
                }
                self.recorder.events.push(Event::Said(bytes));
            }
            Pending::Write { number, asked } => {
                let written = self.recorder.in_flight.remove(&number);
                if let (true, Some((file, offset, bytes))) = (done, written) {
                    let moved = (returned as usize).min(asked);
                    self.recorder.cache.write(file, offset, &bytes[..moved]);
                    self.recorder.events.push(Event::Ended { number, moved });
                } else {
                    self.recorder.events.push(Event::Failed { number });
                }
            }
            Pending::Sync { number } if done => self.recorder.events.push(Event::Ended { number, moved: 0 }),
            Pending::Sync { number } => self.recorder.events.push(Event::Failed { number }),
            Pending::Open { truncate } if done => self.opened(returned as i32, truncate),
            Pending::Size { file, bytes } if done => self.recorder.at_once(Operation::SetSize { file, bytes }),
            Pending::Grow { file, end } if done && end > self.recorder.cache.file_size(file) => {
                self.recorder.at_once(Operation::SetSize { file, bytes: end });
            }
            Pending::Rename { from, to } if done => self.recorder.at_once(Operation::Rename { from, to }),
            Pending::Remove { path } if done => self.recorder.at_once(Operation::Remove { path }),
            Pending::MakeDirectory { path } if done => self.recorder.at_once(Operation::MakeDirectory { path }),
            _ => {}
        }
        Ok(())
    }

    fn answer(&self, thread: Pid, registers: &user_regs_struct, errno: Errno) -> Result<()> {
        let rax = i64::from(-(errno as i32)).cast_unsigned();
        self.tracee.set_registers(thread, user_regs_struct { rax, ..*registers })
    }

    fn opened(&mut self, fd: i32, truncate: bool) {
        let Some(path) = self.path_of(fd) else { return };
        if self.recorder.cache.has_directory(&path) {
            return;
        }
        match self.recorder.cache.file(&path) {
            None => {
                self.operations += 1;
                self.recorder.make(path);
            }
            Some(file) if truncate && self.recorder.cache.file_size(file) > 0 => {
                self.operations += 1;
                self.recorder.at_once(Operation::SetSize { file, bytes: 0 });
            }
            Some(_) => {}
        }
    }

    /// The error of a fault that is planned for the next call of this kind.
    fn fault(&mut self, kind: FaultKind, path: &Path) -> Option<Errno> {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let number = *count;
        let hit = self
            .faults
            .iter()
            .find(|fault| fault.kind == kind && (fault.number == number || (fault.lasting && number > fault.number)))?;
        let below = path.strip_prefix(&self.recorder.root).unwrap_or(path);
        self.hits.push(format!("{kind:?} {number} of {}: {}", below.display(), hit.errno));
        Some(hit.errno)
    }

    /// Path of a descriptor when it is below the directory and not deleted.
    fn path_of(&self, fd: i32) -> Option<PathBuf> {
        let path = link(self.tracee.pid(), fd)?;
        let deleted = path.as_os_str().as_encoded_bytes().ends_with(b" (deleted)");
        (path.starts_with(&self.recorder.root) && !deleted).then_some(path)
    }

    fn file_of(&self, fd: i32) -> Option<(PathBuf, FileId)> {
        let path = self.path_of(fd)?;
        let file = self.recorder.cache.file(&path)?;
        Some((path, file))
    }

    /// The path of an argument when it is below the directory.
    fn below(&self, name: Name) -> Result<Option<PathBuf>> {
        let pid = self.tracee.pid();
        let Ok(text) = memory::path(pid, name.address) else { return Ok(None) };
        let base = match name.directory {
            libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
            fd => format!("/proc/{pid}/fd/{fd}"),
        };
        let path = if text.is_absolute() {
            text
        } else {
            fs::read_link(&base).map_err(|error| Error::io(Path::new(&base), &error))?.join(text)
        };
        let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else { return Ok(None) };
        // Without its folder the call fails.
        let Ok(parent) = fs::canonicalize(parent) else { return Ok(None) };
        let path = parent.join(last);
        Ok(path.starts_with(&self.recorder.root).then_some(path))
    }
}

/// The client's end of a dialog.
struct Client<'a> {
    ask: &'a mut dyn FnMut(&[u8]) -> Reply,
    pipe: Option<io::PipeWriter>,
}

impl Client<'_> {
    fn hear(&mut self, bytes: &[u8]) {
        match (self.ask)(bytes) {
            Reply::Wait => {}
            Reply::Say(text) => {
                // A process that has ended hears nothing.
                let _ = self.pipe.as_mut().map(|pipe| pipe.write_all(text.as_bytes()));
            }
            Reply::End => self.pipe = None,
        }
    }
}

/// Kills a process that does not end in time.
struct Watch {
    over: Arc<AtomicBool>,
    fired: Arc<AtomicBool>,
}

impl Watch {
    const LOOK: Duration = Duration::from_millis(50);

    fn start(pid: Pid, patience: Duration) -> Result<Self> {
        let (over, fired) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let watch = Self { over: Arc::clone(&over), fired: Arc::clone(&fired) };
        let run = move || {
            let clock = SystemClock::default();
            let until_us = clock.monotonic_us() + patience.as_micros() as u64;
            while !over.load(Ordering::Relaxed) {
                if clock.monotonic_us() > until_us {
                    fired.store(true, Ordering::Relaxed);
                    // It may just have ended.
                    let _ = kill(pid, Signal::SIGKILL);
                    return;
                }
                std::thread::sleep(Self::LOOK);
            }
        };
        spawn("watch", run).map_err(|error| Error::Io(format!("no thread: {error}")))?;
        Ok(watch)
    }

    /// True when the process was killed.
    fn end(self) -> bool {
        self.fired.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// What a descriptor leads to.
fn link(pid: Pid, fd: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok()
}

/// Position and flags of a descriptor.
fn descriptor(pid: Pid, fd: i32) -> Result<(u64, i32)> {
    let path = PathBuf::from(format!("/proc/{pid}/fdinfo/{fd}"));
    let text = fs::read_to_string(&path).map_err(|error| Error::io(&path, &error))?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let position = field("pos:").and_then(|text| text.parse().ok());
    let flags = field("flags:").and_then(|text| i32::from_str_radix(text, 8).ok());
    position.zip(flags).ok_or_else(|| Error::Trace(format!("{} has no position", path.display())))
}

fn temporary(bytes: &[u8]) -> Result<File> {
    use std::io::Seek;
    let made = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    };
    made().map_err(|error| Error::Io(format!("a temporary file: {error}")))
}

fn read_back(file: &mut File) -> Result<String> {
    use std::io::{Read, Seek};
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    read.map_err(|error| Error::Io(format!("standard error: {error}")))?;
    Ok(text)
}

/// What is in a range of a file, as far as the file goes.
fn read_range(path: &Path, offset: u64, length: usize) -> Result<Vec<u8>> {
    let read = || -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let there = file.metadata()?.len().saturating_sub(offset).min(length as u64);
        let mut bytes = vec![0; there as usize];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    };
    read().map_err(|error| Error::io(path, &error))
}
