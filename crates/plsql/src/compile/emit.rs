//! Instructions, registers and labels of the function being compiled.

use super::Compiler;
use super::error::{Compiled, fault};
use super::op::{Index, Op, Register, Target};
use super::types::Type;
use super::unit::{Handlers, PathStep, VariablePlace, VariableRoot};
use crate::ast::{At, Ident};
use crate::value::{ScalarType, Value};

/// A jump target, bound when it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(pub(crate) u32);

/// A loop that EXIT and CONTINUE can name.
#[derive(Debug)]
pub(crate) struct LoopState {
    pub(crate) labels: Vec<Box<str>>,
    pub(crate) exit: Label,
    pub(crate) next: Label,
    pub(crate) handling: u16,
}

/// `<<LABEL>>`, and where it stands.
#[derive(Debug)]
pub(crate) struct GotoTarget {
    pub(crate) name: Box<str>,
    pub(crate) context: Vec<u32>,
    pub(crate) label: Label,
    pub(crate) handling: u16,
}

/// GOTO, to be checked when all labels are known. Its two instructions are at `op`.
#[derive(Debug)]
pub(crate) struct Goto {
    pub(crate) name: Ident,
    pub(crate) context: Vec<u32>,
    pub(crate) op: usize,
}

/// Compilation state of a function.
#[derive(Debug, Default)]
pub(crate) struct FunctionState {
    pub(crate) index: usize,
    pub(crate) level: u16,
    pub(crate) parameters: u16,
    pub(crate) result: Option<Type>,
    pub(crate) ops: Vec<Op>,
    pub(crate) places_in_source: Vec<At>,
    pub(crate) handlers: Vec<Handlers>,
    pub(crate) next: Register,
    pub(crate) high: Register,
    pub(crate) labels: Vec<Option<Target>>,
    /// Where the last label was bound.
    pub(crate) last_bound: Option<Target>,
    pub(crate) loops: Vec<LoopState>,
    pub(crate) goto_targets: Vec<GotoTarget>,
    pub(crate) gotos: Vec<Goto>,
    /// Statement lists around the statement being compiled.
    pub(crate) context: Vec<u32>,
    pub(crate) handling: u16,
    pub(crate) at: At,
    pub(crate) autonomous: bool,
}

impl Op {
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::Jump { target }
            | Self::Loop { target }
            | Self::JumpIfTrue { target, .. }
            | Self::JumpIfFalse { target, .. }
            | Self::JumpUnlessTrue { target, .. }
            | Self::JumpIfNull { target, .. }
            | Self::JumpIfCompare { target, .. }
            | Self::JumpUnlessCompare { target, .. }
            | Self::JumpUnlessCompareConstant { target, .. }
            | Self::ForPrepare { target, .. }
            | Self::ForNext { target, .. }
            | Self::ForNextReverse { target, .. }
            | Self::Fetch { target, .. }
            | Self::Returned { target, .. } => Some(target),
            _ => None,
        }
    }
}

/// State to which a trial compilation is reset.
pub(crate) struct Trial {
    ops: usize,
    next: Register,
}

