//! ANALYZE: statistics, and the list of migrated and chained rows.

use std::sync::Arc;

use common::{Error, Result, Rowid};
use engine::ddl::{Gathering, Sampling, Size};
use engine::dictionary::TableDef;
use scalar::Datum;

use super::command::{Analysis, Command, Name};
use crate::cursor::connection::Connection;
use crate::statement::words::Words;

/// Table of LIST CHAINED ROWS without INTO.
const CHAINED_ROWS: &str = "CHAINED_ROWS";

/// Parses what stands behind ANALYZE.
pub(super) fn analyze(words: &mut Words<'_>) -> Result<Command> {
    let index = words.take("INDEX");
    if !index && !words.take("TABLE") {
        return Err(words.unsupported("ANALYZE"));
    }
    let name = words.name()?;
    let what = if words.take("COMPUTE STATISTICS") {
        Analysis::Statistics(Sampling::ALL)
    } else if words.take("ESTIMATE STATISTICS") {
        let mut sampling = Sampling::ALL;
        if words.take("SAMPLE") {
            let size = words.integer()?;
            if words.take("PERCENT") {
                if !(1..=99).contains(&size) {
                    return Err(words.error(1493, "invalid SAMPLE size specified"));
                }
                // From half of the rows on, all are read, as documented for ESTIMATE.
                if size < 50 {
                    sampling.percent = size as f64;
                }
            } else {
                words.expect("ROWS")?;
                words.notice("SAMPLE … ROWS has no effect: statistics are those of all rows");
            }
        }
        Analysis::Statistics(sampling)
    } else if words.take("DELETE STATISTICS") {
        words.take("SYSTEM");
        Analysis::Delete
    } else if !index && words.take("LIST CHAINED ROWS") {
        let into = if words.take("INTO") { words.name()? } else { (None, CHAINED_ROWS.to_owned()) };
        Analysis::ChainedRows { into }
    } else {
        return Err(words.unsupported("ANALYZE"));
    };
    if index && matches!(what, Analysis::Delete) {
        return Err(Error::unsupported("ANALYZE INDEX … DELETE STATISTICS"));
    }
    Ok(Command::Analyze { index, name, what })
}

fn no_list() -> Error {
    Error::user(1495, "specified chain row table not found")
}

impl Connection {
    pub(super) fn analyze(&mut self, index: bool, name: &Name, what: &Analysis) -> Result<()> {
        let (owner, name) = self.qualified(name);
        let session = Arc::clone(&self.session);
        if index {
            return session.gather_index_statistics(&owner, &name);
        }
        match what {
            Analysis::Statistics(sampling) => {
                let sizes = |_: &TableDef, _: usize| Ok(Size::Buckets(1));
                let how = (Gathering::Analyze, *sampling);
                session.gather_statistics_with(&owner, &name, how, &sizes).map(drop)
            }
            Analysis::Delete => session.delete_statistics(&owner, &name).map(drop),
            Analysis::ChainedRows { into } => {
                let table = Arc::clone(session.catalog().require_table(&owner, &name)?);
                self.list_chained_rows(&table, into)
            }
        }
    }

    fn list_chained_rows(&mut self, table: &Arc<TableDef>, (owner, name): &Name) -> Result<()> {
        let into = (owner.clone(), name.clone());
        let there = self.resolved(&into).map_err(|error| if error.is_ora(942) { no_list() } else { error })?;
        if self.session.catalog().table(&there.owner, &there.name).is_none() {
            return Err(no_list());
        }
        let mut found: Vec<Rowid> = Vec::new();
        {
            let session = &self.session;
            let _seen = session.enter(session.begin_snapshot());
            storage::table::chained_rows(session, table, &mut |rowid| {
                found.push(rowid);
                Ok(())
            })?;
        }
        let quoted = |name: &str| format!("\"{name}\"");
        let into = match owner {
            Some(owner) => format!("{}.{}", quoted(owner), quoted(name)),
            None => quoted(name),
        };
        let text = format!(
            "insert into {into} (owner_name, table_name, head_rowid, analyze_timestamp) values (:b1, :b2, :b3, sysdate)"
        );
        let shared = Arc::clone(&self.shared);
        shared.recursively(|| {
            let cursor = self.parse(&text)?;
            let added = found.iter().try_for_each(|rowid| {
                let values = [&table.owner, &table.name].map(|name| Datum::varchar2(name.clone()));
                let [owner, name] = values;
                self.bind_numbered(cursor, &[owner, name, Datum::varchar2(rowid.to_string())])?;
                self.execute(cursor).map(drop).map_err(|error| Error { position: None, ..error })
            });
            self.close(cursor);
            added
        })?;
        self.commit_implicitly()
    }
}
