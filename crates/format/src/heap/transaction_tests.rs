//! Several transactions in one block against a model that keeps every version of every row.

use std::collections::BTreeMap;

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn, Uba, Xid};
use proptest::prelude::*;

use super::change::{self, lock_row, mark_deleted};
use super::row::{self, RowBuffer, WHOLE};
use super::undo::{undo_delete, undo_insert, undo_lock, undo_replace};
use super::*;
use crate::block::{self as base, BlockType};
use crate::itl::SlotState;
use crate::transaction::{self, BlockOwner, ITL_BYTES, Owner};

const ADDRESS: BlockAddress = BlockAddress { file: FileNumber(4), block: 130 };

fn empty(size: BlockSize, itl_slots: u8, assm: bool) -> Vec<u8> {
    let mut block = vec![0; size.bytes()];
    base::format(&mut block, BlockType::Data, ADDRESS);
    let bitmap = assm.then(|| BlockAddress::new(FileNumber(4), 128));
    init(&mut block, BlockOwner { owner: Owner::Table, object: ObjectNumber(77), itl_slots, bitmap });
    block
}

fn xid(n: u32) -> Xid {
    Xid { segment: 3, slot: (n % 7) as u16, sequence: n + 1 }
}

fn piece(fill: u8, bytes: usize) -> Vec<u8> {
    let data = vec![fill; bytes];
    let mut out = Vec::new();
    row::encode_piece(WHOLE, None, None, &[Some(&data)], &mut out);
    out
}

/// A change as undo keeps it.
#[derive(Clone, Debug)]
enum Undo {
    Take(u8, [u8; ITL_BYTES]),
    /// Slots, and what they took of an ITL slot's credit.
    Insert(Vec<u16>, u8, usize),
    Delete(u16, u8, Vec<u8>),
    Replace(u16, u8, Vec<u8>),
    Lock(u16, u8),
}

fn undo(block: &mut [u8], record: &Undo) {
    let done = match record {
        Undo::Take(n, bytes) => {
            itl::restore(block, *n, bytes);
            true
        }
        Undo::Insert(slots, n, credit) => {
            slots.iter().rev().all(|slot| undo_insert(block, *slot)) && undo::return_credit(block, *n, *credit)
        }
        Undo::Delete(slot, lock, piece) => undo_delete(block, *slot, *lock, piece),
        Undo::Replace(slot, lock, piece) => undo_replace(block, *slot, *lock, piece),
        Undo::Lock(slot, lock) => undo_lock(block, *slot, *lock),
    };
    assert!(done, "{record:?} not undone\n{}", dump(block));
}

fn credit(block: &[u8], n: u8) -> usize {
    itl::slot(block, n).map_or(0, |slot| usize::from(slot.credit()))
}

/// Live rows: slot to the piece without its lock byte.
type Rows = BTreeMap<u16, Vec<u8>>;

fn contents(block: &[u8]) -> Rows {
    live_rows(block, 0)
        .map(|(slot, piece)| {
            let mut bytes = piece.encoded().unwrap().to_vec();
            bytes[1] = 0;
            (slot, bytes)
        })
        .collect()
}

/// Figures that a rollback must restore.
#[derive(PartialEq, Debug)]
struct Figures {
    /// With lock bytes and marks.
    pieces: Vec<(u16, Vec<u8>)>,
    available: usize,
    total: u16,
    slots: u16,
    itl: Vec<[u8; ITL_BYTES]>,
}

fn figures(block: &[u8]) -> Figures {
    let header = header::header(block);
    Figures {
        pieces: rows(block, 0).map(|(slot, piece)| (slot, piece.encoded().unwrap().to_vec())).collect(),
        available: free_bytes(block),
        total: header.total.get(),
        slots: header.slots.get(),
        itl: (1..=transaction::header(block).itl_count).map(|n| itl::bytes(block, n)).collect(),
    }
}

#[derive(Debug)]
struct Transaction {
    xid: Xid,
    undo: Vec<Undo>,
    /// None while running; 0 once rolled back.
    committed: Option<Scn>,
    /// True: the block has the commit.
    told: bool,
}

