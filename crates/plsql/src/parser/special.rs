//! Functions whose arguments have words between them: CAST, EXTRACT, TRIM.

use super::{Parsed, Parser};
use crate::ast::{Argument, Expr, ExprKind, Ident, Path};
use crate::error::Fault;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Calls whose arguments have words between them.
    pub(super) fn special_call(&mut self) -> Parsed<Option<ExprKind>> {
        if !self.is_sign_at(1, "(") {
            return Ok(None);
        }
        if self.is_word("CAST") {
            return self.cast().map(Some);
        }
        if self.is_word("TREAT") && self.has_inside("AS") {
            return Err(Fault::unsupported(self.at(), "object types (TREAT)"));
        }
        // These two are called like any other function too.
        if self.is_word("EXTRACT") && self.has_inside("FROM") {
            self.extract().map(Some)
        } else if self.is_word("TRIM") && self.has_inside("FROM") {
            self.trim().map(Some)
        } else {
            Ok(None)
        }
    }

    /// True: a word stands in the parentheses of a call that begins here.
    fn has_inside(&self, wanted: &str) -> bool {
        let mut depth = 0usize;
        for ahead in 1.. {
            let token = &self.token(ahead).kind;
            match token {
                TokenKind::Sign("(") => depth += 1,
                TokenKind::Sign(")") if depth == 1 => return false,
                TokenKind::Sign(")") => depth -= 1,
                TokenKind::Sign(";") | TokenKind::End => return false,
                TokenKind::Word(word) if depth == 1 && **word == *wanted => return true,
                _ => {}
            }
        }
        false
    }

    /// `CAST(value AS type)`
    fn cast(&mut self) -> Parsed<ExprKind> {
        self.advance();
        self.expect_sign("(")?;
        self.refuse_query()?;
        if self.is_word("MULTISET") {
            return Err(Fault::unsupported(self.at(), "CAST of MULTISET"));
        }
        let value = self.expression()?;
        let height = self.height;
        self.expect_word("AS")?;
        let data_type = self.type_name()?;
        self.expect_sign(")")?;
        self.taller(height)?;
        Ok(ExprKind::Cast { value: Box::new(value), data_type })
    }

    /// `EXTRACT(YEAR FROM d)`
    fn extract(&mut self) -> Parsed<ExprKind> {
        let callee = self.callee("EXTRACT");
        self.expect_sign("(")?;
        let field = self.any_word()?;
        let field = Expr { kind: ExprKind::Text(field.name), at: field.at };
        self.expect_word("FROM")?;
        let value = self.expression()?;
        self.expect_sign(")")?;
        self.taller(self.height)?;
        Ok(ExprKind::Call { callee, arguments: vec![positional(field), positional(value)] })
    }

    /// `TRIM([LEADING | TRAILING | BOTH] [characters] FROM text)`
    fn trim(&mut self) -> Parsed<ExprKind> {
        let leading = self.is_word_at(2, "LEADING");
        let trailing = self.is_word_at(2, "TRAILING");
        let sided = leading || trailing || self.is_word_at(2, "BOTH");
        let callee = self.callee(if leading {
            "LTRIM"
        } else if trailing {
            "RTRIM"
        } else {
            "TRIM"
        });
        self.expect_sign("(")?;
        if sided {
            self.advance();
        }
        let mut height = 0;
        let characters = if self.is_word("FROM") {
            None
        } else {
            let characters = self.expression()?;
            height = self.height;
            Some(positional(characters))
        };
        self.expect_word("FROM")?;
        let text = self.expression()?;
        self.expect_sign(")")?;
        self.taller(height.max(self.height))?;
        let arguments = std::iter::once(positional(text)).chain(characters).collect();
        Ok(ExprKind::Call { callee, arguments })
    }

    /// The word that comes next, as another function's name.
    pub(super) fn callee(&mut self, name: &str) -> Box<Expr> {
        let at = self.at();
        self.advance();
        let path = Path { parts: vec![Ident { name: name.into(), at }] };
        Box::new(Expr { kind: ExprKind::Path(path), at })
    }
}

pub(super) fn positional(value: Expr) -> Argument {
    Argument { name: None, value }
}
