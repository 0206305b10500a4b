//! Designators: expressions on the left of an assignment, in front of parentheses or in front of a dot, and what they
//! refer to.

use std::sync::Arc;

use super::convert::{Operand, Typed, null_record};
use super::error::{Compiled, fault, undeclared, wrong_arguments};
use super::names::{ResolvedName, full_name};
use super::op::{Method, Op, Register};
use super::symbol::{Access, DeclaredCursor, Signature, Symbol, Variable, VariableHome};
use super::types::{CollectionType, Type};
use super::unit::{PathStep, VariableRoot};
use super::{Compiler, Import};
use crate::ast::{Argument, At, Expr, ExprKind, Ident, Path};
use crate::value::{ScalarType, Value};

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct PlaceExpr {
    pub(crate) root: VariableRoot,
    pub(crate) steps: Vec<PathStep>,
    pub(crate) data_type: Type,
    /// Of the whole variable.
    pub(crate) root_type: Option<Type>,
    pub(crate) access: Access,
    /// As errors name it.
    pub(crate) name: String,
    pub(crate) value: Option<Value>,
}

/// The meaning of an expression's name.
pub(crate) enum Designated {
    Place(PlaceExpr),
    Value(Typed),
    Subprograms { name: Box<str>, candidates: Vec<Arc<Signature>>, import: Option<Import> },
    Standard(Box<str>),
    Method(PlaceExpr, Method),
    Type(Type, Box<str>),
    Cursor(Arc<DeclaredCursor>, Option<Import>),
    Sequence { owner: Box<str>, name: Box<str>, next: bool },
}

