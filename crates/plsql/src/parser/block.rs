//! Blocks: declarations, statements, handlers.

use super::declaration::DeclarationPlace;
use super::{Parsed, Parser};
use crate::ast::{At, Block, Handler, Ident, Path, Statement};
use crate::error::Fault;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `[DECLARE …] BEGIN … END [name];`, the next token being its first. `labels` stand in front of it.
    pub(super) fn block(&mut self, labels: &[Ident]) -> Parsed<Block> {
        let at = self.at();
        self.take_word("DECLARE");
        self.body(at, labels)
    }

    /// Declarations, BEGIN, and all up to the semicolon behind END; `names` may be repeated there.
    pub(super) fn body(&mut self, at: At, names: &[Ident]) -> Parsed<Block> {
        self.within(names, |parser| {
            let declarations = parser.declarations(DeclarationPlace::Block);
            if !parser.take_word("BEGIN") {
                let fault = parser.unexpected(&["begin"]);
                if parser.is_end() || parser.is_any_word(&["PROCEDURE", "FUNCTION"]) {
                    return Err(fault);
                }
                // END without BEGIN; or a statement, already reported as no declaration.
                if parser.is_word("END") {
                    parser.report(fault);
                }
            }
            let (statements, handlers) = parser.behind_begin(names)?;
            Ok(Block { declarations, statements, handlers, at })
        })
    }

    /// Runs a rule with these names for its END.
    pub(super) fn within<T>(&mut self, names: &[Ident], rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let open = self.open_names.len();
        self.open_names.extend(names.iter().map(|name| name.name.clone()));
        let parsed = rule(self);
        self.open_names.truncate(open);
        parsed
    }

    /// Statements and handlers up to the semicolon behind END.
    pub(super) fn behind_begin(&mut self, names: &[Ident]) -> Parsed<(Vec<Statement>, Vec<Handler>)> {
        let mut statements = self.statements(&[]);
        let mut handlers = Vec::new();
        loop {
            if handlers.is_empty() && self.take_word("EXCEPTION") {
                handlers = self.handlers();
            }
            // The END of a construct whose head was invalid: the rest still belongs to the block.
            if !self.is_bare_end() {
                self.expect_word("END")?;
                // A subprogram may be called LOOP.
                let is_name =
                    matches!(self.peek(), TokenKind::Word(word) if names.iter().any(|name| name.name == *word));
                if is_name || !self.is_any_word(&["IF", "LOOP", "CASE"]) {
                    break;
                }
            }
            if self.faults.is_empty() {
                let fault = self.unexpected(&["<an identifier>", ";"]);
                self.report(fault);
            }
            let from = self.place;
            self.skip_to_semicolon(from, &[]);
            if !self.ends_statements(&[]) {
                statements.extend(self.statements(&[]));
            }
        }
        let end = self.place - 1;
        self.end_name(names)?;
        // `END name` of something around: this block has no END of its own.
        if self.place > end + 1 && self.is_of_another(names) {
            self.place = end;
            return Ok((statements, handlers));
        }
        self.semicolon_behind_end(if names.is_empty() { &[";"] } else { &["<an identifier>", ";"] });
        Ok((statements, handlers))
    }

    /// True: the name just taken is none of `names`, but one of an enclosing construct.
    fn is_of_another(&self, names: &[Ident]) -> bool {
        let (TokenKind::Word(last) | TokenKind::Quoted(last)) = &self.tokens[self.place - 1].kind else { return false };
        names.iter().all(|name| name.name != *last) && self.open_names.contains(last)
    }

    fn handlers(&mut self) -> Vec<Handler> {
        let mut handlers: Vec<Handler> = Vec::new();
        if !self.is_word("WHEN") {
            let fault = self.unexpected(&["when"]);
            self.pass_head(fault, "THEN");
            self.statements(&["WHEN"]);
        }
        while self.is_word("WHEN") {
            let at = self.at();
            if let Some(last) = handlers.last()
                && last.exceptions.is_empty()
            {
                let text = "OTHERS handler must be last among the exception handlers of a block";
                self.report(Fault::pls(last.at, 370, text));
            }
            self.advance();
            // None would be OTHERS.
            let unknown = || vec![Path { parts: Vec::new() }];
            let exceptions = self.head("THEN", Self::choices).unwrap_or_else(unknown);
            let statements = self.statements(&["WHEN"]);
            handlers.push(Handler { exceptions, statements, at });
        }
        handlers
    }

    /// `A OR B`, or OTHERS: none.
    fn choices(&mut self) -> Parsed<Vec<Path>> {
        let mut exceptions = vec![self.path()?];
        while self.take_word("OR") {
            exceptions.push(self.path()?);
        }
        let is_others = |path: &Path| path.parts.len() == 1 && *path.parts[0].name == *"OTHERS";
        if let Some(others) = exceptions.iter().find(|path| is_others(path)) {
            if exceptions.len() > 1 {
                let text = "no choices may appear with choice OTHERS in an exception handler";
                self.report(Fault::pls(others.at(), 369, text));
            }
            exceptions.clear();
        }
        Ok(exceptions)
    }
}
