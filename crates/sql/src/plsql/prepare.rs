//! SQL statements of programs: their columns and the program's variables.
//!
//! A name that is a column of one of the statement's tables is that column, wherever it stands; so is an alias of the
//! statement. Any other name may be a variable, and becomes a bind variable. In INSERT … VALUES only subqueries have
//! columns.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use common::{Error, Result};
use plsql::ast::{SqlKind, SqlText};
use plsql::host::{Column, PreparedSql, Viewer};
use scalar::Datum;
use sqlparser::ast::{
    self, AccessExpr, Expr, Ident, ObjectName, SelectItem, Spanned, TableFactor, Value, Visit, Visitor,
};
use sqlparser::dialect::OracleDialect;
use sqlparser::tokenizer::{Span, Token, Tokenizer, Whitespace};

use crate::cursor::tables::SessionTables;
use crate::explain::function::OUTPUT;
use crate::functions;
use crate::plan::binder::{Tables, fold, fold_name, owner_and_name};
use crate::plan::hints::Hints;
use crate::statement::merge::{Merge, MultiInsert};
use crate::statement::parse::{Statement, parse};
use crate::statement::position;

/// The names of a statement.
#[derive(Default)]
struct Names {
    /// Tables and views, in order.
    relations: Vec<ObjectName>,
    /// The queries of WITH.
    queries: HashSet<String>,
    /// Names of tables, views and queries in the statement.
    aliases: HashSet<String>,
    /// Column names defined in the statement.
    columns: HashSet<String>,
    /// Called functions, with all parts of their names.
    calls: Vec<Vec<String>>,
    /// Expressions that may be variables: the parts of their name, and their positions.
    candidates: Vec<Candidate>,
}

struct Candidate {
    parts: Vec<String>,
    place: Range<usize>,
    /// It stands in VALUES of an INSERT, where no column can.
    in_values: bool,
}

struct Collector<'t> {
    text: &'t str,
    names: Names,
    /// For each enclosing query, true if it is the VALUES of an INSERT.
    values: Vec<bool>,
}

impl Collector<'_> {
    fn candidate(&mut self, parts: Vec<String>, from: Span, to: Span) {
        let (start, end) = (position::offset(self.text, from.start), position::offset(self.text, to.end));
        if let (Some(start), Some(end)) = (start, end) {
            let in_values = self.values.last().copied().unwrap_or(false);
            self.names.candidates.push(Candidate { parts, place: start..end, in_values });
        }
    }

    fn name(&mut self, idents: &[Ident]) {
        if let (Some(first), Some(last)) = (idents.first(), idents.last()) {
            self.candidate(idents.iter().map(fold).collect(), first.span, last.span);
        }
    }

    fn alias(&mut self, alias: Option<&ast::TableAlias>) {
        if let Some(alias) = alias {
            self.names.aliases.insert(fold(&alias.name));
            self.names.columns.extend(alias.columns.iter().map(|column| fold(&column.name)));
        }
    }
}

