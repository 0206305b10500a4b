//! Files that are missing or damaged.

use std::path::Path;

use common::ErrorKind;
use common::sync::Arc;
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use super::stage::{Stage, record};

/// Three sequences with a record each, in groups of two members.
fn written() -> (Stage, Arc<FaultyFileSystem>) {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let stage = Stage::new(files.clone(), &[(2, 64), (2, 64), (2, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    for number in 0..3 {
        log.append(&meter, &record(number, 1200)).unwrap();
        log.append(&meter, &record(number + 10, 1200)).unwrap();
        log.flush(log.end()).unwrap();
        if number < 2 {
            log.switch(&meter).unwrap();
        }
    }
    drop(log);
    (stage, files)
}

fn path(name: &str) -> std::path::PathBuf {
    Path::new("data").join(name)
}

#[test]
fn one_good_member_is_enough() {
    let (stage, files) = written();
    let wanted = stage.read().unwrap().0;
    assert_eq!(wanted.len(), 6);
    files.remove(&path("redo01.log")).unwrap();
    files.flip(&path("redo02a.log"), 2 * 512 + 100).unwrap();
    files.flip(&path("redo02.log"), 3 * 512 + 100).unwrap();
    files.flip(&path("redo03.log"), 700).unwrap();
    assert_eq!(stage.read().unwrap().0, wanted);
}

#[test]
fn a_group_without_a_good_member_is_named() {
    let (stage, files) = written();
    files.remove(&path("redo02.log")).unwrap();
    files.flip(&path("redo02a.log"), 512 + 20).unwrap();
    let error = stage.read().unwrap_err();
    assert!(error.is_ora(313) && error.kind == ErrorKind::Corrupt, "{error}");
    assert!(error.text.contains("redo02.log") && error.text.contains("redo02a.log"), "{error}");
}

#[test]
fn a_hole_before_a_later_sequence_is_damage() {
    let (stage, files) = written();
    for name in ["redo02.log", "redo02a.log"] {
        files.flip(&path(name), 3 * 512 + 40).unwrap();
    }
    let error = stage.read().unwrap_err();
    assert!(error.is_ora(353) && error.text.contains("near block 3 of log sequence 2"), "{error}");
    assert!(error.text.contains("redo02.log"), "{error}");
}

#[test]
fn a_hole_that_a_later_write_knows_as_durable_is_damage() {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let stage = Stage::new(files.clone(), &[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    for number in 0..3 {
        log.append(&meter, &record(number, 100)).unwrap();
        log.flush(log.end()).unwrap();
    }
    drop(log);
    files.flip(&path("redo01.log"), 4 * 512 + 50).unwrap();
    // The last write: nothing tells it from one that never was acknowledged.
    assert_eq!(stage.read().unwrap().0.len(), 2);
    files.flip(&path("redo01.log"), 4 * 512 + 50).unwrap();
    files.flip(&path("redo01.log"), 3 * 512 + 50).unwrap();
    let error = stage.read().unwrap_err();
    assert!(error.is_ora(353) && error.text.contains("block 4 was written when it was durable"), "{error}");
}

#[test]
fn a_log_that_was_not_read_to_its_end_is_not_opened() {
    let (stage, _) = written();
    let error = stage.try_open(None).unwrap_err();
    assert!(error.is_ora(1113), "{error}");
    let (_, end) = stage.read().unwrap();
    let error = stage.try_open(Some(end)).unwrap_err();
    assert!(error.is_ora(350), "{error}");
    *stage.control.checkpoint.lock() = Some(end.rba());
    assert_eq!(stage.try_open(Some(end)).unwrap().sequence(), 4);
}

#[test]
fn a_failed_write_stops_the_instance_and_acknowledges_nothing() {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let stage = Stage::new(files.clone(), &[(2, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    let (_, first) = log.append(&meter, &record(1, 100)).unwrap();
    log.wait_durable(&meter, first).unwrap();
    files.fail(2, Fault::Write);
    let (_, second) = log.append(&meter, &record(2, 100)).unwrap();
    let error = log.wait_durable(&meter, second).unwrap_err();
    assert_eq!((error.kind, error.number), (ErrorKind::Poisoned, common::Number::Hw(10)));
    assert_eq!(log.durable(), first);
    log.wait_durable(&meter, first).unwrap();
    log.append(&meter, &record(3, 100)).unwrap_err();
    log.flush(second).unwrap_err();
    stage.health.check().unwrap_err();
    log.shutdown().unwrap_err();
}

#[test]
fn a_block_that_no_member_can_be_read_for_is_not_the_end() {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let stage = Stage::new(files.clone(), &[(2, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    for number in 0..3 {
        log.append(&meter, &record(number, 100)).unwrap();
        log.flush(log.end()).unwrap();
    }
    drop(log);
    let wanted = stage.read().unwrap().0;
    // Headers are the first two reads; then each member is read in a piece, and when that fails the block by itself.
    let failing = |reads: &[u64]| {
        for read in reads {
            files.fail(*read, Fault::Read);
        }
        let result = stage.read();
        files.heal();
        result
    };
    for one_member_alone in [&[3, 4][..], &[2], &[1]] {
        assert_eq!(failing(one_member_alone).unwrap().0, wanted);
    }
    let error = failing(&[3, 4, 5, 6]).unwrap_err();
    assert!(error.is_ora(353) && error.text.contains("cannot be read"), "{error}");
    assert!(error.text.contains("redo01.log") && error.text.contains("redo01a.log"), "{error}");
}

#[test]
fn a_member_that_cannot_be_synced_is_not_read() {
    let (stage, files) = written();
    let wanted = stage.read().unwrap().0;
    // Only the sequence that goes on is synced: the others were durable before they were left.
    files.fail(1, Fault::Sync);
    assert_eq!(stage.read().unwrap().0, wanted);
    files.fail(1, Fault::Sync);
    files.fail(2, Fault::Sync);
    let error = stage.read().unwrap_err();
    assert!(error.is_ora(313) && error.text.contains("redo03a.log"), "{error}");
    assert_eq!(stage.read().unwrap().0, wanted);
}

/// Longer than what is searched block by block (`SEARCH_BLOCKS`).
#[test]
fn a_long_stretch_of_damage_is_no_end_either() {
    let files = Arc::new(MemoryFileSystem::new());
    let stage = Stage::new(files.clone(), &[(1, 2000), (1, 2000)]);
    let log = stage.open();
    let meter = stage.meter();
    for number in 0..900 {
        log.append(&meter, &record(number, 500)).unwrap();
        log.flush(log.end()).unwrap();
    }
    drop(log);
    assert_eq!(stage.read().unwrap().0.len(), 900);
    let device = files.open(&path("redo01.log")).unwrap();
    device.write_at(20 * 512, &[&vec![0; 800 * 512]]).unwrap();
    let error = stage.read().unwrap_err();
    assert!(error.is_ora(353) && error.text.contains("written long after"), "{error}");
}

#[test]
fn bytes_that_are_no_record_stop_the_instance() {
    let mut wrong = record(1, 100);
    wrong[0] = 99;
    // What they tell of stands in blocks already, and a commit behind them would be acknowledged.
    for bytes in [&wrong[..], &[24, 0, 0], &record(1, 62 * 496)] {
        let stage = Stage::new(Arc::new(MemoryFileSystem::new()), &[(1, 64), (1, 64)]);
        let log = stage.open();
        let meter = stage.meter();
        assert_eq!(log.append(&meter, bytes).unwrap_err().kind, ErrorKind::Poisoned);
        let (_, end) = (stage.health.check().unwrap_err(), log.end());
        log.append(&meter, &record(2, 100)).unwrap_err();
        assert_eq!(log.end(), end);
    }
    // As much as a file holds in one write.
    let stage = Stage::new(Arc::new(MemoryFileSystem::new()), &[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    let (_, end) = log.append(&meter, &record(1, 62 * 496 - 24)).unwrap();
    log.wait_durable(&meter, end).unwrap();
    assert_eq!(stage.read().unwrap().0.len(), 1);
}
