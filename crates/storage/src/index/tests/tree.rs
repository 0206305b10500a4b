//! The tree against sorted sets: contents, structure, latching, and the blocks that each operation touches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::spawn;
use common::{BlockAddress, BlockSize, ErrorKind, FileNumber, ObjectNumber, Rowid};
use format::index::header::KeyShape;
use format::index::key::ROWID_BYTES;
use format::index::{Branch, Leaf, leaf};
use proptest::prelude::*;
use waits::Statistic;

use super::super::key::{Entries, Key, images};
use super::super::memory::Memory;
use super::super::scan::Cursor;
use super::super::statistics::{IndexStatistics, Tally};
use super::super::tree::Tree;
use super::super::verify::Problem;

const ROOT: BlockAddress = BlockAddress { file: FileNumber(5), block: 128 };

fn row(n: u32) -> Rowid {
    Rowid {
        data_object: ObjectNumber(99),
        block: BlockAddress::new(FileNumber(4), 128 + n / 70),
        slot: (n % 70) as u16,
    }
}

/// Distinct numbers in a scattered order.
fn scattered(n: u32) -> u64 {
    let mut z = (u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn text_key(text: &str) -> Key {
    Key::new([Some(text.as_bytes())])
}

fn number_key(n: u64) -> Key {
    Key::new([Some(&n.to_be_bytes()[..])])
}

fn insert(tree: &Tree<'_, Memory>, rows: &[(Key, Rowid)]) -> common::Result<()> {
    tree.insert(&Entries::sorted(tree.shape, images(rows)))
}

fn delete(tree: &Tree<'_, Memory>, rows: &[(Key, Rowid)]) -> common::Result<()> {
    tree.delete(&Entries::sorted(tree.shape, images(rows)))
}

fn problems(tree: &Tree<'_, Memory>) -> Vec<Problem> {
    tree.verify(&mut |_, _| None).unwrap()
}

fn next<'c>(tree: &Tree<'_, Memory>, cursor: &'c mut Cursor) -> Option<(&'c [u8], [u8; ROWID_BYTES])> {
    loop {
        if let Some(at) = cursor.step() {
            return Some(cursor.entry(at));
        }
        if !cursor.advance(tree).unwrap() {
            return None;
        }
    }
}

type Found = Vec<(Vec<u8>, [u8; ROWID_BYTES])>;

fn scan(tree: &Tree<'_, Memory>, lower: Bound<Vec<u8>>, upper: Bound<Vec<u8>>, descending: bool) -> Found {
    let mut cursor = Cursor::new(lower, upper, descending);
    let mut found = Vec::new();
    while let Some((key, rowid)) = next(tree, &mut cursor) {
        found.push((super::super::key::own_columns(tree.shape, key).to_vec(), rowid));
    }
    found
}

fn all(tree: &Tree<'_, Memory>) -> Found {
    scan(tree, Bound::Unbounded, Bound::Unbounded, false)
}

/// The expected entries of the index, in its order: by key, then by rowid.
#[derive(Default)]
struct Model {
    entries: BTreeSet<(Key, [u8; ROWID_BYTES])>,
}

impl Model {
    fn found(&self) -> Found {
        self.entries.iter().map(|(key, rowid)| (key.image().to_vec(), *rowid)).collect()
    }

    fn statistics(&self) -> IndexStatistics {
        let mut tally = Tally::default();
        for (key, rowid) in &self.entries {
            tally.entry(key.image(), *rowid);
        }
        tally.statistics(0, 0)
    }
}

fn agree(tree: &Tree<'_, Memory>, model: &Model) {
    assert_eq!(problems(tree), []);
    let expected = model.found();
    assert_eq!(all(tree), expected);
    let backwards: Found = expected.into_iter().rev().collect();
    assert_eq!(scan(tree, Bound::Unbounded, Bound::Unbounded, true), backwards);
    let found = tree.statistics().unwrap();
    assert_eq!(IndexStatistics { blevel: 0, leaf_blocks: 0, ..found }, model.statistics());
    // Every block that was taken is in the tree or was given back.
    assert!(found.leaf_blocks <= tree.blocks.used() as u64);
}

/// A key column, short or long, from few values, so that neighbours share prefixes.
fn column(longest: usize) -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        1 => Just(None),
        8 => prop::collection::vec(0u8..6, 0..8).prop_map(Some),
        2 => (0u8..3, 0..=longest, 0u8..6).prop_map(|(a, n, b)| Some([&vec![a; n][..], &[b]].concat())),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(Vec<Option<Vec<u8>>>, u32)>),
    /// Entries to delete, by position.
    Delete(Vec<usize>),
    Range(Vec<Option<Vec<u8>>>, Vec<Option<Vec<u8>>>, u8),
}

