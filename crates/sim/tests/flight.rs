//! Several writes of one file in flight: what a crash leaves of each.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use common::Seeded;
use common::sync::{Arc, spawn};
use device::FileSystem;
use sim::clock::SimulatedClock;
use sim::disk::{FileId, Image, Keep, Operation, SimulatedFileSystem, Walk};

const SECTOR: usize = 512;
const FILE: FileId = FileId(1);

fn image(name: &str) -> Image {
    let mut image = Image::default();
    image.create(Path::new(name), FILE);
    image.set_size(FILE, 4 * SECTOR as u64);
    image
}

/// A durable write of two sectors begins.
fn begun(call: u32, sector: usize) -> Operation {
    let offset = (sector * SECTOR) as u64;
    let bytes = vec![1; 2 * SECTOR].into();
    let operation = Box::new(Operation::Write { file: FILE, offset, bytes, durable: true });
    Operation::Begun { call, operation }
}

/// The sectors that are there after crashes, in all ways that are seen.
fn seen(walk: &Walk, keep: Keep) -> BTreeSet<[u8; 4]> {
    let mut random = Seeded::new(1);
    let mut sectors = || {
        let image = walk.crash(None, keep, &mut random);
        [0, 1, 2, 3].map(|sector| {
            let mut byte = [0];
            image.read(FILE, (sector * SECTOR) as u64, &mut byte).unwrap();
            byte[0]
        })
    };
    (0..500).map(|_| sectors()).collect()
}

#[test]
fn each_of_several_writes_in_flight_is_absent_whole_or_cut_whatever_the_other_is() {
    let mut walk = Walk::new(image("/redo01.log"));
    walk.pass(&begun(1, 0));
    walk.pass(&begun(2, 2));
    let each = [[0, 0], [1, 0], [1, 1]];
    let all = each.iter().flat_map(|one| each.iter().map(|other| [one[0], one[1], other[0], other[1]])).collect();
    assert_eq!(seen(&walk, Keep::Writes), all);
    // The second ends first: it stays, whatever becomes of the first.
    walk.pass(&Operation::Ended { call: 2 });
    assert_eq!(seen(&walk, Keep::Writes), each.map(|one| [one[0], one[1], 1, 1]).into());
    assert_eq!(seen(&walk, Keep::Nothing), [[0, 0, 1, 1]].into());
    walk.pass(&Operation::Ended { call: 1 });
    assert_eq!(seen(&walk, Keep::Nothing), [[1; 4]].into());
}

#[test]
fn writes_of_log_files_in_flight_are_counted() {
    for (name, counted) in [("/redo01.log", [0, 1, 2, 1]), ("/system01.dbf", [0; 4])] {
        let mut walk = Walk::new(image(name));
        let mut found = vec![walk.in_flight(None)];
        for operation in [begun(1, 0), begun(2, 2), Operation::Ended { call: 1 }] {
            walk.pass(&operation);
            found.push(walk.in_flight(None));
        }
        assert_eq!(found, counted, "{name}");
    }
    let mut walk = Walk::new(image("/redo01.log"));
    walk.pass(&begun(1, 0));
    assert_eq!(walk.in_flight(Some(&begun(2, 2))), 2, "the operation of the crash is in flight too");
}

/// Rounds in which a second write begins while the first one, which began some time before, is in flight.
fn overlapping(name: &str) -> usize {
    const ROUNDS: usize = 60;
    let files = SimulatedFileSystem::on(image(name));
    files.overlap(0, 1, &Arc::new(SimulatedClock::default()));
    let file = files.open(Path::new(name)).unwrap();
    let mut overlapping = 0;
    for _ in 0..ROUNDS {
        let _ = files.take_operations();
        let other = file.clone();
        let first = spawn("first", move || other.write_durable(0, &[&[1; SECTOR]])).unwrap();
        while files.recorded() == 0 {
            std::thread::yield_now();
        }
        // Long enough for a write that is not held.
        std::thread::sleep(Duration::from_micros(200));
        file.write_durable(SECTOR as u64, &[&[1; SECTOR]]).unwrap();
        first.join().unwrap().unwrap();
        let operations = files.take_operations();
        overlapping += usize::from(matches!(operations[..2], [Operation::Begun { .. }, Operation::Begun { .. }]));
    }
    overlapping
}

#[test]
fn writes_of_log_files_stay_in_flight_until_others_begin_and_all_end() {
    // On a busy machine the first thread may stand still within its write, of whatever file: several tries.
    let held = |(log, other): &(usize, usize)| *log > 10 && *log > 2 * *other;
    let mut tries = Vec::new();
    while tries.len() < 25 && !tries.last().is_some_and(held) {
        tries.push((overlapping("/redo01.log"), overlapping("/system01.dbf")));
    }
    assert!(tries.last().is_some_and(held), "rounds with two writes in flight, and those of another file: {tries:?}");
}
