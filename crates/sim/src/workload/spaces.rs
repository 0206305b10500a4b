//! Steps of a run that make and drop tablespaces, for tables and for undo.

use common::{BlockSize, Result};
use engine::instance::TablespaceSpec;
use storage::control::SpaceManagement;
use storage::parameters::{Parameter, Scope};

use common::sync::Arc;

use super::engine as statements;
use super::run::{Run, file};
use super::state::WorkloadState;

/// Tablespaces for tables beyond which some are dropped, and the same of those for undo.
const TABLESPACES_MAX: usize = 4;
const UNDO_TABLESPACES_MAX: usize = 3;

/// The prefix of undo tablespaces' names.
const UNDO: &str = "U";

fn is_undo(name: &str) -> bool {
    name.starts_with(UNDO)
}

impl Run {
    /// A tablespace for tables; one is made where there is none.
    pub(super) fn some_tablespace(&mut self) -> Result<String> {
        let mut names: Vec<String> = self.live.tablespaces.iter().filter(|name| !is_undo(name)).cloned().collect();
        if self.part > 0 {
            // The plan's tablespaces are the first part's, and shared by all.
            names.extend((0..self.plan.tablespaces.len()).map(|number| self.plan.tablespace(number)));
        }
        match self.random.pick(&names) {
            Some(name) => Ok(name.clone()),
            None => self.create_tablespace(),
        }
    }

    fn with_tablespace(&self, name: &str, there: bool) -> WorkloadState {
        let mut state = self.live.clone();
        let names = Arc::make_mut(&mut state.tablespaces);
        if there {
            names.insert(name.to_owned())
        } else {
            names.remove(name)
        };
        state
    }

    fn spec(&self, name: &str, block_size: BlockSize, space_management: SpaceManagement) -> TablespaceSpec {
        TablespaceSpec {
            // Some tablespaces are NOLOGGING: tables in them are loaded without images in the log unless they say
            // otherwise.
            logging: is_undo(name) || statements::is_logged(name),
            name: name.to_owned(),
            files: vec![file(&self.plan, &format!("{}_1.dbf", name.to_lowercase()))],
            block_size: Some(block_size),
            uniform_bytes: None,
            space_management,
        }
    }

    pub(super) fn create_tablespace(&mut self) -> Result<String> {
        let known = self.live.tablespaces.iter().filter(|name| !is_undo(name)).count();
        if known >= TABLESPACES_MAX {
            self.drop_tablespace()?;
        }
        let name = self.new_name("X");
        let management = [SpaceManagement::Manual, SpaceManagement::Auto][self.random.index(2)];
        let size = BlockSize::ALL[self.random.index(5)];
        self.make_tablespace(&name, size, management)?;
        Ok(name)
    }

    pub(super) fn make_tablespace(&mut self, name: &str, size: BlockSize, management: SpaceManagement) -> Result<()> {
        let spec = self.spec(name, size, management);
        let state = self.with_tablespace(name, true);
        self.definition_of(state, |s| s.create_tablespace(&spec).map(drop))
    }

    /// With its contents, which go first, in a statement of their own.
    pub(super) fn drop_tablespace(&mut self) -> Result<()> {
        let names: Vec<String> = self.live.tablespaces.iter().filter(|name| name.starts_with('X')).cloned().collect();
        let Some(name) = self.random.pick(&names).cloned() else { return self.create_tablespace().map(drop) };
        let mut empty = self.live.clone();
        empty.tables.retain(|_, table| table.tablespace != name);
        // Indexes there of tables elsewhere go too.
        for index in self.sessions[0].catalog().indexes().filter(|index| index.segment.tablespace().name() == name) {
            for table in empty.tables.values_mut() {
                Arc::make_mut(&mut table.indexes).remove(&index.name);
            }
        }
        let mut state = empty.clone();
        Arc::make_mut(&mut state.tablespaces).remove(&name);
        self.definition_through(Some(empty), state, |s| s.drop_tablespace(&name, true, true))
    }

    pub(super) fn create_undo_tablespace(&mut self) -> Result<()> {
        if self.live.tablespaces.iter().filter(|name| is_undo(name)).count() >= UNDO_TABLESPACES_MAX {
            return self.drop_undo_tablespace();
        }
        let name = self.new_name(UNDO);
        let size = BlockSize::ALL[self.random.index(3)];
        let spec = self.spec(&name, size, SpaceManagement::Manual);
        let state = self.with_tablespace(&name, true);
        self.definition_of(state, |s| s.create_undo_tablespace(&spec, false).map(drop))
    }

    /// Puts undo into another tablespace from here on.
    pub(super) fn switch_undo_tablespace(&mut self) -> Result<()> {
        let names: Vec<String> = self.live.tablespaces.iter().filter(|name| is_undo(name)).cloned().collect();
        let Some(name) = self.random.pick(&names).cloned() else { return self.create_undo_tablespace() };
        self.sessions[0].alter_system(Parameter::UndoTablespace.name(), &name, Scope::Both).map(drop)
    }

    /// Drops an inactive undo tablespace; one whose undo is still needed stays.
    pub(super) fn drop_undo_tablespace(&mut self) -> Result<()> {
        let current = self.instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
        let names: Vec<String> =
            self.live.tablespaces.iter().filter(|name| is_undo(name) && **name != current).cloned().collect();
        let Some(name) = self.random.pick(&names).cloned() else { return Ok(()) };
        let before = self.live.clone();
        let state = self.with_tablespace(&name, false);
        let mut refused = false;
        self.definition_of(state, |s| match s.drop_tablespace(&name, true, true) {
            Err(error) if error.is_ora(30013) => {
                refused = true;
                Ok(())
            }
            result => result,
        })?;
        if refused {
            self.live = before.clone();
            self.begin(before);
            self.acknowledge();
        }
        Ok(())
    }
}
