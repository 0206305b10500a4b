//! Open datafiles: their bytes, and counts of the work on them. See README.md in this folder.

use std::io;
use std::path::PathBuf;

use common::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use common::sync::unscheduled::atomic::AtomicU64;
use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockSize, Error, ErrorKind, FileNumber, Number, Result, Scn, TablespaceNumber, limits};
use device::{AlignedBuffer, Device, PendingRead, Places};
use format::{block, file};
use waits::{Event, HISTOGRAM_BUCKETS, Meter, histogram_bucket};

/// An open datafile, and counts of the work on it.
#[derive(Debug)]
pub struct Datafile {
    number: FileNumber,
    tablespace: TablespaceNumber,
    name: String,
    path: PathBuf,
    block_size: BlockSize,
    device: Arc<dyn Device>,
    /// Requests go to storage cells.
    on_cells: bool,
    blocks: AtomicU32,
    written: AtomicBool,
    /// Set by the first write or resize since the file was opened.
    changed: AtomicBool,
    syncing: Mutex<()>,
    reads: AtomicU64,
    blocks_read: AtomicU64,
    read_us: AtomicU64,
    writes: AtomicU64,
    blocks_written: AtomicU64,
    write_us: AtomicU64,
    single_reads: AtomicU64,
    single_read_us: AtomicU64,
    read_max_us: AtomicU64,
    write_max_us: AtomicU64,
    read_last_us: AtomicU64,
    /// Single-block reads by the time that sessions waited for them.
    single_read_histogram: [AtomicU64; HISTOGRAM_BUCKETS],
    buffer_waits: AtomicU64,
    buffer_wait_us: AtomicU64,
}

/// A datafile's figures, for V$FILESTAT, V$FILE_HISTOGRAM and the waits for its buffers. Times are those that sessions
/// and the writer waited, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileFigures {
    pub reads: u64,
    pub blocks_read: u64,
    pub read_us: u64,
    pub writes: u64,
    pub blocks_written: u64,
    pub write_us: u64,
    /// Reads of one block.
    pub single_block_reads: u64,
    pub single_block_read_us: u64,
    /// The longest read and the longest write.
    pub read_max_us: u64,
    pub write_max_us: u64,
    /// The last read.
    pub read_last_us: u64,
    /// Reads of one block by time, in the buckets of [`waits::histogram_bound_us`].
    pub single_block_read_histogram: [u64; HISTOGRAM_BUCKETS],
    /// Waits for a buffer with a block of the file that another session held, or was reading.
    pub buffer_waits: u64,
    pub buffer_wait_us: u64,
}

impl FileFigures {
    /// Adds the figures of another file, for the sum of a tablespace.
    pub fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.blocks_read += other.blocks_read;
        self.read_us += other.read_us;
        self.writes += other.writes;
        self.blocks_written += other.blocks_written;
        self.write_us += other.write_us;
        self.single_block_reads += other.single_block_reads;
        self.single_block_read_us += other.single_block_read_us;
        self.read_max_us = self.read_max_us.max(other.read_max_us);
        self.write_max_us = self.write_max_us.max(other.write_max_us);
        self.read_last_us = self.read_last_us.max(other.read_last_us);
        let buckets = self.single_block_read_histogram.iter_mut().zip(other.single_block_read_histogram);
        buckets.for_each(|(mine, others)| *mine += others);
        self.buffer_waits += other.buffer_waits;
        self.buffer_wait_us += other.buffer_wait_us;
    }
}

/// Reads damaged bytes from the copies that a mirrored device has of them, until one passes the check, and has the
/// device write that one to all of them. False when there is none; then the buffer is as it was.
pub fn repair_from_copy(
    device: &dyn Device,
    offset: u64,
    buffer: &mut AlignedBuffer,
    check: impl Fn(&[u8]) -> Result<()>,
) -> bool {
    let copies = device.copies();
    let mut copy = AlignedBuffer::zeroed(if copies > 1 { buffer.len() } else { 0 });
    for number in 0..copies {
        if copies > 1 && device.read_copy(number, offset, &mut [&mut copy]).is_ok() && check(&copy).is_ok() {
            // The bytes are good for their reader whether or not the file can be mended: a later read finds out.
            let _ = device.repair(offset, &[&copy]);
            *buffer = copy;
            return true;
        }
    }
    false
}

/// Whether these bytes are no block at all, as where nothing was ever written.
fn is_empty(block: &[u8]) -> bool {
    block.first() == Some(&0) && block.iter().all(|byte| *byte == 0)
}

