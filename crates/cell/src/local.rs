//! A cell in this process: a folder of disks, and threads that scan them.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Condvar, Mutex};
use device::{AlignedBuffer, Device, FileIdentity, FileSystem};

use crate::answer::AnswerWriter;
use crate::request::ScanRequest;
use crate::smart_scan::scan_run;
use crate::workers::Workers;
use crate::{AnswerInFlight, Cell, PendingAnswer};

/// Scans at a time: as many as a cell has disks.
const THREADS: usize = 12;

/// A folder of disks that are scanned where they are.
pub struct LocalCell {
    name: String,
    disks: Arc<Disks>,
    /// None: the caller of a scan carries it out.
    workers: Option<Workers>,
}

#[derive(Debug)]
struct Disks {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    open: Mutex<BTreeMap<String, OpenDisk>>,
}

#[derive(Clone, Debug)]
struct OpenDisk {
    identity: Option<FileIdentity>,
    device: Arc<dyn Device>,
}

impl fmt::Debug for LocalCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalCell({})", self.name)
    }
}

/// The place of an answer.
#[derive(Default)]
struct Slot {
    answer: Mutex<Option<io::Result<Vec<u8>>>>,
    done: Condvar,
}

struct Waiting(Arc<Slot>);

impl AnswerInFlight for Waiting {
    fn wait(self: Box<Self>) -> io::Result<Vec<u8>> {
        let mut answer = self.0.answer.lock();
        loop {
            match answer.take() {
                Some(answer) => return answer,
                None => self.0.done.wait(&mut answer),
            }
        }
    }
}

impl LocalCell {
    /// The cell of a folder, which has its name. Scans are carried out by its threads, or (`inline`) by the caller, one
    /// after another.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path, inline: bool) -> Self {
        let name = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let disks = Disks { files, directory: directory.to_owned(), open: Mutex::default() };
        let workers = (!inline).then(|| Workers::new(format!("cell {name}"), THREADS));
        Self { name, disks: Arc::new(disks), workers }
    }
}

impl Disks {
    fn disk(&self, name: &str) -> io::Result<Arc<dyn Device>> {
        // A name, and no way out of the folder.
        if name.is_empty() || name.contains(['/', '\\']) || name == "." || name == ".." {
            let text = format!("\"{name}\" is no name of a disk");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let path = self.directory.join(name);
        // Another file may have taken the disk's place.
        let identity = self.files.identity(&path)?;
        let open = self.open.lock().get(name).cloned();
        if let Some(open) = open.filter(|open| open.identity == identity) {
            return Ok(open.device);
        }
        let device = self.files.open(&path)?;
        self.open.lock().insert(name.to_owned(), OpenDisk { identity, device: Arc::clone(&device) });
        Ok(device)
    }

    fn scan(&self, message: &[u8]) -> io::Result<Vec<u8>> {
        let request = ScanRequest::decode(message)?;
        let disk = self.disk(&request.disk)?;
        let mut blocks = AlignedBuffer::zeroed(request.bytes());
        disk.read_at(request.offset, &mut [&mut blocks])?;
        let mut answer = AnswerWriter::new();
        answer.figures.bytes_read = blocks.len() as u64;
        scan_run(&request, &mut blocks, &mut answer, |number, bytes| {
            let offset = request.offset + u64::from(number) * bytes.len() as u64;
            disk.read_at(offset, &mut [bytes])
        })?;
        Ok(answer.finish())
    }
}

impl Cell for LocalCell {
    fn name(&self) -> &str {
        &self.name
    }

    fn submit_scan(&self, request: Vec<u8>) -> io::Result<PendingAnswer> {
        let (slot, disks) = (Arc::new(Slot::default()), Arc::clone(&self.disks));
        let waiting = Waiting(Arc::clone(&slot));
        let job = move || {
            let answer = disks.scan(&request);
            *slot.answer.lock() = Some(answer);
            slot.done.notify_all();
        };
        match &self.workers {
            Some(workers) => workers.run(job),
            None => job(),
        }
        Ok(PendingAnswer::new(waiting))
    }
}
