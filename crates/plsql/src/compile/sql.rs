//! SQL statements: prepared by the host, their variables put into registers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Compiled, fault, of_sql, unsupported};
use super::op::{Op, Register};
use super::place::Designated;
use super::sql_text::{PieceKind, SqlToken, path, pieces};
use super::symbol::Symbol;
use super::types::Type;
use super::unit::SqlStatement;
use super::{Compiler, Scope};
use crate::ast::{At, Expr, ExprKind, Ident, Path, SqlKind, SqlText};
use crate::host::{Column, Object, PreparedSql, StatementKey};
use crate::parser;

/// A statement whose bind variables are in consecutive registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundSql {
    pub(crate) index: u32,
    pub(crate) first: Register,
    pub(crate) count: u16,
}

/// The text for the host, with its placeholders' meaning.
#[derive(Default)]
struct HostSql {
    placeholders: HashMap<Box<str>, Expr>,
    /// Variables of packages that the text names.
    package_variables: HashSet<Vec<Box<str>>>,
    /// Byte ranges, with their replacements.
    edits: Vec<(usize, usize, String)>,
}

#[must_use]
pub(crate) fn next_key() -> StatementKey {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    StatementKey(NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Compiler<'_> {
    pub(crate) fn sql_statement(&mut self, sql: &SqlText) -> Compiled<()> {
        match sql.kind {
            SqlKind::Query => self.select_into(sql),
            SqlKind::Transaction => {
                let (bound, _) = self.prepare_with_binds(sql)?;
                self.emit(Op::Execute { statement: bound.index, first: bound.first });
                Ok(())
            }
            _ => {
                let targets = match &sql.into {
                    Some(into) => Some((into, self.targets_of(into)?)),
                    None => None,
                };
                let (bound, columns) = self.prepare_with_binds(sql)?;
                self.emit(Op::Execute { statement: bound.index, first: bound.first });
                match targets {
                    Some((into, targets)) => self.returned(into, &targets, &columns),
                    None => Ok(()),
                }
            }
        }
    }

    fn select_into(&mut self, sql: &SqlText) -> Compiled<()> {
        let Some(into) = &sql.into else {
            return fault(sql.at, 428, "an INTO clause is expected in this SELECT statement");
        };
        let targets = self.targets_of(into)?;
        let (bound, columns) = self.prepare_with_binds(sql)?;
        if into.bulk {
            self.emit(Op::SelectBulk { statement: bound.index, first: bound.first });
            return self.bulk_into(into, &targets, &columns, true);
        }
        let to = self.allocate_many(columns.len())?;
        self.emit(Op::SelectInto { statement: bound.index, first: bound.first, to });
        self.assign_row(into, &targets, &columns, to, true)
    }

    /// Makes the statement ready and evaluates its variables.
    pub(crate) fn prepare_with_binds(&mut self, sql: &SqlText) -> Compiled<(BoundSql, Vec<Column>)> {
        let (prepared, placeholders) = self.prepare(sql)?;
        let columns = prepared.columns.clone();
        let bound = self.evaluate_binds(prepared, &placeholders, sql)?;
        Ok((bound, columns))
    }

    fn evaluate_binds(
        &mut self,
        prepared: PreparedSql,
        placeholders: &HashMap<Box<str>, Expr>,
        sql: &SqlText,
    ) -> Compiled<BoundSql> {
        let variables = prepared.variables.clone();
        let first = self.allocate_many(variables.len())?;
        for (index, variable) in variables.iter().enumerate() {
            let to = first + index as Register;
            let mark = self.mark();
            let value = match variable.first().and_then(|name| placeholders.get(name)) {
                Some(expression) if variable.len() == 1 => {
                    let expression = expression.clone();
                    if let ExprKind::CursorAttribute(cursor, _) = &expression.kind {
                        self.current_rowid(cursor, to)?
                    } else {
                        self.expression(&expression, Some(to))?
                    }
                }
                _ => {
                    let parts = variable.iter().map(|name| Ident { name: name.clone(), at: sql.at }).collect();
                    let expression = Expr { kind: ExprKind::Path(Path { parts }), at: sql.at };
                    self.expression(&expression, Some(to))?
                }
            };
            match &value.data_type {
                Type::Null => {}
                Type::Scalar(scalar) if scalar.datum_type().is_some() => {}
                Type::Scalar(_) => return fault(sql.at, 382, "expression is of wrong type"),
                _ => return fault(sql.at, 642, "local collection types not allowed in SQL statements"),
            }
            self.move_to(&value.operand, to);
            self.release(mark);
        }
        let binds = variables.len() as u16;
        let is_dml = matches!(sql.kind, SqlKind::Insert | SqlKind::Update | SqlKind::Delete | SqlKind::Merge);
        self.unit.statements.push(SqlStatement { prepared, key: next_key(), binds, is_dml });
        Ok(BoundSql { index: self.unit.statements.len() as u32 - 1, first, count: binds })
    }

    /// Prepares the text with the host. The names of the program's variables are its bind variables.
    pub(crate) fn prepare(&mut self, sql: &SqlText) -> Compiled<(PreparedSql, HashMap<Box<str>, Expr>)> {
        let mut ready = self.rewrite(sql)?;
        ready.edits.sort_by_key(|(from, to, _)| (*from, *to));
        let text = SqlText { text: edited(&sql.text, &ready.edits).into(), ..sql.clone() };
        let HostSql { placeholders, package_variables, edits } = ready;
        let scopes = &self.scopes;
        let mut is_variable = |parts: &[&str]| {
            if let [only] = parts
                && placeholders.contains_key(*only)
            {
                return true;
            }
            is_scalar_variable(scopes, parts)
                || package_variables.contains(&parts.iter().map(|part| (*part).into()).collect::<Vec<Box<str>>>())
        };
        let prepared = self.host.prepare(self.unit.viewer(), &text, &mut is_variable).map_err(|error| {
            let at = error.position.map_or(sql.at, |offset| sql.place(original_offset(&edits, offset)));
            of_sql(at, &common::Error { position: None, ..error })
        })?;
        for written in &prepared.depends_on {
            let written: Vec<&str> = written.iter().map(|part| &**part).collect();
            self.resolve(sql.at, &written)?;
        }
        Ok((prepared, placeholders))
    }

    fn rewrite(&mut self, sql: &SqlText) -> Compiled<HostSql> {
        let mut ready = HostSql::default();
        if let Some(record) = &sql.record {
            let text = self.record_in_sql(sql, &record.what, &mut ready)?;
            let to = record.offset as usize;
            // `SET ROW =` is still in the text; assignments of columns replace ROW and the sign.
            let before = pieces(&sql.text).into_iter().rfind(|piece| piece.at < to && piece.is("ROW"));
            let from = before.filter(|_| sql.kind == SqlKind::Update).map_or(to, |piece| piece.at);
            ready.edits.push((from, to, format!(" {text} ")));
        }
        if let Some(cursor) = &sql.current_of {
            let at = cursor.what.at();
            let cursor_expression = Expr { kind: ExprKind::Path(cursor.what.clone()), at };
            // Stands for the rowid of the cursor's row: see `evaluate_binds`.
            let kind = ExprKind::CursorAttribute(Box::new(cursor_expression), crate::ast::CursorAttribute::RowCount);
            let bind = placeholder(&mut ready, Expr { kind, at });
            ready.edits.push((cursor.offset as usize, cursor.offset as usize, format!(" WHERE ROWID = {bind} ")));
        }
        let found = pieces(&sql.text);
        let mut at = 0;
        while at < found.len() {
            let piece = &found[at];
            if let Some(name) = inquiry(&found[at..]) {
                let directive = Expr { kind: ExprKind::Inquiry(name), at: sql.place(piece.at) };
                let bind = placeholder(&mut ready, directive);
                ready.edits.push((piece.at, found[at + 2].end(), bind));
                at += 3;
                continue;
            }
            let behind_dot = at > 0 && found[at - 1].is(".");
            let is_name = !behind_dot && matches!(piece.kind, PieceKind::Word | PieceKind::Quoted);
            at += if is_name { self.rewrite_name(sql, &found, at, &mut ready)? } else { 1 };
        }
        Ok(ready)
    }

    /// Rewrites the name that begins at a piece; returns the number of pieces consumed.
    fn rewrite_name(
        &mut self,
        sql: &SqlText,
        found: &[SqlToken<'_>],
        at: usize,
        ready: &mut HostSql,
    ) -> Compiled<usize> {
        let Some((names, used)) = path(&found[at..]) else { return Ok(1) };
        let parts: Vec<&str> = names.iter().map(|name| &**name).collect();
        let is_call = found.get(at + used).is_some_and(|next| next.is("("));
        let declared = self.declared(&parts);
        if is_call {
            if let Some(Symbol::Subprogram(signature)) = declared.as_ref().and_then(|(symbols, _)| symbols.first()) {
                let text = self.function_in_sql(sql.at, &signature.name.clone())?;
                ready.edits.push((found[at].at, found[at + used - 1].end(), text));
            } else if self.collection_at(&parts, declared.is_some(), sql.at) {
                let from = found[at].at;
                let (mut expression, end) = parser::parse_name_at(&sql.text, from)
                    .map_err(|errors| bad_expression(sql.place(from), &errors))?;
                expression.at = sql.place(from);
                let bind = placeholder(ready, expression);
                ready.edits.push((from, end, bind));
                return Ok(found[at..].iter().take_while(|piece| piece.at < end).count().max(1));
            }
        } else if declared.is_none() && parts.len() > 1 {
            self.note_package_variable(&names, sql.at, ready);
        }
        Ok(used)
    }

    /// The replacement of the record in `INSERT … VALUES r` and `UPDATE … SET ROW = r`.
    fn record_in_sql(&mut self, sql: &SqlText, record: &Expr, ready: &mut HostSql) -> Compiled<String> {
        let fields = self.record_fields(record)?;
        if sql.kind == SqlKind::Insert {
            let binds: Vec<String> = fields.into_iter().map(|field| placeholder(ready, field)).collect();
            return Ok(format!("({})", binds.join(", ")));
        }
        let found = pieces(&sql.text);
        let table = found.get(1..).and_then(path).map(|(names, _)| names).unwrap_or_default();
        let parts: Vec<&str> = table.iter().map(|part| &**part).collect();
        let Some((Object::Relation { columns, .. }, _)) = self.resolve(sql.at, &parts)? else {
            return Err(of_sql(sql.at, &common::Error::user(942, "table or view does not exist")));
        };
        if fields.len() != columns.len() {
            let (number, text) =
                if fields.len() > columns.len() { (913, "too many values") } else { (947, "not enough values") };
            return Err(of_sql(sql.at, &common::Error::user(number, text)));
        }
        let assignment =
            |(column, field): (&Column, Expr)| format!("\"{}\" = {}", column.name, placeholder(ready, field));
        let assignments: Vec<String> = columns.iter().zip(fields).map(assignment).collect();
        Ok(assignments.join(", "))
    }

    /// True: the path names a collection of the program or of a package.
    fn collection_at(&mut self, parts: &[&str], is_declared: bool, at: At) -> bool {
        if !is_declared && parts.len() < 2 {
            return false;
        }
        let ast = Path { parts: parts.iter().map(|part| Ident { name: (*part).into(), at }).collect() };
        let expression = Expr { kind: ExprKind::Path(ast), at };
        let trial = self.trial();
        let found = self.designate(&expression);
        self.take_back(trial);
        matches!(found, Ok(Designated::Place(place)) if matches!(place.data_type, Type::Collection(_)))
    }

    fn function_in_sql(&mut self, at: At, name: &str) -> Compiled<String> {
        let is_outermost = self.scopes.first().is_some_and(|scope: &Scope| scope.names.contains_key(name));
        if is_outermost && self.unit.unit_type == super::unit::UnitType::Function {
            return Ok(format!("\"{}\".\"{name}\"", self.unit.owner));
        }
        if is_outermost && self.unit.unit_type == super::unit::UnitType::Package {
            return Ok(format!("\"{}\".\"{}\".\"{name}\"", self.unit.owner, self.unit.name));
        }
        fault(at, 231, format_args!("function '{name}' may not be used in SQL"))
    }

    fn note_package_variable(&mut self, names: &[Box<str>], at: At, ready: &mut HostSql) {
        let ast = Path { parts: names.iter().map(|name| Ident { name: name.clone(), at }).collect() };
        let first: Vec<&str> = names.iter().map(|name| &**name).collect();
        // Aliases and tables are not resolved further.
        let is_program = crate::packages::find(&first).is_some()
            || matches!(self.resolve(at, &first), Ok(Some((Object::Program { .. }, _))));
        if !is_program {
            return;
        }
        let trial = self.trial();
        let found = self.designate(&Expr { kind: ExprKind::Path(ast), at });
        self.take_back(trial);
        if matches!(found, Ok(Designated::Place(_))) {
            ready.package_variables.insert(names.to_vec());
        }
    }

    /// The fields of a record, each as an expression.
    fn record_fields(&mut self, record: &Expr) -> Compiled<Vec<Expr>> {
        let trial = self.trial();
        let found = self.designate(record);
        self.take_back(trial);
        let Designated::Place(place) = found? else { return unsupported(record.at, "this record in a SQL statement") };
        let Type::Record(data_type) = &place.data_type else {
            return fault(record.at, 382, "expression is of wrong type");
        };
        let field = |name: &str| {
            let ident = Ident { name: name.into(), at: record.at };
            Expr { kind: ExprKind::Field(Box::new(record.clone()), ident), at: record.at }
        };
        Ok(data_type.fields.iter().map(|each| field(&each.name)).collect())
    }
}

/// The name of `$$NAME`, where that comes next.
fn inquiry(pieces: &[SqlToken<'_>]) -> Option<Box<str>> {
    let [first, second, name, ..] = pieces else { return None };
    let together = first.end() == second.at && second.end() == name.at;
    if !together || !first.is("$") || !second.is("$") || name.kind != PieceKind::Word {
        return None;
    }
    name.name()
}

/// A bind variable for an expression.
fn placeholder(ready: &mut HostSql, expression: Expr) -> String {
    let name = format!(":PLSQL_{}", ready.placeholders.len() + 1);
    ready.placeholders.insert(name.as_str().into(), expression);
    name
}

fn edited(text: &str, edits: &[(usize, usize, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (from, to, replacement) in edits {
        out.push_str(&text[copied..*from]);
        out.push_str(replacement);
        copied = *to;
    }
    out.push_str(&text[copied..]);
    out
}

/// Offset in the original text of a byte of the edited text.
fn original_offset(edits: &[(usize, usize, String)], offset: usize) -> usize {
    let mut shift = 0isize;
    for (from, to, replacement) in edits {
        let start = from.wrapping_add_signed(shift);
        if offset < start {
            break;
        }
        if offset < start + replacement.len() {
            return *from;
        }
        shift += replacement.len() as isize - (to - from) as isize;
    }
    offset.wrapping_add_signed(-shift)
}

fn bad_expression(at: At, errors: &[crate::error::CompileError]) -> crate::error::Fault {
    let text = errors.first().map_or_else(String::new, |error| error.text.clone());
    crate::error::Fault::pls(at, 103, text)
}

/// A path that names a variable, parameter, constant or field of scalar type.
fn is_scalar_variable(scopes: &[Scope], parts: &[&str]) -> bool {
    let Some(first) = parts.first() else { return false };
    for scope in scopes.iter().rev() {
        let (symbols, used) = if let Some(symbols) = scope.names.get(*first) {
            (symbols, 1)
        } else if let Some(second) = parts.get(1)
            && scope.labels.iter().any(|label| **label == **first)
            && let Some(symbols) = scope.names.get(*second)
        {
            (symbols, 2)
        } else {
            continue;
        };
        let Some(Symbol::Variable(variable)) = symbols.first() else { return false };
        let mut data_type = variable.data_type.clone();
        for part in &parts[used..] {
            let Type::Record(record) = &data_type else { return false };
            let Some((_, field)) = record.field(part) else { return false };
            let next = field.data_type.clone();
            data_type = next;
        }
        return matches!(data_type, Type::Scalar(_));
    }
    false
}
