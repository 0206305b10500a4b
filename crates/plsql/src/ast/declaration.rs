//! Declarations: between DECLARE (or AS) and BEGIN, and in a package.

use super::{At, Block, Expr, Ident, Path, SqlText};

#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    pub kind: DeclarationKind,
    pub at: At,
}

#[derive(Clone, PartialEq, Debug)]
pub enum DeclarationKind {
    Variable {
        name: Ident,
        constant: bool,
        not_null: bool,
        data_type: TypeName,
        default: Option<Expr>,
    },
    Exception(Ident),
    Cursor(Cursor),
    Type {
        name: Ident,
        definition: TypeDefinition,
    },
    /// `SUBTYPE name IS type [RANGE low .. high] [NOT NULL]`
    Subtype {
        name: Ident,
        base: TypeName,
        range: Option<(Expr, Expr)>,
        not_null: bool,
    },
    /// With or without its body: without, it is declared ahead or in a package's specification.
    Subprogram(Box<Subprogram>),
    Pragma(Pragma),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Pragma {
    ExceptionInit {
        exception: Ident,
        number: Expr,
    },
    AutonomousTransaction,
    /// SERIALLY_REUSABLE, INLINE, UDF …: accepted, without effect on results.
    Other(Ident),
}

/// A type where it is used.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeName {
    /// `NUMBER`, `NUMBER(5, -2)`, `VARCHAR2(30 CHAR)`, `PLS_INTEGER`, `TIMESTAMP(3)`, a type of the user's, `PKG.TYPE`.
    /// Two words such as `DOUBLE PRECISION`, `LONG RAW` or `CHARACTER VARYING` are one name with a blank, and so are
    /// `TIMESTAMP WITH TIME ZONE`, `TIMESTAMP WITH LOCAL TIME ZONE`, `INTERVAL DAY TO SECOND` and `INTERVAL YEAR TO
    /// MONTH`. `NUMBER(*, 2)` is `NUMBER(38, 2)`.
    Named { name: Path, arguments: Vec<Expr>, char_semantics: bool },
    /// `TABLE.COLUMN%TYPE`, `VARIABLE%TYPE`
    TypeOf(Path),
    /// `TABLE%ROWTYPE`, `CURSOR%ROWTYPE`
    RowTypeOf(Path),
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeDefinition {
    Record(Vec<Field>),
    /// `TABLE OF element INDEX BY key`
    AssociativeArray {
        element: TypeName,
        not_null: bool,
        key: TypeName,
    },
    /// `TABLE OF element`
    NestedTable {
        element: TypeName,
        not_null: bool,
    },
    VarArray {
        limit: Expr,
        element: TypeName,
        not_null: bool,
    },
    /// `REF CURSOR [RETURN type]`
    RefCursor {
        result: Option<TypeName>,
    },
}

/// A field of a record type.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub name: Ident,
    pub data_type: TypeName,
    pub not_null: bool,
    pub default: Option<Expr>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Cursor {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub result: Option<TypeName>,
    /// None in a package's specification that gives RETURN alone.
    pub query: Option<SqlText>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: Ident,
    pub mode: Mode,
    pub no_copy: bool,
    pub data_type: TypeName,
    pub default: Option<Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    In,
    Out,
    InOut,
}

/// A procedure or, with a result, a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Subprogram {
    /// As written: of a stored one the owner may stand in front.
    pub name: Path,
    pub parameters: Vec<Parameter>,
    pub result: Option<TypeName>,
    /// AUTHID CURRENT_USER.
    pub invoker_rights: bool,
    pub deterministic: bool,
    /// None: declared ahead.
    pub body: Option<Block>,
    /// Behind the semicolon that ends it: the source text of the subprogram is `at .. end`.
    pub end: At,
}
