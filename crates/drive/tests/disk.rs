//! A rotating disk: what moves the arm, what the memory answers, in which order requests are carried out.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use drive::{Kind, Model, ModelFile, Request, end_of};

/// 1,000 cylinders of one zone and 1,000 of another; a turn takes 6 ms, a block of the outer zone 60 us.
fn disk(write_back: bool, scheduling: &str, read_ahead_kb: u32) -> Box<dyn Model> {
    ModelFile::parse("d", &text(write_back, scheduling, read_ahead_kb)).unwrap().start()
}

/// As [`disk`], with write-back, and a controller that takes its time, less of it for writes.
fn disk_with_overheads(scheduling: &str) -> Box<dyn Model> {
    let overheads = "[disk.overhead_ms]\nread_hit = { after_read = 0.1, after_write = 0.1 }\n\
                     read_miss = { after_read = 0.4, after_write = 0.5 }\n\
                     write_miss = { after_read = 0.1, after_write = 0.1 }\n";
    ModelFile::parse("d", &format!("{}{overheads}", text(true, scheduling, 32))).unwrap().start()
}

fn text(write_back: bool, scheduling: &str, read_ahead_kb: u32) -> String {
    format!(
        "device = \"d\"\n[sources]\n[disk]\nrpm = 10000\nsurfaces = 2\n\
         zones = [{{ cylinders = 1000, sectors = 100 }}, {{ cylinders = 1000, sectors = 50 }}]\n\
         seek = {{ single_ms = 1, average_ms = 5, full_ms = 10 }}\nbus_mb_per_s = 512\n\
         scheduling = \"{scheduling}\"\n[disk.cache]\nsegments = 2\nsegment_kb = 64\n\
         read_ahead_kb = {read_ahead_kb}\nwrite_back = {write_back}\n"
    )
}

/// Blocks before the inner zone.
const OUTER: u64 = 1000 * 2 * 100;

fn request(kind: Kind, block: u64, blocks: u64) -> Request {
    Request { kind, block, blocks }
}

/// The end of a request that arrives at a time.
fn run(disk: &mut dyn Model, at: f64, kind: Kind, block: u64, blocks: u64) -> f64 {
    let ticket = disk.submit(at, request(kind, block, blocks));
    end_of(disk, ticket)
}

#[test]
fn a_stream_leaves_memory_behind_it_and_takes_the_arm_along() {
    let mut disk = disk(false, "fcfs", 32);
    let mut now = 0.0;
    for block in (0..OUTER * 3 / 2).step_by(32) {
        now = run(&mut *disk, now, Kind::Read, block, 32);
    }
    // A stream of 150,000 blocks of 60 us, or of 120 in the inner zone, and the switches between tracks.
    let least = OUTER as f64 * 60.0 + OUTER as f64 / 2.0 * 120.0;
    assert!((least..least * 1.25).contains(&now), "{now} {least}");
    assert!((now * 0.9..=now).contains(&disk.busy_us()), "{} {now}", disk.busy_us());
    // The begin is no longer in memory, and the arm is far from it: a long seek.
    let far = run(&mut *disk, now, Kind::Read, 0, 8) - now;
    assert!(far > 5_000.0, "{far}");
}

#[test]
fn blocks_that_are_still_being_read_are_waited_for() {
    let mut disk = disk(false, "fcfs", 32);
    let first = disk.submit(0.0, request(Kind::Read, 5000, 8));
    let again = run(&mut *disk, 1.0, Kind::Read, 5000, 8);
    let first = end_of(&mut *disk, first);
    assert!(again >= first - 10.0, "{again} {first}");
    // Later they are in memory: only the bus takes time.
    let hit = run(&mut *disk, first + 50_000.0, Kind::Read, 5000, 8) - first - 50_000.0;
    assert!(hit < 20.0, "{hit}");
    // And so is what was read on; behind that the head has ceased.
    let ahead = run(&mut *disk, first + 100_000.0, Kind::Read, 5008, 32) - first - 100_000.0;
    assert!(ahead < 60.0, "{ahead}");
}

