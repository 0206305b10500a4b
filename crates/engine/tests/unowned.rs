//! Extents of no segment, after a crash.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{ObjectNumber, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::transaction::Owner;
use storage::control::SpaceManagement;
use storage::segment::{Segment, SegmentSpec, Storage};

const DIRECTORY: &str = "/data";

fn free_blocks(session: &Session, tablespace: &str) -> u64 {
    let tablespace = session.instance().tablespaces().named(tablespace).unwrap();
    tablespace.free_space(session).unwrap().iter().map(|free| u64::from(free.blocks)).sum()
}

#[test]
fn extents_of_no_segment_are_freed_when_the_database_is_opened_after_a_crash() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let options = CreateOptions { log_bytes: 4 << 20, ..CreateOptions::default() };
    let instance = Instance::create(files.clone(), Path::new(DIRECTORY), clock.clone(), None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let mut free = Vec::new();
    for (number, management) in [SpaceManagement::Manual, SpaceManagement::Auto].into_iter().enumerate() {
        let name = format!("T{number}");
        let file = DatafileSpec { name: format!("{name}.dbf"), bytes: 8 << 20, reuse: false, autoextend: None };
        let spec = TablespaceSpec {
            logging: true,
            name: name.clone(),
            files: vec![file],
            block_size: None,
            uniform_bytes: None,
            space_management: management,
        };
        let tablespace = instance.create_tablespace(&session, &spec).unwrap();
        free.push((name.clone(), free_blocks(&session, &name)));
        // As a statement that makes a table does before the dictionary knows of it.
        for object in [9_000, 9_001] {
            let spec = SegmentSpec {
                name: format!("SYSTEM.{object}"),
                object: ObjectNumber(object),
                data_object: ObjectNumber(object),
                tablespace: tablespace.number(),
                owner: Owner::Table,
                pctfree: 10,
                pctused: 40,
                initrans: 1,
                maxtrans: 255,
                storage: Storage { initial: Some(300 << 10), ..Storage::default() },
            };
            Segment::create(&session, &spec).unwrap();
        }
        assert!(free_blocks(&session, &name) < free[number].1);
    }
    let redo = instance.redo();
    redo.wait_durable(session.meter(), redo.end()).unwrap();
    drop(session);
    drop(instance);

    let instance = Instance::open(files.clone(), Path::new(DIRECTORY), clock.clone(), None).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    assert!(instance.rolled_forward().unwrap().applied > 0);
    for (name, free) in free {
        assert_eq!(free_blocks(&session, &name), free, "{name}");
    }
    drop(session);
    instance.shutdown().unwrap();
    let report = engine::verify::verify(files, Path::new(DIRECTORY), clock, None).unwrap();
    assert_eq!(report.problems, []);
}
