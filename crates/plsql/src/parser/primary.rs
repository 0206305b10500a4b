//! Literals, names with what follows them, CASE, parentheses.

use super::{Parsed, Parser};
use crate::ast::{Argument, At, CursorAttribute, Expr, ExprKind, Ident, Path, SubscriptedAttribute};
use crate::error::Fault;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let at = self.at();
        self.height = 1;
        let kind = match self.peek() {
            TokenKind::Number(text) => ExprKind::Number(text.clone()),
            TokenKind::Text(text) => ExprKind::Text(text.clone()),
            TokenKind::Sign("(") => return self.parenthesised(),
            TokenKind::Word(word) => match &**word {
                "NULL" => ExprKind::Null,
                "TRUE" => ExprKind::Boolean(true),
                "FALSE" => ExprKind::Boolean(false),
                "CASE" => return self.case_expression(),
                "DATE" | "TIMESTAMP" | "INTERVAL" | "NEW" | "CURSOR" | "EXISTS" | "PRIOR" => {
                    return self.word_with_meaning();
                }
                _ => return self.variable(),
            },
            TokenKind::Other('$') => match self.inquiry() {
                Some(name) => ExprKind::Inquiry(name),
                None => return self.variable(),
            },
            _ => return self.variable(),
        };
        self.advance();
        Ok(Expr { kind, at })
    }

    /// Up to the name of `$$NAME`, which is written without blanks; None where there is another `$`.
    fn inquiry(&mut self) -> Option<Box<str>> {
        let [first, second, name] = [0, 1, 2].map(|ahead| self.token(ahead));
        let TokenKind::Word(word) = &name.kind else { return None };
        if second.kind != TokenKind::Other('$') || first.end != second.start || second.end != name.start {
            return None;
        }
        let word = word.clone();
        self.advance();
        self.advance();
        Some(word)
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect_sign("(")?;
        self.refuse_query()?;
        let inner = self.expression()?;
        self.expect_sign(")")?;
        Ok(inner)
    }

    /// PLS-00405 where a subquery begins.
    pub(super) fn refuse_query(&self) -> Parsed<()> {
        if self.is_any_word(&["SELECT", "WITH"]) {
            return Err(Fault::pls(self.at(), 405, "subquery not allowed in this context"));
        }
        Ok(())
    }

    /// Words that begin a literal or are not allowed here, and names otherwise.
    fn word_with_meaning(&mut self) -> Parsed<Expr> {
        let at = self.at();
        let next = &self.token(1).kind;
        if let TokenKind::Text(text) = next {
            let text = text.clone();
            let kind = if self.is_word("DATE") {
                ExprKind::Date(text)
            } else if self.is_word("TIMESTAMP") {
                ExprKind::Timestamp(text)
            } else if self.is_word("INTERVAL") {
                return Err(Fault::unsupported(at, "INTERVAL literals"));
            } else {
                return Err(self.unexpected(&["an expression"]));
            };
            self.advance();
            self.advance();
            return Ok(Expr { kind, at });
        }
        if self.is_word("EXISTS")
            && self.is_sign_at(1, "(")
            && (self.is_word_at(2, "SELECT") || self.is_word_at(2, "WITH"))
        {
            return Err(Fault::pls(
                at,
                204,
                "function or pseudo-column 'EXISTS' may be used inside a SQL statement only",
            ));
        }
        if self.is_word("NEW") && self.is_name_at(1) && (self.is_sign_at(2, "(") || self.is_sign_at(2, ".")) {
            return Err(Fault::unsupported(at, "object types (NEW)"));
        }
        if self.is_word("CURSOR") && self.is_sign_at(1, "(") {
            return Err(Fault::unsupported(at, "CURSOR expressions"));
        }
        self.variable()
    }

    /// A name or bind variable with the fields, subscripts, arguments and attributes behind it.
    pub(super) fn variable(&mut self) -> Parsed<Expr> {
        let at = self.at();
        self.height = 1;
        let kind = match self.peek() {
            TokenKind::Bind(name) => {
                let name = name.clone();
                self.advance();
                ExprKind::Bind(name)
            }
            TokenKind::Word(word) if **word == *"SQL" && self.is_sign_at(1, "%") => return self.implicit_cursor(),
            _ if self.is_name() => self.special_call()?.map_or_else(|| self.path().map(ExprKind::Path), Ok)?,
            _ => return Err(self.unexpected(&["<an expression>"])),
        };
        self.followed(Expr { kind, at })
    }

    fn followed(&mut self, mut value: Expr) -> Parsed<Expr> {
        let at = value.at;
        loop {
            let height = self.height;
            let kind = if self.is_sign("(") {
                let arguments = self.arguments()?;
                self.taller(height.max(self.height))?;
                ExprKind::Call { callee: Box::new(value), arguments }
            } else if self.is_sign(".") {
                self.advance();
                let field = self.any_word()?;
                self.taller(height)?;
                ExprKind::Field(Box::new(value), field)
            } else if self.is_sign("%") {
                self.advance();
                let Some(attribute) = self.attribute() else {
                    return Err(self.unexpected(&["found", "notfound", "isopen", "rowcount"]));
                };
                self.taller(height)?;
                return Ok(Expr { kind: ExprKind::CursorAttribute(Box::new(value), attribute), at });
            } else if self.is_sign("@") {
                return Err(self.unexpected(&[]));
            } else {
                return Ok(value);
            };
            value = Expr { kind, at };
        }
    }

    /// Takes `FOUND`, `NOTFOUND`, `ISOPEN` or `ROWCOUNT`.
    fn attribute(&mut self) -> Option<CursorAttribute> {
        let attribute = if self.is_word("FOUND") {
            CursorAttribute::Found
        } else if self.is_word("NOTFOUND") {
            CursorAttribute::NotFound
        } else if self.is_word("ISOPEN") {
            CursorAttribute::IsOpen
        } else if self.is_word("ROWCOUNT") {
            CursorAttribute::RowCount
        } else {
            return None;
        };
        self.advance();
        Some(attribute)
    }

    /// `SQL%…`
    fn implicit_cursor(&mut self) -> Parsed<Expr> {
        let at = self.at();
        let sql = Ident { name: "SQL".into(), at };
        self.advance();
        self.expect_sign("%")?;
        if let Some(attribute) = self.attribute() {
            let cursor = Expr { kind: ExprKind::Path(Path { parts: vec![sql] }), at };
            return Ok(Expr { kind: ExprKind::CursorAttribute(Box::new(cursor), attribute), at });
        }
        if self.take_word("BULK_ROWCOUNT") {
            let index = self.subscript()?;
            return Ok(subscripted(SubscriptedAttribute::BulkRowCount, Some(index), at));
        }
        if !self.take_word("BULK_EXCEPTIONS") {
            return Err(self.unexpected(&[
                "found",
                "notfound",
                "isopen",
                "rowcount",
                "bulk_rowcount",
                "bulk_exceptions",
            ]));
        }
        if self.take_sign(".") {
            self.expect_word("COUNT")?;
            return Ok(subscripted(SubscriptedAttribute::BulkErrorCount, None, at));
        }
        let index = self.subscript()?;
        self.expect_sign(".")?;
        if self.take_word("ERROR_INDEX") {
            Ok(subscripted(SubscriptedAttribute::BulkErrorIndex, Some(index), at))
        } else if self.take_word("ERROR_CODE") {
            Ok(subscripted(SubscriptedAttribute::BulkErrorCode, Some(index), at))
        } else {
            Err(self.unexpected(&["error_index", "error_code"]))
        }
    }

    fn subscript(&mut self) -> Parsed<Box<Expr>> {
        self.expect_sign("(")?;
        let index = self.expression()?;
        self.expect_sign(")")?;
        self.taller(self.height)?;
        Ok(Box::new(index))
    }

    /// `(A, NAME => B)`; their height is the parser's afterwards.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect_sign("(")?;
        if self.take_sign(")") {
            return Ok(Vec::new());
        }
        let mut height = 0;
        let arguments = self.list(|parser| {
            let name = if parser.is_sign_at(1, "=>") { Some(parser.any_word()?) } else { None };
            if name.is_some() {
                parser.advance();
            }
            parser.refuse_query()?;
            let value = parser.expression()?;
            height = height.max(parser.height);
            Ok(Argument { name, value })
        })?;
        self.expect_sign(")")?;
        self.height = height;
        Ok(arguments)
    }

    fn case_expression(&mut self) -> Parsed<Expr> {
        let at = self.at();
        self.open_cases += 1;
        self.expect_word("CASE")?;
        let mut height = 0;
        let value = if self.is_word("WHEN") { None } else { Some(self.boxed_expression(&mut height)?) };
        let mut branches = Vec::new();
        while self.take_word("WHEN") {
            let condition = *self.boxed_expression(&mut height)?;
            self.expect_word("THEN")?;
            branches.push((condition, *self.boxed_expression(&mut height)?));
        }
        if branches.is_empty() {
            return Err(self.unexpected(&["when"]));
        }
        let otherwise = if self.take_word("ELSE") { Some(self.boxed_expression(&mut height)?) } else { None };
        if !self.take_word("END") {
            return Err(self.unexpected(if otherwise.is_some() { &["end"] } else { &["when", "else", "end"] }));
        }
        self.open_cases = self.open_cases.saturating_sub(1);
        self.taller(height)?;
        Ok(Expr { kind: ExprKind::Case { value, branches, otherwise }, at })
    }

    fn boxed_expression(&mut self, height: &mut usize) -> Parsed<Box<Expr>> {
        let expression = self.expression()?;
        *height = self.height.max(*height);
        Ok(Box::new(expression))
    }
}

fn subscripted(attribute: SubscriptedAttribute, index: Option<Box<Expr>>, at: At) -> Expr {
    Expr { kind: ExprKind::Subscripted(attribute, index), at }
}
