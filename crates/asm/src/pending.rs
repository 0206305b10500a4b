//! Reads in the background that cross from one allocation unit to another: one read for each piece, all in flight
//! together.

use std::io;

use device::{AlignedBuffer, PendingRead, ReadInFlight};

/// A read of several pieces.
pub(crate) struct Pieces {
    pub(crate) reads: Vec<PendingRead>,
    /// The caller's buffers, where a piece ended inside one: the pieces are read into others and copied. None: the
    /// caller's own are in flight, whole.
    pub(crate) copy_to: Option<Vec<AlignedBuffer>>,
}

impl ReadInFlight for Pieces {
    fn is_done(&mut self) -> bool {
        self.reads.iter_mut().all(PendingRead::is_done)
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let mut read = Vec::new();
        let mut failed = None;
        // All are waited for, also after an error.
        for one in self.reads {
            match one.wait() {
                Ok(buffers) => read.extend(buffers),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(mut buffers) = self.copy_to else { return Ok(read) };
        let mut from = read.iter().flat_map(|buffer| buffer.iter());
        for buffer in &mut buffers {
            for (to, from) in buffer.iter_mut().zip(&mut from) {
                *to = *from;
            }
        }
        Ok(buffers)
    }
}

/// The number of buffers for each length, when every length ends at a buffer's end.
pub(crate) fn whole_buffers(buffers: &[AlignedBuffer], lengths: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
    let mut sizes = buffers.iter().map(|buffer| buffer.len()).peekable();
    let mut counts = Vec::new();
    for length in lengths {
        let (mut count, mut sum) = (0, 0);
        while sum < length {
            sum += sizes.next()?;
            count += 1;
        }
        if sum > length {
            return None;
        }
        counts.push(count);
    }
    // Empty buffers at the end go with the last piece.
    if let Some(last) = counts.last_mut() {
        *last += sizes.count();
    }
    Some(counts)
}
