//! Aggregates over NUMBER as DataFusion aggregate functions: SUM, AVG, MEDIAN, VARIANCE, STDDEV.
//!
//! COUNT, MIN and MAX are DataFusion's own: the types are made so that its comparison is Oracle's. Statements run in
//! one partition; yet grouping sets are computed in two phases, so every aggregate has a state for the second phase.

use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use format::number::{decode_i64, encode_i64};
use scalar::Context;
use scalar::number::arithmetic;

use super::moments::{Moments, Spread};
use super::packed::{Packed, unpack};
use super::sum::NumberSum;
use crate::error::to_datafusion;

/// Kinds of aggregates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Measure {
    Sum,
    Average,
    Median,
    Spread(Spread),
}

impl Measure {
    pub(crate) const ALL: [Self; 9] = [
        Self::Average,
        Self::Median,
        Self::Spread(Spread::StandardDeviation),
        Self::Spread(Spread::StandardDeviationPopulation),
        Self::Spread(Spread::StandardDeviationSample),
        Self::Sum,
        Self::Spread(Spread::VariancePopulation),
        Self::Spread(Spread::VarianceSample),
        Self::Spread(Spread::Variance),
    ];

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Average => "AVG",
            Self::Median => "MEDIAN",
            Self::Spread(Spread::Variance) => "VARIANCE",
            Self::Spread(Spread::VariancePopulation) => "VAR_POP",
            Self::Spread(Spread::VarianceSample) => "VAR_SAMP",
            Self::Spread(Spread::StandardDeviation) => "STDDEV",
            Self::Spread(Spread::StandardDeviationPopulation) => "STDDEV_POP",
            Self::Spread(Spread::StandardDeviationSample) => "STDDEV_SAMP",
        }
    }
}

pub(crate) struct Aggregate {
    measure: Measure,
    context: Arc<dyn Context>,
    signature: Signature,
}

impl Aggregate {
    pub(crate) fn measure(&self) -> Measure {
        self.measure
    }
}

impl fmt::Debug for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.measure.name())
    }
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Self) -> bool {
        self.measure == other.measure
    }
}

impl Eq for Aggregate {}

impl Hash for Aggregate {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.measure.hash(state);
    }
}

/// The aggregate as a function; its argument is of kind NUMBER.
pub(crate) fn function(measure: Measure, context: &Arc<dyn Context>) -> Arc<AggregateUDF> {
    let signature = Signature::any(1, Volatility::Immutable);
    Arc::new(AggregateUDF::new_from_impl(Aggregate { measure, context: Arc::clone(context), signature }))
}

