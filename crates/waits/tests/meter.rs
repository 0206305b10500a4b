//! Meters count what they are told, sums are sums, and the system's totals are those of its sessions.

mod common;

use std::sync::Arc;

use ::common::{BlockClass, Clock};
use common::ManualClock;
use proptest::prelude::*;
use waits::{Event, GetMode, Meter, MeterSnapshot, Statistic, SystemMeter, histogram_bound_us};

fn session(system: &Arc<SystemMeter>) -> (Arc<Meter>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    (Meter::new(system, Arc::clone(&clock) as Arc<dyn Clock>, 7, 1), clock)
}

#[test]
fn gets_add_up_to_logical_reads() {
    let (meter, _) = session(&SystemMeter::new());
    for _ in 0..3 {
        meter.get(BlockClass::Data, GetMode::Current);
    }
    meter.get(BlockClass::SegmentHeader, GetMode::Current);
    meter.get(BlockClass::FirstLevelBitmap, GetMode::Consistent);
    assert_eq!(meter.gets(BlockClass::Data, GetMode::Current), 3);
    assert_eq!(meter.gets(BlockClass::Data, GetMode::Consistent), 0);
    let snapshot = meter.snapshot();
    let expected = [
        (Statistic::DbBlockGets, 4),
        (Statistic::DbBlockGetsFromCache, 4),
        (Statistic::ConsistentGets, 1),
        (Statistic::ConsistentGetsFromCache, 1),
        (Statistic::SessionLogicalReads, 5),
        (Statistic::PhysicalReads, 0),
    ];
    for (statistic, value) in expected {
        assert_eq!(meter.value(statistic), value, "{statistic}");
        assert_eq!(snapshot.value(statistic), value, "{statistic}");
    }
}

#[test]
fn a_wait_is_timed_and_shown_while_it_lasts() {
    let (meter, clock) = session(&SystemMeter::new());
    let answer = meter.wait(Event::DbFileSequentialRead, [4, 130, 1], 77, || {
        clock.advance(700);
        let current = meter.current_wait().unwrap();
        assert_eq!((current.event, current.parameters, current.object), (Event::DbFileSequentialRead, [4, 130, 1], 77));
        42
    });
    assert_eq!(answer, 42);
    assert_eq!(meter.current_wait(), None);
    meter.waited(Event::DbFileSequentialRead, [4, 131, 1], 77, 100);
    meter.waited(Event::LogFileSync, [0; 3], -1, 3_000_000);
    meter.timed_out(Event::LogFileSync);
    meter.waited(Event::SqlNetMessageFromClient, [0; 3], -1, 9);
    let totals = meter.event(Event::DbFileSequentialRead);
    assert_eq!((totals.waits, totals.timeouts, totals.micros, totals.max_micros), (2, 0, 800, 700));
    assert_eq!(meter.event(Event::LogFileSync).timeouts, 1);
    assert_eq!(meter.value(Statistic::UserIoWaitTime), 800);
    assert_eq!(meter.value(Statistic::NonIdleWaitTime), 3_000_800);
    assert_eq!(meter.snapshot().value(Statistic::NonIdleWaitCount), 3);
}

#[test]
fn histogram_buckets_hold_waits_below_their_bound() {
    let (meter, _) = session(&SystemMeter::new());
    for micros in [0, 1, 2, 3, 4, 1023, 1024, u64::from(u32::MAX)] {
        meter.waited(Event::LogFileSync, [0; 3], -1, micros);
    }
    let histogram = meter.event(Event::LogFileSync).histogram;
    let filled: Vec<_> =
        histogram.iter().enumerate().filter(|(_, n)| **n > 0).map(|(b, n)| (histogram_bound_us(b), *n)).collect();
    assert_eq!(
        filled,
        [(Some(1), 1), (Some(2), 1), (Some(4), 2), (Some(8), 1), (Some(1024), 1), (Some(2048), 1), (None, 1)]
    );
}

