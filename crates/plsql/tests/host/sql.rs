//! A little SQL: one table, conditions joined by AND, a few aggregates.

use std::collections::BTreeMap;

use common::{DataType, Error, Result};
use plsql::host::{Column, PreparedSql};
use plsql::run::Session;
use scalar::context::FixedContext;
use scalar::{Datum, conditions, functions};

use super::{Mock, Table};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    Select,
    Insert,
    Update,
    Delete,
    Commit,
    Rollback,
    /// SAVEPOINT, ALTER SESSION …
    Nothing,
}

#[derive(Clone, Debug)]
pub enum Expression {
    Literal(Datum),
    Column(usize),
    Rowid,
    Bind(usize),
    Call(String, Vec<Expression>),
    CountAll,
    Next(String),
}

#[derive(Clone, Debug)]
pub struct Condition {
    left: Expression,
    sign: String,
    right: Expression,
}

#[derive(Clone, Debug)]
pub struct Parsed {
    pub verb: Verb,
    pub table: String,
    pub columns: Vec<String>,
    pub values: Vec<Expression>,
    names: Vec<Box<str>>,
    conditions: Vec<Condition>,
    order: Option<(usize, bool)>,
    pub returning: Vec<Expression>,
    returning_names: Vec<Box<str>>,
}

/// Which variable a path is.
type Variables<'v> = &'v mut dyn FnMut(&[&str]) -> Option<usize>;

pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            continue;
        } else if c == '\'' {
            let mut end = 1;
            loop {
                end += rest[end..].find('\'').map_or(rest.len() - end, |at| at + 1);
                if !rest[end..].starts_with('\'') {
                    break end;
                }
                end += 1;
            }
        } else if c == '"' {
            rest[1..].find('"').map_or(rest.len(), |at| at + 2)
        } else if c.is_alphanumeric() || c == ':' || c == '_' {
            let body = rest[1..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '$')).count();
            1 + body
        } else if ["||", "<=", ">=", "<>", "!=", ":="].iter().any(|sign| rest.starts_with(sign)) {
            2
        } else {
            c.len_utf8()
        };
        let word = &rest[..length];
        found.push(if c == '\'' || c == '"' { word.to_owned() } else { word.to_uppercase() });
        rest = &rest[length..];
    }
    found
}

/// Bind variables of a block, each once.
pub fn bind_names(text: &str) -> Vec<Box<str>> {
    let mut names: Vec<Box<str>> = Vec::new();
    for word in words(text) {
        if let Some(name) = word.strip_prefix(':').filter(|name| !name.is_empty() && *name != "=")
            && !names.iter().any(|known| **known == *name)
        {
            names.push(name.into());
        }
    }
    names
}

/// DML text without its INTO part behind RETURNING.
pub fn without_into(text: &str) -> String {
    let upper = text.to_uppercase();
    match (upper.find("RETURNING"), upper.rfind(" INTO ")) {
        (Some(returning), Some(into)) if into > returning => text[..into].to_owned(),
        _ => text.to_owned(),
    }
}

/// Parses text that was prepared: its variables are known.
pub fn again(sql: &PreparedSql, tables: &BTreeMap<String, Table>) -> Result<Parsed> {
    let mut next = 0;
    parse(&sql.text, tables, &mut |path: &[&str]| {
        let known = sql.variables.get(next)?;
        let same = known.len() == path.len() && known.iter().zip(path).all(|(a, b)| **a == **b);
        if same {
            next += 1;
        }
        same.then_some(next - 1)
    })
}

struct Reader<'r> {
    words: Vec<String>,
    at: usize,
    columns: Vec<Column>,
    variables: Variables<'r>,
    alias: String,
}

