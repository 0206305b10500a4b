//! Declarations.

use std::sync::Arc;

use super::Compiler;
use super::convert::{Operand, Typed};
use super::error::{Compiled, fault, unsupported};
use super::op::Op;
use super::symbol::{Access, Symbol, Variable, VariableHome};
use super::types::{CollectionType, FieldType, RecordType, Type};
use super::unit::{CollectionKind, VariableRoot};
use crate::ast::{Declaration, DeclarationKind, Expr, Ident, Pragma, TypeDefinition, TypeName};
use crate::error::Number;
use crate::exception::ExceptionKey;
use crate::value::{ScalarKind, ScalarType, Value};

impl Compiler<'_> {
    pub(crate) fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            self.state().at = declaration.at;
            let is_subprogram = matches!(declaration.kind, DeclarationKind::Subprogram(_));
            let mark = self.mark();
            if let Err(fault) = self.declaration(declaration) {
                if let Some(name) = declared_name(&declaration.kind) {
                    let scope = self.scopes.last_mut().expect("a scope is open");
                    scope.names.entry(name.name.clone()).or_insert_with(|| vec![Symbol::Broken]);
                }
                let is_sql = matches!(fault.number, Number::Ora(_));
                self.report(fault);
                if is_sql {
                    self.report_ignored(declaration.at, "SQL Statement");
                } else if !is_subprogram {
                    self.report_ignored(declaration.at, "Item");
                }
                self.release(mark);
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration) -> Compiled<()> {
        match &declaration.kind {
            DeclarationKind::Variable { name, constant, not_null, data_type, default } => {
                self.variable(name, *constant, *not_null, data_type, default.as_ref())
            }
            DeclarationKind::Exception(name) => {
                let id = format!("{}.{}:{}", self.unit.owner, self.unit.name, name.at);
                let id = if self.in_body { format!("{id}/body") } else { id };
                self.declare(name, Symbol::Exception(ExceptionKey::Declared(id.into())))
            }
            DeclarationKind::Cursor(cursor) => self.declare_cursor(cursor),
            DeclarationKind::Type { name, definition } => {
                let defined = self.type_definition(name, definition)?;
                self.declare(name, Symbol::Type(defined))
            }
            DeclarationKind::Subtype { name, base, range, not_null } => {
                let base = self.type_of_name(base)?;
                let defined = self.subtype(base, range.as_ref(), *not_null, name)?;
                self.declare(name, Symbol::Type(defined))
            }
            DeclarationKind::Subprogram(subprogram) => self.subprogram(subprogram),
            DeclarationKind::Pragma(pragma) => self.pragma(pragma),
        }
    }

    /// Allocates a variable: a register, or for a package a part of its state.
    pub(crate) fn home(&mut self) -> Compiled<VariableHome> {
        if self.declares_globals() {
            self.unit.globals += 1;
            return Ok(VariableHome::Global { slot: self.unit.globals as u32 - 1 });
        }
        let register = self.allocate()?;
        Ok(VariableHome::Frame { level: self.level(), register })
    }

    /// The declarations of a package itself.
    pub(crate) fn declares_globals(&self) -> bool {
        self.unit.unit_type == super::unit::UnitType::Package && self.scopes.len() == 1
    }

    fn variable(
        &mut self,
        name: &Ident,
        constant: bool,
        not_null: bool,
        data_type: &TypeName,
        default: Option<&Expr>,
    ) -> Compiled<()> {
        let mut data_type = self.type_of_name(data_type)?;
        if let Type::Scalar(scalar) = &mut data_type {
            scalar.not_null |= not_null;
            match scalar.kind {
                ScalarKind::Varchar2(None) | ScalarKind::Raw(None) => {
                    return fault(name.at, 215, "String length constraints must be in range (1 .. 32767)");
                }
                _ => {}
            }
        }
        let must_have = matches!(&data_type, Type::Scalar(scalar) if scalar.not_null);
        if must_have && default.is_none() {
            return fault(name.at, 218, "a variable declared NOT NULL must have an initialization assignment");
        }
        if constant && default.is_none() {
            return fault(
                name.at,
                322,
                format_args!("declaration of a constant '{}' must contain an initialization assignment", name.name),
            );
        }
        let home = self.home()?;
        let mark = self.mark();
        let root = self.root(home, None);
        let mut value = None;
        match default {
            Some(default) => {
                let to = match root {
                    VariableRoot::Register(register) => Some(register),
                    _ => None,
                };
                let found = self.expression(default, None)?;
                let held = self.convert(found, &data_type, default.at, to)?;
                match (&held, constant) {
                    (Operand::Constant(known), true) => value = Some(known.clone()),
                    _ => {
                        self.unit.has_state |= self.unit.unit_type == super::unit::UnitType::Package && !constant;
                        self.put(root, &held)?;
                    }
                }
            }
            None => {
                self.unit.has_state |= self.declares_globals();
                let to = match root {
                    VariableRoot::Register(register) => register,
                    _ => self.allocate()?,
                };
                self.initialize(&data_type, to)?;
                self.put(root, &Operand::Register(to))?;
            }
        }
        self.release(mark);
        let access = if constant { Access::ReadOnly } else { Access::Assignable };
        self.declare(name, Symbol::Variable(Variable { name: name.name.clone(), home, data_type, access, value }))
    }

    pub(crate) fn put(&mut self, root: VariableRoot, value: &Operand) -> Compiled<()> {
        match root {
            VariableRoot::Register(to) => self.move_to(value, to),
            root => {
                let from = self.in_register(value, None)?;
                let place = self.place(root, &[]);
                self.emit(Op::Store { place, from });
            }
        }
        Ok(())
    }

    fn type_id(&self, name: &Ident) -> Box<str> {
        if self.scopes.len() == 1 && !self.unit.name.is_empty() {
            format!("{}.{}.{}", self.unit.owner, self.unit.name, name.name).into()
        } else {
            format!("{}.{}:{}.{}", self.unit.owner, self.unit.name, name.at, name.name).into()
        }
    }

    fn type_definition(&mut self, name: &Ident, definition: &TypeDefinition) -> Compiled<Type> {
        let id = self.type_id(name);
        let collection = |element: Type, kind: CollectionKind, key: Option<ScalarType>| {
            Type::Collection(Arc::new(CollectionType { id: id.clone(), name: name.name.clone(), kind, key, element }))
        };
        match definition {
            TypeDefinition::Record(fields) => {
                let mut found: Vec<FieldType> = Vec::with_capacity(fields.len());
                for field in fields {
                    if found.iter().any(|known| known.name == field.name.name) {
                        return fault(
                            field.name.at,
                            410,
                            "duplicate fields in RECORD,TABLE or argument list are not permitted",
                        );
                    }
                    let mut data_type = self.type_of_name(&field.data_type)?;
                    if let Type::Scalar(scalar) = &mut data_type {
                        scalar.not_null |= field.not_null;
                        if scalar.not_null && field.default.is_none() {
                            return fault(
                                field.name.at,
                                218,
                                "a variable declared NOT NULL must have an initialization assignment",
                            );
                        }
                    }
                    found.push(FieldType { name: field.name.name.clone(), data_type, default: field.default.clone() });
                }
                Ok(Type::Record(Arc::new(RecordType { id, name: name.name.clone(), fields: found, is_row: false })))
            }
            TypeDefinition::AssociativeArray { element, not_null, key } => {
                let element = self.element_type(element, *not_null)?;
                let key = self.type_of_name(key)?;
                match key {
                    Type::Scalar(key) if matches!(key.kind, ScalarKind::Integer { .. }) => {
                        Ok(collection(element, CollectionKind::Integers, Some(key)))
                    }
                    Type::Scalar(key) if matches!(key.kind, ScalarKind::Varchar2(_) | ScalarKind::Rowid) => {
                        Ok(collection(element, CollectionKind::Texts, Some(key)))
                    }
                    _ => fault(name.at, 315, "Implementation restriction: unsupported table index type"),
                }
            }
            TypeDefinition::NestedTable { element, not_null } => {
                let element = self.element_type(element, *not_null)?;
                Ok(collection(element, CollectionKind::Nested, None))
            }
            TypeDefinition::VarArray { limit, element, not_null } => {
                let element = self.element_type(element, *not_null)?;
                let limit = self.constant_integer(limit)?;
                let Ok(limit) = u32::try_from(limit) else {
                    return fault(name.at, 325, "non-integral numeric literal is inappropriate in this context");
                };
                Ok(collection(element, CollectionKind::Varray(limit), None))
            }
            TypeDefinition::RefCursor { result } => match result {
                None => Ok(Type::Cursor(None)),
                Some(result) => match self.type_of_name(result)? {
                    Type::Record(row) => Ok(Type::Cursor(Some(row))),
                    _ => fault(name.at, 362, "invalid cursor return type; must be a record type"),
                },
            },
        }
    }

    fn element_type(&mut self, element: &TypeName, not_null: bool) -> Compiled<Type> {
        let mut element = self.type_of_name(element)?;
        if let Type::Scalar(scalar) = &mut element {
            scalar.not_null |= not_null;
        }
        Ok(element)
    }

    fn subtype(&mut self, base: Type, range: Option<&(Expr, Expr)>, not_null: bool, name: &Ident) -> Compiled<Type> {
        let bounds = match range {
            Some((low, high)) => Some((self.constant_integer(low)?, self.constant_integer(high)?)),
            None => None,
        };
        match base {
            Type::Scalar(mut scalar) => {
                scalar.not_null |= not_null;
                if let Some(bounds) = bounds {
                    if !matches!(scalar.kind, ScalarKind::Integer { .. }) {
                        return fault(name.at, 572, "improper range constraint syntax");
                    }
                    scalar.range = Some(bounds);
                }
                Ok(Type::Scalar(scalar))
            }
            other if bounds.is_none() && !not_null => Ok(other),
            _ => fault(name.at, 572, "improper range constraint syntax"),
        }
    }

    fn pragma(&mut self, pragma: &Pragma) -> Compiled<()> {
        match pragma {
            Pragma::ExceptionInit { exception, number } => {
                let code = self.constant_integer(number)?;
                let code = match i32::try_from(code) {
                    Ok(-1403) => 100,
                    Ok(code) if code < 0 || code == 100 => code,
                    _ => return fault(exception.at, 701, "illegal ORACLE error number for PRAGMA EXCEPTION_INIT"),
                };
                let scope = self.scopes.last_mut().expect("a scope is open");
                match scope.names.get_mut(&exception.name).and_then(|symbols| symbols.first_mut()) {
                    Some(Symbol::Exception(key)) => {
                        *key = ExceptionKey::Number(code);
                        Ok(())
                    }
                    _ => fault(
                        exception.at,
                        700,
                        "PRAGMA EXCEPTION_INIT must follow declaration of its exception in the same declarative part",
                    ),
                }
            }
            Pragma::AutonomousTransaction => {
                self.state().autonomous = true;
                Ok(())
            }
            Pragma::Other(name) => match &*name.name {
                "SERIALLY_REUSABLE" => unsupported(name.at, "PRAGMA SERIALLY_REUSABLE"),
                _ => Ok(()),
            },
        }
    }

    /// A constant for a default; None when it must be computed at run time.
    pub(crate) fn folded(&mut self, default: &Expr, data_type: &Type) -> Compiled<Option<Value>> {
        let trial = self.trial();
        let value = self.expression(default, None)?;
        let value: Typed = value;
        let constant = value.constant().is_some();
        let held = self.convert(value, data_type, default.at, None)?;
        self.take_back(trial);
        Ok(match held {
            Operand::Constant(held) if constant => Some(held),
            _ => None,
        })
    }
}

fn declared_name(kind: &DeclarationKind) -> Option<&Ident> {
    match kind {
        DeclarationKind::Variable { name, .. }
        | DeclarationKind::Exception(name)
        | DeclarationKind::Type { name, .. }
        | DeclarationKind::Subtype { name, .. } => Some(name),
        DeclarationKind::Cursor(cursor) => Some(&cursor.name),
        DeclarationKind::Subprogram(subprogram) => subprogram.name.parts.last(),
        DeclarationKind::Pragma(_) => None,
    }
}
