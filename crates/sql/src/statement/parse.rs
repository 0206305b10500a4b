//! Parsing of a statement: its kind, and its syntax tree.

use common::{Error, Number, Result};
use sqlparser::ast::{self, Statement as Tree};
use sqlparser::dialect::OracleDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use super::dialect::adapt;
use super::headings::headings;
use super::merge::{Merge, MultiInsert, Returning, merge, multi_insert, returning};
use super::position;
use super::syntax::{in_queries, leftover, syntax_error, too_deep};
use super::words::Words;
use crate::ddl::command::{Command, Name};
use crate::explain::statement::Explain;
use crate::transaction;
use crate::transaction::command::TransactionCommand;
use crate::transaction::for_update::{self, ForUpdate};
use plsql::kind::{ProgramKind, program_kind};

static DIALECT: OracleDialect = OracleDialect {};

/// Nesting of expressions and queries, parentheses aside, that the parser accepts.
const NESTING_MAX: usize = 200;
/// Nesting of parentheses. When the parser meets its own limit within some, it tries each level's other readings, which
/// doubles its work with each: so they are counted before parsing.
const PARENTHESES_MAX: usize = 200;
/// Upper bound of the parser's levels for a pair of parentheses and the token before it.
const LEVELS_OF_A_PAIR: usize = 4;
/// Operators of a statement: a chain of them is a tree of that depth, and every recursion over it needs stack.
const OPERATORS_MAX: usize = 5_000;

/// A parsed statement.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Query {
        query: Box<ast::Query>,
        headings: Vec<String>,
        /// FOR UPDATE.
        lock: Option<ForUpdate>,
    },
    Insert(Box<ast::Insert>, Option<Returning>),
    Update(Box<ast::Update>, Option<Returning>),
    Delete(Box<ast::Delete>, Option<Returning>),
    Merge(Box<Merge>),
    /// INSERT ALL, INSERT FIRST.
    MultiInsert(Box<MultiInsert>),
    /// With its notices about clauses without effect.
    Command(Command, Vec<String>),
    /// SET CONSTRAINTS; no names: all.
    SetConstraints {
        names: Vec<Name>,
        deferred: bool,
    },
    Transaction(TransactionCommand),
    Explain(Box<Explain>),
    /// An anonymous block, or CALL: its text is the program.
    Block,
    /// CREATE of a stored program.
    Program,
}

impl Statement {
    /// The words of the feedback, and the command's number.
    pub(crate) fn verb(&self) -> (&'static str, u32) {
        match self {
            Self::Query { .. } => ("SELECT", 3),
            Self::Insert(..) | Self::MultiInsert(_) => ("INSERT", 2),
            Self::Update(..) => ("UPDATE", 6),
            Self::Delete(..) => ("DELETE", 7),
            Self::Merge(_) => ("MERGE", 189),
            Self::Command(command, _) => command.verb(),
            Self::SetConstraints { .. } => ("SET CONSTRAINT", 90),
            Self::Transaction(command) => command.verb(),
            Self::Explain(_) => ("EXPLAIN", 50),
            Self::Block => ("PL/SQL", 47),
            Self::Program => ("CREATE PROGRAM", 24),
        }
    }

    /// True: a commit stands before and after it.
    pub(crate) fn is_ddl(&self) -> bool {
        matches!(self, Self::Command(command, _) if command.is_ddl())
    }
}

