//! IF and CASE statements.

use super::{Parsed, Parser};
use crate::ast::{Branch, Expr, ExprKind, Ident, StatementKind};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let mut branches = Vec::new();
        loop {
            let condition = self.head_expression("THEN");
            let statements = self.statements(&["ELSIF", "ELSE"]);
            branches.push(Branch { condition, statements });
            if !self.take_word("ELSIF") {
                break;
            }
        }
        let otherwise = self.take_word("ELSE").then(|| self.statements(&[]));
        self.close("IF", &[]);
        Ok(StatementKind::If { branches, otherwise })
    }

    pub(super) fn case_statement(&mut self, labels: &[Ident]) -> Parsed<StatementKind> {
        self.advance();
        let value = if self.is_word("WHEN") { None } else { Some(self.expression()?) };
        if !self.is_word("WHEN") {
            return Err(self.unexpected(&["when"]));
        }
        let mut branches = Vec::new();
        while self.take_word("WHEN") {
            let condition = self.head_expression("THEN");
            let statements = self.statements(&["WHEN", "ELSE"]);
            branches.push(Branch { condition, statements });
        }
        let otherwise = self.take_word("ELSE").then(|| self.statements(&[]));
        self.close("CASE", labels);
        Ok(StatementKind::Case { value, branches, otherwise })
    }

    /// The expression in front of THEN or LOOP. After a fault its value does not matter: the tree is discarded.
    pub(super) fn head_expression(&mut self, word: &str) -> Expr {
        let at = self.at();
        self.head(word, Self::expression).unwrap_or(Expr { kind: ExprKind::Null, at })
    }

    /// `END IF;`, `END LOOP [label];`, `END CASE [label];`
    ///
    /// When another token comes, it is reported and left in place: enclosing constructs continue as if this one had
    /// been closed.
    pub(super) fn close(&mut self, word: &str, labels: &[Ident]) {
        let end = self.place;
        let has_end = self.take_word("END");
        let bare = !has_end && self.is_bare_end() && self.is_word(word);
        if bare || !self.is_word(word) || !has_end {
            let fault = self.unexpected(&[if has_end { word } else { "end" }]);
            self.report(fault);
            // `END;` with a statement behind it is more likely to end this than a block.
            let is_own = has_end && self.is_sign(";") && !self.may_follow_block(1);
            self.place = if is_own {
                self.place + 1
            } else if bare {
                self.place + 2
            } else {
                end
            };
            return;
        }
        self.advance();
        if word != "IF"
            && let Err(fault) = self.end_name(labels)
        {
            self.report(fault);
        }
        self.semicolon_behind_end(&[";"]);
    }

    /// `IF;`, `LOOP;` or `CASE;`, in front of which END is missing.
    pub(super) fn is_bare_end(&self) -> bool {
        self.is_any_word(&["IF", "LOOP", "CASE"]) && self.is_sign_at(1, ";")
    }

    /// True: the token so many ahead may stand behind the end of a block that is no statement, or ends another one.
    fn may_follow_block(&self, ahead: usize) -> bool {
        let words = ["END", "EXCEPTION", "WHEN", "BEGIN", "PROCEDURE", "FUNCTION", "ELSE", "ELSIF"];
        self.token(ahead).kind == TokenKind::End || words.iter().any(|word| self.is_word_at(ahead, word))
    }

    /// A missing semicolon costs only a word or sign in front of it.
    pub(super) fn semicolon_behind_end(&mut self, expected: &[&str]) {
        if self.take_sign(";") {
            return;
        }
        let fault = self.unexpected(expected);
        self.report(fault);
        if self.is_sign_at(1, ";") && !self.may_follow_block(0) {
            self.advance();
            self.advance();
        }
    }
}
