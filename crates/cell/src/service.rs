//! What a cell's own process does with requests: they come as bytes, by whatever transport.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use common::interconnect;
use common::sync::{Arc, Condvar, Mutex};
use device::{AlignedBuffer, Claim, Device, FileSystem};

use crate::block_message::{BlockRequest, TRANSFER_BYTES, answer_head, flash_answer_head};
use crate::mailbox::Answers;
use crate::{CELL_FILE, Cell, LocalCell, ScanRequest, is_own_file};

/// A cell that serves others.
#[derive(Debug)]
pub struct Service {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    cell: LocalCell,
    /// No instance and no other cell uses these disks.
    claims: Mutex<BTreeMap<String, Claim>>,
    /// Disks that were asked for: what is known of them is known while they are open.
    open: Mutex<BTreeMap<String, Arc<dyn Device>>>,
    /// Disks that could not make their writes durable, and why: the kernel tells of it once, and a sync may be repeated
    /// whose answer was lost.
    durable: Mutex<BTreeMap<String, Durable>>,
    ended: Condvar,
    _folder: Claim,
}

/// What is made durable on a disk.
#[derive(Default, Debug)]
struct Durable {
    /// Requests so far, and those of them that have not ended.
    last: u64,
    under_way: BTreeSet<u64>,
    /// Why the first one has failed.
    failed: Option<(io::ErrorKind, String)>,
}

impl Durable {
    fn check(&self) -> io::Result<()> {
        match &self.failed {
            None => Ok(()),
            Some((kind, text)) => {
                Err(io::Error::new(*kind, format!("{text} (said before; until the cell starts anew)")))
            }
        }
    }
}

