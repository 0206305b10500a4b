//! Index blocks and what is done to them.

use common::{BlockAddress, FileNumber, ObjectNumber, limits};
use format::block::{self, BlockType};
use format::index::header::{self, KeyShape};
use format::index::key::{self, Target};
use format::index::{self, Branch, Leaf, branch, leaf};
use format::transaction::{self, BlockOwner, Owner};

use crate::{HERE, Input, formatted, patch};

/// A leaf or a branch after some changes, with some bytes of it changed.
pub fn make(input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = formatted(input, BlockType::Data);
    let choice = input.byte();
    let bitmap = (choice & 1 != 0).then(|| BlockAddress::new(FileNumber(4), 9));
    let owner = BlockOwner { owner: Owner::Index, object: ObjectNumber(77), itl_slots: choice >> 1 & 3, bitmap };
    transaction::init(&mut bytes, owner);
    let shape = KeyShape { columns: (choice >> 4) % 3 + 1, unique: choice & 8 != 0 };
    if choice & 0x80 == 0 {
        leaf::init(&mut bytes, shape, BlockAddress::NONE, HERE.plus(1));
    } else {
        branch::init(&mut bytes, input.byte() % 3 + 1, shape, HERE.plus(2));
    }
    for _ in 0..input.byte() % 16 {
        step(&mut bytes, input);
    }
    patch(&mut bytes, input);
    block::seal(&mut bytes);
    bytes
}

fn stored_key(shape: KeyShape, input: &mut Input<'_>) -> Vec<u8> {
    let mut image = Vec::new();
    for _ in 0..shape.columns {
        key::put_column(&mut image, input.column().as_deref());
    }
    if !shape.unique {
        key::put_rowid(&mut image, [input.byte(); 6]);
    }
    image
}

/// Does one thing to a valid block.
pub fn step(block: &mut [u8], input: &mut Input<'_>) {
    let shape = header::shape(block);
    if usize::from(shape.columns) > limits::INDEX_COLUMNS_MAX {
        return;
    }
    if index::is_leaf(block) {
        leaf_step(block, shape, input)
    } else {
        branch_step(block, shape, input)
    }
    valid(block);
}

fn valid(block: &[u8]) {
    if let Err(error) = index::validate(block, HERE) {
        panic!("a valid block became invalid: {error}\n{}", index::dump(block));
    }
}

fn keys(block: &[u8]) -> Vec<Vec<u8>> {
    let leaf = Leaf::of(block);
    (0..leaf.entries()).map(|i| leaf.key(i).to_vec()).collect()
}

fn leaf_step(block: &mut [u8], shape: KeyShape, input: &mut Input<'_>) {
    let entries = Leaf::of(block).entries();
    let mut expected = keys(block);
    let at = input.below(entries);
    match input.byte() % 8 {
        0..=3 => {
            let key = stored_key(shape, input);
            let leaf = Leaf::of(block);
            if let Err(at) = leaf.search(&key) {
                let fits = leaf::footprint(shape, &key) <= leaf.available();
                assert_eq!(leaf::insert(block, at, &key, [7; 6]), fits, "available bytes and insert disagree");
                if fits {
                    expected.insert(at, key);
                } else if key.len() <= key::longest(common::BlockSize::from_bytes(block.len() as u64).expect("a size"))
                {
                    divide_leaf(block, at, &key, shape);
                    return;
                }
            }
        }
        4 if entries > 0 => {
            leaf::remove(block, at);
            expected.remove(at);
        }
        5 | 6 if entries > 0 => leaf::set_deleted(block, at, input.byte() & 1 != 0),
        7 => {
            let before = Leaf::of(block).deleted();
            let kept = (0..entries).filter(|i| !Leaf::of(block).is_deleted(*i)).map(|i| expected[i].clone()).collect();
            assert_eq!(leaf::purge(block), before);
            expected = kept;
        }
        _ => {}
    }
    assert_eq!(keys(block), expected);
}

