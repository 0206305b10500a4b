//! Checks of live structures speak when the structure is broken.

use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockSize, DataType, SystemClock};
use device::MemoryFileSystem;
use format::bitmap::{self, BlockState};
use format::{file, freelist, segment, transaction};

use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::cache::testing::spoil;
use storage::control::SpaceManagement;
use storage::table::{Deleter, Inserter};
use storage::txn::CommitWrite;

struct Database {
    instance: Arc<Instance>,
    session: Arc<Session>,
    table: Arc<TableDef>,
}

impl Database {
    /// With a table of some hundred rows, a part of them deleted again, in a tablespace of its own.
    fn new(space_management: SpaceManagement) -> Self {
        let files = Arc::new(MemoryFileSystem::new());
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files, Path::new("/database"), clock, None, &CreateOptions::default()).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        let spec = TablespaceSpec {
            logging: true,
            name: "T".to_owned(),
            files: vec![DatafileSpec { name: "t.dbf".to_owned(), bytes: 4 << 20, reuse: false, autoextend: None }],
            block_size: Some(BlockSize::K8),
            uniform_bytes: None,
            space_management,
        };
        instance.create_tablespace(&session, &spec).unwrap();
        let column = ColumnDef {
            name: "A".to_owned(),
            data_type: DataType::Varchar2 { bytes: 2000 },
            nullable: true,
            default: None,
        };
        let mut spec = TableSpec::new("SYSTEM", "T", vec![column]);
        spec.tablespace = Some("T".to_owned());
        let table = session.create_table(&spec).unwrap();
        let mut rowids = Vec::new();
        for number in 0..300_u32 {
            let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
            inserter.push(&[Some(&number.to_be_bytes().repeat(100))]).unwrap();
            inserter.finish().unwrap();
            rowids.extend(inserter.last_rowid());
        }
        session.commit(CommitWrite::default()).unwrap();
        let mut deleter = Deleter::new(session.worker().clone(), table.heap().clone());
        rowids.iter().filter(|rowid| rowid.block.block % 3 == 0).for_each(|rowid| deleter.push(*rowid).unwrap());
        deleter.finish().unwrap();
        session.commit(CommitWrite::default()).unwrap();
        table.segment.check_invariants(&session).unwrap();
        table.segment.tablespace().check_invariants(&session).unwrap();
        instance.check_invariants().unwrap();
        Self { instance, session, table }
    }

    fn bytes(&self, address: BlockAddress, class: BlockClass) -> Vec<u8> {
        self.session.current(address, class).unwrap().to_vec()
    }

    /// Breaks a block, and puts it back: what `check` says meanwhile.
    fn broken(
        &self,
        address: BlockAddress,
        class: BlockClass,
        change: impl FnOnce(&mut [u8]),
        check: impl Fn(&Session) -> common::Result<()>,
    ) -> String {
        let session = &*self.session;
        let before = self.bytes(address, class);
        spoil(|| session.change(&mut session.current_mut(address, class).unwrap(), change));
        let said = check(session).unwrap_err();
        let restore = |bytes: &mut [u8]| {
            // All but the version, which the change stamps.
            let header = format::block::HEADER_BYTES;
            let end = bytes.len() - format::block::TAIL_BYTES;
            bytes[header..end].copy_from_slice(&before[header..end]);
        };
        session.change(&mut session.current_mut(address, class).unwrap(), restore);
        check(session).unwrap();
        said.text
    }

    fn end(self) {
        let Self { instance, session, table } = self;
        drop((session, table));
        instance.shutdown().unwrap();
    }
}

#[test]
fn broken_freelists_are_seen() {
    let database = Database::new(SpaceManagement::Manual);
    let segment = database.table.segment.clone();
    let check = |s: &Session| segment.check_invariants(s);
    let header = database.bytes(segment.header(), BlockClass::SegmentHeader);
    let slot = (0..freelist::slots(header.len())).find(|slot| freelist::list(&header, *slot).blocks.get() > 2).unwrap();
    let first = freelist::list(&header, slot).first();
    let second = transaction::header(&database.bytes(first, BlockClass::Data)).next_free();

    let said = database.broken(
        second,
        BlockClass::Data,
        |bytes| transaction::header_mut(bytes).set_freelist(true, first),
        check,
    );
    assert!(said.contains("and on another one"), "{said}");
    let said = database.broken(
        second,
        BlockClass::Data,
        |bytes| transaction::header_mut(bytes).set_freelist(false, BlockAddress::NONE),
        check,
    );
    assert!(said.contains("does not say so"), "{said}");
    let count = |bytes: &mut [u8]| freelist::list_mut(bytes, slot).blocks = 1.into();
    let said = database.broken(segment.header(), BlockClass::SegmentHeader, count, check);
    assert!(said.contains("it says"), "{said}");
    let mark = |bytes: &mut [u8]| {
        let fields = segment::header_mut(bytes);
        (fields.high.extent, fields.high.block, fields.high.blocks) = (0.into(), 1.into(), 1.into());
    };
    let said = database.broken(segment.header(), BlockClass::SegmentHeader, mark, check);
    assert!(said.contains("which is not below the mark"), "{said}");
    drop(segment);
    database.end();
}