impl Service {
    /// Serves the disks of a folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] for a folder that is no cell; [`io::ErrorKind::WouldBlock`] when another process has
    /// it, or a disk of it.
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path) -> io::Result<Self> {
        if !files.exists(&directory.join(CELL_FILE))? {
            let text = format!("{} is no cell: there is no {CELL_FILE} in it", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let folder = files.claim(&directory.join(CELL_FILE))?;
        let cell = LocalCell::new(Arc::clone(&files), directory, false).on_its_own_machine();
        let directory = directory.to_owned();
        let service = Self {
            files,
            directory,
            cell,
            claims: Mutex::default(),
            open: Mutex::default(),
            durable: Mutex::default(),
            ended: Condvar::default(),
            _folder: folder,
        };
        for disk in service.disks()? {
            service.claim(&disk)?;
        }
        Ok(service)
    }

    /// The cell's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.cell.name()
    }

    /// Names of its disks.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn disks(&self) -> io::Result<Vec<String>> {
        let names = self.files.list(&self.directory)?.into_iter();
        let names = names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        Ok(names.filter(|name| !is_own_file(name) && !name.contains('\n')).collect())
    }

    fn claim(&self, disk: &str) -> io::Result<()> {
        let mut claims = self.claims.lock();
        if !claims.contains_key(disk) {
            let claim = self.files.claim(&self.directory.join(disk))?;
            claims.insert(disk.to_owned(), claim);
        }
        Ok(())
    }

    fn disk(&self, name: &str) -> io::Result<Arc<dyn Device>> {
        if is_own_file(name) {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("{name} is no disk")));
        }
        let disk = self.cell.disk(name)?;
        self.claim(name)?;
        self.open.lock().insert(name.to_owned(), Arc::clone(&disk));
        Ok(disk)
    }

    /// Carries a request out. `buffer` has the bytes behind its head; it gets those of the answer. Returns the answer's
    /// head, and how many bytes follow it.
    pub fn answer(&self, head: &[u8], buffer: &mut AlignedBuffer) -> (Vec<u8>, usize) {
        // What another request of this thread has left.
        interconnect::take();
        match self.carry_out(head, buffer) {
            Ok(bytes) if interconnect::take().flash_reads > 0 => (flash_answer_head(), bytes),
            Ok(bytes) => (answer_head(&Ok(())), bytes),
            Err(error) => (answer_head(&Err(error)), 0),
        }
    }

    fn carry_out(&self, head: &[u8], buffer: &mut AlignedBuffer) -> io::Result<usize> {
        let (disk, request) = BlockRequest::decode(head)?;
        match request {
            BlockRequest::Read { offset, bytes } => {
                let bytes = bytes as usize;
                ensure(buffer, bytes);
                self.disk(disk)?.read_at(offset, &mut [&mut buffer[..bytes]])?;
                Ok(bytes)
            }
            BlockRequest::Write { offset, bytes, durable } => {
                let bytes = buffer.get(..bytes as usize).ok_or(io::ErrorKind::InvalidInput)?;
                let (name, disk) = (disk, self.disk(disk)?);
                if offset + bytes.len() as u64 > disk.size()? {
                    let text = format!("disk {name} ends before byte {}", offset + bytes.len() as u64);
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
                }
                match durable {
                    true => self.durable(name, || disk.write_durable(offset, &[bytes]))?,
                    false => disk.write_at(offset, &[bytes])?,
                }
                Ok(0)
            }
            BlockRequest::Sync => {
                let (name, disk) = (disk, self.disk(disk)?);
                self.durable(name, || disk.sync()).map(|()| 0)
            }
            BlockRequest::Size => Ok(put(buffer, &self.disk(disk)?.size()?.to_le_bytes())),
            BlockRequest::FlashRules { bytes } => {
                let rules = buffer.get(..bytes as usize).ok_or(io::ErrorKind::InvalidInput)?;
                self.cell.rules().take(rules)?;
                Ok(0)
            }
            BlockRequest::FlashState => Ok(put(buffer, &self.cell.flash().unwrap_or_default().encode())),
            BlockRequest::Disks => {
                let names = self.disks()?.join("\n");
                if names.len() > TRANSFER_BYTES {
                    return Err(io::Error::other("the names of its disks are too long for a message"));
                }
                Ok(put(buffer, names.as_bytes()))
            }
        }
    }

    /// Carries a request out that makes something durable, unless an earlier one of this disk has failed. The kernel
    /// tells of a failed write to one of the requests that wait at the same time: the cell acknowledges none of them
    /// before the others have ended.
    fn durable(&self, disk: &str, make: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let number = {
            let mut all = self.durable.lock();
            let of_disk = all.entry(disk.to_owned()).or_default();
            of_disk.check()?;
            of_disk.last += 1;
            of_disk.under_way.insert(of_disk.last);
            of_disk.last
        };
        let made = make();
        let mut all = self.durable.lock();
        let of_disk = all.entry(disk.to_owned()).or_default();
        of_disk.under_way.remove(&number);
        if let Err(error) = &made {
            of_disk.failed.get_or_insert((error.kind(), error.to_string()));
        }
        let last = of_disk.last;
        self.ended.notify_all();
        made?;
        loop {
            let of_disk = all.entry(disk.to_owned()).or_default();
            if of_disk.under_way.first().is_none_or(|first| *first > last) {
                return of_disk.check();
            }
            self.ended.wait(&mut all);
        }
    }

    /// Starts a scan, as [`Cell::submit_scan`] does.
    pub fn scan(&self, request: Vec<u8>, reply: Box<dyn Answers>) {
        // The disk stays open, and what is learnt of it known. What is wrong with the request, the scan says.
        if let Ok(request) = ScanRequest::decode(&request) {
            let _ = self.disk(&request.disk);
        }
        self.cell.submit_scan(request, reply);
    }
}

/// The buffer has so many bytes at least.
pub fn ensure(buffer: &mut AlignedBuffer, bytes: usize) {
    if buffer.len() < bytes {
        *buffer = AlignedBuffer::zeroed(bytes.next_power_of_two());
    }
}

fn put(buffer: &mut AlignedBuffer, bytes: &[u8]) -> usize {
    ensure(buffer, bytes.len());
    buffer[..bytes.len()].copy_from_slice(bytes);
    bytes.len()
}

