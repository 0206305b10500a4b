//! Segments under both kinds of space management, at every block size: growth, reuse, scans, drop, truncate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{BlockClass, BlockSize, ObjectNumber, SystemClock};
use device::{FileSystem, OsFileSystem};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::heap;
use format::transaction::Owner;
use storage::control::SpaceManagement;
use storage::segment::{Segment, SegmentSpec, Storage};
use waits::GetMode;

fn database(directory: &Path, block_size: BlockSize) -> (Arc<Instance>, Arc<Session>) {
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let options = CreateOptions { block_size, ..CreateOptions::default() };
    let instance = Instance::create(files, directory, Arc::new(SystemClock::default()), None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    (instance, session)
}

fn tablespace(
    instance: &Arc<Instance>,
    s: &Session,
    space_management: SpaceManagement,
    bytes: u64,
) -> common::TablespaceNumber {
    let spec = TablespaceSpec {
        logging: true,
        name: "T".to_owned(),
        files: vec![DatafileSpec { name: "t01.dbf".to_owned(), bytes, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management,
    };
    instance.create_tablespace(s, &spec).unwrap().number()
}

fn spec(tablespace: common::TablespaceNumber, storage: Storage) -> SegmentSpec {
    SegmentSpec {
        name: "SYSTEM.T".to_owned(),
        object: ObjectNumber(500),
        data_object: ObjectNumber(500),
        tablespace,
        owner: Owner::Table,
        pctfree: 10,
        pctused: 40,
        initrans: 1,
        maxtrans: 255,
        storage,
    }
}

/// Puts `rows` row pieces of `bytes` bytes in, one visit a row, and returns their blocks in order.
fn fill(segment: &Segment, s: &Session, rows: usize, bytes: usize) -> Vec<common::BlockAddress> {
    // Flag byte of a whole row, no lock, one column.
    let mut piece = vec![0x2c, 0, 1, (bytes - 4) as u8];
    piece.resize(bytes, b'x');
    let mut blocks = Vec::new();
    for n in 0..rows {
        let mut block = segment.block_for_insert(s, bytes).unwrap();
        let address = block.address();
        s.change(&mut block, |b| heap::insert(b, &piece)).expect("the block was said to have room");
        let next = (n + 1 < rows).then_some(bytes);
        segment.inserted(s, block, next.map(Into::into)).unwrap();
        if blocks.last() != Some(&address) {
            blocks.push(address);
        }
    }
    blocks
}

#[test]
fn rows_fill_blocks_to_pctfree_and_scans_find_them() {
    for size in BlockSize::ALL {
        for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
            let directory = tempfile::tempdir().unwrap();
            let (instance, s) = database(directory.path(), size);
            let number = tablespace(&instance, &s, management, 64 << 20);
            let segment = Segment::create(&s, &spec(number, Storage::default())).unwrap();
            let rows = 60_000;
            let blocks = fill(&segment, &s, rows, 100);
            let ranges = segment.scan_ranges(&s).unwrap();
            let mut found = 0;
            let mut scan = s.scan_blocks(ranges.clone(), BlockClass::Data, false);
            while let Some(block) = scan.next_block().unwrap() {
                heap::validate(&block).unwrap();
                found += heap::row_count(&block);
            }
            assert_eq!(found, rows, "{size} {management:?}");
            // Headers: cache 20, transaction 24, two ITL slots 48, 8 more in automatic segments, data header and table
            // directory 18, tail 4. A row takes 102 bytes with its directory entry and must leave a tenth of the block
            // free.
            let headers = 114 + if management == SpaceManagement::Auto { 8 } else { 0 };
            let per_block = (size.bytes() - headers - size.bytes().div_ceil(10)) / 102;
            assert_eq!(blocks.len(), rows.div_ceil(per_block), "{size} {management:?}");
            let usage = segment.space_usage(&s).unwrap();
            assert_eq!(usage.blocks, segment.extents(&s).unwrap().iter().map(|e| e.blocks).sum::<u32>());
            assert!(usage.below_high_water as usize >= blocks.len());
            if management == SpaceManagement::Auto {
                let data = usage.unformatted + usage.full + usage.free.iter().sum::<u32>();
                assert_eq!(data + usage.metadata, usage.below_high_water);
                assert!(usage.full as usize + 1 >= blocks.len());
            }
            let free_before: u32 = segment.tablespace().free_space(&s).unwrap().iter().map(|free| free.blocks).sum();
            let truncated = segment.truncate(&s, ObjectNumber(501)).unwrap();
            assert!(truncated.scan_ranges(&s).unwrap().is_empty());
            fill(&truncated, &s, 100, 100);
            truncated.drop_segment(&s).unwrap();
            let free_after: u32 = segment.tablespace().free_space(&s).unwrap().iter().map(|free| free.blocks).sum();
            assert_eq!(free_after, free_before + usage.blocks);
            drop(scan);
            drop(s);
            instance.shutdown().unwrap();
        }
    }
}

#[test]
fn autoallocate_ladder_in_both_kinds() {
    for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
        let directory = tempfile::tempdir().unwrap();
        let (instance, s) = database(directory.path(), BlockSize::K8);
        let number = tablespace(&instance, &s, management, 120 << 20);
        let segment = Segment::create(&s, &spec(number, Storage::default())).unwrap();
        fill(&segment, &s, 700_000, 100);
        let extents: Vec<u32> = segment.extents(&s).unwrap().iter().map(|e| e.blocks).collect();
        assert!(extents.len() > 79);
        assert!(extents[..16].iter().all(|b| *b == 8), "{management:?}");
        assert!(extents[16..79].iter().all(|b| *b == 128), "{management:?}");
        assert!(extents[79..].iter().all(|b| *b == 1024), "{management:?}");
        drop(s);
        instance.shutdown().unwrap();
    }
}

#[test]
fn gets_of_each_class_add_up() {
    for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
        let directory = tempfile::tempdir().unwrap();
        let (instance, s) = database(directory.path(), BlockSize::K8);
        let number = tablespace(&instance, &s, management, 64 << 20);
        let segment = Segment::create(&s, &spec(number, Storage::default())).unwrap();
        fill(&segment, &s, 50_000, 100);
        for (mode, statistic) in
            [(GetMode::Current, waits::Statistic::DbBlockGets), (GetMode::Consistent, waits::Statistic::ConsistentGets)]
        {
            let sum: u64 = BlockClass::ALL.iter().map(|class| s.meter().gets(*class, mode)).sum();
            assert_eq!(sum, s.meter().value(statistic));
        }
        drop(s);
        instance.shutdown().unwrap();
    }
}

