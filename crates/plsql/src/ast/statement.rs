//! Statements and blocks.

use super::{At, Declaration, Expr, Ident, Into, Mode, Path, SqlText};

/// `[DECLARE …] BEGIN … [EXCEPTION …] END`; also the body of a subprogram.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub declarations: Vec<Declaration>,
    pub statements: Vec<Statement>,
    pub handlers: Vec<Handler>,
    pub at: At,
}

/// `WHEN A OR B THEN …`; no exceptions: OTHERS.
#[derive(Clone, PartialEq, Debug)]
pub struct Handler {
    pub exceptions: Vec<Path>,
    pub statements: Vec<Statement>,
    pub at: At,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// `<<A>>` in front of it.
    pub labels: Vec<Ident>,
    pub kind: StatementKind,
    pub at: At,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Null,
    Assign {
        target: Expr,
        value: Expr,
    },
    /// A procedure's call, with or without arguments; `C.DELETE(1)` too.
    Call(Expr),
    If {
        branches: Vec<Branch>,
        otherwise: Option<Vec<Statement>>,
    },
    /// Without a value each WHEN is a condition. No match and no ELSE: ORA-06592.
    Case {
        value: Option<Expr>,
        branches: Vec<Branch>,
        otherwise: Option<Vec<Statement>>,
    },
    Loop(Vec<Statement>),
    While {
        condition: Expr,
        body: Vec<Statement>,
    },
    For {
        variable: Ident,
        source: ForSource,
        body: Vec<Statement>,
    },
    Exit {
        label: Option<Ident>,
        when: Option<Expr>,
    },
    Continue {
        label: Option<Ident>,
        when: Option<Expr>,
    },
    Goto(Ident),
    Return(Option<Expr>),
    /// Without a name: raises the exception being handled again.
    Raise(Option<Path>),
    Block(Block),
    Sql(SqlText),
    ForAll {
        variable: Ident,
        bounds: ForAllBounds,
        save_exceptions: bool,
        statement: Box<Statement>,
    },
    ExecuteImmediate {
        text: Expr,
        into: Option<Into>,
        using: Vec<Using>,
        returning: Option<Into>,
    },
    Open {
        cursor: Expr,
        open: Open,
    },
    Fetch {
        cursor: Expr,
        into: Into,
        limit: Option<Expr>,
    },
    Close(Expr),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    pub condition: Expr,
    pub statements: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ForSource {
    Range {
        reverse: bool,
        low: Expr,
        high: Expr,
    },
    /// `FOR r IN c(…)`: a Path or a Call.
    Cursor(Expr),
    Query(SqlText),
}

#[derive(Clone, PartialEq, Debug)]
pub enum ForAllBounds {
    Range { low: Expr, high: Expr },
    IndicesOf { collection: Path, between: Option<(Expr, Expr)> },
    ValuesOf(Path),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Open {
    /// `OPEN c`, `OPEN c(…)`: the arguments stand in the cursor's expression.
    Declared,
    ForQuery(SqlText),
    ForText {
        text: Expr,
        using: Vec<Using>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Using {
    pub mode: Mode,
    pub value: Expr,
}
