//! Leaves and branches against a sorted map, and the arithmetic of full blocks.

use std::collections::BTreeMap;

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber};
use proptest::prelude::*;

use super::header::{self, KeyShape};
use super::key::{self, Target};
use super::{Branch, Leaf, branch, check, dump, leaf, validate};
use crate::block::{self, BlockType};
use crate::transaction::{self, BlockOwner, Owner};

const HERE: BlockAddress = BlockAddress { file: FileNumber(5), block: 200 };

fn formatted(size: BlockSize, automatic: bool) -> Vec<u8> {
    let mut bytes = vec![0; size.bytes()];
    block::format(&mut bytes, BlockType::Data, HERE);
    let bitmap = automatic.then(|| BlockAddress::new(FileNumber(5), 8));
    transaction::init(&mut bytes, BlockOwner { owner: Owner::Index, object: ObjectNumber(77), itl_slots: 2, bitmap });
    bytes
}

fn empty_leaf(size: BlockSize, shape: KeyShape) -> Vec<u8> {
    let mut bytes = formatted(size, false);
    leaf::init(&mut bytes, shape, BlockAddress::NONE, BlockAddress::NONE);
    bytes
}

fn rowid(n: u32) -> [u8; 6] {
    let mut bytes = [0; 6];
    bytes[..4].copy_from_slice(&BlockAddress::new(FileNumber(4), 128 + n / 100).pack().to_be_bytes());
    bytes[4..].copy_from_slice(&((n % 100) as u16).to_be_bytes());
    bytes
}

/// A stored key of one column.
fn stored(shape: KeyShape, data: &[u8], row: u32) -> Vec<u8> {
    let mut image = Vec::new();
    key::put_column(&mut image, Some(data));
    if !shape.unique {
        key::put_rowid(&mut image, rowid(row));
    }
    image
}

