//! Which texts are PL/SQL.

use crate::lexer::{TokenKind, next_token};

/// A text that [`crate::parser::parse_unit`] is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramKind {
    /// `DECLARE …`, `BEGIN …`, `<<label>> …`
    Block,
    /// `CALL p(…)`
    Call,
    /// CREATE of something that has PL/SQL in it; also of types, libraries and Java, which the parser refuses by name.
    Create,
}

/// The kind of PL/SQL that a statement begins with; None for SQL. Only its first words are read.
#[must_use]
pub fn program_kind(text: &str) -> Option<ProgramKind> {
    let mut words = Words { text, at: 0 };
    match words.next()?.as_str() {
        "BEGIN" | "DECLARE" | "<<" => Some(ProgramKind::Block),
        "CALL" => Some(ProgramKind::Call),
        "CREATE" => {
            let object = words.find(|word| {
                !matches!(
                    word.as_str(),
                    "OR" | "REPLACE" | "EDITIONABLE" | "NONEDITIONABLE" | "AND" | "RESOLVE" | "COMPILE" | "NOFORCE"
                )
            })?;
            let known = ["PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY", "JAVA"];
            known.contains(&object.as_str()).then_some(ProgramKind::Create)
        }
        _ => None,
    }
}

/// The words a text begins with, and `<<`.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let token = next_token(self.text, self.at).ok()?;
        self.at = token.end as usize;
        match token.kind {
            TokenKind::Word(word) => Some(word.into()),
            TokenKind::Sign("<<") => Some("<<".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProgramKind::{Block, Call, Create};
    use super::*;

    #[test]
    fn blocks_calls_and_stored_programs_are_plsql() {
        for (text, kind) in [
            ("begin null; end;", Block),
            ("  -- a\n /* b */ Declare x number; begin null; end;", Block),
            ("<<a>> begin null; end;", Block),
            ("begin 'never closed", Block),
            ("call p()", Call),
            ("create procedure p is begin null; end;", Create),
            ("create or replace editionable package body p is end;", Create),
            ("CREATE OR REPLACE TRIGGER t before insert", Create),
            ("create noneditionable function f", Create),
            ("create type t as object (a number)", Create),
            ("create and compile java source named x as", Create),
        ] {
            assert_eq!(program_kind(text), Some(kind), "{text}");
        }
    }

    #[test]
    fn sql_is_not() {
        for text in [
            "",
            "select 1 from dual",
            "create table procedure_t (a number)",
            "create or replace view v as select 1 a from dual",
            "create unique index i on t (a)",
            "\"BEGIN\"",
            "'begin'",
            "commit",
            "alter procedure p compile",
            "create",
            "/* begin",
        ] {
            assert_eq!(program_kind(text), None, "{text}");
        }
    }
}
