//! Literals: numbers, strings, hexadecimal digits as scalar values.

use common::{Error, Result};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;

/// A NUMBER literal from its bytes.
pub(crate) fn number(bytes: &[u8]) -> Expr {
    Expr::Literal(ScalarValue::Binary(Some(bytes.to_vec())), None)
}

/// A NUMBER literal as written: `12`, `.5`, `1e3`; a trailing `d` or `f` is refused: there are no binary types.
pub(crate) fn parse_number(text: &str) -> Result<Expr> {
    if text.ends_with(['d', 'D', 'f', 'F']) {
        return Err(Error::unsupported("BINARY_DOUBLE and BINARY_FLOAT literals"));
    }
    Ok(number(&format::number::parse(text)?))
}

/// A string literal; the empty string is NULL.
pub(crate) fn string(value: &str) -> Expr {
    Expr::Literal(ScalarValue::Utf8((!value.is_empty()).then(|| value.to_owned())), None)
}

/// The non-null NUMBER literal in an expression as an integer, truncated towards zero.
pub(crate) fn as_integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(ScalarValue::Binary(Some(bytes)), _) => {
            format::number::decode_i64(&format::number::truncate(bytes, 0))
        }
        _ => None,
    }
}
