//! Undo retention: tuned retention, its guarantee, and space that is given up after the load.

use common::{BlockAddress, BlockSize, FileNumber, Scn, Uba};

use super::fixture::{Database, check, fixed, write_plain};
use storage::parameters::Parameter;
use storage::undo::{ExtentStatus, Record, UndoInterval, UndoWriter};

fn latest(database: &Database) -> UndoInterval {
    database.instance.undo().sample(&database.session).unwrap();
    database.instance.undo().intervals(&database.session)[0]
}

/// A transaction that takes so many blocks of 8 KB.
fn take_blocks(database: &Database, blocks: u32, scn: u64) -> (u16, Vec<Record>) {
    let mut writer = database.begin();
    let mut written = Vec::new();
    while writer.used_blocks() < blocks {
        written.push(write_plain(&database.session, &mut writer, written.len() as u32, 1000));
    }
    let segment = writer.xid().segment;
    writer.commit(&database.session, writer.header_mut(&database.session).unwrap(), Scn(scn));
    (segment, written)
}

fn extents_of(database: &Database, segment: u16) -> u32 {
    let all = database.instance.undo().segments(&database.session).unwrap();
    all.into_iter().find(|other| other.number == segment).unwrap().extents
}

fn statuses(database: &Database, tablespace: &str, status: ExtentStatus) -> usize {
    let number = database.instance.tablespaces().named(tablespace).unwrap().number();
    let undo = database.instance.undo();
    let own: Vec<_> =
        undo.segments(&database.session).unwrap().into_iter().filter(|s| s.tablespace == number).collect();
    let extents = undo.extents(&database.session).unwrap();
    extents.iter().filter(|e| e.status == status && own.iter().any(|s| s.number == e.segment)).count()
}

#[test]
fn where_files_may_grow_retention_follows_the_longest_query() {
    let database = Database::new();
    database.set(Parameter::UndoRetention, "400");
    assert_eq!((latest(&database).tuned_retention_s(), latest(&database).max_query_s), (400, 0));
    let short = database.session.begin_snapshot();
    database.clock.pass(90);
    assert_eq!((latest(&database).tuned_retention_s(), latest(&database).max_query_s), (400, 90));
    drop(short);
    let long = database.session.begin_snapshot();
    database.clock.pass(2_000);
    assert_eq!((latest(&database).tuned_retention_s(), latest(&database).max_query_s), (2_300, 2_000));
    // A snapshot without a statement does not count.
    let other = database.session.current_snapshot();
    drop(long);
    database.clock.pass(50);
    assert_eq!(latest(&database).tuned_retention_s(), 2_300, "it ended in this interval");
    database.clock.pass(600);
    assert_eq!((latest(&database).tuned_retention_s(), latest(&database).max_query_s), (400, 0));
    drop(other);
}

#[test]
fn a_tablespace_that_cannot_grow_keeps_what_it_has_room_for() {
    // 512 blocks for extents.
    let database = Database::with(BlockSize::K8, 4096);
    database.set(Parameter::UndoRetention, "100");
    let (segment, _) = take_blocks(&database, 40, 100);
    // The rate is not known before an interval has ended.
    assert_eq!(latest(&database).tuned_retention_s(), 100);
    database.clock.pass(601);
    let before = latest(&database);
    let highest =
        database.instance.undo().intervals(&database.session).iter().map(|row| row.undo_blocks).max().unwrap();
    assert!((40..=50).contains(&highest), "{highest}");
    assert_eq!(before.tuned_retention_s(), 600 * 512 * 85 / 100 / highest);
    // Older than undo_retention, and kept all the same.
    assert!(statuses(&database, "UNDO2", ExtentStatus::Unexpired) >= 5);
    assert_eq!(statuses(&database, "UNDO2", ExtentStatus::Active), 0);
    assert!(before.unexpired_blocks >= 40 && before.active_blocks == 0, "{before:?}");
    database.clock.pass(before.tuned_retention_s());
    assert_eq!(statuses(&database, "UNDO2", ExtentStatus::Unexpired), 0);
    assert_eq!(extents_of(&database, segment), 6);
    // Statistics cover four days at most.
    let idle = Database::with(BlockSize::K8, 8192);
    idle.clock.pass(601);
    assert_eq!(latest(&idle).tuned_retention_s(), 4 * 24 * 3600);
}

