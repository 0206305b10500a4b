//! Procedures and functions: their signatures and their bodies.

use std::sync::Arc;

use super::convert::Typed;
use super::emit::FunctionState;
use super::error::{Compiled, fault};
use super::op::{Op, Register};
use super::symbol::{Access, Body, Default, Parameter, Signature, Symbol, Variable, VariableHome};
use super::types::Type;
use super::unit::Function;
use super::{Compiler, Scope};
use crate::ast::{self, At, Block, Expr, Ident, Mode, Subprogram};
use crate::value::ScalarKind;

/// The parts of a function besides its statements.
pub(crate) struct Frame<'s> {
    pub(crate) index: u32,
    pub(crate) level: u16,
    pub(crate) name: &'s str,
    pub(crate) parameters: &'s [Parameter],
    pub(crate) result: Option<Type>,
}

impl Compiler<'_> {
    /// Reserves a number for a function whose instructions come later.
    pub(crate) fn reserve_function(&mut self, name: &str) -> u32 {
        self.unit.functions.push(Function { name: name.into(), is_declared_only: true, ..Function::default() });
        self.unit.functions.len() as u32 - 1
    }

    /// Nesting depth of a subprogram declared here.
    pub(crate) fn level_of_declared(&self) -> u16 {
        if self.declares_globals() { 0 } else { self.level() + 1 }
    }

    pub(crate) fn subprogram(&mut self, subprogram: &Subprogram) -> Compiled<()> {
        let name = subprogram.name.parts.last().cloned().unwrap_or(Ident { name: "".into(), at: 0 });
        let types = self.parameter_types(&subprogram.parameters)?;
        let result = match &subprogram.result {
            Some(result) => Some(formal(self.type_of_name(result)?)),
            None => None,
        };
        let known = self.same_signature(&name, subprogram, &types);
        let signature = match known {
            Some(known) if subprogram.body.is_some() && self.is_open(&known) => known,
            Some(_) => {
                return fault(
                    name.at,
                    305,
                    format_args!("previous use of '{}' (at line 1) conflicts with this use", name.name),
                );
            }
            None => {
                let signature = self.signature(&name, &subprogram.parameters, types, result)?;
                let signature = Arc::new(signature);
                self.declare(&name, Symbol::Subprogram(Arc::clone(&signature)))?;
                signature
            }
        };
        let (Some(block), Body::Function { function, level }) = (&subprogram.body, &signature.body) else {
            return Ok(());
        };
        if self.interface_only {
            return Ok(());
        }
        let frame = Frame {
            index: *function,
            level: *level,
            name: &name.name,
            parameters: &signature.parameters,
            result: signature.result.clone(),
        };
        self.function(&frame, block);
        Ok(())
    }

    pub(crate) fn parameter_types(&mut self, parameters: &[ast::Parameter]) -> Compiled<Vec<Type>> {
        let mut types = Vec::with_capacity(parameters.len());
        for (index, parameter) in parameters.iter().enumerate() {
            if parameters[..index].iter().any(|earlier| earlier.name.name == parameter.name.name) {
                return fault(
                    parameter.name.at,
                    410,
                    "duplicate fields in RECORD,TABLE or argument list are not permitted",
                );
            }
            if parameter.mode != Mode::In && parameter.default.is_some() {
                return fault(
                    parameter.name.at,
                    230,
                    "OUT and IN OUT formal parameters may not have default expressions",
                );
            }
            types.push(formal(self.type_of_name(&parameter.data_type)?));
        }
        Ok(types)
    }

    pub(crate) fn signature(
        &mut self,
        name: &Ident,
        parameters: &[ast::Parameter],
        types: Vec<Type>,
        result: Option<Type>,
    ) -> Compiled<Signature> {
        let body = if self.is_supplied {
            Body::Native(format!("{}.{}", self.unit.name, name.name).into())
        } else {
            Body::Function { function: self.reserve_function(&name.name), level: self.level_of_declared() }
        };
        let mut made = Vec::with_capacity(parameters.len());
        for (parameter, data_type) in parameters.iter().zip(types) {
            let default = match &parameter.default {
                Some(default) => Some(self.default(default, &data_type)?),
                None => None,
            };
            made.push(Parameter { name: parameter.name.name.clone(), mode: parameter.mode, data_type, default });
        }
        Ok(Signature { name: name.name.clone(), parameters: made, result, body })
    }

    /// A default that is no constant becomes a function of its own, which the call calls.
    fn default(&mut self, default: &Expr, data_type: &Type) -> Compiled<Default> {
        if let Some(value) = self.folded(default, data_type)? {
            return Ok(Default::Constant(value));
        }
        if self.is_supplied {
            return Ok(Default::Expression(default.clone()));
        }
        let function = self.reserve_function("(default)");
        let level = self.level_of_declared();
        if !self.interface_only {
            let frame = Frame { index: function, level, name: "", parameters: &[], result: Some(data_type.clone()) };
            self.enter_function(&frame, default.at)?;
            let made = self.default_body(default, data_type);
            self.leave_function(&frame);
            made?;
        }
        Ok(Default::Function { function, level })
    }

    fn default_body(&mut self, default: &Expr, data_type: &Type) -> Compiled<()> {
        let value: Typed = self.expression(default, Some(0))?;
        let value = self.convert(value, data_type, default.at, Some(0))?;
        self.move_to(&value, 0);
        self.emit(Op::Return);
        Ok(())
    }

    fn same_signature(&self, name: &Ident, subprogram: &Subprogram, types: &[Type]) -> Option<Arc<Signature>> {
        let symbols = self.scopes.last()?.names.get(&name.name)?;
        symbols.iter().find_map(|symbol| {
            let Symbol::Subprogram(known) = symbol else { return None };
            let same = known.parameters.len() == types.len()
                && known.result.is_some() == subprogram.result.is_some()
                && known.parameters.iter().zip(&subprogram.parameters).zip(types).all(|((known, given), data_type)| {
                    known.name == given.name.name
                        && known.mode == given.mode
                        && known.data_type.distance(data_type) == Some(0)
                });
            same.then(|| Arc::clone(known))
        })
    }

    fn is_open(&self, signature: &Signature) -> bool {
        match &signature.body {
            Body::Function { function, .. } => self.unit.functions[*function as usize].is_declared_only,
            Body::Native(_) => false,
        }
    }

    /// The instructions of a subprogram.
    pub(crate) fn function(&mut self, frame: &Frame<'_>, block: &Block) {
        if let Err(fault) = self.enter_function(frame, block.at) {
            self.report(fault);
            return;
        }
        self.declarations(&block.declarations);
        self.guarded_statements(&block.statements, &block.handlers);
        self.check_bodies();
        self.emit(if frame.result.is_some() { Op::NoReturn } else { Op::Return });
        self.leave_function(frame);
    }

    pub(crate) fn enter_function(&mut self, frame: &Frame<'_>, at: At) -> Compiled<()> {
        self.states.push(FunctionState {
            index: frame.index as usize,
            level: frame.level,
            parameters: frame.parameters.len() as u16,
            result: frame.result.clone(),
            at,
            ..FunctionState::default()
        });
        let mut scope = Scope { labels: vec![frame.name.into()], ..Scope::default() };
        let first = match self.allocate_many(frame.parameters.len() + 1) {
            Ok(first) => first,
            Err(fault) => {
                self.states.pop();
                return Err(fault);
            }
        };
        for (index, parameter) in frame.parameters.iter().enumerate() {
            let register = first + index as Register;
            let access = if parameter.mode == Mode::In { Access::ReadOnly } else { Access::Assignable };
            let variable = Variable {
                name: parameter.name.clone(),
                home: VariableHome::Frame { level: frame.level, register },
                data_type: parameter.data_type.clone(),
                access,
                value: None,
            };
            scope.names.insert(parameter.name.clone(), vec![Symbol::Variable(variable)]);
        }
        self.scopes.push(scope);
        Ok(())
    }

    pub(crate) fn leave_function(&mut self, frame: &Frame<'_>) {
        self.finish_gotos();
        self.scopes.pop();
        let Some(mut state) = self.states.pop() else { return };
        for op in &mut state.ops {
            if let Some(target) = op.target_mut() {
                *target = state.labels.get(*target as usize).copied().flatten().unwrap_or(0);
            }
        }
        self.unit.functions[state.index] = Function {
            name: frame.name.into(),
            parameters: state.parameters,
            is_function: frame.result.is_some(),
            registers: state.high,
            level: state.level,
            ops: state.ops,
            places_in_source: state.places_in_source,
            handlers: state.handlers,
            autonomous: state.autonomous,
            is_declared_only: false,
            in_body: self.in_body,
        };
    }

    /// Reports subprograms declared ahead in the innermost scope that have no body.
    pub(crate) fn check_bodies(&mut self) {
        if self.interface_only {
            return;
        }
        let Some(scope) = self.scopes.last() else { return };
        let mut missing: Vec<(u32, Box<str>)> = Vec::new();
        for symbols in scope.names.values() {
            for symbol in symbols {
                if let Symbol::Subprogram(signature) = symbol
                    && let Body::Function { function, .. } = &signature.body
                    && self.unit.functions[*function as usize].is_declared_only
                {
                    missing.push((*function, signature.name.clone()));
                }
            }
        }
        missing.sort_unstable();
        let at = self.states.last().map_or(0, |state| state.at);
        for (_, name) in missing {
            let is_package = self.declares_globals();
            self.report(if is_package {
                crate::error::Fault::pls(
                    at,
                    323,
                    format!("subprogram or cursor '{name}' is declared in a package specification and must be defined in the package body"),
                )
            } else {
                crate::error::Fault::pls(at, 328, format!("A subprogram body must be defined for the forward declaration of {name}."))
            });
        }
    }
}

/// A formal parameter's type: without length, precision and scale.
fn formal(data_type: Type) -> Type {
    match &data_type {
        Type::Scalar(scalar) if !matches!(scalar.kind, ScalarKind::Integer { .. }) => data_type.unconstrained(),
        _ => data_type,
    }
}
