//! Keys as bytes: the column images that leaves and branches store, their order, and separators.
//!
//! ```text
//!   column  1 byte length (0 to 127), or 0x80 + high byte, low byte (128 and more), then the data;  0xff alone is NULL
//!   key     the columns one after another; in an index that is not unique the rowid (6 bytes) is the last column
//!   TERM    0xfe ends a separator that has fewer columns than a key
//! ```
//!
//! Order: column by column, data by `memcmp`, a shorter value before its extensions, NULL after every value.
//! With the rowid as last column no two keys of an index are equal.

use std::cmp::Ordering;

use common::BlockSize;

/// Stands for a NULL column.
pub const NULL: u8 = 0xff;
/// Ends a truncated separator.
pub const TERM: u8 = 0xfe;
/// Longest column data whose length takes one byte.
const SHORT_MAX: usize = 0x7f;
/// Bytes of a rowid in an entry.
pub const ROWID_BYTES: usize = 6;
/// Bytes of the rowid as a column.
pub const ROWID_COLUMN_BYTES: usize = 1 + ROWID_BYTES;

/// Longest key, length bytes and rowid included, that an index in blocks of this size takes (ORA-01450 beyond it).
///
/// 1478, 3118, 6398, 12958 and 26078 bytes: about four fifths of a block, as Oracle's limits are. At least one entry
/// then fits a leaf, and two children a branch, which is what splits need.
#[must_use]
pub const fn longest(size: BlockSize) -> usize {
    1640 * (size.bytes() / 2048) - 162
}

/// Appends one column to a key image.
pub fn put_column(image: &mut Vec<u8>, column: Option<&[u8]>) {
    match column {
        None => image.push(NULL),
        Some(data) => {
            if data.len() <= SHORT_MAX {
                image.push(data.len() as u8);
            } else {
                debug_assert!(data.len() < 0x7e00, "a column value is at most 4000 bytes");
                image.extend_from_slice(&(0x8000 | data.len() as u16).to_be_bytes());
            }
            image.extend_from_slice(data);
        }
    }
}

/// Appends the rowid as the last column of a key that need not be unique.
pub fn put_rowid(image: &mut Vec<u8>, rowid: [u8; ROWID_BYTES]) {
    image.push(ROWID_BYTES as u8);
    image.extend_from_slice(&rowid);
}

/// True: no column of the key has a value: such rows are not indexed.
#[must_use]
pub fn all_null(image: &[u8]) -> bool {
    Columns::of(image).all(|column| column.is_none())
}

/// The columns of a key image or separator, in order. Bytes that make no column end it.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    rest: &'a [u8],
}

impl<'a> Columns<'a> {
    #[must_use]
    pub fn of(image: &'a [u8]) -> Self {
        Self { rest: image }
    }

    /// The columns not yet taken.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = self.rest.split_first()?;
        let (length, rest) = match *first {
            NULL => {
                self.rest = rest;
                return Some(None);
            }
            TERM => return None,
            short if usize::from(short) <= SHORT_MAX => (usize::from(short), rest),
            high => {
                let (low, rest) = rest.split_first()?;
                (usize::from(high & 0x7f) << 8 | usize::from(*low), rest)
            }
        };
        let (data, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(data))
    }
}

/// Bytes of `columns` columns at the start of `bytes`; None where they do not parse.
#[must_use]
pub(crate) fn image_bytes(bytes: &[u8], columns: u8) -> Option<usize> {
    let mut walk = Columns::of(bytes);
    for _ in 0..columns {
        walk.next()?;
    }
    Some(bytes.len() - walk.rest().len())
}

#[inline]
fn compare_column(a: Option<&[u8]>, b: Option<&[u8]>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(b),
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    }
}

/// The order of two images. One that is a column-wise prefix of the other comes first.
#[must_use]
#[inline]
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (mut a, mut b) = (Columns::of(a), Columns::of(b));
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => match compare_column(a, b) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
        }
    }
}

