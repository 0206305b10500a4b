//! The SQL id and hash value of a statement's text.
//!
//! The MD5 of the text and a zero byte ends in two little-endian words. The last one is the hash value; both together,
//! the last one low, are the SQL id, written in base 32.

use md5::{Digest, Md5};

const DIGITS: &[u8; 32] = b"0123456789abcdfghjkmnpqrstuvwxyz";

/// Characters of an SQL id: 64 bits, 5 a character.
const SQL_ID_CHARACTERS: usize = 13;

fn words(text: &str) -> (u32, u32) {
    let digest = Md5::new().chain_update(text.as_bytes()).chain_update([0]).finalize();
    let word = |at: usize| u32::from_le_bytes([digest[at], digest[at + 1], digest[at + 2], digest[at + 3]]);
    (word(8), word(12))
}

/// The 13 characters of a statement's SQL id.
#[must_use]
pub fn sql_id(text: &str) -> String {
    let (high, low) = words(text);
    let id = u64::from(high) << 32 | u64::from(low);
    (0..SQL_ID_CHARACTERS).rev().map(|place| char::from(DIGITS[(id >> (5 * place)) as usize & 31])).collect()
}

/// A statement's hash value.
#[must_use]
pub fn sql_hash(text: &str) -> u32 {
    words(text).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widely_known_statement() {
        assert_eq!(sql_id("select * from dual"), "a5ks9fhw2v9s1");
        assert_eq!(sql_hash("select * from dual"), 942_515_969);
    }
}
