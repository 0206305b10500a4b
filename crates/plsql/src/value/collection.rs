//! Associative arrays, nested tables and varrays.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use common::{Error, Result};

use super::Value;
use super::scalar_type::value_error;

/// A subscript.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Integer(i64),
    Text(Arc<str>),
}

impl From<Key> for Value {
    fn from(key: Key) -> Self {
        match key {
            Key::Integer(number) => Self::Int(number),
            Key::Text(text) => Self::Varchar2(text),
        }
    }
}

/// The elements of a collection that is not null.
#[derive(Clone, Debug)]
pub enum Collection {
    /// INDEX BY PLS_INTEGER.
    Integers(BTreeMap<i64, Value>),
    /// INDEX BY VARCHAR2.
    Texts(BTreeMap<Arc<str>, Value>),
    /// A nested table, subscripts from 1; None was deleted.
    Nested(Vec<Option<Value>>),
    /// A varray, subscripts from 1, and the most elements it may have.
    Varray(Vec<Value>, u32),
}

/// Elements of a nested table, bounded by memory.
const ELEMENTS_MAX: usize = 50_000_000;

/// ORA-06533.
#[must_use]
pub fn beyond_count() -> Error {
    Error::user(6533, "Subscript beyond count")
}

/// ORA-06532.
#[must_use]
pub fn outside_limit() -> Error {
    Error::user(6532, "Subscript outside of limit")
}

/// ORA-06531.
#[must_use]
pub fn is_null() -> Error {
    Error::user(6531, "Reference to uninitialized collection")
}

/// ORA-01403, for an element that is not there.
#[must_use]
pub fn no_data_found() -> Error {
    Error::user(1403, "no data found")
}

fn place(key: &Key, count: usize) -> Result<usize> {
    match key {
        Key::Integer(number) if *number < 1 => Err(outside_limit()),
        Key::Integer(number) if *number > count as i64 => Err(beyond_count()),
        Key::Integer(number) => Ok(*number as usize - 1),
        Key::Text(_) => Err(value_error("")),
    }
}

fn integer(key: &Key) -> Result<i64> {
    match key {
        Key::Integer(number) => Ok(*number),
        Key::Text(_) => Err(value_error("")),
    }
}

fn text(key: &Key) -> Result<&Arc<str>> {
    match key {
        Key::Text(text) => Ok(text),
        Key::Integer(_) => Err(value_error("")),
    }
}

impl Collection {
    /// The key that a subscript's value is, by the kind of this collection.
    ///
    /// # Errors
    /// ORA-06502 for NULL.
    pub fn key(value: &Value) -> Result<Key> {
        match value {
            Value::Int(number) => Ok(Key::Integer(*number)),
            Value::Varchar2(text) | Value::Char(text) => Ok(Key::Text(Arc::clone(text))),
            Value::Null => Err(value_error("NULL index table key value")),
            other => Err(Error::bug(format!("{other:?} as a subscript"))),
        }
    }

    /// # Errors
    /// ORA-01403 when there is none, ORA-06533 and ORA-06532 outside.
    pub fn get(&self, key: &Key) -> Result<&Value> {
        match self {
            Self::Integers(map) => map.get(&integer(key)?).ok_or_else(no_data_found),
            Self::Texts(map) => map.get(text(key)?).ok_or_else(no_data_found),
            Self::Nested(elements) => elements[place(key, elements.len())?].as_ref().ok_or_else(no_data_found),
            Self::Varray(elements, _) => Ok(&elements[place(key, elements.len())?]),
        }
    }

    /// [`Self::get`] by a subscript's value.
    ///
    /// # Errors
    /// Errors of [`Self::get`], and ORA-06502 for NULL.
    #[inline]
    pub fn get_by(&self, subscript: &Value) -> Result<&Value> {
        match (self, subscript) {
            (Self::Integers(map), Value::Int(number)) => map.get(number).ok_or_else(no_data_found),
            (Self::Nested(elements), Value::Int(number)) if *number >= 1 && *number <= elements.len() as i64 => {
                elements[*number as usize - 1].as_ref().ok_or_else(no_data_found)
            }
            (Self::Texts(map), Value::Varchar2(text) | Value::Char(text)) => map.get(&**text).ok_or_else(no_data_found),
            _ => self.get(&Self::key(subscript)?),
        }
    }

