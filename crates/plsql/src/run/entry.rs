//! Calls by the session's owner: blocks, stored programs, triggers.

use std::sync::Arc;

use common::{Error, ErrorKind, Result};
use scalar::Datum;

use super::machine::{Machine, settings};
use super::session::{HostVariable, Instance, NESTING_MAX, Session, TriggerEvent, TriggerRow};
use crate::ast::Mode;
use crate::compile::entry::Stored;
use crate::compile::error::block_error;
use crate::compile::symbol::{Body, Signature, Symbol};
use crate::compile::types::Type;
use crate::compile::unit::{Link, Unit, UnitType, trigger_registers};
use crate::exception::RunResult;
use crate::host::{Host, Object, Viewer};
use crate::value::{Collection, Value, convert};

impl Session {
    /// Runs an anonymous block; host variables return their values, also when it fails.
    ///
    /// A failing block's changes are rolled back, unless they were committed.
    ///
    /// # Errors
    /// ORA-06550 with all errors of its text; or the unhandled exception, with its backtrace in further lines.
    pub fn run_block(&mut self, host: &mut dyn Host, text: &str, variables: &mut [HostVariable]) -> Result<()> {
        let types: Vec<(Box<str>, Type)> =
            variables.iter().map(|variable| (variable.name.clone(), variable.data_type.as_type())).collect();
        let library = Arc::clone(&self.library);
        let schema = self.schema.clone();
        let unit = library.block(host, &schema, text, &types).map_err(|errors| block_error(&errors))?;
        self.top_level(host, |session, host| {
            let instance = session.add_instance(Instance::new(Arc::clone(&unit), session.call));
            let mut machine = Machine::new(session, host);
            let base = machine.registers(usize::from(unit.functions[0].registers));
            let result = machine.block(&unit, instance, base, variables);
            machine.close_orphans();
            session.instances[instance] = None;
            result
        })
    }

    /// Calls a stored procedure or function: `path` is `NAME`, `OWNER.NAME`, `PACKAGE.NAME` or `OWNER.PACKAGE.NAME`, in
    /// upper case. Arguments stand in the order of the parameters; OUT arguments return in their places. The value is a
    /// function's result.
    ///
    /// # Errors
    /// ORA-06550 with PLS-00201 or PLS-00306 when there is no such program; the unhandled exception.
    pub fn call(&mut self, host: &mut dyn Host, path: &[&str], arguments: &mut [Datum]) -> Result<Datum> {
        let (link, program, is_function) = self.program(host, path, arguments.len())?;
        self.top_level(host, |session, host| {
            let mut machine = Machine::new(session, host);
            let result = machine.stored(&link, &program, is_function, arguments);
            machine.close_orphans();
            result
        })
    }

    /// Fires a trigger. `stored` is its text, from TRIGGER on. The caller decides which triggers fire, when, and what
    /// the row is used for.
    ///
    /// # Errors
    /// ORA-04098 when it does not compile; the unhandled exception, with `ORA-04088` behind it.
    pub fn fire_trigger(
        &mut self,
        host: &mut dyn Host,
        stored: &Stored<'_>,
        event: &TriggerEvent,
        row: TriggerRow<'_>,
    ) -> Result<()> {
        self.look_at_dictionary(host);
        let unit = self.trigger(host, stored)?;
        let fired = self.top_level(host, |session, host| {
            let instance = session.add_instance(Instance::new(Arc::clone(&unit), session.call));
            let mut machine = Machine::new(session, host);
            let base = machine.registers(usize::from(unit.functions[0].registers));
            let result = machine.trigger(&unit, instance, base, event, row);
            machine.close_orphans();
            session.instances[instance] = None;
            result
        });
        fired.map_err(|error| Error {
            text: format!(
                "{}\nORA-04088: error during execution of trigger '{}.{}'",
                error.text, unit.owner, unit.name
            ),
            ..error
        })
    }

    /// Notes that a call from outside of PL/SQL may find other programs than the last one.
    pub(super) fn look_at_dictionary(&mut self, host: &mut dyn Host) {
        if self.depth > 0 {
            return;
        }
        let version = host.dictionary_version();
        if version.is_none() || version != self.dictionary_version {
            self.call += 1;
            self.dictionary_version = version;
        }
    }

