//! A cell elsewhere, and its disks.

use std::io;
use std::sync::{OnceLock, Weak};

use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, CellDisk, Device, PendingRead, ReadInFlight};

use crate::block_message::{BlockRequest, TRANSFER_BYTES};
use crate::mailbox::Answers;
use crate::traffic::{Traffic, TrafficFigures};
use crate::unsynced::Unsynced;
use crate::{Answered, Capture, Cell, FlashRules, FlashState, Link, hash};

/// A cell that is reached by a link.
#[derive(Debug)]
pub struct RemoteCell {
    link: Arc<dyn Link>,
    traffic: Arc<Traffic>,
    /// Of the disks that are open.
    unsynced: Arc<Mutex<Vec<Weak<Unsynced>>>>,
    told: Arc<Told>,
}

/// What the cell was told of segments' use of its flash cache. It knows nothing of it after a restart, so it is told
/// again when there is a new connection.
#[derive(Default, Debug)]
struct Told {
    rules: OnceLock<Arc<FlashRules>>,
    /// The version of the rules, and connections so far.
    last: Mutex<(u64, u64)>,
}

impl Told {
    /// Tells the cell what it may not know.
    fn tell(&self, link: &dyn Link, traffic: &Traffic) {
        let Some(rules) = self.rules.get() else { return };
        let now = (rules.version(), link.connections());
        if now.0 == 0 {
            return;
        }
        let Some(mut last) = self.last.try_lock().filter(|last| **last != now) else { return };
        let message = rules.encode();
        let request = BlockRequest::FlashRules { bytes: message.len() as u64 };
        // A cell that does not hear of it caches what it need not, and is told with the next request.
        if link.call("", request, &[&message], &mut []).is_ok() {
            traffic.block_request(request, "");
            // The call may have made a connection: then the cell is told once more.
            *last = now;
        }
    }
}

impl RemoteCell {
    #[must_use]
    pub fn new(link: Arc<dyn Link>) -> Self {
        Self { link, traffic: Arc::default(), unsynced: Arc::default(), told: Arc::default() }
    }

    /// Names of its disks.
    ///
    /// # Errors
    /// Those of the link.
    pub fn disks(&self) -> io::Result<Vec<String>> {
        let names = self.link.call("", BlockRequest::Disks, &[], &mut [])?;
        let names = String::from_utf8(names.bytes).map_err(|_| io::Error::other("names of disks that are no text"))?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &str {
        self.link.address()
    }
}

impl Cell for RemoteCell {
    fn name(&self) -> &str {
        self.link.name()
    }

    fn submit_scan(&self, request: Vec<u8>, reply: Box<dyn Answers>) {
        self.told.tell(&*self.link, &self.traffic);
        let reply = self.traffic.scan(&request, reply);
        let (link, unsynced) = (Arc::clone(&self.link), Arc::clone(&self.unsynced));
        Arc::clone(&self.link).scan(request, Box::new(Guarded { reply, link, unsynced }));
    }

    fn open(&self, disk: &str) -> io::Result<Arc<dyn Device>> {
        let (link, traffic) = (Arc::clone(&self.link), Arc::clone(&self.traffic));
        let place = CellDisk { cell: hash(link.name()), disk: hash(disk) };
        let unsynced = Arc::default();
        {
            let mut all = self.unsynced.lock();
            all.retain(|unsynced| unsynced.strong_count() > 0);
            all.push(Arc::downgrade(&unsynced));
        }
        let told = Arc::clone(&self.told);
        let disk = RemoteDisk { name: disk.into(), place, link, traffic, unsynced, told };
        // A disk that there is not is an error now.
        disk.size()?;
        Ok(Arc::new(disk))
    }

    fn has_own_processors(&self) -> bool {
        !self.link.is_on_this_machine()
    }

    fn traffic(&self) -> TrafficFigures {
        self.traffic.figures()
    }

    fn use_flash_by(&self, rules: &Arc<FlashRules>) {
        self.told.rules.get_or_init(|| Arc::clone(rules));
    }

    fn flash(&self) -> Option<FlashState> {
        let answer = self.link.call("", BlockRequest::FlashState, &[], &mut []).ok()?;
        FlashState::decode(&answer.bytes).ok()
    }

    fn capture(&self, capture: &Arc<Capture>) {
        self.traffic.capture(self.link.name(), capture);
    }
}

/// Fails when a later boot of the machine than that of writes was met.
fn check(link: &dyn Link, unsynced: &Unsynced) -> io::Result<()> {
    let Some(boot) = link.boot() else { return Ok(()) };
    unsynced.met(boot).map_err(|error| said(link, &error))
}

fn said(link: &dyn Link, error: &io::Error) -> io::Error {
    io::Error::other(format!("cell {} at {}: {error}", link.name(), link.address()))
}

/// The way back of a scan: what a cell has lost is not answered for.
#[derive(Debug)]
struct Guarded {
    reply: Box<dyn Answers>,
    link: Arc<dyn Link>,
    unsynced: Arc<Mutex<Vec<Weak<Unsynced>>>>,
}

impl Answers for Guarded {
    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn send(&self, answer: Vec<u8>) {
        let open: Vec<_> = self.unsynced.lock().iter().filter_map(Weak::upgrade).collect();
        match open.iter().try_for_each(|unsynced| check(&*self.link, unsynced)) {
            Ok(()) => self.reply.send(answer),
            Err(error) => self.reply.fail(error),
        }
    }

