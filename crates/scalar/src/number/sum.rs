//! SUM and AVG: exact for any count of numbers, rounded once at the end.

use common::Result;
use format::number::{self, NumberBytes};
use num_bigint::BigInt;

use super::{arithmetic, big};

/// Decimal places of the fast total.
const SCALE: i32 = 10;
/// Decimal places at which every NUMBER is an integer.
const EXACT: i64 = 168;

/// A running total of numbers that are not NULL.
#[derive(Clone, Default, Debug)]
pub struct Sum {
    count: u64,
    /// In units of 10^-10, as long as that is exact.
    total: i128,
    /// In units of 10^-168: values that did not fit the other.
    rest: Option<Box<BigInt>>,
}

impl Sum {
    /// Count of numbers added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn add(&mut self, value: &NumberBytes) {
        self.count += 1;
        if let Some(units) = number::decode_i128(value, SCALE)
            && let Some(total) = self.total.checked_add(units)
        {
            self.total = total;
            return;
        }
        *self.rest.get_or_insert_default().as_mut() += big::scaled(value, EXACT);
    }

    pub fn subtract(&mut self, value: &NumberBytes) {
        self.add(&value.negate());
        self.count = self.count.saturating_sub(2);
    }

    /// Takes in another total: that of other rows of the same group.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        match self.total.checked_add(other.total) {
            Some(total) => self.total = total,
            None => *self.rest.get_or_insert_default().as_mut() += BigInt::from(other.total) * unit(),
        }
        if let Some(rest) = &other.rest {
            *self.rest.get_or_insert_default().as_mut() += rest.as_ref();
        }
    }

    /// A total that another accumulator reported, of `count` numbers.
    #[must_use]
    pub fn from_parts(count: u64, sum: &NumberBytes) -> Self {
        let mut total = Self::default();
        total.add(sum);
        total.count = count;
        total
    }

    /// SUM: None when there was no number.
    ///
    /// # Errors
    /// ORA-01426.
    pub fn sum(&self) -> Result<Option<NumberBytes>> {
        if self.count == 0 {
            return Ok(None);
        }
        Ok(Some(match &self.rest {
            None => number::encode_i128(self.total, SCALE)?,
            Some(rest) => big::number(&(rest.as_ref() + BigInt::from(self.total) * unit()), EXACT)?,
        }))
    }

    /// AVG: None when there was no number.
    ///
    /// # Errors
    /// ORA-01426.
    pub fn average(&self) -> Result<Option<NumberBytes>> {
        let count = number::encode_i64(i64::try_from(self.count).unwrap_or(i64::MAX));
        self.sum()?.map(|sum| arithmetic::divide(&sum, &count)).transpose()
    }
}

fn unit() -> BigInt {
    big::power_of_ten((EXACT - i64::from(SCALE)) as u32)
}
