//! Groups and members come and go.

use std::path::Path;

use common::sync::Arc;
use device::{FileSystem, MemoryFileSystem};

use super::stage::{DIRECTORY, Stage, record};
use crate::redo::{LogGroupSpec, RedoLog};

#[test]
fn groups_and_members_are_added_and_dropped_by_the_rules() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let stage = Stage::new(files.clone(), &[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    let spec = |number, blocks: u64| LogGroupSpec::usual(number, 1, blocks * 512);
    let ora = |result: common::Result<()>, number| {
        let error = result.unwrap_err();
        assert!(error.is_ora(number), "{error}");
    };
    ora(log.add_group(&spec(3, 10)), 336);
    ora(log.add_group(&spec(0, 64)), 1185);
    ora(log.add_group(&spec(2, 64)), 1184);
    ora(log.add_group(&LogGroupSpec { number: 3, members: vec!["redo01.log".to_owned()], bytes: 1 << 16 }), 1577);
    ora(log.drop_group(1), 1623);
    ora(log.drop_group(2), 1567);
    ora(log.drop_group(9), 1515);
    ora(log.drop_member("redo01.log"), 1609);
    ora(log.drop_member("redo02.log"), 361);
    ora(log.drop_member("other.log"), 360);
    ora(log.add_member(9, "x.log"), 359);
    log.add_group(&spec(3, 64)).unwrap();
    log.add_member(2, "redo02b.log").unwrap();
    assert_eq!(log.groups()[1].members, [("redo02.log".to_owned(), false), ("redo02b.log".to_owned(), true)]);
    log.append(&meter, &record(1, 100)).unwrap();
    log.switch(&meter).unwrap();
    ora(log.drop_group(1), 1624);
    log.append(&meter, &record(2, 100)).unwrap();
    assert_eq!(log.groups()[1].members[1], ("redo02b.log".to_owned(), false));
    log.switch(&meter).unwrap();
    // The new member alone holds what the group holds.
    files.remove(&Path::new(DIRECTORY).join("redo02.log")).unwrap();
    assert_eq!(stage.read().unwrap().0, [record(1, 100), record(2, 100)]);
    stage.checkpoint(&log, log.end());
    log.drop_group(1).unwrap();
    log.drop_member("redo02.log").unwrap();
    assert_eq!(stage.control.groups.lock().len(), 2);
    log.switch(&meter).unwrap();
    log.shutdown().unwrap();
}

#[test]
fn the_only_member_with_redo_that_a_crash_needs_is_not_dropped() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let stage = Stage::new(files.clone(), &[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    log.append(&meter, &record(1, 100)).unwrap();
    log.switch(&meter).unwrap();
    // Active, and the new member holds nothing of it.
    log.add_member(1, "redo01b.log").unwrap();
    let error = log.drop_member("redo01.log").unwrap_err();
    assert!(error.is_ora(362), "{error}");
    log.drop_member("redo01b.log").unwrap();
    log.add_member(1, "redo01c.log").unwrap();
    log.append(&meter, &record(2, 100)).unwrap();
    log.flush(log.end()).unwrap();
    assert_eq!(stage.read().unwrap().0, [record(1, 100), record(2, 100)]);
    stage.checkpoint(&log, log.end());
    log.drop_member("redo01.log").unwrap();
    log.switch(&meter).unwrap();
    log.shutdown().unwrap();
}

#[test]
fn a_database_needs_two_groups_and_leaves_no_files_behind() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let one = [LogGroupSpec::usual(1, 1, 1 << 16)];
    assert!(RedoLog::create(&files, Path::new(DIRECTORY), &one).unwrap_err().is_ora(1518));
    let second_too_small = [LogGroupSpec::usual(1, 2, 1 << 16), LogGroupSpec::usual(2, 1, 512)];
    assert!(RedoLog::create(&files, Path::new(DIRECTORY), &second_too_small).unwrap_err().is_ora(336));
    assert!(!files.exists(&Path::new(DIRECTORY).join("redo01a.log")).unwrap());
}
