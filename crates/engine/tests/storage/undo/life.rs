//! One transaction after another: chains, states, reuse of blocks, and the state after a restart.

use common::{BlockClass, BlockSize, Scn, Uba, Xid};
use waits::{GetMode, Statistic};

use super::fixture::{Database, check, write, write_plain};
use storage::undo::{OwnedPrevious, TransactionState};

#[test]
fn a_short_transaction_costs_a_get_of_the_header_at_each_end_and_one_of_the_block_a_record() {
    let database = Database::new();
    let s = &database.session;
    let first = database.begin();
    first.commit(s, first.header_mut(s).unwrap(), Scn(100));
    let gets = |class| s.meter().gets(class, GetMode::Current);
    let spend = |round: u32| {
        let mut writer = database.begin();
        write_plain(s, &mut writer, round, 2);
        writer.commit(s, writer.header_mut(s).unwrap(), Scn(200 + u64::from(round)));
    };
    // Each of the ten segments gets a block into its pool.
    (0..10).for_each(spend);
    let before =
        [gets(BlockClass::UndoHeader), gets(BlockClass::UndoBlock), s.meter().value(Statistic::DbBlockChanges)];
    (10..21).for_each(spend);
    let after = [gets(BlockClass::UndoHeader), gets(BlockClass::UndoBlock), s.meter().value(Statistic::DbBlockChanges)];
    assert_eq!(after[0] - before[0], 22);
    assert_eq!(after[1] - before[1], 11);
    assert_eq!(after[2] - before[2], 33);
}

#[test]
fn both_chains_lead_back_through_many_blocks_at_every_size() {
    for size in BlockSize::ALL {
        let database = Database::with(size, 8 << 10);
        let s = &database.session;
        let mut writer = database.begin();
        let mut written = Vec::new();
        let mut by_block = [Uba::NONE; 10];
        for n in 0..600u32 {
            let length = [2, 50, 300, 1, 900, 2000, 32_000][n as usize % 7];
            let length = if length == 32_000 && n % 20 != 6 { 0 } else { length };
            let place = n as usize % 10;
            let previous = if by_block[place].is_none() {
                OwnedPrevious::Itl([n as u8; 24])
            } else {
                OwnedPrevious::Uba(by_block[place])
            };
            let record = write(s, &mut writer, n, length, previous);
            by_block[place] = record.uba;
            written.push(record);
        }
        written.iter().for_each(|record| check(s, record));
        let mut at = writer.last();
        for record in written.iter().rev() {
            assert_eq!(at, record.uba);
            at = s.undo().read(s, at, None).unwrap().chain;
        }
        assert!(at.is_none());
        assert_eq!((writer.used_records(), writer.first()), (600, written[0].uba));
        assert!(writer.used_blocks() > 1);
        assert_eq!(database.instance.undo().transactions()[0].last, writer.last());
        let xid = writer.xid();
        assert_eq!(s.undo().state(s, xid).unwrap(), TransactionState::Active);
        writer.commit(s, writer.header_mut(s).unwrap(), Scn(500));
        assert_eq!(s.undo().state(s, xid).unwrap(), TransactionState::Committed(Scn(500)));
        written.iter().for_each(|record| check(s, record));
        assert!(database.instance.undo().transactions().is_empty());
    }
}

#[test]
fn slots_are_taken_again_in_order_and_old_transactions_are_known_to_have_ended() {
    let database = Database::with(BlockSize::K2, 2 << 10);
    let s = &database.session;
    let mut ended: Vec<(Xid, u64)> = Vec::new();
    for n in 0..400u64 {
        let mut writer = database.begin();
        write_plain(s, &mut writer, n as u32, 2);
        ended.push((writer.xid(), 1000 + n));
        writer.commit(s, writer.header_mut(s).unwrap(), Scn(1000 + n));
    }
    let (mut exact, mut bounds) = (0, 0);
    for (xid, scn) in &ended {
        match s.undo().state(s, *xid).unwrap() {
            TransactionState::Committed(found) => {
                assert_eq!(found, Scn(*scn));
                exact += 1;
            }
            TransactionState::CommittedBefore(bound) => {
                assert!(bound.0 >= *scn && bound.0 < 1400, "{bound:?} for {scn}");
                bounds += 1;
            }
            TransactionState::Active => panic!("{xid} has ended"),
        }
    }
    // Ten segments of eight slots, each of which knows two transactions.
    assert_eq!((exact, bounds), (160, 240));
    let unknown = Xid { sequence: 1_000_000, ..ended[0].0 };
    assert!(s.undo().state(s, unknown).unwrap_err().is_ora(1578));
    assert!(s.undo().state(s, Xid { slot: 8, ..ended[0].0 }).unwrap_err().is_ora(1578));
}

#[test]
fn undone_records_are_not_found_after_a_restart() {
    let database = Database::with(BlockSize::K4, 4 << 10);
    let s = database.session.clone();
    let mut writer = database.begin();
    let mut chain = Vec::new();
    for n in 0..100 {
        chain.push(write_plain(&s, &mut writer, n, 200));
    }
    // Back to a savepoint some blocks ago, then on from there.
    for record in chain.drain(40..).rev() {
        writer.undone_to(&s, record.uba).unwrap();
    }
    assert_eq!(writer.last(), chain[39].uba);
    for n in 0..5 {
        chain.push(write_plain(&s, &mut writer, 1000 + n, 20));
    }
    writer.undone_to(&s, chain.pop().unwrap().uba).unwrap();
    let xid = writer.xid();
    let idle = database.begin();
    let mut empty = database.begin();
    empty.reserve(&s, 10_000).unwrap();
    let idle = [idle.xid(), empty.xid()];
    drop((writer, empty, s));
    let database = database.reopen();
    let s = &database.session;
    let mut active = database.instance.undo().active();
    active.retain(|(other, last)| !(idle.contains(other) && last.is_none()));
    assert_eq!(active, [(xid, chain[43].uba)]);
    assert_eq!(s.undo().state(s, xid).unwrap(), TransactionState::Active);
    let mut writer = database.instance.undo().resume(s, xid).unwrap();
    chain.push(write_plain(s, &mut writer, 7, 5000));
    for record in chain.iter().rev() {
        assert_eq!(writer.last(), record.uba);
        check(s, record);
        writer.undone_to(s, record.uba).unwrap();
    }
    assert!(writer.last().is_none());
    writer.rolled_back(s, writer.header_mut(s).unwrap(), Scn(900));
    for other in idle {
        let writer = database.instance.undo().resume(s, other).unwrap();
        writer.rolled_back(s, writer.header_mut(s).unwrap(), Scn(901));
    }
    assert_eq!(s.undo().state(s, xid).unwrap(), TransactionState::Committed(Scn(900)));
    assert!(database.instance.undo().active().is_empty() && database.reopen().instance.undo().active().is_empty());
}
