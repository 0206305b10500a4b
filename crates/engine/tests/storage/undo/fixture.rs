//! Databases with small undo tablespaces, a clock set by hand, and records with known content.

use std::path::Path;

use common::sync::Arc;
use common::sync::atomic::{AtomicU64, Ordering};
use common::{BlockAddress, BlockSize, Clock, FileNumber, ObjectNumber, Uba};
use device::MemoryFileSystem;
use format::undo::{Previous, UndoRecord};

use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::parameters::{Parameter, Scope};
use storage::undo::{OwnedPrevious, Record, UndoWriter};

const KB: u64 = 1 << 10;

/// A clock that stands still until the test moves it.
#[derive(Debug, Default)]
pub(super) struct HandClock(AtomicU64);

impl HandClock {
    pub(super) fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn monotonic_us(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wall_us(&self) -> u64 {
        1_700_000_000_000_000 + self.0.load(Ordering::Relaxed)
    }

    fn thread_cpu_us(&self) -> u64 {
        0
    }
}

pub(super) struct Database {
    pub(super) files: Arc<MemoryFileSystem>,
    pub(super) clock: Arc<HandClock>,
    pub(super) instance: Arc<Instance>,
    pub(super) session: Arc<Session>,
}

/// A tablespace of one file that does not grow: `kilobytes` for extents.
pub(super) fn fixed(name: &str, size: BlockSize, kilobytes: u64) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: vec![DatafileSpec {
            name: format!("{name}.dbf"),
            bytes: common::limits::FILE_HEADER_AREA_BYTES + kilobytes * KB,
            reuse: false,
            autoextend: None,
        }],
        block_size: Some(size),
        uniform_bytes: None,
        space_management: SpaceManagement::Manual,
    }
}

impl Database {
    /// With the undo tablespace of every database.
    pub(super) fn new() -> Self {
        let files = Arc::new(MemoryFileSystem::default());
        let clock = Arc::new(HandClock::default());
        let parameters = [2, 4, 16, 32].map(|k| (format!("db_{k}k_cache_size"), "4M".to_owned()));
        let options = CreateOptions { parameters: parameters.to_vec(), ..CreateOptions::default() };
        let instance = Instance::create(files.clone(), Path::new("/database"), clock.clone(), None, &options).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        Self { files, clock, instance, session }
    }

    /// With an undo tablespace of this block size and room.
    pub(super) fn with(size: BlockSize, kilobytes: u64) -> Self {
        let database = Self::new();
        database.instance.create_undo_tablespace(&database.session, &fixed("UNDO2", size, kilobytes), false).unwrap();
        database.set(Parameter::UndoTablespace, "UNDO2");
        database
    }

    pub(super) fn set(&self, parameter: Parameter, value: &str) {
        self.session.alter_system(parameter.name(), value, Scope::Memory).unwrap();
    }

    pub(super) fn begin(&self) -> UndoWriter {
        self.instance.undo().begin(&self.session).unwrap()
    }

    /// Closes the database and opens it again, whatever transactions are under way.
    pub(super) fn reopen(self) -> Self {
        let Self { files, clock, instance, session } = self;
        drop(session);
        instance.shutdown().unwrap();
        drop(instance);
        storage::undo::KEEP_DEAD.set(true);
        let instance = Instance::open(files.clone(), Path::new("/database"), clock.clone(), None).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        Self { files, clock, instance, session }
    }
}

/// A block that undo may be about.
pub(super) fn data_block(n: u32) -> BlockAddress {
    BlockAddress::new(FileNumber(2), 200 + n)
}

/// Payload `seed` of a length; different seeds give different bytes.
pub(super) fn payload(seed: u32, length: usize) -> Vec<u8> {
    (0..length).map(|n| (seed.wrapping_mul(31).wrapping_add(n as u32 / 3) % 251) as u8).collect()
}

/// Writes a record, and returns its expected content.
pub(super) fn write(s: &Session, writer: &mut UndoWriter, seed: u32, length: usize, previous: OwnedPrevious) -> Record {
    let payload = payload(seed, length);
    writer.reserve(s, length).unwrap();
    let chain = writer.last();
    let record = UndoRecord {
        object: ObjectNumber(seed),
        block: data_block(seed % 10),
        operation: seed as u8,
        itl: (seed >> 8) as u8,
        previous: match &previous {
            OwnedPrevious::Itl(itl) => Previous::Itl(itl),
            OwnedPrevious::Uba(uba) => Previous::Uba(*uba),
        },
        payload: &payload,
    };
    let uba = writer.append(s, &record).unwrap();
    assert_eq!(writer.last(), uba);
    Record {
        uba,
        xid: writer.xid(),
        chain,
        object: record.object,
        block: record.block,
        operation: record.operation,
        itl: record.itl,
        previous,
        payload: payload.clone(),
    }
}

/// A record without an earlier one of its block.
pub(super) fn write_plain(s: &Session, writer: &mut UndoWriter, seed: u32, length: usize) -> Record {
    write(s, writer, seed, length, OwnedPrevious::Uba(Uba::NONE))
}

pub(super) fn check(s: &Session, record: &Record) {
    assert_eq!(&s.undo().read(s, record.uba, Some(record.xid)).unwrap(), record);
}
