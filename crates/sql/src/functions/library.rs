//! Functions and operators of the scalar library as DataFusion functions.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, StringBuilder};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::functions::unsupported;
use scalar::{Context, DatumType, Function, NumberBytes, functions};

use super::rows;
use crate::error::to_datafusion;
use crate::types::ArrowForm;

/// True: the library has a function that is called by this name.
pub(crate) fn exists(name: &str) -> bool {
    functions::called(name).is_some()
}

/// The function or operator of this name.
///
/// # Errors
/// As [`unknown`].
pub(crate) fn named(name: &str) -> Result<&'static Function> {
    functions::lookup(name).ok_or_else(|| unknown(name))
}

/// The error for a name that is no function: HW-0001 for one that only Oracle has, else ORA-00904.
pub(crate) fn unknown(name: &str) -> Error {
    if unsupported::is_function(name) {
        Error::unsupported(format!("function {name}"))
    } else {
        Error::user(904, format!("\"{name}\": invalid identifier"))
    }
}

/// A call of a library function over arguments of known kinds, in one statement's context.
pub(crate) struct LibraryFunction {
    pub(crate) function: &'static Function,
    pub(crate) context: Arc<dyn Context>,
    arguments: Vec<DatumType>,
    pub(crate) result: DatumType,
    signature: Signature,
    /// The planner's name of a long expression: see [`label`].
    label: Option<String>,
}

impl fmt::Debug for LibraryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?}) -> {:?}", self.function.name, self.arguments, self.result)
    }
}

impl PartialEq for LibraryFunction {
    fn eq(&self, other: &Self) -> bool {
        self.function.name == other.function.name && self.arguments == other.arguments
    }
}

impl Eq for LibraryFunction {}

impl Hash for LibraryFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name.hash(state);
        self.arguments.hash(state);
    }
}

/// The call as an expression, and the kind of its result.
pub(crate) fn call(
    function: &'static Function,
    arguments: Vec<(Expr, DatumType)>,
    context: &Arc<dyn Context>,
) -> Result<(Expr, DatumType)> {
    let (expressions, kinds): (Vec<Expr>, Vec<DatumType>) = arguments.into_iter().unzip();
    let library = LibraryFunction::of_kinds(function, kinds, context)?;
    let result = library.result;
    // Without arguments the statement has one value, known now.
    if expressions.is_empty() && function.deterministic {
        let value = function.call(&**context, &[])?;
        return Ok((Expr::Literal(rows::to_scalar(&value, result)?, None), result));
    }
    let library = LibraryFunction { label: label(function.name, &expressions), ..library };
    let udf = Arc::new(ScalarUDF::new_from_impl(library));
    Ok((Expr::ScalarFunction(ScalarFunction::new_udf(udf, expressions)), result))
}

/// An operator between two values of these kinds.
///
/// # Errors
/// When it does not take them.
pub(super) fn operator(name: &str, kinds: [DatumType; 2], context: &Arc<dyn Context>) -> Result<LibraryFunction> {
    let function = functions::lookup(name).ok_or_else(|| Error::bug(format!("no operator {name}")))?;
    LibraryFunction::of_kinds(function, kinds.into(), context)
}

/// The planner names an expression by its text, and asks for the names of all its parts repeatedly, in cubic time of
/// the expression's length. So one longer than `LABEL_MIN` is named by a digest of its text.
pub(super) fn label(name: &str, arguments: &[Expr]) -> Option<String> {
    const LABEL_MIN: usize = 200;
    let mut text = String::from(name);
    for argument in arguments {
        text.push(' ');
        text.push_str(&argument.schema_name().to_string());
    }
    (text.len() > LABEL_MIN).then(|| digest(name, &text))
}

/// A short name of an expression with this text.
pub(super) fn digest(name: &str, text: &str) -> String {
    let digest = |salt: u8| {
        let mut hasher = std::hash::DefaultHasher::new();
        salt.hash(&mut hasher);
        text.hash(&mut hasher);
        hasher.finish()
    };
    format!("{name}#{:016x}{:016x}", digest(0), digest(1))
}

impl ScalarUDFImpl for LibraryFunction {
    fn name(&self) -> &str {
        self.function.name
    }

    fn schema_name(&self, arguments: &[Expr]) -> datafusion::common::Result<String> {
        if let Some(label) = &self.label {
            return Ok(label.clone());
        }
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
        Ok(format!("{}({})", self.name(), arguments.join(",")))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(self.result.arrow())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        self.evaluate(&args.args, args.number_rows).map_err(to_datafusion)
    }
}

