//! Conditions on stored columns whose values an execution gives: made once for a plan, bound for each execution.

use common::{DataType, Result};
use scalar::{Datum, DatumType};
use scan::{Comparison, Predicate, Truth};

use crate::direct::value::{Inputs, Value};

/// A value that a column is compared with.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// As the column stores it; None for NULL.
    Stored(Option<Box<[u8]>>),
    /// Of bind variables, to be stored as this type; with its text in plans.
    Later { value: Value, data_type: DataType, shown: String },
}

impl Operand {
    /// The bytes in this execution. None: the value cannot be one of the column's, so the planner has to compare it.
    ///
    /// # Errors
    /// Errors of functions and conversions.
    pub(crate) fn bytes(&self, inputs: &Inputs<'_>) -> Result<Option<Option<Box<[u8]>>>> {
        Ok(match self {
            Self::Stored(bytes) => Some(bytes.clone()),
            Self::Later { value, data_type, .. } => match value.evaluate(inputs)? {
                Datum::Null => Some(None),
                value => stored(&value, *data_type).map(|bytes| Some(bytes.into())),
            },
        })
    }
}

/// A value as stored in a column of this type; None when the types differ, or when a CHAR is longer than the column.
pub(crate) fn stored(value: &Datum, data_type: DataType) -> Option<Vec<u8>> {
    if value.datum_type() != DatumType::from(data_type) {
        return None;
    }
    padded(value.as_stored()?, data_type)
}

/// The bytes of a value of this type as a column stores them; None for a CHAR that is longer than the column.
pub(crate) fn padded(bytes: &[u8], data_type: DataType) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    if let DataType::Char { bytes: length } = data_type {
        if bytes.len() > usize::from(length) {
            return None;
        }
        bytes.resize(usize::from(length), b' ');
    }
    Some(bytes)
}

/// A condition on one row: see [`Predicate`].
#[derive(Clone, Debug)]
pub(crate) enum Template {
    Compare { column: u16, comparison: Comparison, operand: Operand },
    CompareColumns { left: u16, comparison: Comparison, right: u16 },
    IsNull(u16),
    IsNotNull(u16),
    In { column: u16, operands: Vec<Operand> },
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    Constant(Truth),
}

impl Template {
    /// `one OR other`; equalities of one column are a list.
    pub(crate) fn any(one: Self, other: Self) -> Self {
        let equality = |part: &Self| match part {
            Self::Compare { column, comparison: Comparison::Equal, .. } | Self::In { column, .. } => Some(*column),
            _ => None,
        };
        let taken = |part: Self| match part {
            Self::Compare { operand, .. } => vec![operand],
            Self::In { operands, .. } => operands,
            _ => Vec::new(),
        };
        match (equality(&one), equality(&other)) {
            (Some(column), Some(same)) if column == same => {
                let mut operands = taken(one);
                operands.extend(taken(other));
                Self::In { column, operands }
            }
            _ => Self::Or(vec![one, other]),
        }
    }

    /// The condition in an execution. None where it has a value that cannot be one of its column's.
    ///
    /// # Errors
    /// As [`Operand::bytes`].
    pub(crate) fn bound(&self, inputs: &Inputs<'_>) -> Result<Option<Predicate>> {
        let each = |parts: &[Self]| parts.iter().map(|part| part.bound(inputs)).collect::<Result<Option<Vec<_>>>>();
        Ok(Some(match self {
            Self::Compare { column, comparison, operand } => match operand.bytes(inputs)? {
                Some(Some(value)) => Predicate::Compare { column: *column, comparison: *comparison, value },
                Some(None) => Predicate::Constant(Truth::Unknown),
                None => return Ok(None),
            },
            Self::CompareColumns { left, comparison, right } => {
                Predicate::CompareColumns { left: *left, comparison: *comparison, right: *right }
            }
            Self::IsNull(column) => Predicate::IsNull(*column),
            Self::IsNotNull(column) => Predicate::IsNotNull(*column),
            Self::In { column, operands } => {
                let mut values = Vec::with_capacity(operands.len());
                for operand in operands {
                    match operand.bytes(inputs)? {
                        Some(bytes) => values.push(bytes.map(Into::into)),
                        None => return Ok(None),
                    }
                }
                Predicate::in_list(*column, values)
            }
            Self::And(parts) => match each(parts)? {
                Some(parts) => Predicate::And(parts),
                None => return Ok(None),
            },
            Self::Or(parts) => match each(parts)? {
                Some(parts) => Predicate::Or(parts),
                None => return Ok(None),
            },
            Self::Not(inner) => match inner.bound(inputs)? {
                Some(inner) => Predicate::Not(Box::new(inner)),
                None => return Ok(None),
            },
            Self::Constant(value) => Predicate::Constant(*value),
        }))
    }

    /// The condition with some value in place of those that an execution gives: for the choice of an index, to which
    /// values do not matter.
    pub(crate) fn shape(&self) -> Predicate {
        let some = |operand: &Operand| match operand {
            Operand::Stored(bytes) => bytes.clone(),
            Operand::Later { .. } => Some(Box::default()),
        };
        match self {
            Self::Compare { column, comparison, operand } => match some(operand) {
                Some(value) => Predicate::Compare { column: *column, comparison: *comparison, value },
                None => Predicate::Constant(Truth::Unknown),
            },
            Self::CompareColumns { left, comparison, right } => {
                Predicate::CompareColumns { left: *left, comparison: *comparison, right: *right }
            }
            Self::IsNull(column) => Predicate::IsNull(*column),
            Self::IsNotNull(column) => Predicate::IsNotNull(*column),
            Self::In { column, operands } => {
                Predicate::in_list(*column, operands.iter().map(|operand| some(operand).map(Into::into)))
            }
            Self::And(parts) => Predicate::And(parts.iter().map(Self::shape).collect()),
            Self::Or(parts) => Predicate::Or(parts.iter().map(Self::shape).collect()),
            Self::Not(inner) => Predicate::Not(Box::new(inner.shape())),
            Self::Constant(value) => Predicate::Constant(*value),
        }
    }

    /// True: a value that is the same for all rows cannot be had, such as that of a conversion of another text.
    pub(crate) fn fails(&self, inputs: &Inputs<'_>) -> bool {
        let operand_fails = |operand: &Operand| match operand {
            Operand::Stored(_) => false,
            Operand::Later { value, .. } => value.is_of_statement() && value.evaluate(inputs).is_err(),
        };
        match self {
            Self::Compare { operand, .. } => operand_fails(operand),
            Self::In { operands, .. } => operands.iter().any(operand_fails),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.fails(inputs)),
            Self::Not(inner) => inner.fails(inputs),
            Self::CompareColumns { .. } | Self::IsNull(_) | Self::IsNotNull(_) | Self::Constant(_) => false,
        }
    }

    /// The conjuncts of the condition.
    pub(crate) fn flatten<'t>(&'t self, into: &mut Vec<&'t Self>) {
        match self {
            Self::And(parts) => parts.iter().for_each(|part| part.flatten(into)),
            other => into.push(other),
        }
    }
}
