//! Operands, and their conversion to another type.

use super::Compiler;
use super::error::{Compiled, wrong_type};
use super::op::{Op, Register};
use super::types::{RecordType, Type};
use crate::ast::At;
use crate::value::convert::same_family;
use crate::value::{Collection, ScalarKind, ScalarType, Value};

/// A value's location at run time.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Register(Register),
    Constant(Value),
}

/// A value and its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) operand: Operand,
    pub(crate) data_type: Type,
}

impl Typed {
    pub(crate) fn register(register: Register, data_type: impl Into<Type>) -> Self {
        Self { operand: Operand::Register(register), data_type: data_type.into() }
    }

    pub(crate) fn value(value: Value, data_type: impl Into<Type>) -> Self {
        Self { operand: Operand::Constant(value), data_type: data_type.into() }
    }

    pub(crate) fn constant(&self) -> Option<&Value> {
        if let Operand::Constant(value) = &self.operand { Some(value) } else { None }
    }
}

impl Compiler<'_> {
    /// The value in a register: in `to` when that is given and the value is not in a register yet.
    pub(crate) fn in_register(&mut self, operand: &Operand, to: Option<Register>) -> Compiled<Register> {
        match operand {
            Operand::Register(register) => Ok(*register),
            Operand::Constant(value) => {
                let to = match to {
                    Some(to) => to,
                    None => self.allocate()?,
                };
                self.load_constant(to, value.clone());
                Ok(to)
            }
        }
    }

    /// The value in this register.
    pub(crate) fn move_to(&mut self, operand: &Operand, to: Register) {
        match operand {
            Operand::Register(from) if *from == to => {}
            Operand::Register(from) => {
                self.emit(Op::Move { to, from: *from });
            }
            Operand::Constant(value) => self.load_constant(to, value.clone()),
        }
    }

    /// The value converted for a variable of the type. `to` is a register for the result.
    pub(crate) fn convert(&mut self, value: Typed, wanted: &Type, at: At, to: Option<Register>) -> Compiled<Operand> {
        match (&value.data_type, wanted) {
            (Type::Unknown, _) | (_, Type::Unknown) => super::error::fault(
                at,
                320,
                "the declaration of the type of this expression is incomplete or malformed",
            ),
            (Type::Null, Type::Record(record)) => Ok(Operand::Constant(null_record(record))),
            (Type::Null, Type::Collection(collection)) if collection.key.is_some() => wrong_type(at),
            (Type::Null, Type::Collection(_) | Type::Cursor(_) | Type::Null) => Ok(value.operand),
            (Type::Null, Type::Scalar(scalar)) => self.convert_scalar(value.operand, None, scalar, to),
            (Type::Scalar(from), Type::Scalar(scalar)) => {
                if value.data_type.distance(wanted).is_none() {
                    return wrong_type(at);
                }
                let kind = from.kind;
                self.convert_scalar(value.operand, Some(kind), scalar, to)
            }
            (Type::Record(from), Type::Record(into)) if super::types::records_fit(from, into) => {
                let (from, into) = (from.clone(), into.clone());
                self.convert_record(value.operand, &from, &into, at, to)
            }
            _ if value.data_type.distance(wanted).is_some() => Ok(value.operand),
            _ => wrong_type(at),
        }
    }

    fn convert_scalar(
        &mut self,
        operand: Operand,
        from: Option<ScalarKind>,
        wanted: &ScalarType,
        to: Option<Register>,
    ) -> Compiled<Operand> {
        if let Operand::Constant(value) = &operand
            && from.is_none_or(|from| same_family(&from, &wanted.kind))
            && let Ok(held) = wanted.hold(value.clone())
        {
            return Ok(Operand::Constant(held));
        }
        if let Some(from) = from
            && is_held(from, wanted)
        {
            return Ok(operand);
        }
        let from = self.in_register(&operand, None)?;
        let to = match to {
            Some(to) => to,
            None => self.allocate()?,
        };
        let scalar_type = self.scalar_type(*wanted);
        self.emit(Op::Coerce { to, from, scalar_type });
        Ok(Operand::Register(to))
    }

    fn convert_record(
        &mut self,
        operand: Operand,
        from: &RecordType,
        into: &RecordType,
        at: At,
        to: Option<Register>,
    ) -> Compiled<Operand> {
        if from.id == into.id {
            return Ok(operand);
        }
        let record = self.in_register(&operand, None)?;
        let first = self.allocate_many(into.fields.len())?;
        for (field, (a, b)) in from.fields.iter().zip(&into.fields).enumerate() {
            let place = first + field as Register;
            let mark = self.mark();
            self.emit(Op::Field { to: place, record, field: field as u16 });
            let value = self.convert(Typed::register(place, a.data_type.clone()), &b.data_type, at, Some(place))?;
            self.move_to(&value, place);
            self.release(mark);
        }
        let to = match to {
            Some(to) => to,
            None => self.allocate()?,
        };
        self.emit(Op::Record { to, first, count: into.fields.len() as u16 });
        Ok(Operand::Register(to))
    }
}

/// True: every value of the kind is unchanged in a variable of the type.
fn is_held(from: ScalarKind, wanted: &ScalarType) -> bool {
    match (from, wanted.kind) {
        (ScalarKind::Integer { .. }, ScalarKind::Integer { .. }) => !wanted.not_null && wanted.range.is_none(),
        (
            ScalarKind::Integer { .. } | ScalarKind::Number { .. },
            ScalarKind::Number { precision: None, scale: None },
        )
        | (ScalarKind::Varchar2(_) | ScalarKind::Rowid, ScalarKind::Varchar2(None))
        | (ScalarKind::Char(_), ScalarKind::Char(None))
        | (ScalarKind::Boolean, ScalarKind::Boolean)
        | (ScalarKind::Date, ScalarKind::Date)
        | (ScalarKind::Timestamp(_), ScalarKind::Timestamp(9))
        | (ScalarKind::Raw(_), ScalarKind::Raw(None)) => !wanted.not_null && wanted.range.is_none(),
        _ => false,
    }
}

/// A record whose fields are all NULL.
pub(crate) fn null_record(record: &RecordType) -> Value {
    let field = |data_type: &Type| match data_type {
        Type::Record(inner) => null_record(inner),
        Type::Collection(collection) => empty(collection),
        _ => Value::Null,
    };
    Value::Record(record.fields.iter().map(|each| field(&each.data_type)).collect())
}

/// The initial value of a collection.
pub(crate) fn empty(collection: &super::types::CollectionType) -> Value {
    use super::unit::CollectionKind;
    match collection.kind {
        CollectionKind::Integers => Value::Collection(Collection::Integers(Default::default()).into()),
        CollectionKind::Texts => Value::Collection(Collection::Texts(Default::default()).into()),
        CollectionKind::Nested | CollectionKind::Varray(_) => Value::Null,
    }
}
