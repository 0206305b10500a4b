//! Oracle's implicit conversions: the kind of a comparison of two values, and the common kind of several alternatives.

use common::{Error, Result, Rowid as RowidValue};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, cast};

use super::binder::Binder;
use super::bound::Bound;
use crate::functions;
use crate::types::Kind;

/// ORA-00932 for a value that cannot be converted to the required kind.
pub(super) fn inconsistent(wanted: Kind, got: Kind) -> Error {
    Error::user(932, format!("inconsistent data types: expected {}, got {}", wanted.name(), got.name()))
}

impl Binder<'_> {
    /// `value` as `kind`, by Oracle's implicit conversion.
    pub(crate) fn convert(&self, value: Bound, kind: Kind) -> Result<Bound> {
        if value.kind == kind {
            return Ok(value);
        }
        let expr = match (value.kind, kind) {
            (_, Kind::Null) => return Ok(value),
            (Kind::Null, _) if is_null_literal(&value.expr) => Expr::Literal(kind.null(), None),
            (Kind::Null, _) => cast(value.expr, kind.arrow()),
            (Kind::Varchar2 | Kind::Rowid, Kind::Char) => match value.expr {
                Expr::Literal(ScalarValue::Utf8(text), _) => Expr::Literal(ScalarValue::LargeUtf8(text), None),
                other => cast(other, ArrowType::LargeUtf8),
            },
            (Kind::Char, Kind::Varchar2 | Kind::Rowid) => cast(value.expr, ArrowType::Utf8),
            (Kind::Varchar2, Kind::Rowid) | (Kind::Rowid, Kind::Varchar2) => value.expr,
            (Kind::Date, Kind::Timestamp) => cast(value.expr, kind.arrow()),
            (Kind::Number, Kind::Date | Kind::Timestamp | Kind::Raw)
            | (Kind::Date | Kind::Timestamp | Kind::Raw, Kind::Number)
            | (Kind::Date | Kind::Timestamp, Kind::Raw)
            | (Kind::Raw, Kind::Date | Kind::Timestamp)
            | (_, Kind::Rowid)
            | (Kind::Rowid, _) => return Err(inconsistent(kind, value.kind)),
            (_, to) => functions::coercion::call(value.expr, to, self.context()),
        };
        let bytes = match (value.kind, kind) {
            (Kind::Number, _) => 40,
            (Kind::Date, _) => 75,
            (Kind::Raw, _) => value.bytes * 2,
            _ => value.bytes,
        };
        let mut converted = Bound::new(expr, kind).bytes(bytes);
        converted.nullable = value.nullable;
        Ok(converted)
    }

    /// `left op right` as a condition.
    pub(crate) fn compare(&self, left: Bound, op: Operator, right: Bound) -> Result<Expr> {
        let (left, right) = self.comparable(left, right)?;
        Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))))
    }

    /// Both sides in the kind of their comparison.
    pub(crate) fn comparable(&self, left: Bound, right: Bound) -> Result<(Expr, Expr)> {
        use Kind::{Char, Date, Null, Number, Raw, Rowid, Timestamp, Varchar2};
        let padded = |b: &Bound| b.kind == Char || b.text_literal;
        if (left.kind == Char || right.kind == Char) && padded(&left) && padded(&right) {
            return Ok((
                functions::blank::trim(self.convert(left, Char)?),
                functions::blank::trim(self.convert(right, Char)?),
            ));
        }
        if left.text_literal && right.text_literal {
            return Ok((
                functions::blank::trim(self.convert(left, Char)?),
                functions::blank::trim(self.convert(right, Char)?),
            ));
        }
        for (one, other) in [(&left, &right), (&right, &left)] {
            if let (Rowid, Expr::Literal(ScalarValue::Utf8(Some(text)), _)) = (one.kind, &other.expr)
                && text.parse::<RowidValue>().is_err()
            {
                return Err(Error::user(1410, "invalid ROWID"));
            }
        }
        let kind = match (left.kind, right.kind) {
            (a, b) if a == b => a,
            (Null, other) | (other, Null) => other,
            (Rowid, Varchar2 | Char) | (Varchar2 | Char, Rowid) => Varchar2,
            (Number, Varchar2 | Char) | (Varchar2 | Char, Number) => Number,
            (Timestamp, Date | Varchar2 | Char) | (Date | Varchar2 | Char, Timestamp) => Timestamp,
            (Date, Varchar2 | Char) | (Varchar2 | Char, Date) => Date,
            (Raw, Varchar2 | Char) | (Varchar2 | Char, Raw) => Raw,
            (Varchar2, Char) | (Char, Varchar2) => Varchar2,
            (a, b) => return Err(inconsistent(a, b)),
        };
        Ok((self.convert(left, kind)?.expr, self.convert(right, kind)?.expr))
    }

    /// Alternatives of a CASE, DECODE or set operation in the kind of the first that is not NULL; characters and dates
    /// widen.
    pub(crate) fn unify(&self, values: Vec<Bound>) -> Result<Vec<Bound>> {
        let mut kind = Kind::Null;
        for value in &values {
            kind = common_kind(kind, value.kind).ok_or_else(|| inconsistent(kind, value.kind))?;
        }
        let kind = if kind == Kind::Null { Kind::Varchar2 } else { kind };
        values.into_iter().map(|value| self.convert(value, kind)).collect()
    }
}

/// The kind to which both widen without a change of meaning.
pub(crate) fn common_kind(a: Kind, b: Kind) -> Option<Kind> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (Kind::Null, other) | (other, Kind::Null) => Some(other),
        (a, b) if a.is_character() && b.is_character() => Some(Kind::Varchar2),
        (a, b) if a.is_datetime() && b.is_datetime() => Some(Kind::Timestamp),
        _ => None,
    }
}

pub(crate) fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(value, _) if value.is_null())
}