#[test]
fn an_8_kb_leaf_holds_as_many_entries_as_oracles() {
    // Two ITL slots: 8,000 bytes under manual space management. A four-byte NUMBER with its rowid takes 16.
    assert_eq!(header::leaf_capacity(BlockSize::K8, 2, false), 8000);
    assert_eq!(header::leaf_capacity(BlockSize::K8, 2, true), 7992);
    for (unique, expected) in [(false, 500), (true, 533)] {
        let shape = KeyShape { columns: 1, unique };
        let mut bytes = empty_leaf(BlockSize::K8, shape);
        let mut n = 0u32;
        while leaf::append(&mut bytes, &stored(shape, &[0xc3, 2, (n / 100) as u8, (n % 100) as u8], n), rowid(n)) {
            n += 1;
        }
        assert_eq!(n, expected);
        validate(&bytes, HERE).unwrap();
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, u32),
    Mark(usize),
    Remove(usize),
    Purge,
    Search(Vec<u8>, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let data = || prop::collection::vec(0u8..4, 0..40);
    prop_oneof![
        6 => (data(), 0u32..5).prop_map(|(d, r)| Step::Insert(d, r)),
        2 => any::<usize>().prop_map(Step::Mark),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => Just(Step::Purge),
        2 => (data(), any::<bool>()).prop_map(|(d, after)| Step::Search(d, after)),
    ]
}

/// The expected leaf: data and row to "is deleted". Data of one column sort as bytes do, then by row.
type Model = BTreeMap<(Vec<u8>, u32), bool>;

fn agree(bytes: &[u8], shape: KeyShape, model: &Model) {
    validate(bytes, HERE).unwrap();
    let leaf = Leaf::of(bytes);
    assert_eq!(leaf.entries(), model.len());
    for (i, ((data, row), deleted)) in model.iter().enumerate() {
        let entry = leaf.entry(i);
        assert_eq!(entry.key, stored(shape, data, *row));
        assert_eq!((entry.rowid, entry.deleted()), (rowid(*row), *deleted));
        assert_eq!(entry.columns().collect::<Vec<_>>(), [Some(&data[..])]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_leaf_is_a_sorted_map(steps in prop::collection::vec(step(), 1..200), unique: bool) {
        let shape = KeyShape { columns: 1, unique };
        let mut bytes = empty_leaf(BlockSize::K2, shape);
        let mut model = Model::new();
        for step in steps {
            match step {
                Step::Insert(data, row) => {
                    // Unique: one entry a key, whatever its row.
                    let row = if unique { 0 } else { row };
                    let image = stored(shape, &data, row);
                    match Leaf::of(&bytes).search(&image) {
                        Ok(at) => {
                            prop_assert!(model.contains_key(&(data.clone(), row)));
                            leaf::revive(&mut bytes, at, rowid(row));
                            model.insert((data, row), false);
                        }
                        Err(at) => {
                            let room = leaf::footprint(shape, &image) <= Leaf::of(&bytes).available();
                            prop_assert_eq!(leaf::insert(&mut bytes, at, &image, rowid(row)), room);
                            if room {
                                prop_assert_eq!(model.insert((data, row), false), None);
                            }
                        }
                    }
                }
                Step::Mark(i) if !model.is_empty() => {
                    let i = i % model.len();
                    leaf::set_deleted(&mut bytes, i, true);
                    *model.values_mut().nth(i).unwrap() = true;
                }
                Step::Remove(i) if !model.is_empty() => {
                    let i = i % model.len();
                    leaf::remove(&mut bytes, i);
                    let gone = model.keys().nth(i).unwrap().clone();
                    model.remove(&gone);
                }
                Step::Mark(_) | Step::Remove(_) => {}
                Step::Purge => {
                    let before = model.len();
                    model.retain(|_, deleted| !*deleted);
                    prop_assert_eq!(leaf::purge(&mut bytes), before - model.len());
                }
                Step::Search(data, after) => {
                    let mut image = Vec::new();
                    key::put_column(&mut image, Some(&data));
                    let expected = model.keys().filter(|(d, _)| *d < data || after && *d == data).count();
                    prop_assert_eq!(Leaf::of(&bytes).lower_bound(Target { image: &image, after }), expected);
                }
            }
            agree(&bytes, shape, &model);
        }
    }

    #[test]
    fn a_leaf_divides_without_loss(lengths in prop::collection::vec(0usize..700, 2..60), place in any::<usize>(), length in 0usize..1400, last: bool) {
        let shape = KeyShape { columns: 1, unique: false };
        let mut bytes = empty_leaf(BlockSize::K2, shape);
        if !last {
            leaf::set_next(&mut bytes, HERE.plus(1));
        }
        let data = |n: usize, length: usize| [&(n as u32).to_be_bytes()[..], &vec![7; length]].concat();
        let mut all: Vec<(Vec<u8>, [u8; 6])> = Vec::new();
        for (n, length) in lengths.iter().enumerate() {
            let image = stored(shape, &data(2 * n + 1, *length), n as u32);
            if !leaf::append(&mut bytes, &image, rowid(n as u32)) {
                break;
            }
            all.push((image, rowid(n as u32)));
        }
        prop_assume!(!all.is_empty());
        let at = place % (all.len() + 1);
        let new = stored(shape, &data(2 * at, length), 9999);
        let size = leaf::footprint(shape, &new);
        prop_assume!(size > Leaf::of(&bytes).available());

        let cut = leaf::cut(&bytes, at, size);
        let before = all.len();
        let separator = leaf::cut_separator(&bytes, at, &new, cut);
        let mut right = empty_leaf(BlockSize::K2, shape);
        leaf::divide(&mut bytes, cut.keep, &mut right);
        if cut.fits {
            let (side, position) = if cut.right { (&mut right, at - cut.keep) } else { (&mut bytes, at) };
            prop_assert!(leaf::insert(side, position, &new, rowid(9999)));
            all.insert(at, (new.clone(), rowid(9999)));
        }
        prop_assert_eq!(cut.ninety_ten, last && at == before);
        validate(&bytes, HERE).unwrap();
        validate(&right, HERE).unwrap();
        let entries = |b: &[u8]| (0..Leaf::of(b).entries()).map(|i| (Leaf::of(b).key(i).to_vec(), Leaf::of(b).entry(i).rowid)).collect::<Vec<_>>();
        let (left, right) = (entries(&bytes), entries(&right));
        for (image, _) in &left {
            prop_assert!(!Target::before(image).is_past_separator(&separator));
        }
        for (image, _) in &right {
            prop_assert!(Target::before(image).is_past_separator(&separator));
        }
        prop_assert_eq!(Target::before(&new).is_past_separator(&separator), cut.right);
        prop_assert_eq!([left, right].concat(), all);
    }

    #[test]
    fn a_branch_divides_without_loss(lengths in prop::collection::vec(0usize..700, 1..60), place in any::<usize>(), length in 0usize..1400, edge: bool) {
        let shape = KeyShape { columns: 1, unique: false };
        let mut bytes = formatted(BlockSize::K2, true);
        branch::init(&mut bytes, 3, shape, HERE.plus(1000));
        let image = |n: usize, length: usize| {
            let mut image = Vec::new();
            key::put_column(&mut image, Some(&[&(n as u32).to_be_bytes()[..], &vec![7; length]].concat()));
            // Every second separator has all columns of a key: no TERM.
            if length.is_multiple_of(2) {
                key::put_rowid(&mut image, rowid(n as u32));
            }
            image
        };
        let mut all = vec![(Vec::new(), HERE.plus(1000))];
        for (n, length) in lengths.iter().enumerate() {
            let separator = image(2 * n + 1, *length);
            if !branch::append(&mut bytes, &separator, HERE.plus(n as u32)) {
                break;
            }
            all.push((separator, HERE.plus(n as u32)));
        }
        validate(&bytes, HERE).unwrap();
        for (i, (separator, child)) in all.iter().enumerate().skip(1) {
            prop_assert_eq!(Branch::of(&bytes).child(Branch::of(&bytes).find(Target::before(separator))), *child);
            prop_assert_eq!(Branch::of(&bytes).separator(i - 1), &separator[..]);
        }
        let at = place % all.len();
        let new = image(2 * at, length);
        prop_assume!(!Branch::of(&bytes).fits(&new));

        let middle = branch::cut(&bytes, at, &new, edge);
        let up = branch::promoted(&bytes, at, &new, middle);
        let mut right = formatted(BlockSize::K2, true);
        branch::divide(&mut bytes, at, &new, HERE.plus(2000), middle, &mut right);
        all.insert(at + 1, (new, HERE.plus(2000)));
        validate(&bytes, HERE).unwrap();
        validate(&right, HERE).unwrap();
        let children = |b: &[u8], first: Vec<u8>| {
            let branch = Branch::of(b);
            assert_eq!(branch.level(), 3);
            (0..branch.children()).map(|i| (if i == 0 { first.clone() } else { branch.separator(i - 1).to_vec() }, branch.child(i))).collect::<Vec<_>>()
        };
        prop_assert_eq!([children(&bytes, Vec::new()), children(&right, up)].concat(), all);
    }

    #[test]
    fn any_bytes_are_checked_without_harm(seed in prop::collection::vec(any::<u8>(), 64), at in 0usize..2048, level in 0u8..2) {
        let shape = KeyShape { columns: 1, unique: level == 1 };
        let mut bytes = empty_leaf(BlockSize::K2, shape);
        for n in 0..40 {
            leaf::append(&mut bytes, &stored(shape, &[9, n], u32::from(n)), rowid(u32::from(n)));
        }
        for (i, byte) in seed.iter().enumerate() {
            let place = 44 + (at + i * i) % 2004;
            if byte % 3 == 0 {
                bytes[place % 2048] = *byte;
            }
        }
        let _ = check(&bytes, HERE).and_then(|()| validate(&bytes, HERE));
        let _ = dump(&bytes);
    }
}

#[test]
fn a_flipped_structure_byte_is_named() {
    let shape = KeyShape { columns: 1, unique: true };
    let mut bytes = empty_leaf(BlockSize::K4, shape);
    for n in 0..100u8 {
        leaf::append(&mut bytes, &stored(shape, &[n], u32::from(n)), rowid(u32::from(n)));
    }
    validate(&bytes, HERE).unwrap();
    let base = transaction::body_offset(&bytes);
    // Each byte of the header and the directory, but the spare ones, the links, and the free space's end, which may lie
    // low.
    let spare_or_link =
        |at: usize| [2, 4, 5, 6, 7, 12, 13, 16, 17].contains(&at) || (20..28).contains(&at) || (29..32).contains(&at);
    for at in (0..36 + 2 * 100).filter(|at| !spare_or_link(*at)) {
        let mut bad = bytes.clone();
        bad[base + at] ^= 0x04;
        let error = validate(&bad, HERE).expect_err(&format!("header byte {at}"));
        assert!(error.is_ora(1578) && error.text.contains("block # 200"));
    }
}

#[test]
fn a_dump_shows_entries_links_and_separators() {
    let shape = KeyShape { columns: 1, unique: false };
    let mut bytes = empty_leaf(BlockSize::K2, shape);
    leaf::set_next(&mut bytes, HERE.plus(9));
    leaf::append(&mut bytes, &stored(shape, &[0xc1, 2], 117), rowid(117));
    leaf::set_deleted(&mut bytes, 0, true);
    let text = dump(&bytes);
    assert!(text.contains("previous none  next 5.209  deleted 1"), "{text}");
    assert!(text.contains("entry 0 flags D lock 0 row 4.129 slot 17  col 0 (2) c1 02\n"), "{text}");
    branch::init(&mut bytes, 1, shape, HERE.plus(1));
    branch::append(&mut bytes, &[1, 0xc1], HERE.plus(2));
    let text = dump(&bytes);
    assert!(text.contains("leftmost child 5.201") && text.contains("entry 0 child 5.202  col 0 (1) c1\n"), "{text}");
}