impl Compiler<'_> {
    /// # Errors
    /// PLS-00201 and its like.
    pub(crate) fn designate(&mut self, expression: &Expr) -> Compiled<Designated> {
        match &expression.kind {
            ExprKind::Path(path) => self.designate_path(path),
            ExprKind::Bind(name) => {
                if !self.binds_allowed {
                    return fault(expression.at, 49, format_args!("bad bind variable '{name}'"));
                }
                let path = Path { parts: vec![Ident { name: format!(":{name}").into(), at: expression.at }] };
                match self.declared(&[&path.parts[0].name]) {
                    Some(_) => self.designate_path(&path),
                    None => fault(expression.at, 49, format_args!("bad bind variable '{name}'")),
                }
            }
            ExprKind::Field(inner, name) => {
                let inner = self.designate(inner)?;
                self.part(inner, name)
            }
            ExprKind::Call { callee, arguments } => {
                let callee = self.designate(callee)?;
                self.apply(callee, arguments, expression.at)
            }
            _ => self.expression(expression, None).map(Designated::Value),
        }
    }

    fn designate_path(&mut self, path: &Path) -> Compiled<Designated> {
        let at = path.at();
        let (mut designated, used) = match self.find(path)? {
            ResolvedName::Symbols { symbols, import, used } => {
                let name = path.parts[used - 1].name.clone();
                (self.of_symbols(at, symbols, import, name)?, used)
            }
            ResolvedName::Standard { name, used } => (Designated::Standard(name), used),
            ResolvedName::Sequence { owner, name, used } => {
                let next = match path.parts.get(used).map(|part| &*part.name) {
                    Some("NEXTVAL") => true,
                    Some("CURRVAL") => false,
                    _ => return undeclared(at, &full_name(path)),
                };
                (Designated::Sequence { owner, name, next }, used + 1)
            }
            ResolvedName::Relation { name, .. } => {
                return fault(
                    at,
                    357,
                    format_args!("Table,View Or Sequence reference '{name}' not allowed in this context"),
                );
            }
        };
        for part in &path.parts[used..] {
            designated = self.part(designated, part)?;
        }
        Ok(designated)
    }

    fn of_symbols(
        &mut self,
        at: At,
        symbols: Vec<Symbol>,
        import: Option<Import>,
        name: Box<str>,
    ) -> Compiled<Designated> {
        Ok(match symbols.into_iter().next() {
            Some(Symbol::Variable(variable)) => Designated::Place(self.of_variable(&variable, import.as_ref())),
            Some(Symbol::Cursor(cursor)) => Designated::Cursor(cursor, import),
            Some(Symbol::Type(found)) => Designated::Type(found, name),
            Some(Symbol::Subprogram(signature)) => {
                // Behind a synonym it has another name.
                let symbols = self.overloads(&signature.name, import.as_ref());
                Designated::Subprograms { name, candidates: symbols, import }
            }
            Some(Symbol::Exception(_)) => {
                return fault(at, 222, format_args!("no function with name '{name}' exists in this scope"));
            }
            Some(Symbol::Broken) | None => return undeclared(at, &name),
        })
    }

    /// Every subprogram of the name in the scope where it was found.
    fn overloads(&self, name: &str, import: Option<&Import>) -> Vec<Arc<Signature>> {
        let symbols = match import {
            Some(import) => import.unit.exports.get(name),
            None => self.scopes.iter().rev().find_map(|scope| scope.names.get(name)),
        };
        let subprogram = |symbol: &Symbol| match symbol {
            Symbol::Subprogram(signature) => Some(Arc::clone(signature)),
            _ => None,
        };
        symbols.into_iter().flatten().filter_map(subprogram).collect()
    }

    pub(crate) fn of_variable(&mut self, variable: &Variable, import: Option<&Import>) -> PlaceExpr {
        if variable.value.is_none() {
            self.need(import);
        }
        PlaceExpr {
            root: self.root(variable.home, import),
            steps: Vec::new(),
            data_type: variable.data_type.clone(),
            root_type: Some(variable.data_type.clone()),
            access: variable.access,
            name: variable.name.to_string(),
            value: variable.value.clone(),
        }
    }

    pub(crate) fn root(&mut self, home: VariableHome, import: Option<&Import>) -> VariableRoot {
        match home {
            VariableHome::Global { slot } => VariableRoot::Global { link: import.and_then(|import| import.link), slot },
            VariableHome::Frame { level, register } if level == self.level() => VariableRoot::Register(register),
            VariableHome::Frame { level, register } => VariableRoot::Outer { levels: self.level() - level, register },
        }
    }

    /// `… .NAME`
    fn part(&mut self, of: Designated, name: &Ident) -> Compiled<Designated> {
        let mut place = self.as_place(of, name.at)?;
        match &place.data_type {
            Type::Record(record) => {
                let Some((field, found)) = record.field(&name.name) else {
                    return fault(name.at, 302, format_args!("component '{}' must be declared", name.name));
                };
                let data_type = found.data_type.clone();
                place.steps.push(PathStep::Field(field));
                place.name = format!("{}.{}", place.name, name.name);
                place.data_type = data_type;
                place.value = None;
                Ok(Designated::Place(place))
            }
            Type::Collection(_) => match method(&name.name) {
                Some(method) => Ok(Designated::Method(place, method)),
                None => fault(name.at, 302, format_args!("component '{}' must be declared", name.name)),
            },
            Type::Unknown => {
                fault(name.at, 320, "the declaration of the type of this expression is incomplete or malformed")
            }
            _ => fault(name.at, 487, format_args!("Invalid reference to variable '{}'", place.name)),
        }
    }

    /// `…(arguments)`
    fn apply(&mut self, of: Designated, arguments: &[Argument], at: At) -> Compiled<Designated> {
        match of {
            Designated::Subprograms { name, candidates, import } => {
                if let Some(value) = self.indexed_result(&name, &candidates, import.as_ref(), arguments, at)? {
                    return Ok(value);
                }
                let value = self.call(&name, &candidates, import.as_ref(), arguments, at, true)?;
                Ok(Designated::Value(value))
            }
            Designated::Standard(name) => self.standard_call(&name, arguments, at, None).map(Designated::Value),
            Designated::Method(place, method) => self.method_call(&place, method, arguments, at).map(Designated::Value),
            Designated::Type(Type::Collection(collection), _) => {
                self.constructor(&collection, arguments, at).map(Designated::Value)
            }
            Designated::Type(_, name) => wrong_arguments(at, &name),
            Designated::Cursor(cursor, _) => wrong_arguments(at, &cursor.name),
            Designated::Sequence { name, .. } => wrong_arguments(at, &name),
            other @ (Designated::Place(_) | Designated::Value(_)) => {
                let place = self.as_place(other, at)?;
                if place.name == "UPDATING" && place.data_type.is_boolean() {
                    return self.updating(arguments, at).map(Designated::Value);
                }
                self.element(place, arguments, at).map(Designated::Place)
            }
        }
    }

    /// `F(1)` where F has no parameters and returns a collection: its first element.
    fn indexed_result(
        &mut self,
        name: &str,
        candidates: &[Arc<Signature>],
        import: Option<&Import>,
        arguments: &[Argument],
        at: At,
    ) -> Compiled<Option<Designated>> {
        let [only] = candidates else { return Ok(None) };
        if !only.parameters.is_empty() || arguments.is_empty() || !matches!(only.result, Some(Type::Collection(_))) {
            return Ok(None);
        }
        let value = self.call(name, candidates, import, &[], at, true)?;
        let place = self.as_place(Designated::Value(value), at)?;
        self.element(place, arguments, at).map(|place| Some(Designated::Place(place)))
    }

    fn element(&mut self, mut place: PlaceExpr, arguments: &[Argument], at: At) -> Compiled<PlaceExpr> {
        let Type::Collection(collection) = &place.data_type else {
            return fault(
                at,
                224,
                format_args!("object '{}' must be of type function or array to be used this way", place.name),
            );
        };
        let collection = Arc::clone(collection);
        let [Argument { name: None, value: subscript }] = arguments else {
            return wrong_arguments(at, &place.name);
        };
        let register = self.subscript(&collection, subscript)?;
        place.steps.push(PathStep::Element(register));
        place.data_type = collection.element.clone();
        place.name = format!("{}(…)", place.name);
        place.value = None;
        Ok(place)
    }

    /// The subscript as a key of the collection.
    pub(crate) fn subscript(&mut self, collection: &CollectionType, subscript: &Expr) -> Compiled<Register> {
        let key = Type::Scalar(collection.key.map_or(ScalarType::INTEGER, |key| ScalarType { not_null: false, ..key }));
        let value = self.expression(subscript, None)?;
        let value = self.convert(value, &key, subscript.at, None)?;
        // A loop's index or another variable may change before the element is used; the register is read at that time.
        self.in_register(&value, None)
    }

    /// A designator with parts: the value of a call is put into a register.
    pub(crate) fn as_place(&mut self, designated: Designated, at: At) -> Compiled<PlaceExpr> {
        match designated {
            Designated::Place(place) => Ok(place),
            other => {
                let value = self.value_of(other, at, None)?;
                let register = self.in_register(&value.operand, None)?;
                Ok(PlaceExpr {
                    root: VariableRoot::Register(register),
                    steps: Vec::new(),
                    root_type: Some(value.data_type.clone()),
                    data_type: value.data_type,
                    access: Access::ReadOnly,
                    name: "(expression)".to_owned(),
                    value: None,
                })
            }
        }
    }

    /// The value of a designator: a subprogram is called without arguments.
    pub(crate) fn value_of(&mut self, designated: Designated, at: At, to: Option<Register>) -> Compiled<Typed> {
        match designated {
            Designated::Place(place) => self.load(&place, to),
            Designated::Value(value) => Ok(value),
            Designated::Subprograms { name, candidates, import } => {
                self.call(&name, &candidates, import.as_ref(), &[], at, true)
            }
            Designated::Standard(name) => self.standard_call(&name, &[], at, to),
            Designated::Method(place, method) => self.method_call(&place, method, &[], at),
            Designated::Type(_, name) => {
                fault(at, 330, format_args!("invalid use of type name or subtype name '{name}'"))
            }
            Designated::Cursor(cursor, import) => {
                // As an argument for a REF CURSOR it would be wrong; its attributes are read elsewhere.
                let _ = import;
                fault(at, 382, format_args!("expression is of wrong type: cursor '{}'", cursor.name))
            }
            Designated::Sequence { owner, name, next } => {
                let to = match to {
                    Some(to) => to,
                    None => self.allocate()?,
                };
                self.unit.sequences.push((owner, name));
                let sequence = self.unit.sequences.len() as u32 - 1;
                self.emit(Op::Sequence { to, sequence, next });
                Ok(Typed::register(to, ScalarType::NUMBER))
            }
        }
    }

    pub(crate) fn load(&mut self, place: &PlaceExpr, to: Option<Register>) -> Compiled<Typed> {
        if let Some(value) = &place.value {
            return Ok(Typed { operand: Operand::Constant(value.clone()), data_type: place.data_type.clone() });
        }
        if let (VariableRoot::Register(register), []) = (place.root, &place.steps[..]) {
            return Ok(Typed::register(register, place.data_type.clone()));
        }
        let to = match to {
            Some(to) => to,
            None => self.allocate()?,
        };
        match (place.root, &place.steps[..]) {
            (VariableRoot::Register(record), [PathStep::Field(field)]) => {
                self.emit(Op::Field { to, record, field: *field });
            }
            (VariableRoot::Register(collection), [PathStep::Element(subscript)]) => {
                self.emit(Op::Element { to, collection, subscript: *subscript });
            }
            (root, steps) => {
                let place = self.place(root, steps);
                self.emit(Op::Load { to, place });
            }
        }
        Ok(Typed::register(to, place.data_type.clone()))
    }

    /// The target of an assignment.
    ///
    /// # Errors
    /// PLS-00363 when it cannot be assigned.
    pub(crate) fn target(&mut self, expression: &Expr) -> Compiled<PlaceExpr> {
        let place = match self.designate(expression)? {
            Designated::Place(place) => place,
            Designated::Type(_, name) | Designated::Standard(name) | Designated::Subprograms { name, .. } => {
                return fault(
                    expression.at,
                    363,
                    format_args!("expression '{name}' cannot be used as an assignment target"),
                );
            }
            Designated::Cursor(cursor, _) => {
                return fault(
                    expression.at,
                    363,
                    format_args!("expression '{}' cannot be used as an assignment target", cursor.name),
                );
            }
            _ => {
                return fault(expression.at, 363, "expression cannot be used as an assignment target");
            }
        };
        if place.access == Access::ReadOnly {
            return fault(
                expression.at,
                363,
                format_args!("expression '{}' cannot be used as an assignment target", place.name),
            );
        }
        Ok(place)
    }

    /// Assigns a value, converting it. Missing elements on the way are created first. A value in a register from
    /// `temporary` on is not used again.
    pub(crate) fn assign_from(&mut self, place: &PlaceExpr, value: Typed, at: At, temporary: Register) -> Compiled<()> {
        let (VariableRoot::Register(to), []) = (place.root, &place.steps[..]) else {
            return self.assign(place, value, at);
        };
        // Converted into a register of its own: a failure must not change the variable.
        let value = self.convert(value, &place.data_type, at, None)?;
        match value {
            Operand::Register(from) if from >= temporary && self.retarget(from, to) => {}
            value => self.move_to(&value, to),
        }
        Ok(())
    }

    /// Assigns a value, converting it. Missing elements on the way are created first.
    pub(crate) fn assign(&mut self, place: &PlaceExpr, value: Typed, at: At) -> Compiled<()> {
        let own = if place.steps.is_empty() { Some(place.root) } else { None };
        if let Some(VariableRoot::Register(to)) = own {
            let value = self.convert(value, &place.data_type, at, Some(to))?;
            self.move_to(&value, to);
            return Ok(());
        }
        let value = self.convert(value, &place.data_type, at, None)?;
        let from = self.in_register(&value, None)?;
        self.make_elements(place)?;
        let place = self.place(place.root, &place.steps);
        self.emit(Op::Store { place, from });
        Ok(())
    }

    /// `T(1).X := …` creates T(1) when it is missing: each element on the way to a part.
    pub(crate) fn make_elements(&mut self, place: &PlaceExpr) -> Compiled<()> {
        for (at, step) in place.steps.iter().enumerate() {
            if matches!(step, PathStep::Element(_)) && at + 1 < place.steps.len() {
                let Some(data_type) = self.type_at(place, at) else { continue };
                let value = match &data_type {
                    Type::Record(record) => null_record(record),
                    Type::Collection(collection) => super::convert::empty(collection),
                    _ => continue,
                };
                if value.is_null() {
                    continue;
                }
                let mark = self.mark();
                let missing = self.allocate()?;
                let there = self.label();
                let element = self.place(place.root, &place.steps[..=at]);
                self.emit(Op::Missing { to: missing, place: element });
                self.emit(Op::JumpUnlessTrue { condition: missing, target: there.0 });
                match &data_type {
                    Type::Record(_) => self.initialize(&data_type, missing)?,
                    _ => self.load_constant(missing, value),
                }
                self.emit(Op::Store { place: element, from: missing });
                self.bind(there);
                self.release(mark);
            }
        }
        Ok(())
    }

    /// The type of the part that the steps up to and with `last` lead to.
    fn type_at(&self, place: &PlaceExpr, last: usize) -> Option<Type> {
        let mut data_type = place.root_type.clone()?;
        for step in &place.steps[..=last] {
            data_type = match (step, &data_type) {
                (PathStep::Field(field), Type::Record(record)) => {
                    record.fields.get(usize::from(*field))?.data_type.clone()
                }
                (PathStep::Element(_), Type::Collection(collection)) => collection.element.clone(),
                _ => return None,
            };
        }
        Some(data_type)
    }
}

fn method(name: &str) -> Option<Method> {
    Some(match name {
        "COUNT" => Method::Count,
        "FIRST" => Method::First,
        "LAST" => Method::Last,
        "NEXT" => Method::Next,
        "PRIOR" => Method::Prior,
        "EXISTS" => Method::Exists,
        "LIMIT" => Method::Limit,
        "DELETE" => Method::Delete,
        "EXTEND" => Method::Extend,
        "TRIM" => Method::Trim,
        _ => return None,
    })
}
