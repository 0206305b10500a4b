//! MERGE and INSERT into several tables: their own clauses parsed by hand, expressions and queries by the parser.

use common::{Error, Result};
use sqlparser::ast;
use sqlparser::tokenizer::Token;

use super::headings::headings;
use super::parse::Part;
use super::words::Words;
use crate::ddl::command::Name;

/// A value to assign; None is DEFAULT.
pub(crate) type Value = Option<ast::Expr>;

/// WHEN MATCHED THEN UPDATE.
#[derive(Clone, Debug)]
pub(crate) struct MergeUpdate {
    /// Column, its position, value.
    pub(crate) assignments: Vec<(String, usize, Value)>,
    pub(crate) condition: Option<ast::Expr>,
    pub(crate) delete: Option<ast::Expr>,
}

/// WHEN NOT MATCHED THEN INSERT.
#[derive(Clone, Debug)]
pub(crate) struct MergeInsert {
    /// Column and its position; empty: all.
    pub(crate) columns: Vec<(String, usize)>,
    pub(crate) values: Vec<Value>,
    pub(crate) condition: Option<ast::Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub(crate) target: ast::TableWithJoins,
    pub(crate) source: ast::TableWithJoins,
    pub(crate) on: ast::Expr,
    pub(crate) update: Option<MergeUpdate>,
    pub(crate) insert: Option<MergeInsert>,
}

/// INTO of an INSERT into several tables.
#[derive(Clone, Debug)]
pub(crate) struct Into {
    pub(crate) table: Name,
    /// Column and its position; empty: all.
    pub(crate) columns: Vec<(String, usize)>,
    /// None: the columns of the query.
    pub(crate) values: Option<Vec<Value>>,
}

/// WHEN … THEN with its INTOs; without a condition: always, or ELSE.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) condition: Option<ast::Expr>,
    pub(crate) into: Vec<Into>,
}

/// INSERT ALL, INSERT FIRST.
#[derive(Clone, Debug)]
pub(crate) struct MultiInsert {
    pub(crate) first: bool,
    pub(crate) branches: Vec<Branch>,
    pub(crate) query: Box<ast::Query>,
    pub(crate) headings: Vec<String>,
}

impl<'t> Words<'t> {
    /// The text up to a comma or closing parenthesis of this level, or one of `stops`.
    fn part(&mut self, stops: &[&str]) -> Result<Part<'t>> {
        let begin = self.peek().map(|word| (word.start, word.location));
        let length = self.expression_text(stops)?.len();
        let (start, location) = begin.ok_or_else(|| self.error(936, "missing expression"))?;
        Ok(Part::new(&self.text[..start + length], start, location))
    }

    fn expression(&mut self, stops: &[&str]) -> Result<ast::Expr> {
        self.part(stops)?.expression()
    }

    fn value(&mut self, stops: &[&str]) -> Result<Value> {
        let part = self.part(stops)?;
        if part.as_str().eq_ignore_ascii_case("DEFAULT") { Ok(None) } else { part.expression().map(Some) }
    }

    /// Columns in parentheses, if a parenthesis follows.
    fn columns(&mut self) -> Result<Vec<(String, usize)>> {
        let mut columns = Vec::new();
        if !self.take_sign(&Token::LParen) {
            return Ok(columns);
        }
        loop {
            columns.push(self.column()?);
            if !self.take_sign(&Token::Comma) {
                break;
            }
        }
        self.expect_sign(&Token::RParen)?;
        Ok(columns)
    }

    /// A column with or without its table's name or alias.
    fn column(&mut self) -> Result<(String, usize)> {
        let mut at = self.offset();
        let mut name = self.identifier()?;
        while self.take_sign(&Token::Period) {
            at = self.offset();
            name = self.identifier()?;
        }
        Ok((name, at))
    }

    /// VALUES and its list.
    fn values(&mut self) -> Result<Vec<Value>> {
        self.expect_sign(&Token::LParen)?;
        let mut values = vec![self.value(&[])?];
        while self.take_sign(&Token::Comma) {
            values.push(self.value(&[])?);
        }
        self.expect_sign(&Token::RParen)?;
        Ok(values)
    }
}

pub(crate) fn merge(words: &mut Words<'_>) -> Result<Merge> {
    words.expect("MERGE")?;
    words.expect("INTO")?;
    let target = words.part(&["USING"])?.table_and_joins()?;
    if !words.take("USING") {
        return Err(words.error(905, "missing keyword: USING expected"));
    }
    let source = words.part(&["ON"])?.table_and_joins()?;
    if !words.take("ON") {
        return Err(words.error(969, "missing ON keyword"));
    }
    words.expect_sign(&Token::LParen)?;
    let on = words.expression(&[])?;
    words.expect_sign(&Token::RParen)?;
    let mut merge = Merge { target, source, on, update: None, insert: None };
    while !words.at_end() {
        if words.next_is("LOG ERRORS") {
            return Err(words.unsupported(""));
        }
        words.expect("WHEN")?;
        if words.take("MATCHED THEN UPDATE SET") && merge.update.is_none() {
            merge.update = Some(update(words)?);
        } else if words.take("NOT MATCHED THEN INSERT") && merge.insert.is_none() {
            let columns = words.columns()?;
            if !words.take("VALUES") {
                return Err(words.error(926, "missing VALUES keyword"));
            }
            let values = words.values()?;
            let condition = if words.take("WHERE") { Some(words.expression(&["WHEN"])?) } else { None };
            merge.insert = Some(MergeInsert { columns, values, condition });
        } else {
            return Err(words.error(905, "missing keyword"));
        }
    }
    if merge.update.is_none() && merge.insert.is_none() {
        return Err(words.error(905, "missing keyword: WHEN expected"));
    }
    Ok(merge)
}

