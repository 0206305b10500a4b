//! Calls of subprograms: overload resolution, passing of arguments.

use std::sync::Arc;

use super::convert::Typed;
use super::error::{Compiled, fault, wrong_arguments};
use super::op::{Op, Register};
use super::place::PlaceExpr;
use super::symbol::{Body, Default, Parameter, Signature};
use super::types::Type;
use super::unit::{Native, VariableRoot};
use super::{Compiler, Import};
use crate::ast::{Argument, At, Expr, Mode};
use crate::value::Value;

/// The argument of a parameter.
#[derive(Clone, Copy)]
enum GivenArgument<'e> {
    Expression(&'e Expr),
    Default,
}

impl Compiler<'_> {
    /// A call. A function's value is in the returned register; a procedure's register is unused.
    pub(crate) fn call(
        &mut self,
        name: &str,
        candidates: &[Arc<Signature>],
        import: Option<&Import>,
        arguments: &[Argument],
        at: At,
        is_function: bool,
    ) -> Compiled<Typed> {
        let chosen = self.choose(name, candidates, arguments, at, is_function)?;
        let Some(given) = assigned(&chosen.parameters, arguments) else { return wrong_arguments(at, name) };
        // Targets of results are located first: their subscripts are evaluated before the call.
        let mut places: Vec<Option<PlaceExpr>> = Vec::with_capacity(given.len());
        for (parameter, given) in chosen.parameters.iter().zip(&given) {
            places.push(match (parameter.mode, given) {
                (Mode::In, _) => None,
                (_, GivenArgument::Expression(expression)) => Some(self.out_target(expression)?),
                (_, GivenArgument::Default) => return wrong_arguments(at, name),
            });
        }
        let count = chosen.parameters.len();
        let first = self.allocate_many(count + 1)?;
        for (index, (parameter, given)) in chosen.parameters.iter().zip(&given).enumerate() {
            let register = first + index as Register;
            let mark = self.mark();
            self.argument(parameter, *given, places[index].as_ref(), register, import, at)?;
            self.release(mark);
        }
        self.invoke(&chosen, import, first)?;
        for (index, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let mark = self.mark();
            let value = Typed::register(first + index as Register, chosen.parameters[index].data_type.clone());
            self.assign(place, value, at)?;
            self.release(mark);
        }
        Ok(Typed::register(first + count as Register, chosen.result.clone().unwrap_or(Type::Unknown)))
    }

    fn out_target(&mut self, expression: &Expr) -> Compiled<PlaceExpr> {
        self.target(expression)
    }

    fn argument(
        &mut self,
        parameter: &Parameter,
        given: GivenArgument<'_>,
        place: Option<&PlaceExpr>,
        register: Register,
        import: Option<&Import>,
        at: At,
    ) -> Compiled<()> {
        match (parameter.mode, given, place) {
            (Mode::In, GivenArgument::Expression(expression), _) => {
                let value = self.expression(expression, Some(register))?;
                if value.data_type.distance(&parameter.data_type).is_none() {
                    return wrong_arguments(at, &parameter.name);
                }
                let value = self.convert(value, &parameter.data_type, expression.at, Some(register))?;
                self.move_to(&value, register);
            }
            (Mode::In, GivenArgument::Default, _) => match &parameter.default {
                Some(Default::Constant(value)) => self.load_constant(register, value.clone()),
                Some(Default::Function { function, level }) => {
                    self.need(import);
                    let result = self.allocate()?;
                    self.emit_call(*function, *level, import, result);
                    self.emit(Op::Move { to: register, from: result });
                }
                Some(Default::Expression(expression)) => {
                    let value = self.expression(&Expr { at, ..expression.clone() }, Some(register))?;
                    let value = self.convert(value, &parameter.data_type, at, Some(register))?;
                    self.move_to(&value, register);
                }
                None => return wrong_arguments(at, &parameter.name),
            },
            (Mode::InOut, GivenArgument::Expression(expression), Some(place)) => {
                let value = self.load(place, Some(register))?;
                if value.data_type.distance(&parameter.data_type).is_none() {
                    return wrong_arguments(at, &parameter.name);
                }
                let value = self.convert(value, &parameter.data_type, expression.at, Some(register))?;
                self.move_to(&value, register);
            }
            (_, _, Some(place)) => {
                if parameter.data_type.distance(&place.data_type).is_none() {
                    return wrong_arguments(at, &parameter.name);
                }
                self.initialize(&parameter.data_type, register)?;
            }
            (_, _, None) => return wrong_arguments(at, &parameter.name),
        }
        Ok(())
    }

    fn invoke(&mut self, chosen: &Signature, import: Option<&Import>, first: Register) -> Compiled<()> {
        match &chosen.body {
            Body::Native(name) => {
                let scalar = |data_type: &Type| data_type.scalar().copied();
                let native = Native {
                    name: name.clone(),
                    parameters: chosen.parameters.iter().map(|each| (each.mode, scalar(&each.data_type))).collect(),
                    result: chosen.result.as_ref().and_then(scalar),
                };
                let known = self.unit.natives.iter().position(|known| *known == native).unwrap_or_else(|| {
                    self.unit.natives.push(native);
                    self.unit.natives.len() - 1
                });
                self.emit(Op::CallNative { native: known as u32, first });
            }
            Body::Function { function, level } => {
                self.need(import);
                self.emit_call(*function, *level, import, first);
            }
        }
        Ok(())
    }

    /// `level` is that of the function called.
    pub(crate) fn emit_call(&mut self, function: u32, level: u16, import: Option<&Import>, first: Register) {
        match import.and_then(|import| import.link) {
            Some(link) => {
                self.emit(Op::CallLinked { link, function, first });
            }
            None => {
                // A function of level 1 stands in one of level 0: from there it is no step up to the enclosing frame.
                let levels = if level == 0 { 0 } else { self.level() + 1 - level };
                self.emit(Op::Call { function, first, levels });
            }
        }
    }

    fn choose(
        &mut self,
        name: &str,
        candidates: &[Arc<Signature>],
        arguments: &[Argument],
        at: At,
        is_function: bool,
    ) -> Compiled<Arc<Signature>> {
        let right_kind: Vec<&Arc<Signature>> =
            candidates.iter().filter(|candidate| candidate.result.is_some() == is_function).collect();
        if right_kind.is_empty() {
            return if is_function {
                fault(at, 222, format_args!("no function with name '{name}' exists in this scope"))
            } else {
                fault(at, 221, format_args!("'{name}' is not a procedure or is undefined"))
            };
        }
        let fitting: Vec<&Arc<Signature>> =
            right_kind.into_iter().filter(|candidate| assigned(&candidate.parameters, arguments).is_some()).collect();
        match fitting[..] {
            [] => return wrong_arguments(at, name),
            [only] => return Ok(Arc::clone(only)),
            _ => {}
        }
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let trial = self.trial();
            let value = self.expression(&argument.value, None)?;
            self.take_back(trial);
            types.push(value.data_type);
        }
        let mut best: Vec<(u32, &Arc<Signature>)> = Vec::new();
        for candidate in fitting {
            let mut sum = Some(0);
            for (index, (argument, data_type)) in arguments.iter().zip(&types).enumerate() {
                let parameter = parameter_of(&candidate.parameters, argument, index);
                let distance = parameter.and_then(|parameter| data_type.distance(&parameter.data_type));
                sum = sum.zip(distance).map(|(sum, distance)| sum + distance * distance);
            }
            if let Some(sum) = sum {
                best.push((sum, candidate));
            }
        }
        let Some(least) = best.iter().map(|(sum, _)| *sum).min() else { return wrong_arguments(at, name) };
        let mut nearest = best.iter().filter(|(sum, _)| *sum == least);
        match (nearest.next(), nearest.next()) {
            (Some((_, only)), None) => Ok(Arc::clone(only)),
            _ => fault(at, 307, format_args!("too many declarations of '{name}' match this call")),
        }
    }

    /// `C(1, 2, 3)`
    pub(crate) fn constructor(
        &mut self,
        collection: &Arc<super::types::CollectionType>,
        arguments: &[Argument],
        at: At,
    ) -> Compiled<Typed> {
        if collection.key.is_some() {
            return fault(at, 222, format_args!("no function with name '{}' exists in this scope", collection.name));
        }
        let first = self.allocate_many(arguments.len())?;
        for (index, argument) in arguments.iter().enumerate() {
            if argument.name.is_some() {
                return wrong_arguments(at, &collection.name);
            }
            let register = first + index as Register;
            let mark = self.mark();
            let value = self.expression(&argument.value, Some(register))?;
            let value = self.convert(value, &collection.element, argument.value.at, Some(register))?;
            self.move_to(&value, register);
            self.release(mark);
        }
        self.unit.collection_kinds.push(collection.kind);
        let kind = self.unit.collection_kinds.len() as u32 - 1;
        let to = self.allocate()?;
        self.emit(Op::Construct { to, first, count: arguments.len() as u16, kind });
        Ok(Typed::register(to, Type::Collection(Arc::clone(collection))))
    }

    /// The initial value of a variable of the type.
    pub(crate) fn initialize(&mut self, data_type: &Type, to: Register) -> Compiled<()> {
        match data_type {
            Type::Record(record) if record.fields.iter().any(needs_work) => {
                let record = Arc::clone(record);
                let mark = self.mark();
                let first = self.allocate_many(record.fields.len())?;
                for (index, field) in record.fields.iter().enumerate() {
                    let register = first + index as Register;
                    match &field.default {
                        Some(default) => {
                            let mark = self.mark();
                            let value = self.expression(default, Some(register))?;
                            let value = self.convert(value, &field.data_type, default.at, Some(register))?;
                            self.move_to(&value, register);
                            self.release(mark);
                        }
                        None => self.initialize(&field.data_type, register)?,
                    }
                }
                self.emit(Op::Record { to, first, count: record.fields.len() as u16 });
                self.release(mark);
            }
            Type::Record(record) => self.load_constant(to, super::convert::null_record(record)),
            Type::Collection(collection) => self.load_constant(to, super::convert::empty(collection)),
            _ => self.load_constant(to, Value::Null),
        }
        Ok(())
    }

    /// A variable as a place, for what is generated.
    pub(crate) fn register_place(&mut self, register: Register) -> u32 {
        self.place(VariableRoot::Register(register), &[])
    }
}

