//! VARIANCE and STDDEV from the sums of values and of their squares, in NUMBER arithmetic.

use common::{Error, Result};
use format::number::{NumberBytes, encode_i64};
use scalar::number::arithmetic;
use scalar::{Context, Datum, functions};

use super::sum::NumberSum;

/// Measures of spread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Spread {
    Variance,
    VariancePopulation,
    VarianceSample,
    StandardDeviation,
    StandardDeviationPopulation,
    StandardDeviationSample,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    values: NumberSum,
    squares: NumberSum,
}

impl Moments {
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let value = NumberBytes::from_trusted(bytes);
        self.values.add(bytes)?;
        self.squares.add(&arithmetic::multiply(&value, &value)?)
    }

    pub(crate) fn remove(&mut self, bytes: &[u8]) -> Result<()> {
        let value = NumberBytes::from_trusted(bytes);
        self.values.remove(bytes)?;
        self.squares.remove(&arithmetic::multiply(&value, &value)?)
    }

    pub(crate) fn count(&self) -> u64 {
        self.values.count()
    }

    /// The sums of the values and of their squares; empty for no values.
    pub(crate) fn sums(&self) -> Result<Vec<NumberBytes>> {
        Ok([self.values.value()?, self.squares.value()?].into_iter().flatten().collect())
    }

    /// Adds the sums of [`Self::sums`] over `count` values.
    pub(crate) fn merge(&mut self, values: &[u8], squares: &[u8], count: u64) -> Result<()> {
        self.values.merge(values, count)?;
        self.squares.merge(squares, count)
    }

    pub(crate) fn value(&self, spread: Spread, context: &dyn Context) -> Result<Option<NumberBytes>> {
        let (Some(sum), Some(squares)) = (self.values.value()?, self.squares.value()?) else { return Ok(None) };
        let count = self.values.count();
        let population = matches!(spread, Spread::VariancePopulation | Spread::StandardDeviationPopulation);
        let divisor = if population { count } else { count - 1 };
        if divisor == 0 {
            // Over one value the sample measures are NULL, the plain ones zero.
            let null = matches!(spread, Spread::VarianceSample | Spread::StandardDeviationSample);
            return Ok((!null).then_some(NumberBytes::ZERO));
        }
        let whole = |n: u64| encode_i64(n.min(i64::MAX as u64) as i64);
        let mean_part = arithmetic::divide(&arithmetic::multiply(&sum, &sum)?, &whole(count))?;
        let variance = arithmetic::divide(&arithmetic::subtract(&squares, &mean_part)?, &whole(divisor))?;
        let variance = if variance.is_negative() { NumberBytes::ZERO } else { variance };
        match spread {
            Spread::Variance | Spread::VariancePopulation | Spread::VarianceSample => Ok(Some(variance)),
            _ => {
                let root = functions::lookup("SQRT").ok_or_else(|| Error::bug("no SQRT in the library"))?;
                let value = root.call(context, &[Datum::Number(variance)])?;
                Ok(value.as_number().copied())
            }
        }
    }
}
