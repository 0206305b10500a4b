//! Steps of a run that change definitions: tables, indexes, files.

use common::Result;
use common::sync::Arc;
use engine::ddl::{DatafileChange, TablespaceChange};
use engine::instance::Session;
use storage::txn::CommitWrite;

use super::run::{MB, Run, file};
use super::state::{Table, WorkloadState};
use super::{engine as statements, part};

impl Run {
    /// A statement that commits by itself: all sessions commit before it, and it is durable when it returns.
    pub(super) fn definition_of(
        &mut self,
        state: WorkloadState,
        work: impl FnOnce(&Arc<Session>) -> Result<()>,
    ) -> Result<()> {
        self.definition_through(None, state, work)
    }

    /// The same of a statement that commits twice.
    pub(super) fn definition_through(
        &mut self,
        between: Option<WorkloadState>,
        state: WorkloadState,
        work: impl FnOnce(&Arc<Session>) -> Result<()>,
    ) -> Result<()> {
        // A reader does not survive changes of the tables.
        self.reader = None;
        self.commit_all()?;
        between.into_iter().for_each(|state| self.begin(state));
        self.begin(state.clone());
        let s = self.sessions[0].clone();
        work(&s)?;
        self.live = state;
        s.commit(CommitWrite::default())?;
        self.acknowledge();
        Ok(())
    }

    pub(super) fn definition(&mut self, _session: usize) -> Result<()> {
        match self.random.below(if self.plan.spaces { 20 } else { 10 }) {
            10 => self.create_tablespace().map(drop),
            11 => self.drop_tablespace(),
            12 | 13 => self.create_undo_tablespace(),
            14 | 15 => self.switch_undo_tablespace(),
            16 => self.drop_undo_tablespace(),
            17 => self.add_file(),
            18 => self.resize(),
            19 => self.truncate(),
            0 | 1 => self.create_table(),
            2 => self.drop_table(),
            3 => self.truncate(),
            4..7 => self.create_index(),
            7 => self.drop_index(),
            8 => self.add_file(),
            _ => self.resize(),
        }
    }

    pub(super) fn create_table(&mut self) -> Result<()> {
        if self.live.tables.len() > 4 {
            return self.drop_table();
        }
        let name = self.new_name("TAB");
        let tablespace = self.some_tablespace()?;
        let pctfree = [0, 10, 40][self.random.index(3)];
        let mut state = self.live.clone();
        state.tables.insert(name.clone(), Table { tablespace: tablespace.clone(), ..Table::default() });
        self.definition_of(state, |s| statements::create_table(s, &name, &tablespace, pctfree))
    }

    pub(super) fn drop_table(&mut self) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let mut state = self.live.clone();
        state.tables.remove(&name);
        self.definition_of(state, |s| s.drop_table(statements::OWNER, &name))
    }

    pub(super) fn truncate(&mut self) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let mut state = self.live.clone();
        if let Some(rows) = state.rows_mut(&name) {
            rows.clear();
        }
        self.definition_of(state, |s| s.truncate_table(statements::OWNER, &name).map(drop))
    }

    pub(super) fn create_index(&mut self) -> Result<()> {
        if !self.plan.indexes {
            return Ok(());
        }
        let Some(name) = self.some_table() else { return Ok(()) };
        let tablespace = self.some_tablespace()?;
        let mut state = self.live.clone();
        let kind = self.random.index(3);
        let index = format!("{name}_{kind}");
        let Some(table) = state.tables.get_mut(&name) else { return Ok(()) };
        if !Arc::make_mut(&mut table.indexes).insert(index.clone()) {
            return Ok(());
        }
        let columns: &[usize] = [&[0][..], &[1][..], &[1, 0][..]][kind];
        self.definition_of(state, |s| statements::create_index(s, &name, &index, columns, kind == 0, &tablespace))
    }

    pub(super) fn drop_index(&mut self) -> Result<()> {
        let mut state = self.live.clone();
        let Some((table, index)) =
            state.tables.iter().find_map(|(name, table)| Some((name.clone(), table.indexes.first()?.clone())))
        else {
            return self.create_index();
        };
        if let Some(table) = state.tables.get_mut(&table) {
            Arc::make_mut(&mut table.indexes).remove(&index);
        }
        self.definition_of(state, |s| s.drop_index(statements::OWNER, &index))
    }

    pub(super) fn add_file(&mut self) -> Result<()> {
        self.next_name += 1;
        let name = self.some_tablespace()?;
        let file_name = part::name(&format!("{}_", name.to_lowercase()), self.next_name + 1, self.part);
        let spec = file(&self.plan, &format!("{file_name}.dbf"));
        let change = TablespaceChange::AddDatafiles(vec![spec]);
        self.definition_of(self.live.clone(), |s| s.alter_tablespace(&name, &change))
    }

    pub(super) fn resize(&mut self) -> Result<()> {
        let name = self.some_tablespace()?;
        let bytes = (2 + self.random.below(4)) * MB;
        // The first file, whatever it is called.
        let tablespace = self.instance.tablespaces().named(&name)?;
        let first = tablespace.files().first().map_or(0, |file| file.0).to_string();
        self.definition_of(self.live.clone(), |s| {
            // A file whose end is in use does not shrink.
            match s.alter_datafile(&first, DatafileChange::Resize(bytes)) {
                Err(error) if error.is_ora(3297) => Ok(()),
                result => result,
            }
        })
    }
}
