//! An expression with Oracle's type.

use common::{DataType, limits};
use datafusion::logical_expr::Expr;
use scalar::DatumType;

use crate::types::ArrowForm;

/// A DataFusion expression with Oracle's type of it.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) expr: Expr,
    pub(crate) kind: DatumType,
    /// The declared type, when the value is an unchanged column.
    pub(crate) declared: Option<DataType>,
    /// Upper bound of the bytes of a character value.
    pub(crate) bytes: u32,
    pub(crate) nullable: bool,
    /// A character literal as written: in comparisons with CHAR it is blank-padded.
    pub(crate) text_literal: bool,
}

impl Bound {
    pub(crate) fn new(expr: Expr, kind: DatumType) -> Self {
        let bytes = match kind {
            DatumType::Null => 0,
            DatumType::Rowid => 18,
            _ => 4000,
        };
        Self { expr, kind, declared: None, bytes, nullable: true, text_literal: false }
    }

    pub(crate) fn bytes(mut self, bytes: u32) -> Self {
        self.bytes = bytes.min(4000);
        self
    }

    /// The type of a column made of this value.
    pub(crate) fn data_type(&self) -> DataType {
        match self.declared {
            Some(declared) => declared,
            // A text literal is a CHAR of its own length.
            None if self.text_literal && self.bytes as usize <= limits::CHAR_BYTES_MAX => {
                DatumType::Char.declared(self.bytes)
            }
            None => self.kind.declared(self.bytes),
        }
    }
}

/// The literal NULL.
pub(crate) fn null() -> Bound {
    Bound::new(Expr::Literal(DatumType::Null.null(), None), DatumType::Null)
}