impl AggregateUDFImpl for Aggregate {
    fn name(&self) -> &str {
        self.measure.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Binary)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> datafusion::common::Result<Box<dyn Accumulator>> {
        Ok(Box::new(NumberAccumulator {
            measure: self.measure,
            context: Arc::clone(&self.context),
            sum: NumberSum::default(),
            moments: Moments::default(),
            values: Vec::new(),
            seen: args.is_distinct.then(HashSet::new),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> datafusion::common::Result<Vec<FieldRef>> {
        Ok(vec![
            Arc::new(Field::new(format!("{}[value]", args.name), ArrowType::Binary, true)),
            Arc::new(Field::new(format!("{}[count]", args.name), ArrowType::Binary, true)),
        ])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

struct NumberAccumulator {
    measure: Measure,
    context: Arc<dyn Context>,
    sum: NumberSum,
    moments: Moments,
    /// All values, for MEDIAN.
    values: Vec<Vec<u8>>,
    /// DISTINCT.
    seen: Option<HashSet<Vec<u8>>>,
}

impl fmt::Debug for NumberAccumulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} over {} values", self.measure, self.sum.count())
    }
}

impl NumberAccumulator {
    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(seen) = &mut self.seen
            && !seen.insert(bytes.to_vec())
        {
            return Ok(());
        }
        match self.measure {
            Measure::Sum | Measure::Average => self.sum.add(bytes),
            Measure::Spread(_) => self.moments.add(bytes),
            Measure::Median => {
                self.values.push(bytes.to_vec());
                Ok(())
            }
        }
    }

    /// The state for the second phase: sums, or the values themselves, and the count.
    fn packed(&mut self) -> Result<Vec<ScalarValue>> {
        let (state, count) = match (&self.seen, self.measure) {
            (None, Measure::Sum | Measure::Average) => (self.sum.value()?.map(|sum| sum.to_vec()), self.sum.count()),
            (None, Measure::Spread(_)) => {
                let mut packed = Packed::default();
                for sum in self.moments.sums()? {
                    packed.push(&sum)?;
                }
                (Some(packed.into_bytes()), self.moments.count())
            }
            (seen, _) => {
                let mut packed = Packed::default();
                match seen {
                    Some(seen) => seen.iter().try_for_each(|value| packed.push(value))?,
                    None => self.values.iter().try_for_each(|value| packed.push(value))?,
                }
                (Some(packed.into_bytes()), 0)
            }
        };
        Ok(vec![ScalarValue::Binary(state), ScalarValue::Binary(Some(encode_i64(count as i64).to_vec()))])
    }

    fn merge(&mut self, state: &[u8], count: u64) -> Result<()> {
        match (&self.seen, self.measure) {
            (None, Measure::Sum | Measure::Average) => self.sum.merge(state, count),
            (None, Measure::Spread(_)) => match unpack(state)?[..] {
                [values, squares] => self.moments.merge(values, squares, count),
                // The state of no values.
                _ => Ok(()),
            },
            _ => unpack(state)?.into_iter().try_for_each(|value| self.add(value)),
        }
    }

    fn value(&mut self) -> Result<ScalarValue> {
        let value = match self.measure {
            Measure::Sum => self.sum.value()?,
            Measure::Average => match self.sum.value()? {
                Some(sum) => Some(arithmetic::divide(&sum, &encode_i64(self.sum.count() as i64))?),
                None => None,
            },
            Measure::Spread(spread) => self.moments.value(spread, &*self.context)?,
            Measure::Median => {
                self.values.sort_unstable();
                let count = self.values.len();
                if count == 0 {
                    None
                } else {
                    let at = |i: usize| scalar::NumberBytes::from_trusted(&self.values[i]);
                    let (low, high) = (at((count - 1) / 2), at(count / 2));
                    Some(arithmetic::divide(&arithmetic::add(&low, &high)?, &encode_i64(2))?)
                }
            }
        };
        Ok(ScalarValue::Binary(value.map(|bytes| bytes.to_vec())))
    }
}

impl Accumulator for NumberAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> datafusion::common::Result<()> {
        let numbers = values[0].as_binary::<i32>();
        for row in 0..numbers.len() {
            if numbers.is_valid(row) {
                self.add(numbers.value(row)).map_err(to_datafusion)?;
            }
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> datafusion::common::Result<()> {
        let numbers = values[0].as_binary::<i32>();
        for row in 0..numbers.len() {
            if numbers.is_valid(row) {
                let bytes = numbers.value(row);
                match self.measure {
                    Measure::Sum | Measure::Average => self.sum.remove(bytes),
                    Measure::Spread(_) => self.moments.remove(bytes),
                    _ => Err(Error::unsupported(format!("{} over a moving window", self.measure.name()))),
                }
                .map_err(to_datafusion)?;
            }
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        self.seen.is_none() && matches!(self.measure, Measure::Sum | Measure::Average | Measure::Spread(_))
    }

    fn evaluate(&mut self) -> datafusion::common::Result<ScalarValue> {
        self.value().map_err(to_datafusion)
    }

    fn size(&self) -> usize {
        let set = self.seen.as_ref().map_or(0, |seen| seen.len() * 32);
        size_of_val(self) + self.values.len() * 32 + set
    }

    fn state(&mut self) -> datafusion::common::Result<Vec<ScalarValue>> {
        self.packed().map_err(to_datafusion)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> datafusion::common::Result<()> {
        let (values, counts) = (states[0].as_binary::<i32>(), states[1].as_binary::<i32>());
        for row in 0..values.len() {
            if values.is_valid(row) && counts.is_valid(row) {
                let count = decode_i64(counts.value(row)).unwrap_or(0) as u64;
                self.merge(values.value(row), count).map_err(to_datafusion)?;
            }
        }
        Ok(())
    }
}