fn steps(columns: usize, longest: usize) -> impl Strategy<Value = Vec<Step>> {
    let key = move |n: usize| prop::collection::vec(column(longest), n);
    let bound = move || (0..=columns).prop_flat_map(key);
    let step = prop_oneof![
        5 => prop::collection::vec((key(columns), 0u32..5000), 1..40).prop_map(Step::Insert),
        2 => prop::collection::vec(any::<usize>(), 1..30).prop_map(Step::Delete),
        2 => (bound(), bound(), any::<u8>()).prop_map(|(a, b, kind)| Step::Range(a, b, kind)),
    ];
    prop::collection::vec(step, 1..25)
}

fn bound(image: &[u8], kind: u8) -> Bound<Vec<u8>> {
    match kind % 3 {
        0 => Bound::Unbounded,
        1 => Bound::Included(image.to_vec()),
        _ => Bound::Excluded(image.to_vec()),
    }
}

/// True: the key is inside the bound, which may name leading columns only.
fn inside(key: &Key, bound: &Bound<Key>, lower: bool) -> bool {
    let (Bound::Included(limit) | Bound::Excluded(limit)) = bound else { return true };
    let leading = Key::new(key.columns().take(limit.columns().count()));
    match bound {
        Bound::Included(_) if lower => leading >= *limit,
        Bound::Included(_) => leading <= *limit,
        _ if lower => leading > *limit,
        _ => leading < *limit,
    }
}