#[test]
fn undo_that_is_given_up_before_its_time_is_what_retention_has_come_to() {
    let database = Database::with(BlockSize::K8, 2048);
    database.set(Parameter::UndoRetention, "1000");
    take_blocks(&database, 100, 100);
    database.clock.pass(70);
    assert_eq!(latest(&database).tuned_retention_s(), 1000);
    take_blocks(&database, 90, 101);
    let interval = latest(&database);
    assert!(interval.unexpired_blocks_released + interval.unexpired_blocks_reused > 0, "{interval:?}");
    assert_eq!(interval.tuned_retention_s(), 70);
}

/// Takes blocks until there is no room; how many it got.
fn take_all(database: &Database, writer: &mut UndoWriter) -> u32 {
    loop {
        if let Err(error) = writer.reserve(&database.session, 1000) {
            assert!(error.is_ora(30036), "{error}");
            return writer.used_blocks();
        }
        write_plain(&database.session, writer, 3, 1000);
    }
}

#[test]
fn guaranteed_undo_is_kept_though_statements_fail() {
    let database = Database::with(BlockSize::K8, 2048);
    let s = &database.session;
    database.set(Parameter::UndoRetention, "1000");
    let tablespace = database.instance.tablespaces().named("UNDO2").unwrap();
    database.instance.set_retention_guarantee(&tablespace, true).unwrap();
    let (_, kept) = take_blocks(&database, 100, 100);
    database.clock.pass(999);
    let mut writer = database.begin();
    let room = take_all(&database, &mut writer);
    kept.iter().for_each(|record| check(s, record));
    let interval = latest(&database);
    assert_eq!((interval.unexpired_steals, interval.unexpired_blocks_reused), (1, 0));
    assert!(interval.no_space_errors == 1 && interval.given_up_s.is_none());
    // The end of the period, or of the guarantee: the same transaction goes on.
    database.clock.pass(2);
    let more = take_all(&database, &mut writer);
    assert!(more > room + 80, "{room} {more}");
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(101));
    let mut writer = database.begin();
    let room = take_all(&database, &mut writer);
    database.instance.set_retention_guarantee(&tablespace, false).unwrap();
    let more = take_all(&database, &mut writer);
    assert!(more > room + 80, "{room} {more}");
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(102));
    let users = database.instance.tablespaces().named("USERS").unwrap();
    assert!(database.instance.set_retention_guarantee(&users, true).unwrap_err().is_ora(30044));
    // The control file has the change.
    database.instance.set_retention_guarantee(&tablespace, true).unwrap();
    let database = database.reopen();
    let named = |name| database.instance.tablespaces().named(name).unwrap().retention_guarantee();
    assert_eq!((named("UNDO2"), named("UNDOTBS1")), (true, false));
}

/// With room to grow: retention is `undo_retention`.
fn growing() -> Database {
    let database = Database::new();
    let mut spec = fixed("UNDO2", BlockSize::K8, 2048);
    spec.files[0].autoextend = Some((1 << 20, None));
    database.instance.create_undo_tablespace(&database.session, &spec, false).unwrap();
    database.set(Parameter::UndoTablespace, "UNDO2");
    database.set(Parameter::UndoRetention, "100");
    database
}

