//! Extents: the order of the search, extents that are not taken, and the error when there are none.

use common::sync::Arc;
use common::{BlockSize, Scn};

use super::fixture::{Database, check, fixed, write_plain};
use engine::instance::Session;
use storage::parameters::Parameter;
use storage::undo::{Record, SegmentFigures, TransactionState, UndoWriter};

fn figures(database: &Database, number: u16) -> SegmentFigures {
    let all = database.instance.undo().segments(&database.session).unwrap();
    all.into_iter().find(|segment| segment.number == number).unwrap()
}

/// Writes records of 1,000 bytes until the tablespace has no more room.
fn fill(s: &Session, writer: &mut UndoWriter) -> Vec<Record> {
    let mut written = Vec::new();
    loop {
        match writer.reserve(s, 1000) {
            Ok(()) => written.push(write_plain(s, writer, written.len() as u32, 1000)),
            Err(error) => {
                assert!(error.is_ora(30036), "{error}");
                return written;
            }
        }
    }
}

#[test]
fn a_tablespace_too_small_for_its_segments_is_not_made() {
    let database = Database::new();
    let before = database.instance.tablespaces().all().len();
    let spec = fixed("UNDO2", BlockSize::K8, 640);
    let error = database.instance.create_undo_tablespace(&database.session, &spec, false).unwrap_err();
    assert!(error.is_ora(30036), "{error}");
    assert_eq!(database.instance.tablespaces().all().len(), before);
    assert_eq!(database.instance.undo().segments(&database.session).unwrap().len(), 10);
    // The name and the file can be used again; segment numbers are not.
    database.instance.create_undo_tablespace(&database.session, &fixed("UNDO2", BlockSize::K8, 4096), false).unwrap();
    let numbers: Vec<_> =
        database.instance.undo().segments(&database.session).unwrap().iter().map(|segment| segment.number).collect();
    assert_eq!((numbers.len(), numbers[9]), (20, 10));
    assert!(numbers[10] > 11, "{numbers:?}");
}

#[test]
fn a_full_tablespace_is_said_and_undone_without_more_room() {
    // Twelve extents of 64 KB beside the two of each segment.
    let database = Database::with(BlockSize::K8, 2048);
    let s = &database.session;
    let mut other = database.begin();
    let kept = write_plain(s, &mut other, 77, 1000);
    let mut writer = database.begin();
    let written = fill(s, &mut writer);
    assert_eq!(figures(&database, writer.xid().segment).extents, 14);
    assert_eq!(written.len(), (14 * 8 - 1) * 7, "seven records a block of 8 KB");
    assert_eq!(database.instance.undo().intervals(s)[0].no_space_errors, 1);
    for record in written.iter().rev() {
        check(s, record);
        writer.undone_to(s, record.uba).unwrap();
    }
    let xid = writer.xid();
    writer.rolled_back(s, writer.header_mut(s).unwrap(), Scn(50));
    // Nothing has expired, but undo without a guarantee is taken when nothing else is left.
    let before = database.instance.undo().intervals(s)[0];
    let mut writer = database.begin();
    let again = fill(s, &mut writer);
    assert!(again.len() > written.len() - 8 * 14, "{} of {}", again.len(), written.len());
    again.iter().for_each(|record| check(s, record));
    check(s, &kept);
    let after = database.instance.undo().intervals(s)[0];
    assert!(after.unexpired_blocks_released > before.unexpired_blocks_released);
    let old = written.iter().filter(|record| match s.undo().read(s, record.uba, Some(xid)) {
        Ok(found) => {
            assert_eq!(&found, *record);
            false
        }
        Err(error) => error.is_ora(1555),
    });
    let old = old.count();
    assert!(old > written.len() / 2, "{old}");
    assert_eq!(database.instance.undo().intervals(s)[0].too_old_errors, old as u64);
    assert_eq!(s.undo().state(s, xid).unwrap(), TransactionState::Committed(Scn(50)));
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(60));
    check(s, &kept);
    other.commit(s, other.header_mut(s).unwrap(), Scn(61));
}

