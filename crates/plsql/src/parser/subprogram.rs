//! Procedures and functions.

use super::declaration::DeclarationPlace;
use super::name::UNKNOWN;
use super::{Parsed, Parser};
use crate::ast::{Ident, Path, Subprogram};
use crate::error::Fault;

/// The clauses between a heading and its body.
#[derive(Default)]
struct Options {
    invoker_rights: bool,
    deterministic: bool,
}

impl Parser<'_> {
    /// From PROCEDURE or FUNCTION to the semicolon.
    pub(super) fn subprogram(&mut self, place: DeclarationPlace) -> Parsed<Subprogram> {
        let start = self.place + 1;
        let (mut subprogram, has_body) = match self.heading(place) {
            Ok(heading) => heading,
            Err(fault) => self.heading_after(fault, start)?,
        };
        if has_body {
            let at = self.at();
            let names = subprogram.name.parts.clone();
            subprogram.body = Some(self.body(at, Self::last_part(&names))?);
        }
        subprogram.end = self.end_of_last();
        Ok(subprogram)
    }

    /// Up to IS or to the semicolon, and whether it was IS.
    fn heading(&mut self, place: DeclarationPlace) -> Parsed<(Subprogram, bool)> {
        let function = self.is_word("FUNCTION");
        self.advance();
        let name = self.path()?;
        let parameters = self.parameters()?;
        let result = if function {
            if !self.take_word("RETURN") {
                return Err(self.unexpected(if parameters.is_empty() { &["(", "return"] } else { &["return"] }));
            }
            Some(self.type_without_length()?)
        } else {
            None
        };
        let options = self.options()?;
        let has_parameters = !parameters.is_empty();
        let subprogram = Subprogram {
            name,
            parameters,
            result,
            invoker_rights: options.invoker_rights,
            deterministic: options.deterministic,
            body: None,
            end: 0,
        };
        if self.take_sign(";") {
            return Ok((subprogram, false));
        }
        if place == DeclarationPlace::Specification && self.is_any_word(&["IS", "AS"]) {
            // The body is parsed too, so that it gives no further errors.
            let fault = self.unexpected(&[";"]);
            self.report(fault);
        }
        if !self.take_word("IS") && !self.take_word("AS") {
            return Err(self.unexpected(if has_parameters || function {
                &[";", "is", "as", "authid", "deterministic"]
            } else {
                &["(", ";", "is", "as", "authid"]
            }));
        }
        if self.is_call_specification() {
            return Err(Fault::unsupported(self.at(), "subprograms in other languages (LANGUAGE, EXTERNAL)"));
        }
        Ok((subprogram, true))
    }

    /// Reports the fault of a heading and goes on at its body, so that the body is not taken for the enclosing
    /// construct's. `start` is the position of the name.
    fn heading_after(&mut self, fault: Fault, start: usize) -> Parsed<(Subprogram, bool)> {
        let stopped = std::mem::replace(&mut self.place, start);
        let parts =
            self.path().map_or_else(|fault| vec![Ident { name: UNKNOWN.into(), at: fault.at }], |path| path.parts);
        self.place = stopped;
        let name = Path { parts };
        let unknown = Subprogram {
            name,
            parameters: Vec::new(),
            result: None,
            invoker_rights: false,
            deterministic: false,
            body: None,
            end: 0,
        };
        while !self.is_end() {
            if self.is_word("BEGIN") || self.take_word("IS") || self.take_word("AS") {
                self.report(fault);
                return Ok((unknown, true));
            }
            if self.is_any_word(&["END", "PROCEDURE", "FUNCTION"]) {
                break;
            }
            if self.take_sign(";") {
                self.report(fault);
                return Ok((unknown, false));
            }
            self.advance();
        }
        Err(fault)
    }

    /// True: the body is in another language; its first words may begin a variable's declaration too.
    fn is_call_specification(&self) -> bool {
        let follows = |words: &[&str]| words.iter().any(|word| self.is_word_at(1, word));
        (self.is_word("LANGUAGE") && follows(&["C", "JAVA", "JAVASCRIPT", "PYTHON"]))
            || (self.is_word("EXTERNAL") && (follows(&["NAME", "LIBRARY", "LANGUAGE"]) || self.is_sign_at(1, ";")))
            || (self.is_word("MLE") && follows(&["MODULE", "LANGUAGE"]))
    }

    fn options(&mut self) -> Parsed<Options> {
        let mut options = Options::default();
        loop {
            let at = self.at();
            if self.is_word("AUTHID") {
                options.invoker_rights = self.invoker_rights()?;
            } else if self.take_word("DETERMINISTIC") {
                options.deterministic = true;
            } else if self.take_word("PARALLEL_ENABLE") {
                self.pass_parentheses()?;
            } else if self.take_word("RESULT_CACHE") {
                if self.take_word("RELIES_ON") {
                    self.pass_parentheses()?;
                }
            } else if self.is_any_word(&["PIPELINED", "AGGREGATE", "ACCESSIBLE", "SQL_MACRO", "SHARING"]) {
                return Err(Fault::unsupported(at, format!("{} subprograms", self.peek())));
            } else if self.is_word("DEFAULT") {
                return Err(Fault::unsupported(at, "DEFAULT COLLATION"));
            } else {
                return Ok(options);
            }
        }
    }

    /// `[AUTHID CURRENT_USER | DEFINER]`
    pub(super) fn invoker_rights(&mut self) -> Parsed<bool> {
        if !self.take_word("AUTHID") {
            return Ok(false);
        }
        if self.take_word("CURRENT_USER") {
            Ok(true)
        } else if self.take_word("DEFINER") {
            Ok(false)
        } else {
            Err(self.unexpected(&["current_user", "definer"]))
        }
    }
}
