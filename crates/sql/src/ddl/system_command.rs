//! Execution of ALTER SYSTEM.

use std::time::Duration;

use common::{Error, Result};
use engine::dictionary::SystemPrivilege;
use engine::instance::{Killed, TablespaceSpec};
use storage::control::{SpaceManagement, TablespaceKind};
use storage::parameters::{Parameter, Scope};

use super::command::{Command, Setting, UndoTablespaceSpec};
use crate::cursor::connection::Connection;

/// Longest wait of KILL SESSION for a session with a call under way.
const KILL_WAIT: Duration = Duration::from_secs(60);
/// The same with IMMEDIATE.
const KILL_IMMEDIATE_WAIT: Duration = Duration::from_secs(1);

impl Connection {
    pub(super) fn system_command(&self, command: &Command) -> Result<()> {
        let (session, instance) = (&self.session, self.session.instance());
        session.catalog().check_system_privilege(&session.rights(), SystemPrivilege::AlterSystem)?;
        match command {
            Command::AlterSystem(settings) => settings.iter().try_for_each(|setting| self.alter_system(setting)),
            Command::ResetSystem(name) => {
                instance.parameters().reset_system(&**instance.files(), instance.directory(), name).map(drop)
            }
            Command::FlushBufferCache => instance.cache().flush(session.meter()),
            Command::FlushSharedPool => {
                self.database.library().flush();
                instance.sql_area().flush(session.meter());
                Ok(())
            }
            Command::Checkpoint => instance.checkpoint(session.meter()),
            Command::SwitchLogfile => instance.redo().switch(session.meter()),
            Command::KillSession { sid, serial, immediate } => self.kill_session(*sid, *serial, *immediate),
            _ => Err(Error::bug("not a command of ALTER SYSTEM")),
        }
    }

    /// A session with a call under way ends with the call; the wait for it is short.
    fn kill_session(&self, sid: u32, serial: u32, immediate: bool) -> Result<()> {
        let most = if immediate { KILL_IMMEDIATE_WAIT } else { KILL_WAIT };
        let killed = self.session.kill(sid, serial)?;
        if killed == Killed::Now || self.session.wait_for_killed(sid, serial, most)? {
            return Ok(());
        }
        Err(Error::user(
            31,
            format!("session {sid},{serial} is marked for kill: it ends with the call that it has under way"),
        ))
    }

    fn alter_system(&self, setting: &Setting) -> Result<()> {
        let instance = self.session.instance();
        let scope = match setting.scope.as_deref() {
            None | Some("BOTH") => Scope::Both,
            Some("MEMORY") => Scope::Memory,
            Some("SPFILE") => Scope::Spfile,
            Some(other) => return Err(Error::user(2017, format!("SCOPE is MEMORY, SPFILE or BOTH, not {other}"))),
        };
        if setting.name == Parameter::UndoTablespace.name() {
            self.check_undo_tablespace(&setting.value)?;
        }
        instance.parameters().alter_system(
            &**instance.files(),
            instance.directory(),
            &setting.name,
            &setting.value,
            scope,
        )?;
        Ok(())
    }

    /// New transactions use it, so it must exist.
    fn check_undo_tablespace(&self, name: &str) -> Result<()> {
        let found = self.session.instance().tablespaces().named(&name.to_uppercase());
        if found.is_ok_and(|tablespace| tablespace.kind() == TablespaceKind::Undo) {
            return Ok(());
        }
        Err(Error::user(30012, format!("undo tablespace '{name}' does not exist or of wrong type")))
    }

    pub(super) fn create_undo_tablespace(&self, spec: &UndoTablespaceSpec) -> Result<()> {
        let tablespace = TablespaceSpec {
            logging: true,
            name: spec.name.clone(),
            files: spec.files.clone(),
            block_size: None,
            uniform_bytes: None,
            space_management: SpaceManagement::Manual,
        };
        self.session.create_undo_tablespace(&tablespace, spec.guaranteed).map(drop)
    }
}
