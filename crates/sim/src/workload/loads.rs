//! Steps of a run that load tables past the cache.

use common::Result;
use engine::ddl::TableChange;

use super::engine as statements;
use super::run::{ROWS_MAX, Run};

impl Run {
    /// Loads an unchanged table, with or without images in the log, and ends the transaction in one of several ways;
    /// others work and commit before that.
    pub(super) fn load(&mut self, session: usize) -> Result<()> {
        let Some(name) = self.some_table() else { return self.create_table() };
        if self.live.tables.get(&name).is_some_and(|table| table.rows.len() > ROWS_MAX) {
            return self.truncate();
        }
        if self.random.percent(50) {
            let change = TableChange::Logging(self.random.percent(40));
            self.definition_of(self.live.clone(), |s| s.alter_table(statements::OWNER, &name, &change).map(drop))?;
        } else {
            for session in 0..self.plan.sessions {
                self.commit(session)?;
            }
        }
        let s = self.sessions[session].clone();
        let before = self.live.clone();
        let mut state = self.live.clone();
        let rows = self.new_rows(session, &name, &mut state, 80);
        let mark = s.mark();
        let whole = self.random.percent(85);
        statements::load(&s, &name, &rows, whole)?;
        if !whole {
            s.rollback_to_mark(mark)?;
            return Ok(());
        }
        self.live = state;
        if self.plan.sessions > 1 && self.random.percent(50) {
            self.transfer((session + 1) % self.plan.sessions)?;
        }
        if self.random.percent(30) {
            self.background()?;
        }
        match self.random.below(10) {
            0..6 => self.commit(session),
            6..8 => self.rollback(session),
            _ => {
                s.rollback_to_mark(mark)?;
                self.live.take_part(&before, session, self.plan.sessions);
                Ok(())
            }
        }
    }
}