#[test]
fn expired_undo_is_reused_first_and_unexpired_last() {
    let database = Database::with(BlockSize::K4, 2048);
    let s = &database.session;
    database.set(Parameter::UndoRetention, "100");
    // A segment fills its own two extents of 16 blocks, and one more.
    let long = |database: &Database, scn| {
        let mut writer = database.begin();
        for n in 0..3 * 30 {
            write_plain(s, &mut writer, n, 1000);
        }
        let segment = writer.xid().segment;
        writer.commit(s, writer.header_mut(s).unwrap(), Scn(scn));
        segment
    };
    let first = long(&database, 100);
    assert_eq!(figures(&database, first).extents, 2);
    let again = |database: &Database, segment| {
        // The segments are bound in turn.
        loop {
            let writer = database.begin();
            if writer.xid().segment == segment {
                return writer;
            }
            writer.commit(s, writer.header_mut(s).unwrap(), Scn(100));
        }
    };
    // Within retention: the ring does not close, an extent is added.
    let mut writer = again(&database, first);
    for n in 0..40 {
        write_plain(s, &mut writer, n, 1000);
    }
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(101));
    assert_eq!(figures(&database, first).extents, 3);
    // After it: the ring goes round.
    database.clock.pass(101);
    let mut writer = again(&database, first);
    for n in 0..90 {
        write_plain(s, &mut writer, n, 1000);
    }
    assert_eq!(figures(&database, first).extents, 3);
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(102));
    let interval = database.instance.undo().intervals(s)[0];
    assert!(interval.expired_blocks_reused >= 16 && interval.unexpired_blocks_reused == 0, "{interval:?}");
    // A new interval after ten minutes.
    database.clock.pass(600);
    assert_eq!(database.instance.undo().intervals(s).len(), 2);
}

#[test]
fn the_file_grows_before_unexpired_undo_is_given_up() {
    let database = Database::new();
    let s = &database.session;
    let mut spec = fixed("UNDO2", BlockSize::K8, 2048);
    spec.files[0].autoextend = Some((1 << 20, Some(4 << 20)));
    let tablespace = database.instance.create_undo_tablespace(s, &spec, false).unwrap();
    database.set(Parameter::UndoTablespace, "undo2");
    let mut writer = database.begin();
    let written = fill(s, &mut writer);
    let file = database.instance.cache().file(tablespace.files()[0]).unwrap();
    assert_eq!(file.blocks(), 512);
    assert!(written.len() > (14 * 8 - 1) * 7);
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(50));
    assert_eq!(database.instance.undo().intervals(s)[0].unexpired_steals, 1, "there was nothing to spare");
}

#[test]
fn every_transaction_has_a_segment_of_its_own_while_there_is_room() {
    let database = Database::with(BlockSize::K2, 4096);
    let s = &database.session;
    let mut writers: Vec<_> = (0..40).map(|_| database.begin()).collect();
    let mut segments: Vec<_> = writers.iter().map(|writer| writer.xid().segment).collect();
    segments.sort_unstable();
    segments.dedup();
    // 64 units of 64 KB, two a segment.
    assert_eq!(segments.len(), 32);
    // Eight slots each in blocks of 2 KB.
    let error = loop {
        match database.instance.undo().begin(s) {
            Ok(writer) => writers.push(writer),
            Err(error) => break error,
        }
    };
    assert!(error.is_ora(1554), "{error}");
    assert_eq!(writers.len(), 32 * 8);
    for (n, writer) in writers.into_iter().enumerate() {
        writer.commit(s, writer.header_mut(s).unwrap(), Scn(100 + n as u64));
    }
    let mut writer = database.begin();
    let record = write_plain(s, &mut writer, 1, 100);
    check(s, &record);
    writer.commit(s, writer.header_mut(s).unwrap(), Scn(1000));
}

#[test]
fn another_undo_tablespace_takes_the_new_transactions_and_the_old_one_goes_when_its_own_have_ended() {
    let database = Database::with(BlockSize::K8, 2048);
    let session = &database.session;
    database.set(Parameter::UndoTablespace, "UNDOTBS1");
    let mut old = database.begin();
    let record = write_plain(session, &mut old, 5, 100);
    database.set(Parameter::UndoTablespace, "UNDO2");
    let mut new = database.begin();
    write_plain(session, &mut new, 6, 100);
    assert!(new.xid().segment > 10 && old.xid().segment <= 10);
    let sys = database.instance.connect("SYS").unwrap();
    let drop_it = |name: &str| Arc::clone(&sys).drop_tablespace(name, true, true);
    assert!(drop_it("UNDO2").unwrap_err().is_ora(30013));
    assert!(drop_it("UNDOTBS1").unwrap_err().is_ora(30013));
    check(session, &record);
    let xid = old.xid();
    old.commit(session, old.header_mut(session).unwrap(), Scn(9));
    drop_it("UNDOTBS1").unwrap();
    assert!(matches!(session.undo().state(session, xid).unwrap(), TransactionState::CommittedBefore(_)));
    database.set(Parameter::UndoTablespace, "USERS");
    assert!(database.instance.undo().begin(session).unwrap_err().is_ora(30012));
    new.commit(session, new.header_mut(session).unwrap(), Scn(10));
}
