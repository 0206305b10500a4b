//! Recovery behind a fault.

use super::{MAX_FAULTS, Parser};
use crate::ast::At;
use crate::error::{Fault, Number};
use crate::position::{Lines, Position};

impl Parser<'_> {
    /// Keeps a fault, but no second one at the same position: the enclosing construct often fails at the same token.
    /// After PLS-00123 nothing more is reported.
    pub(super) fn report(&mut self, fault: Fault) {
        let ended = self.faults.iter().any(|known| known.at == fault.at || known.number == Number::Pls(123));
        if !ended && self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    pub(super) fn position(&self, at: At) -> Position {
        Lines::new(self.text, self.base).position(at)
    }

    /// Skips the faulty statement's or declaration's semicolon, or stops at the beginning or end of another construct:
    /// a missing semicolon in front of END, BEGIN or one of `stops` must not cost the block its end. Always passes at
    /// least one token since `from`, unless it stops at such a word.
    pub(super) fn skip_to_semicolon(&mut self, from: usize, stops: &[&str]) {
        self.pass_semicolon(from, stops);
        self.recovered = self.place;
    }

    fn pass_semicolon(&mut self, from: usize, stops: &[&str]) {
        // Constructs that the fault left open end with END too; so does one that lacks its CASE.
        let mut cases = std::mem::take(&mut self.open_cases);
        if cases == 0 && self.is_any_word(&["WHEN", "THEN", "ELSE"]) {
            cases = 1;
        }
        while !self.is_end() {
            if self.take_sign(";") {
                return;
            }
            if self.is_word("CASE") {
                cases += 1;
            } else if self.is_word("END") && cases > 0 {
                cases -= 1;
            } else if self.is_any_word(&["END", "BEGIN"]) || (self.place > from && self.is_any_word(stops)) {
                return;
            }
            self.advance();
        }
    }

    /// The head of IF, WHILE, FOR, WHEN up to its THEN or LOOP. A faulty one is reported and skipped, so that its body
    /// is parsed as such.
    pub(super) fn head<T>(&mut self, word: &str, rule: impl FnOnce(&mut Self) -> super::Parsed<T>) -> Option<T> {
        let cases = self.open_cases;
        let parsed = rule(self).and_then(|head| self.expect_word(word).map(|()| head));
        match parsed {
            Ok(head) => Some(head),
            Err(fault) => {
                self.open_cases = cases;
                self.pass_head(fault, word);
                None
            }
        }
    }

    /// Reports a fault and goes on behind `word`, which ends the faulty head.
    pub(super) fn pass_head(&mut self, fault: Fault, word: &str) {
        self.report(fault);
        while !self.is_end() && !self.is_any_word(&["END", "BEGIN"]) {
            if self.take_word(word) || self.take_sign(";") {
                break;
            }
            self.advance();
        }
        self.recovered = self.place;
    }
}
