//! Several byte strings as one, from an aggregate's first phase to its second. Each is preceded by its length, 4 bytes
//! little-endian.

use common::{Error, Result};

#[derive(Debug, Default)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let length = u32::try_from(bytes.len()).map_err(|_| Error::bug("a value of 4 GB in an aggregate"))?;
        self.0.extend_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The strings of [`Packed`], in order.
pub(crate) fn unpack(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let damaged = || Error::bug("an aggregate's state that was not packed");
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
        parts.push(part);
        bytes = rest;
    }
    Ok(parts)
}
