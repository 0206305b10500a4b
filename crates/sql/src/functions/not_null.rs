//! NVL, COALESCE and NULLIF as calls with each argument once: as CASE their first argument would occur twice, and
//! nesting would double it with each level. `coalesce.rs` has COALESCE of values that may fail.

use std::sync::Arc;

use datafusion::arrow::array::{Array, BooleanArray};
use datafusion::arrow::compute::kernels::cmp::eq;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::compute::{is_not_null, nullif};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::DatumType;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Form {
    /// The first argument that is not NULL.
    First,
    /// The first argument, or NULL where it equals the second.
    Nullif,
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct NotNull {
    form: Form,
    name: &'static str,
    signature: Signature,
}

fn call(form: Form, name: &'static str, arguments: Vec<Expr>) -> Expr {
    let udf = NotNull { form, name, signature: Signature::any(arguments.len(), Volatility::Immutable) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), arguments))
}

/// The first of the arguments, all of one type, that is not NULL. All of them are evaluated for every row.
pub(crate) fn first(name: &'static str, arguments: Vec<Expr>) -> Expr {
    call(Form::First, name, arguments)
}

/// `NULLIF(a, b)` of two values of one type.
pub(crate) fn null_if(a: Expr, b: Expr) -> Expr {
    call(Form::Nullif, "NULLIF", vec![a, b])
}

/// The comparison key of DECODE, of this kind: the value, and for NULL a key that is equal to itself alone.
pub(crate) fn key(value: Expr, kind: DatumType) -> Expr {
    let in_place = Expr::Literal(
        match kind {
            DatumType::Number => ScalarValue::Binary(Some(Vec::new())),
            DatumType::Raw => ScalarValue::LargeBinary(Some(Vec::new())),
            DatumType::Null | DatumType::Varchar2 | DatumType::Rowid => ScalarValue::Utf8(Some(String::new())),
            DatumType::Char => ScalarValue::LargeUtf8(Some(String::new())),
            DatumType::Date => ScalarValue::TimestampSecond(Some(i64::MIN), None),
            DatumType::Timestamp => ScalarValue::TimestampMicrosecond(Some(i64::MIN), None),
        },
        None,
    );
    match value {
        Expr::Literal(literal, _) if literal.is_null() => in_place,
        Expr::Literal(..) => value,
        _ => first("DECODE", vec![value, in_place]),
    }
}

/// The arguments of a call of [`first`], with its name.
pub(crate) fn of_first(call: &ScalarFunction) -> Option<(&'static str, &[Expr])> {
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    let function = inner.downcast_ref::<NotNull>().filter(|function| function.form == Form::First)?;
    Some((function.name, &call.args))
}

/// The arguments of a call of [`null_if`].
pub(crate) fn of_null_if(call: &ScalarFunction) -> Option<(&Expr, &Expr)> {
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    let function = inner.downcast_ref::<NotNull>().filter(|function| function.form == Form::Nullif);
    let [a, b] = call.args.as_slice() else { return None };
    function.map(|_| (a, b))
}

/// True: the expression cannot fail, so evaluating it in vain costs only time.
pub(crate) fn is_harmless(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) | Expr::Literal(..) | Expr::OuterReferenceColumn(..) => true,
        Expr::ScalarFunction(call) => {
            let inner: &dyn std::any::Any = call.func.inner().as_ref();
            inner.is::<NotNull>() && call.args.iter().all(is_harmless)
        }
        _ => false,
    }
}

impl ScalarUDFImpl for NotNull {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[ArrowType]) -> Result<ArrowType> {
        Ok(arguments.first().cloned().unwrap_or(ArrowType::Utf8))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let count = if constant { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|argument| argument.to_array(count)).collect::<Result<Vec<_>>>()?;
        let mut arrays = arrays.into_iter();
        let Some(mut value) = arrays.next() else { return Ok(ColumnarValue::Scalar(args.return_type().try_into()?)) };
        for other in arrays {
            value = match self.form {
                Form::First if value.null_count() == 0 => value,
                Form::First => zip(&is_not_null(&value)?, &value, &other)?,
                Form::Nullif => {
                    let equal: BooleanArray = eq(&value, &other)?;
                    nullif(&value, &equal)?
                }
            };
        }
        if constant {
            let scalar = ScalarValue::try_from_array(&value, 0)?;
            return Ok(ColumnarValue::Scalar(scalar));
        }
        Ok(ColumnarValue::Array(value))
    }
}
