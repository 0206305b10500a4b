//! What is latched while a transaction waits for room for its undo: nothing.

use common::sync::spawn;
use common::{BlockClass, BlockSize};
use waits::Event;

use super::fixture::Database;

/// A payload of several blocks that the current extent has not all of: while the next extent is waited for, the segment's header is free for whoever gives
/// extents to segments at that moment.
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
