//! Variables and parts of them: reading and changing.

use std::sync::Arc;

use common::{Error, Result};

use super::machine::Machine;
use crate::compile::op::Register;
use crate::compile::unit::{PathStep, VariablePlace, VariableRoot};
use crate::value::collection::{self, Key};
use crate::value::{Collection, Value};

/// A path that does not match the value: a bug of the compiler.
fn wrong_step(value: &Value) -> Error {
    Error::bug(format!("{value:?} has no parts"))
}

impl Machine<'_> {
    /// The stack index of a register of an enclosing subprogram.
    fn outer(&self, levels: u16, register: Register) -> usize {
        let mut frame = self.frames.len() - 1;
        for _ in 0..levels {
            frame = self.frames[frame].parent as usize;
        }
        self.frames[frame].base + usize::from(register)
    }

    fn global(&self, link: Option<u16>, slot: u32) -> Result<(usize, usize)> {
        let own = self.frames.last().map_or(0, |frame| frame.instance);
        let instance = match link {
            None => own,
            Some(link) => self
                .session
                .instances
                .get(own)
                .and_then(Option::as_ref)
                .and_then(|instance| instance.links[usize::from(link)])
                .ok_or_else(|| Error::bug("the state of a unit is not there"))?,
        };
        Ok((instance, slot as usize))
    }

    fn root(&self, root: VariableRoot, base: usize) -> Result<&Value> {
        match root {
            VariableRoot::Register(register) => Ok(&self.stack[base + usize::from(register)]),
            VariableRoot::Outer { levels, register } => Ok(&self.stack[self.outer(levels, register)]),
            VariableRoot::Global { link, slot } => {
                let (instance, slot) = self.global(link, slot)?;
                let instance = self.session.instances[instance].as_ref();
                instance.map(|instance| &instance.globals[slot]).ok_or_else(|| Error::bug("a unit's instance is gone"))
            }
        }
    }

    fn root_mut(&mut self, root: VariableRoot, base: usize) -> Result<&mut Value> {
        match root {
            VariableRoot::Register(register) => Ok(&mut self.stack[base + usize::from(register)]),
            VariableRoot::Outer { levels, register } => {
                let at = self.outer(levels, register);
                Ok(&mut self.stack[at])
            }
            VariableRoot::Global { link, slot } => {
                let (instance, slot) = self.global(link, slot)?;
                Ok(&mut self.session.instance(instance)?.globals[slot])
            }
        }
    }

    /// The value at a place.
    pub(crate) fn read(&self, place: &VariablePlace, base: usize) -> Result<&Value> {
        const NULL: &Value = &Value::Null;
        let mut value = self.root(place.root, base)?;
        for step in &place.steps {
            value = match (step, value) {
                (PathStep::Field(field), Value::Record(fields)) => &fields[usize::from(*field)],
                (PathStep::Element(register), Value::Collection(elements)) => {
                    elements.get_by(&self.stack[base + usize::from(*register)])?
                }
                (PathStep::Element(_), Value::Null) => return Err(collection::is_null()),
                // A part of a record that was never assigned.
                (PathStep::Field(_), Value::Null) => NULL,
                _ => return Err(wrong_step(value)),
            };
        }
        Ok(value)
    }

    fn keys(&self, place: &VariablePlace, base: usize) -> Result<Vec<Key>> {
        let mut keys = Vec::new();
        for step in &place.steps {
            if let PathStep::Element(register) = step {
                keys.push(Collection::key(&self.stack[base + usize::from(*register)])?);
            }
        }
        Ok(keys)
    }

    /// The place itself, to be changed.
    pub(crate) fn change(&mut self, place: &VariablePlace, base: usize) -> Result<&mut Value> {
        let mut keys = self.keys(place, base)?.into_iter();
        let mut value = self.root_mut(place.root, base)?;
        for step in &place.steps {
            value = match (step, value) {
                (PathStep::Field(field), Value::Record(fields)) => &mut Arc::make_mut(fields)[usize::from(*field)],
                (PathStep::Element(_), Value::Collection(elements)) => {
                    let key = keys.next().ok_or_else(|| Error::bug("a subscript is missing"))?;
                    Arc::make_mut(elements).entry(&key)?
                }
                (PathStep::Element(_), Value::Null) => return Err(collection::is_null()),
                (_, other) => return Err(wrong_step(other)),
            };
        }
        Ok(value)
    }

    pub(crate) fn store(&mut self, place: &VariablePlace, base: usize, value: Value) -> Result<()> {
        *self.change(place, base)? = value;
        Ok(())
    }

    /// True: an element, or a record in it, must be created before a part of it is changed.
    pub(crate) fn is_missing(&self, place: &VariablePlace, base: usize) -> Result<bool> {
        match self.read(place, base) {
            Ok(value) => Ok(value.is_null()),
            Err(error) if error.is_ora(1403) => Ok(true),
            Err(error) => Err(error),
        }
    }
}
