//! What a cell's messages were: how many, and their bytes.

use std::io;
use std::sync::OnceLock;

use common::interconnect;
use common::sync::Arc;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};

use crate::Capture;
use crate::block_message::{BlockRequest, answer_head};
use crate::capture::{Kind, Message};
use crate::mailbox::Answers;

/// Counts of the messages between the instance and a cell.
#[derive(Default, Debug)]
pub(crate) struct Traffic {
    reads: AtomicU64,
    writes: AtomicU64,
    scans: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    capture: OnceLock<Captured>,
}

#[derive(Debug)]
struct Captured {
    cell: String,
    capture: Arc<Capture>,
}

/// Messages between the instance and a cell since the instance has known it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TrafficFigures {
    /// Requests for blocks.
    pub reads: u64,
    /// Requests that bring blocks.
    pub writes: u64,
    /// Requests for scans.
    pub scans: u64,
    /// Bytes of all requests.
    pub bytes_sent: u64,
    /// Bytes of all answers.
    pub bytes_received: u64,
}

impl Traffic {
    /// Counts a request for bytes of a disk that was answered, and its answer. The thread's session counts them, too.
    pub(crate) fn block_request(&self, request: BlockRequest, disk: &str) {
        match request {
            BlockRequest::Read { .. } => self.reads.fetch_add(1, Relaxed),
            BlockRequest::Write { .. } => self.writes.fetch_add(1, Relaxed),
            BlockRequest::Sync
            | BlockRequest::Size
            | BlockRequest::Disks
            | BlockRequest::FlashRules { .. }
            | BlockRequest::FlashState => 0,
        };
        let (sent, received) = (request.message_bytes(disk), request.answer_bytes());
        self.bytes_sent.fetch_add(sent, Relaxed);
        self.bytes_received.fetch_add(received, Relaxed);
        interconnect::note(sent + received);
        if let Some(Captured { cell, capture }) = self.captured() {
            let (session, head, done) = (interconnect::session(), request.head(disk), answer_head(&Ok(())));
            let request = Message::beginning(Kind::BlockRequest, &head, sent);
            let answer = Message::beginning(Kind::BlockAnswer, &done, received);
            capture.packets(session, cell, &[request, answer]);
        }
    }

    /// Counts a request for a scan, and returns the way back by which its answers are counted, too.
    pub(crate) fn scan(self: &Arc<Self>, request: &[u8], reply: Box<dyn Answers>) -> Box<dyn Answers> {
        self.scans.fetch_add(1, Relaxed);
        self.bytes_sent.fetch_add(request.len() as u64, Relaxed);
        let session = interconnect::session();
        if let Some(Captured { cell, capture }) = self.captured() {
            capture.packets(session, cell, &[Message::whole(Kind::ScanRequest, request)]);
        }
        Box::new(Counted { reply, traffic: Arc::clone(self), session })
    }

    /// Writes the messages from now on. A second call changes nothing.
    pub(crate) fn capture(&self, cell: &str, capture: &Arc<Capture>) {
        self.capture.get_or_init(|| Captured { cell: cell.to_owned(), capture: Arc::clone(capture) });
    }

    fn captured(&self) -> Option<&Captured> {
        self.capture.get()
    }

    pub(crate) fn figures(&self) -> TrafficFigures {
        TrafficFigures {
            reads: self.reads.load(Relaxed),
            writes: self.writes.load(Relaxed),
            scans: self.scans.load(Relaxed),
            bytes_sent: self.bytes_sent.load(Relaxed),
            bytes_received: self.bytes_received.load(Relaxed),
        }
    }
}

/// Counts the answers to a scan.
#[derive(Debug)]
struct Counted {
    reply: Box<dyn Answers>,
    traffic: Arc<Traffic>,
    /// The one that has asked.
    session: u32,
}

impl Answers for Counted {
    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn send(&self, answer: Vec<u8>) {
        self.traffic.bytes_received.fetch_add(answer.len() as u64, Relaxed);
        if let Some(Captured { cell, capture }) = self.traffic.captured() {
            capture.packets(self.session, cell, &[Message::whole(Kind::ScanAnswer, &answer)]);
        }
        self.reply.send(answer);
    }

    fn fail(&self, error: io::Error) {
        self.reply.fail(error);
    }

    fn end(&self) {
        self.reply.end();
    }
}
