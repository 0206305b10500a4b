//! Functions that SQL statements call, row by row.

use std::sync::Arc;

use common::{Error, Result};
use scalar::Datum;

use super::machine::{Machine, settings};
use super::session::{Instance, NESTING_MAX, Session};
use crate::compile::sql_call::SqlCall;
use crate::exception::RunResult;
use crate::host::Host;
use crate::value::{Value, convert};

impl Session {
    /// Calls a function for a row of a SQL statement. An unhandled NO_DATA_FOUND is NULL, as at the end of a query.
    ///
    /// A failing call fails its statement, which rolls back the call's changes.
    ///
    /// # Errors
    /// The unhandled exception, with its backtrace in further lines.
    pub fn call_from_sql(&mut self, host: &mut dyn Host, call: &SqlCall, arguments: &[Datum]) -> Result<Datum> {
        if self.depth >= NESTING_MAX {
            return Err(Error::user(36, format!("maximum number of recursive SQL levels ({NESTING_MAX}) exceeded")));
        }
        self.look_at_dictionary(host);
        let unit = Arc::clone(&call.unit);
        let instance = self.add_instance(Instance::new(Arc::clone(&unit), self.call));
        // SQL% of the outer program is not this one's.
        let sql = std::mem::take(&mut self.sql);
        self.depth += 1;
        let mut machine = Machine::new(self, host);
        let base = machine.registers(usize::from(unit.functions[0].registers));
        let result = machine.sql_call(call, instance, base, arguments);
        machine.close_orphans();
        self.depth -= 1;
        self.sql = sql;
        self.instances[instance] = None;
        match result {
            Err(raised) if raised.code == 100 => Ok(Datum::Null),
            result => result.map_err(|raised| raised.into_error()),
        }
    }
}

impl Machine<'_> {
    fn sql_call(&mut self, call: &SqlCall, instance: usize, base: usize, arguments: &[Datum]) -> RunResult<Datum> {
        for (place, argument) in arguments.iter().enumerate() {
            self.stack[base + place] = Value::from(argument.clone());
        }
        self.call(&call.unit, 0, instance, base, 0)?;
        self.run(0)?;
        let value = std::mem::take(&mut self.stack[base + arguments.len()]);
        let value = convert::assign(&mut settings(&mut self.context, self.host), value, &call.result)?;
        Ok(value.to_datum().ok_or_else(|| Error::user(902, "invalid datatype: SQL has no such type"))?)
    }
}
