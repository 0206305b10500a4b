//! Several transactions in leaves that split, against a model that keeps what was committed at each SCN.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn, Uba, Xid};
use proptest::prelude::*;

use super::header::KeyShape;
use super::{Leaf, change, key, leaf, validate};
use crate::block::{self, BlockType};
use crate::itl;
use crate::transaction::{self, BlockOwner, ITL_BYTES, Owner};

const HERE: BlockAddress = BlockAddress { file: FileNumber(5), block: 200 };

fn empty_leaf(size: BlockSize, shape: KeyShape) -> Vec<u8> {
    let mut bytes = vec![0; size.bytes()];
    block::format(&mut bytes, BlockType::Data, HERE);
    transaction::init(
        &mut bytes,
        BlockOwner { owner: Owner::Index, object: ObjectNumber(77), itl_slots: 2, bitmap: None },
    );
    leaf::init(&mut bytes, shape, BlockAddress::NONE, BlockAddress::NONE);
    bytes
}

fn rowid(row: u8) -> [u8; 6] {
    [1, 0, 0, 200, 0, row]
}

fn stored(shape: KeyShape, data: &[u8], row: u8) -> Vec<u8> {
    let mut image = Vec::new();
    key::put_column(&mut image, Some(data));
    if !shape.unique {
        key::put_rowid(&mut image, rowid(row));
    }
    image
}

fn xid(n: usize) -> Xid {
    Xid { segment: 2, slot: 1, sequence: n as u32 + 1 }
}

#[derive(Clone, Debug)]
enum Undo {
    /// Of this leaf, at this time: it holds for the leaves split off it later as well.
    Take(usize, usize, u8, [u8; ITL_BYTES]),
    Insert(Vec<u8>),
    Delete(Vec<u8>, u8),
    Revive(Vec<u8>, u8, [u8; 6]),
    Lock(Vec<u8>, u8),
}

#[derive(Clone)]
struct Page {
    block: Vec<u8>,
    /// The smallest key that belongs here.
    low: Vec<u8>,
    id: usize,
    /// Leaves that it was split off, and when.
    from: Vec<(usize, usize)>,
}

type Entries = BTreeMap<Vec<u8>, [u8; 6]>;

#[derive(Debug)]
struct Transaction {
    undo: Vec<Undo>,
    committed: Option<Scn>,
    told: bool,
}

struct World {
    shape: KeyShape,
    pages: Vec<Page>,
    transactions: Vec<Transaction>,
    history: Vec<(Scn, Entries)>,
    committed: Entries,
    clock: usize,
}

fn page_of(pages: &[Page], key: &[u8]) -> usize {
    pages.iter().rposition(|page| key::compare(&page.low, key).is_le()).unwrap_or(0)
}

fn contents(pages: &[Page]) -> Entries {
    let mut all = Entries::new();
    for page in pages {
        validate(&page.block, HERE).unwrap();
        let leaf = Leaf::of(&page.block);
        let live = (0..leaf.entries()).map(|i| leaf.entry(i)).filter(|entry| !entry.deleted());
        all.extend(live.map(|entry| (entry.key.to_vec(), entry.rowid)));
    }
    all
}

fn undo(pages: &mut [Page], record: &Undo) {
    let (Undo::Insert(key) | Undo::Delete(key, _) | Undo::Revive(key, ..) | Undo::Lock(key, _)) = record else {
        let Undo::Take(id, time, n, bytes) = record else { unreachable!() };
        for page in pages {
            if page.id == *id || page.from.iter().any(|(from, split)| from == id && split > time) {
                itl::restore(&mut page.block, *n, bytes);
            }
        }
        return;
    };
    let page = page_of(pages, key);
    let block = &mut pages[page].block;
    let at = Leaf::of(block).search(key).expect("the entry is still there");
    assert!(match record {
        Undo::Insert(_) => change::undo_insert(block, at),
        Undo::Delete(_, lock) => change::undo_delete(block, at, *lock),
        Undo::Revive(_, lock, rowid) => change::undo_revive(block, at, *lock, *rowid),
        Undo::Lock(_, lock) => change::undo_lock(block, at, *lock),
        Undo::Take(..) => unreachable!(),
    });
}

