//! A transaction that waits for room for its undo has nothing latched.

use common::sync::spawn;
use common::{BlockClass, BlockSize};
use waits::Event;

use super::fixture::Database;

/// A payload of several blocks, more than the current extent has left: while the session waits for the next extent, the
/// segment's header is free for the session that allocates extents at that moment.
#[test]
fn nothing_is_latched_where_the_next_extent_is_waited_for() {
    let database = Database::with(BlockSize::K8, 2048);
    let (undo, main) = (database.instance.undo(), &database.session);
    let session = database.instance.connect("SYSTEM").unwrap();
    let segment = session.prepare(0).unwrap().segment;
    let figures = undo.segments(main).unwrap();
    let header = figures.iter().find(|figures| figures.number == segment).unwrap().header;
    let space = undo.space(main, 0);
    let own = session.clone();
    // Eight pieces; an extent of 64 KB has eight blocks, and one of them is the header.
    let thread = spawn("writer", move || own.prepare(60_000)).unwrap();
    while session.meter().current_wait().is_none_or(|wait| wait.event != Event::EnqUsContention) {
        assert!(!thread.is_finished(), "it needed no extent");
        std::thread::yield_now();
    }
    let free = database.instance.cache().try_get_mut(main.meter(), header, BlockClass::UndoHeader).unwrap().is_some();
    drop(space);
    thread.join().unwrap().unwrap();
    assert!(free, "the header is latched");
    let used = undo.transactions()[0].used_blocks;
    assert_eq!(used, 9, "blocks of both extents");
    session.rollback().unwrap();
}

/// A get of a segment's header that waits for another session is counted as a wait of that segment alone.
#[test]
fn a_wait_for_a_header_is_counted_by_its_segment() {
    let database = Database::with(BlockSize::K8, 2048);
    let (undo, main) = (database.instance.undo(), &database.session);
    let session = database.instance.connect("SYSTEM").unwrap();
    let number = session.prepare(0).unwrap().segment;
    let segment = undo.segment(number).unwrap();
    let of = |wanted: bool| -> u64 {
        let figures = undo.segments(main).unwrap();
        figures.iter().filter(|figures| (figures.number == number) == wanted).map(|figures| figures.waits).sum()
    };
    assert_eq!((of(true), of(false)), (0, 0));
    let header = segment.header_mut(main).unwrap();
    let (own, waited_for) = (session.clone(), segment.clone());
    let thread = spawn("reader", move || waited_for.has_block(&own)).unwrap();
    while session.meter().current_wait().is_none_or(|wait| wait.event != Event::BufferBusyWaits) {
        assert!(!thread.is_finished(), "it did not wait");
        std::thread::yield_now();
    }
    drop(header);
    thread.join().unwrap().unwrap();
    assert_eq!((of(true), of(false)), (1, 0));
    session.rollback().unwrap();
}
