//! Functions of STANDARD: those of `scalar`, and those of programs alone.

use scalar::{conditions, functions};

use super::Compiler;
use super::convert::{Operand, Typed};
use super::error::{Compiled, fault, undeclared, wrong_arguments};
use super::op::{Builtin, Op, Register};
use super::types::Type;
use super::unit::trigger_registers;
use crate::ast::{Argument, At};
use crate::value::ScalarType;

/// Pseudo-columns that only a row of a query has.
const PSEUDO_COLUMNS: &[&str] = &["ROWNUM", "LEVEL"];
const OWN: &[&str] = &["SQLCODE", "SQLERRM", "RAISE_APPLICATION_ERROR"];

/// True: STANDARD declares the name.
#[must_use]
pub(crate) fn is_standard(name: &str) -> bool {
    // A function of a package is the package's.
    let is_function = |name: &str| !name.contains('.') && functions::called(name).is_some();
    OWN.contains(&name) || PSEUDO_COLUMNS.contains(&name) || name == "REGEXP_LIKE" || is_function(name)
}

impl Compiler<'_> {
    pub(crate) fn standard_call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        at: At,
        to: Option<Register>,
    ) -> Compiled<Typed> {
        let function = functions::lookup(name);
        if function.is_some_and(|function| function.sql_only) || PSEUDO_COLUMNS.contains(&name) {
            return fault(
                at,
                204,
                format_args!("function or pseudo-column '{name}' may be used inside a SQL statement only"),
            );
        }
        if arguments.iter().any(|argument| argument.name.is_some()) {
            return wrong_arguments(at, name);
        }
        match name {
            "SQLCODE" => self.builtin(Builtin::SqlCode, name, arguments, (0, 0), &[], Type::INTEGER, at),
            "SQLERRM" => self.builtin(Builtin::SqlErrm, name, arguments, (0, 1), &[Type::INTEGER], Type::VARCHAR2, at),
            "RAISE_APPLICATION_ERROR" => {
                fault(at, 222, format_args!("no function with name '{name}' exists in this scope"))
            }
            "SYSDATE" if arguments.is_empty() => self.clock(Builtin::SysDate, ScalarType::DATE, to),
            "SYSTIMESTAMP" if arguments.is_empty() => {
                self.clock(Builtin::SysTimestamp, ScalarType::from(crate::value::ScalarKind::Timestamp(6)), to)
            }
            "REGEXP_LIKE" => self.regexp_like(arguments, at),
            "NVL" => self.nvl(arguments, at),
            "MOD" if arguments.len() == 2 => self.modulo(arguments, to),
            _ => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push((self.expression(&argument.value, None)?, argument.value.at));
                }
                let Some(function) = function else { return undeclared(at, name) };
                self.scalar_function(function, values, at, to)
            }
        }
    }

    fn clock(&mut self, builtin: Builtin, scalar: ScalarType, to: Option<Register>) -> Compiled<Typed> {
        let to = self.destination(to)?;
        self.emit(Op::Builtin { to, builtin, first: 0, count: 0 });
        Ok(Typed::register(to, scalar))
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        name: &str,
        arguments: &[Argument],
        (least, most): (usize, usize),
        types: &[Type],
        result: Type,
        at: At,
    ) -> Compiled<Typed> {
        if !(least..=most).contains(&arguments.len()) || arguments.iter().any(|argument| argument.name.is_some()) {
            return wrong_arguments(at, name);
        }
        let first = self.allocate_many(arguments.len())?;
        for (index, argument) in arguments.iter().enumerate() {
            let register = first + index as Register;
            let mark = self.mark();
            let value = self.expression(&argument.value, Some(register))?;
            if value.data_type.distance(&types[index]).is_none() {
                return wrong_arguments(at, name);
            }
            let value = self.convert(value, &types[index], argument.value.at, Some(register))?;
            self.move_to(&value, register);
            self.release(mark);
        }
        let to = self.allocate()?;
        self.emit(Op::Builtin { to, builtin, first, count: arguments.len() as u16 });
        Ok(Typed::register(to, result))
    }

    /// RAISE_APPLICATION_ERROR(number, text [, keep])
    pub(crate) fn raise_application_error(&mut self, arguments: &[Argument], at: At) -> Compiled<()> {
        let types = [Type::NUMBER, Type::VARCHAR2, Type::BOOLEAN];
        let name = "RAISE_APPLICATION_ERROR";
        let positional: Vec<Argument> =
            arguments.iter().map(|argument| Argument { name: None, value: argument.value.clone() }).collect();
        let order = ["NUM", "MSG", "KEEPERRORSTACK"];
        let ordered = arguments.iter().enumerate().all(|(index, argument)| {
            argument.name.as_ref().is_none_or(|given| order.get(index) == Some(&&*given.name))
        });
        if !ordered {
            return wrong_arguments(at, name);
        }
        self.builtin(Builtin::RaiseApplicationError, name, &positional, (2, 3), &types, Type::Null, at)?;
        Ok(())
    }

    fn modulo(&mut self, arguments: &[Argument], to: Option<Register>) -> Compiled<Typed> {
        let mut integers = true;
        let mut values = Vec::with_capacity(2);
        for argument in arguments {
            let value = self.expression(&argument.value, None)?;
            let value = self.numeric(value, argument.value.at, "MOD")?;
            integers &= value.data_type.is_integer();
            values.push(value.operand);
        }
        let first = self.allocate_many(2)?;
        for (index, value) in values.iter().enumerate() {
            self.move_to(value, first + index as Register);
        }
        let to = self.destination(to)?;
        self.emit(Op::Builtin { to, builtin: Builtin::Mod, first, count: 2 });
        Ok(Typed::register(to, if integers { ScalarType::INTEGER } else { ScalarType::NUMBER }))
    }

    fn nvl(&mut self, arguments: &[Argument], at: At) -> Compiled<Typed> {
        let [value, otherwise] = arguments else { return wrong_arguments(at, "NVL") };
        let to = self.allocate()?;
        let found = self.expression(&value.value, Some(to))?;
        let kind = match &found.data_type {
            Type::Null => None,
            Type::Scalar(scalar) => Some(Type::Scalar(scalar.unconstrained())),
            _ => return wrong_arguments(at, "NVL"),
        };
        self.move_to(&found.operand, to);
        let mark = self.mark();
        let other = self.expression(&otherwise.value, None)?;
        let mut result = match (kind, &other.data_type) {
            (None, Type::Scalar(scalar)) => Type::Scalar(scalar.unconstrained()),
            (None, _) => Type::VARCHAR2,
            // The index of a loop beside a NUMBER is a NUMBER.
            (Some(kind), data_type) if kind.is_integer() && data_type.is_numeric() && !data_type.is_integer() => {
                Type::NUMBER
            }
            (Some(kind), _) => kind,
        };
        if result.is_text() {
            result = Type::VARCHAR2;
        }
        if other.data_type.distance(&result).is_none() {
            return wrong_arguments(at, "NVL");
        }
        let other = self.convert(other, &result, otherwise.value.at, None)?;
        let other = self.in_register(&other, None)?;
        let first = self.allocate_many(2)?;
        self.emit(Op::Move { to: first, from: to });
        self.emit(Op::Move { to: first + 1, from: other });
        self.emit(Op::Builtin { to, builtin: Builtin::Nvl, first, count: 2 });
        self.release(mark);
        Ok(Typed::register(to, result))
    }

    fn regexp_like(&mut self, arguments: &[Argument], at: At) -> Compiled<Typed> {
        debug_assert!(conditions::lookup("REGEXP_LIKE").is_some());
        let types = [Type::VARCHAR2, Type::VARCHAR2, Type::VARCHAR2];
        self.builtin(Builtin::RegexpLike, "REGEXP_LIKE", arguments, (2, 3), &types, Type::BOOLEAN, at)
    }

    /// UPDATING('COLUMN')
    pub(crate) fn updating(&mut self, arguments: &[Argument], at: At) -> Compiled<Typed> {
        let [argument] = arguments else { return wrong_arguments(at, "UPDATING") };
        let columns = super::symbol::VariableHome::Frame { level: 0, register: trigger_registers::COLUMNS };
        let root = self.root(columns, None);
        let first = self.allocate_many(2)?;
        let place = self.place(root, &[]);
        self.emit(Op::Load { to: first, place });
        let value = self.expression(&argument.value, Some(first + 1))?;
        let value = self.convert(value, &Type::VARCHAR2, argument.value.at, Some(first + 1))?;
        self.move_to(&value, first + 1);
        let to = self.allocate()?;
        self.emit(Op::Builtin { to, builtin: Builtin::Updating, first, count: 2 });
        Ok(Typed { operand: Operand::Register(to), data_type: Type::BOOLEAN })
    }
}