impl Datafile {
    /// Looks for a block in the other copies where one has zeros: a disk may have lost what was written to it. Where a
    /// copy has a block, that is it, and is written to all of them.
    pub(crate) fn look_behind_zeros(
        &self,
        address: BlockAddress,
        buffer: &mut AlignedBuffer,
        check: impl Fn(&[u8]) -> Result<()>,
    ) {
        if self.device.copies() > 1 && is_empty(buffer) {
            let there = |bytes: &[u8]| {
                if is_empty(bytes) { Err(Error::corrupt(address, "there is no block")) } else { check(bytes) }
            };
            repair_from_copy(&*self.device, self.offset(address.block), buffer, there);
        }
    }

    pub fn new(
        number: FileNumber,
        tablespace: TablespaceNumber,
        name: String,
        path: PathBuf,
        block_size: BlockSize,
        device: Arc<dyn Device>,
        blocks: u32,
    ) -> Self {
        Self {
            number,
            tablespace,
            name,
            path,
            block_size,
            on_cells: device.cell_disk(0).is_some(),
            device,
            blocks: AtomicU32::new(blocks),
            written: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            syncing: Mutex::new(()),
            reads: AtomicU64::new(0),
            blocks_read: AtomicU64::new(0),
            read_us: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            blocks_written: AtomicU64::new(0),
            write_us: AtomicU64::new(0),
            single_reads: AtomicU64::new(0),
            single_read_us: AtomicU64::new(0),
            read_max_us: AtomicU64::new(0),
            write_max_us: AtomicU64::new(0),
            read_last_us: AtomicU64::new(0),
            single_read_histogram: [const { AtomicU64::new(0) }; HISTOGRAM_BUCKETS],
            buffer_waits: AtomicU64::new(0),
            buffer_wait_us: AtomicU64::new(0),
        }
    }

    #[must_use]
    pub fn number(&self) -> FileNumber {
        self.number
    }

    #[must_use]
    pub fn tablespace(&self) -> TablespaceNumber {
        self.tablespace
    }