/// Splits a full leaf for one more key. The left half stays for the next step.
fn divide_leaf(block: &mut [u8], at: usize, key: &[u8], shape: KeyShape) {
    let before = keys(block);
    let cut = leaf::cut(block, at, leaf::footprint(shape, key));
    if cut.keep == 0 {
        return;
    }
    let mut right = block.to_vec();
    leaf::init(&mut right, shape, BlockAddress::NONE, BlockAddress::NONE);
    leaf::divide(block, cut.keep, &mut right);
    valid(block);
    valid(&right);
    assert_eq!([keys(block), keys(&right)].concat(), before);
    if cut.fits {
        let (side, at) = if cut.right { (&mut right[..], at - cut.keep) } else { (&mut *block, at) };
        assert!(leaf::insert(side, at, key, [7; 6]), "the cut promised room");
        valid(side);
    }
}

fn separators(block: &[u8]) -> Vec<Vec<u8>> {
    let branch = Branch::of(block);
    (0..branch.separators()).map(|i| branch.separator(i).to_vec()).collect()
}

fn branch_step(block: &mut [u8], shape: KeyShape, input: &mut Input<'_>) {
    let branch = Branch::of(block);
    let count = branch.separators();
    let at = input.below(count);
    if input.byte() % 4 == 0 {
        if count > 0 {
            let mut expected = separators(block);
            expected.remove(at);
            branch::remove(block, at);
            assert_eq!(separators(block), expected);
        }
        return;
    }
    let mut separator = Vec::new();
    for _ in 0..input.below(usize::from(shape.columns)) + 1 {
        key::put_column(&mut separator, input.column().as_deref());
    }
    let all = separators(block);
    let Err(at) = all.binary_search_by(|other| key::compare(other, &separator)) else { return };
    let child = HERE.plus(u32::from(input.byte()) + 1);
    let fits = branch.fits(&separator);
    assert_eq!(branch::insert(block, at, &separator, child), fits, "available bytes and insert disagree");
    if fits {
        assert_eq!(Branch::of(block).separator(at), separator);
        assert_eq!(Branch::of(block).child(at + 1), child);
    } else if separator.len() <= key::longest(common::BlockSize::from_bytes(block.len() as u64).expect("a size")) {
        let middle = branch::cut(block, at, &separator, input.byte() & 1 != 0);
        let promoted = branch::promoted(block, at, &separator, middle);
        let mut right = block.to_vec();
        branch::divide(block, at, &separator, child, middle, &mut right);
        valid(block);
        valid(&right);
        let mut expected = all;
        expected.insert(at, separator);
        assert_eq!(expected.remove(middle), promoted);
        assert_eq!([separators(block), separators(&right)].concat(), expected);
    }
}

/// Reads a valid block in every way there is.
pub fn read(block: &[u8], input: &mut Input<'_>) {
    let columns = input.columns(3);
    let mut image = Vec::new();
    for column in &columns {
        key::put_column(&mut image, column.as_deref());
    }
    let (before, after) = (Target::before(&image), Target::after(&image));
    if index::is_leaf(block) {
        let leaf = Leaf::of(block);
        for i in 0..leaf.entries() {
            assert_eq!(leaf.search(leaf.key(i)), Ok(i));
            assert!(leaf.footprint(i) > leaf.key(i).len());
            let _ = leaf.entry(i).columns().count();
        }
        if columns.len() <= usize::from(leaf.shape().key_columns()) {
            let (low, high) = (leaf.lower_bound(before), leaf.lower_bound(after));
            assert!(low <= high && high <= leaf.entries());
        }
    } else {
        let branch = Branch::of(block);
        for i in 0..branch.separators() {
            assert!(branch.find(Target::before(branch.separator(i))) > i);
        }
        let (low, high) = (branch.find(before), branch.find(after));
        assert!(low <= high && high < branch.children());
        let _ = (branch.child(low), branch.child(high));
    }
}
