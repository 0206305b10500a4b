//! Collections: constructors and methods.

use std::sync::Arc;

use common::Result;

use super::machine::Machine;
use crate::compile::op::Method;
use crate::compile::unit::{CollectionKind, VariablePlace};
use crate::value::collection::{self, Key};
use crate::value::{Collection, Value};

impl Machine<'_> {
    pub(crate) fn construct(&mut self, first: usize, count: usize, kind: CollectionKind) -> Result<Value> {
        collect(self.stack[first..first + count].iter().cloned(), kind)
    }

    pub(crate) fn method(
        &mut self,
        place: &VariablePlace,
        base: usize,
        method: Method,
        first: usize,
        count: usize,
    ) -> Result<Value> {
        if matches!(method, Method::Delete | Method::Extend | Method::Trim) {
            self.changing_method(place, base, method, first, count)?;
            return Ok(Value::Null);
        }
        let elements = match self.read(place, base) {
            Ok(Value::Collection(elements)) => elements,
            // EXISTS alone never fails.
            _ if method == Method::Exists => return Ok(Value::Boolean(false)),
            Ok(_) => return Err(collection::is_null()),
            Err(error) => return Err(error),
        };
        let key = |found: Option<Key>| found.map_or(Value::Null, Value::from);
        Ok(match method {
            Method::Count => Value::Int(elements.count() as i64),
            Method::First => key(elements.first()),
            Method::Last => key(elements.last()),
            Method::Limit => elements.limit().map_or(Value::Null, |limit| Value::Int(i64::from(limit))),
            Method::Exists => {
                let subscript = &self.stack[first];
                Value::Boolean(!subscript.is_null() && elements.exists(&Collection::key(subscript)?))
            }
            _ if self.stack[first].is_null() => Value::Null,
            Method::Next => key(elements.after(&Collection::key(&self.stack[first])?)),
            _ => key(elements.before(&Collection::key(&self.stack[first])?)),
        })
    }

    fn changing_method(
        &mut self,
        place: &VariablePlace,
        base: usize,
        method: Method,
        first: usize,
        count: usize,
    ) -> Result<()> {
        let arguments: Vec<Value> = self.stack[first..first + count].to_vec();
        let Value::Collection(elements) = self.change(place, base)? else { return Err(collection::is_null()) };
        let elements = Arc::make_mut(elements);
        let number = |at: usize| match arguments.get(at) {
            Some(Value::Int(number)) => *number,
            Some(_) => -1,
            None => 1,
        };
        match method {
            Method::Delete => match &arguments[..] {
                [] => elements.clear(),
                // Nothing has the subscript NULL.
                [Value::Null, ..] | [_, Value::Null] => {}
                [low, rest @ ..] => {
                    let low = Collection::key(low)?;
                    let high = rest.first().map_or(Ok(low.clone()), Collection::key)?;
                    elements.delete(&low, &high)?;
                }
            },
            Method::Extend => {
                let value = match arguments.get(1) {
                    Some(Value::Int(at)) => elements.get(&Key::Integer(*at))?.clone(),
                    _ => Value::Null,
                };
                elements.extend(number(0), &value)?;
            }
            _ => elements.trim(number(0))?,
        }
        Ok(())
    }
}

/// A collection of these elements, with subscripts from 1.
pub(crate) fn collect(values: impl Iterator<Item = Value>, kind: CollectionKind) -> Result<Value> {
    let made = match kind {
        CollectionKind::Nested => Collection::Nested(values.map(Some).collect()),
        CollectionKind::Varray(limit) => {
            let elements: Vec<Value> = values.collect();
            if elements.len() > limit as usize {
                return Err(collection::outside_limit());
            }
            Collection::Varray(elements, limit)
        }
        CollectionKind::Integers => Collection::Integers((1..).zip(values).collect()),
        CollectionKind::Texts => Collection::Texts(Default::default()),
    };
    Ok(Value::Collection(Arc::new(made)))
}
