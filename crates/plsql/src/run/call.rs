//! Frames: calling, returning, and the state of other units.

use std::sync::Arc;

use common::{Error, Result};

use super::machine::{BUDGET, Frame, Machine};
use super::session::Instance;
use crate::compile::entry::Stored;
use crate::compile::unit::{Link, Unit, UnitType};
use crate::exception::RunResult;
use crate::host::{Object, Viewer};
use crate::value::Value;

/// Limit of open calls: a runaway recursion ends here, long before memory does.
pub const FRAMES_MAX: usize = 50_000;
/// Registers of all frames.
const STACK_MAX: usize = 4_000_000;
/// Bytes of the texts in them. They are summed once in so many frames: a shallower recursion is no runaway.
const TEXT_BYTES_MAX: usize = 512 << 20;
const FRAMES_BETWEEN_SUMS: usize = 1024;

impl Machine<'_> {
    /// The frame that encloses the callee.
    pub(crate) fn parent(&self, levels: u16) -> u32 {
        let mut frame = self.frames.len() as u32 - 1;
        for _ in 0..levels {
            frame = self.frames[frame as usize].parent;
        }
        frame
    }

    /// Pushes a frame for a function; it runs when the machine goes on.
    pub(crate) fn call(
        &mut self,
        unit: &Arc<Unit>,
        function: usize,
        instance: usize,
        base: usize,
        parent: u32,
    ) -> RunResult<()> {
        self.budget -= 1;
        if self.budget == 0 {
            self.budget = BUDGET;
            self.host.check()?;
        }
        let called = &unit.functions[function];
        if called.is_declared_only {
            let text = format!("not executed, package body \"{}.{}\" does not exist", unit.owner, unit.name);
            return Err(Error::user(4067, text).into());
        }
        let end = base + usize::from(called.registers);
        if self.frames.len() >= FRAMES_MAX || end > STACK_MAX {
            return Err(Error::user(6500, "PL/SQL: storage error").into());
        }
        if self.frames.len() % FRAMES_BETWEEN_SUMS == FRAMES_BETWEEN_SUMS - 1 && self.text_bytes() > TEXT_BYTES_MAX {
            return Err(Error::user(6500, "PL/SQL: storage error").into());
        }
        if self.stack.len() < end {
            self.stack.resize(end, Value::Null);
        }
        // The result of a function without RETURN must not be the register's earlier content.
        self.stack[base + usize::from(called.parameters)] = Value::Null;
        let of_same = |frame: &Frame| frame.unit.has_own_rights() && frame.unit.owner == unit.owner;
        let rights = unit.has_own_rights() && !self.frames.last().is_some_and(of_same);
        if rights {
            self.host.enter_rights(&unit.owner)?;
        }
        if called.autonomous
            && let Err(error) = self.host.begin_autonomous()
        {
            if rights {
                self.host.leave_rights();
            }
            return Err(error.into());
        }
        self.frames.push(Frame {
            unit: Arc::clone(unit),
            function,
            instance,
            base,
            pc: 0,
            parent,
            handling: self.handling.len(),
            autonomous: called.autonomous,
            rights,
        });
        Ok(())
    }

    /// Bytes of the texts in registers; a shared text counts for each.
    fn text_bytes(&self) -> usize {
        let bytes = |value: &Value| match value {
            Value::Varchar2(text) | Value::Char(text) => text.len(),
            Value::Raw(bytes) => bytes.len(),
            _ => 0,
        };
        self.stack.iter().map(bytes).sum()
    }

    /// RETURN: parameters and the result stay for the caller.
    pub(crate) fn leave(&mut self) -> RunResult<()> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let function = &frame.unit.functions[frame.function];
        let keep = frame.base + usize::from(function.parameters) + 1;
        let end = frame.base + usize::from(function.registers);
        let handling = frame.handling;
        if std::mem::take(&mut frame.autonomous) {
            // Work left open is an error of the statement that returns.
            self.host.end_autonomous()?;
        }
        if frame.rights {
            self.host.leave_rights();
        }
        self.frames.pop();
        self.handling.truncate(handling);
        self.clear(keep, end);
        self.close_orphans();
        Ok(())
    }

    /// Closes queries without references.
    pub(crate) fn close_orphans(&mut self) {
        if self.session.orphans.lock().is_empty() {
            return;
        }
        let orphans = std::mem::take(&mut *self.session.orphans.lock());
        for query in orphans {
            self.host.close(query);
        }
    }

    pub(crate) fn call_linked(&mut self, link: u16, function: usize, base: usize) -> RunResult<()> {
        let own = self.frames.last().map_or(0, |frame| frame.instance);
        let target = self
            .session
            .instance(own)?
            .links
            .get(usize::from(link))
            .copied()
            .flatten()
            .ok_or_else(|| Error::bug("a linked unit is not there"))?;
        let unit = Arc::clone(&self.session.instance(target)?.unit);
        self.call(&unit, function, target, base, 0)
    }

    /// Loads a linked unit and its state. True when its initialization must run first.
    pub(crate) fn need(&mut self, link: u16) -> RunResult<bool> {
        let own = self.frames.last().map_or(0, |frame| frame.instance);
        let call = self.session.call;
        let instance = self.session.instance(own)?;
        if let Some(target) = instance.links[usize::from(link)]
            && let Some(Some(target)) = self.session.instances.get(target)
            && target.seen_in == call
            && target.is_initialized
        {
            return Ok(false);
        }
        let link_name = self.session.instance(own)?.unit.links[usize::from(link)].clone();
        let target = self.load(&link_name)?;
        self.session.instance(own)?.links[usize::from(link)] = Some(target);
        self.initialize(target)
    }

    /// Pushes the frame of a package's initialization when that has not run.
    pub(crate) fn initialize(&mut self, target: usize) -> RunResult<bool> {
        let instance = self.session.instance(target)?;
        if instance.is_initialized {
            return Ok(false);
        }
        instance.is_initialized = true;
        let unit = Arc::clone(&instance.unit);
        let top = match self.frames.last() {
            Some(frame) => frame.base + usize::from(frame.unit.functions[frame.function].registers),
            None => self.stack.len(),
        };
        self.call(&unit, 0, target, top, 0)?;
        Ok(true)
    }

    /// The instance of a stored unit in this session; a replaced unit is loaded anew.
    pub(crate) fn load(&mut self, link: &Link) -> Result<usize> {
        let call = self.session.call;
        let known = self.session.by_name.get(link).copied();
        if let Some(at) = known {
            let instance = self.session.instance(at)?;
            if instance.seen_in == call {
                return Ok(at);
            }
        }
        let (source, stamp) = match self.host.resolve(Viewer::Owner(&link.owner), &[&link.owner, &link.name])? {
            Some((Object::Program { source, stamp, .. }, _)) => (source, stamp),
            _ => return Err(gone(link)),
        };
        let body = match source.get(..7) {
            Some(word) if word.eq_ignore_ascii_case("PACKAGE") => self.host.package_body(&link.owner, &link.name)?,
            _ => None,
        };
        let library = Arc::clone(&self.session.library);
        let stored = Stored { owner: &link.owner, name: &link.name, source: &source, stamp, body };
        let unit = library.stored(self.host, &stored)?;
        let Some(at) = known else {
            let at = self.session.add_instance(Instance::new(unit, call));
            self.session.by_name.insert(link.clone(), at);
            return Ok(at);
        };
        let instance = self.session.instance(at)?;
        if Arc::ptr_eq(&instance.unit, &unit) {
            instance.seen_in = call;
            return Ok(at);
        }
        let lost = instance.is_initialized && instance.unit.has_state && instance.unit.unit_type == UnitType::Package;
        *instance = Instance::new(unit, call);
        if lost {
            let text = format!(
                "existing state of packages has been discarded\nORA-04061: existing state of package body \"{}.{}\" has been invalidated",
                link.owner, link.name
            );
            return Err(Error::user(4068, text));
        }
        Ok(at)
    }
}

fn gone(link: &Link) -> Error {
    Error::user(4043, format!("object {}.{} does not exist", link.owner, link.name))
}