impl World {
    fn new(size: BlockSize, unique: bool) -> Self {
        let shape = KeyShape { columns: 1, unique };
        let low = stored(shape, &[], 0);
        Self {
            shape,
            pages: vec![Page { block: empty_leaf(size, shape), low, id: 0, from: Vec::new() }],
            transactions: Vec::new(),
            history: vec![(Scn(1), Entries::new())],
            committed: Entries::new(),
            clock: 0,
        }
    }

    fn running(&self) -> Vec<usize> {
        (0..self.transactions.len()).filter(|t| self.transactions[*t].committed.is_none()).collect()
    }

    /// Cleans the committed transactions in every leaf.
    fn learn(pages: &mut [Page], transactions: &[Transaction], until: Scn) {
        for page in pages {
            for n in 1..=transaction::header(&page.block).itl_count {
                let slot = *itl::slot(&page.block, n).unwrap();
                if slot.is_fast_committed() {
                    itl::clean(&mut page.block, n, Scn(0), false);
                } else if slot.is_active()
                    && let Some(scn) = transactions[slot.xid().sequence as usize - 1].committed
                    && scn <= until
                {
                    itl::clean(&mut page.block, n, scn, true);
                }
            }
        }
    }

    fn slot_of(&mut self, t: usize, page: usize) -> Option<u8> {
        self.clock += 1;
        let Page { block, id, .. } = &mut self.pages[page];
        if let Some(n) = itl::find(block, xid(t)) {
            return Some(n);
        }
        let n = itl::free_slot(block).or_else(|| itl::add(block, 6))?;
        assert!(n > 1, "slot 1 is for splits");
        let before = itl::bytes(block, n);
        assert!(itl::take(block, n, xid(t), Uba { block: HERE, sequence: 1, record: 1 }));
        self.transactions[t].undo.push(Undo::Take(*id, self.clock, n, before));
        Some(n)
    }

    fn change(&mut self, t: usize, step: &Step) {
        let (Step::Insert(data, row) | Step::Delete(data, row) | Step::Lock(data, row)) = step else { return };
        Self::learn(&mut self.pages, &self.transactions, Scn(u64::MAX));
        let key = stored(self.shape, data, *row);
        let mut page = page_of(&self.pages, &key);
        if matches!(step, Step::Insert(..))
            && Leaf::of(&self.pages[page].block).available() < leaf::footprint(self.shape, &key) + ITL_BYTES
        {
            self.make_room(page);
            page = page_of(&self.pages, &key);
        }
        let Some(n) = self.slot_of(t, page) else { return };
        let block = &mut self.pages[page].block;
        let found = Leaf::of(block).search(&key);
        let before = block.clone();
        let record = match (step, found) {
            (Step::Insert(..), Ok(at)) => {
                let lock = Leaf::of(block).entry(at).lock;
                change::revive(block, at, rowid(*row), n).map(|old| Undo::Revive(key, lock, old))
            }
            (Step::Insert(..), Err(at)) => {
                let done = change::insert(block, at, &key, rowid(*row), n);
                assert_eq!(done, leaf::footprint(self.shape, &key) <= Leaf::of(&before).available());
                done.then_some(Undo::Insert(key))
            }
            (Step::Delete(..), Ok(at)) => {
                let lock = Leaf::of(block).entry(at).lock;
                change::mark_deleted(block, at, n).then_some(Undo::Delete(key, lock))
            }
            (Step::Lock(..), Ok(at)) => {
                let lock = Leaf::of(block).entry(at).lock;
                change::lock(block, at, n).then_some(Undo::Lock(key, lock))
            }
            _ => None,
        };
        match record {
            Some(record) => self.transactions[t].undo.push(record),
            None => assert_eq!(&before, block),
        }
    }