#[test]
fn broken_bitmaps_are_seen() {
    let database = Database::new(SpaceManagement::Auto);
    let segment = database.table.segment.clone();
    let check = |s: &Session| segment.check_invariants(s);
    let header = database.bytes(segment.header(), BlockClass::SegmentHeader);
    let l2 = segment::second_level(&header, 0);
    let upper = database.bytes(l2, BlockClass::SecondLevelBitmap);
    let l1 = BlockAddress::unpack(bitmap::second_level_entry(&upper, 0).first_level.get());
    let first = database.bytes(l1, BlockClass::FirstLevelBitmap);
    let full = (0..usize::from(bitmap::first_level(&first).covered.get()))
        .find(|index| bitmap::state(&first, *index) == BlockState::Full)
        .unwrap();

    let state = |bytes: &mut [u8]| {
        bitmap::set_state(bytes, full, BlockState::Unformatted);
    };
    let said = database.broken(l1, BlockClass::FirstLevelBitmap, state, check);
    assert!(said.contains("is Unformatted") || said.contains("which says"), "{said}");
    let parent = |bytes: &mut [u8]| bitmap::first_level_mut(bytes).parent_slot = 7.into();
    let said = database.broken(l1, BlockClass::FirstLevelBitmap, parent, check);
    assert!(said.contains("and says otherwise"), "{said}");
    let mask = |bytes: &mut [u8]| bitmap::second_level_entry_mut(bytes, 0).states = 0;
    let said = database.broken(l2, BlockClass::SecondLevelBitmap, mask, check);
    assert!(said.contains("which says"), "{said}");
    let listed = |bytes: &mut [u8]| segment::header_mut(bytes).first_level_blocks = 77.into();
    let said = database.broken(segment.header(), BlockClass::SegmentHeader, listed, check);
    assert!(said.contains("first-level bitmap blocks are listed"), "{said}");
    drop(segment);
    database.end();
}

#[test]
fn broken_space_of_a_file_is_seen() {
    let database = Database::new(SpaceManagement::Auto);
    let tablespace = database.table.segment.tablespace().clone();
    let check = |s: &Session| tablespace.check_invariants(s);
    let address = BlockAddress::new(tablespace.files()[0], file::SPACE_HEADER_BLOCK);
    let units = |bytes: &mut [u8]| {
        let space = file::space_header_mut(bytes);
        space.free_units = (space.free_units.get() - 1).into();
    };
    let said = database.broken(address, BlockClass::FileBitmapIndex, units, check);
    assert!(said.contains("units are free"), "{said}");
    let first = |bytes: &mut [u8]| {
        let space = file::space_header_mut(bytes);
        space.first_free = (space.units.get() - 1).into();
    };
    let said = database.broken(address, BlockClass::FileBitmapIndex, first, check);
    assert!(said.contains("is free"), "{said}");
    database.end();
}

#[test]
fn what_a_session_holds_that_is_not_there_is_seen() {
    let database = Database::new(SpaceManagement::Auto);
    let xid = common::Xid { segment: 1, slot: 0, sequence: 1_000_000 };
    database.instance.locks().began(database.session.meter(), xid, 4711);
    let said = database.instance.check_invariants().unwrap_err().text;
    assert!(said.contains("session 4711 holds locks and is not there"), "{said}");
    database.instance.health().stop(&common::Error::bug("it is broken"));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a high-water mark at")]
fn a_block_that_is_not_sound_is_seen_when_its_latch_goes() {
    let database = Database::new(SpaceManagement::Auto);
    let header = database.table.segment.header();
    let mut block = database.session.current_mut(header, BlockClass::SegmentHeader).unwrap();
    database.session.change(&mut block, |bytes| segment::header_mut(bytes).high.extent = 99.into());
    drop(block);
}