pub fn parse(text: &str, tables: &BTreeMap<String, Table>, variables: Variables<'_>) -> Result<Parsed> {
    let words = words(text);
    let mut parsed = Parsed {
        verb: Verb::Nothing,
        table: String::new(),
        columns: Vec::new(),
        values: Vec::new(),
        names: Vec::new(),
        conditions: Vec::new(),
        order: None,
        returning: Vec::new(),
        returning_names: Vec::new(),
    };
    let first = words.first().cloned().unwrap_or_default();
    parsed.verb = match first.as_str() {
        "SELECT" => Verb::Select,
        "INSERT" => Verb::Insert,
        "UPDATE" => Verb::Update,
        "DELETE" => Verb::Delete,
        "COMMIT" => Verb::Commit,
        "ROLLBACK" => Verb::Rollback,
        "SAVEPOINT" | "ALTER" | "SET" | "LOCK" | "CREATE" | "DROP" => Verb::Nothing,
        _ => return Err(Error::user(900, "invalid SQL statement")),
    };
    let before_table = match parsed.verb {
        Verb::Select => words.iter().position(|word| word == "FROM"),
        Verb::Insert => words.iter().position(|word| word == "INTO"),
        Verb::Update => Some(0),
        Verb::Delete => Some(if words.get(1).is_some_and(|word| word == "FROM") { 1 } else { 0 }),
        _ => return Ok(parsed),
    };
    let at = before_table.ok_or_else(|| Error::user(923, "FROM keyword not found where expected"))? + 1;
    parsed.table = words.get(at).cloned().unwrap_or_default();
    let offset = text.to_uppercase().find(&parsed.table).unwrap_or(0);
    let table = tables.get(&parsed.table).ok_or_else(|| Error::user(942, "table or view does not exist").at(offset))?;
    let keyword = ["WHERE", "ORDER", "SET", "FOR", "VALUES", "RETURNING", "("];
    let alias = words.get(at + 1).filter(|word| !keyword.contains(&word.as_str())).cloned().unwrap_or_default();
    let mut reader = Reader { words, at: 1, columns: table.columns.clone(), variables, alias };
    match parsed.verb {
        Verb::Select => reader.items(&mut parsed)?,
        Verb::Insert => {
            reader.at = at + 1;
            reader.insert(&mut parsed)?;
        }
        Verb::Update => {
            while reader.next() != "SET" {}
            loop {
                let column = reader.next().trim_matches('"').to_owned();
                reader.next();
                parsed.columns.push(column);
                let value = reader.expression()?;
                parsed.values.push(value);
                if !reader.accept(",") {
                    break;
                }
            }
        }
        _ => {}
    }
    reader.rest(&mut parsed)?;
    Ok(parsed)
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words.get(self.at - 1).cloned().unwrap_or_else(|| "SET".to_owned())
    }

    fn accept(&mut self, word: &str) -> bool {
        let there = self.peek() == word;
        self.at += usize::from(there);
        there
    }

    fn items(&mut self, parsed: &mut Parsed) -> Result<()> {
        loop {
            if self.accept("*") {
                for (at, column) in self.columns.iter().enumerate() {
                    parsed.values.push(Expression::Column(at));
                    parsed.names.push(column.name.clone());
                }
            } else {
                let begin = self.at;
                let value = self.expression()?;
                let mut name: Box<str> = self.words[begin..self.at].concat().into();
                if let Expression::Column(at) = &value {
                    name = self.columns[*at].name.clone();
                }
                if !matches!(self.peek(), "," | "FROM") {
                    self.accept("AS");
                    name = self.next().into();
                }
                parsed.values.push(value);
                parsed.names.push(name);
            }
            if !self.accept(",") {
                break;
            }
        }
        Ok(())
    }

    fn insert(&mut self, parsed: &mut Parsed) -> Result<()> {
        if self.accept("(") {
            while self.peek() != ")" {
                let column = self.next();
                if column != "," {
                    parsed.columns.push(column);
                }
            }
            self.next();
        }
        while self.next() != "VALUES" {}
        self.next();
        loop {
            let value = self.expression()?;
            parsed.values.push(value);
            if !self.accept(",") {
                break;
            }
        }
        Ok(())
    }

    fn rest(&mut self, parsed: &mut Parsed) -> Result<()> {
        while self.at < self.words.len() {
            match self.next().as_str() {
                "WHERE" | "AND" => {
                    let left = self.expression()?;
                    let sign = self.next();
                    let right = self.expression()?;
                    parsed.conditions.push(Condition { left, sign, right });
                }
                "ORDER" => {
                    self.next();
                    if let Expression::Column(at) = self.expression()? {
                        parsed.order = Some((at, self.accept("DESC")));
                    }
                }
                "RETURNING" => loop {
                    let begin = self.at;
                    let value = self.expression()?;
                    parsed.returning_names.push(self.words[begin..self.at].concat().into());
                    parsed.returning.push(value);
                    if !self.accept(",") {
                        break;
                    }
                },
                _ => {}
            }
        }
        Ok(())
    }

    fn expression(&mut self) -> Result<Expression> {
        let mut left = self.primary()?;
        while let sign @ ("+" | "-" | "*" | "/" | "||") = self.peek() {
            let sign = sign.to_owned();
            self.at += 1;
            let right = self.primary()?;
            left = Expression::Call(sign, vec![left, right]);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Expression> {
        let word = self.next();
        let first = word.chars().next().unwrap_or(' ');
        if first == '\'' {
            return Ok(Expression::Literal(Datum::character(word[1..word.len() - 1].replace("''", "'"))));
        }
        if first.is_ascii_digit() {
            return Ok(Expression::Literal(Datum::Number(format::number::parse(&word)?)));
        }
        if word == "-" {
            return Ok(Expression::Call("NEGATE".to_owned(), vec![self.primary()?]));
        }
        if word == "(" {
            let inner = self.expression()?;
            self.next();
            return Ok(inner);
        }
        if word == "NULL" {
            return Ok(Expression::Literal(Datum::Null));
        }
        if word == "ROWID" {
            return Ok(Expression::Rowid);
        }
        let mut path = vec![word];
        while self.peek() == "." {
            self.at += 1;
            path.push(self.next());
        }
        let path: Vec<String> = path.iter().map(|part| part.trim_matches('"').to_owned()).collect();
        let column = match &path[..] {
            [only] => Some(only),
            [alias, column] if *alias == self.alias => Some(column),
            _ => None,
        };
        if let Some(at) = column.and_then(|name| self.columns.iter().position(|column| *column.name == **name)) {
            return Ok(Expression::Column(at));
        }
        if self.accept("(") {
            if self.accept("*") {
                self.next();
                return Ok(Expression::CountAll);
            }
            let mut arguments = Vec::new();
            while !self.accept(")") {
                arguments.push(self.expression()?);
                self.accept(",");
            }
            return Ok(Expression::Call(path.join("."), arguments));
        }
        if path.last().is_some_and(|last| last == "NEXTVAL") {
            return Ok(Expression::Next(path[0].clone()));
        }
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(bind) = (self.variables)(&parts) {
            return Ok(Expression::Bind(bind));
        }
        if functions::lookup(&path.join(".")).is_some() {
            return Ok(Expression::Call(path.join("."), Vec::new()));
        }
        Err(Error::user(904, format!("\"{}\": invalid identifier", path.join("\".\""))))
    }
}

impl Expression {
    pub fn evaluate(
        &self,
        mock: &mut Mock,
        session: &mut Session,
        columns: &[Column],
        row: Option<(u64, &[Datum])>,
        binds: &[Datum],
    ) -> Result<Datum> {
        Ok(match self {
            Self::Literal(datum) => datum.clone(),
            Self::Column(at) => row.map_or(Datum::Null, |(_, row)| row[*at].clone()),
            Self::Rowid => row.map_or(Datum::Null, |(id, _)| Mock::rowid(id)),
            Self::Bind(at) => binds.get(*at).cloned().ok_or_else(|| Error::user(1008, "not all variables bound"))?,
            Self::CountAll => Datum::Null,
            Self::Next(name) => plsql::host::Host::sequence(mock, super::OWNER, name, true)?,
            Self::Call(name, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(argument.evaluate(mock, session, columns, row, binds)?);
                }
                match functions::lookup(name) {
                    Some(function) => function.call(&FixedContext::default(), &values)?,
                    None => {
                        let path: Vec<&str> = name.split('.').collect();
                        session.call(mock, &path, &mut values)?
                    }
                }
            }
        })
    }

    fn data_type(&self, columns: &[Column]) -> DataType {
        match self {
            Self::Column(at) => columns[*at].data_type,
            Self::Literal(Datum::Varchar2(text) | Datum::Char(text)) => DataType::Varchar2 { bytes: text.len() as u16 },
            Self::Rowid => DataType::Varchar2 { bytes: 18 },
            Self::Call(name, _) if name == "||" || name == "UPPER" => DataType::Varchar2 { bytes: 4000 },
            Self::Call(name, arguments) if name == "MAX" => arguments[0].data_type(columns),
            Self::Call(name, _) if name == "SYSDATE" => DataType::Date,
            _ => DataType::Number { precision: None, scale: 0 },
        }
    }
}