/// A position between two keys: just before, or just after, every key that starts with the columns of `image`.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Leading columns; none at all means every key.
    pub image: &'a [u8],
    pub after: bool,
}

impl<'a> Target<'a> {
    #[must_use]
    pub fn before(image: &'a [u8]) -> Self {
        Self { image, after: false }
    }

    #[must_use]
    pub fn after(image: &'a [u8]) -> Self {
        Self { image, after: true }
    }

    /// True: a leaf's key lies before this position.
    #[must_use]
    #[inline]
    pub fn is_past_key(self, key: &[u8]) -> bool {
        let mut key = Columns::of(key);
        for bound in Columns::of(self.image) {
            let Some(column) = key.next() else { return true };
            match compare_column(column, bound) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => {}
            }
        }
        self.after
    }

    /// True: the search for this position goes to the right of `separator`: every key at or behind the position is
    /// there.
    #[must_use]
    #[inline]
    pub fn is_past_separator(self, separator: &[u8]) -> bool {
        match compare_prefix(separator, self.image) {
            // The separator has no more columns than the target: all keys that start with the target are right of it.
            (Ordering::Equal, false) => true,
            // The separator continues behind the target's end: it lies among the keys that start with the target.
            (Ordering::Equal, true) => self.after,
            (unequal, _) => unequal == Ordering::Less,
        }
    }
}

/// Compares the leading columns that both have; also returns true when `a` has more of them.
fn compare_prefix(a: &[u8], b: &[u8]) -> (Ordering, bool) {
    let (mut a, mut b) = (Columns::of(a), Columns::of(b));
    loop {
        let Some(right) = b.next() else { return (Ordering::Equal, a.next().is_some()) };
        let Some(left) = a.next() else { return (Ordering::Equal, false) };
        match compare_column(left, right) {
            Ordering::Equal => {}
            unequal => return (unequal, false),
        }
    }
}

/// The shortest image that is greater than `left` and not greater than `right`, where `left` < `right`.
///
/// Whole columns as far as they agree, then of the first column that differs only the deciding bytes.
#[must_use]
pub fn separator(left: &[u8], right: &[u8]) -> Vec<u8> {
    debug_assert_eq!(compare(left, right), Ordering::Less);
    let mut l = Columns::of(left);
    let mut image = Vec::new();
    for column in Columns::of(right) {
        match (l.next(), column) {
            (Some(Some(a)), Some(b)) if a != b => {
                let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                put_column(&mut image, Some(&b[..(common + 1).min(b.len())]));
                return image;
            }
            (Some(same), column) if same == column => put_column(&mut image, column),
            _ => {
                put_column(&mut image, column);
                return image;
            }
        }
    }
    image
}

