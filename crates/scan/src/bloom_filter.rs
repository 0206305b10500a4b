//! Bloom filters: which values a join has on its other side. No value of that side is missing; a few others seem to be
//! there.

use twox_hash::XxHash3_64;

/// Bits for each value.
const BITS_EACH: usize = 10;
/// Below so many bits for each value a filter lets too much through.
const BITS_EACH_MIN: usize = 5;
/// Places that each value sets.
const PLACES: u64 = 4;
/// Bytes of a filter at most: it goes along with each request of a scan.
const BYTES_MAX: usize = 32 << 10;

/// A Bloom filter of stored values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BloomFilter {
    /// As many as a power of two.
    words: Box<[u64]>,
}

impl BloomFilter {
    /// What [`BloomFilter::of`] takes of a value.
    #[must_use]
    pub fn hash(value: &[u8]) -> u64 {
        XxHash3_64::oneshot(value)
    }

    /// Values for which a filter is worth its while, at most.
    pub const VALUES_MAX: usize = BYTES_MAX * 8 / BITS_EACH_MIN;

    /// The filter of values by their hashes; None where there are too many of them.
    #[must_use]
    pub fn of(hashes: &[u64]) -> Option<Self> {
        if hashes.len() > Self::VALUES_MAX {
            return None;
        }
        let words = (hashes.len() * BITS_EACH).div_ceil(64).next_power_of_two().min(BYTES_MAX / 8);
        let mut filter = Self { words: vec![0; words].into() };
        for hash in hashes {
            for (word, bit) in filter.places(*hash) {
                filter.words[word] |= bit;
            }
        }
        Some(filter)
    }

    /// Word and bit of each place of a value.
    fn places(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let mask = self.words.len() as u64 * 64 - 1;
        let step = (hash >> 32) | 1;
        (0..PLACES).map(move |number| {
            let at = hash.wrapping_add(number.wrapping_mul(step)) & mask;
            ((at / 64) as usize, 1 << (at % 64))
        })
    }

    /// False: the value is not one of the filter's.
    #[inline]
    #[must_use]
    pub fn may_have(&self, value: &[u8]) -> bool {
        self.places(Self::hash(value)).all(|(word, bit)| self.words[word] & bit != 0)
    }

    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The filter whose bytes these are; None where there is none.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let fits = words.len().is_power_of_two() && bytes.len() <= BYTES_MAX;
        fits.then(|| Self { words: words.iter().map(|word| u64::from_le_bytes(*word)).collect() })
    }
}
