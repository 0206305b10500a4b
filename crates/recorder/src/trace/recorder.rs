//! Records the operations of a process on the files below one directory, and makes some of its calls fail.
//!
//! 1. A write and a sync have two moments: the kernel is asked, and the call returns. Names and sizes change at one
//!    moment, when the call has returned.
//! 2. Bytes are taken when the kernel is asked: the process must leave them alone until the call returns.
//! 3. Every call that changes files below the directory is recorded, or is an error: [`Error::Unrecorded`]. The process
//!    gets no io_uring, because writes through one make no system calls.
//! 4. What the process writes to standard output is in the same order. Its client is told when that call has returned.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::sync::Arc;
use nix::libc;
use sim::disk::{FileId, Image};

use super::dialog::{Client, Input};
use super::fault::{Fault, FaultKind};
use super::life::{Life, link};
use super::tracee::Tracees;
use super::watch::Watch;
use crate::error::{Error, Result};
use crate::event::{Event, LifeEnd, Operation, OperationNumber};
use crate::image;

/// When the process is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Never,
    /// Before the operation of this number, counted in this life from 1, reaches the kernel.
    Before(u64),
    /// As soon as it has returned.
    After(u64),
}

/// The outcome of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    pub end: LifeEnd,
    /// It was killed because it had not ended in time.
    pub hung: bool,
    /// Operations of this life.
    pub operations: u64,
    /// Numbers of calls of each kind.
    pub counts: BTreeMap<FaultKind, u64>,
    /// The operations that the faults have hit, with their files.
    pub hits: Vec<String>,
    /// The text written to standard error.
    pub errors: String,
}

/// Records one life after the other on one directory.
#[derive(Debug)]
pub struct Recorder {
    pub(super) root: PathBuf,
    /// The files as reads see them: all returned operations.
    pub(super) cache: Image,
    next_file: u32,
    next_number: OperationNumber,
    /// Writes that have not returned: their file, offset and length.
    pub(super) in_flight: BTreeMap<OperationNumber, (FileId, u64, Arc<[u8]>)>,
    pub(super) events: Vec<Event>,
    /// Arguments of the processes beside each recorded one.
    beside: Vec<Vec<String>>,
}

impl Recorder {
    /// Over the present files of the directory.
    ///
    /// # Errors
    /// Errors of reading them.
    pub fn new(root: &Path) -> Result<Self> {
        let root = fs::canonicalize(root).map_err(|error| Error::io(root, &error))?;
        let cache = image::read_directory(&root)?;
        let next_file = image::next_file(&cache);
        Ok(Self {
            root,
            cache,
            next_file,
            next_number: 0,
            in_flight: BTreeMap::new(),
            events: Vec::new(),
            beside: Vec::new(),
        })
    }

    /// Before each process the program is started with each of these arguments, too, and recorded with it. Such a
    /// process is ready when it says something, and is killed when the recorded one has ended.
    #[must_use]
    pub fn beside(self, beside: Vec<Vec<String>>) -> Self {
        Self { beside, ..self }
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

    /// The recorded events.
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
        self.events.push(Event::LifeBegun);
        let (root, beside) = (self.root.clone(), self.beside.clone());
        let mut life = Life {
            recorder: self,
            tracees: Tracees::default(),
            main: None,
            beside: Vec::new(),
            client,
            output: None,
            stop,
            faults,
            pending: BTreeMap::new(),
            operations: 0,
            counts: BTreeMap::new(),
            hits: Vec::new(),
            gone: None,
            ready: false,
            errors: Vec::new(),
        };
        for arguments in &beside {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let said = temporary(b"")?;
            let kept = said.try_clone().map_err(|error| Error::Io(format!("standard error: {error}")))?;
            life.errors.push(kept);
            let streams = [temporary(b"")?, temporary(b"")?, said];
            let process = life.tracees.start(program, &arguments, &root, streams)?;
            life.beside.push(link(process, libc::STDOUT_FILENO));
            let watch = Watch::start(process, patience)?;
            life.wait_until_ready()?;
            watch.end();
        }
        let process = life.tracees.start(program, arguments, &root, [input, output, heard])?;
        life.output = link(process, libc::STDOUT_FILENO);
        life.main = Some(process);
        let watch = Watch::start(process, patience)?;
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

    pub(super) fn begin(&mut self, operation: Operation) -> OperationNumber {
        let number = self.next_number;
        self.next_number += 1;
        self.events.push(Event::Begun { number, operation });
        number
    }

    /// An operation that has one moment.
    pub(super) fn at_once(&mut self, operation: Operation) {
        image::apply(&mut self.cache, &operation, usize::MAX);
        let moved = if let Operation::Write { bytes, .. } = &operation { bytes.len() } else { 0 };
        let number = self.begin(operation);
        self.events.push(Event::Ended { number, moved });
    }

    pub(super) fn make(&mut self, path: PathBuf) -> FileId {
        let file = FileId(self.next_file);
        self.next_file += 1;
        self.at_once(Operation::Create { path, file });
        file
    }

    /// After a kill: operations in flight are there, or not, or by half; the directory tells.
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

pub(super) fn read_back(file: &mut File) -> Result<String> {
    use std::io::{Read, Seek};
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    read.map_err(|error| Error::Io(format!("standard error: {error}")))?;
    Ok(text)
}

/// The content of a range of a file, as far as the file goes.
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
