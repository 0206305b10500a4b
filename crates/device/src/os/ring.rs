//! Reads through io_uring.
//!
//! Each read in flight has a ring of its own, taken from a stock of idle ones, so that submitting and waiting need no
//! lock and no thread that distributes completions. A ring in the stock is always empty.
//!
//! This is the only file of the crate with `unsafe` in it.

#![expect(unsafe_code, reason = "the kernel is handed addresses; see the SAFETY paragraphs")]

use std::fmt;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::AsRawFd;

use common::sync::{Arc, Mutex};
use io_uring::{IoUring, Probe, opcode, types};
use rustix::io::Errno;

use super::file::{Chosen, OsFile};
use super::vectored::IOV_MAX;
use crate::buffer::AlignedBuffer;
use crate::device::ReadInFlight;

/// One read needs one entry.
const ENTRIES: u32 = 1;

/// Idle rings kept; more reads in flight than this make and drop rings.
const STOCK: usize = 32;

/// The stock of idle rings.
pub(super) struct Rings {
    idle: Mutex<Vec<IoUring>>,
}

impl fmt::Debug for Rings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rings")
    }
}

impl Rings {
    /// None where the kernel has no io_uring, forbids it, or lacks what is needed.
    pub(super) fn probe() -> Option<Arc<Self>> {
        let mut ring = IoUring::new(ENTRIES).ok()?;
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe).ok()?;
        if !probe.is_supported(opcode::Readv::CODE) {
            return None;
        }
        // Making a ring may be allowed and using it forbidden.
        //
        // SAFETY: this entry refers to no memory.
        unsafe { ring.submission().push(&opcode::Nop::new().build()) }.ok()?;
        ring.submit_and_wait(1).ok()?;
        if ring.completion().next()?.result() < 0 {
            return None;
        }
        Some(Arc::new(Self { idle: Mutex::new(vec![ring]) }))
    }

    /// Starts a read, or gives the buffers back where that cannot be done through a ring just now.
    pub(super) fn submit(
        self: &Arc<Self>,
        file: &Arc<OsFile>,
        offset: u64,
        buffers: Vec<AlignedBuffer>,
    ) -> Result<RingRead, Vec<AlignedBuffer>> {
        if buffers.len() > IOV_MAX || buffers.iter().map(|b| b.len()).sum::<usize>() > i32::MAX as usize {
            return Err(buffers);
        }
        let idle = self.idle.lock().pop();
        let Some(ring) = idle.or_else(|| IoUring::new(ENTRIES).ok()) else { return Err(buffers) };
        let mut memory = Memory::new(buffers);
        let chosen = file.choose(offset, &memory.buffers);
        match start(ring, chosen.file(file), offset, &mut memory) {
            Some(ring) => Ok(RingRead {
                flight: Some(Flight { ring, memory }),
                result: None,
                rings: Arc::clone(self),
                file: Arc::clone(file),
                chosen,
                offset,
            }),
            None => Err(memory.buffers),
        }
    }
}

/// Hands the read to the kernel. None when the kernel did not take it.
fn start(mut ring: IoUring, file: &File, offset: u64, memory: &mut Memory) -> Option<IoUring> {
    let entry = opcode::Readv::new(
        types::Fd(file.as_raw_fd()),
        memory.vectors.as_ptr().cast(),
        u32::try_from(memory.vectors.len()).ok()?,
    )
    .offset(offset)
    .build();
    // SAFETY: the entry refers to the descriptor, the vectors and, through them, the buffers. All three are kept until
    // its completion has been seen: `RingRead` owns the memory inside `Flight`, and the file through its `Arc`; it
    // gives up neither before `Flight::finish` has taken the completion, not even when it is dropped. A buffer's bytes
    // and the vectors are on the heap, where they stay when `Memory` moves. Nothing else can reach the buffers
    // meanwhile, because `Memory` holds them and is private. A `RingRead` that is leaked leaks the memory too. When
    // this function returns None the kernel has not taken the entry, and it goes with the ring.
    unsafe { ring.submission().push(&entry) }.ok()?;
    loop {
        match ring.submit() {
            Ok(1) => return Some(ring),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// The buffers of a read and what tells the kernel where they are.
struct Memory {
    vectors: Box<[libc::iovec]>,
    buffers: Vec<AlignedBuffer>,
}

// SAFETY: the pointers in `vectors` point into `buffers`, which is Send; nobody but the kernel follows them.
unsafe impl Send for Memory {}

impl Memory {
    fn new(mut buffers: Vec<AlignedBuffer>) -> Self {
        let vectors = buffers
            .iter_mut()
            .map(|buffer| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() })
            .collect();
        Self { vectors, buffers }
    }
}

/// The memory that the kernel uses until the read's completion has been seen.
struct Flight {
    ring: IoUring,
    memory: Memory,
}

impl Flight {
    /// The completion's result, when it is there.
    fn completion(&mut self) -> Option<i32> {
        self.ring.completion().next().map(|entry| entry.result())
    }

    /// Waits for the completion. When that is impossible, the ring and the memory are lost on purpose: the kernel may
    /// still write there.
    fn finish(mut self) -> io::Result<(i32, IoUring, Vec<AlignedBuffer>)> {
        loop {
            if let Some(result) = self.completion() {
                return Ok((result, self.ring, self.memory.buffers));
            }
            if let Err(error) = self.ring.submit_and_wait(1) {
                let passing = [Errno::INTR, Errno::AGAIN, Errno::BUSY].map(Errno::raw_os_error);
                if !error.raw_os_error().is_some_and(|code| passing.contains(&code)) {
                    mem::forget(self);
                    return Err(error);
                }
            }
        }
    }
}

/// A read in flight.
pub(super) struct RingRead {
    /// None once the completion has been waited for.
    flight: Option<Flight>,
    /// The completion's result when `is_done` has seen it; the kernel is then done with the memory.
    result: Option<i32>,
    rings: Arc<Rings>,
    file: Arc<OsFile>,
    chosen: Chosen,
    offset: u64,
}

impl RingRead {
    fn finish(&mut self) -> io::Result<(i32, Vec<AlignedBuffer>)> {
        let Some(flight) = self.flight.take() else { return Err(io::ErrorKind::InvalidInput.into()) };
        let (result, ring, buffers) = match self.result {
            Some(result) => (result, flight.ring, flight.memory.buffers),
            None => flight.finish()?,
        };
        let mut idle = self.rings.idle.lock();
        if idle.len() < STOCK {
            idle.push(ring);
        }
        Ok((result, buffers))
    }
}

impl ReadInFlight for RingRead {
    fn is_done(&mut self) -> bool {
        if self.result.is_none() {
            self.result = self.flight.as_mut().and_then(Flight::completion);
        }
        self.result.is_some()
    }

    fn wait(mut self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let (result, mut buffers) = self.finish()?;
        let done = match usize::try_from(result) {
            Ok(done) => Ok(done),
            Err(_) => Err(Errno::from_raw_os_error(-result)),
        };
        self.file.complete_read(self.chosen, self.offset, &mut buffers, done)?;
        Ok(buffers)
    }
}

impl Drop for RingRead {
    fn drop(&mut self) {
        // The result is dropped; the memory must not be freed before the kernel is done with it.
        let _ = self.finish();
    }
}