#[test]
fn totals_keep_sessions_that_have_ended() {
    let system = SystemMeter::new();
    let (first, _) = session(&system);
    let (second, _) = session(&system);
    first.count(Statistic::UserCommits, 2);
    first.get(BlockClass::Data, GetMode::Current);
    second.count(Statistic::UserCommits, 5);
    second.count(Statistic::OpenedCursorsCurrent, 3);
    second.discount(Statistic::OpenedCursorsCurrent, 3);
    first.buffer_wait(BlockClass::SegmentHeader, 40);
    second.buffer_wait(BlockClass::SegmentHeader, 2);
    let before = system.snapshot();
    drop(first);
    assert_eq!(system.snapshot(), before);
    drop(second);
    assert_eq!(system.snapshot(), before);
    assert_eq!(before.value(Statistic::UserCommits), 7);
    assert_eq!(before.value(Statistic::DbBlockGets), 1);
    assert_eq!(before.value(Statistic::OpenedCursorsCurrent), 0);
    let waits = before.buffer_waits(BlockClass::SegmentHeader);
    assert_eq!((waits.waits, waits.micros), (2, 42));
}

#[test]
fn totals_never_go_down_while_sessions_come_and_go() {
    let system = SystemMeter::new();
    let mut threads = Vec::new();
    for _ in 0..2 {
        let system = Arc::clone(&system);
        let run = move || {
            for _ in 0..200 {
                let (meter, _) = session(&system);
                meter.count(Statistic::UserCalls, 3);
            }
        };
        threads.push(::common::sync::spawn("session", run).unwrap());
    }
    let mut last = 0;
    while last < 2 * 200 * 3 {
        let now = system.snapshot().value(Statistic::UserCalls);
        assert!(now >= last, "{now} after {last}");
        last = now;
        if threads.iter().all(|t| t.is_finished()) {
            assert_eq!(system.snapshot().value(Statistic::UserCalls), 1200);
            break;
        }
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

#[derive(Clone, Debug)]
enum Step {
    Count(usize, u64),
    Get(usize, bool),
    Wait(usize, u64),
    BufferWait(usize, u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..Statistic::COUNT, 0..1000u64).prop_map(|(s, n)| Step::Count(s, n)),
        (0..BlockClass::ALL.len(), any::<bool>()).prop_map(|(c, m)| Step::Get(c, m)),
        (0..Event::COUNT, 0..10_000_000u64).prop_map(|(e, n)| Step::Wait(e, n)),
        (0..BlockClass::ALL.len(), 0..1000u64).prop_map(|(c, n)| Step::BufferWait(c, n)),
    ]
}

fn run(meter: &Meter, steps: &[Step]) {
    for step in steps {
        match *step {
            Step::Count(statistic, n) => meter.count(Statistic::ALL[statistic], n),
            Step::Get(class, current) => {
                let mode = if current { GetMode::Current } else { GetMode::Consistent };
                meter.get(BlockClass::ALL[class], mode);
            }
            Step::Wait(event, micros) => meter.waited(Event::ALL[event], [0; 3], -1, micros),
            Step::BufferWait(class, micros) => meter.buffer_wait(BlockClass::ALL[class], micros),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_difference_is_what_was_done_between(
        first in prop::collection::vec(step(), 0..40),
        second in prop::collection::vec(step(), 0..40),
    ) {
        let system = SystemMeter::new();
        let (meter, _) = session(&system);
        run(&meter, &first);
        let begin = meter.snapshot();
        run(&meter, &second);
        let difference = meter.snapshot().minus(&begin);

        let (alone, _) = session(&SystemMeter::new());
        run(&alone, &second);
        let alone = alone.snapshot();
        for statistic in Statistic::ALL {
            prop_assert_eq!(difference.value(statistic), alone.value(statistic), "{}", statistic);
            prop_assert_eq!(meter.value(statistic), begin.value(statistic) + alone.value(statistic), "{}", statistic);
        }
        for event in Event::ALL {
            let (found, expected) = (difference.event(event), alone.event(event));
            prop_assert_eq!((found.waits, found.micros, found.histogram), (expected.waits, expected.micros, expected.histogram));
        }
        let mut sum = begin;
        sum.add(&alone);
        prop_assert_eq!(&sum, &meter.snapshot());
        drop(meter);
        prop_assert_eq!(&sum, &system.snapshot());
        prop_assert_eq!(sum.minus(&sum).value(Statistic::SessionLogicalReads), MeterSnapshot::default().value(Statistic::SessionLogicalReads));
    }
}
