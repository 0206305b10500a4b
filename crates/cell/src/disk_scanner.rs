//! The scans of one disk: a thread that reads pieces of the requests, in their order, and scans them.
//!
//! Reads are ahead of the scan, so that the disk is not idle while the processor works, and one after another, so that
//! a disk with an arm reads neighbouring pieces as they lie.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex, spawn};
use device::{AlignedBuffer, Device as _, PendingRead};

use crate::answer::{AnswerWriter, Reason};
use crate::mailbox::Answers;
use crate::request::{Piece, ScanRequest};
use crate::smart_scan::{pass_through, scan_piece};
use crate::storage_index::{Learner, StorageIndex};
use crate::stored_disk::StoredDisk;

/// Reads on their way.
const READS_AHEAD: usize = 3;
/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(10);

/// A request, and where its answers go.
pub(crate) struct Asked {
    pub(crate) request: ScanRequest,
    pub(crate) reply: Box<dyn Answers>,
    pub(crate) disk: Arc<StoredDisk>,
    pub(crate) index: Arc<StorageIndex>,
    /// Nothing is scanned: the instance gets all blocks.
    pub(crate) pass_through: Option<Reason>,
}

impl Asked {
    /// Scans a piece that was read, from the flash cache or the disk, and answers.
    fn answer(&self, piece: Piece, read: io::Result<bool>, mut learner: Option<Learner>, bytes: &mut [u8]) {
        let scanned = read.and_then(|from_flash| {
            let mut answer = AnswerWriter::new(piece);
            let figures = &mut answer.figures;
            *if from_flash { &mut figures.bytes_flash } else { &mut figures.bytes_read } = bytes.len() as u64;
            if let Some(reason) = self.pass_through {
                pass_through(&self.request, piece, bytes, &mut answer, reason);
                return Ok(answer.finish());
            }
            scan_piece(&self.request, piece, bytes, &mut answer, &mut learner, |offset, bytes| {
                self.disk.read_at(offset, &mut [bytes])
            })?;
            if let Some(learner) = learner {
                self.index.keep(&self.request, &piece, learner);
            }
            Ok(answer.finish())
        });
        self.reply(piece, scanned);
    }

    /// Answers a piece in which no row can satisfy the condition.
    fn saved(&self, piece: Piece) {
        let mut answer = AnswerWriter::new(piece);
        answer.figures.bytes_saved = piece.bytes as u64;
        self.reply(piece, Ok(answer.finish()));
    }

    fn reply(&self, piece: Piece, answer: io::Result<Vec<u8>>) {
        match answer {
            Ok(answer) => {
                self.reply.send(answer);
                if piece.is_last {
                    self.reply.end();
                }
            }
            Err(error) => self.reply.fail(error),
        }
    }

    /// Carries all of it out, in this thread.
    pub(crate) fn carry_out(&self) {
        let mut buffer = AlignedBuffer::zeroed(0);
        for piece in self.request.pieces() {
            if !self.reply.is_wanted() {
                return;
            }
            if self.index.excludes(&self.request, &piece) {
                self.saved(piece);
                continue;
            }
            if buffer.len() != piece.bytes {
                buffer = AlignedBuffer::zeroed(piece.bytes);
            }
            let learner = self.index.learn(&self.request, &piece);
            let whole = std::mem::replace(&mut buffer, AlignedBuffer::zeroed(0));
            let read = land(self.disk.submit_scan_read(piece.offset, whole, self.request.flash));
            let read = read.map(|(read, from_flash)| {
                buffer = read;
                from_flash
            });
            self.answer(piece, read, learner, &mut buffer);
        }
    }
}

/// A request of which pieces are left.
struct Open {
    asked: Arc<Asked>,
    pieces: Box<dyn Iterator<Item = Piece> + Send>,
}

