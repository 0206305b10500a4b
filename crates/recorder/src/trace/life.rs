//! A process under trace, and others beside it: their calls on the files, and the failing ones.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use common::sync::Arc;
use nix::errno::Errno;
use nix::libc::{self, user_regs_struct};
use nix::unistd::Pid;
use sim::disk::FileId;

use super::call::{Call, Name, Source, decode};
use super::dialog::Client;
use super::fault::{Fault, FaultKind, MIRRORED_DISK};
use super::memory;
use super::recorder::{Recorder, Stop, read_back};
use super::tracee::{Stopped, Tracees};
use crate::error::{Error, Result};
use crate::event::{Event, LifeEnd, Operation, OperationNumber};

/// A thread's call that has not returned.
#[derive(Debug)]
pub(super) enum Pending {
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
    /// Output of a process beside the recorded one.
    Ready,
    /// The call is not executed and returns this error.
    Refused(Errno),
    /// As Refused; the operation is in the recording.
    RefusedSync {
        number: OperationNumber,
        errno: Errno,
    },
}

/// A running process, and those beside it.
pub(super) struct Life<'a> {
    pub(super) recorder: &'a mut Recorder,
    pub(super) tracees: Tracees,
    /// The recorded process, when it has started.
    pub(super) main: Option<Pid>,
    /// The files to which the standard outputs of the processes beside it lead.
    pub(super) beside: Vec<Option<PathBuf>>,
    pub(super) client: Option<Client<'a>>,
    /// The file to which the descriptor of standard output leads.
    pub(super) output: Option<PathBuf>,
    pub(super) stop: Stop,
    pub(super) faults: &'a [Fault],
    pub(super) pending: BTreeMap<Pid, Pending>,
    pub(super) operations: u64,
    pub(super) counts: BTreeMap<FaultKind, u64>,
    pub(super) hits: Vec<String>,
    /// A disk that has gone.
    pub(super) gone: Option<(PathBuf, Errno)>,
    /// A process beside the recorded one has said something.
    pub(super) ready: bool,
    /// Their standard errors.
    pub(super) errors: Vec<File>,
}