impl Parsed {
    pub fn result_columns(&self, tables: &BTreeMap<String, Table>) -> Vec<Column> {
        let Some(table) = tables.get(&self.table) else { return Vec::new() };
        let (values, names) = match self.verb {
            Verb::Select => (&self.values, &self.names),
            _ => (&self.returning, &self.returning_names),
        };
        let column = |(value, name): (&Expression, &Box<str>)| Column {
            name: name.clone(),
            data_type: value.data_type(&table.columns),
            nullable: true,
        };
        values.iter().zip(names).map(column).collect()
    }

    pub fn matches(
        &self,
        mock: &mut Mock,
        session: &mut Session,
        columns: &[Column],
        row: (u64, &[Datum]),
        binds: &[Datum],
    ) -> Result<bool> {
        for condition in &self.conditions {
            let left = condition.left.evaluate(mock, session, columns, Some(row), binds)?;
            let right = condition.right.evaluate(mock, session, columns, Some(row), binds)?;
            let sign = if condition.sign == "!=" { "<>" } else { condition.sign.as_str() };
            let found = conditions::lookup(sign).ok_or_else(|| Error::user(920, "invalid relational operator"))?;
            if (found.call)(&FixedContext::default(), &[left, right])? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[allow(clippy::type_complexity, reason = "rows with their numbers")]
    pub fn select(
        &self,
        mock: &mut Mock,
        session: &mut Session,
        binds: &[Datum],
    ) -> Result<(Vec<Column>, Vec<(u64, Vec<Datum>)>)> {
        let Table { columns, rows, .. } = mock.table(&self.table)?.clone();
        let mut kept = Vec::new();
        for (id, row) in rows {
            if self.matches(mock, session, &columns, (id, &row), binds)? {
                kept.push((id, row));
            }
        }
        if let Some((at, descending)) = self.order {
            let context = FixedContext::default();
            kept.sort_by(|(_, a), (_, b)| {
                let order =
                    scalar::compare(&context, &a[at], &b[at]).ok().flatten().unwrap_or(std::cmp::Ordering::Equal);
                if descending { order.reverse() } else { order }
            });
        }
        let result = self.result_columns(&mock.tables);
        let is_aggregate = |value: &Expression| {
            matches!(value, Expression::CountAll)
                || matches!(value, Expression::Call(name, _) if ["SUM", "MAX"].contains(&name.as_str()))
        };
        let mut out = Vec::new();
        if self.values.iter().any(is_aggregate) {
            let mut values = Vec::new();
            for value in &self.values {
                values.push(self.aggregate(mock, session, &columns, value, &kept, binds)?);
            }
            return Ok((result, vec![(0, values)]));
        }
        for (id, row) in &kept {
            let mut values = Vec::new();
            for value in &self.values {
                values.push(value.evaluate(mock, session, &columns, Some((*id, row)), binds)?);
            }
            out.push((*id, values));
        }
        Ok((result, out))
    }

    fn aggregate(
        &self,
        mock: &mut Mock,
        session: &mut Session,
        columns: &[Column],
        value: &Expression,
        rows: &[(u64, Vec<Datum>)],
        binds: &[Datum],
    ) -> Result<Datum> {
        let Expression::Call(name, arguments) = value else { return Ok(Datum::integer(rows.len() as i64)) };
        let context = FixedContext::default();
        let mut result = Datum::Null;
        for (id, row) in rows {
            let next = arguments[0].evaluate(mock, session, columns, Some((*id, row)), binds)?;
            result = match (&result, name.as_str()) {
                (Datum::Null, _) => next,
                (_, "SUM") => functions::lookup("+").ok_or_else(|| Error::bug("+"))?.call(&context, &[result, next])?,
                _ => functions::lookup("GREATEST")
                    .ok_or_else(|| Error::bug("GREATEST"))?
                    .call(&context, &[result, next])?,
            };
        }
        Ok(result)
    }
}