/// Parses one statement, without its terminator.
pub(crate) fn parse(text: &str) -> Result<Statement> {
    match program_kind(text) {
        Some(ProgramKind::Block | ProgramKind::Call) => return Ok(Statement::Block),
        Some(ProgramKind::Create) => return Ok(Statement::Program),
        None => {}
    }
    let mut words = Words::new(text)?;
    let Some(first) = words.peek().cloned() else {
        return Err(Error::user(900, "invalid SQL statement: it is empty").at(0));
    };
    let keyword = match &first.token {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_uppercase(),
        Token::LParen => "SELECT".to_owned(),
        _ => String::new(),
    };
    if matches!(keyword.as_str(), "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE" | "MERGE") {
        check_numbers(&words)?;
    }
    match keyword.as_str() {
        "SELECT" | "WITH" => {
            let lock = for_update::clause(&words)?;
            let query = lock.as_ref().map_or(text, |lock| &text[..lock.offset]);
            match tree(Part::whole(query))? {
                Tree::Query(query) => Ok(Statement::Query { query, headings: headings(text), lock }),
                other => Err(Error::unsupported(format!("statement {other}"))),
            }
        }
        "INSERT" if words.next_is("INSERT ALL") || words.next_is("INSERT FIRST") => {
            multi_insert(&mut words).map(|insert| Statement::MultiInsert(Box::new(insert)))
        }
        "MERGE" => merge(&mut words).map(|merge| Statement::Merge(Box::new(merge))),
        "INSERT" | "UPDATE" | "DELETE" => {
            let (text, returning) = match returning(text)? {
                Some((behind, returning)) => (&text[..behind], Some(returning)),
                None => (text, None),
            };
            match tree(Part::whole(text))? {
                Tree::Insert(insert) => Ok(Statement::Insert(Box::new(insert), returning)),
                Tree::Update(update) => Ok(Statement::Update(Box::new(update), returning)),
                Tree::Delete(delete) => Ok(Statement::Delete(Box::new(delete), returning)),
                other => Err(Error::unsupported(format!("statement {other}"))),
            }
        }
        "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "RENAME" | "GRANT" | "REVOKE" | "ANALYZE" | "COMMENT" => {
            crate::ddl::parse::parse(text).map(|(command, notices)| Statement::Command(command, notices))
        }
        "SET" if words.take("SET CONSTRAINT") || words.take("SET CONSTRAINTS") => {
            let mut names = Vec::new();
            if !words.take("ALL") {
                names.push(words.name()?);
                while words.take_sign(&Token::Comma) {
                    names.push(words.name()?);
                }
            }
            let deferred = words.take("DEFERRED");
            if !deferred {
                words.expect("IMMEDIATE")?;
            }
            words.end()?;
            Ok(Statement::SetConstraints { names, deferred })
        }
        keyword if transaction::parse::KEYWORDS.contains(&keyword) => {
            transaction::parse::parse(&mut words).map(Statement::Transaction)
        }
        "EXPLAIN" => Explain::parse(&mut words).map(|explain| Statement::Explain(Box::new(explain))),
        "AUDIT" | "NOAUDIT" | "PURGE" | "FLASHBACK" | "ASSOCIATE" | "DISASSOCIATE" | "ADMINISTER" => {
            Err(Error::unsupported(format!("statement {keyword}")).at(first.start))
        }
        _ => Err(Error::user(900, "invalid SQL statement").at(first.start)),
    }
}

/// A letter right behind a number is part of it: `1d` is a binary number, not a column named D.
fn check_numbers(words: &Words<'_>) -> Result<()> {
    for ahead in 0.. {
        let (Some(number), Some(next)) = (words.peek_at(ahead), words.peek_at(ahead + 1)) else { break };
        if let (Token::Number(..), Token::Word(word)) = (&number.token, &next.token)
            && number.end == next.start
        {
            let error = match word.value.to_uppercase().as_str() {
                "D" | "F" => Error::unsupported("BINARY_DOUBLE and BINARY_FLOAT literals"),
                _ => Error::user(933, "SQL command not properly ended"),
            };
            return Err(error.at(number.start));
        }
    }
    Ok(())
}

/// A part of a statement that is parsed on its own; positions in it are positions in the statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'t> {
    /// The statement up to the part's end.
    text: &'t str,
    /// The part's beginning: byte offset, line and column.
    start: usize,
    location: Location,
}

impl<'t> Part<'t> {
    /// `location` is the line and column of `start`.
    pub(crate) fn new(text: &'t str, start: usize, location: Location) -> Self {
        Self { text, start, location }
    }

    /// A text that is no part of another one.
    fn whole(text: &'t str) -> Self {
        Self { text, start: 0, location: Location { line: 1, column: 1 } }
    }