struct World {
    block: Vec<u8>,
    transactions: Vec<Transaction>,
    scn: u64,
    /// The committed rows at each SCN.
    history: Vec<(Scn, Rows)>,
    committed: Rows,
}

impl World {
    fn new(block: Vec<u8>) -> Self {
        Self {
            block,
            transactions: Vec::new(),
            scn: 10 + (1 << 33),
            history: vec![(Scn(10 + (1 << 33)), Rows::new())],
            committed: Rows::new(),
        }
    }

    fn running(&self) -> Vec<usize> {
        (0..self.transactions.len()).filter(|i| self.transactions[*i].committed.is_none()).collect()
    }

    fn start(&mut self) {
        let n = self.transactions.len() as u32;
        self.transactions.push(Transaction { xid: xid(n), undo: Vec::new(), committed: None, told: true });
    }

    /// An ITL slot for the transaction: its own, or a new one.
    fn slot_of(&mut self, t: usize, own: bool) -> Option<u8> {
        let xid = self.transactions[t].xid;
        if let Some(n) = itl::find(&self.block, xid).filter(|_| !own) {
            return Some(n);
        }
        self.learn();
        let n = itl::free_slot(&self.block).or_else(|| itl::add(&mut self.block, 255))?;
        if let Some(scn) = itl::slot(&self.block, n)?.committed() {
            itl::clean(&mut self.block, n, scn, false);
        }
        let before = itl::bytes(&self.block, n);
        assert!(itl::take(&mut self.block, n, xid, Uba { block: ADDRESS, sequence: 1, record: t as u8 }));
        assert_eq!(itl::find(&self.block, xid), Some(n));
        self.transactions[t].undo.push(Undo::Take(n, before));
        Some(n)
    }

    /// Cleans the slots of transactions whose commit the block does not have yet.
    fn learn(&mut self) {
        for t in 0..self.transactions.len() {
            let Transaction { xid, committed: Some(scn), told: false, .. } = self.transactions[t] else { continue };
            while let Some(n) = itl::find(&self.block, xid) {
                itl::clean(&mut self.block, n, scn, n % 2 == 0);
            }
            self.transactions[t].told = true;
        }
    }

    /// Clears a lock byte of an ended transaction, as the engine does before it changes a row.
    fn clean_row(&mut self, slot: u16) {
        self.learn();
        let Some(lock) = row(&self.block, slot).map(RowPiece::lock) else { return };
        if let Some(scn) = itl::slot(&self.block, lock).and_then(itl::Itl::committed) {
            itl::clean(&mut self.block, lock, scn, false);
        }
    }

