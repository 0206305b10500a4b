//! Methods of collections.

use super::Compiler;
use super::convert::Typed;
use super::error::{Compiled, fault, wrong_arguments};
use super::op::{Method, Op, Register};
use super::place::PlaceExpr;
use super::symbol::Access;
use super::types::Type;
use super::unit::CollectionKind;
use crate::ast::{Argument, At};
use crate::value::ScalarType;

impl Compiler<'_> {
    pub(crate) fn method_call(
        &mut self,
        place: &PlaceExpr,
        method: Method,
        arguments: &[Argument],
        at: At,
    ) -> Compiled<Typed> {
        let Type::Collection(collection) = &place.data_type else { return wrong_arguments(at, &place.name) };
        let collection = collection.clone();
        let (least, most) = match method {
            Method::Count | Method::First | Method::Last | Method::Limit => (0, 0),
            Method::Next | Method::Prior | Method::Exists => (1, 1),
            Method::Delete | Method::Extend => (0, 2),
            Method::Trim => (0, 1),
        };
        let changes = matches!(method, Method::Delete | Method::Extend | Method::Trim);
        let is_array = collection.key.is_some();
        let fits = (least..=most).contains(&arguments.len())
            && arguments.iter().all(|argument| argument.name.is_none())
            && !(is_array && matches!(method, Method::Extend | Method::Trim));
        if !fits {
            return wrong_arguments(at, name(method));
        }
        if method == Method::Delete && !arguments.is_empty() && matches!(collection.kind, CollectionKind::Varray(_)) {
            return wrong_arguments(at, name(method));
        }
        if changes && place.access == Access::ReadOnly {
            return fault(at, 363, format_args!("expression '{}' cannot be used as an assignment target", place.name));
        }
        let mut registers = Vec::with_capacity(arguments.len());
        for argument in arguments {
            registers.push(match method {
                Method::Extend | Method::Trim => {
                    let value = self.expression(&argument.value, None)?;
                    let value = self.convert(value, &Type::INTEGER, argument.value.at, None)?;
                    self.in_register(&value, None)?
                }
                _ => self.subscript(&collection, &argument.value)?,
            });
        }
        let first = self.allocate_many(registers.len())?;
        for (index, from) in registers.iter().enumerate() {
            self.emit(Op::Move { to: first + index as Register, from: *from });
        }
        if changes {
            self.make_elements(place)?;
        }
        let to = self.allocate()?;
        let steps = self.place(place.root, &place.steps);
        self.emit(Op::Method { to, place: steps, method, first, count: registers.len() as u16 });
        let data_type = match method {
            Method::Count | Method::Limit => Type::INTEGER,
            Method::Exists => Type::BOOLEAN,
            _ => Type::Scalar(collection.key.map_or(ScalarType::INTEGER, |key| key.unconstrained())),
        };
        Ok(Typed::register(to, data_type))
    }
}

/// True: it is called as a statement.
pub(crate) fn is_procedure(method: Method) -> bool {
    matches!(method, Method::Delete | Method::Extend | Method::Trim)
}

pub(crate) fn name(method: Method) -> &'static str {
    match method {
        Method::Count => "COUNT",
        Method::First => "FIRST",
        Method::Last => "LAST",
        Method::Next => "NEXT",
        Method::Prior => "PRIOR",
        Method::Exists => "EXISTS",
        Method::Limit => "LIMIT",
        Method::Delete => "DELETE",
        Method::Extend => "EXTEND",
        Method::Trim => "TRIM",
    }
}