    /// The element to change or assign; an associative array creates it.
    ///
    /// # Errors
    /// ORA-06533 and ORA-06532 outside.
    pub fn entry(&mut self, key: &Key) -> Result<&mut Value> {
        match self {
            Self::Integers(map) => {
                let number = integer(key)?;
                if i32::try_from(number).is_err() {
                    return Err(Error::user(1426, "numeric overflow"));
                }
                Ok(map.entry(number).or_default())
            }
            Self::Texts(map) => Ok(map.entry(Arc::clone(text(key)?)).or_default()),
            Self::Nested(elements) => {
                let at = place(key, elements.len())?;
                Ok(elements[at].get_or_insert_default())
            }
            Self::Varray(elements, _) => {
                let at = place(key, elements.len())?;
                Ok(&mut elements[at])
            }
        }
    }

    #[must_use]
    pub fn exists(&self, key: &Key) -> bool {
        self.get(key).is_ok()
    }

    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Integers(map) => map.len(),
            Self::Texts(map) => map.len(),
            Self::Nested(elements) => elements.iter().filter(|element| element.is_some()).count(),
            Self::Varray(elements, _) => elements.len(),
        }
    }

    /// Elements in the order of their subscripts.
    pub fn values(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match self {
            Self::Integers(map) => Box::new(map.values()),
            Self::Texts(map) => Box::new(map.values()),
            Self::Nested(elements) => Box::new(elements.iter().flatten()),
            Self::Varray(elements, _) => Box::new(elements.iter()),
        }
    }

    #[must_use]
    pub fn first(&self) -> Option<Key> {
        match self {
            Self::Integers(map) => map.keys().next().map(|key| Key::Integer(*key)),
            Self::Texts(map) => map.keys().next().map(|key| Key::Text(Arc::clone(key))),
            _ => self.after(&Key::Integer(0)),
        }
    }

    #[must_use]
    pub fn last(&self) -> Option<Key> {
        match self {
            Self::Integers(map) => map.keys().next_back().map(|key| Key::Integer(*key)),
            Self::Texts(map) => map.keys().next_back().map(|key| Key::Text(Arc::clone(key))),
            Self::Nested(elements) => self.before(&Key::Integer(elements.len() as i64 + 1)),
            Self::Varray(elements, _) => self.before(&Key::Integer(elements.len() as i64 + 1)),
        }
    }

    /// NEXT.
    #[must_use]
    pub fn after(&self, key: &Key) -> Option<Key> {
        match (self, key) {
            (Self::Integers(map), Key::Integer(key)) => {
                map.range((Bound::Excluded(key), Bound::Unbounded)).next().map(|(key, _)| Key::Integer(*key))
            }
            (Self::Texts(map), Key::Text(key)) => map
                .range::<Arc<str>, _>((Bound::Excluded(key), Bound::Unbounded))
                .next()
                .map(|(key, _)| Key::Text(Arc::clone(key))),
            (Self::Nested(elements), Key::Integer(key)) => {
                let from = usize::try_from((*key).max(0)).unwrap_or(usize::MAX);
                let rest = elements.iter().enumerate().skip(from);
                rest.filter(|(_, element)| element.is_some()).map(|(at, _)| Key::Integer(at as i64 + 1)).next()
            }
            (Self::Varray(elements, _), Key::Integer(key)) => {
                let next = (*key).max(0) + 1;
                (next <= elements.len() as i64).then_some(Key::Integer(next))
            }
            _ => None,
        }
    }

    /// PRIOR.
    #[must_use]
    pub fn before(&self, key: &Key) -> Option<Key> {
        match (self, key) {
            (Self::Integers(map), Key::Integer(key)) => {
                map.range(..*key).next_back().map(|(key, _)| Key::Integer(*key))
            }
            (Self::Texts(map), Key::Text(key)) => {
                map.range::<Arc<str>, _>(..Arc::clone(key)).next_back().map(|(key, _)| Key::Text(Arc::clone(key)))
            }
            (Self::Nested(elements), Key::Integer(key)) => {
                let end = usize::try_from((*key - 1).max(0)).unwrap_or(0).min(elements.len());
                elements[..end].iter().rposition(Option::is_some).map(|at| Key::Integer(at as i64 + 1))
            }
            (Self::Varray(elements, _), Key::Integer(key)) => {
                let prior = (*key - 1).min(elements.len() as i64);
                (prior >= 1).then_some(Key::Integer(prior))
            }
            _ => None,
        }
    }

    /// Everything between two subscripts, both included; a varray gives up no single element.
    ///
    /// # Errors
    /// ORA-06532 for a varray.
    pub fn delete(&mut self, low: &Key, high: &Key) -> Result<()> {
        match (self, low, high) {
            (Self::Integers(map), Key::Integer(low), Key::Integer(high)) => {
                if low == high {
                    map.remove(low);
                } else {
                    map.retain(|key, _| !(low..=high).contains(&key));
                }
            }
            (Self::Texts(map), Key::Text(low), Key::Text(high)) => {
                if low == high {
                    map.remove(low);
                } else {
                    map.retain(|key, _| !(low..=high).contains(&key));
                }
            }
            (Self::Nested(elements), Key::Integer(low), Key::Integer(high)) => {
                let low = (*low).max(1);
                let high = (*high).min(elements.len() as i64);
                for at in low..=high {
                    elements[at as usize - 1] = None;
                }
            }
            (Self::Varray(..), ..) => return Err(outside_limit()),
            _ => return Err(value_error("")),
        }
        Ok(())
    }

    /// DELETE without arguments.
    pub fn clear(&mut self) {
        match self {
            Self::Integers(map) => map.clear(),
            Self::Texts(map) => map.clear(),
            Self::Nested(elements) => elements.clear(),
            Self::Varray(elements, _) => elements.clear(),
        }
    }

    /// EXTEND: so many copies of `value`.
    ///
    /// # Errors
    /// ORA-06532 past a varray's limit; ORA-06502 for a count below 0.
    pub fn extend(&mut self, count: i64, value: &Value) -> Result<()> {
        let count = usize::try_from(count).map_err(|_| value_error(""))?;
        if count > ELEMENTS_MAX || self.count() > ELEMENTS_MAX - count {
            return Err(Error::user(6500, "PL/SQL: storage error"));
        }
        match self {
            Self::Nested(elements) => elements.resize(elements.len() + count, Some(value.clone())),
            Self::Varray(elements, limit) => {
                if elements.len() + count > *limit as usize {
                    return Err(outside_limit());
                }
                elements.resize(elements.len() + count, value.clone());
            }
            Self::Integers(_) | Self::Texts(_) => return Err(value_error("")),
        }
        Ok(())
    }

    /// TRIM: drops the last `count` elements.
    ///
    /// # Errors
    /// ORA-06533 when there are not so many.
    pub fn trim(&mut self, count: i64) -> Result<()> {
        let count = usize::try_from(count).map_err(|_| value_error(""))?;
        match self {
            Self::Nested(elements) => {
                let rest = elements.len().checked_sub(count).ok_or_else(beyond_count)?;
                elements.truncate(rest);
            }
            Self::Varray(elements, _) => {
                let rest = elements.len().checked_sub(count).ok_or_else(beyond_count)?;
                elements.truncate(rest);
            }
            Self::Integers(_) | Self::Texts(_) => return Err(value_error("")),
        }
        Ok(())
    }

    /// LIMIT: None for anything but a varray.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        if let Self::Varray(_, limit) = self { Some(*limit) } else { None }
    }
}
