//! The log's checks speak when it is broken.

use common::sync::Arc;
use common::sync::atomic::Ordering;
use device::MemoryFileSystem;

use super::stage::{Stage, record};
use crate::redo::{LogGroupState, RedoLog};

fn log() -> (Stage, Arc<RedoLog>) {
    let stage = Stage::new(Arc::new(MemoryFileSystem::default()), &[(1, 64), (2, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    for number in 0..200 {
        let (_, end) = log.append(&meter, &record(number, 100 + number as usize)).unwrap();
        log.wait_durable(&meter, end).unwrap();
        if number % 50 == 49 {
            log.switch(&meter).unwrap();
            stage.checkpoint(&log, end);
        }
    }
    log.check_invariants().unwrap();
    (stage, log)
}

/// Breaks a log that has worked for a while: what its check says then.
fn broken(change: impl FnOnce(&RedoLog)) -> String {
    let (_stage, log) = log();
    change(&log);
    log.check_invariants().unwrap_err().text
}

#[test]
fn a_broken_log_is_seen() {
    let said = broken(|log| {
        log.core.taken.fetch_add(1, Ordering::SeqCst);
    });
    assert!(said.contains("redo is said to be taken to"), "{said}");
    let said = broken(|log| {
        log.core.sequence.fetch_add(1, Ordering::SeqCst);
    });
    assert!(said.contains("is said to be written"), "{said}");
    let said = broken(|log| log.core.take.lock().next_block += 1);
    assert!(said.contains("the next write goes to"), "{said}");
    let said = broken(|log| log.core.take.lock().taken += 1);
    assert!(said.contains("the next write begins at"), "{said}");
    let said = broken(|log| log.core.buffer.open_for_test(64));
    assert!(said.contains("more is promised than the"), "{said}");
    let said = broken(|log| log.core.take.lock().tickets = 0);
    assert!(said.contains("0 have begun"), "{said}");
}

#[test]
fn broken_groups_are_seen() {
    let said = broken(|log| log.core.groups.lock().records[1].number = 1);
    assert!(said.contains("log group 1 stands there twice"), "{said}");
    let said = broken(|log| log.core.groups.lock().records[1].members[0] = "redo01.log".to_owned());
    assert!(said.contains("redo01.log"), "{said}");
    let said = broken(|log| {
        let mut groups = log.core.groups.lock();
        let sequence = groups.records[0].sequence;
        groups.records[1].sequence = sequence;
    });
    assert!(said.contains("is in two groups") || said.contains("begins"), "{said}");
    let said = broken(|log| {
        let mut groups = log.core.groups.lock();
        let ended = groups.records.iter_mut().find(|record| record.state != LogGroupState::Current).unwrap();
        (ended.end_block, ended.end_lsn) = (None, None);
    });
    assert!(said.contains("has a successor and goes on"), "{said}");
    let said = broken(|log| {
        let mut groups = log.core.groups.lock();
        let current = groups.records.iter_mut().find(|record| record.state == LogGroupState::Current).unwrap();
        current.first_lsn += 1;
    });
    assert!(said.contains("ends where the next does not begin"), "{said}");
}
