//! The syntax tree of PL/SQL. Every node knows the byte offset in its source where it begins: errors and backtraces
//! turn it into line and column.
//!
//! Names are in upper case unless they were quoted. SQL statements are kept as text (see [`sql`]): only the dictionary
//! tells columns from variables.

pub mod declaration;
pub mod expression;
pub mod sql;
pub mod statement;
pub mod unit;

pub use declaration::{
    Cursor, Declaration, DeclarationKind, Field, Mode, Parameter, Pragma, Subprogram, TypeDefinition, TypeName,
};
pub use expression::{Argument, Binary, CursorAttribute, Expr, ExprKind, SubscriptedAttribute, Unary};
pub use sql::{Cut, Into, SqlKind, SqlText};
pub use statement::{Block, Branch, ForAllBounds, ForSource, Handler, Open, Statement, StatementKind, Using};
pub use unit::{Trigger, TriggerEvent, TriggerTiming, Unit, UnitKind};

/// Byte offset into the source.
pub type At = u32;

/// One part of a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ident {
    /// Upper case, or as it was quoted.
    pub name: Box<str>,
    pub at: At,
}

/// `A`, `A.B`, `A.B.C`: a variable, a field, something of a package or a block, a function without arguments,
/// `SEQ.NEXTVAL`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// At least one.
    pub parts: Vec<Ident>,
}

impl Path {
    #[must_use]
    pub fn at(&self) -> At {
        self.parts.first().map_or(0, |part| part.at)
    }
}