/// Eight bytes whose order never contradicts [`compare`]: where they differ, they decide.
///
/// Each value is written so that its end sorts before any continuation and NULL behind everything: 00 ends a value, ff
/// is NULL, and the four bytes that would be mistaken for those are escaped (00 01 ff fe become 01 01, 01 02, fe 02, fe
/// 01).
#[must_use]
pub fn sort_prefix(image: &[u8]) -> u64 {
    let mut prefix = [0u8; 8];
    let mut at = 0;
    let mut put = |byte: u8| {
        if at == prefix.len() {
            return false;
        }
        prefix[at] = byte;
        at += 1;
        true
    };
    'columns: for column in Columns::of(image) {
        let Some(data) = column else {
            if put(0xff) {
                continue;
            }
            break;
        };
        for byte in data {
            let fits = match *byte {
                0x00 => put(1) && put(1),
                0x01 => put(1) && put(2),
                0xfe => put(0xfe) && put(1),
                0xff => put(0xfe) && put(2),
                plain => put(plain),
            };
            if !fits {
                break 'columns;
            }
        }
        if !put(0x00) {
            break;
        }
    }
    u64::from_be_bytes(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Columns_ = Vec<Option<Vec<u8>>>;

    fn image(columns: &Columns_) -> Vec<u8> {
        let mut image = Vec::new();
        for column in columns {
            put_column(&mut image, column.as_deref());
        }
        image
    }

    /// The order in other terms: NULL as a value above all others.
    fn model(columns: &Columns_) -> Vec<(bool, Vec<u8>)> {
        columns.iter().map(|c| (c.is_none(), c.clone().unwrap_or_default())).collect()
    }

    fn column() -> impl Strategy<Value = Option<Vec<u8>>> {
        let byte = prop_oneof![Just(0u8), Just(1), Just(2), Just(0xfd), Just(0xfe), Just(0xff), any::<u8>()];
        prop_oneof![
            1 => Just(None),
            8 => prop::collection::vec(byte, 0..6).prop_map(Some),
            1 => prop::collection::vec(any::<u8>(), 120..300).prop_map(Some),
        ]
    }

    fn keys() -> impl Strategy<Value = (Columns_, Columns_)> {
        (1usize..4).prop_flat_map(|n| {
            let key = || prop::collection::vec(column(), n);
            (key(), key(), prop::bool::weighted(0.3), 0usize..4).prop_map(|(a, mut b, share, upto)| {
                if share {
                    let upto = upto.min(b.len());
                    b[..upto].clone_from_slice(&a[..upto]);
                }
                (a, b)
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn images_round_trip_and_keep_the_order((a, b) in keys()) {
            let (x, y) = (image(&a), image(&b));
            let back: Columns_ = Columns::of(&x).map(|c| c.map(<[u8]>::to_vec)).collect();
            prop_assert_eq!(&back, &a);
            prop_assert_eq!(image_bytes(&x, a.len() as u8), Some(x.len()));
            prop_assert_eq!(compare(&x, &y), model(&a).cmp(&model(&b)));
            let (p, q) = (sort_prefix(&x), sort_prefix(&y));
            if p != q {
                prop_assert_eq!(p.cmp(&q), compare(&x, &y));
            }
        }

        #[test]
        fn a_separator_separates_and_is_as_short_as_can_be((a, b) in keys()) {
            let (x, y) = (image(&a), image(&b));
            let (low, high) = match compare(&x, &y) {
                Ordering::Equal => return Ok(()),
                Ordering::Less => (x, y),
                Ordering::Greater => (y, x),
            };
            let between = separator(&low, &high);
            prop_assert_eq!(compare(&low, &between), Ordering::Less);
            prop_assert!(compare(&between, &high) != Ordering::Greater);
            prop_assert!(between.len() <= high.len());
            for after in [false, true] {
                let (below, above) = (Target { image: &low, after }, Target { image: &high, after });
                prop_assert!(!below.is_past_separator(&between));
                prop_assert!(above.is_past_separator(&between));
            }
            // One byte less of the last column no longer tells them apart.
            let mut shorter: Columns_ = Columns::of(&between).map(|c| c.map(<[u8]>::to_vec)).collect();
            if let Some(Some(last)) = shorter.last_mut()
                && last.pop().is_some()
            {
                prop_assert_ne!(compare(&low, &image(&shorter)), Ordering::Less);
            }
        }

        #[test]
        fn a_place_lies_between_the_keys_it_should((a, b) in keys(), columns in 0usize..4) {
            let prefix: Columns_ = a.iter().take(columns).cloned().collect();
            let (bound, key) = (image(&prefix), image(&b));
            let order = model(&b)[..prefix.len()].cmp(&model(&prefix)[..]);
            prop_assert_eq!(Target::before(&bound).is_past_key(&key), order == Ordering::Less);
            prop_assert_eq!(Target::after(&bound).is_past_key(&key), order != Ordering::Greater);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Columns::of(&bytes).count();
            let _ = compare(&bytes, &[3, 1, 2, 3]);
            let _ = sort_prefix(&bytes);
        }
    }

    #[test]
    fn longest_keys_are_those_of_the_block_size() {
        assert_eq!(BlockSize::ALL.map(longest), [1478, 3118, 6398, 12958, 26078]);
    }
}