    pub(crate) fn as_str(&self) -> &'t str {
        &self.text[self.start..]
    }

    /// Moves a position that the tokenizer has found in the part alone.
    fn shifted(&self, place: Location) -> Location {
        match place {
            // No position.
            Location { line: 0, .. } => place,
            Location { line: 1, column } => {
                Location { line: self.location.line, column: self.location.column + column - 1 }
            }
            Location { line, column } => Location { line: self.location.line + line - 1, column },
        }
    }

    fn tokens(&self) -> Result<Vec<TokenWithSpan>> {
        let mut tokens = Tokenizer::new(&DIALECT, self.as_str()).tokenize_with_location().map_err(|error| {
            let place = position::offset(self.text, self.shifted(error.location)).unwrap_or(self.text.len());
            let number = if error.message.contains("Unterminated") { 1756 } else { 911 };
            Error::user(number, format!("syntax error: {}", error.message)).at(place)
        })?;
        if tokens.iter().filter(|token| deepens(&token.token)).count() > OPERATORS_MAX {
            return Err(Error::unsupported(format!("a statement of more than {OPERATORS_MAX} operators")));
        }
        if self.start > 0 {
            for TokenWithSpan { span, .. } in &mut tokens {
                (span.start, span.end) = (self.shifted(span.start), self.shifted(span.end));
            }
        }
        adapt(self.text, tokens)
    }

    fn parser(&self) -> Result<Parser<'static>> {
        let tokens = self.tokens()?;
        if parentheses(&tokens) > PARENTHESES_MAX {
            return Err(too_deep());
        }
        Ok(parser_of(tokens))
    }

    /// The part as a query.
    ///
    /// # Errors
    /// Its syntax errors.
    pub(crate) fn query(&self) -> Result<Box<ast::Query>> {
        match tree(*self)? {
            Tree::Query(query) => Ok(query),
            other => Err(Error::user(928, format!("missing SELECT keyword: {other}"))),
        }
    }

    /// The part as an expression.
    ///
    /// # Errors
    /// Its syntax errors.
    pub(crate) fn expression(&self) -> Result<ast::Expr> {
        let mut parser = self.parser()?;
        let expr = parser.parse_expr().map_err(|error| syntax_error(self.text, error, self.text.len()))?;
        if parser.peek_token().token != Token::EOF {
            return Err(Error::user(936, format!("missing expression: {}", self.as_str())));
        }
        Ok(expr)
    }

    /// The part as a table or query with its alias, as behind USING in MERGE.
    ///
    /// # Errors
    /// Its syntax errors.
    pub(crate) fn table_and_joins(&self) -> Result<ast::TableWithJoins> {
        let mut parser = self.parser()?;
        let item = parser.parse_table_and_joins().map_err(|error| syntax_error(self.text, error, self.text.len()))?;
        let next = parser.peek_token();
        if next.token == Token::EOF { Ok(item) } else { Err(leftover(self.text, None, &next, 933)) }
    }
}

/// A query on its own, as behind AS in CREATE TABLE; `offset` is its position in the statement.
pub(crate) fn parse_query(text: &str, offset: usize) -> Result<(Box<ast::Query>, Vec<String>)> {
    let shift = |mut error: Error| {
        error.position = Some(error.position.unwrap_or(0) + offset);
        error
    };
    Ok((Part::whole(text).query().map_err(shift)?, headings(text)))
}

/// An expression on its own, as in DEFAULT.
pub(crate) fn parse_expression(text: &str) -> Result<ast::Expr> {
    Part::whole(text).expression()
}

/// True: a chain of these makes a tree as deep as the chain is long.
fn deepens(token: &Token) -> bool {
    match token {
        Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::StringConcat => true,
        Token::Word(word) => {
            ["AND", "OR", "UNION", "MINUS", "INTERSECT"].iter().any(|name| word.value.eq_ignore_ascii_case(name))
        }
        _ => false,
    }
}

/// Levels of parentheses.
fn parentheses(tokens: &[TokenWithSpan]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for token in tokens {
        match token.token {
            Token::LParen => open += 1,
            Token::RParen => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// A parser of tokens in its own syntax.
pub(super) fn parser_of(tokens: Vec<TokenWithSpan>) -> Parser<'static> {
    let levels = NESTING_MAX + LEVELS_OF_A_PAIR * parentheses(&tokens);
    Parser::new(&DIALECT).with_recursion_limit(levels).with_tokens_with_locations(tokens)
}

/// The syntax tree of one statement. When a query in parentheses has an error, the parser tries other readings and
/// reports the last one's: so when it fails, those queries are parsed on their own.
fn tree(part: Part<'_>) -> Result<Tree> {
    let text = part.text;
    let mut parser = part.parser()?;
    let outer = match parser.parse_statement() {
        Ok(tree) => {
            let next = parser.peek_token();
            if next.token == Token::EOF {
                return Ok(tree);
            }
            let query = if let Tree::Query(query) = &tree { Some(&**query) } else { None };
            leftover(text, query, &next, 933)
        }
        Err(error) => syntax_error(text, error, text.len()),
    };
    if outer.number == Number::Ora(913) {
        return Err(outer);
    }
    let inner = in_queries(text, &part.tokens()?, outer.position.unwrap_or(text.len()));
    Err(inner.unwrap_or(outer))
}