impl LibraryFunction {
    fn of_kinds(function: &'static Function, kinds: Vec<DatumType>, context: &Arc<dyn Context>) -> Result<Self> {
        let result = match function.result_type(&kinds)? {
            DatumType::Null => DatumType::Varchar2,
            known => known,
        };
        let volatility = if function.deterministic { Volatility::Immutable } else { Volatility::Volatile };
        let signature = match kinds.len() {
            0 => Signature::nullary(volatility),
            count => Signature::any(count, volatility),
        };
        Ok(Self { function, context: Arc::clone(context), arguments: kinds, result, signature, label: None })
    }

    pub(super) fn evaluate(&self, arguments: &[ColumnarValue], count: usize) -> Result<ColumnarValue> {
        if !self.function.deterministic {
            return rows::map_each(arguments, count, self.result, |values| self.function.call(&*self.context, values));
        }
        if arguments.iter().any(|argument| argument.data_type().is_null()) {
            return rows::map(arguments, count, self.result, |values| self.function.call(&*self.context, values));
        }
        if let ([left, right], [DatumType::Number, DatumType::Number]) = (arguments, self.arguments.as_slice())
            && let Some(operation) = number_operation(self.function.name)
            && (matches!(left, ColumnarValue::Array(_)) || matches!(right, ColumnarValue::Array(_)))
        {
            return numbers(left, right, count, operation);
        }
        if let ([left, right], [DatumType::Varchar2, DatumType::Varchar2], "||") =
            (arguments, self.arguments.as_slice(), self.function.name)
            && (matches!(left, ColumnarValue::Array(_)) || matches!(right, ColumnarValue::Array(_)))
        {
            return concatenate(left, right, count);
        }
        rows::map(arguments, count, self.result, |values| self.function.call(&*self.context, values))
    }
}

type NumberOperation = fn(&NumberBytes, &NumberBytes) -> Result<NumberBytes>;

fn number_operation(name: &str) -> Option<NumberOperation> {
    use scalar::number::arithmetic;
    Some(match name {
        "+" => arithmetic::add,
        "-" => arithmetic::subtract,
        "*" => arithmetic::multiply,
        "/" => arithmetic::divide,
        _ => return None,
    })
}

/// A NUMBER argument, without a datum for each row.
enum Numbers<'a> {
    Constant(Option<NumberBytes>),
    Array(&'a BinaryArray),
}

impl<'a> Numbers<'a> {
    fn new(value: &'a ColumnarValue) -> Result<Self> {
        match value {
            ColumnarValue::Array(array) => Ok(Self::Array(array.as_binary())),
            ColumnarValue::Scalar(ScalarValue::Binary(bytes)) => {
                Ok(Self::Constant(bytes.as_deref().map(NumberBytes::from_trusted)))
            }
            ColumnarValue::Scalar(other) => Err(Error::bug(format!("a NUMBER of type {}", other.data_type()))),
        }
    }

    fn get(&self, row: usize) -> Option<NumberBytes> {
        match self {
            Self::Constant(value) => *value,
            Self::Array(array) => array.is_valid(row).then(|| NumberBytes::from_trusted(array.value(row))),
        }
    }
}

fn numbers(
    left: &ColumnarValue,
    right: &ColumnarValue,
    count: usize,
    operation: NumberOperation,
) -> Result<ColumnarValue> {
    let (left, right) = (Numbers::new(left)?, Numbers::new(right)?);
    let mut builder = BinaryBuilder::with_capacity(count, count * 6);
    for row in 0..count {
        match (left.get(row), right.get(row)) {
            (Some(left), Some(right)) => builder.append_value(&operation(&left, &right)?[..]),
            _ => builder.append_null(),
        }
    }
    Ok(ColumnarValue::Array(Arc::new(builder.finish())))
}

/// `||` over VARCHAR2: NULL counts as the empty string.
fn concatenate(left: &ColumnarValue, right: &ColumnarValue, count: usize) -> Result<ColumnarValue> {
    let side = |value: &ColumnarValue| -> Result<ArrayRef> {
        value.to_array(count).map_err(|error| Error::bug(error.to_string()))
    };
    let (left, right) = (side(left)?, side(right)?);
    let (left, right) = (left.as_string::<i32>(), right.as_string::<i32>());
    let mut builder = StringBuilder::with_capacity(count, left.value_data().len() + right.value_data().len());
    let mut text = String::new();
    for row in 0..count {
        text.clear();
        for side in [left, right] {
            if side.is_valid(row) {
                text.push_str(side.value(row));
            }
        }
        if text.len() > common::limits::VARCHAR2_BYTES_MAX {
            return Err(Error::user(1489, "result of string concatenation is too long"));
        }
        if text.is_empty() { builder.append_null() } else { builder.append_value(&text) }
    }
    Ok(ColumnarValue::Array(Arc::new(builder.finish())))
}
