//! Going from file to file.

use std::time::Duration;

use common::sync::{Arc, spawn};
use device::MemoryFileSystem;
use waits::{Event, Statistic};

use super::stage::{Stage, number_of, record};
use crate::redo::{LogGroupState, Lsn};

fn stage(groups: &[(usize, u64)]) -> Stage {
    Stage::new(Arc::new(MemoryFileSystem::new()), groups)
}

#[test]
fn a_full_ring_of_files_waits_for_a_checkpoint() {
    let stage = stage(&[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    let session = {
        let (log, meter) = (log.clone(), meter.clone());
        spawn("session", move || {
            for number in 0..400 {
                let (_, end) = log.append(&meter, &record(number, 400)).unwrap();
                log.wait_durable(&meter, end).unwrap();
            }
        })
        .unwrap()
    };
    let mut stuck = 0;
    while !session.is_finished() {
        std::thread::sleep(Duration::from_millis(1));
        if stage.control.wanted.lock().iter().any(|(_, urgent)| *urgent) {
            // Both files are full and needed, and no redo is lost meanwhile.
            let groups = log.groups();
            assert!(groups.iter().all(|g| matches!(g.record.state, LogGroupState::Active | LogGroupState::Current)));
            let numbers: Vec<_> = stage.read().unwrap().0.iter().map(|r| number_of(r)).collect();
            assert!(numbers.is_sorted() && !numbers.is_empty());
            stuck += 1;
            stage.control.wanted.lock().clear();
            stage.checkpoint(&log, log.durable());
        }
    }
    session.join().unwrap();
    assert!(stuck >= 2, "{stuck}");
    assert!(meter.event(Event::LogFileSwitchCheckpointIncomplete).waits >= 2);
    assert!(meter.value(Statistic::RedoLogSpaceRequests) >= 2);
    assert!(meter.value(Statistic::RedoLogSpaceWaitTime) > 0);
}

#[test]
fn those_without_latches_wait_before_the_last_room_is_gone() {
    let stage = stage(&[(1, 1000), (1, 1000)]);
    let log = stage.open();
    let meter = stage.meter();
    // A block each: the first file is full, and of the second less than a sixteenth is left.
    for number in 0..1940 {
        log.append(&meter, &record(number, 400)).unwrap();
        log.flush(log.end()).unwrap();
        if number < 1900 {
            log.wait_room(&meter).unwrap();
        }
    }
    let waiting = {
        let (log, meter) = (log.clone(), meter.clone());
        spawn("session", move || log.wait_room(&meter)).unwrap()
    };
    // Who holds latches still gets room.
    for number in 0..10 {
        log.append(&meter, &record(number, 400)).unwrap();
    }
    while !stage.control.wanted.lock().iter().any(|(_, urgent)| *urgent) {
        assert!(!waiting.is_finished());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!waiting.is_finished());
    stage.checkpoint(&log, log.end());
    waiting.join().unwrap().unwrap();
    assert_eq!(meter.event(Event::LogFileSwitchCheckpointIncomplete).waits, 1);
}

#[test]
fn a_switch_on_command_ends_one_sequence_and_begins_the_next() {
    let stage = stage(&[(1, 64), (1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    log.append(&meter, &record(1, 100)).unwrap();
    log.switch(&meter).unwrap();
    log.append(&meter, &record(2, 100)).unwrap();
    log.switch(&meter).unwrap();
    let states: Vec<_> = log.groups().iter().map(|g| (g.record.sequence, g.record.state, g.record.end_block)).collect();
    use LogGroupState::{Active, Current};
    assert_eq!(states, [(1, Active, Some(3)), (2, Active, Some(3)), (3, Current, None)]);
    assert_eq!(meter.event(Event::LogFileSwitchCompletion).waits, 2);
    assert_eq!(log.position(Lsn(0)).sequence, 1);
    assert_eq!(log.position(Lsn(100)).sequence, 2);
    assert_eq!((log.position(Lsn(200)).sequence, log.position(Lsn(200)).block), (3, 2));
    log.shutdown().unwrap();
    let (records, end) = stage.read().unwrap();
    assert_eq!(records, [record(1, 100), record(2, 100)]);
    assert_eq!((end.sequence, end.block), (3, 2));
}

#[test]
fn what_the_control_file_names_stays_although_a_switch_came_between() {
    let stage = stage(&[(1, 64), (1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    log.append(&meter, &record(1, 100)).unwrap();
    log.flush(log.end()).unwrap();
    let lsn = log.end();
    *stage.control.checkpoint.lock() = Some(log.position(lsn));
    log.switch(&meter).unwrap();
    log.checkpointed(lsn).unwrap();
    assert_eq!(log.groups()[0].record.state, LogGroupState::Active);
    stage.read().unwrap();
    stage.checkpoint(&log, lsn);
    assert_eq!(log.groups()[0].record.state, LogGroupState::Inactive);
    stage.read().unwrap();
}

#[test]
fn no_place_leads_back_into_a_sequence_that_is_not_needed_any_more() {
    let stage = Stage::new(Arc::new(MemoryFileSystem::default()), &[(1, 64), (1, 64)]);
    let log = stage.open();
    let meter = stage.meter();
    let (start, end) = log.append(&meter, &record(1, 100)).unwrap();
    log.wait_durable(&meter, end).unwrap();
    log.switch(&meter).unwrap();
    stage.checkpoint(&log, end);
    assert_eq!(log.groups()[0].record.state, LogGroupState::Inactive);
    // Of a session that has looked where the log ends and comes to its change only now.
    assert_eq!((log.position(start).sequence, log.read_from(start)), (2, end));
    log.check_invariants().unwrap();
}