    /// The name that the user gave.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        self.block_size
    }

    /// Blocks of the file, header area included.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.blocks.load(Ordering::Acquire)
    }

    /// True: reads and writes bypass the operating system's cache.
    #[must_use]
    pub fn direct(&self) -> bool {
        self.device.direct()
    }

    fn offset(&self, block: u32) -> u64 {
        u64::from(block) * self.block_size.bytes() as u64
    }

    /// # Errors
    /// ORA-01578 when the address is outside the file: only a damaged pointer leads there.
    pub fn check_block(&self, address: BlockAddress) -> Result<()> {
        if address.block == 0 || address.block >= self.blocks() {
            return Err(Error::corrupt(address, format!("outside its file of {} blocks", self.blocks())));
        }
        Ok(())
    }

    /// The wait for a read of so many blocks into the cache, and its parameters.
    pub(crate) fn read_event(&self, block: u32, blocks: u64) -> (Event, [u64; 3]) {
        if self.on_cells
            && let Some(place) = self.device.cell_disk(self.offset(block))
        {
            let event =
                if blocks == 1 { Event::CellSingleBlockPhysicalRead } else { Event::CellMultiblockPhysicalRead };
            let bytes = blocks * self.block_size.bytes() as u64;
            return (event, [u64::from(place.cell), u64::from(place.disk), bytes]);
        }
        let event = if blocks == 1 { Event::DbFileSequentialRead } else { Event::DbFileScatteredRead };
        (event, [u64::from(self.number.0), u64::from(block), blocks])
    }

    /// The disks that consecutive blocks are on, where others may work on them there.
    ///
    /// # Errors
    /// ORA-01115.
    pub fn places(&self, start: BlockAddress, blocks: u32) -> Result<Option<Places>> {
        let bytes = u64::from(blocks) * self.block_size.bytes() as u64;
        self.device.places(self.offset(start.block), bytes).map_err(|error| self.read_error(start, &error))
    }

    /// Starts to read consecutive blocks.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn submit_read(&self, block: u32, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.device.submit_read(self.offset(block), buffers)
    }

    /// A read of consecutive blocks in the calling thread. For a session that waits for the read at once, which gains
    /// nothing by handing it over.
    #[must_use]
    pub fn read_by_waiter(&self, block: u32, buffers: Vec<AlignedBuffer>) -> PendingRead {
        PendingRead::by_waiter(self.device.clone(), self.offset(block), buffers)
    }

    /// Reads a damaged block from the copies that a mirrored device has of it, until one passes the check, and has the
    /// device write that one to all of them. False when there is none; then the buffer is as it was.
    pub(crate) fn repair(
        &self,
        address: BlockAddress,
        buffer: &mut AlignedBuffer,
        check: impl Fn(&[u8]) -> Result<()>,
    ) -> bool {
        repair_from_copy(&*self.device, self.offset(address.block), buffer, check)
    }

    /// Number of blocks before the place where the device cuts a read in two. `blocks` where it is not cut, or not
    /// between two blocks.
    #[must_use]
    pub fn blocks_before_cut(&self, block: u32, blocks: u32) -> u32 {
        let Some(unit) = self.device.cuts_at() else { return blocks };
        let (offset, bytes) = (self.offset(block), self.block_size.bytes() as u64);
        let left = unit - offset % unit;
        if !left.is_multiple_of(bytes) { blocks } else { u32::try_from(left / bytes).unwrap_or(blocks).min(blocks) }
    }

    /// Reads consecutive blocks, around the cache.
    ///
    /// # Errors
    /// ORA-01115.
    pub fn read_blocks(&self, start: BlockAddress, bytes: &mut [u8]) -> Result<()> {
        self.device.read_at(self.offset(start.block), &mut [bytes]).map_err(|error| self.read_error(start, &error))
    }

    /// Writes consecutive sealed blocks.
    ///
    /// # Errors
    /// ORA-01114.
    pub fn write_blocks(&self, start: BlockAddress, bytes: &[u8]) -> Result<()> {
        debug_assert!(
            !bytes.is_empty() && bytes.len().is_multiple_of(self.block_size.bytes()) && start.block > 0,
            "{} bytes at {start} are no blocks",
            bytes.len()
        );
        debug_assert!(block::check(&bytes[..self.block_size.bytes()], start).is_ok(), "{start} is not sealed");
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.blocks_written.fetch_add((bytes.len() / self.block_size.bytes()) as u64, Ordering::Relaxed);
        let result = self.device.write_at(self.offset(start.block), &[bytes]);
        // Noted after the write: a sync during the write may miss it.
        self.written.store(true, Ordering::Release);
        self.changed.store(true, Ordering::Release);
        result.map_err(|error| {
            Error::new(
                ErrorKind::Io,
                Number::Ora(1114),
                format!(
                    "I/O error writing block to file {} (block # {}): {error} ('{}')",
                    self.number.0, start.block, self.name
                ),
            )
        })
    }

    /// Marks a file that the previous instance did not close: it may hold writes that were never synced, and its header
    /// may be of any time. So it counts as written, and as changed: the next close stamps it.
    pub fn doubt(&self) {
        self.written.store(true, Ordering::Release);
        self.changed.store(true, Ordering::Release);
    }

    /// Syncs the file if it was written to since the last sync.
    ///
    /// # Errors
    /// ORA-01114.
    pub fn sync_if_written(&self, meter: &Meter) -> Result<()> {
        // A caller that finds nothing left to sync must be sure that the other caller's sync has ended.
        let _syncing = self.syncing.lock();
        if !self.written.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let result =
            meter.wait(Event::DiskFileOperationsIo, [4, u64::from(self.number.0), 2], -1, || self.device.sync());
        result.map_err(|error| {
            self.written.store(true, Ordering::Release);
            self.changed.store(true, Ordering::Release);
            Error::new(
                ErrorKind::Io,
                Number::Ora(1114),
                format!("I/O error syncing file {}: {error} ('{}')", self.number.0, self.name),
            )
        })
    }

    /// Sets the number of blocks that the file has from now on.
    pub(crate) fn set_blocks(&self, blocks: u32) {
        self.blocks.store(blocks, Ordering::Release);
    }

    /// Makes the file on disk `blocks` long; new blocks are allocated and zero. [`Datafile::blocks`] does not change.
    ///
    /// # Errors
    /// ORA-01237 when the file system has no room; ORA-01114 when it refuses to cut the file.
    pub(crate) fn set_device_blocks(&self, blocks: u32, meter: &Meter) -> Result<()> {
        if blocks > limits::BLOCKS_PER_FILE_MAX {
            return Err(Error::user(
                1144,
                format!("file size ({blocks} blocks) exceeds maximum of {} blocks", limits::BLOCKS_PER_FILE_MAX),
            ));
        }
        let bytes = self.offset(blocks);
        meter
            .wait(Event::DataFileInitWrite, [1, u64::from(blocks.saturating_sub(self.blocks())), 0], -1, || {
                self.device.set_size(bytes)
            })
            .map_err(|error| {
                let (kind, number, what) = match blocks < self.blocks() {
                    true => (ErrorKind::Io, 1114, "cut"),
                    false => (ErrorKind::OutOfResource, 1237, "extend"),
                };
                let text = format!("cannot {what} datafile {}: {error} ('{}')", self.number.0, self.name);
                Error::new(kind, Number::Ora(number), text)
            })?;
        self.written.store(true, Ordering::Release);
        self.changed.store(true, Ordering::Release);
        Ok(())
    }

    /// True: the file was written to since it was opened.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// Marks a file that was just made as changed: the close of the database has to stamp it.
    pub fn mark_changed(&self) {
        self.changed.store(true, Ordering::Release);
    }

    /// The file header with the SCN of a checkpoint, sealed, and its address. The header is not cached: nothing else
    /// changes it while the file is open.
    ///
    /// # Errors
    /// ORA-01115, ORA-01578 for a damaged header.
    pub fn stamped_header(&self, scn: Scn) -> Result<(BlockAddress, AlignedBuffer)> {
        let address = BlockAddress::new(self.number, file::FILE_HEADER_BLOCK);
        let mut block = AlignedBuffer::zeroed(self.block_size.bytes());
        self.read_blocks(address, &mut block)?;
        let check = |bytes: &[u8]| match block::kind(bytes) {
            Some(block::BlockType::FileHeader) => block::check(bytes, address),
            _ => Err(Error::corrupt(address, "it is no file header")),
        };
        if let Err(error) = check(&block)
            && !self.repair(address, &mut block, check)
        {
            return Err(error);
        }
        let header = file::file_header_mut(&mut block);
        header.checkpoint_scn = scn.0.into();
        header.checkpoint_count = header.checkpoint_count.get().wrapping_add(1).into();
        header.blocks = self.blocks().into();
        block::touch(&mut block, scn);
        block::seal(&mut block);
        Ok((address, block))
    }

    #[must_use]
    pub fn read_error(&self, address: BlockAddress, error: &io::Error) -> Error {
        Error::new(
            ErrorKind::Io,
            Number::Ora(1115),
            format!(
                "I/O error reading block from file {} (block # {}): {error} ('{}')",
                self.number.0, address.block, self.name
            ),
        )
    }

    pub(crate) fn count_read(&self, blocks: u64) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.blocks_read.fetch_add(blocks, Ordering::Relaxed);
    }

    /// Counts the time that a read of `blocks` was waited for.
    pub(crate) fn count_read_time(&self, blocks: u64, micros: u64) {
        self.read_us.fetch_add(micros, Ordering::Relaxed);
        self.read_max_us.fetch_max(micros, Ordering::Relaxed);
        self.read_last_us.store(micros, Ordering::Relaxed);
        if blocks == 1 {
            self.single_reads.fetch_add(1, Ordering::Relaxed);
            self.single_read_us.fetch_add(micros, Ordering::Relaxed);
            self.single_read_histogram[histogram_bucket(micros)].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the time that a write took.
    pub(crate) fn count_write_time(&self, micros: u64) {
        self.write_us.fetch_add(micros, Ordering::Relaxed);
        self.write_max_us.fetch_max(micros, Ordering::Relaxed);
    }

    /// Counts a wait for a buffer with a block of the file.
    pub(crate) fn count_buffer_wait(&self, micros: u64) {
        self.buffer_waits.fetch_add(1, Ordering::Relaxed);
        self.buffer_wait_us.fetch_add(micros, Ordering::Relaxed);
    }

    #[must_use]
    pub fn figures(&self) -> FileFigures {
        FileFigures {
            reads: self.reads.load(Ordering::Relaxed),
            blocks_read: self.blocks_read.load(Ordering::Relaxed),
            read_us: self.read_us.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            blocks_written: self.blocks_written.load(Ordering::Relaxed),
            write_us: self.write_us.load(Ordering::Relaxed),
            single_block_reads: self.single_reads.load(Ordering::Relaxed),
            single_block_read_us: self.single_read_us.load(Ordering::Relaxed),
            read_max_us: self.read_max_us.load(Ordering::Relaxed),
            write_max_us: self.write_max_us.load(Ordering::Relaxed),
            read_last_us: self.read_last_us.load(Ordering::Relaxed),
            single_block_read_histogram: self.single_read_histogram.each_ref().map(|n| n.load(Ordering::Relaxed)),
            buffer_waits: self.buffer_waits.load(Ordering::Relaxed),
            buffer_wait_us: self.buffer_wait_us.load(Ordering::Relaxed),
        }
    }
}
