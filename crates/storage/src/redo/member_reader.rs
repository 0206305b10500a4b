//! A member of a log group, read in order: large reads, several of them on their way while what came before is looked
//! at.

use std::collections::VecDeque;
use std::io;

use device::{AlignedBuffer, PendingRead};
use waits::{Event, Meter};

use super::files::{Member, offset};
use super::layout::BLOCK;

/// Blocks in one read.
const CHUNK_BLOCKS: u32 = 8192;
/// Reads on their way behind the one that is looked at.
const READS_AHEAD: usize = 3;

/// A member, and the part of it that was read last.
pub(super) struct MemberReader {
    member: Member,
    chunk: AlignedBuffer,
    first: u32,
    ahead: VecDeque<Ahead>,
    /// Memory of chunks that have been looked at.
    spare: Vec<AlignedBuffer>,
}

/// A read on its way.
struct Ahead {
    first: u32,
    count: u32,
    read: PendingRead,
}

/// Whose wait a read is.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) meter: Option<&'a Meter>,
    pub(super) sequence: u32,
    /// Blocks in the file.
    pub(super) blocks: u32,
}

impl MemberReader {
    pub(super) fn new(member: Member) -> Self {
        Self { member, chunk: AlignedBuffer::zeroed(0), first: 0, ahead: VecDeque::new(), spare: Vec::new() }
    }

    /// A block of the file.
    ///
    /// # Errors
    /// Those of the device: nobody knows then what is there.
    pub(super) fn block(&mut self, number: u32, reading: Reading<'_>) -> io::Result<&[u8]> {
        debug_assert!(number < reading.blocks, "block {number} of a file of {}", reading.blocks);
        if !self.holds(number) {
            self.load(number, reading)?;
        }
        debug_assert!(number >= self.first, "block {number} lies before what was read, {}", self.first);
        let at = (number - self.first) as usize * BLOCK;
        self.chunk.get(at..at + BLOCK).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn held(&self) -> u32 {
        (self.chunk.len() / BLOCK) as u32
    }

    fn holds(&self, number: u32) -> bool {
        number >= self.first && number < self.first + self.held()
    }

    /// Gets the chunk that begins with a block; the chunk that ends with it, when the one behind it was looked at
    /// before.
    fn load(&mut self, number: u32, reading: Reading<'_>) -> io::Result<()> {
        let backwards = self.held() > 0 && number + 1 == self.first;
        let follows = self.held() == 0 || number == self.first + self.held();
        let first = if backwards { (number + 1).saturating_sub(CHUNK_BLOCKS) } else { number };
        let last = if backwards { number + 1 } else { reading.blocks };
        let spent = std::mem::replace(&mut self.chunk, AlignedBuffer::zeroed(0));
        if spent.len() == CHUNK_BLOCKS as usize * BLOCK {
            self.spare.push(spent);
        }
        if self.ahead.front().is_none_or(|ahead| ahead.first != first) {
            self.ahead.clear();
            self.submit(first, last);
        }
        // What was on its way, or could not be sent.
        let read = self.ahead.pop_front();
        if follows {
            self.read_ahead(reading);
        }
        let arrived = read.and_then(|ahead| self.wait(ahead, reading));
        // One sector that cannot be read must not hide its neighbours.
        (self.first, self.chunk) = match arrived {
            Some(arrived) => arrived,
            None => (number, self.one(number, reading)?),
        };
        Ok(())
    }

    /// Sends reads until enough are on their way.
    fn read_ahead(&mut self, reading: Reading<'_>) {
        let Some(mut next) = self.ahead.back().map(|ahead| ahead.first + ahead.count) else { return };
        while self.ahead.len() < READS_AHEAD && next < reading.blocks {
            if !self.submit(next, reading.blocks) {
                return;
            }
            next += CHUNK_BLOCKS;
        }
    }

    fn submit(&mut self, first: u32, end: u32) -> bool {
        debug_assert!(first < end, "a read of blocks {first} to {end}");
        let last = self.ahead.back().map(|ahead| ahead.first + ahead.count);
        debug_assert!(last.is_none_or(|last| last == first), "reads on their way leave a hole before {first}");
        let count = CHUNK_BLOCKS.min(end - first);
        let bytes = count as usize * BLOCK;
        let buffer = match self.spare.pop() {
            Some(buffer) if buffer.len() == bytes => buffer,
            _ => AlignedBuffer::zeroed(bytes),
        };
        let Ok(read) = self.member.device.submit_read(offset(first), vec![buffer]) else { return false };
        self.ahead.push_back(Ahead { first, count, read });
        debug_assert!(self.ahead.len() <= READS_AHEAD, "{} reads are on their way", self.ahead.len());
        true
    }

    fn wait(&self, ahead: Ahead, reading: Reading<'_>) -> Option<(u32, AlignedBuffer)> {
        let Ahead { first, count, read } = ahead;
        let buffers = accounted(reading, first, count, || read.wait()).ok()?;
        buffers.into_iter().next().map(|chunk| (first, chunk))
    }

    /// A block by itself.
    pub(super) fn one(&self, number: u32, reading: Reading<'_>) -> io::Result<AlignedBuffer> {
        let mut block = AlignedBuffer::zeroed(BLOCK);
        let read = || self.member.device.read_at(offset(number), &mut [&mut block]);
        accounted(reading, number, 1, read)?;
        Ok(block)
    }
}

fn accounted<R>(reading: Reading<'_>, first: u32, count: u32, read: impl FnOnce() -> R) -> R {
    let parameters = [u64::from(reading.sequence), u64::from(first), u64::from(count)];
    match reading.meter {
        Some(meter) => meter.wait(Event::LogFileSequentialRead, parameters, -1, read),
        None => read(),
    }
}
