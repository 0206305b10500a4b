//! SQL statements: their ends, and the clauses that are PL/SQL's.
//!
//! The parser knows only parentheses, CASE … END, and words outside parentheses: INTO in front of a query's FROM and
//! behind RETURNING, WHERE CURRENT OF, VALUES and SET ROW with a record. The host reports all other errors of the
//! statement.

use std::ops::Range;

use super::cut::cut;
use super::{Parsed, Parser};
use crate::ast::{Cut, Into, SqlKind, SqlText, StatementKind};
use crate::error::Fault;
use crate::lexer::TokenKind;

/// Token numbers of clauses outside parentheses.
#[derive(Default)]
struct Clauses {
    /// The semicolon, or the parenthesis that closes the one in front of the statement.
    end: usize,
    from: Option<usize>,
    /// The INTO (or BULK) that is PL/SQL's: the first of a query, the first behind RETURNING otherwise.
    into: Option<usize>,
    returning: Option<usize>,
    /// WHERE
    current_of: Option<usize>,
    /// VALUES or `=`, which a record stands behind.
    record: Option<usize>,
}

impl Parser<'_> {
    /// True: a query in parentheses comes next.
    pub(super) fn begins_query(&self) -> bool {
        let parentheses = (0..).take_while(|ahead| self.is_sign_at(*ahead, "(")).count();
        parentheses > 0 && (self.is_word_at(parentheses, "SELECT") || self.is_word_at(parentheses, "WITH"))
    }

    /// A statement of its own with its semicolon.
    pub(super) fn sql_statement(&mut self) -> Parsed<StatementKind> {
        let at = self.at();
        let sql = self.sql(false, true)?;
        if sql.kind == SqlKind::Query && sql.into.is_none() {
            self.report(Fault::pls(at, 428, "an INTO clause is expected in this SELECT statement"));
        }
        self.ended(StatementKind::Sql(sql))
    }

    /// A cursor's query, up to the semicolon.
    pub(super) fn cursor_query(&mut self) -> Parsed<SqlText> {
        if !self.is_any_word(&["SELECT", "WITH"]) && !self.begins_query() {
            return Err(self.unexpected(&["select", "with", "("]));
        }
        self.sql(false, false)
    }

    /// `(SELECT …)`
    pub(super) fn parenthesised_query(&mut self) -> Parsed<SqlText> {
        self.expect_sign("(")?;
        let sql = self.sql(true, false)?;
        self.expect_sign(")")?;
        Ok(sql)
    }

    /// Up to what ends it; `whole` statements may have an INTO.
    fn sql(&mut self, parenthesised: bool, whole: bool) -> Parsed<SqlText> {
        let start = self.place;
        let at = self.at();
        let kind = self.sql_kind();
        if self.is_word("WITH") && (self.is_word_at(1, "FUNCTION") || self.is_word_at(1, "PROCEDURE")) {
            return Err(Fault::unsupported(at, "PL/SQL in WITH"));
        }
        let clauses = self.clauses(kind, parenthesised)?;
        let mut cuts: Vec<Range<usize>> = Vec::new();
        let mut into = None;
        if let Some(place) = clauses.into {
            into = Some(self.targets_at(kind, whole, place, &clauses)?);
            cuts.push(place..self.place);
        } else if let Some(place) = clauses.returning {
            self.place = place + 1;
            return Err(Fault::ora(self.tokens[clauses.end].start, 925, "missing INTO keyword behind RETURNING"));
        }
        let mut current_of = None;
        if let Some(place) = clauses.current_of {
            // WHERE CURRENT OF
            self.place = place + 3;
            current_of = Some(self.path()?);
            self.expect_clause_end(&clauses)?;
            cuts.push(place..self.place);
        }
        let mut record = None;
        if let Some(place) = clauses.record {
            self.place = place + 1;
            record = Some(self.variable()?);
            self.expect_clause_end(&clauses)?;
            cuts.push(place + 1..self.place);
        }
        self.place = clauses.end;
        cuts.sort_by_key(|cut| cut.start);
        let shift: Vec<Range<usize>> = cuts.iter().map(|cut| cut.start - start..cut.end - start).collect();
        let rest = cut(self.text, &self.tokens[start..clauses.end], &shift);
        let offset = |place: usize| {
            let number = cuts.iter().position(|cut| cut.start == place);
            number.and_then(|number| rest.offsets.get(number).copied()).unwrap_or_default()
        };
        let current_of = current_of.zip(clauses.current_of).map(|(what, place)| Cut { what, offset: offset(place) });
        let record = record.zip(clauses.record).map(|(what, place)| Cut { what, offset: offset(place + 1) });
        Ok(SqlText { kind, text: rest.text.into(), at, into, current_of, record, places: rest.places })
    }

    fn sql_kind(&self) -> SqlKind {
        match self.peek() {
            TokenKind::Word(word) => match &**word {
                "INSERT" => SqlKind::Insert,
                "UPDATE" => SqlKind::Update,
                "DELETE" => SqlKind::Delete,
                "MERGE" => SqlKind::Merge,
                "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "SET" | "LOCK" => SqlKind::Transaction,
                _ => SqlKind::Query,
            },
            _ => SqlKind::Query,
        }
    }

    /// Scans the statement that begins here. It consumes nothing, except that after a fault its token is the next.
    fn clauses(&mut self, kind: SqlKind, parenthesised: bool) -> Parsed<Clauses> {
        let start = self.place;
        let mut clauses = Clauses::default();
        let (mut depth, mut cases) = (0usize, 0usize);
        for place in start.. {
            self.place = place;
            match self.peek() {
                TokenKind::End => {
                    return Err(self.unexpected(if parenthesised || depth > 0 { &[")"] } else { &[";"] }));
                }
                TokenKind::Sign(";") if parenthesised || depth > 0 => {
                    return Err(Fault::ora(self.at(), 907, "missing right parenthesis"));
                }
                TokenKind::Sign(")") if depth == 0 && !parenthesised => return Err(self.unexpected(&[";"])),
                TokenKind::Sign(";" | ")") if depth == 0 => {
                    clauses.end = place;
                    break;
                }
                TokenKind::Sign("(") => depth += 1,
                TokenKind::Sign(")") => depth -= 1,
                // Behind a dot any word is a name.
                TokenKind::Word(_) if place > start && matches!(self.tokens[place - 1].kind, TokenKind::Sign(".")) => {}
                TokenKind::Word(word) => match &**word {
                    "CASE" => cases += 1,
                    "END" if cases == 0 => return Err(Fault::ora(self.at(), 933, "SQL command not properly ended")),
                    "END" => cases -= 1,
                    _ if depth == 0 => self.clause(kind, place, &mut clauses),
                    _ => {}
                },
                _ => {}
            }
        }
        self.place = start;
        Ok(clauses)
    }

    /// Notes the word at `place`, which is the next token, if a clause of interest begins with it.
    fn clause(&self, kind: SqlKind, place: usize, clauses: &mut Clauses) {
        let query = kind == SqlKind::Query;
        let changes = matches!(kind, SqlKind::Insert | SqlKind::Update | SqlKind::Delete | SqlKind::Merge);
        if query && self.is_word("FROM") {
            clauses.from.get_or_insert(place);
        } else if (self.is_word("INTO") || self.are_words(&["BULK", "COLLECT", "INTO"]))
            && (query || clauses.returning.is_some())
        {
            clauses.into.get_or_insert(place);
        } else if changes && self.is_any_word(&["RETURNING", "RETURN"]) {
            // It is a column where one of these follows.
            if !["=", ",", ".", ")", ";"].iter().any(|sign| self.is_sign_at(1, sign)) {
                clauses.returning = Some(place);
            }
        } else if changes && self.are_words(&["WHERE", "CURRENT", "OF"]) {
            clauses.current_of = Some(place);
        } else if kind == SqlKind::Insert && self.is_word("VALUES") && !self.is_sign_at(1, "(") {
            clauses.record = Some(place);
        } else if kind == SqlKind::Update && self.are_words(&["SET", "ROW"]) && self.is_sign_at(2, "=") {
            clauses.record = Some(place + 2);
        }
    }

    /// `[BULK COLLECT] INTO …` at `place`.
    fn targets_at(&mut self, kind: SqlKind, whole: bool, place: usize, clauses: &Clauses) -> Parsed<Into> {
        self.place = place;
        let query = kind == SqlKind::Query;
        if query && !whole {
            return Err(self.unexpected(&[",", "from"]));
        }
        if query && clauses.from.is_some_and(|from| from < place) {
            return Err(Fault::ora(self.at(), 933, "SQL command not properly ended: INTO stands in front of FROM"));
        }
        let Some(into) = self.into()? else { return Err(self.unexpected(&["into"])) };
        if query && self.place == clauses.end {
            return Err(Fault::ora(self.at(), 923, "FROM keyword not found where expected"));
        }
        if query && !self.is_word("FROM") {
            return Err(self.unexpected(&[",", "(", ".", "from"]));
        }
        if !query && self.place != clauses.end {
            return Err(self.unexpected(&[",", "(", ".", ";"]));
        }
        Ok(into)
    }

    /// A record or a cursor's name stands behind all but RETURNING, and SET ROW's in front of WHERE.
    fn expect_clause_end(&self, clauses: &Clauses) -> Parsed<()> {
        if self.place == clauses.end || self.is_any_word(&["RETURNING", "RETURN", "WHERE", "LOG"]) {
            return Ok(());
        }
        Err(self.unexpected(&["returning", "where", ";"]))
    }
}
