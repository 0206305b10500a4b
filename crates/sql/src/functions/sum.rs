//! A running sum of NUMBERs, exact as long as 38 digits hold it.

use common::Result;
use format::number::{self, NumberBytes};
use scalar::number::arithmetic;

/// Sum and count of NUMBERs. Most of the sum is one 128-bit integer; values that do not fit are added as NUMBER.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberSum {
    count: u64,
    total: i128,
    /// `total` is in units of 10^-scale.
    scale: i32,
    rest: NumberBytes,
}

impl NumberSum {
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.count += 1;
        self.change(bytes, false)
    }

    pub(crate) fn remove(&mut self, bytes: &[u8]) -> Result<()> {
        self.count -= 1;
        self.change(bytes, true)
    }

    /// Adds another sum, given as value and count.
    pub(crate) fn merge(&mut self, sum: &[u8], count: u64) -> Result<()> {
        self.count += count;
        self.change(sum, false)
    }

    fn change(&mut self, bytes: &[u8], negate: bool) -> Result<()> {
        if let Some(total) = self.fast(bytes, negate) {
            self.total = total;
            return Ok(());
        }
        let value = NumberBytes::from_trusted(bytes);
        let value = if negate { value.negate() } else { value };
        self.rest = arithmetic::add(&self.rest, &value)?;
        Ok(())
    }

    fn fast(&mut self, bytes: &[u8], negate: bool) -> Option<i128> {
        let (coefficient, scale) = number::decode_scaled(bytes)?;
        let coefficient = if negate { -coefficient } else { coefficient };
        if scale > self.scale {
            let power = 10i128.checked_pow((scale - self.scale) as u32)?;
            self.total = self.total.checked_mul(power)?;
            self.scale = scale;
            return self.total.checked_add(coefficient);
        }
        let power = 10i128.checked_pow((self.scale - scale) as u32)?;
        self.total.checked_add(coefficient.checked_mul(power)?)
    }

    /// The sum; None over no values.
    pub(crate) fn value(&self) -> Result<Option<NumberBytes>> {
        if self.count == 0 {
            return Ok(None);
        }
        let total = number::encode_i128(self.total, self.scale)?;
        Ok(Some(if self.rest.is_zero() { total } else { arithmetic::add(&total, &self.rest)? }))
    }
}
