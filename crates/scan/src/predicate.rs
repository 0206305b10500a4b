//! Conditions on encoded columns, with SQL's three values: true, false, unknown.

use common::sync::Arc;

use crate::bloom_filter::BloomFilter;

/// The columns of one row, by position in the table. A column that the row does not store is NULL.
pub trait Columns<'a> {
    /// The encoded value of a column; None for NULL.
    fn column(&mut self, position: u16) -> Option<&'a [u8]>;
}

impl<'a> Columns<'a> for &[Option<&'a [u8]>] {
    fn column(&mut self, position: u16) -> Option<&'a [u8]> {
        self.get(usize::from(position)).copied().flatten()
    }
}

/// The value of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    False,
    Unknown,
    True,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

/// Comparison operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    #[inline]
    #[must_use]
    pub fn holds(self, left: &[u8], right: &[u8]) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

/// A condition on one row. Columns are positions in the table; values are encoded as the column is.
///
/// Comparisons are of bytes: CHAR values must be padded as the column is, and a NUMBER must be in its one normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    Compare {
        column: u16,
        comparison: Comparison,
        value: Box<[u8]>,
    },
    CompareColumns {
        left: u16,
        comparison: Comparison,
        right: u16,
    },
    IsNull(u16),
    IsNotNull(u16),
    /// One of `values`, which are sorted and distinct (see [`Predicate::in_list`]); `null` when NULL is among them.
    In {
        column: u16,
        values: Box<[Box<[u8]>]>,
        null: bool,
    },
    /// A value that the other side of a join may have. NULL is none.
    InFilter {
        column: u16,
        filter: Arc<BloomFilter>,
    },
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    /// A constant, such as a comparison with NULL.
    Constant(Truth),
}

impl Predicate {
    #[must_use]
    pub fn compare(column: u16, comparison: Comparison, value: &[u8]) -> Self {
        Self::Compare { column, comparison, value: value.into() }
    }

    /// `column IN (values)`.
    #[must_use]
    pub fn in_list(column: u16, values: impl IntoIterator<Item = Option<Vec<u8>>>) -> Self {
        let mut null = false;
        let mut list: Vec<Box<[u8]>> = Vec::new();
        for value in values {
            match value {
                Some(value) => list.push(value.into()),
                None => null = true,
            }
        }
        list.sort_unstable();
        list.dedup();
        Self::In { column, values: list.into(), null }
    }

    /// True: the row satisfies the condition. Unknown counts as false.
    pub fn accepts<'a>(&self, row: &mut impl Columns<'a>) -> bool {
        self.evaluate(row) == Truth::True
    }

    /// The condition's value for a row. AND and OR stop at the first part that decides them.
    pub fn evaluate<'a>(&self, row: &mut impl Columns<'a>) -> Truth {
        match self {
            Self::Compare { column, comparison, value } => match row.column(*column) {
                Some(found) => comparison.holds(found, value).into(),
                None => Truth::Unknown,
            },
            Self::CompareColumns { left, comparison, right } => match (row.column(*left), row.column(*right)) {
                (Some(left), Some(right)) => comparison.holds(left, right).into(),
                _ => Truth::Unknown,
            },
            Self::IsNull(column) => row.column(*column).is_none().into(),
            Self::IsNotNull(column) => row.column(*column).is_some().into(),
            Self::In { column, values, null } => match row.column(*column) {
                None if values.is_empty() && !null => Truth::False,
                None => Truth::Unknown,
                Some(found) if contains(values, found) => Truth::True,
                Some(_) if *null => Truth::Unknown,
                Some(_) => Truth::False,
            },
            Self::InFilter { column, filter } => match row.column(*column) {
                Some(found) => filter.may_have(found).into(),
                None => Truth::Unknown,
            },
            Self::And(parts) => {
                let mut all = Truth::True;
                for part in parts {
                    match part.evaluate(row) {
                        Truth::False => return Truth::False,
                        Truth::Unknown => all = Truth::Unknown,
                        Truth::True => {}
                    }
                }
                all
            }
            Self::Or(parts) => {
                let mut any = Truth::False;
                for part in parts {
                    match part.evaluate(row) {
                        Truth::True => return Truth::True,
                        Truth::Unknown => any = Truth::Unknown,
                        Truth::False => {}
                    }
                }
                any
            }
            Self::Not(part) => !part.evaluate(row),
            Self::Constant(value) => *value,
        }
    }

    /// Calls `visit` with every column that the condition may read.
    pub fn for_each_column(&self, visit: &mut impl FnMut(u16)) {
        match self {
            Self::Compare { column, .. }
            | Self::IsNull(column)
            | Self::IsNotNull(column)
            | Self::In { column, .. }
            | Self::InFilter { column, .. } => visit(*column),
            Self::CompareColumns { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::And(parts) | Self::Or(parts) => {
                for part in parts {
                    part.for_each_column(visit);
                }
            }
            Self::Not(part) => part.for_each_column(visit),
            Self::Constant(_) => {}
        }
    }
}

fn contains(values: &[Box<[u8]>], found: &[u8]) -> bool {
    values.binary_search_by(|value| (**value).cmp(found)).is_ok()
}
