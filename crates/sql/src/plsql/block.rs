//! Execution of programs: anonymous blocks, CALL, and all other calls.

use std::sync::Arc;

use common::sync::atomic::Ordering;
use common::{Error, ErrorKind, Result};
use plsql::run::session::{HostType, HostVariable, Session};
use plsql::value::Value;

use super::host::SessionHost;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;

impl Connection {
    /// Runs the block of a cursor. Bind variables are in and out: the execution returns their values afterwards.
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
        // Also after an error: assignments made before it stay.
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

    /// Runs `work` with the session's programs. The outermost call waits until the programs' commits are durable: a
    /// commit inside does not wait.
    pub(crate) fn with_programs<R>(
        &mut self,
        work: impl FnOnce(&mut SessionHost<'_>, &mut Session) -> Result<R>,
    ) -> Result<R> {
        let shared = Arc::clone(&self.shared);
        let mut programs = self.programs_session();
        let schema = programs.schema().to_owned();
        programs.set_schema(&self.schema);
        let marks = shared.programs.lock().marks();
        let result = shared.recursively(|| work(&mut SessionHost::new(self), &mut programs));
        shared.programs.lock().forget_marks(marks);
        programs.set_schema(&schema);
        *shared.plsql.lock() = Some(programs);
        if shared.is_recursive() || !self.is_outermost() {
            return result;
        }
        let ended = self.end_programs();
        result.and_then(|value| ended.map(|()| value))
    }

    /// The end of the outermost call, after its programs.
    pub(crate) fn end_programs(&mut self) -> Result<()> {
        // First of all, also after an error: a commit is not reported to the caller before it is durable.
        if self.shared.commits_pending.swap(false, Ordering::Relaxed) {
            self.session.wait_for_redo()?;
        }
        // The call succeeds whether or not the programs' states can be stored: a later session finds them out again.
        // Not when the instance has stopped.
        self.revalidate().or_else(|error| if error.kind == ErrorKind::Poisoned { Err(error) } else { Ok(()) })
    }

    /// The program that a statement of the session has compiled last, by kind and name, for SHOW ERRORS.
    #[must_use]
    pub fn last_compiled(&self) -> Option<(String, String)> {
        let programs = self.shared.programs.lock();
        programs.last_compiled.as_ref().map(|(_, name, kind)| (kind.to_string(), name.clone()))
    }

    fn programs_session(&self) -> Session {
        let known = self.shared.plsql.lock().take();
        known.unwrap_or_else(|| Session::new(Arc::clone(self.database.programs()), &self.schema))
    }

    /// Takes the lines that programs have written with DBMS_OUTPUT.
    pub fn take_output(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(programs) = &mut *self.shared.plsql.lock() {
            while let Some(line) = programs.output.take_line() {
                lines.push(line);
            }
        }
        lines
    }

    /// SET SERVEROUTPUT: keeps lines, up to so many bytes; None: without a limit.
    pub fn enable_output(&mut self, limit: Option<usize>) {
        let mut programs = self.programs_session();
        programs.output.enable(limit);
        *self.shared.plsql.lock() = Some(programs);
    }

    /// SET SERVEROUTPUT OFF: drops the lines.
    pub fn disable_output(&mut self) {
        let mut programs = self.programs_session();
        programs.output.disable();
        *self.shared.plsql.lock() = Some(programs);
    }
}