    fn fail(&self, error: io::Error) {
        self.reply.fail(error);
    }

    fn end(&self) {
        self.reply.end();
    }
}

/// A read on its way, of a disk whose writes may have been lost.
struct GuardedRead {
    read: PendingRead,
    link: Arc<dyn Link>,
    unsynced: Arc<Unsynced>,
}

impl ReadInFlight for GuardedRead {
    fn is_done(&mut self) -> bool {
        self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let buffers = self.read.wait()?;
        check(&*self.link, &self.unsynced)?;
        Ok(buffers)
    }
}

/// A disk of a cell elsewhere.
#[derive(Clone, Debug)]
struct RemoteDisk {
    name: Arc<str>,
    place: CellDisk,
    link: Arc<dyn Link>,
    traffic: Arc<Traffic>,
    unsynced: Arc<Unsynced>,
    told: Arc<Told>,
}

impl RemoteDisk {
    fn call(&self, request: BlockRequest, bytes: &[&[u8]], into: &mut [&mut [u8]]) -> io::Result<Answered> {
        let answer = self.link.call(&self.name, request, bytes, into)?;
        check(&*self.link, &self.unsynced)?;
        self.traffic.block_request(request, &self.name);
        Ok(answer)
    }

    fn write(&self, mut offset: u64, buffers: &[&[u8]], durable: bool) -> io::Result<()> {
        for part in parts(buffers) {
            let bytes = part.iter().map(|part| part.len()).sum::<usize>() as u64;
            let answer = self.call(BlockRequest::Write { offset, bytes, durable }, &part, &mut [])?;
            if !durable {
                self.unsynced.wrote(answer.boot);
            }
            offset += bytes;
        }
        Ok(())
    }
}

/// Cuts buffers into parts that a request may have.
fn parts<'b>(buffers: &[&'b [u8]]) -> Vec<Vec<&'b [u8]>> {
    let mut parts = Vec::new();
    let (mut part, mut room) = (Vec::new(), TRANSFER_BYTES);
    for buffer in buffers {
        let mut rest = *buffer;
        while !rest.is_empty() {
            let (fits, behind) = rest.split_at(rest.len().min(room));
            part.push(fits);
            room -= fits.len();
            rest = behind;
            if room == 0 {
                parts.push(std::mem::take(&mut part));
                room = TRANSFER_BYTES;
            }
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

impl Device for RemoteDisk {
    fn read_at(&self, mut offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.told.tell(&*self.link, &self.traffic);
        let all = buffers.iter().map(|buffer| buffer.len()).sum::<usize>();
        if all <= TRANSFER_BYTES {
            self.call(BlockRequest::Read { offset, bytes: all as u64 }, &[], buffers)?;
            return Ok(());
        }
        for buffer in buffers {
            for part in buffer.chunks_mut(TRANSFER_BYTES) {
                let bytes = part.len() as u64;
                self.call(BlockRequest::Read { offset, bytes }, &[], &mut [part])?;
                offset += bytes;
            }
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, false)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, true)
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let all = buffers.iter().map(|buffer| buffer.len()).sum::<usize>();
        if all > TRANSFER_BYTES {
            return Ok(PendingRead::by_waiter(Arc::new(self.clone()), offset, buffers));
        }
        self.told.tell(&*self.link, &self.traffic);
        let request = BlockRequest::Read { offset, bytes: all as u64 };
        let read = Arc::clone(&self.link).submit_read(&self.name, request, buffers)?;
        self.traffic.block_request(request, &self.name);
        let (link, unsynced) = (Arc::clone(&self.link), Arc::clone(&self.unsynced));
        Ok(PendingRead::new(GuardedRead { read, link, unsynced }))
    }

    fn sync(&self) -> io::Result<()> {
        let covered = self.unsynced.covered();
        let answer = self.call(BlockRequest::Sync, &[], &mut [])?;
        self.unsynced.synced(covered, answer.boot).map_err(|error| said(&*self.link, &error))
    }

    fn size(&self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.call(BlockRequest::Size, &[], &mut [&mut bytes])?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set_size(&self, _: u64) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the disks of a cell elsewhere keep their sizes"))
    }

    /// The cell's own disks may be.
    fn direct(&self) -> bool {
        true
    }

    fn cell_disk(&self, _offset: u64) -> Option<CellDisk> {
        Some(self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_writes_are_cut() {
        let bytes = vec![7; TRANSFER_BYTES];
        let buffers: [&[u8]; 4] = [&bytes[..10], &[], &bytes, &bytes[..20]];
        let lengths = |part: &Vec<&[u8]>| part.iter().map(|part| part.len()).collect::<Vec<_>>();
        let cut = parts(&buffers).iter().map(lengths).collect::<Vec<_>>();
        assert_eq!(cut, [vec![10, TRANSFER_BYTES - 10], vec![10, 20]]);
        assert!(parts(&[]).is_empty());
    }
}
