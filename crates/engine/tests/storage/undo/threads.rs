//! Many sessions at once, in little room and with a small cache.

use common::BlockSize;
use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, spawn};

use super::fixture::{Database, fixed};
use super::model::{Dice, Open};
use storage::parameters::Parameter;
use storage::undo::TransactionState;

#[test]
fn many_sessions_write_read_and_end_at_once() {
    let database = Database::new();
    let mut spec = fixed("UNDO2", BlockSize::K2, 6 << 10);
    spec.uniform_bytes = Some(16 << 10);
    database.instance.create_undo_tablespace(&database.session, &spec, false).unwrap();
    database.set(Parameter::UndoTablespace, "UNDO2");
    database.set(Parameter::UndoRetention, "0");
    let scn = Arc::new(AtomicU64::new(100));
    let threads: Vec<_> = (0..16)
        .map(|seed| {
            let (instance, scn) = (database.instance.clone(), scn.clone());
            let work = move || {
                let s = instance.connect("SYSTEM").unwrap();
                let mut dice = Dice::new(seed + 1);
                let mut ended = Vec::new();
                let mut right = 0;
                for _ in 0..60 {
                    let mut open = Open::new(instance.undo().begin(&s).unwrap());
                    let mut room = true;
                    for _ in 0..dice.below(120) {
                        room &= open.write(&s, &mut dice);
                        if !room {
                            break;
                        }
                        if dice.below(30) == 0 {
                            let count = dice.below(open.records.len() as u64 + 1) as usize;
                            open.undo(&s, count);
                        }
                    }
                    open.check(&s);
                    let xid = open.writer.xid();
                    let commit = room && dice.below(3) > 0;
                    let at = scn.fetch_add(1, Ordering::Relaxed);
                    ended.push((xid, at, open.end(&s, commit, at)));
                    let (xid, at, records) = &ended[dice.below(ended.len() as u64) as usize];
                    for record in records {
                        match s.undo().read(&s, record.uba, Some(*xid)) {
                            Ok(found) => {
                                assert_eq!(&found, record);
                                right += 1;
                            }
                            Err(error) => assert!(error.is_ora(1555), "{error}"),
                        }
                    }
                    match s.undo().state(&s, *xid).unwrap() {
                        TransactionState::Active => panic!("{xid} has ended"),
                        TransactionState::Committed(found) => assert_eq!(found.0, *at),
                        TransactionState::CommittedBefore(bound) => assert!(bound.0 >= *at),
                    }
                }
                right
            };
            spawn("undo", work).unwrap()
        })
        .collect();
    let right: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert!(right > 0);
    assert!(database.instance.undo().transactions().is_empty());
    let segments = database.instance.undo().segments(&database.session).unwrap();
    assert!(segments.iter().all(|segment| segment.transactions == 0));
    assert!(segments.iter().map(|segment| segment.extents).sum::<u32>() <= 6 * 64);
}