#[test]
fn write_back_ends_in_memory_and_a_flush_waits_for_the_medium() {
    let mut on = disk(true, "fcfs", 0);
    let end = run(&mut *on, 0.0, Kind::Write, 50_000, 8);
    assert!(end < 20.0, "{end}");
    let flush = on.flush(end);
    let flushed = end_of(&mut *on, flush);
    assert!(flushed > 1_000.0, "{flushed}");
    // A write through waits, and so does each write where write-back is off.
    let through = run(&mut *on, flushed, Kind::WriteThrough, 90_000, 8) - flushed;
    assert!(through > 1_000.0, "{through}");
    let mut off = disk(false, "fcfs", 0);
    assert!(run(&mut *off, 0.0, Kind::Write, 50_000, 8) > 1_000.0);
    // A flush does not wait for reads.
    let read = off.submit(50_000.0, request(Kind::Read, 150_000, 8));
    let flush = off.flush(50_001.0);
    assert!(end_of(&mut *off, flush) < 50_010.0);
    end_of(&mut *off, read);
}

#[test]
fn a_full_write_cache_makes_writes_wait() {
    let mut disk = disk(true, "look", 0);
    let (mut now, mut times) = (0.0, Vec::new());
    for number in 0..40_u64 {
        let end = run(&mut *disk, now, Kind::Write, number * 7919 % OUTER, 8);
        times.push(end - now);
        now = end;
    }
    // The arm has the first write, and 128 blocks wait behind it; the next write waits for the medium.
    let first = times.iter().position(|us| *us > 1_000.0);
    assert_eq!(first, Some(17), "{times:?}");
}

#[test]
fn nearer_requests_come_first_and_a_far_one_comes_in_the_end() {
    for (scheduling, overtaken) in [("fcfs", false), ("look", true), ("satf", true)] {
        let mut disk = disk(false, scheduling, 0);
        let at_work = disk.submit(0.0, request(Kind::Read, 0, 8));
        let far = disk.submit(1.0, request(Kind::Read, OUTER + 99_000, 8));
        let near = disk.submit(2.0, request(Kind::Read, 600, 8));
        let [_, far, near] = [at_work, far, near].map(|ticket| end_of(&mut *disk, ticket));
        assert_eq!(near < far, overtaken, "{scheduling}");
    }
    for scheduling in ["look", "satf"] {
        let mut disk = disk(false, scheduling, 0);
        let mut near: Vec<_> = (0..8_u64).map(|n| disk.submit(0.0, request(Kind::Read, n * 8, 8))).collect();
        let far = disk.submit(0.0, request(Kind::Read, OUTER + 99_000, 8));
        let mut now = 0.0;
        let mut ended = None;
        for number in 0..2_000_u64 {
            now = disk.next_begin().map_or(now, |next| next.max(now));
            disk.advance(now);
            ended = ended.or_else(|| disk.take_end(far));
            for ticket in &mut near {
                if disk.take_end(*ticket).is_some() {
                    *ticket = disk.submit(now, request(Kind::Read, number % 200, 8));
                }
            }
        }
        assert!(ended.is_some_and(|end| end < 600_000.0), "{scheduling}: {ended:?} of {now}");
    }
}

#[test]
fn requests_beyond_the_end_are_carried_out_at_the_end() {
    let mut disk = disk(false, "fcfs", 32);
    let end = run(&mut *disk, 0.0, Kind::Read, 1 << 40, 1 << 40);
    assert!(end.is_finite());
}