    /// A trigger fires row by row: its dependencies are checked once a call.
    fn trigger(&mut self, host: &mut dyn Host, stored: &Stored<'_>) -> Result<Arc<Unit>> {
        if let Some((call, unit)) = self.triggers.get(stored.name)
            && *call == self.call
            && unit.stamp == stored.stamp
            && *unit.owner == *stored.owner
        {
            return Ok(Arc::clone(unit));
        }
        let library = Arc::clone(&self.library);
        let unit = library.trigger(host, stored)?;
        self.triggers.insert(stored.name.into(), (self.call, Arc::clone(&unit)));
        Ok(unit)
    }

    /// One call from outside: rolled back when it fails.
    fn top_level<T>(
        &mut self,
        host: &mut dyn Host,
        run: impl FnOnce(&mut Self, &mut dyn Host) -> RunResult<T>,
    ) -> Result<T> {
        if self.depth >= NESTING_MAX {
            return Err(Error::user(36, format!("maximum number of recursive SQL levels ({NESTING_MAX}) exceeded")));
        }
        self.look_at_dictionary(host);
        let mark = host.mark();
        self.depth += 1;
        let result = run(self, host);
        self.depth -= 1;
        if self.depth == 0 {
            self.end_call();
        }
        match result {
            Ok(value) => Ok(value),
            Err(raised) => {
                let error = raised.into_error();
                if error.kind != ErrorKind::Poisoned {
                    host.back_to(mark)?;
                }
                Err(error)
            }
        }
    }

    /// The unit, the name in it, and true for a function.
    fn program(&mut self, host: &mut dyn Host, path: &[&str], arguments: usize) -> Result<(Link, Box<str>, bool)> {
        let name = path.join(".");
        let undeclared =
            || Error::user(6550, format!("line 1, column 7:\nPLS-00201: identifier '{name}' must be declared"));
        let schema = self.schema.clone();
        let Some((Object::Program { owner, name: unit_name, source, stamp }, used)) =
            host.resolve(Viewer::Session(&schema), path)?
        else {
            return Err(undeclared());
        };
        let library = Arc::clone(&self.library);
        let unit = library
            .interface(host, &owner, &unit_name, &source, stamp, 0)
            .map_err(|_| Error::user(4063, format!("program \"{owner}.{unit_name}\" has errors")))?;
        let program: Box<str> = match (unit.unit_type, path.get(used)) {
            (UnitType::Package, Some(program)) => (*program).into(),
            (UnitType::Package, None) => return Err(undeclared()),
            _ => unit_name.clone(),
        };
        let fits = |symbol: &Symbol| match symbol {
            Symbol::Subprogram(signature) if signature.parameters.len() == arguments => {
                Some(signature.result.is_some())
            }
            _ => None,
        };
        let symbols = unit.exports.get(&program).ok_or_else(undeclared)?;
        let is_function = symbols.iter().find_map(fits).ok_or_else(|| {
            Error::user(
                6550,
                format!("line 1, column 7:\nPLS-00306: wrong number or types of arguments in call to '{program}'"),
            )
        })?;
        Ok((Link { owner, name: unit_name }, program, is_function))
    }
}

