//! Tablespaces: datafiles, and the extents in them.
//!
//! See README.md in this folder.

mod size;
mod space;

pub(crate) use space::Growth;
pub use space::{FreeSpace, extent_step_blocks};

use common::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use common::sync::{Arc, RwLock};
use common::{BlockSize, Error, FileNumber, Result, TablespaceNumber};

use crate::control::{ExtentManagement, SpaceManagement, TablespaceKind, TablespaceRecord};

/// An open tablespace.
#[derive(Debug)]
pub struct Tablespace {
    number: TablespaceNumber,
    name: String,
    block_size: BlockSize,
    extent_management: ExtentManagement,
    space_management: SpaceManagement,
    kind: TablespaceKind,
    files: RwLock<Vec<FileNumber>>,
    /// Counter that gives each extent another file to begin with.
    next_file: AtomicUsize,
    retention_guarantee: AtomicBool,
    /// LOGGING as the default of tables and indexes made in it.
    logging: AtomicBool,
    /// DROP TABLESPACE is under way: no more extents are allocated.
    dropping: AtomicBool,
    /// Number of extents freed since the open.
    freed: AtomicU64,
}

impl Tablespace {
    pub fn new(record: &TablespaceRecord, files: Vec<FileNumber>) -> Result<Self> {
        Ok(Self {
            number: record.tablespace(),
            name: record.name.clone(),
            block_size: record.block_size()?,
            extent_management: record.extent_management,
            space_management: record.space_management,
            kind: record.kind,
            files: RwLock::new(files),
            next_file: AtomicUsize::new(0),
            retention_guarantee: AtomicBool::new(record.retention_guarantee),
            logging: AtomicBool::new(!record.nologging),
            dropping: AtomicBool::new(record.dropping.is_some()),
            freed: AtomicU64::new(0),
        })
    }

    #[must_use]
    pub fn number(&self) -> TablespaceNumber {
        self.number
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        self.block_size
    }

    #[must_use]
    pub fn extent_management(&self) -> ExtentManagement {
        self.extent_management
    }

    #[must_use]
    pub fn space_management(&self) -> SpaceManagement {
        self.space_management
    }

    /// The use of the tablespace.
    #[must_use]
    pub fn kind(&self) -> TablespaceKind {
        self.kind
    }

    /// True: undo within undo_retention is kept even if statements fail for it (ORA-30036).
    #[must_use]
    pub fn retention_guarantee(&self) -> bool {
        self.retention_guarantee.load(Ordering::Acquire)
    }

    /// Default of tables and indexes made in it. True: LOGGING. False: NOLOGGING.
    #[must_use]
    pub fn logging(&self) -> bool {
        self.logging.load(Ordering::Acquire)
    }

    pub fn set_retention_guarantee(&self, guaranteed: bool) {
        self.retention_guarantee.store(guaranteed, Ordering::Release);
    }

    pub fn set_logging(&self, logging: bool) {
        self.logging.store(logging, Ordering::Release);
    }

    /// Refuses allocations of extents from now on.
    pub fn begin_drop(&self) {
        self.dropping.store(true, Ordering::Release);
    }

    /// Allows allocations of extents again, after a drop that has failed.
    pub fn end_drop(&self) {
        self.dropping.store(false, Ordering::Release);
    }

    pub fn add_file(&self, file: FileNumber) {
        let mut files = self.files.write();
        debug_assert!(!files.contains(&file), "file {} is of tablespace {} already", file.0, self.name);
        files.push(file);
    }

    pub fn remove_file(&self, file: FileNumber) {
        self.files.write().retain(|other| *other != file);
    }

    #[must_use]
    pub fn files(&self) -> Vec<FileNumber> {
        self.files.read().clone()
    }

    /// Blocks of one bit of the files' extent bitmaps: a uniform extent, or 64 KB.
    #[must_use]
    pub fn unit_blocks(&self) -> u32 {
        unit_blocks(self.block_size, self.extent_management)
    }

    /// Blocks for extents in a file of `blocks` blocks: all but its header area and a rest that is too short for an
    /// extent.
    #[must_use]
    pub fn user_blocks(&self, blocks: u32) -> u32 {
        let unit = self.unit_blocks();
        blocks.saturating_sub(format::file::header_area_blocks(self.block_size)) / unit * unit
    }

    /// The files, beginning with the next one in turn.
    fn files_in_turn(&self) -> Vec<FileNumber> {
        let files = self.files.read();
        let turn = self.next_file.fetch_add(1, Ordering::Relaxed) % files.len().max(1);
        files[turn..].iter().chain(&files[..turn]).copied().collect()
    }
}

pub fn unit_blocks(size: BlockSize, management: ExtentManagement) -> u32 {
    match management {
        ExtentManagement::Uniform { blocks } => blocks,
        ExtentManagement::Autoallocate => (common::limits::AUTOALLOCATE_UNIT_BYTES / size.bytes() as u64) as u32,
    }
}

/// The open tablespaces of an instance.
#[derive(Debug, Default)]
pub struct Tablespaces {
    all: RwLock<Vec<Arc<Tablespace>>>,
}

impl Tablespaces {
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Tablespace>> {
        self.all.read().clone()
    }

    pub fn add(&self, tablespace: Arc<Tablespace>) {
        let mut all = self.all.write();
        let same = |other: &Arc<Tablespace>| other.number == tablespace.number || other.name == tablespace.name;
        debug_assert!(!all.iter().any(same), "tablespace {} is there twice", tablespace.name);
        all.push(tablespace);
    }

    pub fn remove(&self, number: TablespaceNumber) {
        self.all.write().retain(|t| t.number != number);
    }

    /// # Errors
    /// ORA-00959 when no tablespace has this name (upper case).
    pub fn named(&self, name: &str) -> Result<Arc<Tablespace>> {
        self.all
            .read()
            .iter()
            .find(|t| t.name == name)
            .cloned()
            .ok_or_else(|| Error::user(959, format!("tablespace '{name}' does not exist")))
    }

    /// # Errors
    /// ORA-00959 when no tablespace has this number.
    pub fn numbered(&self, number: TablespaceNumber) -> Result<Arc<Tablespace>> {
        self.all
            .read()
            .iter()
            .find(|t| t.number == number)
            .cloned()
            .ok_or_else(|| Error::user(959, format!("tablespace # {} does not exist", number.0)))
    }
}
