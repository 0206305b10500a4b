//! Declarations.

use super::types::not_initialized;
use super::{Parsed, Parser};
use crate::ast::{Cursor, Declaration, DeclarationKind, Ident, Mode, Parameter, Pragma, TypeName};
use crate::error::Fault;
use crate::lexer::TokenKind;

/// The owner of a declaration part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationPlace {
    /// A block or a subprogram: BEGIN follows.
    Block,
    /// A package's body.
    Package,
    /// A package's specification: subprograms without bodies.
    Specification,
}

/// Pragmas without effect on results.
const PRAGMAS: &[&str] =
    &["SERIALLY_REUSABLE", "INLINE", "UDF", "RESTRICT_REFERENCES", "DEPRECATE", "COVERAGE", "SUPPRESSES_WARNING_6009"];

impl Parser<'_> {
    /// Declarations up to BEGIN or END, or up to a statement where BEGIN is missing.
    pub(super) fn declarations(&mut self, place: DeclarationPlace) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.is_end() && !self.is_any_word(&["BEGIN", "END"]) {
            let from = self.place;
            match self.declaration(place) {
                Ok(declaration) => declarations.push(declaration),
                Err(fault) => {
                    self.report(fault);
                    if place == DeclarationPlace::Block && self.begin_is_missing(from) {
                        self.place = from;
                        break;
                    }
                    self.skip_to_semicolon(from, &["PROCEDURE", "FUNCTION"]);
                    // A word that begins no declaration must not be met again.
                    if self.place == from {
                        self.advance();
                    }
                }
            }
        }
        declarations
    }

    /// True: END comes before any construct with a BEGIN.
    fn begin_is_missing(&self, from: usize) -> bool {
        let mut cases = 0usize;
        for token in &self.tokens[from..] {
            let TokenKind::Word(word) = &token.kind else { continue };
            match &**word {
                "CASE" => cases += 1,
                "END" if cases == 0 => return true,
                "END" => cases -= 1,
                "BEGIN" | "PROCEDURE" | "FUNCTION" => return false,
                _ => {}
            }
        }
        false
    }

    fn declaration(&mut self, place: DeclarationPlace) -> Parsed<Declaration> {
        let at = self.at();
        let kind = if self.is_word("PROCEDURE") || self.is_word("FUNCTION") {
            let subprogram = self.deeper(|parser| parser.subprogram(place))?;
            return Ok(Declaration { kind: DeclarationKind::Subprogram(Box::new(subprogram)), at });
        } else if self.take_word("PRAGMA") {
            DeclarationKind::Pragma(self.pragma()?)
        } else if self.take_word("CURSOR") {
            DeclarationKind::Cursor(self.cursor()?)
        } else if self.is_word("SUBTYPE") && self.is_name_at(1) && self.is_word_at(2, "IS") {
            self.advance();
            self.subtype()?
        } else if self.is_word("TYPE") && self.is_name_at(1) && self.is_word_at(2, "IS") {
            self.advance();
            let name = self.name()?;
            self.advance();
            DeclarationKind::Type { name, definition: self.type_definition()? }
        } else {
            self.variable_declaration()?
        };
        self.expect_sign(";")?;
        Ok(Declaration { kind, at })
    }

    fn variable_declaration(&mut self) -> Parsed<DeclarationKind> {
        if !self.is_name() {
            return Err(self.unexpected(&[
                "begin",
                "function",
                "procedure",
                "pragma",
                "type",
                "subtype",
                "cursor",
                "<an identifier>",
            ]));
        }
        let name = self.name()?;
        if self.take_word("EXCEPTION") {
            return Ok(DeclarationKind::Exception(name));
        }
        let is_type = [".", "%"].iter().any(|sign| self.is_sign_at(1, sign));
        let constant = !is_type && self.take_word("CONSTANT");
        if !self.is_name() {
            return Err(self.unexpected(if constant { &["<a type>"] } else { &["constant", "exception", "<a type>"] }));
        }
        let data_type = self.type_name()?;
        let not_null = self.not_null()?;
        let default = self.default()?;
        if default.is_none() && self.is_sign(";") {
            if constant {
                let text =
                    format!("declaration of a constant '{}' must contain an initialization assignment", name.name);
                self.report(Fault::pls(name.at, 322, text));
            } else if not_null {
                self.report(not_initialized(name.at));
            }
        } else if default.is_none() {
            return Err(self.unexpected(&[":=", "default", "not null", "(", "%", ";"]));
        }
        Ok(DeclarationKind::Variable { name, constant, not_null, data_type, default })
    }

    fn subtype(&mut self) -> Parsed<DeclarationKind> {
        let name = self.name()?;
        self.expect_word("IS")?;
        let base = self.type_name()?;
        let range = if self.take_word("RANGE") {
            let low = self.simple_expression()?;
            self.expect_sign("..")?;
            Some((low, self.simple_expression()?))
        } else {
            None
        };
        let not_null = self.not_null()?;
        Ok(DeclarationKind::Subtype { name, base, range, not_null })
    }

    fn cursor(&mut self) -> Parsed<Cursor> {
        let name = self.name()?;
        let parameters = self.parameters()?;
        if let Some(wrong) = parameters.iter().find(|parameter| parameter.mode != Mode::In) {
            let text = "OUT and IN OUT modes not allowed for cursor parameters";
            self.report(Fault::pls(wrong.name.at, 230, text));
        }
        let result = if self.take_word("RETURN") { Some(self.type_name()?) } else { None };
        if self.is_sign(";") && result.is_some() {
            return Ok(Cursor { name, parameters, result, query: None });
        }
        if !self.take_word("IS") && !self.take_word("AS") {
            return Err(self.unexpected(if result.is_some() { &["is", ";"] } else { &["is", "return", "("] }));
        }
        let query = self.cursor_query()?;
        Ok(Cursor { name, parameters, result, query: Some(query) })
    }

    /// `(…)` with parameters, or nothing.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if !self.take_sign("(") {
            return Ok(Vec::new());
        }
        let parameters = self.list(Self::parameter)?;
        if !self.is_sign(")") {
            return Err(self.unexpected(&[":=", "default", ",", ")"]));
        }
        self.advance();
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.name()?;
        let is_in = self.take_word("IN");
        let is_out = self.take_word("OUT");
        let mode = match (is_in, is_out) {
            (true, true) => Mode::InOut,
            (false, true) => Mode::Out,
            (_, false) => Mode::In,
        };
        let no_copy = self.take_word("NOCOPY");
        if !self.is_name() {
            return Err(self.unexpected(&["in", "out", "nocopy", "<a type>"]));
        }
        let data_type = self.type_without_length()?;
        let default = self.default()?;
        if let Some(default) = &default
            && mode != Mode::In
        {
            let text = format!("OUT and IN OUT formal parameters may not have default expressions: '{}'", name.name);
            self.report(Fault::pls(default.at, 230, text));
        }
        Ok(Parameter { name, mode, no_copy, data_type, default })
    }

    /// The type of a parameter or of a result: its caller gives the length.
    pub(super) fn type_without_length(&mut self) -> Parsed<TypeName> {
        let data_type = self.type_name()?;
        if let TypeName::Named { arguments, .. } = &data_type
            && let Some(argument) = arguments.first()
        {
            let open = self.tokens.partition_point(|token| token.start < argument.at).saturating_sub(1);
            self.place = open;
            return Err(self.unexpected(&[":=", ".", ")", ",", "%", "default", ";"]));
        }
        Ok(data_type)
    }

    /// The text behind PRAGMA.
    pub(super) fn pragma(&mut self) -> Parsed<Pragma> {
        let name = self.name()?;
        match &*name.name {
            "AUTONOMOUS_TRANSACTION" => Ok(Pragma::AutonomousTransaction),
            "EXCEPTION_INIT" => {
                self.expect_sign("(")?;
                let exception = self.name()?;
                self.expect_sign(",")?;
                let number = self.expression()?;
                self.expect_sign(")")?;
                Ok(Pragma::ExceptionInit { exception, number })
            }
            known if PRAGMAS.contains(&known) => {
                self.pass_parentheses()?;
                Ok(Pragma::Other(name))
            }
            _ => Err(Fault::pls(name.at, 127, format!("pragma {} is not a supported pragma", name.name))),
        }
    }

    /// Behind the parentheses that begin here, if any.
    pub(super) fn pass_parentheses(&mut self) -> Parsed<()> {
        let mut depth = 0usize;
        loop {
            if self.is_sign("(") {
                depth += 1;
            } else if depth == 0 {
                return Ok(());
            } else if self.is_sign(")") {
                depth -= 1;
            } else if self.is_end() || self.is_sign(";") {
                return Err(self.unexpected(&[")"]));
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// The last part of a name: what END repeats.
    pub(super) fn last_part(parts: &[Ident]) -> &[Ident] {
        &parts[parts.len().saturating_sub(1)..]
    }
}