fn update(words: &mut Words<'_>) -> Result<MergeUpdate> {
    let mut assignments = Vec::new();
    loop {
        let (column, at) = words.column()?;
        words.expect_sign(&Token::Eq)?;
        assignments.push((column, at, words.value(&["WHERE", "DELETE WHERE", "WHEN"])?));
        if !words.take_sign(&Token::Comma) {
            break;
        }
    }
    let condition = if words.take("WHERE") { Some(words.expression(&["DELETE WHERE", "WHEN"])?) } else { None };
    let delete = if words.take("DELETE WHERE") { Some(words.expression(&["WHEN"])?) } else { None };
    Ok(MergeUpdate { assignments, condition, delete })
}

/// INSERT ALL and INSERT FIRST.
pub(crate) fn multi_insert(words: &mut Words<'_>) -> Result<MultiInsert> {
    words.expect("INSERT")?;
    let first = words.take("FIRST");
    if !first {
        words.expect("ALL")?;
    }
    let mut branches = Vec::new();
    let conditional = words.next_is("WHEN");
    if first && !conditional {
        return Err(words.error(905, "missing keyword: WHEN expected"));
    }
    if !conditional {
        branches.push(Branch { condition: None, into: intos(words)? });
    }
    while words.take("WHEN") {
        let condition = Some(words.expression(&["THEN"])?);
        words.expect("THEN")?;
        branches.push(Branch { condition, into: intos(words)? });
    }
    if conditional && words.take("ELSE") {
        branches.push(Branch { condition: None, into: intos(words)? });
    }
    let Some(begin) = words.peek() else {
        return Err(words.error(928, "missing SELECT keyword"));
    };
    let part = Part::new(words.text, begin.start, begin.location);
    while words.advance().is_some() {}
    Ok(MultiInsert { first, branches, query: part.query()?, headings: headings(part.as_str()) })
}

fn intos(words: &mut Words<'_>) -> Result<Vec<Into>> {
    let mut found = Vec::new();
    while words.take("INTO") {
        let table = words.name()?;
        let columns = words.columns()?;
        let values = if words.take("VALUES") { Some(words.values()?) } else { None };
        found.push(Into { table, columns, values });
    }
    if found.is_empty() {
        return Err(words.error(925, "missing INTO keyword"));
    }
    Ok(found)
}

/// RETURNING … INTO at the end of INSERT, UPDATE or DELETE.
#[derive(Clone, Debug)]
pub(crate) struct Returning {
    pub(crate) values: Vec<ast::Expr>,
    /// Names of bind variables, upper case, without the colon.
    pub(crate) into: Vec<String>,
}

/// Offset of RETURNING … INTO, and its content.
pub(crate) fn returning(text: &str) -> Result<Option<(usize, Returning)>> {
    let mut words = Words::new(text)?;
    let mut depth = 0usize;
    let mut begin = None;
    while let Some(word) = words.peek().cloned() {
        match word.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (words.next_is("RETURNING") || words.next_is("RETURN")) {
            let mut ahead = words.clone();
            ahead.advance();
            if has_into(&ahead) {
                begin = Some(word.start);
                words.advance();
                break;
            }
        }
        words.advance();
    }
    let Some(begin) = begin else { return Ok(None) };
    let mut values = vec![words.expression(&["INTO", "BULK"])?];
    while words.take_sign(&Token::Comma) {
        values.push(words.expression(&["INTO", "BULK"])?);
    }
    if words.next_is("BULK") {
        return Err(words.unsupported("RETURNING"));
    }
    words.expect("INTO")?;
    let mut into = Vec::new();
    loop {
        match words.advance().map(|word| word.token) {
            Some(Token::Placeholder(name)) => into.push(name.trim_start_matches(':').to_uppercase()),
            Some(Token::Colon) => match words.peek().map(|word| word.token.clone()) {
                Some(Token::Number(number, _)) => {
                    words.advance();
                    into.push(number);
                }
                _ => into.push(words.identifier()?.to_uppercase()),
            },
            _ => return Err(words.unsupported("RETURNING … INTO other than bind variables")),
        }
        if !words.take_sign(&Token::Comma) {
            break;
        }
    }
    words.end()?;
    if into.len() < values.len() {
        return Err(Error::user(947, "not enough values"));
    }
    if into.len() > values.len() {
        return Err(Error::user(913, "too many values"));
    }
    Ok(Some((begin, Returning { values, into })))
}

/// True: INTO stands further on.
fn has_into(words: &Words<'_>) -> bool {
    let mut words = words.clone();
    while !words.at_end() {
        if words.next_is("INTO") {
            return true;
        }
        words.advance();
    }
    false
}