#[test]
fn expired_extents_go_back_to_the_tablespace() {
    let database = growing();
    let s = &database.session.clone();
    let tablespace = database.instance.tablespaces().named("UNDO2").unwrap();
    let free = || -> u32 { tablespace.free_space(s).unwrap().iter().map(|run| run.blocks).sum() };
    let (segment, old) = take_blocks(&database, 80, 100);
    let held = extents_of(&database, segment);
    assert!(held >= 10, "{held}");
    let mut open = database.begin();
    let kept = write_plain(s, &mut open, 9, 1000);
    // Nothing has expired.
    database.instance.monitor_round().unwrap();
    assert_eq!(extents_of(&database, segment), held);
    database.clock.pass(400);
    let before = free();
    database.instance.monitor_round().unwrap();
    assert_eq!(extents_of(&database, segment), 2);
    assert_eq!(free() - before, (held - 2) * 8);
    let shrunk = database.instance.undo().segments(s).unwrap();
    let shrunk = shrunk.iter().find(|other| other.number == segment).unwrap();
    assert_eq!((shrunk.shrinks, shrunk.shrunk_bytes), (1, u64::from(held - 2) * 65_536));
    assert_eq!((shrunk.most_blocks, shrunk.blocks), (held * 8, 16));
    // Undo of an open transaction is kept; other undo is too old or still the same.
    check(s, &kept);
    let gone = |record: &&Record| match s.undo().read(s, record.uba, None) {
        Ok(found) => {
            assert_eq!(&found, *record);
            false
        }
        Err(error) => error.is_ora(1555),
    };
    assert_eq!(old.iter().filter(gone).count(), 0, "nobody has the blocks yet");
    // Another segment has them.
    take_blocks(&database, 60, 101);
    assert!(old.iter().filter(gone).count() > 0);
    open.commit(s, open.header_mut(s).unwrap(), Scn(102));
    // Blocks of a file that has been cut or dropped since.
    for block in [BlockAddress::new(old[0].uba.block.file, 100_000), BlockAddress::new(FileNumber(77), 200)] {
        let error = s.undo().read(s, Uba { block, ..old[0].uba }, Some(old[0].xid)).unwrap_err();
        assert!(error.is_ora(1555), "{error}");
    }
    let Database { files, clock, instance, session } = database;
    drop(session);
    instance.shutdown().unwrap();
    let report = engine::verify::verify(files, std::path::Path::new("/database"), clock, None).unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
}

#[test]
fn a_segment_keeps_as_many_extents_as_it_has_entered_since_the_last_round() {
    let database = growing();
    let (segment, _) = take_blocks(&database, 80, 100);
    let held = extents_of(&database, segment);
    database.clock.pass(400);
    // All of them but the first have been entered since the start.
    database.instance.monitor_round().unwrap();
    let first = extents_of(&database, segment);
    assert_eq!(first, held);
    database.instance.monitor_round().unwrap();
    assert_eq!(extents_of(&database, segment), 2);
}

#[test]
fn unneeded_segments_beyond_the_first_go_offline() {
    let database = Database::with(BlockSize::K8, 4096);
    let s = &database.session;
    let online = || {
        let all = database.instance.undo().segments(s).unwrap();
        let own: Vec<_> = all.iter().filter(|segment| segment.number > 10).collect();
        (own.len(), own.iter().filter(|segment| segment.online).count())
    };
    let mut writers: Vec<_> = (0..15).map(|_| database.begin()).collect();
    assert_eq!(online(), (15, 15));
    let last = writers.pop().unwrap();
    let seen = last.xid();
    writers.into_iter().for_each(|writer| writer.commit(s, writer.header_mut(s).unwrap(), Scn(100)));
    // They have been used since the last round.
    database.instance.monitor_round().unwrap();
    assert_eq!(online(), (15, 15));
    database.instance.monitor_round().unwrap();
    // Ten, and the one that has a transaction.
    assert_eq!(online(), (15, 11));
    last.commit(s, last.header_mut(s).unwrap(), Scn(101));
    database.instance.monitor_round().unwrap();
    assert_eq!(online(), (15, 10));
    // Its transactions are known all the same.
    assert_eq!(s.undo().state(s, seen).unwrap(), storage::undo::TransactionState::Committed(Scn(101)));
    // Back again, before another is made.
    let writers: Vec<_> = (0..16).map(|_| database.begin()).collect();
    assert_eq!(online(), (16, 16));
    writers.into_iter().for_each(|writer| writer.commit(s, writer.header_mut(s).unwrap(), Scn(102)));
    let database = database.reopen();
    let all = database.instance.undo().segments(&database.session).unwrap();
    assert_eq!(all.iter().filter(|segment| segment.number > 10 && segment.online).count(), 10);
}
