//! The durable state at each moment, event by event.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::Seeded;
use recorder::event::{Event, Operation};
use recorder::walk::{Honesty, Walk};
use sim::disk::{FileId, Image, Keep};

const FILE: FileId = FileId(0);

fn path(name: &str) -> PathBuf {
    Path::new("/disk").join(name)
}

/// A disk with one file of zeros.
fn disk() -> Image {
    let mut image = Image::default();
    image.create_directory(Path::new("/disk"));
    image.create(&path("file"), FILE);
    image.set_size(FILE, 2048);
    image
}

fn write(number: usize, offset: u64, byte: u8, length: usize) -> Event {
    let operation = Operation::Write { file: FILE, offset, bytes: vec![byte; length].into(), durable: false };
    Event::Begun { number, operation }
}

fn ended(number: usize) -> Event {
    Event::Ended { number, moved: usize::MAX }
}

fn sync(number: usize) -> Event {
    Event::Begun { number, operation: Operation::Sync { file: FILE } }
}

fn after(events: &[Event]) -> Walk {
    let mut walk = Walk::new(disk(), Honesty::Honest);
    events.iter().for_each(|event| walk.pass(event));
    walk
}

/// First bytes of the four sectors when only required ones survive.
fn left(walk: &Walk) -> [u8; 4] {
    sectors(&walk.crash(Keep::Nothing, &mut Seeded::new(1)))
}

fn sectors(image: &Image) -> [u8; 4] {
    let mut bytes = [0; 2048];
    image.read(FILE, 0, &mut bytes).unwrap();
    [bytes[0], bytes[512], bytes[1024], bytes[1536]]
}

#[test]
fn a_sync_covers_what_had_returned_when_it_began() {
    let all = [write(1, 0, 7, 512), ended(1), sync(2), write(3, 512, 8, 512), ended(3), ended(2)];
    assert_eq!(left(&after(&all[..5])), [0; 4], "the sync has not returned");
    assert_eq!(left(&after(&all)), [7, 0, 0, 0], "the second write began later");
    let in_flight = [write(1, 0, 7, 512), sync(2), ended(1), ended(2)];
    assert_eq!(left(&after(&in_flight)), [0; 4], "the write was in flight when the sync began");
}

#[test]
fn a_failed_sync_makes_later_ones_worthless() {
    let events = [write(1, 0, 7, 512), ended(1), sync(2), Event::Failed { number: 2 }, sync(3), ended(3)];
    assert_eq!(left(&after(&events)), [0; 4]);
}

#[test]
fn a_write_in_flight_may_be_there_in_parts() {
    let walk = after(&[write(1, 0, 7, 2048)]);
    let mut seen = BTreeSet::new();
    let mut random = Seeded::new(5);
    for _ in 0..400 {
        seen.insert(sectors(&walk.crash(Keep::Sectors, &mut random)));
    }
    assert_eq!(seen.len(), 16, "every set of sectors");
}

#[test]
fn a_name_needs_its_folder_and_bytes_need_their_file() {
    let number = |number, operation| [Event::Begun { number, operation }, ended(number)];
    let made = Operation::Create { path: path("new"), file: FileId(1) };
    let grown = Operation::SetSize { file: FileId(1), bytes: 512 };
    let moved = Operation::Rename { from: path("new"), to: path("file") };
    let folder = Operation::SyncDirectory { path: "/disk".into() };
    let bytes = Operation::Sync { file: FileId(1) };
    let walk = after(&[number(1, made), number(2, grown), number(3, folder), number(4, moved)].concat());
    let none = walk.crash(Keep::Nothing, &mut Seeded::new(1));
    assert_eq!((none.file(&path("new")), none.file_size(FileId(1))), (Some(FileId(1)), 0));
    assert_eq!(none.file(&path("file")), Some(FILE), "the rename is in doubt");
    let mut synced = walk.clone();
    number(5, bytes).iter().for_each(|event| synced.pass(event));
    let none = synced.crash(Keep::Nothing, &mut Seeded::new(1));
    assert_eq!(none.file_size(FileId(1)), 512);
    let all = walk.crash(Keep::Everything, &mut Seeded::new(1));
    assert_eq!((all.file(&path("new")), all.file(&path("file"))), (None, Some(FileId(1))));
}

#[test]
fn the_end_of_a_process_makes_nothing_durable() {
    let events = [write(1, 0, 7, 512), ended(1), Event::LifeEnded(recorder::event::LifeEnd::Killed), Event::LifeBegun];
    let walk = after(&events);
    assert_eq!(left(&walk), [0; 4]);
    assert_eq!(sectors(walk.cache()), [7, 0, 0, 0]);
}