#[derive(Default)]
struct Queue {
    open: VecDeque<Open>,
    running: bool,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

/// The requests for one disk.
pub(crate) struct DiskScanner {
    name: String,
    shared: Arc<Shared>,
}

/// A read of a piece on its way, and whether the flash cache answers it.
type SubmittedRead = io::Result<(PendingRead, bool)>;

/// Waits for a read.
fn land(read: SubmittedRead) -> io::Result<(AlignedBuffer, bool)> {
    let (read, from_flash) = read?;
    let buffer = read.wait()?.pop().ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((buffer, from_flash))
}

/// A piece whose turn comes.
struct Flight {
    asked: Arc<Asked>,
    piece: Piece,
    /// None: it is answered without a read, when its turn comes.
    read: Option<SubmittedRead>,
    learner: Option<Learner>,
}

impl Queue {
    /// The next piece that somebody wants.
    fn next(&mut self) -> Option<(Arc<Asked>, Piece)> {
        loop {
            let open = self.open.front_mut()?;
            match open.pieces.next().filter(|_| open.asked.reply.is_wanted()) {
                Some(piece) => return Some((Arc::clone(&open.asked), piece)),
                None => drop(self.open.pop_front()),
            }
        }
    }
}

impl Shared {
    /// The next piece; with `patience` it waits for one. None: there is none.
    fn next(&self, patience: bool) -> Option<(Arc<Asked>, Piece)> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(next) = queue.next() {
                return Some(next);
            }
            if !patience {
                return None;
            }
            if queue.closing || (self.work.wait_for(&mut queue, IDLE).timed_out() && queue.open.is_empty()) {
                queue.running = false;
                return None;
            }
        }
    }

    fn serve(&self) {
        let mut serving = Serving { shared: self, done: false };
        let mut flying: VecDeque<Flight> = VecDeque::new();
        let mut spare: Vec<AlignedBuffer> = Vec::new();
        loop {
            while flying.len() < READS_AHEAD
                && let Some((asked, piece)) = self.next(flying.is_empty())
            {
                if asked.index.excludes(&asked.request, &piece) {
                    flying.push_back(Flight { asked, piece, read: None, learner: None });
                    continue;
                }
                let learner = asked.index.learn(&asked.request, &piece);
                let fitting = spare.iter().position(|buffer| buffer.len() == piece.bytes);
                let buffer = fitting.map_or_else(|| AlignedBuffer::zeroed(piece.bytes), |at| spare.swap_remove(at));
                let read = Some(asked.disk.submit_scan_read(piece.offset, buffer, asked.request.flash));
                flying.push_back(Flight { asked, piece, read, learner });
            }
            let Some(Flight { asked, piece, read, learner }) = flying.pop_front() else {
                serving.done = true;
                return;
            };
            let Some(read) = read else {
                asked.saved(piece);
                continue;
            };
            let (read, mut buffer) = match land(read) {
                Ok((buffer, from_flash)) => (Ok(from_flash), buffer),
                Err(error) => (Err(error), AlignedBuffer::zeroed(0)),
            };
            if asked.reply.is_wanted() {
                asked.answer(piece, read, learner, &mut buffer);
            }
            spare.truncate(READS_AHEAD);
            spare.push(buffer);
        }
    }
}

/// The thread of a disk. Where it panics its requests are given up, and the next one gets another thread.
struct Serving<'a> {
    shared: &'a Shared,
    done: bool,
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        if !self.done {
            let mut queue = self.shared.queue.lock();
            queue.running = false;
            queue.open.clear();
        }
    }
}

impl DiskScanner {
    pub(crate) fn new(name: String) -> Self {
        Self { name, shared: Arc::default() }
    }

    /// Takes a request. Where the machine has no thread for it, the caller carries it out.
    pub(crate) fn ask(&self, asked: Asked) {
        let pieces = Box::new(asked.request.pieces());
        let asked = Arc::new(asked);
        let mut queue = self.shared.queue.lock();
        queue.open.push_back(Open { asked: Arc::clone(&asked), pieces });
        if queue.running {
            drop(queue);
            self.shared.work.notify_one();
            return;
        }
        queue.running = true;
        drop(queue);
        let shared = Arc::clone(&self.shared);
        if spawn(&self.name, move || shared.serve()).is_err() {
            let mut queue = self.shared.queue.lock();
            queue.running = false;
            queue.open.clear();
            drop(queue);
            asked.carry_out();
        }
    }
}

impl Drop for DiskScanner {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.work.notify_all();
    }
}