#[cfg(test)]
mod tests {
    use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn};
    use device::{Fault, FaultyFileSystem, MemoryFileSystem};
    use scan::ScanSpec;

    use super::*;
    use crate::FlashUse;
    use crate::{Answer, Item, Mailbox, Reason};

    struct Nothing;

    impl scan::RowSink for Nothing {
        fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

        fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {}

        fn rows(&mut self, _: usize) {}
    }

    #[test]
    fn a_busy_cell_hands_all_blocks_to_an_instance_that_is_not() {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let directory = Path::new("/cell01");
        files.create_directory(directory).unwrap();
        files.create_directory(Path::new("/proc")).unwrap();
        files.write_whole(&directory.join(CELL_FILE), b"").unwrap();
        files.create(&directory.join("one"), 1 << 20).unwrap();
        let service = Service::new(Arc::clone(&files), directory).unwrap();
        let reasons = |busy_percent| {
            let request = ScanRequest {
                disk: "one".into(),
                offset: 0,
                block_size: BlockSize::K8,
                first: BlockAddress::new(FileNumber(4), 128),
                blocks: 3,
                gaps: vec![(1, 1)],
                object: ObjectNumber(7),
                snapshot: Scn(9),
                ended_before: Scn(0),
                storage_index: true,
                index: None,
                flash: FlashUse::Default,
                extremes: Vec::new(),
                busy_percent,
                spec: ScanSpec::default(),
            };
            let mailbox = Arc::new(Mailbox::default());
            service.scan(request.encode(), Box::new(mailbox.reply(1)));
            let mut answer = Answer::new(mailbox.wait().answer.unwrap(), 0).unwrap();
            let mut reasons = Vec::new();
            loop {
                match answer.next(&mut Nothing, 10).unwrap() {
                    Item::Block { reason, address, bytes } => {
                        assert_eq!(bytes.map(<[u8]>::len), Some(8192));
                        reasons.push((reason, address.block));
                    }
                    Item::Rows(rows) => panic!("{rows} rows in empty blocks"),
                    Item::End => return reasons,
                }
            }
        };
        let stat = |busy: u32| {
            let text = format!("cpu  {busy} 0 0 1000 0 0 0 0 0 0\ncpu0 1\n");
            files.write_whole(Path::new("/proc/stat"), text.as_bytes()).unwrap();
        };
        stat(100);
        // Empty blocks are of no table.
        assert_eq!(reasons(Some(5)), [(Reason::Other, 128), (Reason::Other, 130)]);
        stat(200);
        assert_eq!(reasons(Some(5)), [(Reason::Processors, 128), (Reason::Processors, 130)]);
        assert_eq!(reasons(Some(95)), [(Reason::Other, 128), (Reason::Other, 130)]);
    }

    /// The first answer may have been lost with its connection.
    #[test]
    fn a_sync_that_has_failed_fails_again_when_it_is_repeated() {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let directory = Path::new("/cell01");
        files.create_directory(directory).unwrap();
        files.write_whole(&directory.join(CELL_FILE), b"").unwrap();
        for disk in ["one", "two"] {
            files.create(&directory.join(disk), 1 << 20).unwrap();
        }
        let service = Service::new(Arc::clone(&files) as Arc<dyn FileSystem>, directory).unwrap();
        let ask = |disk, request: BlockRequest| {
            let mut buffer = AlignedBuffer::zeroed(512);
            crate::read_answer_head(&service.answer(&request.head(disk), &mut buffer).0)
        };
        ask("one", BlockRequest::Sync).unwrap();
        files.fail(1, Fault::Sync);
        ask("one", BlockRequest::Sync).unwrap_err();
        files.heal();
        let error = ask("one", BlockRequest::Sync).unwrap_err().to_string();
        assert!(error.ends_with("(said before; until the cell starts anew)"), "{error}");
        ask("one", BlockRequest::Write { offset: 0, bytes: 512, durable: true }).unwrap_err();
        ask("one", BlockRequest::Write { offset: 0, bytes: 512, durable: false }).unwrap();
        ask("two", BlockRequest::Sync).unwrap();
    }
}