impl Life<'_> {
    /// Follows a process beside the recorded one until it says something: it is ready.
    pub(super) fn wait_until_ready(&mut self) -> Result<()> {
        self.ready = false;
        while !self.ready {
            if self.step()?.is_some() {
                return Err(self.ended_beside());
            }
        }
        Ok(())
    }

    /// Follows the processes until the recorded one ends; the others are killed then.
    pub(super) fn follow(&mut self) -> Result<LifeEnd> {
        let end = loop {
            if let Some((process, end)) = self.step()? {
                if Some(process) == self.main {
                    break end;
                }
                return Err(self.ended_beside());
            }
        };
        self.tracees.kill()?;
        Ok(end)
    }

    /// The error of a process beside the recorded one that has ended, with what they have said.
    fn ended_beside(&mut self) -> Error {
        let said: Vec<String> = self.errors.iter_mut().filter_map(|file| read_back(file).ok()).collect();
        Error::Workload(format!("a process beside the recorded one has ended: {}", said.join(" ").trim()))
    }

    /// Follows the processes to their next stop. Returns a process that has ended.
    fn step(&mut self) -> Result<Option<(Pid, LifeEnd)>> {
        match self.tracees.next()? {
            Stopped::Entry(thread) => {
                let Some(registers) = self.tracees.registers(thread) else { return Ok(None) };
                let Some(call) = decode(&registers) else { return Ok(None) };
                let before = self.operations;
                let pending = self.enter(thread, call)?;
                if let Some(Pending::Refused(_) | Pending::RefusedSync { .. }) = pending {
                    // No call has this number: the kernel executes nothing.
                    self.tracees.set_registers(thread, user_regs_struct { orig_rax: u64::MAX, ..registers })?;
                }
                if let Some(pending) = pending {
                    self.pending.insert(thread, pending);
                }
                if self.operations > before && self.main.is_some() && self.stop == Stop::Before(self.operations) {
                    return self.kill();
                }
            }
            Stopped::Exit(thread) => {
                let Some(pending) = self.pending.remove(&thread) else { return Ok(None) };
                let Some(registers) = self.tracees.registers(thread) else { return Ok(None) };
                self.leave(thread, &registers, pending)?;
                if self.main.is_some() && self.operations > 0 && self.stop == Stop::After(self.operations) {
                    return self.kill();
                }
            }
            Stopped::Exited(process, code) => return Ok(Some((process, LifeEnd::Exited(code)))),
            Stopped::Killed(process) => return Ok(Some((process, LifeEnd::Killed))),
        }
        Ok(None)
    }

    /// Kills all processes.
    fn kill(&mut self) -> Result<Option<(Pid, LifeEnd)>> {
        self.tracees.kill()?;
        Ok(self.main.map(|main| (main, LifeEnd::Killed)))
    }

    /// The effect of a call when it returns; None when it is not about the files.
    fn enter(&mut self, thread: Pid, call: Call) -> Result<Option<Pending>> {
        Ok(match call {
            Call::Write { fd, source, offset, durable } => self.write(thread, fd, source, offset, durable)?,
            Call::Sync { fd } => {
                let Some(path) = self.path_of(thread, fd) else { return Ok(None) };
                self.sync(&path)
            }
            Call::Truncate { fd, bytes } => self.sized(thread, fd, |file| Pending::Size { file, bytes }),
            Call::Allocate { fd, mode: 0, end } => self.sized(thread, fd, |file| Pending::Grow { file, end }),
            Call::Allocate { fd, .. } => self.refuse("fallocate with a mode", thread, fd)?,
            Call::Open { truncate } => Some(Pending::Open { truncate }),
            Call::Rename { from, to, flags } => self.rename(thread, from, to, flags)?,
            Call::Remove { name } => self.below(thread, name)?.map(|path| {
                self.operations += 1;
                Pending::Remove { path }
            }),
            Call::MakeDirectory { name } => self.below(thread, name)?.map(|path| {
                self.operations += 1;
                Pending::MakeDirectory { path }
            }),
            Call::MakeRing => Some(Pending::Refused(Errno::ENOSYS)),
            Call::Map { fd } => self.refuse("a shared mapping", thread, fd)?,
            Call::Unrecorded { what, fd } => self.refuse(what, thread, fd)?,
            Call::UnrecordedName { what, name } => match self.below(thread, name)? {
                Some(path) => return Err(Error::Unrecorded(format!("{what} of {}", path.display()))),
                None => None,
            },
            Call::SyncAll => return Err(Error::Unrecorded("a sync of all files".to_owned())),
        })
    }

    fn write(
        &mut self,
        thread: Pid,
        fd: i32,
        source: Source,
        offset: Option<u64>,
        durable: bool,
    ) -> Result<Option<Pending>> {
        let taken = || {
            match source {
                Source::Bytes { address, length } => memory::bytes(thread, address, length),
                Source::Vectors { address, count } => memory::vectors(thread, address, count),
            }
            .map_err(|errno| Error::Trace(format!("the bytes of a write: {errno}")))
        };
        let target = link(thread, fd);
        if target.is_some() && target == self.output {
            return Ok(Some(Pending::Said(taken()?)));
        }
        if target.is_some() && self.beside.contains(&target) {
            return Ok(Some(Pending::Ready));
        }
        let Some((path, file)) = self.file_of(thread, fd) else { return Ok(None) };
        self.operations += 1;
        if let Some(errno) = self.fault(FaultKind::Write, &path) {
            return Ok(Some(Pending::Refused(errno)));
        }
        let (position, flags) = descriptor(thread, fd)?;
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

    fn sized(&mut self, thread: Pid, fd: i32, pending: impl FnOnce(FileId) -> Pending) -> Option<Pending> {
        let (path, file) = self.file_of(thread, fd)?;
        self.operations += 1;
        Some(match self.fault(FaultKind::Truncate, &path) {
            Some(errno) => Pending::Refused(errno),
            None => pending(file),
        })
    }

    fn rename(&mut self, thread: Pid, from: Name, to: Name, flags: u32) -> Result<Option<Pending>> {
        let (Some(from), Some(to)) = (self.below(thread, from)?, self.below(thread, to)?) else { return Ok(None) };
        if flags & !libc::RENAME_NOREPLACE != 0 {
            return Err(Error::Unrecorded(format!("a rename of {} with flags", from.display())));
        }
        self.operations += 1;
        Ok(Some(match self.fault(FaultKind::Rename, &to) {
            Some(errno) => Pending::Refused(errno),
            None => Pending::Rename { from, to },
        }))
    }

    /// A call that a recording cannot represent is an error when it is about a file below the directory.
    fn refuse(&self, what: &str, thread: Pid, fd: i32) -> Result<Option<Pending>> {
        match self.path_of(thread, fd) {
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
            Pending::Ready => self.ready = true,
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
            Pending::Open { truncate } if done => self.opened(thread, returned as i32, truncate),
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
        self.tracees.set_registers(thread, user_regs_struct { rax, ..*registers })
    }

    fn opened(&mut self, thread: Pid, fd: i32, truncate: bool) {
        let Some(path) = self.path_of(thread, fd) else { return };
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
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if matches!(kind, FaultKind::Write | FaultKind::Sync)
            && name.starts_with(MIRRORED_DISK)
            && let Some(errno) = self.planned(FaultKind::Disk, path)
        {
            self.gone = Some((path.to_owned(), errno));
        }
        let planned = self.planned(kind, path);
        let gone = self.gone.as_ref().filter(|(gone, _)| gone == path).map(|(_, errno)| *errno);
        planned.or(gone)
    }

    /// Counts a call of this kind, and returns the error that is planned for it.
    fn planned(&mut self, kind: FaultKind, path: &Path) -> Option<Errno> {
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
    fn path_of(&self, thread: Pid, fd: i32) -> Option<PathBuf> {
        let path = link(thread, fd)?;
        let deleted = path.as_os_str().as_encoded_bytes().ends_with(b" (deleted)");
        (path.starts_with(&self.recorder.root) && !deleted).then_some(path)
    }

    fn file_of(&self, thread: Pid, fd: i32) -> Option<(PathBuf, FileId)> {
        let path = self.path_of(thread, fd)?;
        let file = self.recorder.cache.file(&path)?;
        Some((path, file))
    }

    /// The path of an argument when it is below the directory.
    fn below(&self, thread: Pid, name: Name) -> Result<Option<PathBuf>> {
        let Ok(text) = memory::path(thread, name.address) else { return Ok(None) };
        let base = match name.directory {
            libc::AT_FDCWD => format!("/proc/{thread}/cwd"),
            fd => format!("/proc/{thread}/fd/{fd}"),
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

/// The file to which a descriptor leads.
pub(super) fn link(pid: Pid, fd: i32) -> Option<PathBuf> {
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
