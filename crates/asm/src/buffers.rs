//! Buffers of requests, used again. New memory of this size is mapped and cleared page by page by the operating system,
//! which takes longer than copying into it does.

use std::ops::{Deref, DerefMut};

use common::sync::{Arc, Mutex};
use device::AlignedBuffer;

/// Shorter buffers are not kept: the allocator has memory for them.
const KEPT_FROM: usize = 64 << 10;
/// Bytes of all buffers that are kept.
const KEPT_BYTES: usize = 32 << 20;

/// Buffers that are not in use.
#[derive(Default, Debug)]
pub(crate) struct Buffers(Mutex<Kept>);

#[derive(Default, Debug)]
struct Kept {
    /// Those that were used last at the end.
    buffers: Vec<AlignedBuffer>,
    bytes: usize,
}

/// A buffer in use.
#[derive(Debug)]
pub(crate) struct Buffer {
    buffer: AlignedBuffer,
    home: Arc<Buffers>,
}

impl Buffers {
    /// A buffer of so many bytes. What is in it is left from an earlier use.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Buffer {
        let kept = {
            let mut kept = self.0.lock();
            let at = kept.buffers.iter().rposition(|buffer| buffer.len() == bytes);
            at.map(|at| {
                kept.bytes -= bytes;
                kept.buffers.remove(at)
            })
        };
        Buffer { buffer: kept.unwrap_or_else(|| AlignedBuffer::zeroed(bytes)), home: Arc::clone(self) }
    }

    /// One buffer with the content of several.
    pub(crate) fn gather(self: &Arc<Self>, parts: &[&[u8]]) -> Buffer {
        let mut all = self.take(parts.iter().map(|part| part.len()).sum());
        let mut at = 0;
        for part in parts {
            all[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        all
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = self.buffer.len();
        if !(KEPT_FROM..=KEPT_BYTES).contains(&bytes) {
            return;
        }
        let buffer = std::mem::replace(&mut self.buffer, AlignedBuffer::zeroed(0));
        let mut kept = self.home.0.lock();
        let mut room = KEPT_BYTES - kept.bytes;
        let gone = kept.buffers.iter().take_while(|kept| {
            let short = room < bytes;
            room += if short { kept.len() } else { 0 };
            short
        });
        let gone = gone.count();
        kept.buffers.drain(..gone);
        kept.bytes = KEPT_BYTES - room + bytes;
        kept.buffers.push(buffer);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_and_the_oldest_ones_go() {
        const MB: usize = 1 << 20;
        let buffers = Arc::new(Buffers::default());
        let kept = || {
            let kept = buffers.0.lock();
            (kept.bytes, kept.buffers.len())
        };
        let first = buffers.gather(&[&vec![1; MB / 2], &vec![2; MB / 2]]);
        assert_eq!((first[0], first[MB - 1], first.len()), (1, 2, MB));
        let address = first.as_ptr();
        drop(first);
        assert_eq!(buffers.take(MB).as_ptr(), address);
        drop(buffers.take(4096));
        assert_eq!(kept(), (MB, 1));
        drop((0..40).map(|_| buffers.take(MB)).collect::<Vec<_>>());
        assert_eq!(kept(), (32 * MB, 32));
        drop(buffers.take(3 * MB));
        assert_eq!(kept(), (32 * MB, 30));
        drop(buffers.take(64 * MB));
        let kept = buffers.0.lock();
        assert_eq!(kept.bytes, kept.buffers.iter().map(|buffer| buffer.len()).sum::<usize>());
        assert_eq!(kept.buffers.last().map(|buffer| buffer.len()), Some(3 * MB));
    }
}