#[test]
fn many_sessions_fill_one_segment() {
    for (management, freelists) in
        [(SpaceManagement::Manual, 1), (SpaceManagement::Manual, 3), (SpaceManagement::Auto, 1)]
    {
        let directory = tempfile::tempdir().unwrap();
        let (instance, s) = database(directory.path(), BlockSize::K4);
        let number = tablespace(&instance, &s, management, 64 << 20);
        let storage = Storage { freelists, ..Storage::default() };
        let segment = Segment::create(&s, &spec(number, storage)).unwrap();
        let threads: Vec<_> = (0..5)
            .map(|n| {
                let (instance, segment) = (instance.clone(), segment.clone());
                common::sync::spawn(&format!("filler {n}"), move || {
                    let s = instance.connect("SYSTEM").unwrap();
                    fill(&segment, &s, 10_000, 100);
                })
                .unwrap()
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        let mut found = 0;
        let mut scan = s.scan_blocks(segment.scan_ranges(&s).unwrap(), BlockClass::Data, false);
        while let Some(block) = scan.next_block().unwrap() {
            found += heap::row_count(&block);
        }
        assert_eq!(found, 50_000, "{management:?} with {freelists} freelists");
        drop(scan);
        drop(s);
        instance.shutdown().unwrap();
    }
}