    fn change(&mut self, t: usize, step: &Step) {
        let own = matches!(step, Step::Migrated(..));
        if let Step::Delete(slot) | Step::Lock(slot) | Step::Replace(slot, ..) = step {
            self.clean_row(self.pick(*slot));
        }
        let Some(n) = self.slot_of(t, own) else { return };
        let count = itl::slot(&self.block, n).unwrap().lock_count();
        let before = self.block.clone();
        let slot = |slot: u16| self.pick(slot);
        let record = match step {
            Step::Insert(fill, bytes) | Step::Migrated(fill, bytes) => {
                let piece = piece(*fill, *bytes);
                let inserted = if own {
                    assert_eq!(count, 0);
                    change::insert_migrated(&mut self.block, &piece, n)
                } else {
                    change::insert(&mut self.block, &piece, n)
                };
                assert_eq!(inserted.is_some(), available(&before) >= piece.len().max(9));
                inserted.map(|slot| vec![Undo::Insert(vec![slot], n, 0)])
            }
            Step::InsertFreed(fill, bytes) => {
                let piece = piece(*fill, *bytes);
                let inserted = change::insert_freed(&mut self.block, &piece, n);
                assert!(inserted.is_some() || !change::fits(&before, piece.len(), 0, n) || is_empty(&before));
                let used = credit(&before, n) - credit(&self.block, n);
                inserted.map(|slot| vec![Undo::Insert(vec![slot], n, used)])
            }
            Step::InsertMany(fill, bytes, rows) => {
                let mut buffer = RowBuffer::new();
                for _ in 0..*rows {
                    buffer.push_encoded(&piece(*fill, *bytes));
                }
                let mut slots = Vec::new();
                let count = change::insert_rows(&mut self.block, &buffer, 0, 10, n, &mut slots);
                assert_eq!(count, slots.len());
                if let Some(next) = buffer.get(count) {
                    assert!(!change::fits(&self.block, next.len(), 10, n), "a row that fits was left over");
                }
                let used = credit(&before, n) - credit(&self.block, n);
                Some(vec![Undo::Insert(slots, n, used)])
            }
            Step::Delete(at) => {
                let at = slot(*at);
                let old = live_row(&before, at).map(|p| (p.lock(), p.encoded().unwrap().to_vec()));
                let done = mark_deleted(&mut self.block, at, n);
                assert_eq!(done, self.changeable_in(&before, t, at));
                done.then(|| old.map(|(lock, piece)| vec![Undo::Delete(at, lock, piece)])).flatten()
            }
            Step::Lock(at) => {
                let at = slot(*at);
                let old = live_row(&before, at).map(RowPiece::lock);
                let done = lock_row(&mut self.block, at, n);
                assert_eq!(done, self.changeable_in(&before, t, at));
                done.then(|| old.map(|lock| vec![Undo::Lock(at, lock)])).flatten()
            }
            Step::Replace(at, fill, bytes) => {
                let at = slot(*at);
                let old = live_row(&before, at).map(|p| (p.lock(), p.encoded().unwrap().to_vec()));
                let new = piece(*fill, *bytes);
                let fits = change::replace_fits(&before, at, new.len(), n);
                let done = change::replace(&mut self.block, at, &new, n);
                assert_eq!(done, fits);
                if let Some((_, old)) = &old
                    && new.len() <= old.len()
                {
                    assert_eq!(done, self.changeable_in(&before, t, at));
                }
                done.then(|| old.map(|(lock, piece)| vec![Undo::Replace(at, lock, piece)])).flatten()
            }
            _ => None,
        };
        match record {
            Some(records) => self.transactions[t].undo.extend(records),
            None => assert_eq!(before, self.block, "a change that was refused left something"),
        }
    }

    /// True: the row exists, and no other transaction than `t` has locked it.
    fn changeable_in(&self, block: &[u8], t: usize, slot: u16) -> bool {
        live_row(block, slot).is_some_and(|piece| {
            piece.lock() == 0 || itl::slot(block, piece.lock()).is_some_and(|i| i.xid() == self.transactions[t].xid)
        })
    }

    fn pick(&self, slot: u16) -> u16 {
        slot % (slot_count(&self.block) + 1)
    }

    /// The transaction's result for the rows it touched.
    fn commit(&mut self, t: usize, tell: bool) {
        self.scn += 3;
        let scn = Scn(self.scn);
        let touched: Vec<u16> = self.transactions[t]
            .undo
            .iter()
            .flat_map(|record| match record {
                Undo::Insert(slots, ..) => slots.clone(),
                Undo::Delete(slot, ..) | Undo::Replace(slot, ..) | Undo::Lock(slot, _) => vec![*slot],
                Undo::Take(..) => Vec::new(),
            })
            .collect();
        let now = contents(&self.block);
        for slot in touched {
            match now.get(&slot) {
                Some(piece) => self.committed.insert(slot, piece.clone()),
                None => self.committed.remove(&slot),
            };
        }
        self.history.push((scn, self.committed.clone()));
        if tell {
            let mine: Vec<u8> = itl::slots(&self.block)
                .filter(|(_, i)| i.is_active() && i.xid() == self.transactions[t].xid)
                .map(|(n, _)| n)
                .collect();
            for n in mine {
                itl::commit(&mut self.block, n, scn);
                assert_eq!(itl::slot(&self.block, n).unwrap().state(), SlotState::Committed(scn));
            }
        }
        self.transactions[t].committed = Some(scn);
        self.transactions[t].told = tell;
    }

    fn rollback(&mut self, t: usize) {
        let records = std::mem::take(&mut self.transactions[t].undo);
        for record in records.iter().rev() {
            undo(&mut self.block, record);
            validate(&self.block).unwrap();
        }
        self.transactions[t].committed = Some(Scn(0));
    }

