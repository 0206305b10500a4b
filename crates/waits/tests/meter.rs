//! Meters count what they are told, sums are sums, and the system's totals are those of its sessions.

mod common;

use std::sync::Arc;

use ::common::sync::{Mutex, spawn};
use ::common::{BlockClass, Clock, ObjectNumber};
use common::ManualClock;
use proptest::prelude::*;
use waits::{
    CallReading, Enqueue, Event, GetMode, LatchName, Meter, MeterSnapshot, SegmentStatistic, SqlArea, SqlCall,
    SqlSource, Statistic, SystemMeter, WaitClass, histogram_bound_us,
};

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

#[test]
fn the_last_wait_is_kept_until_the_next() {
    let (meter, clock) = session(&SystemMeter::new());
    assert_eq!(meter.last_wait(), None);
    let describe = |answer: &u64| ([1, 2, *answer], 9);
    let wait = || {
        clock.advance(30);
        let shown = meter.current_wait().unwrap();
        assert_eq!((shown.parameters, shown.object), ([1, 2, 0], -1), "until it is over");
        assert_eq!(meter.last_wait(), None, "it is not over");
        7
    };
    assert_eq!(meter.described_wait(Event::BufferBusyWaits, [1, 2, 0], -1, wait, describe), (7, 30));
    let last = meter.last_wait().unwrap();
    assert_eq!((last.event, last.parameters, last.object, last.micros), (Event::BufferBusyWaits, [1, 2, 7], 9, 30));
    assert_eq!(meter.class(WaitClass::Concurrency), (1, 30));
    assert_eq!(meter.snapshot().class(WaitClass::Concurrency), (1, 30));
}

#[test]
fn a_latch_that_is_free_is_a_get_and_one_that_is_not_a_miss_that_waits() {
    let system = SystemMeter::new();
    let (holder, other) = (session(&system).0, session(&system).0);
    let latch = Arc::new(Mutex::new(0));
    drop(holder.latch(LatchName::RedoAllocation, &latch));
    let held = holder.latch(LatchName::RedoAllocation, &latch);
    let waiter = {
        let (latch, meter) = (latch.clone(), other.clone());
        let take = move || *meter.latch(LatchName::RedoAllocation, &latch) += 1;
        spawn("waiter", take).unwrap()
    };
    while other.current_wait().is_none() {
        std::thread::yield_now();
    }
    let wait = other.current_wait().unwrap();
    let address = std::ptr::from_ref(&*latch).addr() as u64;
    assert_eq!((wait.event, wait.parameters[0]), (Event::LatchRedoAllocation, address));
    drop(held);
    waiter.join().unwrap();
    let totals = system.snapshot().latch(LatchName::RedoAllocation);
    assert_eq!((totals.gets, totals.misses, totals.sleeps, totals.spin_gets), (3, 1, 1, 0));
    assert_eq!(other.event(Event::LatchRedoAllocation).waits, 1);
    assert_eq!(holder.event(Event::LatchRedoAllocation).waits, 0);
    other.immediate_latch(LatchName::RedoCopy, false);
    other.immediate_latch(LatchName::RedoCopy, true);
    let totals = other.snapshot().latch(LatchName::RedoCopy);
    assert_eq!((totals.immediate_gets, totals.immediate_misses, totals.gets), (1, 1, 0));
}

#[test]
fn requests_for_enqueues_are_those_that_were_had_and_those_that_were_given_up() {
    let system = SystemMeter::new();
    let (meter, clock) = session(&system);
    let had = meter.take_enqueue(Enqueue::HwContention, 6, [4, 130], 77, || Some(1), || 2);
    let waited = meter.take_enqueue(
        Enqueue::HwContention,
        6,
        [4, 130],
        77,
        || None,
        || {
            clock.advance(50);
            let wait = meter.current_wait().unwrap();
            assert_eq!((wait.event, wait.parameters, wait.object), (Event::EnqHwContention, [0x4857_0006, 4, 130], 77));
            2
        },
    );
    assert_eq!((had, waited), (1, 2));
    meter.enqueue(Enqueue::TmContention, false);
    let snapshot = system.snapshot();
    let totals = snapshot.enqueue(Enqueue::HwContention);
    assert_eq!((totals.requests(), totals.succeeded, totals.failed, totals.waits, totals.wait_us), (2, 2, 0, 1, 50));
    for (statistic, value) in
        [(Statistic::EnqueueRequests, 3), (Statistic::EnqueueWaits, 1), (Statistic::EnqueueTimeouts, 1)]
    {
        assert_eq!((snapshot.value(statistic), meter.value(statistic)), (value, value), "{statistic}");
    }
}

