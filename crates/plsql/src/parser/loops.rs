//! Loops and FORALL.

use super::{Parsed, Parser};
use crate::ast::{ForAllBounds, ForSource, Ident, Statement, StatementKind};
use crate::error::Fault;

impl Parser<'_> {
    pub(super) fn endless_loop(&mut self, labels: &[Ident]) -> Parsed<StatementKind> {
        self.advance();
        let body = self.statements(&[]);
        self.close("LOOP", labels);
        Ok(StatementKind::Loop(body))
    }

    pub(super) fn while_loop(&mut self, labels: &[Ident]) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.head_expression("LOOP");
        let body = self.statements(&[]);
        self.close("LOOP", labels);
        Ok(StatementKind::While { condition, body })
    }

    pub(super) fn for_loop(&mut self, labels: &[Ident]) -> Parsed<StatementKind> {
        self.advance();
        let head = self.head("LOOP", |parser| {
            let variable = parser.name()?;
            parser.expect_word("IN")?;
            Ok((variable, parser.for_source()?))
        });
        let body = self.statements(&[]);
        self.close("LOOP", labels);
        // A faulty head has been reported: the tree is discarded.
        Ok(head.map_or(StatementKind::Null, |(variable, source)| StatementKind::For { variable, source, body }))
    }

    fn for_source(&mut self) -> Parsed<ForSource> {
        if self.begins_query() {
            return self.parenthesised_query().map(ForSource::Query);
        }
        let is_name = [".", ".."].iter().any(|sign| self.is_sign_at(1, sign)) || self.is_word_at(1, "LOOP");
        let reverse = !is_name && self.take_word("REVERSE");
        let low = self.simple_expression()?;
        if !self.take_sign("..") {
            return if reverse {
                Err(self.unexpected(&[".."]))
            } else if self.is_word("LOOP") {
                Ok(ForSource::Cursor(low))
            } else {
                Err(self.unexpected(&["..", "loop"]))
            };
        }
        let high = self.simple_expression()?;
        if self.is_any_word(&["BY", "WHILE", "WHEN"]) || self.is_sign(",") {
            return Err(Fault::unsupported(
                self.at(),
                "iteration controls other than low .. high (BY, WHILE, WHEN, lists)",
            ));
        }
        Ok(ForSource::Range { reverse, low, high })
    }

    pub(super) fn for_all(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let variable = self.name()?;
        self.expect_word("IN")?;
        let bounds = if self.take_words(&["INDICES", "OF"]) {
            let collection = self.path()?;
            let between = if self.take_word("BETWEEN") {
                let low = self.simple_expression()?;
                self.expect_word("AND")?;
                Some((low, self.simple_expression()?))
            } else {
                None
            };
            ForAllBounds::IndicesOf { collection, between }
        } else if self.take_words(&["VALUES", "OF"]) {
            ForAllBounds::ValuesOf(self.path()?)
        } else {
            let low = self.simple_expression()?;
            self.expect_sign("..")?;
            ForAllBounds::Range { low, high: self.simple_expression()? }
        };
        let save_exceptions = self.take_words(&["SAVE", "EXCEPTIONS"]);
        let at = self.at();
        let kind = if self.is_any_word(&["INSERT", "UPDATE", "DELETE", "MERGE"]) {
            self.sql_statement()?
        } else if self.are_words(&["EXECUTE", "IMMEDIATE"]) {
            let statement = self.execute_immediate()?;
            self.ended(statement)?
        } else {
            return Err(self.unexpected(if save_exceptions {
                &["insert", "update", "delete", "merge", "execute"]
            } else {
                &["save", "insert", "update", "delete", "merge", "execute"]
            }));
        };
        let statement = Box::new(Statement { labels: Vec::new(), kind, at });
        Ok(StatementKind::ForAll { variable, bounds, save_exceptions, statement })
    }
}
