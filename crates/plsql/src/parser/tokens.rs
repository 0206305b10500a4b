//! Looking at tokens and taking them.

use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::At;
use crate::error::Fault;
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn peek(&self) -> &TokenKind {
        &self.token(0).kind
    }

    /// The token so many ahead; the end of the text follows all.
    pub(super) fn token(&self, ahead: usize) -> &Token {
        &self.tokens[(self.place + ahead).min(self.tokens.len() - 1)]
    }

    /// Where the next token begins.
    pub(super) fn at(&self) -> At {
        self.token(0).start
    }

    /// Where the last token that was taken ends.
    pub(super) fn end_of_last(&self) -> At {
        self.place.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }

    /// The text's end is never passed.
    pub(super) fn advance(&mut self) {
        self.place = (self.place + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is_end(&self) -> bool {
        *self.peek() == TokenKind::End
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    pub(super) fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(&self.token(ahead).kind, TokenKind::Word(found) if **found == *word)
    }

    pub(super) fn is_any_word(&self, words: &[&str]) -> bool {
        matches!(self.peek(), TokenKind::Word(found) if words.contains(&&**found))
    }

    /// True: these words come next, in order.
    pub(super) fn are_words(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(ahead, word)| self.is_word_at(ahead, word))
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.is_sign_at(0, sign)
    }

    pub(super) fn is_sign_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.token(ahead).kind, TokenKind::Sign(found) if found == sign)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.take_words(&[word])
    }

    /// Takes all of these or none.
    pub(super) fn take_words(&mut self, words: &[&str]) -> bool {
        let found = self.are_words(words);
        if found {
            self.place += words.len();
        }
        found
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&[word])) }
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(&[sign])) }
    }

    pub(super) fn expect_end(&mut self) -> Parsed<()> {
        if self.is_end() { Ok(()) } else { Err(self.unexpected(&["end-of-file"])) }
    }

    /// PLS-00103 for the next token, or an unsupported construct by its name.
    pub(super) fn unexpected(&self, expected: &[&str]) -> Fault {
        let token = self.token(0);
        match &token.kind {
            TokenKind::Sign("@") => return Fault::unsupported(token.start, "database links"),
            TokenKind::Word(word) if **word == *"AT" && (self.is_word_at(1, "TIME") || self.is_word_at(1, "LOCAL")) => {
                return Fault::unsupported(token.start, "AT TIME ZONE");
            }
            TokenKind::Other('$') => {
                return Fault::unsupported(token.start, "conditional compilation and inquiry directives");
            }
            _ => {}
        }
        // A text may be long.
        let symbol: String = token.kind.to_string().chars().take_while(|c| *c != '\n').take(60).collect();
        let expected: Vec<String> = expected.iter().map(|word| word.to_lowercase()).collect();
        let expected = expected.join(" ");
        Fault::pls(
            token.start,
            103,
            format!("Encountered the symbol \"{symbol}\" when expecting one of the following: {expected}"),
        )
    }

    /// Runs a rule one level deeper.
    pub(super) fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_large(format!("it stands more than {MAX_NESTING} levels deep")));
        }
        self.nesting += 1;
        let parsed = rule(self);
        self.nesting -= 1;
        parsed
    }

    /// PLS-00123. Parsing ends here: the rest would only be too deep again.
    pub(super) fn too_large(&mut self, why: String) -> Fault {
        let fault = Fault::pls(self.at(), 123, format!("program too large: {why}"));
        self.place = self.tokens.len() - 1;
        fault
    }

    /// A list with commas between.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_sign(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
