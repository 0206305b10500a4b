//! CREATE TABLE … ORGANIZATION EXTERNAL.

use common::{Error, Result};
use engine::ddl::ExternalSpec;
use engine::dictionary::ExternalLocation;
use sqlparser::tokenizer::Token;

use super::attributes;
use super::command::{Command, CreateExternal, CreateTable};
use crate::cursor::connection::Connection;
use crate::statement::words::Words;

/// Parses the clauses behind ORGANIZATION EXTERNAL.
pub(crate) fn create(words: &mut Words<'_>, table: CreateTable) -> Result<Command> {
    if !table.constraints.is_empty() {
        return Err(words.error(30657, "operation not supported on external organized table: a constraint"));
    }
    if let Some(column) = table.columns.iter().find(|column| !column.nullable || column.default.is_some()) {
        let what = if column.nullable { "DEFAULT" } else { "NOT NULL" };
        let text = format!("operation not supported on external organized table: {what} of column {}", column.name);
        return Err(words.error(30657, text));
    }
    words.expect_sign(&Token::LParen)?;
    let mut create = CreateExternal {
        name: table.name,
        columns: table.columns,
        driver: "ORACLE_LOADER".to_owned(),
        directory: String::new(),
        parameters: String::new(),
        locations: Vec::new(),
        reject_limit: Some(0),
    };
    if words.take("TYPE") {
        if !words.next_is("ORACLE_LOADER") {
            return Err(words.unsupported("external table of type"));
        }
        create.driver = words.identifier()?;
    }
    if !words.take("DEFAULT DIRECTORY") {
        return Err(words.error(30646, "schema for external table type must have DEFAULT DIRECTORY"));
    }
    create.directory = words.identifier()?;
    loop {
        if words.take("ACCESS PARAMETERS") {
            create.parameters = parameters(words)?;
        } else if words.take("LOCATION") {
            create.locations = locations(words)?;
        } else if !reject_limit(words, &mut create)? {
            break;
        }
    }
    words.expect_sign(&Token::RParen)?;
    while reject_limit(words, &mut create)? || words.take("NOPARALLEL") || attributes::parallel(words)? {}
    if create.locations.is_empty() {
        return Err(words.error(30655, "no LOCATION: an external table without files"));
    }
    Ok(Command::CreateExternal(Box::new(create)))
}

fn reject_limit(words: &mut Words<'_>, create: &mut CreateExternal) -> Result<bool> {
    if !words.take("REJECT LIMIT") {
        return Ok(false);
    }
    create.reject_limit = if words.take("UNLIMITED") { None } else { Some(words.integer()?) };
    Ok(true)
}

/// The text in parentheses, which has a grammar of its own.
fn parameters(words: &mut Words<'_>) -> Result<String> {
    if words.next_is("USING") {
        return Err(words.unsupported("ACCESS PARAMETERS"));
    }
    words.expect_sign(&Token::LParen)?;
    let start = words.offset();
    let mut depth = 1;
    loop {
        let end = words.offset();
        match words.advance().map(|word| word.token) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth -= 1,
            Some(_) => {}
            None => return Err(words.error(907, "missing right parenthesis")),
        }
        if depth == 0 {
            let text = words.text[start..end].trim().to_owned();
            // Errors in them are reported now, not at the first row.
            loader::access::parse(&text).map_err(|error| error.at(start))?;
            return Ok(text);
        }
    }
}

/// `('file', directory:'file', …)`.
fn locations(words: &mut Words<'_>) -> Result<Vec<ExternalLocation>> {
    words.expect_sign(&Token::LParen)?;
    let mut locations = Vec::new();
    loop {
        let named = !matches!(words.peek().map(|word| &word.token), Some(Token::SingleQuotedString(_)));
        let directory = if named { Some(words.identifier()?) } else { None };
        if named {
            words.expect_sign(&Token::Colon)?;
        }
        locations.push(ExternalLocation { directory, name: words.string()? });
        if !words.take_sign(&Token::Comma) {
            words.expect_sign(&Token::RParen)?;
            return Ok(locations);
        }
    }
}

impl Connection {
    pub(super) fn create_external(&self, create: &CreateExternal) -> Result<()> {
        let (owner, name) = self.qualified(&create.name);
        let CreateExternal { columns, driver, directory, parameters, locations, reject_limit, .. } = create.clone();
        if locations.len() > usize::from(u16::MAX) {
            return Err(Error::unsupported("an external table of so many files"));
        }
        let spec = ExternalSpec { owner, name, columns, driver, directory, parameters, locations, reject_limit };
        self.session.create_external_table(&spec).map(drop)
    }
}
