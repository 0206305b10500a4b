//! Statements: dispatch by their first token, and the short ones.

use super::{Parsed, Parser};
use crate::ast::{ExprKind, Ident, Statement, StatementKind};
use crate::error::Fault;
use crate::lexer::TokenKind;

/// First tokens of statements that error messages list.
const BEGINNINGS: &[&str] = &[
    "begin",
    "case",
    "declare",
    "exit",
    "for",
    "goto",
    "if",
    "loop",
    "null",
    "raise",
    "return",
    "while",
    "<an identifier>",
    "<a SQL statement>",
];

impl Parser<'_> {
    /// Statements up to END, EXCEPTION, a subprogram or one of `stops`: at least one.
    pub(super) fn statements(&mut self, stops: &[&str]) -> Vec<Statement> {
        let mut statements = Vec::new();
        if self.ends_statements(stops) && self.recovered != self.place {
            let fault = self.unexpected(BEGINNINGS);
            self.report(fault);
        }
        while !self.ends_statements(stops) {
            let from = self.place;
            if self.pass_orphan() {
                continue;
            }
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(fault) => {
                    self.report(fault);
                    self.skip_to_semicolon(from, &["PROCEDURE", "FUNCTION"]);
                    if self.place == from {
                        self.advance();
                    }
                }
            }
        }
        statements
    }

    pub(super) fn ends_statements(&self, stops: &[&str]) -> bool {
        // The next subprogram begins where an END is missing.
        self.is_end()
            || self.is_bare_end()
            || self.is_any_word(&["END", "EXCEPTION", "PROCEDURE", "FUNCTION"])
            || self.is_any_word(stops)
    }

    /// Skips ELSE, ELSIF or WHEN of a construct whose head was invalid, so that it is not reported too.
    fn pass_orphan(&mut self) -> bool {
        if self.faults.is_empty() || !self.is_any_word(&["ELSE", "ELSIF", "WHEN"]) {
            return false;
        }
        if self.take_word("ELSE") {
            return true;
        }
        while !self.is_end() && !self.is_any_word(&["END", "BEGIN"]) && !self.take_word("THEN") && !self.take_sign(";")
        {
            self.advance();
        }
        true
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.deeper(|parser| {
            let labels = parser.labels()?;
            let at = parser.at();
            let kind = parser.statement_kind(&labels)?;
            Ok(Statement { labels, kind, at })
        })
    }

    fn statement_kind(&mut self, labels: &[Ident]) -> Parsed<StatementKind> {
        let TokenKind::Word(word) = self.peek() else { return self.assignment_or_call() };
        // Few words are reserved: most of these may be a variable's or a procedure's name.
        let is_name = [":=", ".", "%"].iter().any(|sign| self.is_sign_at(1, sign));
        let is_call = is_name || self.is_sign_at(1, "(");
        match &**word {
            "BEGIN" | "DECLARE" => self.block(labels).map(StatementKind::Block),
            "IF" => self.if_statement(),
            "CASE" => self.case_statement(labels),
            "FOR" => self.for_loop(labels),
            "LOOP" if !is_call => self.endless_loop(labels),
            "WHILE" if !is_name => self.while_loop(labels),
            "FORALL" if self.is_name_at(1) => self.for_all(),
            "NULL" => {
                self.advance();
                self.ended(StatementKind::Null)
            }
            "EXIT" | "CONTINUE" if !is_call => self.exit_or_continue(),
            "GOTO" => {
                self.advance();
                let label = self.name()?;
                self.ended(StatementKind::Goto(label))
            }
            "RETURN" if !is_name => self.return_statement(),
            "RAISE" if !is_call => {
                self.advance();
                let exception = if self.is_name() { Some(self.path()?) } else { None };
                self.ended(StatementKind::Raise(exception))
            }
            "OPEN" if !is_call => self.open(),
            "FETCH" => self.fetch(),
            "CLOSE" if !is_call => {
                self.advance();
                let cursor = self.variable()?;
                self.ended(StatementKind::Close(cursor))
            }
            "EXECUTE" if self.is_word_at(1, "IMMEDIATE") => {
                let statement = self.execute_immediate()?;
                self.ended(statement)
            }
            "SELECT" | "WITH" | "INSERT" | "UPDATE" | "LOCK" => self.sql_statement(),
            "DELETE" if !is_call || self.is_word_at(2, "SELECT") => self.sql_statement(),
            "MERGE" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" if !is_call => self.sql_statement(),
            "SET" if self.is_word_at(1, "TRANSACTION") => self.sql_statement(),
            "PIPE" if self.is_word_at(1, "ROW") => Err(Fault::unsupported(self.at(), "pipelined functions (PIPE ROW)")),
            "PRAGMA" if !is_call => {
                self.advance();
                self.pragma()?;
                self.ended(StatementKind::Null)
            }
            _ => self.assignment_or_call(),
        }
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let is_bind = matches!(self.peek(), TokenKind::Bind(_));
        if !self.is_name() && !is_bind {
            return Err(self.unexpected(BEGINNINGS));
        }
        let target = self.variable()?;
        let callable = matches!(target.kind, ExprKind::Path(_) | ExprKind::Call { .. } | ExprKind::Field(..));
        let assignable = callable || matches!(target.kind, ExprKind::Bind(_));
        if assignable && self.take_sign(":=") {
            let value = self.expression()?;
            return self.ended(StatementKind::Assign { target, value });
        }
        if callable && self.take_sign(";") {
            return Ok(StatementKind::Call(target));
        }
        Err(self.unexpected(match (callable, assignable) {
            (true, _) => &[":=", ".", "(", "%", ";"],
            (false, true) => &[":=", "."],
            (false, false) => &["<an expression may not stand alone>"],
        }))
    }

    fn return_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let value = if self.is_sign(";") { None } else { Some(self.expression()?) };
        self.ended(StatementKind::Return(value))
    }

    /// `EXIT [label] [WHEN condition]`
    fn exit_or_continue(&mut self) -> Parsed<StatementKind> {
        let exit = self.is_word("EXIT");
        self.advance();
        let label = if self.is_name() { Some(self.name()?) } else { None };
        let when = if self.take_word("WHEN") { Some(self.expression()?) } else { None };
        self.ended(if exit { StatementKind::Exit { label, when } } else { StatementKind::Continue { label, when } })
    }

    /// The semicolon behind a statement.
    pub(super) fn ended(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        if self.take_sign(";") {
            return Ok(kind);
        }
        let expected: &[&str] = match kind {
            StatementKind::Assign { .. } | StatementKind::Return(Some(_)) => &["<an operator>", ";"],
            _ => &[";"],
        };
        Err(self.unexpected(expected))
    }
}
