//! What a cell's messages were: how many, and their bytes.

use common::interconnect;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};

use crate::block_message::BlockRequest;

/// Counts of the messages between the instance and a cell.
#[derive(Default, Debug)]
pub(crate) struct Traffic {
    reads: AtomicU64,
    writes: AtomicU64,
    scans: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
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
            BlockRequest::Sync | BlockRequest::Size | BlockRequest::Disks => 0,
        };
        let (sent, received) = (request.message_bytes(disk), request.answer_bytes());
        self.bytes_sent.fetch_add(sent, Relaxed);
        self.bytes_received.fetch_add(received, Relaxed);
        interconnect::note(sent + received);
    }

    /// Counts a request for a scan.
    pub(crate) fn scan_request(&self, bytes: usize) {
        self.scans.fetch_add(1, Relaxed);
        self.bytes_sent.fetch_add(bytes as u64, Relaxed);
    }

    /// Counts the answer to a scan.
    pub(crate) fn scan_answer(&self, bytes: usize) {
        self.bytes_received.fetch_add(bytes as u64, Relaxed);
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