fn needs_work(field: &super::types::FieldType) -> bool {
    field.default.is_some() || matches!(&field.data_type, Type::Record(inner) if inner.fields.iter().any(needs_work))
}

/// The argument of each parameter; None when the arguments do not suit.
fn assigned<'e>(parameters: &[Parameter], arguments: &'e [Argument]) -> Option<Vec<GivenArgument<'e>>> {
    let mut given: Vec<Option<GivenArgument<'e>>> = vec![None; parameters.len()];
    let mut named = false;
    for (index, argument) in arguments.iter().enumerate() {
        let at = match &argument.name {
            Some(name) => {
                named = true;
                parameters.iter().position(|parameter| parameter.name == name.name)?
            }
            None if named => return None,
            None => index,
        };
        let place = given.get_mut(at)?;
        if place.is_some() {
            return None;
        }
        *place = Some(GivenArgument::Expression(&argument.value));
    }
    given
        .into_iter()
        .zip(parameters)
        .map(|(given, parameter)| given.or(parameter.default.is_some().then_some(GivenArgument::Default)))
        .collect()
}

fn parameter_of<'p>(parameters: &'p [Parameter], argument: &Argument, index: usize) -> Option<&'p Parameter> {
    match &argument.name {
        Some(name) => parameters.iter().find(|parameter| parameter.name == name.name),
        None => parameters.get(index),
    }
}