#[test]
fn a_read_that_waits_finds_what_was_read_meanwhile() {
    let mut disk = disk(false, "fcfs", 0);
    let at_work = disk.submit(0.0, request(Kind::Read, 0, 8));
    let first = disk.submit(1.0, request(Kind::Read, 150_000, 8));
    let other = disk.submit(2.0, request(Kind::Read, 90_000, 8));
    let [again, more] = [8, 16].map(|blocks| disk.submit(3.0, request(Kind::Read, 150_000, blocks)));
    let [_, first, other, again, more] = [at_work, first, other, again, more].map(|ticket| end_of(&mut *disk, ticket));
    // The same blocks are in memory once the first read has ended: they need the bus alone.
    assert!(first < other && (0.0..20.0).contains(&(again - other)), "{first} {other} {again}");
    // Of the longer read, the medium has to deliver the second half alone: 8 blocks of 60 us.
    assert!(more > again + 1_000.0, "{again} {more}");
    let transfers = 4.0 * 8.0 * 60.0;
    assert!(disk.busy_us() <= more - 1.0 && disk.busy_us() > transfers, "{} {more}", disk.busy_us());
}

#[test]
fn reads_of_data_that_wait_for_the_medium_come_from_memory() {
    let mut disk = disk(true, "fcfs", 0);
    let mut now = 0.0;
    for block in [150_000, 50_000, 50_008] {
        now = run(&mut *disk, now, Kind::Write, block, 8);
    }
    // The arm has the first write; the other two wait, one behind the other.
    for (block, blocks) in [(150_000, 8), (50_000, 16), (50_004, 8)] {
        let end = run(&mut *disk, now, Kind::Read, block, blocks);
        assert!(end - now < 40.0, "{block}: {}", end - now);
        now = end;
    }
    // The blocks before and behind them come from the medium.
    for (block, blocks) in [(49_996, 16), (50_012, 8)] {
        let took = run(&mut *disk, now, Kind::Read, block, blocks) - now;
        assert!(took > 1_000.0, "{block}: {took}");
        now += took;
    }
    // A write that waits for the medium is not in memory.
    let mut off = self::disk(false, "fcfs", 0);
    let ended = run(&mut *off, 0.0, Kind::Write, 50_000, 8);
    assert!(run(&mut *off, ended, Kind::Read, 50_000, 8) - ended > 1_000.0);
}

#[test]
fn only_the_part_that_is_not_in_memory_is_read_from_the_medium() {
    let busy = |written: Option<u64>| {
        let mut disk = disk(true, "fcfs", 0);
        let mut now = run(&mut *disk, 0.0, Kind::Write, 150_000, 8);
        if let Some(block) = written {
            now = run(&mut *disk, now, Kind::Write, block, 40);
        }
        run(&mut *disk, now, Kind::Read, 50_000, 80)
    };
    // Half of the read is 40 blocks of 60 us; the angle at which the head arrives differs by a fraction of a turn.
    let [all, front, back] = [None, Some(50_000), Some(50_040)].map(busy);
    assert!(back <= all - 2_000.0, "{all} {back}");
    assert!(front <= all + 100.0, "{all} {front}");
}

/// The ends do not depend on how often somebody asks: decisions follow from the arrivals.
#[test]
fn ends_depend_on_the_arrivals_alone() {
    for scheduling in ["fcfs", "look", "satf"] {
        for seed in 0..200 {
            let mut random = common::Seeded::new(seed);
            let mut at = 0.0;
            let arrivals: Vec<_> = (0..60)
                .map(|_| {
                    at += random.below(6_000) as f64;
                    let kind = [Kind::Read, Kind::Read, Kind::Write, Kind::WriteThrough][random.below(4) as usize];
                    let block = [0, 600, 150_000, OUTER + 3_000][random.below(4) as usize] + random.below(64);
                    (at, request(kind, block, 1 + random.below(24)))
                })
                .collect();
            let ends = |eager: bool| {
                let mut disk = disk_with_overheads(scheduling);
                let mut asked = 0.0;
                let mut tickets = Vec::new();
                for (at, request) in &arrivals {
                    while eager && asked < *at {
                        disk.advance(asked);
                        asked += 37.0;
                    }
                    tickets.push(disk.submit(*at, *request));
                }
                tickets.into_iter().map(|ticket| end_of(&mut *disk, ticket)).collect::<Vec<_>>()
            };
            assert_eq!(ends(true), ends(false), "{scheduling} {seed}");
        }
    }
}

