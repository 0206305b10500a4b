//! Values of sequences, as DataFusion functions without arguments: one a row.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::sync::Mutex;
use common::{Error, ObjectNumber, Result};
use datafusion::arrow::array::BinaryBuilder;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use engine::dictionary::SequenceDef;
use engine::instance::Session;
use format::number;
use scalar::Datum;

use crate::error::to_datafusion;

/// The last value that a session took of each sequence.
pub(crate) type CurrentValues = Arc<Mutex<HashMap<ObjectNumber, i128>>>;

/// A sequence whose values one session takes.
#[derive(Clone)]
pub(crate) struct Sequence {
    session: Arc<Session>,
    definition: Arc<SequenceDef>,
    current: CurrentValues,
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.definition.fmt(f)
    }
}

impl Sequence {
    pub(crate) fn new(session: &Arc<Session>, definition: &Arc<SequenceDef>, current: &CurrentValues) -> Self {
        Self { session: Arc::clone(session), definition: Arc::clone(definition), current: Arc::clone(current) }
    }

    pub(crate) fn number(&self) -> ObjectNumber {
        self.definition.object
    }

    /// The next `count` values.
    fn next(&self, count: usize, mut give: impl FnMut(i128)) -> Result<()> {
        let mut last = None;
        let result = self.session.sequence_values(&self.definition, count, |value| {
            last = Some(value);
            give(value);
        });
        if let Some(last) = last {
            self.current.lock().insert(self.definition.object, last);
        }
        result
    }

    /// CURRVAL.
    fn current(&self) -> Result<i128> {
        self.current.lock().get(&self.definition.object).copied().ok_or_else(|| {
            Error::user(8002, format!("sequence {}.CURRVAL is not yet defined in this session", self.definition.name))
        })
    }

    /// NEXTVAL or CURRVAL, once.
    pub(crate) fn one(&self, next: bool) -> Result<Datum> {
        let mut value = 0;
        if next {
            self.next(1, |taken| value = taken)?;
        } else {
            value = self.current()?;
        }
        Ok(Datum::Number(number::encode_i128(value, 0)?))
    }
}

/// NEXTVAL (`next`) or CURRVAL of each row.
pub(crate) fn call(sequence: Sequence, next: bool) -> Expr {
    let what = if next { "NEXTVAL" } else { "CURRVAL" };
    let name = format!("{}.{what}", sequence.definition.qualified_name());
    let udf = SequenceValue { sequence, next, name, signature: Signature::nullary(Volatility::Volatile) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), Vec::new()))
}

#[derive(Debug)]
pub(crate) struct SequenceValue {
    sequence: Sequence,
    next: bool,
    name: String,
    signature: Signature,
}

impl PartialEq for SequenceValue {
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next && self.sequence.number() == other.sequence.number()
    }
}

impl Eq for SequenceValue {}

impl Hash for SequenceValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.next, self.sequence.number()).hash(state);
    }
}

impl ScalarUDFImpl for SequenceValue {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Binary)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        if !self.next && args.number_rows > 0 {
            let value =
                self.sequence.current().and_then(|value| number::encode_i128(value, 0)).map_err(to_datafusion)?;
            return Ok(ColumnarValue::Scalar(ScalarValue::Binary(Some(value.to_vec()))));
        }
        let mut builder = BinaryBuilder::with_capacity(args.number_rows, args.number_rows * 4);
        let mut result = Ok(());
        self.sequence
            .next(args.number_rows, |value| match number::encode_i128(value, 0) {
                Ok(bytes) => builder.append_value(&bytes[..]),
                Err(error) => result = Err(error),
            })
            .and(result)
            .map_err(to_datafusion)?;
        Ok(ColumnarValue::Array(Arc::new(builder.finish())))
    }
}
