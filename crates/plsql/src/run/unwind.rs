//! Exceptions: unwinding to a handler.

use std::sync::Arc;

use common::Error;

use super::machine::Machine;
use crate::compile::unit::{Unit, UnitType};
use crate::exception::{Raised, RunResult, text_of};
use crate::value::Value;

impl Machine<'_> {
    /// Finds the handler of an exception; the machine goes on there. Frames without one are left.
    ///
    /// The exception itself when no frame above `floor` handles it.
    pub(crate) fn unwind(&mut self, mut raised: Box<Raised>, floor: usize) -> RunResult<()> {
        if raised.previous.is_none() && !raised.is_reraised && !raised.replaces {
            raised.previous = self.handling.last().cloned();
        }
        loop {
            let Some(frame) = self.frames.last() else { return Err(raised) };
            if self.frames.len() <= floor {
                return Err(raised);
            }
            let at = frame.pc.saturating_sub(1) as u32;
            // The call by a SQL statement is no line of a program.
            if !std::mem::take(&mut raised.is_reraised) && frame.unit.unit_type != UnitType::SqlCall {
                let line = self.where_in(&Arc::clone(&frame.unit), frame.function, at);
                raised.trace(line);
            }
            if !raised.is_final()
                && let Some(target) = self.enter_handler(&mut raised, at)
            {
                let base = self.frames.len() - 1;
                self.frames[base].pc = target;
                return Ok(());
            }
            self.abandon();
        }
    }

    /// `ORA-06512: at "OWNER.NAME", line n`
    pub(crate) fn where_in(&self, unit: &Unit, function: usize, at: u32) -> String {
        let place = unit.functions[function].places_in_source.get(at as usize).copied().unwrap_or(0);
        let line = unit.line(function, place);
        if unit.name.is_empty() {
            format!("ORA-06512: at line {line}")
        } else {
            format!("ORA-06512: at \"{}.{}\", line {line}", unit.owner, unit.name)
        }
    }

    fn enter_handler(&mut self, raised: &mut Box<Raised>, at: u32) -> Option<usize> {
        let frame = self.frames.last()?;
        let unit = Arc::clone(&frame.unit);
        let function = &unit.functions[frame.function];
        let around = function.handlers.iter().filter(|handlers| (handlers.from..handlers.to).contains(&at));
        for handlers in around {
            let fits = handlers.choices.iter().find(|(keys, _)| keys.is_empty() || keys.contains(&raised.key));
            let Some((_, target)) = fits else { continue };
            let (base, depth) = (frame.base, frame.handling + usize::from(handlers.depth));
            self.handling.truncate(depth);
            self.handling.push(Arc::new((**raised).clone()));
            self.clear(base + usize::from(handlers.clear_from), base + usize::from(function.registers));
            self.close_orphans();
            return Some(*target as usize);
        }
        None
    }

    /// Leaves the running frame by an exception.
    fn abandon(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let function = &frame.unit.functions[frame.function];
        if frame.autonomous {
            // Its open transaction is rolled back; the error of that is dropped beside the exception.
            let _ = self.host.end_autonomous();
        }
        if frame.rights {
            self.host.leave_rights();
        }
        self.handling.truncate(frame.handling);
        self.clear(frame.base + usize::from(function.parameters) + 1, frame.base + usize::from(function.registers));
        self.close_orphans();
    }

    /// RAISE without a name.
    pub(crate) fn reraised(&mut self) -> Box<Raised> {
        let Some(handled) = self.handling.last() else {
            return Error::bug("RAISE outside of a handler").into();
        };
        let mut raised = Box::new((**handled).clone());
        if let Some(frame) = self.frames.last() {
            let line = self.where_in(&Arc::clone(&frame.unit), frame.function, frame.pc.saturating_sub(1) as u32);
            raised.backtrace.insert(0, line);
        }
        raised.is_reraised = true;
        raised
    }

    /// Leaves a handler: sets the number of exceptions being handled in this frame.
    pub(crate) fn handled(&mut self, depth: u16) {
        let base = self.frames.last().map_or(0, |frame| frame.handling);
        self.handling.truncate(base + usize::from(depth));
    }

    pub(crate) fn sqlerrm(&self, first: usize, count: usize) -> Value {
        let text = match (count, self.handling.last()) {
            (0, Some(raised)) => raised.sqlerrm(),
            (0, None) => text_of(0),
            (_, handled) => match self.stack[first] {
                Value::Int(code) => match handled {
                    Some(raised) if i64::from(raised.code) == code => raised.sqlerrm(),
                    _ => text_of(code),
                },
                _ => return Value::Null,
            },
        };
        Value::varchar2(&text)
    }

    /// RAISE_APPLICATION_ERROR.
    pub(crate) fn application_error(&mut self, first: usize, count: usize) -> RunResult<Box<Raised>> {
        let number = match &self.stack[first] {
            Value::Int(number) => *number,
            _ => 0,
        };
        if !(-20_999..=-20_000).contains(&number) {
            let text =
                format!("error number argument to raise_application_error of {} is out of range", self.stack[first]);
            return Err(Error::user(21_000, text).into());
        }
        let text = self.stack[first + 1].as_text().unwrap_or_default().to_owned();
        let keeps = count > 2 && matches!(self.stack[first + 2], Value::Boolean(true));
        let mut raised: Box<Raised> = Error::user(number.unsigned_abs() as u32, text).into();
        raised.replaces = !keeps;
        Ok(raised)
    }
}