impl Machine<'_> {
    fn block(
        &mut self,
        unit: &Arc<Unit>,
        instance: usize,
        base: usize,
        variables: &mut [HostVariable],
    ) -> RunResult<()> {
        for (place, variable) in variables.iter().enumerate() {
            self.stack[base + place] = match variable.data_type.as_type() {
                Type::Scalar(scalar) => {
                    convert::assign(&mut settings(&mut self.context, self.host), variable.value.clone(), &scalar)?
                }
                _ => variable.value.clone(),
            };
        }
        self.call(unit, 0, instance, base, 0)?;
        let result = self.run(0);
        for (place, variable) in variables.iter_mut().enumerate() {
            variable.value = std::mem::take(&mut self.stack[base + place]);
        }
        result
    }

    fn stored(&mut self, link: &Link, program: &str, is_function: bool, arguments: &mut [Datum]) -> RunResult<Datum> {
        let target = self.load(link)?;
        if self.initialize(target)? {
            self.run(0)?;
        }
        let unit = Arc::clone(&self.session.instance(target)?.unit);
        let signature = unit.exports.get(program).and_then(|symbols| {
            symbols.iter().find_map(|symbol| match symbol {
                Symbol::Subprogram(signature)
                    if signature.parameters.len() == arguments.len() && signature.result.is_some() == is_function =>
                {
                    Some(Arc::clone(signature))
                }
                _ => None,
            })
        });
        let Some(signature) = signature else { return Err(Error::bug("a program that was there is gone").into()) };
        let Body::Function { function, .. } = &signature.body else {
            return Err(Error::bug("a native called from outside").into());
        };
        let base = self.registers(arguments.len() + 1);
        self.arguments(&signature, base, arguments)?;
        self.call(&unit, *function as usize, target, base, 0)?;
        self.run(0)?;
        for (place, parameter) in signature.parameters.iter().enumerate() {
            if parameter.mode != Mode::In {
                arguments[place] = self.datum(base + place)?;
            }
        }
        self.datum(base + arguments.len())
    }

    fn datum(&self, at: usize) -> RunResult<Datum> {
        let datum = self.stack[at].to_datum();
        Ok(datum.ok_or_else(|| Error::user(902, "invalid datatype: SQL has no such type"))?)
    }

    fn arguments(&mut self, signature: &Signature, base: usize, arguments: &[Datum]) -> RunResult<()> {
        for (place, (parameter, argument)) in signature.parameters.iter().zip(arguments).enumerate() {
            let Type::Scalar(scalar) = &parameter.data_type else {
                let text = format!(
                    "line 1, column 7:\nPLS-00306: wrong number or types of arguments in call to '{}'",
                    signature.name
                );
                return Err(Error::user(6550, text).into());
            };
            if parameter.mode == Mode::Out {
                continue;
            }
            let value = Value::from(argument.clone());
            let value = convert::assign(&mut settings(&mut self.context, self.host), value, scalar)?;
            self.stack[base + place] = value;
        }
        Ok(())
    }

    fn trigger(
        &mut self,
        unit: &Arc<Unit>,
        instance: usize,
        base: usize,
        event: &TriggerEvent,
        row: TriggerRow<'_>,
    ) -> RunResult<()> {
        let Some(frame) = unit.trigger else { return Err(Error::bug("a unit that is no trigger fires").into()) };
        let record = |row: Option<&[Datum]>| {
            let columns = usize::from(frame.columns);
            let field =
                |at: usize| row.and_then(|row| row.get(at)).map_or(Value::Null, |datum| Value::from(datum.clone()));
            Value::Record((0..columns).map(field).collect())
        };
        self.call(unit, 0, instance, base, 0)?;
        let at = |register: u16| base + usize::from(register);
        let mut row = row;
        self.stack[at(trigger_registers::OLD)] = record(row.old);
        self.stack[at(trigger_registers::NEW)] = record(row.new.as_ref().map(|row| &row[..]));
        self.stack[at(trigger_registers::INSERTING)] = Value::Boolean(matches!(event, TriggerEvent::Insert));
        self.stack[at(trigger_registers::UPDATING)] = Value::Boolean(matches!(event, TriggerEvent::Update(_)));
        self.stack[at(trigger_registers::DELETING)] = Value::Boolean(matches!(event, TriggerEvent::Delete));
        if let TriggerEvent::Update(columns) = event {
            let columns = columns.iter().map(|column| (Arc::from(&**column), Value::Null)).collect();
            self.stack[at(trigger_registers::COLUMNS)] = Value::Collection(Arc::new(Collection::Texts(columns)));
        }
        // The row stays on the stack when the trigger's frame has gone: it is its parameter.
        self.run(0)?;
        let changed = std::mem::take(&mut self.stack[at(trigger_registers::NEW)]);
        if frame.before
            && let (Value::Record(fields), Some(new)) = (changed, row.new.as_mut())
        {
            for (datum, value) in new.iter_mut().zip(fields.iter()) {
                *datum = value.to_datum().unwrap_or_default();
            }
        }
        Ok(())
    }
}
