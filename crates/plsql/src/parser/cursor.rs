//! OPEN and FETCH.

use super::{Parsed, Parser};
use crate::ast::{Into, Open, StatementKind};

impl Parser<'_> {
    pub(super) fn open(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let cursor = self.variable()?;
        if !self.take_word("FOR") {
            let kind = StatementKind::Open { cursor, open: Open::Declared };
            return if self.take_sign(";") { Ok(kind) } else { Err(self.unexpected(&["(", "for", ";"])) };
        }
        let open = if self.is_any_word(&["SELECT", "WITH"]) || self.begins_query() {
            Open::ForQuery(self.cursor_query()?)
        } else {
            let text = self.expression()?;
            Open::ForText { text, using: self.using()? }
        };
        self.ended(StatementKind::Open { cursor, open })
    }

    /// `FETCH c INTO …`, `FETCH c BULK COLLECT INTO … [LIMIT n]`
    pub(super) fn fetch(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let cursor = self.variable()?;
        let Some(into) = self.into()? else { return Err(self.unexpected(&["into", "bulk"])) };
        let limit = if into.bulk && self.take_word("LIMIT") { Some(self.expression()?) } else { None };
        if !self.take_sign(";") {
            return Err(self.unexpected(if into.bulk { &[",", "limit", ";"] } else { &[",", ";"] }));
        }
        Ok(StatementKind::Fetch { cursor, into, limit })
    }

    /// `[BULK COLLECT] INTO a, b`, or nothing.
    pub(super) fn into(&mut self) -> Parsed<Option<Into>> {
        let at = self.at();
        let bulk = self.take_word("BULK");
        if bulk {
            self.expect_word("COLLECT")?;
            self.expect_word("INTO")?;
        } else if !self.take_word("INTO") {
            return Ok(None);
        }
        let targets = self.list(Self::variable)?;
        Ok(Some(Into { bulk, targets, at }))
    }
}
