//! `verify` on a database with tables and indexes: nothing to say while it is whole; blocks that are wrong in content only, with good checksums, are found.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{BlockAddress, DataType, Rowid, SystemClock};
use device::OsFileSystem;
use engine::catalog::{ColumnDef, IndexSpec, PhysicalAttributes, TableSpec};
use engine::instance::{CreateOptions, Instance, Session, SpaceManagement};
use engine::segment::Storage;
use engine::table::{Inserter, TableScan, delete, update};
use engine::tablespace::{DatafileSpec, TablespaceSpec};
use format::block::{self, BlockType};
use format::{bitmap, extent_bitmap, freelist, heap, segment};
use scan::{RowSink, ScanSpec};

const MB: u64 = 1 << 20;
const BLOCK: usize = 8192;

/// Addresses of all rows.
#[derive(Default)]
struct Rowids(Vec<Rowid>, Option<(common::ObjectNumber, BlockAddress)>);

impl RowSink for Rowids {
    fn block(&mut self, object: common::ObjectNumber, address: BlockAddress) {
        self.1 = Some((object, address));
    }

    fn row(&mut self, slot: u16, _columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.1.unwrap();
        self.0.push(Rowid { data_object, block, slot });
    }
}

/// A table and an index in a tablespace of their own, with rows that were inserted, migrated and deleted.
fn fill(session: &Arc<Session>, name: &str, space_management: SpaceManagement) {
    let file = DatafileSpec { name: format!("{name}.dbf"), bytes: 8 * MB, reuse: false, autoextend: None };
    let tablespace = TablespaceSpec {
        name: name.into(),
        files: vec![file],
        block_size: None,
        uniform_bytes: None,
        space_management,
    };
    session.create_tablespace(&tablespace).unwrap();
    let column = |name: &str, bytes| ColumnDef {
        name: name.into(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let table_name = format!("T_{name}");
    let mut spec = TableSpec::new("SYSTEM", &table_name, vec![column("A", 20), column("B", 4000)]);
    spec.tablespace = Some(name.into());
    let table = session.create_table(&spec).unwrap();
    let mut inserter = Inserter::new(session.clone(), table.clone()).unwrap();
    for n in 0..8_000 {
        let key = format!("{:06}", (n * 7919) % 8_000);
        // One row in fifty has no key at all.
        let key = (n % 50 != 0).then_some(key.as_bytes());
        inserter.push(&[key, Some(&[b'x'; 60])]).unwrap();
    }
    inserter.finish().unwrap();
    session
        .create_index(&IndexSpec {
            owner: "SYSTEM".into(),
            name: format!("I_{name}"),
            table_owner: "SYSTEM".into(),
            table_name: table_name.clone(),
            columns: vec!["A".into()],
            unique: false,
            tablespace: Some(name.into()),
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        })
        .unwrap();
    let table = session.catalog().require_table("SYSTEM", &table_name).unwrap().clone();
    let mut rowids = Rowids::default();
    let all = ScanSpec { projection: vec![], predicate: None, rowids: true };
    let mut scan = TableScan::new(session.clone(), table.clone(), all).unwrap();
    while scan.next(&mut rowids, 1000).unwrap() {}
    for (n, rowid) in rowids.0.iter().enumerate() {
        match n % 10 {
            0 => assert!(delete(session, &table, *rowid).unwrap()),
            // Longer than the room left in the block, now and then longer than a block.
            1 => {
                let long = vec![b'y'; 400];
                let key = format!("new{n:06}");
                assert!(update(session, &table, *rowid, &[Some(key.as_bytes()), Some(&long)]).unwrap());
            }
            _ => {}
        }
    }
}

fn database() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock::default());
    let options =
        CreateOptions { parameters: vec![("db_cache_size".into(), "32M".into())], ..CreateOptions::default() };
    let instance = Instance::create(Arc::new(OsFileSystem::new()), directory.path(), clock, None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    fill(&session, "MANUAL", SpaceManagement::Manual);
    fill(&session, "AUTOMATIC", SpaceManagement::Auto);
    drop(session);
    instance.shutdown().unwrap();
    directory
}

fn verify(directory: &Path) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_highwater")).args(["verify", "--data"]).arg(directory).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

/// The blocks of a file that satisfy `wanted`.
fn find(file: &File, wanted: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let blocks = (file.metadata().unwrap().len() / BLOCK as u64) as u32;
    (1..blocks).filter(|block| wanted(&read(file, *block))).collect()
}

fn read(file: &File, block: u32) -> Vec<u8> {
    let mut bytes = vec![0; BLOCK];
    file.read_exact_at(&mut bytes, u64::from(block) * BLOCK as u64).unwrap();
    bytes
}

/// Changes a block so that its checksum is right, verifies, and puts it back.
fn damaged(directory: &Path, file: &str, block: u32, change: impl Fn(&mut [u8])) -> String {
    let path = directory.join(file);
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let before = read(&file, block);
    let mut bytes = before.clone();
    change(&mut bytes);
    assert_ne!(bytes, before, "nothing was changed");
    block::seal(&mut bytes);
    let at = u64::from(block) * BLOCK as u64;
    file.write_all_at(&bytes, at).unwrap();
    let (code, said) = verify(directory);
    file.write_all_at(&before, at).unwrap();
    assert_eq!(code, Some(1), "{said}");
    said
}

fn kind_is(kind: BlockType) -> impl Fn(&[u8]) -> bool {
    move |bytes| block::kind(bytes) == Some(kind)
}

#[test]
fn damage_behind_good_checksums_is_found() {
    let directory = database();
    let directory = directory.path();
    let (code, said) = verify(directory);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("no problems"), "{said}");

    let manual = File::open(directory.join("MANUAL.dbf")).unwrap();
    let automatic = File::open(directory.join("AUTOMATIC.dbf")).unwrap();

    // Space: a unit of the extent bitmap, on and off, with its count kept right.
    for bit in [0, 60] {
        let said = damaged(directory, "MANUAL.dbf", 3, |bytes| {
            let used = extent_bitmap::is_used(bytes, bit);
            let count = extent_bitmap::header(bytes).used.get();
            extent_bitmap::set(bytes, bit, 1, !used);
            assert_ne!(extent_bitmap::header(bytes).used.get(), count);
        });
        assert!(said.contains("units") || said.contains("unit is marked"), "{said}");
    }

    // Freelists: the length of a list; a chain cut short.
    let header = find(&manual, kind_is(BlockType::SegmentHeader))[0];
    let said = damaged(directory, "MANUAL.dbf", header, |bytes| {
        let list = freelist::list_mut(bytes, 0);
        assert!(list.blocks.get() > 0, "the deletes have put blocks on the list");
        list.blocks = (list.blocks.get() + 1).into();
    });
    assert!(said.contains("freelist 0"), "{said}");
    let said = damaged(directory, "MANUAL.dbf", header, |bytes| freelist::list_mut(bytes, 0).head = 0.into());
    assert!(said.contains("is on none") || said.contains("freelist 0"), "{said}");

    // Segment headers: blocks, mark.
    let said = damaged(directory, "MANUAL.dbf", header, |bytes| {
        let blocks = segment::header(bytes).blocks.get();
        segment::header_mut(bytes).blocks = (blocks + 8).into();
    });
    assert!(said.contains("its header says"), "{said}");

    // Bitmaps: a state without its count, a state that calls an unformatted block formatted.
    let first = find(&automatic, |bytes| {
        block::kind(bytes) == Some(BlockType::FirstLevelBitmap) && bitmap::first_level(bytes).covered.get() > 0
    });
    let said = damaged(directory, "AUTOMATIC.dbf", first[0], |bytes| {
        let full = bitmap::first_level(bytes).counts[1].get();
        bitmap::first_level_mut(bytes).counts[1] = (full + 1).into();
    });
    assert!(said.contains(&format!("block {}: ", first[0])), "{said}");

    // Rows: a column's byte in an indexed row, which only a comparison with the index can tell.
    let rows = find(&automatic, |bytes| {
        block::kind(bytes) == Some(BlockType::Data)
            && heap::validate(bytes).is_ok()
            && format::transaction::header(bytes).owner == format::transaction::Owner::Table as u8
            && heap::row_count(bytes) > 20
    });
    let said = damaged(directory, "AUTOMATIC.dbf", rows[3], |bytes| {
        let at = bytes.windows(6).position(|window| window.iter().all(u8::is_ascii_digit)).unwrap();
        bytes[at + 5] = b'z';
    });
    assert!(said.contains("I_AUTOMATIC") && said.contains("rows of"), "{said}");

    // A row that is gone, but not from the index.
    let said = damaged(directory, "AUTOMATIC.dbf", rows[3], |bytes| {
        let slot = (0..heap::slot_count(bytes)).find(|slot| heap::row(bytes, *slot).is_some()).unwrap();
        assert!(heap::delete(bytes, slot));
    });
    assert!(said.contains("entries for") || said.contains("leads") || said.contains("row piece"), "{said}");

    let (code, said) = verify(directory);
    assert_eq!(code, Some(0), "everything was put back: {said}");
}
