//! Rollback of transactions that a crash has left: its progress, and a close in the middle of it.

use common::Scn;

use super::fixture::{Database, write_plain};
use storage::undo::RollbackFigures;

fn only(database: &Database) -> RollbackFigures {
    let all = database.instance.undo().rollbacks();
    assert_eq!(all.len(), 1);
    all[0]
}

#[test]
fn a_close_leaves_what_is_not_yet_rolled_back_to_the_next_open() {
    let database = Database::new();
    let mut writer = database.begin();
    // They change no table's blocks: there is nothing to undo in them, so each record is skipped.
    let records: Vec<_> = (0..1000).map(|n| write_plain(&database.session, &mut writer, n << 8, 900)).collect();
    let (xid, blocks) = (writer.xid(), writer.used_blocks());
    drop(writer);
    let database = database.reopen();
    let waits = only(&database);
    assert_eq!((waits.xid, waits.sid, waits.blocks_done, waits.blocks), (xid, 0, 0, blocks));
    assert_eq!((waits.begun_us, waits.ended_us), (None, None));

    let (instance, session) = (database.instance.clone(), database.session.clone());
    let call = session.call().unwrap();
    let closing = common::sync::spawn("closing", move || instance.shutdown()).unwrap();
    // No session is admitted once the close has begun; it waits for the call.
    while database.instance.connect("SYSTEM").is_ok() {
        std::thread::yield_now();
    }
    let (_, last) = database.instance.undo().active()[0];
    storage::txn::RECORDS_OF_TEST.set(256);
    let error = session.rollback_dead(storage::txn::Dead { xid, last }).unwrap_err();
    assert!(error.is_ora(1089), "{error}");
    let stopped = only(&database);
    assert!(stopped.begun_us.is_some() && stopped.ended_us.is_none());
    assert!(stopped.blocks_done > 10 && stopped.blocks_done < blocks / 2, "{stopped:?}");
    drop(call);
    closing.join().unwrap().unwrap();

    let Database { files, clock, instance, session: old } = database;
    drop((old, session, instance));
    let open =
        || engine::instance::Instance::open(files.clone(), std::path::Path::new("/database"), clock.clone(), None);
    storage::undo::KEEP_DEAD.set(true);
    let instance = open().unwrap();
    // Where it stopped: 256 records are undone.
    assert_eq!(instance.undo().active(), [(xid, records[1000 - 257].uba)]);
    let session = instance.connect("SYSTEM").unwrap();
    session.locks().began(session.meter(), xid, 0);
    session.rollback_dead(storage::txn::Dead { xid, last: records[1000 - 257].uba }).unwrap();
    let ended = instance.undo().rollbacks()[0];
    assert!(ended.ended_us.is_some() && ended.blocks_done == ended.blocks, "{ended:?}");
    assert!(instance.undo().active().is_empty() && instance.undo().transactions().is_empty());
    drop(session);
    instance.shutdown().unwrap();
}

#[test]
fn a_rollback_of_a_session_is_remembered_when_it_was_long() {
    let database = Database::new();
    let undo = database.instance.undo();
    let roll_back = |seconds| {
        let mut writer = database.begin();
        let record = write_plain(&database.session, &mut writer, 0, 10);
        let xid = writer.xid();
        undo.rollback_begins(&database.session, xid, writer.used_blocks());
        assert_eq!(undo.rollbacks().iter().filter(|rollback| rollback.ended_us.is_none()).count(), 1);
        database.clock.pass(seconds);
        writer.undone_to(&database.session, record.uba).unwrap();
        writer.rolled_back(&database.session, writer.header_mut(&database.session).unwrap(), Scn(100));
        undo.rollback_ended(&database.session, xid);
        xid
    };
    roll_back(5);
    assert!(undo.rollbacks().is_empty());
    let long = roll_back(6);
    let kept = only(&database);
    assert_eq!((kept.xid, kept.sid, kept.blocks_done), (long, database.session.sid(), kept.blocks));
}