    /// Purges entries that no remembered snapshot sees, else divides the leaf.
    fn make_room(&mut self, page: usize) {
        self.clock += 1;
        let oldest = self.history[0].0;
        let block = &mut self.pages[page].block;
        let purged = change::purge(block, |slot| slot.committed().is_some_and(|scn| scn <= oldest));
        let entries = Leaf::of(block).entries();
        if purged > 0 || entries < 4 {
            return;
        }
        let keep = entries / 2;
        let low = Leaf::of(block).key(keep).to_vec();
        let before: Vec<_> =
            (0..entries).map(|i| (Leaf::of(block).key(i).to_vec(), Leaf::of(block).entry(i).lock)).collect();
        let mut right = empty_leaf(BlockSize::from_bytes(block.len() as u64).unwrap(), self.shape);
        leaf::divide(block, keep, &mut right);
        let after: Vec<_> = [&block[..], &right[..]]
            .into_iter()
            .flat_map(|b| {
                let leaf = Leaf::of(b);
                (0..leaf.entries()).map(|i| (leaf.key(i).to_vec(), leaf.entry(i).lock)).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(before, after);
        let mut from = self.pages[page].from.clone();
        from.push((self.pages[page].id, self.clock));
        let id = self.pages.len();
        self.pages.insert(page + 1, Page { block: right, low, id, from });
    }

    fn commit(&mut self, t: usize, tell: bool) {
        let scn = Scn(self.history[self.history.len() - 1].0.0 + 2);
        let now = contents(&self.pages);
        for record in &self.transactions[t].undo {
            let (Undo::Insert(key) | Undo::Delete(key, _) | Undo::Revive(key, ..)) = record else { continue };
            match now.get(key) {
                Some(rowid) => self.committed.insert(key.clone(), *rowid),
                None => self.committed.remove(key),
            };
        }
        self.history.push((scn, self.committed.clone()));
        if tell {
            for page in &mut self.pages {
                while let Some(n) = itl::find(&page.block, xid(t)) {
                    itl::commit(&mut page.block, n, scn);
                }
            }
        }
        self.transactions[t].committed = Some(scn);
        self.transactions[t].told = tell;
    }

    fn rollback(&mut self, t: usize) {
        for record in std::mem::take(&mut self.transactions[t].undo).iter().rev() {
            undo(&mut self.pages, record);
            contents(&self.pages);
        }
        assert!(self.pages.iter().all(|page| itl::find(&page.block, xid(t)).is_none()), "no slot is left behind");
        self.transactions[t].committed = Some(Scn(0));
    }

    fn look_back(&self, which: usize) {
        let (snapshot, expected) = &self.history[which % self.history.len()];
        let mut clones = self.pages.clone();
        let mut later: Vec<_> =
            self.transactions.iter().filter(|t| t.committed.is_none_or(|scn| scn > *snapshot)).collect();
        later.sort_by_key(|t| Reverse(t.committed.unwrap_or(Scn(u64::MAX))));
        Self::learn(&mut clones, &self.transactions, *snapshot);
        for record in later.iter().flat_map(|t| t.undo.iter().rev()) {
            undo(&mut clones, record);
        }
        assert_eq!(&contents(&clones), expected);
        assert!(clones.iter().all(|page| itl::is_visible_fast(&page.block, *snapshot)));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Start,
    Insert(Vec<u8>, u8),
    Delete(Vec<u8>, u8),
    Lock(Vec<u8>, u8),
    Commit(bool),
    Rollback,
    LookBack(usize),
    /// Snapshots older than the newest are over.
    Forget,
}

fn step() -> impl Strategy<Value = Step> {
    let data = || (0u8..25, prop_oneof![4 => 1..6usize, 1 => 6..80usize]).prop_map(|(d, n)| vec![d; n]);
    let row = || 0u8..3;
    prop_oneof![
        3 => Just(Step::Start),
        14 => (data(), row()).prop_map(|(d, r)| Step::Insert(d, r)),
        10 => (data(), row()).prop_map(|(d, r)| Step::Delete(d, r)),
        2 => (data(), row()).prop_map(|(d, r)| Step::Lock(d, r)),
        4 => any::<bool>().prop_map(Step::Commit),
        2 => Just(Step::Rollback),
        2 => any::<usize>().prop_map(Step::LookBack),
        1 => Just(Step::Forget),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rollbacks_and_readers_of_the_past_find_their_entries(
        size in proptest::sample::select(vec![BlockSize::K2, BlockSize::K2, BlockSize::K4, BlockSize::K32]),
        unique: bool,
        steps in proptest::collection::vec((step(), any::<usize>()), 1..400),
    ) {
        let mut world = World::new(size, unique);
        for (step, who) in &steps {
            let running = world.running();
            let t = running.get(who % running.len().max(1)).copied();
            match (step, t) {
                (Step::Start, _) if running.len() < 4 => {
                    world.transactions.push(Transaction { undo: Vec::new(), committed: None, told: true });
                }
                (Step::LookBack(which), _) => world.look_back(*which),
                (Step::Forget, _) => {
                    let newest = world.history.len() - 1;
                    world.history.drain(..newest);
                }
                (Step::Commit(tell), Some(t)) => world.commit(t, *tell),
                (Step::Rollback, Some(t)) => world.rollback(t),
                (step, Some(t)) => world.change(t, step),
                _ => {}
            }
            contents(&world.pages);
        }
        for which in 0..world.history.len() {
            world.look_back(which);
        }
        for t in world.running() {
            world.rollback(t);
        }
        prop_assert_eq!(contents(&world.pages), world.committed);
    }
}

#[test]
fn a_leaf_that_has_all_its_itl_slots_still_takes_the_longest_key() {
    for (size, slots) in BlockSize::ALL.into_iter().zip([17, 34, 68, 136, 255]) {
        let shape = KeyShape { columns: 1, unique: true };
        let mut bytes = empty_leaf(size, shape);
        assert!(leaf::append(&mut bytes, &stored(shape, &[1], 0), rowid(1)));
        while itl::add(&mut bytes, 255).is_some() {
            validate(&bytes, HERE).unwrap();
        }
        assert_eq!(transaction::header(&bytes).itl_count, slots, "{size}");
        assert_eq!(Leaf::of(&bytes).entry(0).rowid, rowid(1));
        leaf::remove(&mut bytes, 0);
        let mut key = Vec::new();
        key::put_column(&mut key, Some(&vec![7; key::longest(size) - 2]));
        assert_eq!(key.len(), key::longest(size));
        assert!(leaf::append(&mut bytes, &key, rowid(2)));
        validate(&bytes, HERE).unwrap();
    }
}

#[test]
fn a_unique_key_comes_back_for_another_row_and_unneeded_deleted_entries_go() {
    let shape = KeyShape { columns: 1, unique: true };
    let mut bytes = empty_leaf(BlockSize::K2, shape);
    let key = stored(shape, &[5], 0);
    assert_eq!(itl::free_slot(&bytes), Some(2), "slot 1 is for splits");
    assert!(itl::take(&mut bytes, 2, xid(1), Uba::NONE));
    assert!(change::insert(&mut bytes, 0, &key, rowid(1), 2));
    assert_eq!(change::revive(&mut bytes, 0, rowid(2), 2), None, "not deleted");
    assert!(change::mark_deleted(&mut bytes, 0, 2));
    assert_eq!(change::revive(&mut bytes, 0, rowid(2), 2), Some(rowid(1)));
    assert_eq!(Leaf::of(&bytes).entry(0).rowid, rowid(2));
    assert!(change::undo_revive(&mut bytes, 0, 2, rowid(1)));
    assert_eq!((Leaf::of(&bytes).entry(0).rowid, Leaf::of(&bytes).deleted()), (rowid(1), 1));
    assert_eq!(change::purge(&mut bytes, |slot| slot.committed().is_some()), 0, "still running");
    itl::commit(&mut bytes, 2, Scn(40));
    assert!(!change::lock(&mut bytes, 0, 2));
    assert_eq!(change::purge(&mut bytes.clone(), |slot| slot.committed().is_some_and(|scn| scn < Scn(40))), 0);
    let mut cleaned = bytes.clone();
    itl::clean(&mut cleaned, 2, Scn(0), false);
    assert_eq!(change::purge(&mut cleaned, |slot| slot.committed().is_some_and(|scn| scn < Scn(40))), 0);
    for block in [&mut bytes, &mut cleaned] {
        assert_eq!(change::purge(block, |slot| slot.committed().is_some_and(|scn| scn <= Scn(40))), 1);
        assert_eq!(Leaf::of(block).entries(), 0);
        validate(block, HERE).unwrap();
    }
}
