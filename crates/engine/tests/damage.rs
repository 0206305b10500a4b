//! Metadata that leads astray, with valid checksums: errors name the block, and nothing loops, panics or is
//! overwritten.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::PathBuf;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockSize, ObjectNumber, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::transaction::Owner;
use format::{bitmap, file, freelist, heap, transaction};
use storage::cache::testing::spoil;
use storage::control::SpaceManagement;
use storage::segment::{DirectLoad, Segment, SegmentSpec, Storage};

struct Database {
    instance: Arc<Instance>,
    s: Arc<Session>,
    spec: SegmentSpec,
}

impl Database {
    fn new(management: SpaceManagement, uniform: u32) -> Self {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let size = BlockSize::K2;
        let options = CreateOptions { block_size: size, ..CreateOptions::default() };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files, &PathBuf::from("/data"), clock, None, &options).unwrap();
        let s = instance.connect("SYSTEM").unwrap();
        let spec = TablespaceSpec {
            logging: true,
            name: "T".to_owned(),
            files: vec![DatafileSpec { name: "t.dbf".to_owned(), bytes: 8 << 20, reuse: false, autoextend: None }],
            block_size: None,
            uniform_bytes: (uniform > 0).then(|| u64::from(uniform) * size.bytes() as u64),
            space_management: management,
        };
        let tablespace = instance.create_tablespace(&s, &spec).unwrap().number();
        let spec = SegmentSpec {
            name: "SYSTEM.T".to_owned(),
            object: ObjectNumber(9_500),
            data_object: ObjectNumber(9_500),
            tablespace,
            owner: Owner::Table,
            pctfree: 10,
            pctused: 40,
            initrans: 1,
            maxtrans: 255,
            storage: Storage::default(),
        };
        Self { instance, s, spec }
    }

    fn table(&self, rows: usize) -> Arc<Segment> {
        let segment = Segment::create(&self.s, &self.spec).unwrap();
        self.insert(&segment, rows, 100).unwrap();
        segment
    }

    fn insert(&self, segment: &Segment, rows: usize, bytes: usize) -> common::Result<()> {
        let pad = vec![b'x'; bytes - 6];
        let mut piece = Vec::new();
        heap::row::encode_piece(heap::row::WHOLE, None, None, &[Some(&pad)], &mut piece);
        for n in 0..rows {
            let mut block = segment.block_for_insert(&self.s, piece.len())?;
            self.s.change(&mut block, |b| heap::insert(b, &piece)).expect("room");
            segment.inserted(&self.s, block, (n + 1 < rows).then_some(piece.len().into()))?;
        }
        Ok(())
    }

    fn damage<R>(&self, address: BlockAddress, class: BlockClass, change: impl FnOnce(&mut [u8]) -> R) -> R {
        spoil(|| self.s.change(&mut self.s.current_mut(address, class).unwrap(), change))
    }

    /// Writes everything to disk, so that it is read again.
    fn flush(&self) {
        self.instance.cache().flush(self.s.meter()).unwrap();
    }
}

/// Each of these may fail, but only with an error that names the corrupt block.
fn all_say_it(database: &Database, segment: &Segment) {
    let s = &database.s;
    let results = [
        ("extents", segment.extents(s).map(drop)),
        ("ranges", segment.scan_ranges(s).map(drop)),
        ("usage", segment.space_usage(s).map(drop)),
        ("insert", database.insert(segment, 2_000, 100)),
        ("load", DirectLoad::new(segment, &**s.worker()).and_then(|mut load| load.next_block().map(drop))),
        ("drop", segment.drop_segment(s)),
    ];
    let mut said = 0;
    for (what, result) in results {
        if let Err(error) = result {
            assert!(error.is_ora(1578) || error.is_ora(8103), "{what}: {error}");
            said += 1;
        }
    }
    assert!(said > 0, "nobody noticed");
}

