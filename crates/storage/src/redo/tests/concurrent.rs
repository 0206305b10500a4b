//! Many sessions at once.

use common::sync::{Arc, Mutex, spawn};
use waits::{Event, Statistic};

use super::crash::{Disk, Plan};
use super::stage::{Stage, number_of, record};

#[test]
fn what_was_acknowledged_is_there_in_the_order_of_positions() {
    let disk = Disk::new(Plan { delay_us: 500, ..Plan::default() });
    let mut stage = Stage::new(disk, &[(1, 9000), (1, 9000)]);
    stage.buffer_bytes = 8192;
    let log = stage.open();
    let placed = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..6_u64)
        .map(|thread| {
            let (log, placed, meter) = (log.clone(), placed.clone(), stage.meter());
            spawn("session", move || {
                for turn in 0..400_u64 {
                    let number = thread * 1000 + turn;
                    let (start, end) = log.append(&meter, &record(number, 24 + (number % 700) as usize)).unwrap();
                    if turn % 16 == 0 {
                        log.wait_durable(&meter, end).unwrap();
                        assert!(log.durable() >= end);
                    }
                    placed.lock().push((start, number));
                }
                log.wait_durable(&meter, log.end()).unwrap();
            })
            .unwrap()
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    drop(log);
    let mut placed = placed.lock().clone();
    placed.sort_unstable();
    let (records, _) = stage.read().unwrap();
    let numbers: Vec<_> = records.iter().map(|r| number_of(r)).collect();
    assert_eq!(numbers, placed.iter().map(|(_, number)| *number).collect::<Vec<_>>());
    assert!(records.iter().all(|r| *r == record(number_of(r), r.len())));
    // The buffer holds two dozen records, so there was not always room.
    let snapshot = stage.system.snapshot();
    assert_eq!(snapshot.value(Statistic::RedoEntries), 2400);
    assert!(snapshot.value(Statistic::RedoBufferAllocationRetries) > 0);
    assert!(snapshot.event(Event::LogBufferSpace).waits > 0);
}

#[test]
fn a_session_alone_writes_for_itself() {
    let disk = Disk::new(Plan::default());
    let stage = Stage::new(disk.clone(), &[(1, 9000), (1, 9000)]);
    let log = stage.open();
    disk.take_writers();
    let (session, meter) = (log.clone(), stage.meter());
    let run = move || {
        for number in 0..20 {
            let (_, end) = session.append(&meter, &record(number, 500)).unwrap();
            session.wait_durable(&meter, end).unwrap();
            assert!(session.durable() >= end);
        }
    };
    spawn("alone", run).unwrap().join().unwrap();
    assert_eq!(disk.take_writers().into_iter().collect::<Vec<_>>(), ["alone"]);
    assert_eq!(stage.lgwr.value(Statistic::RedoWrites), 20);
    // What nobody waits for, a thread of the log writer does.
    let (_, end) = log.append(&stage.meter(), &record(20, 500)).unwrap();
    log.post();
    while log.durable() < end {
        std::thread::yield_now();
    }
    let writers = disk.take_writers();
    assert!(writers.iter().all(|name| name.starts_with("lg")) && writers.len() == 1, "{writers:?}");
}

#[test]
fn commits_of_many_sessions_share_writes() {
    let disk = Disk::new(Plan { delay_us: 2000, ..Plan::default() });
    let stage = Stage::new(disk.clone(), &[(1, 9000), (1, 9000)]);
    let log = stage.open();
    let threads: Vec<_> = (0..8_u64)
        .map(|thread| {
            let (log, meter) = (log.clone(), stage.meter());
            spawn("session", move || {
                for turn in 0..20 {
                    let (_, end) = log.append(&meter, &record(thread * 100 + turn, 500)).unwrap();
                    log.wait_durable(&meter, end).unwrap();
                }
            })
            .unwrap()
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let snapshot = stage.system.snapshot();
    assert_eq!(snapshot.value(Statistic::RedoSynchWrites), 160);
    let writes = stage.lgwr.value(Statistic::RedoWrites);
    assert!(writes < 140, "{writes} writes for 160 commits");
    assert_eq!(stage.lgwr.event(Event::LogFileParallelWrite).waits, writes);
    assert!(snapshot.event(Event::LogFileSync).waits > 0);
    // Writes take a millisecond on the average: more than one was in flight.
    assert!((2..=4).contains(&disk.most_at_once()), "{} writes at once", disk.most_at_once());
}
