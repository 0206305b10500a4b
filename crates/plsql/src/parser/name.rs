//! Names.

use super::reserved::is_reserved;
use super::{Parsed, Parser};
use crate::ast::{Ident, Path};
use crate::error::Fault;
use crate::lexer::{MAX_NAME, TokenKind, too_long};

/// Stands for a name that was not understood; END may repeat anything.
pub(super) const UNKNOWN: &str = "?";

impl Parser<'_> {
    /// True: the token so many ahead can be a name.
    pub(super) fn is_name_at(&self, ahead: usize) -> bool {
        match &self.token(ahead).kind {
            TokenKind::Word(word) => !is_reserved(word),
            TokenKind::Quoted(_) => true,
            _ => false,
        }
    }

    pub(super) fn is_name(&self) -> bool {
        self.is_name_at(0)
    }

    /// A name that is declared or stands alone.
    pub(super) fn name(&mut self) -> Parsed<Ident> {
        if self.is_name() { self.any_word() } else { Err(self.unexpected(&["<an identifier>"])) }
    }

    /// A name behind a dot, or one in front of `=>`: no reserved word can be mistaken there.
    pub(super) fn any_word(&mut self) -> Parsed<Ident> {
        let at = self.at();
        let name = match self.peek() {
            TokenKind::Word(word) if word.len() > MAX_NAME => return Err(too_long(word, at)),
            TokenKind::Word(name) | TokenKind::Quoted(name) => name.clone(),
            _ => return Err(self.unexpected(&["<an identifier>"])),
        };
        self.advance();
        Ok(Ident { name, at })
    }

    /// `A.B.C`
    pub(super) fn path(&mut self) -> Parsed<Path> {
        let mut parts = vec![self.name()?];
        while self.take_sign(".") {
            parts.push(self.any_word()?);
        }
        if self.is_sign("@") {
            return Err(self.unexpected(&[]));
        }
        Ok(Path { parts })
    }

    /// The name behind END, if there is one: it must be one of `names`. An unnamed construct has no name to repeat.
    pub(super) fn end_name(&mut self, names: &[Ident]) -> Parsed<()> {
        if !self.is_name() {
            return Ok(());
        }
        let name = self.any_word()?;
        if names.iter().any(|wanted| wanted.name == name.name || *wanted.name == *UNKNOWN) {
            return Ok(());
        }
        let why = match names.first() {
            Some(wanted) => {
                let place = self.position(wanted.at);
                format!("must match '{}' at line {}, column {}", wanted.name, place.line, place.column)
            }
            None => "matches no label".to_owned(),
        };
        self.report(Fault::pls(name.at, 113, format!("END identifier '{}' {why}", name.name)));
        Ok(())
    }

    /// `<<A>> <<B>>`
    pub(super) fn labels(&mut self) -> Parsed<Vec<Ident>> {
        let mut labels = Vec::new();
        while self.take_sign("<<") {
            labels.push(self.name()?);
            self.expect_sign(">>")?;
        }
        Ok(labels)
    }
}
