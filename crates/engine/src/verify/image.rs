//! The datafiles as they are on disk, read once from end to end, around the cache.
//!
//! Every block is checked by itself as it passes, and the facts about data blocks that later steps need are kept: a few
//! words a block.

use std::collections::BTreeMap;
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockSize, FileNumber, limits};
use device::{AlignedBuffer, Device, FileSystem};
use format::block::{self, BlockType};
use format::transaction::{self, Owner};
use format::{file, heap, undo};

use super::report::Report;
use storage::control::{ControlData, DatafileRecord, TablespaceRecord};
use storage::disk_group::resolve;

/// The facts kept of a block.
#[derive(Clone, Default)]
pub(super) struct BlockFacts {
    /// None: the type byte is unknown, or the block is corrupt.
    pub(super) kind: Option<BlockType>,
    /// For data blocks: the transaction header's fields.
    pub(super) owner: u8,
    pub(super) automatic: bool,
    pub(super) on_freelist: bool,
    pub(super) object: u32,
    pub(super) next: BlockAddress,
    pub(super) bitmap: BlockAddress,
    /// Free bytes of a table block.
    pub(super) free: u16,
    /// A fault inside the block; reported where the block is in use.
    pub(super) wrong: Option<Box<str>>,
}

pub(super) struct FileImage {
    pub(super) device: Arc<dyn Device>,
    pub(super) block_size: BlockSize,
    pub(super) blocks: Vec<BlockFacts>,
}

impl FileImage {
    /// Takes a damaged block from another copy, where the file is mirrored and has one. Reads of the database do the
    /// same.
    fn take_copy(&self, address: BlockAddress, bytes: &mut [u8], report: &mut Report) {
        let copies = self.device.copies();
        let offset = u64::from(address.block) * bytes.len() as u64;
        let mut copy = AlignedBuffer::zeroed(if copies > 1 { bytes.len() } else { 0 });
        for number in 0..copies {
            let good = copies > 1
                && self.device.read_copy(number, offset, &mut [&mut copy]).is_ok()
                && block::check(&copy, address).is_ok()
                && self.device.repair(offset, &[&copy]).is_ok();
            if good {
                bytes.copy_from_slice(&copy);
                report.note(None, Some(address), "one of its copies in the disk group is damaged, and another is good");
                return;
            }
        }
    }
}

/// All datafiles.
#[derive(Default)]
pub(super) struct Image {
    pub(super) files: BTreeMap<FileNumber, FileImage>,
    /// Corrupt blocks, with the reason.
    corrupt: BTreeMap<BlockAddress, String>,
}

impl Image {
    /// Reads every block of every datafile.
    pub(super) fn read(files: &dyn FileSystem, directory: &Path, control: &ControlData, report: &mut Report) -> Self {
        let mut image = Self::default();
        for record in &control.datafiles {
            let tablespace = control.tablespaces.iter().find(|tablespace| tablespace.number == record.tablespace);
            let Some(tablespace) = tablespace else {
                report.file_problem(record.file(), "the control file has no tablespace for it");
                continue;
            };
            if let Err(why) = image.read_file(files, directory, control, tablespace, record, report) {
                report.file_problem(record.file(), format!("{why} ('{}')", record.name));
            }
        }
        image
    }

    fn read_file(
        &mut self,
        files: &dyn FileSystem,
        directory: &Path,
        control: &ControlData,
        tablespace: &TablespaceRecord,
        record: &DatafileRecord,
        report: &mut Report,
    ) -> Result<(), String> {
        let size = tablespace.block_size().map_err(|error| error.text)?;
        let device =
            files.open(&resolve(directory, &record.name)).map_err(|error| format!("cannot be opened: {error}"))?;
        let bytes = device.size().map_err(|error| format!("has no size: {error}"))?;
        let whole = (bytes / size.bytes() as u64).min(u64::from(limits::BLOCKS_PER_FILE_MAX)) as u32;
        if whole < record.blocks {
            report.file_problem(
                record.file(),
                format!("is truncated: {whole} of {} blocks ('{}')", record.blocks, record.name),
            );
        }
        report.checked.files += 1;
        let mut image = FileImage { device, block_size: size, blocks: Vec::new() };
        let mut buffer = AlignedBuffer::zeroed(limits::IO_BYTES_MAX);
        let step = (buffer.len() / size.bytes()) as u32;
        let end = whole.min(record.blocks);
        let mut at = 0;
        while at < end {
            let count = step.min(end - at);
            let run = &mut buffer[..count as usize * size.bytes()];
            let offset = u64::from(at) * size.bytes() as u64;
            image
                .device
                .read_at(offset, &mut [&mut *run])
                .map_err(|error| format!("cannot be read at block {at}: {error}"))?;
            for (n, bytes) in run.chunks_exact_mut(size.bytes()).enumerate() {
                let number = at + n as u32;
                let address = BlockAddress::new(record.file(), number);
                if number != file::OS_BLOCK && block::check(bytes, address).is_err() {
                    image.take_copy(address, bytes, report);
                }
                if number == file::OS_BLOCK {
                    check_os_block(bytes, size, control, record, report);
                    image.blocks.push(BlockFacts::default());
                } else {
                    let facts = self.look(bytes, BlockAddress::new(record.file(), number), control, record, report);
                    image.blocks.push(facts);
                }
            }
            report.checked.blocks += u64::from(count);
            at += count;
        }
        self.files.insert(record.file(), image);
        Ok(())
    }