#[test]
fn segments_are_counted_over_live_and_ended_sessions_until_they_are_forgotten() {
    let system = SystemMeter::new();
    let (one, two) = (session(&system).0, session(&system).0);
    let (table, index) = (ObjectNumber(70), ObjectNumber(71));
    one.segment(table, SegmentStatistic::LogicalReads, 3);
    two.segment(table, SegmentStatistic::LogicalReads, 4);
    two.segment(index, SegmentStatistic::DbBlockChanges, 1);
    drop(one);
    assert_eq!(system.segment(table).value(SegmentStatistic::LogicalReads), 7);
    assert_eq!(system.segments().iter().map(|(object, _)| *object).collect::<Vec<_>>(), [table, index]);
    // More than a session has slots for: none is lost.
    for object in 1_000..3_000 {
        two.segment(ObjectNumber(object), SegmentStatistic::PhysicalReads, 2);
    }
    let reads: u64 = system.segments().iter().map(|(_, totals)| totals.value(SegmentStatistic::PhysicalReads)).sum();
    assert_eq!(reads, 4_000);
    system.forget_segment(table);
    drop(two);
    assert_eq!(system.segment(table).value(SegmentStatistic::LogicalReads), 0);
    assert_eq!(system.segments().len(), 2_001);
}

#[test]
fn a_statement_gets_what_its_calls_took() {
    let (meter, clock) = session(&SystemMeter::new());
    let area = SqlArea::new(10);
    let source = |text: &str, schema: &str| SqlSource {
        text: text.into(),
        sql_id: waits::sql_id(text).into(),
        hash: waits::sql_hash(text),
        command: 3,
        schema: schema.into(),
        module: Some("shell".into()),
        action: None,
    };
    let statement = area.statement(&meter, &source("select 1 from dual", "SYSTEM"));
    let ended = |begin: &CallReading, call, rows| {
        statement.ended(&CallReading::now(&meter).since(begin), clock.wall_us(), call, rows);
    };
    ended(&CallReading::now(&meter), SqlCall::Parse, 0);
    for _ in 0..2 {
        let begin = CallReading::now(&meter);
        meter.get(BlockClass::Data, GetMode::Consistent);
        meter.count(Statistic::PhysicalReads, 2);
        meter.wait(Event::DbFileSequentialRead, [0; 3], -1, || clock.advance(100));
        meter.wait(Event::BufferBusyWaits, [0; 3], -1, || clock.advance(10));
        clock.advance(40);
        ended(&begin, SqlCall::Execute, 1);
    }
    let figures = statement.figures();
    assert_eq!((figures.executions, figures.parse_calls, figures.fetches, figures.rows_processed), (2, 1, 0, 2));
    assert_eq!((figures.buffer_gets, figures.disk_reads, figures.elapsed_us, figures.cpu_us), (2, 4, 300, 150));
    assert_eq!((figures.user_io_wait_us, figures.concurrency_wait_us, figures.application_wait_us), (200, 20, 0));
    assert_eq!(figures.last_active_us, clock.wall_us());
    assert!(Arc::ptr_eq(&statement, &area.statement(&meter, &source("select 1 from dual", "SCOTT"))));
    assert_eq!(&*statement.source().schema, "SYSTEM");
    // Where there are too many those go that nobody holds, the oldest first.
    for n in 0..30 {
        clock.advance(1);
        drop(area.statement(&meter, &source(&format!("select {n} from t"), "SYSTEM")));
    }
    let kept = area.statements();
    assert!(kept.len() <= 10, "{}", kept.len());
    assert!(kept.iter().any(|kept| Arc::ptr_eq(kept, &statement)));
    assert!(kept.iter().any(|kept| &*kept.source().text == "select 29 from t"));
    drop(kept);
    area.flush(&meter);
    assert_eq!(area.statements().len(), 1);
}

#[test]
fn without_timing_waits_are_counted_and_take_no_time() {
    let system = SystemMeter::new();
    let (meter, clock) = session(&system);
    let sleep = || clock.advance(2_000);
    system.set_timed(false);
    let ((), micros) = meter.timed_wait(Event::DbFileSequentialRead, [1, 2, 1], -1, sleep);
    meter.waited(Event::DbFileSequentialRead, [1, 2, 1], -1, 700);
    meter.count(Statistic::DbTime, 5);
    meter.count(Statistic::RedoSize, 5);
    let totals = meter.event(Event::DbFileSequentialRead);
    assert_eq!((micros, totals.waits, totals.micros, totals.histogram.iter().sum::<u64>()), (0, 2, 0, 0));
    assert_eq!((meter.value(Statistic::DbTime), meter.value(Statistic::RedoSize)), (0, 5));
    // The session's own word counts before the system's.
    meter.set_timed(Some(true));
    meter.wait(Event::DbFileSequentialRead, [1, 2, 1], -1, sleep);
    let totals = meter.event(Event::DbFileSequentialRead);
    assert!(totals.waits == 3 && totals.micros == 2_000 && totals.histogram.iter().sum::<u64>() == 1);
}
