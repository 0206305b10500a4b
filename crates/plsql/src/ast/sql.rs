//! SQL statements inside PL/SQL.

use super::{At, Expr, Path};

/// A SQL statement as it stands in the source, without its INTO clause.
#[derive(Clone, PartialEq, Debug)]
pub struct SqlText {
    pub kind: SqlKind,
    /// The text without the terminator. `[BULK COLLECT] INTO …` of a query and the INTO part of `RETURNING … INTO …`
    /// are cut out; white space and letters are as written, comments (but not hints) are cut out.
    pub text: Box<str>,
    /// Where the statement begins in the source.
    pub at: At,
    /// Of a query, or behind RETURNING.
    pub into: Option<Into>,
    /// `WHERE CURRENT OF cursor`: the cursor; it is cut out of the text, WHERE and all.
    pub current_of: Option<Cut<Path>>,
    /// `INSERT INTO t VALUES r`, `UPDATE t SET ROW = r`: the record, which is cut out of the text: a list in
    /// parentheses, or assignments, go there.
    pub record: Option<Cut<Expr>>,
    /// Where pieces of the text stand in the source: offset in the text, offset in the source. See [`SqlText::place`].
    pub places: Vec<(u32, At)>,
}

impl SqlText {
    /// Where in the source the byte at `offset` of the text stands.
    #[must_use]
    pub fn place(&self, offset: usize) -> At {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let piece = self.places.partition_point(|(start, _)| *start <= offset);
        match piece.checked_sub(1).map(|piece| self.places[piece]) {
            Some((start, at)) => at.saturating_add(offset - start),
            None => self.at,
        }
    }
}

/// A part cut out of a statement's text, with its byte offset in the text.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut<T> {
    pub what: T,
    pub offset: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SqlKind {
    /// SELECT, WITH, and the query of a cursor.
    Query,
    Insert,
    Update,
    Delete,
    Merge,
    /// COMMIT, ROLLBACK, SAVEPOINT, SET TRANSACTION, LOCK TABLE.
    Transaction,
}

/// Targets of a row, or with BULK COLLECT of the rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Into {
    pub bulk: bool,
    pub targets: Vec<Expr>,
    pub at: At,
}
