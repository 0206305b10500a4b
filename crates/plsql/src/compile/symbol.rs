//! Symbols: the meaning of names.

use std::sync::Arc;

use super::op::{Index, Register};
use super::types::{RecordType, Type};
use crate::ast::{Expr, Mode};
use crate::exception::ExceptionKey;
use crate::value::Value;

/// Location of a declared variable: in a frame of the subprogram at a level of nesting, or in the unit's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableHome {
    Frame { level: u16, register: Register },
    Global { slot: Index },
}

/// Why something cannot be assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Assignable,
    /// A constant, an IN parameter, a loop's index: PLS-00363.
    ReadOnly,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Box<str>,
    pub home: VariableHome,
    pub data_type: Type,
    pub access: Access,
    /// Of a constant whose value is known when the program is compiled.
    pub value: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Box<str>,
    pub mode: Mode,
    pub data_type: Type,
    pub default: Option<Default>,
}

/// Value of a parameter that the call does not give.
#[derive(Clone, Debug)]
pub enum Default {
    Constant(Value),
    /// The function of the declaring unit that computes it, nested so deep.
    Function {
        function: Index,
        level: u16,
    },
    /// For a supplied package: it uses STANDARD's functions alone, so the caller computes it.
    Expression(Expr),
}

/// Location of a subprogram's instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// The function with this number of the declaring unit, nested so deep.
    Function { function: Index, level: u16 },
    /// `PACKAGE.PROGRAM` of a supplied package.
    Native(Box<str>),
}

#[derive(Debug)]
pub struct Signature {
    pub name: Box<str>,
    pub parameters: Vec<Parameter>,
    pub result: Option<Type>,
    pub body: Body,
}

/// A cursor with a query of its own: `opener` evaluates the query's variables and opens it.
#[derive(Debug)]
pub struct DeclaredCursor {
    pub name: Box<str>,
    pub home: VariableHome,
    pub opener: Signature,
    pub row: Arc<RecordType>,
}

#[derive(Clone, Debug)]
pub enum Symbol {
    Variable(Variable),
    Exception(ExceptionKey),
    Cursor(Arc<DeclaredCursor>),
    Type(Type),
    Subprogram(Arc<Signature>),
    /// Declared, but wrong: reported once.
    Broken,
}
