//! Cursors: declarations, OPEN, FETCH, CLOSE, attributes, INTO.

use std::sync::Arc;

use super::Compiler;
use super::convert::{Operand, Typed};
use super::error::{Compiled, fault, of_sql, wrong_type};
use super::op::{Op, Register};
use super::place::{Designated, PlaceExpr};
use super::subprogram::Frame;
use super::symbol::{Body, DeclaredCursor, Signature, Symbol};
use super::types::{RecordType, Type};
use super::unit::{BulkShape, Dynamic, Function};
use super::{Import, names::full_name};
use crate::ast::{
    Argument, At, Cursor, CursorAttribute, Expr, ExprKind, Into, Open, SqlText, SubscriptedAttribute, Using,
};
use crate::host::Column;
use crate::value::{ScalarKind, ScalarType};

/// No register: FETCH … BULK COLLECT without LIMIT.
const NONE: Register = 0;

impl Compiler<'_> {
    pub(crate) fn declare_cursor(&mut self, cursor: &Cursor) -> Compiled<()> {
        let types = self.parameter_types(&cursor.parameters)?;
        let result = match &cursor.result {
            Some(result) => match self.type_of_name(result)? {
                Type::Record(row) => Some(row),
                _ => return fault(cursor.name.at, 362, "invalid cursor return type; must be a record type"),
            },
            None => None,
        };
        if let Some(known) = self.open_cursor_declaration(cursor) {
            let Some(query) = &cursor.query else { return Ok(()) };
            self.opener(&known.opener, query)?;
            return Ok(());
        }
        let home = self.home()?;
        self.unit.has_state |= self.declares_globals();
        let is_supplied = std::mem::take(&mut self.is_supplied);
        let opener = self.signature(&cursor.name, &cursor.parameters, types, Some(Type::Cursor(None)));
        self.is_supplied = is_supplied;
        let opener = opener?;
        let columns = match &cursor.query {
            Some(query) => Some(self.opener(&opener, query)?),
            None => None,
        };
        let row = match (result, columns) {
            (Some(row), Some(columns)) if row.fields.len() != columns.len() => {
                return fault(
                    cursor.name.at,
                    400,
                    format_args!(
                        "different number of columns between cursor SELECT statement and return value of '{}'",
                        row.name
                    ),
                );
            }
            (Some(row), _) => row,
            (None, Some(columns)) => RecordType::of_columns(&cursor.name.name, &columns),
            (None, None) => {
                return fault(
                    cursor.name.at,
                    360,
                    format_args!("cursor declaration without body needs return type: '{}'", cursor.name.name),
                );
            }
        };
        // A frame may find another program's value in the register.
        let root = self.root(home, None);
        self.put(root, &Operand::Constant(crate::value::Value::Null))?;
        let declared = DeclaredCursor { name: cursor.name.name.clone(), home, opener, row };
        self.declare(&cursor.name, Symbol::Cursor(Arc::new(declared)))
    }

    /// A cursor of the specification whose query the body has.
    fn open_cursor_declaration(&self, cursor: &Cursor) -> Option<Arc<DeclaredCursor>> {
        let symbols = self.scopes.last()?.names.get(&cursor.name.name)?;
        let Some(Symbol::Cursor(known)) = symbols.first() else { return None };
        let Body::Function { function, .. } = &known.opener.body else { return None };
        self.unit.functions[*function as usize].is_declared_only.then(|| Arc::clone(known))
    }

    /// The function that evaluates a query's variables and opens it.
    fn opener(&mut self, opener: &Signature, query: &SqlText) -> Compiled<Vec<Column>> {
        let Body::Function { function, level } = &opener.body else { return wrong_type(query.at) };
        let frame = Frame {
            index: *function,
            level: *level,
            name: &opener.name,
            parameters: &opener.parameters,
            result: Some(Type::Cursor(None)),
        };
        self.enter_function(&frame, query.at)?;
        let made = self.prepare_with_binds(query);
        if let Ok((bound, _)) = &made {
            let to = opener.parameters.len() as Register;
            self.emit(Op::Query { statement: bound.index, first: bound.first, to });
            self.emit(Op::Return);
        }
        self.leave_function(&frame);
        if self.interface_only {
            self.unit.functions[*function as usize] = Function { is_declared_only: true, ..Function::default() };
        }
        made.map(|(_, columns)| columns)
    }

    /// A register with the open cursor.
    pub(crate) fn open_declared(
        &mut self,
        cursor: &Arc<DeclaredCursor>,
        import: Option<&Import>,
        arguments: &[Argument],
        at: At,
    ) -> Compiled<Register> {
        let signature = Arc::new(Signature {
            name: cursor.opener.name.clone(),
            parameters: cursor.opener.parameters.clone(),
            result: cursor.opener.result.clone(),
            body: cursor.opener.body.clone(),
        });
        let value = self.call(&cursor.name, &[signature], import, arguments, at, true)?;
        self.in_register(&value.operand, None)
    }

    pub(crate) fn open(&mut self, cursor: &Expr, open: &Open, at: At) -> Compiled<()> {
        let (callee, arguments): (&Expr, &[Argument]) = match (&cursor.kind, open) {
            (ExprKind::Call { callee, arguments }, Open::Declared) => (callee, arguments),
            _ => (cursor, &[]),
        };
        match (self.designate(callee)?, open) {
            (Designated::Cursor(cursor, import), Open::Declared) => {
                let from = self.open_declared(&cursor, import.as_ref(), arguments, at)?;
                let root = self.root(cursor.home, import.as_ref());
                let place = self.place(root, &[]);
                self.emit(Op::Open { cursor: place, from, declared: true });
                Ok(())
            }
            (Designated::Place(place), open) if matches!(place.data_type, Type::Cursor(_)) => {
                if place.access == super::symbol::Access::ReadOnly {
                    return fault(cursor.at, 361, format_args!("IN cursor '{}' cannot be OPEN'ed", place.name));
                }
                let from = self.allocate()?;
                match open {
                    Open::Declared => {
                        return fault(cursor.at, 456, format_args!("item '{}' is not a cursor", place.name));
                    }
                    Open::ForQuery(query) => {
                        let (bound, columns) = self.prepare_with_binds(query)?;
                        if let Type::Cursor(Some(row)) = &place.data_type
                            && row.fields.len() != columns.len()
                        {
                            return wrong_type(query.at);
                        }
                        self.emit(Op::Query { statement: bound.index, first: bound.first, to: from });
                    }
                    Open::ForText { text, using } => {
                        let (text, dynamic, first) = self.dynamic(text, using, None, None)?;
                        self.emit(Op::DynamicQuery { dynamic, text, first, to: from });
                    }
                }
                let place = self.place(place.root, &place.steps);
                self.emit(Op::Open { cursor: place, from, declared: false });
                Ok(())
            }
            _ => fault(cursor.at, 456, "this item is not a cursor"),
        }
    }

    /// The location of a cursor, and the type of its rows if known.
    fn cursor_place(&mut self, cursor: &Expr) -> Compiled<(u32, Option<Arc<RecordType>>)> {
        let path = match &cursor.kind {
            ExprKind::Path(path) => full_name(path),
            _ => "(expression)".to_owned(),
        };
        match self.designate(cursor)? {
            Designated::Cursor(cursor, import) => {
                self.need(import.as_ref());
                let root = self.root(cursor.home, import.as_ref());
                Ok((self.place(root, &[]), Some(Arc::clone(&cursor.row))))
            }
            Designated::Place(place) => match &place.data_type {
                Type::Cursor(row) => {
                    let row = row.clone();
                    Ok((self.place(place.root, &place.steps), row))
                }
                _ => fault(cursor.at, 456, format_args!("item '{path}' is not a cursor")),
            },
            _ => fault(cursor.at, 456, format_args!("item '{path}' is not a cursor")),
        }
    }

    pub(crate) fn close(&mut self, cursor: &Expr) -> Compiled<()> {
        let (cursor, _) = self.cursor_place(cursor)?;
        self.emit(Op::Close { cursor });
        Ok(())
    }

    pub(crate) fn fetch(&mut self, cursor: &Expr, into: &Into, limit: Option<&Expr>, at: At) -> Compiled<()> {
        let targets = self.targets_of(into)?;
        let (place, row) = self.cursor_place(cursor)?;
        let expected = row.as_ref().map(|row| row.fields.len());
        if into.bulk {
            let limited = limit.is_some();
            let limit = match limit {
                Some(limit) => {
                    let value = self.expression(limit, None)?;
                    let value = self.convert(value, &Type::INTEGER, limit.at, None)?;
                    self.in_register(&value, None)?
                }
                None => NONE,
            };
            self.emit(Op::FetchBulk { cursor: place, limit, limited });
            return self.bulk_targets(into, &targets, expected);
        }
        let record = self.single_record(&targets);
        let count = record.as_ref().map_or(targets.len(), |record| record.fields.len());
        if expected.is_some_and(|expected| expected != count) {
            return fault(at, 394, "wrong number of values in the INTO list of a FETCH statement");
        }
        let to = self.allocate_many(count)?;
        let done = self.label();
        self.emit(Op::Fetch { cursor: place, to, count: count as u16, ahead: false, target: done.0 });
        let types: Vec<Type> = match &row {
            Some(row) => row.fields.iter().map(|field| field.data_type.clone()).collect(),
            None => vec![Type::Unknown; count],
        };
        self.assign_values(into, &targets, &types, to)?;
        self.bind(done);
        Ok(())
    }

    pub(crate) fn targets_of(&mut self, into: &Into) -> Compiled<Vec<PlaceExpr>> {
        into.targets.iter().map(|target| self.target(target)).collect()
    }

    /// The record that takes a whole row.
    pub(crate) fn single_record(&self, targets: &[PlaceExpr]) -> Option<Arc<RecordType>> {
        match targets {
            [PlaceExpr { data_type: Type::Record(record), .. }] => Some(Arc::clone(record)),
            _ => None,
        }
    }

    /// Assigns a row that is in registers.
    pub(crate) fn assign_row(
        &mut self,
        into: &Into,
        targets: &[PlaceExpr],
        columns: &[Column],
        first: Register,
        is_select: bool,
    ) -> Compiled<()> {
        let count = self.single_record(targets).map_or(targets.len(), |record| record.fields.len());
        self.check_count(into, columns.len(), count, is_select)?;
        let types: Vec<Type> = columns.iter().map(|column| Type::Scalar(ScalarType::from(column.data_type))).collect();
        self.assign_values(into, targets, &types, first)
    }

    fn check_count(&self, into: &Into, columns: usize, targets: usize, is_select: bool) -> Compiled<()> {
        let (number, text) = match columns.cmp(&targets) {
            std::cmp::Ordering::Equal => return Ok(()),
            // Oracle names what the INTO list is.
            std::cmp::Ordering::Less if is_select => (947, "not enough values"),
            std::cmp::Ordering::Greater if is_select => (913, "too many values"),
            _ => return fault(into.at, 394, "wrong number of values in the INTO list of a FETCH statement"),
        };
        Err(of_sql(into.at, &common::Error::user(number, text)))
    }

    /// Values whose types may be known only at run time.
    pub(crate) fn assign_values(
        &mut self,
        into: &Into,
        targets: &[PlaceExpr],
        types: &[Type],
        first: Register,
    ) -> Compiled<()> {
        if let Some(record) = self.single_record(targets) {
            for (index, field) in record.fields.iter().enumerate() {
                let register = first + index as Register;
                let value = self.fetched(register, types.get(index), &field.data_type, into.at)?;
                self.move_to(&value, register);
            }
            let to = self.allocate()?;
            self.emit(Op::Record { to, first, count: record.fields.len() as u16 });
            return self.assign(&targets[0], Typed::register(to, Type::Record(record)), into.at);
        }
        for (index, target) in targets.iter().enumerate() {
            let mark = self.mark();
            let register = first + index as Register;
            let value = self.fetched(register, types.get(index), &target.data_type, into.at)?;
            self.assign(target, Typed { operand: value, data_type: target.data_type.clone() }, into.at)?;
            self.release(mark);
        }
        Ok(())
    }

    /// A column's value converted for a target. If its type is known at run time only, the conversion depends on the
    /// value.
    fn fetched(&mut self, register: Register, from: Option<&Type>, wanted: &Type, at: At) -> Compiled<Operand> {
        let Type::Scalar(scalar) = wanted else { return wrong_type(at) };
        match from {
            Some(Type::Unknown) | None => {
                if scalar.kind == ScalarKind::Boolean {
                    return wrong_type(at);
                }
                let scalar_type = self.scalar_type(*scalar);
                self.emit(Op::Coerce { to: register, from: register, scalar_type });
                Ok(Operand::Register(register))
            }
            Some(from) => self.convert(Typed::register(register, from.clone()), wanted, at, Some(register)),
        }
    }

    /// RETURNING … INTO.
    pub(crate) fn returned(&mut self, into: &Into, targets: &[PlaceExpr], columns: &[Column]) -> Compiled<()> {
        if into.bulk {
            return self.bulk_into(into, targets, columns, true);
        }
        let to = self.allocate_many(columns.len())?;
        let none = self.label();
        self.emit(Op::Returned { to, count: columns.len() as u16, target: none.0 });
        self.assign_row(into, targets, columns, to, true)?;
        self.bind(none);
        Ok(())
    }

    /// BULK COLLECT INTO.
    pub(crate) fn bulk_into(
        &mut self,
        into: &Into,
        targets: &[PlaceExpr],
        columns: &[Column],
        is_select: bool,
    ) -> Compiled<()> {
        let record = match targets {
            [PlaceExpr { data_type: Type::Collection(collection), .. }] => match &collection.element {
                Type::Record(record) => Some(record.fields.len()),
                _ => None,
            },
            _ => None,
        };
        self.check_count(into, columns.len(), record.unwrap_or(targets.len()), is_select)?;
        self.bulk_targets(into, targets, None)
    }

    /// Puts the rows that were fetched into collections.
    pub(crate) fn bulk_targets(&mut self, into: &Into, targets: &[PlaceExpr], expected: Option<usize>) -> Compiled<()> {
        let mut shapes = Vec::with_capacity(targets.len());
        for target in targets {
            let Type::Collection(collection) = &target.data_type else {
                return fault(into.at, 497, "cannot mix between single row and multi-row (BULK) in INTO list");
            };
            if matches!(collection.kind, super::unit::CollectionKind::Texts) {
                return fault(
                    into.at,
                    657,
                    "Implementation restriction: bulk SQL with associative arrays with VARCHAR2 key is not supported.",
                );
            }
            let scalar = |data_type: &Type| match data_type {
                Type::Scalar(scalar) if scalar.kind != ScalarKind::Boolean => Some(*scalar),
                _ => None,
            };
            let fields: Option<Vec<ScalarType>> = match &collection.element {
                Type::Record(record) if targets.len() == 1 => {
                    record.fields.iter().map(|field| scalar(&field.data_type)).collect()
                }
                element => scalar(element).map(|scalar| vec![scalar]),
            };
            let Some(fields) = fields else { return wrong_type(into.at) };
            shapes.push((BulkShape { kind: collection.kind, fields }, matches!(collection.element, Type::Record(_))));
        }
        let given = match &shapes[..] {
            [(shape, true)] => shape.fields.len(),
            shapes => shapes.len(),
        };
        if expected.is_some_and(|expected| expected != given) {
            return fault(into.at, 394, "wrong number of values in the INTO list of a FETCH statement");
        }
        for (column, ((shape, is_record), target)) in shapes.into_iter().zip(targets).enumerate() {
            let mark = self.mark();
            self.unit.shapes.push(shape);
            let shape = self.unit.shapes.len() as u32 - 1;
            let to = self.allocate()?;
            self.emit(if is_record {
                Op::BulkRecords { to, shape }
            } else {
                Op::BulkColumn { to, column: column as u16, shape }
            });
            self.assign(target, Typed::register(to, target.data_type.clone()), into.at)?;
            self.release(mark);
        }
        Ok(())
    }

    pub(crate) fn cursor_attribute(
        &mut self,
        cursor: &Expr,
        which: CursorAttribute,
        to: Option<Register>,
    ) -> Compiled<Typed> {
        let is_sql =
            matches!(&cursor.kind, ExprKind::Path(path) if path.parts.len() == 1 && &*path.parts[0].name == "SQL");
        let data_type = if which == CursorAttribute::RowCount { Type::INTEGER } else { Type::BOOLEAN };
        if is_sql {
            let to = self.destination(to)?;
            self.emit(Op::SqlAttribute { to, which });
            return Ok(Typed::register(to, data_type));
        }
        let (cursor, _) = self.cursor_place(cursor)?;
        let to = self.destination(to)?;
        self.emit(Op::Attribute { to, cursor, which });
        Ok(Typed::register(to, data_type))
    }

    pub(crate) fn bulk_attribute(
        &mut self,
        which: SubscriptedAttribute,
        subscript: Option<&Expr>,
        to: Option<Register>,
    ) -> Compiled<Typed> {
        let register = match subscript {
            Some(subscript) => {
                let value = self.expression(subscript, None)?;
                let value = self.convert(value, &Type::INTEGER, subscript.at, None)?;
                self.in_register(&value, None)?
            }
            None => NONE,
        };
        let to = self.destination(to)?;
        self.emit(Op::BulkAttribute { to, which, subscript: register });
        Ok(Typed::register(to, ScalarType::INTEGER))
    }

    /// The rowid of the row that a cursor fetched last.
    pub(crate) fn current_rowid(&mut self, cursor: &Expr, to: Register) -> Compiled<Typed> {
        let (cursor, _) = self.cursor_place(cursor)?;
        self.emit(Op::CurrentRowid { to, cursor });
        Ok(Typed::register(to, ScalarType::VARCHAR2))
    }

    /// The text of a dynamic statement and its USING in registers.
    pub(crate) fn dynamic(
        &mut self,
        text: &Expr,
        using: &[Using],
        into: Option<(u16, bool)>,
        returning: Option<(u16, bool)>,
    ) -> Compiled<(Register, u32, Register)> {
        let text_at = text.at;
        let text = self.expression(text, None)?;
        let text = self.convert(text, &Type::VARCHAR2, text_at, None)?;
        let text_register = self.allocate()?;
        self.move_to(&text, text_register);
        let first = self.allocate_many(using.len())?;
        for (index, each) in using.iter().enumerate() {
            let register = first + index as Register;
            let mark = self.mark();
            let value = self.expression(&each.value, Some(register))?;
            match &value.data_type {
                Type::Null if each.mode == crate::ast::Mode::In => {
                    return fault(each.value.at, 457, "expressions have to be of SQL types");
                }
                Type::Scalar(scalar) if scalar.datum_type().is_some() => {}
                _ => return fault(each.value.at, 457, "expressions have to be of SQL types"),
            }
            self.move_to(&value.operand, register);
            self.release(mark);
        }
        self.unit.dynamics.push(Dynamic {
            using: using.iter().map(|each| each.mode).collect(),
            into: into.map(|(count, _)| count),
            bulk: into.or(returning).is_some_and(|(_, bulk)| bulk),
            returning: returning.map(|(count, _)| count),
            key: super::sql::next_key(),
        });
        Ok((text_register, self.unit.dynamics.len() as u32 - 1, first))
    }
}
