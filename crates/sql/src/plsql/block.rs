//! Anonymous blocks, CALL, and everything else that runs programs.

use std::sync::Arc;

use common::{Error, Result};
use plsql::run::session::{HostType, HostVariable, Session};
use plsql::value::Value;

use super::host::SessionHost;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;

impl Connection {
    /// Runs the block in a cursor. Bind variables are in and out: their values afterwards are what the execution returns.
    pub(crate) fn run_block(&mut self, cursor: &mut Cursor) -> Result<()> {
        let shared = Arc::clone(&cursor.shared);
        let mut variables: Vec<HostVariable> = cursor
            .binds
            .iter()
            .map(|(name, value)| HostVariable {
                name: name.as_str().into(),
                data_type: HostType::Any(value.datum_type()),
                value: Value::from(value.clone()),
            })
            .collect();
        let result = self.with_programs(|host, session| session.run_block(host, &shared.text, &mut variables));
        // Also when it has failed: what it has assigned is assigned.
        cursor.returned = variables
            .into_iter()
            .map(|variable| {
                let value = variable.value.to_datum();
                let value =
                    value.ok_or_else(|| Error::unsupported(format!("the type of bind variable :{}", variable.name)))?;
                Ok((variable.name.into(), value))
            })
            .collect::<Result<_>>()?;
        result
    }

    /// Does `work` with the session's programs. The outermost call waits for what the programs have committed: a commit inside does not.
    pub(crate) fn with_programs<R>(
        &mut self,
        work: impl FnOnce(&mut SessionHost<'_>, &mut Session) -> Result<R>,
    ) -> Result<R> {
        let mut programs = match self.plsql.take() {
            Some(programs) => programs,
            None => Session::new(Arc::clone(self.database.programs()), &self.schema),
        };
        programs.set_schema(&self.schema);
        self.depth += 1;
        let result = work(&mut SessionHost::new(self), &mut programs);
        self.depth -= 1;
        self.plsql = Some(programs);
        if self.depth > 0 {
            return result;
        }
        self.programs.end_call();
        // First of all, whatever has come of the call: what was committed is not told to the caller before it is durable.
        if std::mem::take(&mut self.commits_pending) {
            self.session.wait_for_redo()?;
        }
        let revalidated = self.revalidate();
        result.and_then(|value| revalidated.map(|()| value))
    }

    /// Lines that programs have put out with DBMS_OUTPUT; they are gone then.
    pub fn take_output(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(programs) = &mut self.plsql {
            while let Some(line) = programs.output.take_line() {
                lines.push(line);
            }
        }
        lines
    }

    /// SET SERVEROUTPUT: lines are kept, up to so many bytes; None: without a limit.
    pub fn enable_output(&mut self, limit: Option<usize>) {
        self.programs_session().output.enable(limit);
    }

    /// Nothing is kept any more.
    pub fn disable_output(&mut self) {
        self.programs_session().output.disable();
    }

    fn programs_session(&mut self) -> &mut Session {
        let (library, schema) = (Arc::clone(self.database.programs()), self.schema.clone());
        self.plsql.get_or_insert_with(|| Session::new(library, &schema))
    }
}