impl Compiler<'_> {
    pub(crate) fn state(&mut self) -> &mut FunctionState {
        self.states.last_mut().expect("a function is being compiled")
    }

    pub(crate) fn level(&self) -> u16 {
        self.states.last().map_or(0, |state| state.level)
    }

    pub(crate) fn emit(&mut self, op: Op) -> usize {
        let state = self.state();
        state.ops.push(op);
        state.places_in_source.push(state.at);
        state.ops.len() - 1
    }

    pub(crate) fn position(&mut self) -> Target {
        self.state().ops.len() as Target
    }

    pub(crate) fn allocate(&mut self) -> Compiled<Register> {
        self.allocate_many(1)
    }

    /// Consecutive registers.
    pub(crate) fn allocate_many(&mut self, count: usize) -> Compiled<Register> {
        let state = self.state();
        let first = state.next;
        match u16::try_from(count).ok().and_then(|count| first.checked_add(count)).filter(|next| *next < u16::MAX - 8) {
            Some(next) => {
                state.next = next;
                state.high = state.high.max(next);
                Ok(first)
            }
            None => {
                let at = state.at;
                fault(at, 123, "program too large")
            }
        }
    }

    pub(crate) fn mark(&mut self) -> Register {
        self.state().next
    }

    /// Registers from `mark` on are free again.
    pub(crate) fn release(&mut self, mark: Register) {
        self.state().next = mark;
    }

    pub(crate) fn label(&mut self) -> Label {
        let labels = &mut self.state().labels;
        labels.push(None);
        Label(labels.len() as u32 - 1)
    }

    pub(crate) fn bind(&mut self, label: Label) {
        let position = self.position();
        let state = self.state();
        state.labels[label.0 as usize] = Some(position);
        state.last_bound = Some(position);
    }

    pub(crate) fn jump(&mut self, to: Label) {
        self.emit(Op::Jump { target: to.0 });
    }

    pub(crate) fn trial(&mut self) -> Trial {
        let state = self.state();
        Trial { ops: state.ops.len(), next: state.next }
    }

    pub(crate) fn take_back(&mut self, trial: Trial) {
        let state = self.state();
        state.ops.truncate(trial.ops);
        state.places_in_source.truncate(trial.ops);
        state.next = trial.next;
    }

    pub(crate) fn constant(&mut self, value: Value) -> Index {
        self.unit.constants.push(value);
        self.unit.constants.len() as Index - 1
    }

    pub(crate) fn load_constant(&mut self, to: Register, value: Value) {
        let op = match value {
            Value::Null => Op::Null { to },
            Value::Int(number) if i32::try_from(number).is_ok() => Op::Integer { to, value: number as i32 },
            other => Op::Constant { to, constant: self.constant(other) },
        };
        self.emit(op);
    }

    pub(crate) fn place(&mut self, root: VariableRoot, steps: &[PathStep]) -> Index {
        self.unit.places.push(VariablePlace { root, steps: steps.into() });
        self.unit.places.len() as Index - 1
    }

    pub(crate) fn scalar_type(&mut self, scalar: ScalarType) -> Index {
        let types = &mut self.unit.scalar_types;
        let at = types.iter().position(|known| *known == scalar).unwrap_or_else(|| {
            types.push(scalar);
            types.len() - 1
        });
        at as Index
    }

    /// A list of statements of its own begins: GOTO may leave it, not enter it.
    pub(crate) fn enter_context(&mut self) {
        self.next_context += 1;
        let context = self.next_context;
        self.state().context.push(context);
    }

    pub(crate) fn leave_context(&mut self) {
        self.state().context.pop();
    }
}

impl Op {
    /// The destination register of an instruction without other effects.
    fn destination_mut(&mut self) -> Option<&mut Register> {
        match self {
            Self::Constant { to, .. }
            | Self::Integer { to, .. }
            | Self::Null { to }
            | Self::Load { to, .. }
            | Self::Field { to, .. }
            | Self::Element { to, .. }
            | Self::Coerce { to, .. }
            | Self::Add { to, .. }
            | Self::AddConstant { to, .. }
            | Self::Subtract { to, .. }
            | Self::Multiply { to, .. }
            | Self::Divide { to, .. }
            | Self::Power { to, .. }
            | Self::Negate { to, .. }
            | Self::IntegerAdd { to, .. }
            | Self::IntegerAddConstant { to, .. }
            | Self::IntegerSubtract { to, .. }
            | Self::IntegerMultiply { to, .. }
            | Self::Concatenate { to, .. }
            | Self::Compare { to, .. }
            | Self::Scalar { to, .. }
            | Self::Builtin { to, .. }
            | Self::Record { to, .. }
            | Self::Construct { to, .. } => Some(to),
            _ => None,
        }
    }
}

impl Compiler<'_> {
    /// Redirects the last instruction's result from the temporary register `from` to `to`. False when another jump
    /// leads here, or the last instruction is another one.
    pub(crate) fn retarget(&mut self, from: Register, to: Register) -> bool {
        let state = self.state();
        let here = state.ops.len() as Target;
        if state.last_bound == Some(here) {
            return false;
        }
        match state.ops.last_mut().and_then(Op::destination_mut) {
            Some(destination) if *destination == from => {
                *destination = to;
                true
            }
            _ => false,
        }
    }
}
