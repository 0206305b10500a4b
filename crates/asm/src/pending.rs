//! Reads in the background: one read for each piece, all in flight together. After an error the other copies are read.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, Device, PendingRead, ReadInFlight};

use crate::file::{GroupFile, Map};

/// A read of several pieces.
pub(crate) struct Pieces {
    pub(crate) reads: Vec<PendingRead>,
    /// The caller's buffers, where a piece ended inside one: the pieces are read into others and copied. None: the
    /// caller's own are in flight, whole.
    pub(crate) copy_to: Option<Vec<AlignedBuffer>>,
}

/// A read of a file in the background.
pub(crate) struct InFlight {
    pub(crate) pieces: Pieces,
    pub(crate) file: GroupFile,
    /// Where the pieces are: units that are left meanwhile stay as they are as long as this is here.
    pub(crate) map: Arc<Map>,
    pub(crate) offset: u64,
    /// Lengths of the caller's buffers.
    pub(crate) sizes: Vec<usize>,
}

impl ReadInFlight for InFlight {
    fn is_done(&mut self) -> bool {
        self.pieces.reads.iter_mut().all(PendingRead::is_done)
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let Self { pieces, file, map, offset, sizes } = *self;
        let read = pieces.wait();
        match read {
            Err(_) if map.copies > 1 => {
                let mut buffers: Vec<_> = sizes.into_iter().map(AlignedBuffer::zeroed).collect();
                let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
                file.read_at(offset, &mut parts)?;
                Ok(buffers)
            }
            read => read,
        }
    }
}

impl Pieces {
    fn wait(self) -> io::Result<Vec<AlignedBuffer>> {
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