    /// ROLLBACK TO: the last changes go.
    fn rollback_some(&mut self, t: usize, records: usize) {
        let keep = self.transactions[t].undo.len().saturating_sub(records);
        for record in self.transactions[t].undo.split_off(keep).iter().rev() {
            undo(&mut self.block, record);
            validate(&self.block).unwrap();
        }
    }

    /// A clone as of an SCN shows what was committed then.
    fn look_back(&self, which: usize) {
        let (snapshot, expected) = &self.history[which % self.history.len()];
        let mut clone = self.block.clone();
        let mut later: Vec<&Transaction> =
            self.transactions.iter().filter(|t| t.committed.is_none_or(|scn| scn > *snapshot)).collect();
        later.sort_by_key(|t| std::cmp::Reverse(t.committed.unwrap_or(Scn(u64::MAX))));
        if itl::is_visible_fast(&clone, *snapshot) {
            assert!(later.iter().all(|t| t.undo.is_empty()));
        }
        // Reader's clones get the commits first: rows deleted by a visible commit do not belong to them.
        for t in self.transactions.iter().filter(|t| !t.told) {
            let Some(scn) = t.committed.filter(|scn| scn <= snapshot) else { continue };
            while let Some(n) = itl::find(&clone, t.xid) {
                itl::clean(&mut clone, n, scn, false);
            }
        }
        for t in later {
            for record in t.undo.iter().rev() {
                undo(&mut clone, record);
            }
        }
        validate(&clone).unwrap();
        assert_eq!(&contents(&clone), expected);
        assert!(itl::is_visible_fast(&clone, *snapshot), "{}", dump(&clone));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Start,
    Insert(u8, usize),
    InsertFreed(u8, usize),
    InsertMany(u8, usize, usize),
    Migrated(u8, usize),
    Delete(u16),
    Replace(u16, u8, usize),
    Lock(u16),
    Commit(bool),
    Rollback,
    RollbackSome(usize),
    Clean(u8),
    LookBack(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = || prop_oneof![6 => 0..40usize, 2 => 40..400usize, 1 => 400..1700usize];
    prop_oneof![
        3 => Just(Step::Start),
        6 => (any::<u8>(), bytes()).prop_map(|(f, b)| Step::Insert(f, b)),
        4 => (any::<u8>(), bytes()).prop_map(|(f, b)| Step::InsertFreed(f, b)),
        3 => (any::<u8>(), bytes(), 1..60usize).prop_map(|(f, b, n)| Step::InsertMany(f, b, n)),
        2 => (any::<u8>(), bytes()).prop_map(|(f, b)| Step::Migrated(f, b)),
        8 => any::<u16>().prop_map(Step::Delete),
        10 => (any::<u16>(), any::<u8>(), bytes()).prop_map(|(s, f, b)| Step::Replace(s, f, b)),
        3 => any::<u16>().prop_map(Step::Lock),
        4 => any::<bool>().prop_map(Step::Commit),
        3 => Just(Step::Rollback),
        3 => (1..8usize).prop_map(Step::RollbackSome),
        2 => any::<u8>().prop_map(Step::Clean),
        3 => any::<usize>().prop_map(Step::LookBack),
    ]
}

fn run(size: BlockSize, assm: bool, steps: &[(Step, usize)]) {
    let mut world = World::new(empty(size, 2, assm));
    for (step, who) in steps {
        let running = world.running();
        let t = running.get(who % running.len().max(1)).copied();
        match (step, t) {
            (Step::Start, _) => {
                if running.len() < 5 {
                    world.start();
                }
            }
            (Step::Clean(n), _) => {
                world.learn();
                if let Some(scn) = itl::slot(&world.block, *n % 8).and_then(itl::Itl::committed) {
                    itl::clean(&mut world.block, *n % 8, scn, false);
                    assert!(transaction::header(&world.block).cleanout() >= scn);
                }
            }
            (Step::LookBack(which), _) => world.look_back(*which),
            (_, None) => {}
            (Step::Commit(tell), Some(t)) => world.commit(t, *tell),
            (Step::Rollback, Some(t)) => world.rollback(t),
            (Step::RollbackSome(records), Some(t)) => world.rollback_some(t, *records),
            (step, Some(t)) => world.change(t, step),
        }
        validate(&world.block).unwrap();
    }
    for which in 0..world.history.len() {
        world.look_back(which);
    }
    for t in world.running().into_iter().rev() {
        world.rollback(t);
    }
    world.learn();
    validate(&world.block).unwrap();
    assert_eq!(contents(&world.block), world.committed);
    assert_eq!(free_bytes(&world.block), usize::from(header::header(&world.block).total.get()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rollbacks_and_readers_of_the_past_find_their_rows(
        size in proptest::sample::select(BlockSize::ALL.to_vec()),
        assm: bool,
        steps in proptest::collection::vec((step(), any::<usize>()), 1..150),
    ) {
        run(size, assm, &steps);
    }

    /// Small blocks, where space is always short.
    #[test]
    fn room_is_never_missing_in_a_full_block(
        assm: bool,
        steps in proptest::collection::vec((step(), any::<usize>()), 50..300),
    ) {
        run(BlockSize::K2, assm, &steps);
    }

    /// A single transaction: its rollback restores everything.
    #[test]
    fn a_rollback_gives_everything_back(
        size in proptest::sample::select(BlockSize::ALL.to_vec()),
        before in proptest::collection::vec((step(), any::<usize>()), 1..60),
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut world = World::new(empty(size, 2, true));
        world.start();
        for (step, _) in &before {
            world.change(0, step);
        }
        world.commit(0, true);
        for n in 1..=transaction::header(&world.block).itl_count {
            itl::clean(&mut world.block, n, Scn(0), false);
        }
        world.start();
        let expected = figures(&world.block);
        for step in &steps {
            // A slot that is added stays.
            if !matches!(step, Step::Migrated(..)) {
                world.change(1, step);
            }
        }
        world.rollback(1);
        prop_assert_eq!(figures(&world.block), expected);
    }
}

#[test]
fn a_commit_scn_of_48_bits_comes_back_and_slots_are_reused_oldest_first() {
    let mut block = empty(BlockSize::K2, 3, true);
    let scn = Scn(0xfedc_ba98_7654);
    for n in 1..=3 {
        assert!(itl::take(&mut block, n, xid(u32::from(n)), Uba::NONE));
        assert!(!itl::take(&mut block, n, xid(9), Uba::NONE), "in use");
    }
    let slot = change::insert(&mut block, &piece(1, 30), 2).unwrap();
    assert_eq!(itl::free_slot(&block), None);
    assert!(!mark_deleted(&mut block, slot, 1), "locked by another");
    itl::commit(&mut block, 2, scn);
    itl::commit(&mut block, 3, Scn(scn.0 - 1));
    assert_eq!(itl::slot(&block, 2).unwrap().committed(), Some(scn));
    assert!(itl::slot(&block, 2).unwrap().is_fast_committed() && itl::needs_cleanout(&block));
    assert!(!mark_deleted(&mut block, slot, 1), "not cleaned");
    assert_eq!(itl::free_slot(&block), Some(3));
    assert!(itl::take(&mut block, 3, xid(8), Uba::NONE));
    assert!(!itl::take(&mut block, 2, xid(9), Uba::NONE), "not cleaned");
    itl::clean(&mut block, 2, Scn(1), true);
    assert_eq!(itl::slot(&block, 2).unwrap().committed(), Some(scn), "what the slot knows is better");
    assert!(!itl::slot(&block, 2).unwrap().is_upper_bound());
    assert_eq!(transaction::header(&block).cleanout(), scn);
    assert!(mark_deleted(&mut block, slot, 1));
    assert!(row(&block, slot).is_some() && live_row(&block, slot).is_none() && row_count(&block) == 0);
    validate(&block).unwrap();
    itl::clean(&mut block, 1, Scn(77), true);
    assert!(itl::slot(&block, 1).unwrap().is_upper_bound() && row(&block, slot).is_none());
    validate(&block).unwrap();
}

/// A block without rows gives up unused ITL slots, and takes the largest row again.
#[test]
fn an_empty_block_gives_up_itl_slots_of_the_past() {
    let mut block = empty(BlockSize::K2, 2, true);
    for n in 1..=6 {
        while transaction::header(&block).itl_count < n {
            itl::add(&mut block, 255).unwrap();
        }
        assert!(itl::take(&mut block, n, xid(u32::from(n)), Uba::NONE));
        if n < 6 {
            itl::commit(&mut block, n, Scn(10 * u64::from(n)));
        }
    }
    let over = |slot: &itl::Itl| slot.committed().is_some_and(|scn| scn < Scn(45));
    assert_eq!(itl::remove(&mut block, 2, over), 0, "the last is in use");
    itl::restore(&mut block, 6, &[0; ITL_BYTES]);
    assert_eq!(itl::remove(&mut block, 2, over), 1, "the fifth may be needed by a reader of the past");
    assert_eq!(itl::remove(&mut block, 2, |slot| slot.committed().is_some()), 3);
    assert_eq!(available(&block), capacity(2048, 2, true));
    assert_eq!(itl::slot(&block, 2).unwrap().committed(), Some(Scn(20)));
    validate(&block).unwrap();
}

#[test]
fn freed_space_is_not_another_transactions_before_the_commit() {
    let mut block = empty(BlockSize::K2, 2, true);
    assert!(itl::take(&mut block, 1, xid(1), Uba::NONE) && itl::take(&mut block, 2, xid(2), Uba::NONE));
    let slot = change::insert(&mut block, &piece(1, 1000), 1).unwrap();
    itl::commit(&mut block, 1, Scn(5));
    itl::clean(&mut block, 1, Scn(5), false);
    assert!(itl::take(&mut block, 1, xid(3), Uba::NONE));
    let free = free_bytes(&block);
    assert!(change::replace(&mut block, slot, &piece(1, 10), 1));
    assert_eq!((free_bytes(&block), header::header(&block).total.get()), (free, free as u16 + 992));
    assert_eq!(change::insert(&mut block, &piece(2, 1200), 2), None);
    // Its own row may grow into it again, with the free bytes besides.
    assert!(change::replace(&mut block, slot, &piece(1, 1200), 1));
    assert!(change::replace(&mut block, slot, &piece(1, 10), 1));
    assert!(mark_deleted(&mut block, slot, 1));
    validate(&block).unwrap();
    itl::commit(&mut block, 1, Scn(7));
    assert!(row(&block, slot).is_none());
    assert_eq!(change::insert(&mut block, &piece(2, 1200), 2), Some(slot));
    validate(&block).unwrap();
}

/// 47 bytes a migrated row: 15 of row, 6 of head address, 2 of directory, 24 of ITL; the first two find an ITL slot.
#[test]
fn receiving_blocks_take_the_published_number_of_migrated_rows() {
    for (size, expected) in [(BlockSize::K4, 76), (BlockSize::K8, 155), (BlockSize::K16, 255), (BlockSize::K32, 255)] {
        let mut block = empty(size, 2, true);
        let mut piece = Vec::new();
        let columns: [Option<&[u8]>; 2] = [Some(&[0xc4, 12, 34, 56, 78]), Some(&[0xc4, 12, 34, 56, 78])];
        row::encode_piece(row::FIRST | row::LAST, Some(RowAddress::new(ADDRESS, 3)), None, &columns, &mut piece);
        let mut count = 0;
        while change::fits_migrated(&block, piece.len(), 10, 255) {
            let n = itl::free_slot(&block).or_else(|| itl::add(&mut block, 255)).unwrap();
            assert!(itl::take(&mut block, n, xid(1), Uba::NONE));
            assert_eq!(itl::find(&block, xid(1)), Some(n), "the newest");
            change::insert_migrated(&mut block, &piece, n).unwrap();
            assert_eq!(change::insert_migrated(&mut block, &piece, n), None, "a slot of its own");
            count += 1;
        }
        assert_eq!(count, expected, "{size}");
        validate(&block).unwrap();
        // Another transaction finds the slots of one that has ended.
        let slots = transaction::header(&block).itl_count;
        for n in 1..=slots {
            itl::clean(&mut block, n, Scn(5), false);
        }
        assert!(itl::take(&mut block, 1, xid(2), Uba::NONE));
        for slot in 0..slot_count(&block) {
            assert!(mark_deleted(&mut block, slot, 1));
        }
        itl::clean(&mut block, 1, Scn(6), false);
        assert!(itl::free_slot(&block).is_some() && is_empty(&block));
        validate(&block).unwrap();
    }
}

/// A block is filled with three rows, and one of them is deleted: its transaction may insert another in its place,
/// others may not, and a rollback restores it.
#[test]
fn a_transaction_uses_again_what_it_has_deleted() {
    let mut block = empty(BlockSize::K2, 2, true);
    assert!(itl::take(&mut block, 1, xid(1), Uba::NONE));
    let slots: Vec<u16> = (0..3).map(|n| change::insert(&mut block, &piece(n, 600), 1).unwrap()).collect();
    itl::commit(&mut block, 1, Scn(5));
    itl::clean(&mut block, 1, Scn(5), false);
    let before = figures(&block);
    assert!(itl::take(&mut block, 1, xid(2), Uba::NONE) && itl::take(&mut block, 2, xid(3), Uba::NONE));
    let old = live_row(&block, slots[1]).unwrap().encoded().unwrap().to_vec();
    assert!(mark_deleted(&mut block, slots[1], 1));
    assert!(!change::fits(&block, 550, 0, 2) && change::insert_freed(&mut block, &piece(9, 550), 2).is_none());
    assert!(change::fits(&block, 550, 0, 1));
    assert!(change::insert(&mut block, &piece(9, 550), 1).is_none(), "of what all may use there is too little");
    let used = credit(&block, 1);
    let new = change::insert_freed(&mut block, &piece(9, 550), 1).unwrap();
    let used = used - credit(&block, 1);
    assert_ne!(new, slots[1], "the place in the directory is kept for the rollback");
    assert_eq!(row(&block, slots[1]).unwrap().stored_bytes(), Some(9));
    validate(&block).unwrap();
    // Its own growing rows may use the rest.
    assert!(change::replace(&mut block, new, &piece(8, 560), 1));
    assert!(undo_replace(&mut block, new, 1, &piece(9, 550)));
    assert!(undo_insert(&mut block, new) && undo::return_credit(&mut block, 1, used));
    assert!(change::insert_freed(&mut block, &piece(9, 550), 2).is_none(), "kept for the rollback");
    assert!(undo_delete(&mut block, slots[1], 0, &old));
    itl::restore(&mut block, 1, &before.itl[0]);
    itl::restore(&mut block, 2, &before.itl[1]);
    assert_eq!(figures(&block), before);
    validate(&block).unwrap();
}

#[test]
fn a_slot_says_that_its_rows_were_loaded_whatever_becomes_of_it() {
    for assm in [false, true] {
        let mut block = empty(BlockSize::K8, 2, assm);
        let before = free_bytes(&block);
        itl::set_loading(&mut block, xid(1));
        let mut rows = RowBuffer::new();
        (0..20).for_each(|n| rows.push(&[Some(&[n; 50])]));
        assert_eq!(insert_rows(&mut block, &rows, 0, 10, &mut Vec::new()), 20);
        validate(&block).unwrap();
        let slot = *itl::slot(&block, 1).unwrap();
        assert!(slot.is_loaded() && slot.is_active() && slot.xid() == xid(1) && slot.lock_count() == 0);
        assert_eq!(itl::find(&block, xid(1)), None, "no changes are made under it");
        // Told of the commit, taken by another transaction, and given back with the undo of that.
        itl::clean(&mut block, 1, Scn(70), false);
        let cleaned = itl::bytes(&block, 1);
        let slot = *itl::slot(&block, 1).unwrap();
        assert!(slot.is_loaded() && slot.is_cleaned() && slot.committed() == Some(Scn(70)) && slot.xid() == xid(1));
        assert!(itl::take(&mut block, 1, xid(2), Uba::NONE));
        assert!(!itl::slot(&block, 1).unwrap().is_loaded());
        assert!(!itl::unload(&mut block, 1));
        itl::restore(&mut block, 1, &cleaned);
        assert_eq!(itl::bytes(&block, 1), cleaned);
        assert!(itl::unload(&mut block, 1));
        assert!(itl::slot(&block, 1).unwrap().is_unused() && is_empty(&block));
        assert_eq!(free_bytes(&block), before);
        validate(&block).unwrap();
    }
}