impl Visitor for Collector<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.names.queries.insert(fold(&cte.alias.name));
            self.alias(Some(&cte.alias));
        }
        self.values.push(matches!(*query.body, ast::SetExpr::Values(_)));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &ast::Query) -> ControlFlow<()> {
        self.values.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                self.names.columns.insert(fold(alias));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.names.relations.push(relation.clone());
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { alias, .. }
            | TableFactor::Derived { alias, .. }
            | TableFactor::NestedJoin { alias, .. } => self.alias(alias.as_ref()),
            TableFactor::TableFunction { expr, alias } => {
                self.alias(alias.as_ref());
                // The function is not the program's, and its column is none.
                if let Expr::CompoundIdentifier(idents) = expr
                    && let Some(first) = idents.first()
                {
                    self.names.aliases.insert(fold(first));
                }
                self.names.columns.insert(OUTPUT.to_owned());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => self.name(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(idents) => self.name(idents),
            // `:NEW.X` of a trigger.
            Expr::CompoundFieldAccess { root, access_chain } => {
                if let (Expr::Value(value), [AccessExpr::Dot(Expr::Identifier(field))]) = (&**root, &access_chain[..])
                    && let Value::Placeholder(name) = &value.value
                {
                    self.candidate(vec![name.to_uppercase(), fold(field)], value.span, field.span);
                }
            }
            Expr::Function(function) => self.names.calls.extend(fold_name(&function.name)),
            // A placeholder for an expression of the program.
            Expr::Value(value) => {
                if let Value::Placeholder(name) = &value.value {
                    self.candidate(vec![name.to_uppercase()], value.span, value.span);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn visit_merge(merge: &Merge, visitor: &mut Collector<'_>) {
    let _ = merge.target.visit(visitor);
    let _ = merge.source.visit(visitor);
    let _ = merge.on.visit(visitor);
    if let Some(update) = &merge.update {
        let values = update.assignments.iter().filter_map(|(_, _, value)| value.as_ref());
        for e in values.chain(&update.condition).chain(&update.delete) {
            let _ = e.visit(visitor);
        }
    }
    if let Some(insert) = &merge.insert {
        for e in insert.values.iter().flatten().chain(&insert.condition) {
            let _ = e.visit(visitor);
        }
    }
}

fn visit_multi_insert(insert: &MultiInsert, visitor: &mut Collector<'_>) {
    let _ = insert.query.visit(visitor);
    for branch in &insert.branches {
        let _ = branch.condition.visit(visitor);
        for e in branch.into.iter().filter_map(|into| into.values.as_ref()).flatten().flatten() {
            let _ = e.visit(visitor);
        }
    }
}

fn collect(text: &str, statement: &Statement) -> Names {
    let mut visitor = Collector { text, names: Names::default(), values: Vec::new() };
    match statement {
        Statement::Query { query, .. } => drop(query.visit(&mut visitor)),
        Statement::Insert(insert, returning) => {
            let _ = insert.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Update(update, returning) => {
            let _ = update.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Delete(delete, returning) => {
            let _ = delete.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Merge(merge) => visit_merge(merge, &mut visitor),
        Statement::MultiInsert(insert) => visit_multi_insert(insert, &mut visitor),
        Statement::Command(..)
        | Statement::SetConstraints { .. }
        | Statement::Transaction(_)
        | Statement::Explain(_)
        | Statement::Block
        | Statement::Program => {}
    }
    visitor.names
}

/// The statement's text in V$SQL and traces: upper case outside of quotes, blanks and comments folded to one blank,
/// hints kept.
fn normal(text: &str) -> Result<String> {
    let tokens = Tokenizer::new(&OracleDialect {}, text)
        .tokenize_with_location()
        .map_err(|error| Error::user(911, format!("invalid character: {}", error.message)))?;
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    let mut places = position::Places::new(text);
    for token in tokens {
        match &token.token {
            Token::EOF => break,
            Token::Whitespace(Whitespace::MultiLineComment(comment)) if comment.starts_with('+') => {}
            Token::Whitespace(_) => {
                blank = !out.is_empty();
                continue;
            }
            _ => {}
        }
        if blank {
            out.push(' ');
            blank = false;
        }
        let start = places.offset(token.span.start).unwrap_or(0);
        let end = places.offset(token.span.end).unwrap_or(text.len());
        match &token.token {
            Token::Word(word) if word.quote_style.is_none() => out.push_str(&text[start..end].to_uppercase()),
            Token::Placeholder(_) => out.push_str(&text[start..end].to_uppercase()),
            _ => out.push_str(&text[start..end]),
        }
    }
    Ok(out)
}

/// Words with a meaning of their own in an expression, beside the functions without parentheses.
fn is_pseudo(name: &str) -> bool {
    matches!(name, "ROWNUM" | "ROWID" | "LEVEL" | "DEFAULT")
}

/// Prepares a program's statement for the session.
pub(super) fn prepare(
    tables: SessionTables,
    viewer: Viewer<'_>,
    sql: &SqlText,
    is_variable: &mut dyn FnMut(&[&str]) -> bool,
) -> Result<PreparedSql> {
    let mut text = sql.text.trim_end().to_owned();
    let returning = sql.into.as_ref().filter(|_| sql.kind != SqlKind::Query).map_or(0, |into| into.targets.len());
    for number in 1..=returning {
        text.push_str(&format!("{} :R{number}", if number == 1 { " INTO" } else { "," }));
    }
    let statement = parse(&text)?;
    let names = collect(&text, &statement);

    let tables = SessionTables { names_only: true, compiling: true, ..tables.viewed(viewer) };
    let mut columns = names.columns;
    let mut aliases = names.aliases;
    let mut depends_on = Vec::new();
    for relation in &names.relations {
        let (owner, name) = owner_and_name(relation)?;
        if owner.is_none() && names.queries.contains(&name) {
            continue;
        }
        let found = tables.relation(owner.as_deref(), &name, &Hints::default());
        let Some(found) = found.map_err(|error| position::at(error, &text, relation.span()))? else {
            let missing = Error::user(942, format!("table or view does not exist: {relation}"));
            return Err(position::at(missing, &text, relation.span()));
        };
        columns.extend(found.columns.iter().map(|column| column.name.clone()));
        depends_on.push(owner.iter().chain([&name]).map(|part| part.as_str().into()).collect());
        aliases.insert(name);
    }

    let depend_on_program = |path: &[String], depends_on: &mut Vec<Vec<Box<str>>>| {
        let is_program = tables.is_program(path);
        if is_program {
            depends_on.push(path.iter().map(|part| part.as_str().into()).collect());
        }
        is_program
    };
    for call in names.calls.iter().filter(|call| !functions::library::exists(&call.join("."))) {
        depend_on_program(call, &mut depends_on);
    }

    let mut candidates = names.candidates;
    candidates.sort_by_key(|candidate| candidate.place.start);
    let mut bound = String::with_capacity(text.len());
    let mut variables: Vec<Vec<Box<str>>> = Vec::new();
    let mut at = 0;
    for Candidate { parts, place, in_values } in candidates {
        let (first, last) = (parts[0].as_str(), parts[parts.len() - 1].as_str());
        let is_column = match parts.len() {
            1 => columns.contains(first) && !in_values,
            _ => aliases.contains(first) || matches!(last, "NEXTVAL" | "CURRVAL"),
        };
        if is_column || place.start < at {
            continue;
        }
        let path: Vec<&str> = parts.iter().map(String::as_str).collect();
        if is_variable(&path) {
            bound.push_str(&text[at..place.start]);
            variables.push(path.into_iter().map(Into::into).collect());
            bound.push_str(&format!(":B{}", variables.len()));
            at = place.end;
        } else if !first.starts_with(':')
            && !functions::library::exists(&parts.join("."))
            && (parts.len() == 1 && is_pseudo(first) || depend_on_program(&parts, &mut depends_on))
        {
            // Bound when the statement is.
        } else if parts.len() == 1 && !first.starts_with(':') && !functions::library::exists(first) {
            return Err(Error::user(904, format!("\"{first}\": invalid identifier")).at(place.start));
        }
    }
    bound.push_str(&text[at..]);
    let text: Arc<str> = normal(&bound)?.into();
    let query = match sql.kind {
        SqlKind::Query => Some(text.to_string()),
        // With its variables bound, which occur in RETURNING too.
        _ if returning > 0 => returned_query(&parse(&text)?, &names.relations),
        _ => None,
    };
    let columns = match query {
        Some(query) => described(&SessionTables { names_only: false, ..tables }, &query, variables.len())?,
        None => Vec::new(),
    };
    Ok(PreparedSql { text, variables, columns, depends_on })
}

/// A query with the columns of RETURNING.
fn returned_query(statement: &Statement, relations: &[ObjectName]) -> Option<String> {
    let (Statement::Insert(_, returning) | Statement::Update(_, returning) | Statement::Delete(_, returning)) =
        statement
    else {
        return None;
    };
    let values: Vec<String> = returning.as_ref()?.values.iter().map(ToString::to_string).collect();
    Some(format!("select {} from {}", values.join(", "), relations.first()?))
}

/// The columns of a query; empty for another statement.
fn described(tables: &SessionTables, text: &str, variables: usize) -> Result<Vec<Column>> {
    let Statement::Query { query, headings, .. } = parse(text)? else { return Ok(Vec::new()) };
    let binds: Vec<(String, Datum)> = (1..=variables).map(|number| (format!("B{number}"), Datum::Null)).collect();
    let bound = tables.with_binder(text, &binds, |binder| binder.statement_query(&query, &headings))?;
    Ok(bound
        .outputs
        .iter()
        .map(|output| Column {
            name: output.name.clone().into(),
            data_type: output.declared,
            nullable: output.nullable,
        })
        .collect())
}