fn run(size: BlockSize, automatic: bool, unique: bool, columns: u8, steps: Vec<Step>) {
    let shape = KeyShape { columns, unique };
    let memory = Memory::new(size, automatic, shape);
    let tree = memory.tree(shape);
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Insert(rows) => {
                let mut batch: BTreeMap<(Key, [u8; ROWID_BYTES]), Rowid> = BTreeMap::new();
                for (columns, n) in rows {
                    let (key, rowid) = (Key::new(columns.iter().map(|c| c.as_deref())), row(n));
                    if !model.entries.contains(&(key.clone(), rowid.restricted())) {
                        batch.insert((key, rowid.restricted()), rowid);
                    }
                }
                let rows: Vec<(Key, Rowid)> = batch.into_iter().rev().map(|((key, _), rowid)| (key, rowid)).collect();
                let mut new: Vec<_> = rows.iter().filter(|(key, _)| !key.is_all_null()).collect();
                // Of equal keys the first one given comes first.
                new.sort_by(|a, b| {
                    let rows = || a.1.restricted().cmp(&b.1.restricted());
                    a.0.cmp(&b.0).then_with(|| if unique { std::cmp::Ordering::Equal } else { rows() })
                });
                let mut keys: BTreeSet<&Key> = model.entries.iter().map(|(key, _)| key).collect();
                let clash = if unique { new.iter().position(|(key, _)| !keys.insert(key)) } else { None };
                match insert(&tree, &rows) {
                    Ok(()) => assert_eq!(clash, None),
                    Err(error) => {
                        assert!(clash.is_some(), "{error}");
                        assert!(error.is_ora(1) && error.text.contains("T.I"), "{error}");
                    }
                }
                // The entries before the duplicate are in the index: the rollback of a statement takes them out.
                let stand: Vec<_> = new[..clash.unwrap_or(new.len())]
                    .iter()
                    .map(|(key, rowid)| (key.clone(), rowid.restricted()))
                    .collect();
                model.entries.extend(stand);
            }
            Step::Delete(places) => {
                let mut gone = BTreeSet::new();
                for place in places {
                    if !model.entries.is_empty() {
                        gone.insert(model.entries.iter().nth(place % model.entries.len()).unwrap().clone());
                    }
                }
                let rows: Vec<(Key, Rowid)> = gone
                    .iter()
                    .map(|(key, rowid)| (key.clone(), Rowid::from_restricted(ObjectNumber(99), *rowid)))
                    .collect();
                delete(&tree, &rows).unwrap();
                model.entries.retain(|entry| !gone.contains(entry));
            }
            Step::Range(a, b, kind) => {
                let (a, b) = (Key::new(a.iter().map(|c| c.as_deref())), Key::new(b.iter().map(|c| c.as_deref())));
                let (lower, upper) = (bound(a.image(), kind), bound(b.image(), kind / 3));
                let key_bound = |bound: &Bound<Vec<u8>>, key: &Key| bound.as_ref().map(|_| key.clone());
                let (low, high) = (key_bound(&lower, &a), key_bound(&upper, &b));
                let mut expected: Found = model
                    .entries
                    .iter()
                    .filter(|(key, _)| inside(key, &low, true) && inside(key, &high, false))
                    .map(|(key, rowid)| (key.image().to_vec(), *rowid))
                    .collect();
                assert_eq!(scan(&tree, lower.clone(), upper.clone(), false), expected);
                expected.reverse();
                assert_eq!(scan(&tree, lower, upper, true), expected);
                if unique && a.columns().count() == usize::from(columns) {
                    let there = model.entries.iter().find(|(key, _)| *key == a).map(|(_, rowid)| *rowid);
                    assert_eq!(tree.lookup(a.image()).unwrap(), there);
                }
            }
        }
    }
    agree(&tree, &model);
}

