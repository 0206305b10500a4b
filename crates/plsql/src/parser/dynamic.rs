//! EXECUTE IMMEDIATE.

use super::{Parsed, Parser};
use crate::ast::{Mode, StatementKind, Using};

impl Parser<'_> {
    /// Without the semicolon.
    pub(super) fn execute_immediate(&mut self) -> Parsed<StatementKind> {
        self.take_words(&["EXECUTE", "IMMEDIATE"]);
        let text = self.expression()?;
        let into = self.into()?;
        let using = self.using()?;
        let returning = if self.take_word("RETURNING") || self.take_word("RETURN") {
            let Some(returning) = self.into()? else { return Err(self.unexpected(&["into", "bulk"])) };
            Some(returning)
        } else {
            None
        };
        if !self.is_sign(";") {
            return Err(self.unexpected(match (&into, using.is_empty(), &returning) {
                (_, _, Some(_)) => &[",", ";"],
                (None, true, None) => &["into", "bulk", "using", "returning", ";"],
                (Some(_), true, None) => &[",", "using", ";"],
                (_, false, None) => &[",", "returning", ";"],
            }));
        }
        Ok(StatementKind::ExecuteImmediate { text, into, using, returning })
    }

    /// `USING [IN | OUT | IN OUT] a, b`, or nothing.
    pub(super) fn using(&mut self) -> Parsed<Vec<Using>> {
        if !self.take_word("USING") {
            return Ok(Vec::new());
        }
        self.list(|parser| {
            let is_in = parser.take_word("IN");
            let is_out = parser.is_word("OUT") && !parser.is_sign_at(1, ",") && !parser.is_sign_at(1, ";");
            if is_out {
                parser.advance();
            }
            let mode = match (is_in, is_out) {
                (true, true) => Mode::InOut,
                (false, true) => Mode::Out,
                (_, false) => Mode::In,
            };
            Ok(Using { mode, value: parser.expression()? })
        })
    }
}
