//! Expressions, including those on the left of an assignment.

use super::{At, Ident, Path, TypeName};

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub at: At,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Null,
    Boolean(bool),
    /// As written, without a sign.
    Number(Box<str>),
    /// Without its quotes; `q'[…]'` too.
    Text(Box<str>),
    /// `DATE '2026-01-31'`
    Date(Box<str>),
    /// `TIMESTAMP '2026-01-31 10:00:00'`
    Timestamp(Box<str>),
    /// `$$PLSQL_UNIT`, without the signs: a compile-time constant.
    Inquiry(Box<str>),
    /// `:NAME`, `:1`; `:NEW.X` and `:OLD.X` of triggers are a [`ExprKind::Field`] of it.
    Bind(Box<str>),
    Path(Path),
    /// `F(…)`, an element of a collection, a constructor, a conversion. `callee` is a Path, a Call or a Field.
    /// `EXTRACT(YEAR FROM d)` is `EXTRACT('YEAR', d)`, `TRIM(c FROM t)` is `TRIM(t, c)`; with LEADING and TRAILING it
    /// is LTRIM and RTRIM. `a MOD b` is `MOD(a, b)`.
    Call {
        callee: Box<Expr>,
        arguments: Vec<Argument>,
    },
    /// `….NAME` behind anything but a plain path: `T(1).NAME`.
    Field(Box<Expr>, Ident),
    /// `C%FOUND`; the path `SQL` for the implicit cursor.
    CursorAttribute(Box<Expr>, CursorAttribute),
    /// `SQL%BULK_ROWCOUNT(I)`, `SQL%BULK_EXCEPTIONS(I).ERROR_CODE`, `SQL%BULK_EXCEPTIONS.COUNT` (no subscript).
    Subscripted(SubscriptedAttribute, Option<Box<Expr>>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Like {
        not: bool,
        value: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<Box<Expr>>,
    },
    Between {
        not: bool,
        value: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
    },
    In {
        not: bool,
        value: Box<Expr>,
        list: Vec<Expr>,
    },
    IsNull {
        not: bool,
        value: Box<Expr>,
    },
    /// `CAST(value AS type)`
    Cast {
        value: Box<Expr>,
        data_type: TypeName,
    },
    /// `CASE value WHEN … THEN … ELSE … END`; no value: each WHEN is a condition.
    Case {
        value: Option<Box<Expr>>,
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// `NAME => value`
    pub name: Option<Ident>,
    pub value: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorAttribute {
    Found,
    NotFound,
    IsOpen,
    RowCount,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubscriptedAttribute {
    BulkRowCount,
    BulkErrorIndex,
    BulkErrorCode,
    BulkErrorCount,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Minus,
    Plus,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Concatenate,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}
