//! Triggers.

use super::unit::block_of;
use super::{Parsed, Parser};
use crate::ast::{At, Block, Ident, Path, Trigger, TriggerEvent, TriggerTiming};
use crate::error::Fault;

impl Parser<'_> {
    /// From TRIGGER to the semicolon.
    pub(super) fn trigger(&mut self) -> Parsed<Trigger> {
        let trigger = self.trigger_heading()?;
        let body = self.trigger_body(&trigger.name)?;
        Ok(Trigger { body, ..trigger })
    }

    /// The trigger's heading: a trigger without its body.
    pub(super) fn trigger_heading(&mut self) -> Parsed<Trigger> {
        let at = self.at();
        self.advance();
        let name = self.path()?;
        let timing = self.timing()?;
        let events = self.events()?;
        let table = self.trigger_table()?;
        let (old, new) = self.referencing(at)?;
        let for_each_row = self.take_words(&["FOR", "EACH", "ROW"]);
        if self.is_any_word(&["FOLLOWS", "PRECEDES"]) {
            return Err(Fault::unsupported(self.at(), "the order of triggers (FOLLOWS, PRECEDES)"));
        }
        let disabled = self.take_word("DISABLE");
        if !disabled {
            self.take_word("ENABLE");
        }
        let when_at = self.at();
        let mut when_text = None;
        let when = if self.take_word("WHEN") {
            self.expect_sign("(")?;
            self.refuse_query()?;
            let from = self.at();
            let condition = self.expression()?;
            when_text = Some(from..self.end_of_last());
            self.expect_sign(")")?;
            Some(condition)
        } else {
            None
        };
        if when.is_some() && !for_each_row {
            self.report(Fault::ora(when_at, 4077, "WHEN clause cannot be used with table level triggers"));
        }
        if self.are_words(&["COMPOUND", "TRIGGER"]) {
            return Err(Fault::unsupported(self.at(), "compound triggers"));
        }
        let body = Block { declarations: Vec::new(), statements: Vec::new(), handlers: Vec::new(), at: self.at() };
        Ok(Trigger { name, timing, events, table, for_each_row, old, new, when, when_text, disabled, body, at })
    }

    fn timing(&mut self) -> Parsed<TriggerTiming> {
        if self.take_word("BEFORE") {
            Ok(TriggerTiming::Before)
        } else if self.take_word("AFTER") {
            Ok(TriggerTiming::After)
        } else if self.is_word("INSTEAD") {
            Err(Fault::unsupported(self.at(), "INSTEAD OF triggers"))
        } else if self.is_word("FOR") {
            Err(Fault::unsupported(self.at(), "compound triggers"))
        } else {
            Err(self.unexpected(&["before", "after"]))
        }
    }

    /// `INSERT OR DELETE OR UPDATE OF a, b`
    fn events(&mut self) -> Parsed<Vec<TriggerEvent>> {
        let mut events = vec![self.event()?];
        while self.take_word("OR") {
            events.push(self.event()?);
        }
        Ok(events)
    }

    fn event(&mut self) -> Parsed<TriggerEvent> {
        if self.take_word("INSERT") {
            return Ok(TriggerEvent::Insert);
        }
        if self.take_word("DELETE") {
            return Ok(TriggerEvent::Delete);
        }
        if self.take_word("UPDATE") {
            let columns = if self.take_word("OF") { self.list(Self::name)? } else { Vec::new() };
            return Ok(TriggerEvent::Update { columns });
        }
        // Events of the schema or the database are words: CREATE, DROP, DDL, LOGON, STARTUP and so on.
        let next_is_event = self.is_word_at(1, "ON") || self.is_word_at(1, "OR");
        if next_is_event {
            return Err(Fault::unsupported(self.at(), "triggers on events of a schema or the database"));
        }
        Err(self.unexpected(&["insert", "update", "delete"]))
    }

    fn trigger_table(&mut self) -> Parsed<Path> {
        self.expect_word("ON")?;
        if self.are_words(&["NESTED", "TABLE"]) {
            return Err(Fault::unsupported(self.at(), "triggers on nested tables"));
        }
        if self.is_any_word(&["DATABASE", "SCHEMA", "PLUGGABLE"]) {
            return Err(Fault::unsupported(self.at(), "triggers on events of a schema or the database"));
        }
        self.path()
    }

    /// `REFERENCING OLD AS o NEW AS n`: the two names.
    fn referencing(&mut self, at: At) -> Parsed<(Ident, Ident)> {
        let mut old = Ident { name: "OLD".into(), at };
        let mut new = Ident { name: "NEW".into(), at };
        if !self.take_word("REFERENCING") {
            return Ok((old, new));
        }
        loop {
            let which = if self.take_word("OLD") {
                &mut old
            } else if self.take_word("NEW") {
                &mut new
            } else if self.is_word("PARENT") {
                return Err(Fault::unsupported(self.at(), "REFERENCING PARENT"));
            } else {
                return Err(self.unexpected(&["old", "new"]));
            };
            self.take_word("AS");
            *which = self.name()?;
            if !self.is_any_word(&["OLD", "NEW", "PARENT"]) {
                return Ok((old, new));
            }
        }
    }

    /// A block, or CALL.
    fn trigger_body(&mut self, name: &Path) -> Parsed<Block> {
        let at = self.at();
        if self.is_word("CALL") {
            let call = self.call_statement()?;
            self.take_sign(";");
            return Ok(block_of(call, at));
        }
        let mut names = self.labels()?;
        names.extend_from_slice(Self::last_part(&name.parts));
        if !self.is_any_word(&["BEGIN", "DECLARE"]) {
            return Err(self.unexpected(&[
                "begin",
                "declare",
                "call",
                "when",
                "for each row",
                "referencing",
                "enable",
                "disable",
            ]));
        }
        self.block(&names)
    }
}