#[test]
fn extent_maps_that_lead_in_a_circle_or_nowhere() {
    for damage in 0..5 {
        let database = Database::new(SpaceManagement::Manual, 5);
        let segment = database.table(30_000);
        let (first, last) = {
            let header = database.s.current(segment.header(), BlockClass::SegmentHeader).unwrap();
            let fields = format::segment::header(&header);
            assert!(fields.map_blocks.get() > 2);
            (BlockAddress::unpack(fields.first_map.get()), BlockAddress::unpack(fields.last_map.get()))
        };
        database.damage(first, BlockClass::ExtentMap, |b| match damage {
            0 => format::segment::map_header_mut(b).next = first.pack().into(),
            1 => {
                format::segment::map_header_mut(b).next = first.pack().into();
                format::segment::map_header_mut(b).entries = 0.into();
            }
            2 => format::segment::map_extent_mut(b, 3).start = u32::MAX.into(),
            3 => format::segment::map_extent_mut(b, 3).blocks = u32::MAX.into(),
            _ => format::segment::map_header_mut(b).next = segment.header().plus(1).pack().into(),
        });
        database.damage(last, BlockClass::ExtentMap, |b| format::segment::map_header_mut(b).first = 0.into());
        all_say_it(&database, &segment);
    }
}

#[test]
fn segment_headers_that_cannot_be() {
    for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
        for damage in 0..6 {
            let database = Database::new(management, 0);
            let segment = database.table(3_000);
            database.damage(segment.header(), BlockClass::SegmentHeader, |b| {
                let fields = format::segment::header_mut(b);
                match damage {
                    0 => fields.extents = 1_000_000.into(),
                    1 => fields.high.extent = 77_777.into(),
                    2 => fields.high.block = u32::MAX.into(),
                    3 => fields.blocks = 3.into(),
                    4 => format::segment::extent_mut(b, 0).metadata = 99_999.into(),
                    _ => fields.object = 1.into(),
                }
            });
            database.flush();
            all_say_it(&database, &segment);
        }
    }
}

#[test]
fn freelists_that_lead_in_a_circle_or_to_blocks_that_are_on_none() {
    for damage in 0..3 {
        let database = Database::new(SpaceManagement::Manual, 0);
        let segment = Segment::create(&database.s, &SegmentSpec { pctused: 60, ..database.spec.clone() }).unwrap();
        // Blocks that are neither full enough to be unlinked nor take such a row.
        database.insert(&segment, 20, 1_000).unwrap();
        let fresh = database.instance.connect("SYSTEM").unwrap();
        let head = {
            let header = database.s.current(segment.header(), BlockClass::SegmentHeader).unwrap();
            freelist::list(&header, 0).first()
        };
        assert!(!head.is_none());
        database.damage(head, BlockClass::Data, |b| match damage {
            0 => transaction::header_mut(b).set_freelist(true, head),
            1 => transaction::header_mut(b).set_freelist(false, BlockAddress::NONE),
            _ => transaction::header_mut(b).object = 1.into(),
        });
        let error = (0..100).find_map(|_| {
            let block = segment.block_for_insert(&fresh, 1_000);
            match block {
                Ok(mut block) => {
                    let mut piece = Vec::new();
                    let columns = [Some(&[b'y'; 990][..])];
                    heap::row::encode_piece(heap::row::WHOLE, None, None, &columns, &mut piece);
                    database.s.change(&mut block, |b| heap::insert(b, &piece)).unwrap();
                    segment.inserted(&fresh, block, None).unwrap();
                    None
                }
                Err(error) => Some(error),
            }
        });
        let error = error.unwrap_or_else(|| panic!("damage {damage} went unseen"));
        assert!(error.is_ora(1578), "{damage}: {error}");
        let index = SegmentSpec { owner: Owner::Index, ..database.spec.clone() };
        let index = Segment::create(&database.s, &index).unwrap();
        let block = index.empty_block(&database.s).unwrap();
        let address = block.address();
        index.release_block(&database.s, block).unwrap();
        database.damage(address, BlockClass::Data, |b| transaction::header_mut(b).object = 1.into());
        assert!(index.empty_block(&database.s).unwrap_err().is_ora(1578));
    }
}