    fn look(
        &mut self,
        bytes: &[u8],
        address: BlockAddress,
        control: &ControlData,
        record: &DatafileRecord,
        report: &mut Report,
    ) -> BlockFacts {
        if let Err(error) = block::check(bytes, address) {
            self.corrupt.insert(address, error.text);
            return BlockFacts::default();
        }
        let kind = block::kind(bytes);
        if kind != Some(BlockType::Unformatted) {
            report.checked.formatted_blocks += 1;
        }
        let mut facts = BlockFacts { kind, ..BlockFacts::default() };
        match kind {
            Some(BlockType::Data) => facts.look(bytes),
            Some(BlockType::UndoBlock) => {
                if let Err(why) = undo::validate_block(bytes) {
                    report.problem(None, Some(address), why);
                }
            }
            Some(BlockType::FileHeader) if address.block == file::FILE_HEADER_BLOCK => {
                let header = file::file_header(bytes);
                if header.database_id.get() != control.database_id
                    || header.file.get() != u32::from(record.number)
                    || header.tablespace.get() != record.tablespace
                {
                    report.problem(None, Some(address), "the file header is of another file or database");
                }
            }
            _ if address.block == file::FILE_HEADER_BLOCK => {
                report.problem(None, Some(address), "is not a file header");
            }
            _ => {}
        }
        facts
    }

    /// Reports the corrupt blocks: as a problem where they are in use, else as a note. A crash in an unlogged load
    /// leaves such blocks in free space.
    pub(super) fn report_corrupt(&self, is_unused: impl Fn(BlockAddress) -> bool, report: &mut Report) {
        for (address, why) in &self.corrupt {
            if is_unused(*address) {
                report.note(None, Some(*address), format!("{why}; nothing uses it"));
            } else {
                report.problem(None, Some(*address), why.as_str());
            }
        }
    }

    /// True: the block is corrupt. Structures that depend on it are then not reported.
    pub(super) fn is_corrupt(&self, address: BlockAddress) -> bool {
        self.corrupt.contains_key(&address)
    }

    pub(super) fn facts(&self, address: BlockAddress) -> Option<&BlockFacts> {
        self.files.get(&address.file)?.blocks.get(address.block as usize)
    }

    /// The bytes of a block that is not corrupt; None for a missing block, or one already reported.
    pub(super) fn block(&self, address: BlockAddress) -> Option<Vec<u8>> {
        let file = self.files.get(&address.file)?;
        if address.block as usize >= file.blocks.len() || self.is_corrupt(address) {
            return None;
        }
        let mut bytes = vec![0; file.block_size.bytes()];
        let offset = u64::from(address.block) * file.block_size.bytes() as u64;
        file.device.read_at(offset, &mut [&mut bytes]).ok()?;
        Some(bytes)
    }

    /// The bytes of a block that must be of type `kind`; reports any other.
    pub(super) fn block_of(
        &self,
        address: BlockAddress,
        kind: BlockType,
        object: &str,
        report: &mut Report,
    ) -> Option<Vec<u8>> {
        if self.is_corrupt(address) {
            report.problem(
                Some(object),
                Some(address),
                format!("its {} is corrupt: what depends on it is not checked", kind.name()),
            );
            return None;
        }
        let bytes = self.block(address);
        match &bytes {
            None => {
                report.problem(Some(object), Some(address), format!("its {} is outside the datafiles", kind.name()))
            }
            Some(bytes) if block::kind(bytes) != Some(kind) => {
                report.problem(Some(object), Some(address), format!("is not a {}", kind.name()));
                return None;
            }
            Some(_) => {}
        }
        bytes
    }
}

impl BlockFacts {
    fn look(&mut self, bytes: &[u8]) {
        let header = transaction::header(bytes);
        self.owner = header.owner;
        self.automatic = header.flags & transaction::ASSM != 0;
        self.on_freelist = header.on_freelist();
        self.object = header.object.get();
        self.next = header.next_free();
        self.bitmap = header.bitmap_block();
        if self.owner == Owner::Table as u8 {
            match heap::validate(bytes) {
                Ok(()) => self.free = heap::free_after_commit(bytes) as u16,
                Err(error) => self.wrong = Some(error.text.into()),
            }
        }
    }
}

fn check_os_block(bytes: &[u8], size: BlockSize, control: &ControlData, record: &DatafileRecord, report: &mut Report) {
    let address = BlockAddress::new(record.file(), file::OS_BLOCK);
    match file::read_os_block(bytes) {
        Err(error) => report.problem(None, Some(address), error.text),
        Ok((found, database)) => {
            if database != control.database_id {
                report.problem(None, Some(address), "the file belongs to another database");
            }
            if found != size {
                report.problem(None, Some(address), format!("the file says its blocks have {found} bytes, not {size}"));
            } else if !file::is_os_block(bytes, database) {
                report.problem(None, Some(address), "bytes behind the header are not zero");
            }
        }
    }
}
