//! CREATE statements, anonymous blocks, CALL.

use super::declaration::DeclarationPlace;
use super::{Parsed, Parser};
use crate::ast::{At, Block, Expr, ExprKind, Statement, StatementKind, Unit, UnitKind};
use crate::error::Fault;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Parsed<Unit> {
        let unit = if self.take_word("CREATE") {
            let or_replace = self.take_words(&["OR", "REPLACE"]);
            if !self.take_word("EDITIONABLE") {
                self.take_word("NONEDITIONABLE");
            }
            self.stored(or_replace)?
        } else if self.is_any_word(&["PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER"]) {
            self.stored(false)?
        } else if self.is_any_word(&["BEGIN", "DECLARE"]) || self.is_sign("<<") {
            self.anonymous()?
        } else if self.is_word("CALL") {
            self.call()?
        } else {
            return Err(self.unexpected(&[
                "begin",
                "declare",
                "call",
                "create",
                "function",
                "package",
                "procedure",
                "trigger",
            ]));
        };
        // Behind a fault the unit may only seem to have ended.
        if self.faults.is_empty() {
            self.expect_end()?;
        }
        Ok(unit)
    }

    /// From PROCEDURE, FUNCTION, PACKAGE or TRIGGER on.
    fn stored(&mut self, or_replace: bool) -> Parsed<Unit> {
        let at = self.at();
        self.base = at;
        let kind = match self.peek() {
            TokenKind::Word(word) => match &**word {
                "PROCEDURE" | "FUNCTION" => {
                    let subprogram = self.subprogram(DeclarationPlace::Package)?;
                    if subprogram.body.is_none() && self.faults.is_empty() {
                        let semicolon = self.end_of_last().saturating_sub(1);
                        self.place = self.tokens.partition_point(|token| token.start < semicolon);
                        return Err(self.unexpected(&["is", "as"]));
                    }
                    UnitKind::Subprogram(Box::new(subprogram))
                }
                "PACKAGE" => self.package()?,
                "TRIGGER" => UnitKind::Trigger(Box::new(self.trigger()?)),
                "TYPE" => {
                    return Err(Fault::unsupported(at, "CREATE TYPE (object and collection types of the schema)"));
                }
                "LIBRARY" => return Err(Fault::unsupported(at, "CREATE LIBRARY")),
                "JAVA" | "AND" => return Err(Fault::unsupported(at, "Java in the database")),
                _ => return Err(self.unexpected(&["function", "package", "procedure", "trigger"])),
            },
            _ => return Err(self.unexpected(&["function", "package", "procedure", "trigger"])),
        };
        Ok(Unit { kind, at, or_replace })
    }

    fn package(&mut self) -> Parsed<UnitKind> {
        self.advance();
        let is_body = self.take_word("BODY");
        let name = self.path()?;
        let invoker_rights = !is_body && self.invoker_rights()?;
        if self.is_any_word(&["ACCESSIBLE", "SHARING", "DEFAULT"]) {
            return Err(Fault::unsupported(self.at(), format!("{} in a package's heading", self.peek())));
        }
        if !self.take_word("IS") && !self.take_word("AS") {
            return Err(self.unexpected(if is_body { &["is", "as"] } else { &["is", "as", "authid"] }));
        }
        let names = Self::last_part(&name.parts).to_vec();
        let place = if is_body { DeclarationPlace::Package } else { DeclarationPlace::Specification };
        let declarations = self.within(&names, |parser| {
            let mut declarations = parser.declarations(place);
            while parser.is_orphan_end() {
                let from = parser.place;
                parser.advance();
                parser.skip_to_semicolon(from, &[]);
                declarations.extend(parser.declarations(place));
            }
            Ok(declarations)
        })?;
        let at = self.at();
        if is_body && self.take_word("BEGIN") {
            let (statements, handlers) = self.behind_begin(&names)?;
            let initialization = Some(Block { declarations: Vec::new(), statements, handlers, at });
            return Ok(UnitKind::PackageBody { name, declarations, initialization });
        }
        if !self.take_word("END") {
            return Err(self.unexpected(if is_body { &["begin", "end"] } else { &["end"] }));
        }
        self.end_name(&names)?;
        self.expect_sign(";")?;
        if is_body {
            Ok(UnitKind::PackageBody { name, declarations, initialization: None })
        } else {
            Ok(UnitKind::PackageSpecification { name, invoker_rights, declarations })
        }
    }

    /// True: an END comes that is not the package's, but that of a subprogram with an invalid heading.
    fn is_orphan_end(&self) -> bool {
        let name = usize::from(self.is_name_at(1));
        !self.faults.is_empty()
            && self.is_word("END")
            && self.is_sign_at(1 + name, ";")
            && self.token(2 + name).kind != TokenKind::End
    }

    fn anonymous(&mut self) -> Parsed<Unit> {
        let start = self.at();
        let labels = self.labels()?;
        let at = self.at();
        if !self.is_any_word(&["BEGIN", "DECLARE"]) {
            return Err(self.unexpected(&["begin", "declare"]));
        }
        let block = self.block(&labels)?;
        let statement = Statement { labels, kind: StatementKind::Block(block), at };
        Ok(Unit { kind: UnitKind::Block(statement), at: start, or_replace: false })
    }

    /// `CALL p(…) [INTO :x]`, as a block that does so. A semicolon may stand behind it.
    fn call(&mut self) -> Parsed<Unit> {
        let at = self.at();
        let kind = self.call_statement()?;
        self.take_sign(";");
        let statement = Statement { labels: Vec::new(), kind: StatementKind::Block(block_of(kind, at)), at };
        Ok(Unit { kind: UnitKind::Block(statement), at, or_replace: false })
    }

    /// Without the semicolon.
    pub(super) fn call_statement(&mut self) -> Parsed<StatementKind> {
        self.expect_word("CALL")?;
        if !self.is_name() {
            return Err(self.unexpected(&["<an identifier>"]));
        }
        let program = self.variable()?;
        if !matches!(program.kind, ExprKind::Path(_) | ExprKind::Call { .. } | ExprKind::Field(..)) {
            return Err(self.unexpected(&["(", "."]));
        }
        if !self.take_word("INTO") {
            return Ok(StatementKind::Call(program));
        }
        let at = self.at();
        let TokenKind::Bind(name) = self.peek() else { return Err(self.unexpected(&["<a bind variable>"])) };
        let target = Expr { kind: ExprKind::Bind(name.clone()), at };
        self.advance();
        Ok(StatementKind::Assign { target, value: program })
    }
}

/// A block of one statement.
pub(super) fn block_of(kind: StatementKind, at: At) -> Block {
    let statement = Statement { labels: Vec::new(), kind, at };
    Block { declarations: Vec::new(), statements: vec![statement], handlers: Vec::new(), at }
}