#[test]
fn bitmaps_that_lead_astray() {
    for damage in 0..6 {
        let database = Database::new(SpaceManagement::Auto, 0);
        let segment = database.table(3_000);
        let (l1, l2) = {
            let header = database.s.current(segment.header(), BlockClass::SegmentHeader).unwrap();
            let fields = format::segment::header(&header);
            (BlockAddress::unpack(fields.last_first_level.get()), BlockAddress::unpack(fields.last_second_level.get()))
        };
        database.damage(l1, BlockClass::FirstLevelBitmap, |b| match damage {
            0 => bitmap::first_level_mut(b).covered = 60_000.into(),
            1 => bitmap::first_level_mut(b).parent_slot = 70_000.into(),
            2 => bitmap::first_level_mut(b).parent = segment.header().pack().into(),
            3 => bitmap::first_level_mut(b).object = 1.into(),
            _ => {}
        });
        database.damage(l2, BlockClass::SecondLevelBitmap, |b| match damage {
            4 => bitmap::second_level_entry_mut(b, 0).first_level = segment.header().pack().into(),
            5 => bitmap::upper_mut(b).entries = 50_000.into(),
            _ => {
                let entries = bitmap::upper(b).entries.get() as usize;
                for n in 0..entries {
                    bitmap::second_level_entry_mut(b, n).states = 0x3e;
                }
            }
        });
        if damage == 4 {
            database.damage(l2, BlockClass::SecondLevelBitmap, |b| {
                bitmap::second_level_entry_mut(b, 0).states = 0xff;
            });
        }
        database.flush();
        let database = Database { s: database.instance.connect("SYSTEM").unwrap(), ..database };
        all_say_it(&database, &segment);
    }
}

#[test]
fn file_space_that_cannot_be() {
    for damage in 0..4 {
        let database = Database::new(SpaceManagement::Manual, 0);
        let segment = database.table(100);
        let tablespace = segment.tablespace();
        let number = tablespace.files()[0];
        let header = BlockAddress::new(number, file::SPACE_HEADER_BLOCK);
        let map = BlockAddress::new(number, file::FIRST_BITMAP_BLOCK);
        match damage {
            0 => database
                .damage(header, BlockClass::FileBitmapIndex, |b| file::space_header_mut(b).unit_blocks = 0.into()),
            1 => database
                .damage(header, BlockClass::FileBitmapIndex, |b| file::space_header_mut(b).units = u32::MAX.into()),
            2 => database.damage(header, BlockClass::FileBitmapIndex, |b| {
                file::space_header_mut(b).free_units = u32::MAX.into();
            }),
            // A bit that does not agree with any count.
            _ => database.damage(map, BlockClass::FileBitmap, |b| b[700] ^= 1),
        }
        database.flush();
        for result in [
            database.insert(&segment, 10_000, 100),
            tablespace.free_space(&database.s).map(drop),
            segment.drop_segment(&database.s),
        ] {
            let error = result.unwrap_err();
            assert!(error.is_ora(1578), "{damage}: {error}");
        }
    }
}

/// More freelist groups than the first extent has blocks.
#[test]
fn freelist_groups_stay_within_the_first_extent() {
    let database = Database::new(SpaceManagement::Manual, 5);
    let tablespace = database.instance.tablespaces().named("T").unwrap();
    let free = |s: &Session| tablespace.free_space(s).unwrap().iter().map(|free| free.blocks).sum::<u32>();
    let before = free(&database.s);
    let many = Storage { freelist_groups: 8, ..Storage::default() };
    let error = Segment::create(&database.s, &SegmentSpec { storage: many, ..database.spec.clone() }).unwrap_err();
    assert!(error.is_ora(3249), "{error}");
    assert_eq!(free(&database.s), before);
    let few = Storage { freelist_groups: 3, ..Storage::default() };
    let segment = Segment::create(&database.s, &SegmentSpec { storage: few, ..database.spec.clone() }).unwrap();
    database.insert(&segment, 100, 100).unwrap();
}

/// An INITIAL that no disk can hold.
#[test]
fn huge_first_extents_are_refused() {
    for (management, uniform) in [(SpaceManagement::Manual, 5), (SpaceManagement::Auto, 0)] {
        let database = Database::new(management, uniform);
        let tablespace = database.instance.tablespaces().named("T").unwrap();
        let free = |s: &Session| tablespace.free_space(s).unwrap().iter().map(|free| free.blocks).sum::<u32>();
        let before = free(&database.s);
        let storage = Storage { initial: Some(1 << 45), minextents: Some(u32::MAX), ..Storage::default() };
        let error = Segment::create(&database.s, &SegmentSpec { storage, ..database.spec.clone() }).unwrap_err();
        assert!(error.is_ora(1658), "{error}");
        assert_eq!(free(&database.s), before);
    }
}
