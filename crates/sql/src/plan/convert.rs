//! Oracle's implicit conversions: the kind of a comparison of two values, and the common kind of several alternatives.

use common::{Error, Result, Rowid as RowidValue};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, cast};
use scalar::{DatumType, inconsistent};

use super::binder::Binder;
use super::bound::Bound;
use crate::functions;
use crate::types::ArrowForm;

impl Binder<'_> {
    /// `value` as `kind`, by Oracle's implicit conversion.
    pub(crate) fn convert(&self, value: Bound, kind: DatumType) -> Result<Bound> {
        if value.kind == kind {
            return Ok(value);
        }
        let expr = match (value.kind, kind) {
            (_, DatumType::Null) => return Ok(value),
            (DatumType::Null, _) if is_null_literal(&value.expr) => Expr::Literal(kind.null(), None),
            (DatumType::Null, _) => cast(value.expr, kind.arrow()),
            (DatumType::Varchar2 | DatumType::Rowid, DatumType::Char) => match value.expr {
                Expr::Literal(ScalarValue::Utf8(text), _) => Expr::Literal(ScalarValue::LargeUtf8(text), None),
                other => cast(other, ArrowType::LargeUtf8),
            },
            (DatumType::Char, DatumType::Varchar2 | DatumType::Rowid) => cast(value.expr, ArrowType::Utf8),
            (DatumType::Varchar2, DatumType::Rowid) | (DatumType::Rowid, DatumType::Varchar2) => value.expr,
            (DatumType::Date, DatumType::Timestamp) => cast(value.expr, kind.arrow()),
            (DatumType::Number, DatumType::Date | DatumType::Timestamp | DatumType::Raw)
            | (DatumType::Date | DatumType::Timestamp | DatumType::Raw, DatumType::Number)
            | (DatumType::Date | DatumType::Timestamp, DatumType::Raw)
            | (DatumType::Raw, DatumType::Date | DatumType::Timestamp)
            | (_, DatumType::Rowid)
            | (DatumType::Rowid, _) => return Err(inconsistent(kind, value.kind)),
            (_, to) => functions::coercion::call(value.expr, to, self.context()),
        };
        let bytes = match (value.kind, kind) {
            (DatumType::Number, _) => 40,
            (DatumType::Date, _) => 75,
            (DatumType::Raw, _) => value.bytes * 2,
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
        use DatumType::{Char, Date, Null, Number, Raw, Rowid, Timestamp, Varchar2};
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
        let mut kind = DatumType::Null;
        for value in &values {
            kind = common_kind(kind, value.kind).ok_or_else(|| inconsistent(kind, value.kind))?;
        }
        let kind = if kind == DatumType::Null { DatumType::Varchar2 } else { kind };
        values.into_iter().map(|value| self.convert(value, kind)).collect()
    }
}

/// The kind to which both widen without a change of meaning.
pub(crate) fn common_kind(a: DatumType, b: DatumType) -> Option<DatumType> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (DatumType::Null, other) | (other, DatumType::Null) => Some(other),
        (a, b) if a.is_text() && b.is_text() => Some(DatumType::Varchar2),
        (a, b) if a.is_datetime() && b.is_datetime() => Some(DatumType::Timestamp),
        _ => None,
    }
}

pub(crate) fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(value, _) if value.is_null())
}
