//! Redo that is applied together, sorted by block.

use common::{Error, ErrorKind, Number, Result};
use format::redo::{RECORD_BYTES, Record, SESSION, Vector};

/// Bytes of redo in a batch; a batch may exceed it by one write of the log.
const BATCH_BYTES: usize = 8 << 20;

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// Bytes of redo in a batch, for tests.
    pub static BATCH_BYTES_OF_TEST: std::cell::Cell<usize> = const { std::cell::Cell::new(BATCH_BYTES) };
}

pub(super) fn batch_bytes() -> usize {
    #[cfg(any(test, feature = "testing"))]
    return BATCH_BYTES_OF_TEST.get();
    #[cfg(not(any(test, feature = "testing")))]
    BATCH_BYTES
}

/// Neighbouring blocks go to the same part: their reads can be one.
const NEIGHBOURS: u32 = 32;

/// Records of the log, with the places of their vectors by part and block.
#[derive(Default, Debug)]
pub(super) struct RedoBatch {
    bytes: Vec<u8>,
    /// Keys of the vectors, by part: block address in the upper half, place in `bytes` in the lower. Sorted, they are
    /// in the order of blocks, and for each block in the order of the log.
    parts: Vec<Vec<u64>>,
    pub(super) records: u64,
    /// The last SCN in it.
    pub(super) scn: u64,
}

impl RedoBatch {
    /// # Errors
    /// ORA-00353 for bytes that are no records.
    pub(super) fn parse(bytes: Vec<u8>, parts: usize) -> Result<Self> {
        let mut batch = Self { parts: vec![Vec::new(); parts], ..Self::default() };
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let length = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
            let record = rest.get(..length).ok_or_else(|| {
                Error::new(ErrorKind::Corrupt, Number::Ora(353), "a redo record does not end with its write")
            })?;
            let record = Record::parse(record)?;
            batch.records += 1;
            batch.scn = batch.scn.max(record.scn.0);
            for vector in record.each() {
                let (place, vector) = vector?;
                if vector.code == SESSION {
                    continue;
                }
                let address = vector.address.pack();
                let place = (at + RECORD_BYTES + place) as u64;
                batch.parts[part_of(address, parts)].push(u64::from(address) << 32 | place);
            }
            debug_assert!(length >= RECORD_BYTES, "a record of {length} bytes");
            at += length;
        }
        batch.bytes = bytes;
        Ok(batch)
    }

    /// The keys of one part's vectors, sorted. [`Batch::vector`] takes one.
    pub(super) fn sorted(&self, part: usize) -> Vec<u64> {
        let mut keys = self.parts[part].clone();
        keys.sort_unstable();
        debug_assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "a vector comes twice");
        keys
    }

    pub(super) fn vector(&self, key: u64) -> Result<Vector<'_>> {
        Vector::parse(&self.bytes[key as u32 as usize..])
    }
}

/// The part that has the redo of a block.
fn part_of(address: u32, parts: usize) -> usize {
    let spread = (address / NEIGHBOURS).wrapping_mul(0x9e37_79b9) >> 16;
    debug_assert!(parts > 0, "a batch has no parts");
    spread as usize % parts.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::{BlockAddress, FileNumber, Scn};
    use format::redo::{self, Version};

    fn record(scn: u64, blocks: &[u32]) -> Vec<u8> {
        let mut out = Vec::new();
        redo::begin(&mut out);
        for block in blocks {
            let mut bytes = vec![0; 2048];
            let address = BlockAddress::new(FileNumber(3), *block);
            format::block::format(&mut bytes, format::block::BlockType::Data, address);
            redo::image(&mut out, 1, address, &bytes, Version { scn, seq: 1 });
        }
        redo::finish(&mut out, blocks.len() as u16, Scn(scn), 1);
        out
    }

    #[test]
    fn each_block_is_in_one_part_with_its_vectors_in_the_order_of_the_log() {
        let mut bytes = Vec::new();
        for scn in 1..=50 {
            bytes.extend_from_slice(&record(scn, &[scn as u32 % 7 * 100, 5, scn as u32 * 40]));
        }
        let batch = RedoBatch::parse(bytes, 3).unwrap();
        assert_eq!((batch.records, batch.scn), (50, 50));
        let mut found = std::collections::BTreeMap::<u32, (usize, Vec<u64>)>::new();
        for part in 0..3 {
            for key in batch.sorted(part) {
                let vector = batch.vector(key).unwrap();
                let (first, scns) = found.entry(vector.address.block).or_insert((part, Vec::new()));
                assert_eq!(*first, part, "block {}", vector.address);
                scns.push(vector.after.scn);
            }
        }
        assert_eq!(found[&5].1, (1..=50).collect::<Vec<_>>());
        assert_eq!(found.values().map(|(_, scns)| scns.len()).sum::<usize>(), 150);
        assert!(found.values().all(|(_, scns)| scns.is_sorted()));
        assert!((0..3).all(|part| !batch.sorted(part).is_empty()));
    }

    #[test]
    fn a_batch_cut_within_a_record_is_damaged() {
        let whole = record(4, &[1, 2]);
        for length in [whole.len() - 1, 30, 10] {
            assert!(RedoBatch::parse(whole[..length].to_vec(), 2).unwrap_err().is_ora(353), "{length}");
        }
    }
}