#[test]
fn a_measured_curve_that_falls_is_refused_with_its_line() {
    let parsed = |points: &str| {
        let seek = format!("seek = {{ measured_ms = [\n{points}\n] }}");
        let text = text(false, "fcfs", 0).replace("seek = { single_ms = 1, average_ms = 5, full_ms = 10 }", &seek);
        ModelFile::parse("m", &text).map(drop).map_err(|error| error.text)
    };
    // The array's first point stands on line 8. A seek that took too long among its neighbours is measured noise.
    parsed("[1, 1.2],\n[2, 1.1],\n[100, 4],\n[200, 6.6],\n[300, 4.7],\n[400, 7]").unwrap();
    for (points, expected) in [
        (
            "[1, 1.2],\n[100, 4],\n[200, 2.6],\n[300, 5]",
            "m, line 10: the measured seek [200, 2.6] is more than a third",
        ),
        (
            "[1, 9],\n[100, 1]",
            "m, line 9: the measured seek [100, 1] is more than a third shorter than the 9 ms over 1 ",
        ),
        ("[2, 1],\n[2, 2]", "m, line 9: the measured seek [2, 2] has a distance of 2 cylinders behind 2"),
        ("[0, 1]", "m, line 8: the measured seek [0, 1] has a distance of 0 cylinders behind 0"),
        ("[1, 1],\n[2, -1]", "m, line 9: the measured seek [2, -1] has no time"),
        ("[1, nan]", "m, line 8: the measured seek [1, NaN] has no time"),
        ("[1, 1],\n[2]", "m, line 9: "),
        ("[1, 1, 1]", "m, line 8: the measured seek [1, 1] has more than two numbers"),
        ("", "m, line 7: measured_ms has no points"),
    ] {
        let error = parsed(points).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// The arm's times are those of its work, apart: far blocks cost seeks and turns, neighbours cost transfers.
#[test]
fn what_the_arm_spends_its_time_on_is_told_apart() {
    let mut far = disk(false, "fcfs", 0);
    let mut now = 0.0;
    for number in 0..200 {
        now = run(&mut *far, now, Kind::Read, (number * 7919) % (OUTER / 8) * 8, 8);
    }
    let arm = far.arm().unwrap();
    let sum = arm.seek_us + arm.rotation_us + arm.transfer_us;
    assert!((sum - far.busy_us()).abs() < 1.0, "{arm:?} {}", far.busy_us());
    assert_eq!((arm.positioned, arm.streamed), (200, 0));
    // A turn takes 6 ms, so half of one is waited for in the mean; 8 blocks pass in 0.48 ms.
    assert!((2_000.0..4_000.0).contains(&(arm.rotation_us / 200.0)), "{arm:?}");
    assert!((arm.transfer_us / 200.0 - 480.0).abs() < 100.0, "{arm:?}");
    assert!(arm.seek_us > arm.rotation_us / 2.0, "{arm:?}");
    let mut near = disk(false, "fcfs", 32);
    now = 0.0;
    for block in (0..OUTER / 4).step_by(64) {
        now = run(&mut *near, now, Kind::Read, block, 64);
    }
    let arm = near.arm().unwrap();
    let sum = arm.seek_us + arm.rotation_us + arm.transfer_us;
    assert!((sum - near.busy_us()).abs() < 1.0, "{arm:?} {}", near.busy_us());
    assert!(arm.transfer_us > 0.9 * sum && arm.streamed > 10 * arm.positioned, "{arm:?}");
    // A device without an arm has none of these times.
    assert!(drive::find("ramsan-400").unwrap().unwrap().start().arm().is_none());
}
