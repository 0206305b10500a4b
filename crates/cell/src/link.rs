//! The way to a cell elsewhere.

use std::fmt;
use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, PendingRead};

use crate::block_message::BlockRequest;
use crate::mailbox::Answers;

/// What a cell elsewhere has answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// Those that the caller has given no place for.
    pub bytes: Vec<u8>,
    /// A number of the boot of the machine that has answered: another one after it has lost its caches.
    pub boot: u64,
}

/// Carries requests to a cell elsewhere, and its answers back.
///
/// A request that has lost its connection is repeated, until it is answered or its time is over. It is repeated only
/// when the cell has ended what an earlier connection had asked for, and so is the first request after one that was
/// given up: a late write never follows a later one.
pub trait Link: fmt::Debug + Send + Sync {
    /// The cell's own name.
    fn name(&self) -> &str;

    /// Where the cell is.
    fn address(&self) -> &str;

    /// The boot of the machine that the latest connection has met; None before the first one.
    fn boot(&self) -> Option<u64>;

    /// True: the latest connection has met this machine.
    fn is_on_this_machine(&self) -> bool;

    /// Connections so far: a cell that was started anew has a later one.
    fn connections(&self) -> u64;

    /// Sends a request for a disk and `bytes` behind it, and blocks for the answer. Its bytes fill `into`, and are
    /// returned where that is empty.
    ///
    /// # Errors
    /// The cell's own; [`io::ErrorKind::TimedOut`] without an answer in time, and the reason.
    fn call(&self, disk: &str, request: BlockRequest, bytes: &[&[u8]], into: &mut [&mut [u8]]) -> io::Result<Answered>;

    /// Starts a read that fills the buffers.
    ///
    /// # Errors
    /// As [`call`](Self::call), here or from the wait.
    fn submit_read(
        self: Arc<Self>,
        disk: &str,
        request: BlockRequest,
        buffers: Vec<AlignedBuffer>,
    ) -> io::Result<PendingRead>;

    /// Sends the request of a scan. A scan that loses its connection fails.
    fn scan(self: Arc<Self>, request: Vec<u8>, reply: Box<dyn Answers>);
}