fn size() -> impl Strategy<Value = BlockSize> {
    prop::sample::select(&BlockSize::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_index_is_a_sorted_set(size in size(), automatic: bool, unique: bool, steps in steps(1, 120)) {
        run(size, automatic, unique, 1, steps);
    }

    #[test]
    fn several_columns_compare_in_order(size in size(), unique: bool, steps in steps(3, 40)) {
        run(size, false, unique, 3, steps);
    }

    #[test]
    fn very_long_keys_split_and_separate(unique: bool, steps in steps(1, 1400)) {
        run(BlockSize::K2, true, unique, 1, steps);
    }
}

#[test]
fn ascending_keys_leave_full_leaves_behind() {
    let shape = KeyShape { columns: 1, unique: false };
    for size in BlockSize::ALL {
        let memory = Memory::new(size, false, shape);
        let tree = memory.tree(shape);
        let rows: Vec<(Key, Rowid)> = (0..20_000).map(|n| (number_key(u64::from(n)), row(n))).collect();
        for batch in rows.chunks(73) {
            insert(&tree, batch).unwrap();
        }
        let statistics = tree.statistics().unwrap();
        // Directory 2, flags and lock 2, key 1 + 8, rowid 1 + 6.
        let entries_a_leaf = format::index::header::leaf_capacity(size, 2, false) / 20;
        assert_eq!(statistics.leaf_blocks, 20_000_usize.div_ceil(entries_a_leaf) as u64);
        let splits = memory.value(Statistic::LeafNodeSplits);
        assert_eq!(splits, statistics.leaf_blocks - 1);
        assert_eq!(memory.value(Statistic::LeafNode9010Splits), splits);
        assert_eq!(memory.value(Statistic::RootNodeSplits), u64::from(statistics.blevel));
        assert_eq!(memory.value(Statistic::IndexEntriesInserted), 20_000);
        assert_eq!(problems(&tree), []);
    }
}

#[test]
fn scattered_keys_split_in_the_middle() {
    let shape = KeyShape { columns: 1, unique: true };
    let memory = Memory::new(BlockSize::K4, true, shape);
    let tree = memory.tree(shape);
    let full = format::index::header::leaf_capacity(BlockSize::K4, 2, true) as f64;
    let (mut sum, mut samples) = (0.0, 0.0);
    for n in 1..=30_000u32 {
        insert(&tree, &[(number_key(scattered(n)), row(n))]).unwrap();
        // Leaves split in waves; the mean over a doubling of the rows is what random splits in halves give, ln 2.
        if n > 15_000 {
            let leaves = (memory.value(Statistic::LeafNodeSplits) + 1) as f64;
            sum += 19.0 / (leaves * full);
            samples += 1.0 / f64::from(n);
        }
    }
    let filled = sum / samples;
    assert!((filled - std::f64::consts::LN_2).abs() < 0.03, "leaves are {filled} full");
    let statistics = tree.statistics().unwrap();
    assert_eq!(statistics.num_rows, 30_000);
    assert_eq!(memory.value(Statistic::LeafNodeSplits), statistics.leaf_blocks - 1);
    assert_eq!(problems(&tree), []);
}

#[test]
fn a_batch_of_neighbours_is_one_get_and_one_change() {
    let shape = KeyShape { columns: 1, unique: false };
    let memory = Memory::new(BlockSize::K8, false, shape);
    let tree = memory.tree(shape);
    let rows: Vec<(Key, Rowid)> = (0..400_000u32).map(|n| (number_key(u64::from(n) * 100), row(n))).collect();
    insert(&tree, &rows).unwrap();
    assert_eq!(tree.statistics().unwrap().blevel, 2);
    // Makes room: the leaf that gets the batch is one of two halves.
    insert(&tree, &[(number_key(5_000_001), row(1))]).unwrap();
    let counts = || {
        [&memory.consistent_gets, &memory.current_gets, &memory.changes].map(|counter| counter.load(Ordering::Relaxed))
    };
    let before = counts();
    let batch: Vec<(Key, Rowid)> = (10..60).rev().map(|n| (number_key(5_000_000 + n), row(n as u32))).collect();
    insert(&tree, &batch).unwrap();
    let after = counts();
    assert_eq!([0, 1, 2].map(|i| after[i] - before[i]), [2, 1, 1], "root and branch, the leaf, its change");
    assert_eq!(problems(&tree), []);
}

#[test]
fn the_root_stays_where_it_is() {
    let shape = KeyShape { columns: 1, unique: false };
    let memory = Memory::new(BlockSize::K2, false, shape);
    let tree = memory.tree(shape);
    for n in 0..40_000u32 {
        insert(&tree, &[(number_key(u64::from(n ^ 0x1555)), row(n))]).unwrap();
    }
    assert_eq!(tree.root, ROOT);
    assert!(tree.statistics().unwrap().blevel >= 2);
    assert_eq!(problems(&tree), []);
    assert_eq!(all(&tree).len(), 40_000);
}

#[test]
fn no_space_changes_nothing() {
    let shape = KeyShape { columns: 1, unique: false };
    // The failure meets splits of leaf, branch and root, at each block that they ask for.
    for left in 0..12 {
        let memory = Memory::new(BlockSize::K2, false, shape);
        let tree = memory.tree(shape);
        let mut expected = BTreeSet::new();
        let mut n = 0u32;
        let mut failed = 0;
        while failed < 3 {
            let key = number_key(scattered(n));
            // Blocks run out again and again, each time after some successful requests.
            memory.blocks_left.store(if n.is_multiple_of(997) { left % 4 } else { 1000 }, Ordering::Relaxed);
            let used = memory.used();
            match insert(&tree, &[(key.clone(), row(n))]) {
                Ok(()) => {
                    expected.insert((key.image().to_vec(), row(n).restricted()));
                }
                Err(error) => {
                    assert_eq!(error.kind, ErrorKind::OutOfResource);
                    assert_eq!(memory.used(), used, "blocks of a split that failed are given back");
                    failed += 1;
                }
            }
            n += 1;
            if n > 60_000 {
                break;
            }
        }
        assert_eq!(problems(&tree), []);
        assert_eq!(all(&tree), expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_duplicate_ends_its_batch() {
    let shape = KeyShape { columns: 1, unique: true };
    let memory = Memory::new(BlockSize::K2, false, shape);
    let tree = memory.tree(shape);
    insert(&tree, &[(text_key("m"), row(1))]).unwrap();
    let mut batch: Vec<(Key, Rowid)> = (0..500).map(|n| (text_key(&format!("k{n:05}")), row(n))).collect();
    batch.push((text_key("m"), row(2)));
    batch.extend((0..500).map(|n| (text_key(&format!("z{n:05}")), row(n))));
    let error = insert(&tree, &batch).unwrap_err();
    assert!(error.is_ora(1) && error.text.contains("(T.I)"), "{error}");
    // The entries before the duplicate stay in the index until the statement is taken back.
    assert_eq!(all(&tree).len(), 501);
    assert_eq!(memory.value(Statistic::IndexEntriesInserted), 501);
    delete(&tree, &batch[..500]).unwrap();
    assert_eq!(all(&tree), [(text_key("m").image().to_vec(), row(1).restricted())]);
    // The same holds for a duplicate within one batch.
    assert!(insert(&tree, &[(text_key("q"), row(3)), (text_key("q"), row(4))]).unwrap_err().is_ora(1));
    assert_eq!(tree.statistics().unwrap().num_rows, 2);
    assert!(insert(&tree, &[(text_key("q"), row(3))]).unwrap_err().is_ora(1));
    delete(&tree, &[(text_key("q"), row(3))]).unwrap();
    // An entry cannot be deleted twice.
    assert!(delete(&tree, &[(text_key("m"), row(1)), (text_key("m"), row(1))]).unwrap_err().is_ora(8102));
    insert(&tree, &[(text_key("m"), row(1))]).unwrap();
    // The key of a deleted entry may come back, for another row.
    delete(&tree, &[(text_key("m"), row(1))]).unwrap();
    insert(&tree, &[(text_key("m"), row(7))]).unwrap();
    assert_eq!(tree.lookup(text_key("m").image()).unwrap(), Some(row(7).restricted()));
    assert!(delete(&tree, &[(text_key("m"), row(1))]).unwrap_err().is_ora(8102));
    assert!(delete(&tree, &[(text_key("n"), row(1))]).unwrap_err().is_ora(8102));
    assert_eq!(problems(&tree), []);
}

#[test]
fn deleted_entries_make_room_before_a_leaf_splits() {
    let shape = KeyShape { columns: 1, unique: false };
    let memory = Memory::new(BlockSize::K2, false, shape);
    let tree = memory.tree(shape);
    for n in 0..5_000u64 {
        insert(&tree, &[(number_key(n), row(n as u32))]).unwrap();
        if n >= 50 {
            delete(&tree, &[(number_key(n - 50), row((n - 50) as u32))]).unwrap();
        }
    }
    // Fifty live keys in one leaf: deleted entries were purged each time that the leaf was full.
    assert_eq!(tree.statistics().unwrap().num_rows, 50);
    assert_eq!(memory.value(Statistic::LeafNodeSplits), 0);
    assert_eq!(problems(&tree), []);
}

#[test]
fn keys_that_are_too_long_are_refused() {
    for (size, longest) in BlockSize::ALL.into_iter().zip([1478, 3118, 6398, 12958, 26078]) {
        let shape = KeyShape { columns: 8, unique: true };
        let memory = Memory::new(size, true, shape);
        let tree = memory.tree(shape);
        // Eight columns, so that none exceeds 4,000 bytes; each has two length bytes.
        let key = |bytes: usize, last: u8| {
            let share = (bytes - 16) / 8;
            let columns: Vec<Vec<u8>> =
                (0..8).map(|i| vec![last; if i == 0 { bytes - 16 - 7 * share } else { share }]).collect();
            Key::new(columns.iter().map(|c| Some(&c[..])))
        };
        for n in 0..40u8 {
            let n = n.wrapping_mul(97);
            insert(&tree, &[(key(longest, n), row(u32::from(n)))]).unwrap();
        }
        let error = insert(&tree, &[(key(longest + 1, 1), row(1))]).unwrap_err();
        assert!(error.is_ora(1450) && error.text.contains(&longest.to_string()), "{error}");
        assert_eq!(tree.statistics().unwrap().num_rows, 40);
        assert_eq!(problems(&tree), []);
    }
}

#[test]
fn a_scan_that_pauses_sees_every_old_key_once() {
    for descending in [false, true] {
        let shape = KeyShape { columns: 1, unique: true };
        let memory = Memory::new(BlockSize::K2, false, shape);
        let tree = memory.tree(shape);
        let old: Vec<(Key, Rowid)> = (0..3_000u32).map(|n| (number_key(u64::from(n) * 1000), row(n))).collect();
        insert(&tree, &old).unwrap();
        let mut cursor = Cursor::new(Bound::Unbounded, Bound::Unbounded, descending);
        let mut found = Vec::new();
        let mut n = 0u64;
        while let Some((key, _)) = next(&tree, &mut cursor) {
            found.push(key.to_vec());
            let near = u64::from_be_bytes(key[1..9].try_into().unwrap());
            // Splits around the place where the scan is; few enough new keys ahead of it that it comes to an end.
            for _ in 0..if found.len().is_multiple_of(4) { 4 } else { 0 } {
                n += 1;
                let place = (near + (n * 7919) % 200_000).saturating_sub(100_000) / 1000 * 1000 + 1 + n % 998;
                let _ = insert(&tree, &[(number_key(place), row(0))]);
            }
        }
        let old: Vec<Vec<u8>> = old.iter().map(|(key, _)| key.image().to_vec()).collect();
        let unique: BTreeSet<&Vec<u8>> = found.iter().collect();
        assert_eq!(unique.len(), found.len(), "no key comes twice");
        assert!(found.is_sorted_by(|a, b| if descending { a > b } else { a < b }));
        assert!(old.iter().all(|key| unique.contains(key)), "no old key is missed");
        assert_eq!(problems(&tree), []);
    }
}

#[test]
fn many_sessions_at_once() {
    const THREADS: u32 = 6;
    const KEYS: u32 = 6_000;
    let shape = KeyShape { columns: 1, unique: true };
    let memory = common::sync::Arc::new(Memory::new(BlockSize::K2, true, shape));
    let stop = common::sync::Arc::new(AtomicBool::new(false));
    // Every thread has its own keys, all over the range, so that they meet in the same leaves and parents.
    let key = |thread: u32, n: u32| number_key(u64::from(n * 7919 % KEYS) * u64::from(THREADS) + u64::from(thread));
    let writers: Vec<_> = (0..THREADS)
        .map(|thread| {
            let memory = memory.clone();
            spawn("writer", move || {
                let tree = memory.tree(shape);
                for first in (0..KEYS).step_by(20) {
                    let batch: Vec<_> = (first..first + 20).map(|n| (key(thread, n), row(n))).collect();
                    insert(&tree, &batch).unwrap();
                    let gone: Vec<_> =
                        batch.iter().filter(|(_, rowid)| rowid.slot.is_multiple_of(2)).cloned().collect();
                    delete(&tree, &gone).unwrap();
                    // A lookup of another thread's key finds it or does not; it never fails.
                    let _ = tree.lookup(key((thread + 1) % THREADS, first).image()).unwrap();
                }
            })
            .unwrap()
        })
        .collect();
    let readers: Vec<_> = [false, true]
        .into_iter()
        .map(|descending| {
            let (memory, stop) = (memory.clone(), stop.clone());
            spawn("reader", move || {
                let tree = memory.tree(shape);
                let mut scans = 0;
                while !stop.load(Ordering::Relaxed) || scans == 0 {
                    let found = scan(&tree, Bound::Unbounded, Bound::Unbounded, descending);
                    assert!(found.is_sorted_by(|a, b| if descending { a.0 > b.0 } else { a.0 < b.0 }));
                    scans += 1;
                }
            })
            .unwrap()
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap();
    }
    let tree = memory.tree(shape);
    assert_eq!(problems(&tree), []);
    let mut expected: Vec<_> = (0..THREADS)
        .flat_map(|thread| (0..KEYS).map(move |n| (key(thread, n), row(n))))
        .filter(|(_, rowid)| !rowid.slot.is_multiple_of(2))
        .map(|(key, rowid)| (key.image().to_vec(), rowid.restricted()))
        .collect();
    expected.sort();
    assert_eq!(all(&tree), expected);
    assert!(memory.value(Statistic::RootNodeSplits) >= 2);
}

#[test]
fn verify_names_the_block_that_is_wrong() {
    let shape = KeyShape { columns: 1, unique: false };
    let memory = Memory::new(BlockSize::K2, false, shape);
    let tree = memory.tree(shape);
    let rows: Vec<(Key, Rowid)> = (0..30_000u32).map(|n| (number_key(u64::from(n)), row(n))).collect();
    insert(&tree, &rows).unwrap();
    assert_eq!(problems(&tree), []);
    let (branch, second) = {
        let root = tree.shared(ROOT).unwrap();
        let child = Branch::of(&root).child(0);
        let branch = tree.shared(child).unwrap();
        (child, Branch::of(&branch).child(1))
    };
    let damaged = |address: BlockAddress, harm: &dyn Fn(&mut [u8])| {
        let before = tree.shared(address).unwrap().to_vec();
        memory.damage(address, |block| harm(block));
        let found = problems(&tree);
        memory.damage(address, |block| block.copy_from_slice(&before));
        assert_eq!(problems(&tree), []);
        found
    };
    let at = |found: &[Problem], address| found.iter().any(|problem| problem.address == address);
    assert!(at(&damaged(second, &|block| leaf::set_next(block, ROOT)), second));
    assert!(at(&damaged(second, &|block| leaf::set_previous(block, ROOT)), second));
    // An entry that belongs to another leaf.
    let stray = Entries::sorted(shape, images(&[(number_key(29_999), row(1))]));
    let found = damaged(second, &|block| {
        let last = Leaf::of(block).entries();
        leaf::remove(block, last - 1);
        assert!(leaf::append(block, stray.get(0).key, stray.get(0).rowid));
    });
    assert!(at(&found, second), "{found:?}");
    // A missing separator: its child's keys lie above the bounds of the child before, and the chain skips a leaf.
    assert!(!damaged(branch, &|block| format::index::branch::remove(block, 1)).is_empty());
    // A child that is its own grandparent.
    let found = damaged(branch, &|block| {
        let image = Branch::of(block).separator(0).to_vec();
        format::index::branch::remove(block, 0);
        assert!(format::index::branch::insert(block, 0, &image, ROOT));
    });
    assert!(at(&found, ROOT), "{found:?}");
    // A row that the table does not have.
    let missing = row(77).restricted();
    let found = tree.verify(&mut |_, rowid| (rowid == missing).then(|| "no such row".to_owned())).unwrap();
    assert!(found.len() == 1 && found[0].text.contains("no such row"), "{found:?}");
    // A block of another object.
    let found = damaged(second, &|block| format::transaction::header_mut(block).object = 4.into());
    assert!(at(&found, second), "{found:?}");
}
