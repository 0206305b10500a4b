//! Types where they are used: names, %TYPE, %ROWTYPE.

use std::sync::Arc;

use super::Compiler;
use super::error::{Compiled, fault, undeclared};
use super::names::{ResolvedName, full_name};
use super::symbol::Symbol;
use super::types::{RecordType, Type, standard};
use crate::ast::{Expr, ExprKind, Path, TypeName, Unary};
use crate::error::{Fault, Number};
use crate::value::{Length, ScalarKind, ScalarType, Value};

impl Compiler<'_> {
    pub(crate) fn type_of_name(&mut self, name: &TypeName) -> Compiled<Type> {
        match name {
            TypeName::Named { name, arguments, char_semantics } => self.named_type(name, arguments, *char_semantics),
            TypeName::TypeOf(path) => self.type_of_thing(path),
            TypeName::RowTypeOf(path) => self.row_type(path).map(Type::Record),
        }
    }

    fn named_type(&mut self, path: &Path, arguments: &[Expr], characters: bool) -> Compiled<Type> {
        let at = path.at();
        let numbers =
            arguments.iter().map(|argument| self.constant_integer(argument)).collect::<Compiled<Vec<i64>>>()?;
        let last = match &path.parts[..] {
            [only] => Some(only),
            [schema, only] if matches!(&*schema.name, "STANDARD" | "SYS") => Some(only),
            _ => None,
        };
        let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
        if self.declared(&parts).is_none()
            && let Some(last) = last
        {
            if &*last.name == "SYS_REFCURSOR" {
                return Ok(Type::Cursor(None));
            }
            match standard(&last.name, &numbers, characters) {
                Ok(scalar) => return Ok(Type::Scalar(scalar)),
                Err(Some(reason)) => return Err(reason_fault(at, &reason)),
                Err(None) => {}
            }
        }
        let ResolvedName::Symbols { symbols, used, .. } = self.find(path)? else {
            return undeclared(at, &full_name(path));
        };
        match symbols.first() {
            Some(Symbol::Type(found)) if used == path.parts.len() => constrained(found, &numbers, characters)
                .map_or_else(|| fault(at, 566, "type cannot be constrained"), Ok),
            _ => fault(at, 488, format_args!("'{}' must be a type", full_name(path))),
        }
    }

    /// A constant number that a declaration needs.
    pub(crate) fn constant_integer(&mut self, expression: &Expr) -> Compiled<i64> {
        match &expression.kind {
            ExprKind::Number(text) => {
                if let Ok(number) = text.parse() {
                    return Ok(number);
                }
            }
            ExprKind::Unary(Unary::Minus, inner) => return self.constant_integer(inner).map(|number: i64| -number),
            _ => {}
        }
        let trial = self.trial();
        let folded = self.expression(expression, None)?;
        self.take_back(trial);
        match folded.constant() {
            Some(Value::Int(number)) => Ok(*number),
            _ => fault(expression.at, 491, "numeric literal required"),
        }
    }

    fn type_of_thing(&mut self, path: &Path) -> Compiled<Type> {
        let at = path.at();
        match self.find_thing(path)? {
            ResolvedName::Relation { columns, used, name } => {
                let Some(part) = path.parts.get(used) else {
                    return fault(
                        at,
                        206,
                        format_args!(
                            "%TYPE must be applied to a variable, column, field or attribute, not to \"{name}\""
                        ),
                    );
                };
                match columns.iter().find(|column| column.name == part.name) {
                    Some(column) => Ok(Type::Scalar(ScalarType::from(column.data_type))),
                    None => fault(part.at, 302, format_args!("component '{}' must be declared", part.name)),
                }
            }
            ResolvedName::Symbols { symbols, used, .. } => {
                let start = match symbols.first() {
                    Some(Symbol::Variable(variable)) => variable.data_type.clone(),
                    Some(Symbol::Cursor(cursor)) => Type::Record(Arc::clone(&cursor.row)),
                    _ => {
                        return fault(
                            at,
                            206,
                            format_args!(
                                "%TYPE must be applied to a variable, column, field or attribute, not to \"{}\"",
                                full_name(path)
                            ),
                        );
                    }
                };
                let mut found = start;
                for part in &path.parts[used..] {
                    let Type::Record(record) = &found else {
                        return fault(
                            part.at,
                            487,
                            format_args!("Invalid reference to variable '{}'", path.parts[0].name),
                        );
                    };
                    let Some((_, field)) = record.field(&part.name) else {
                        return fault(part.at, 302, format_args!("component '{}' must be declared", part.name));
                    };
                    let next = field.data_type.clone();
                    found = next;
                }
                Ok(found)
            }
            _ => undeclared(at, &full_name(path)),
        }
    }

    pub(crate) fn row_type(&mut self, path: &Path) -> Compiled<Arc<RecordType>> {
        let at = path.at();
        match self.find_thing(path)? {
            ResolvedName::Relation { columns, name, used } if used == path.parts.len() => {
                Ok(RecordType::of_columns(&name, &columns))
            }
            ResolvedName::Symbols { symbols, used, .. } if used == path.parts.len() => match symbols.first() {
                Some(Symbol::Cursor(cursor)) => Ok(Arc::clone(&cursor.row)),
                Some(Symbol::Variable(variable)) if matches!(variable.data_type, Type::Cursor(Some(_))) => {
                    let Type::Cursor(Some(row)) = &variable.data_type else { return undeclared(at, &full_name(path)) };
                    Ok(Arc::clone(row))
                }
                _ => self.no_row(path),
            },
            _ => self.no_row(path),
        }
    }

    fn no_row<T>(&mut self, path: &Path) -> Compiled<T> {
        fault(
            path.at(),
            310,
            format_args!("with %ROWTYPE attribute, '{}' must name a table, cursor or cursor-variable", full_name(path)),
        )
    }
}

/// `PLS-nnnnn: text` or `HW-nnnn: text` as a fault.
fn reason_fault(at: u32, reason: &str) -> Fault {
    let (number, text) = reason.split_once(": ").unwrap_or(("", reason));
    let number = match number.split_once('-') {
        Some(("PLS", number)) => Number::Pls(number.parse().unwrap_or(0)),
        _ => Number::Hw(1),
    };
    Fault { at, number, text: text.to_owned() }
}

/// Applies a length to a subtype that has none of its own.
fn constrained(found: &Type, numbers: &[i64], characters: bool) -> Option<Type> {
    let (first, scalar) = match (numbers, found) {
        ([], found) => return Some(found.clone()),
        ([first, ..], Type::Scalar(scalar)) => (*first, *scalar),
        _ => return None,
    };
    let length = || Some(Length { most: u32::try_from(first).ok()?, characters });
    let kind = match (scalar.kind, numbers) {
        (ScalarKind::Varchar2(_), [_]) => ScalarKind::Varchar2(Some(length()?)),
        (ScalarKind::Char(_), [_]) => ScalarKind::Char(Some(length()?)),
        (ScalarKind::Raw(_), [_]) => ScalarKind::Raw(Some(u32::try_from(first).ok()?)),
        (ScalarKind::Number { .. }, [_]) => ScalarKind::Number { precision: u8::try_from(first).ok(), scale: Some(0) },
        (ScalarKind::Number { .. }, [_, scale]) => {
            ScalarKind::Number { precision: u8::try_from(first).ok(), scale: i8::try_from(*scale).ok() }
        }
        _ => return None,
    };
    Some(Type::Scalar(ScalarType { kind, ..scalar }))
}
