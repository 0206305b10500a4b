//! The shared cursors: parsed statements by text, user and dictionary version. Finding one is a soft parse, making one
//! a hard parse.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use common::Result;
use common::sync::Mutex;
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use engine::instance::Session;
use plsql::library::Uses;
use waits::{SqlSource, SqlStatement};

use super::child::Child;
use crate::explain::hints::{self, StatementHint};
use crate::explain::plan::CursorPlan;
use crate::statement::parse::{Statement, parse};

/// Cursors kept. Above this, all that no session has open are dropped.
const CURSORS_MAX: usize = 2000;

/// A parsed statement that sessions share.
#[derive(Debug)]
pub(crate) struct SharedCursor {
    pub(crate) text: Arc<str>,
    pub(crate) sql_id: Arc<str>,
    pub(crate) hash: u32,
    /// Tells cursors apart in traces.
    pub(crate) address: u64,
    pub(crate) statement: Statement,
    pub(crate) hints: Arc<[StatementHint]>,
    /// It has the hint GATHER_PLAN_STATISTICS.
    pub(crate) gathers: bool,
    /// The plan of its last execution that has ended.
    plan: Mutex<Option<Arc<CursorPlan>>>,
    /// Counters of its calls.
    figures: OnceLock<Arc<SqlStatement>>,
    pub(crate) children: Mutex<Vec<Arc<Child>>>,
    /// It has been executed, so an execution's needs are cached.
    pub(crate) executed: AtomicBool,
}

impl SharedCursor {
    pub(crate) fn plan(&self) -> Option<Arc<CursorPlan>> {
        self.plan.lock().clone()
    }

    pub(crate) fn has_plan(&self) -> bool {
        self.plan.lock().is_some()
    }

    /// Keeps the plan of an execution, with its figures and the sum over executions.
    pub(crate) fn keep_plan(&self, plan: CursorPlan) {
        let mut kept = self.plan.lock();
        let plan = plan.after(kept.as_deref());
        *kept = Some(Arc::new(plan));
    }

    /// The counters of the statement's calls, for V$SQL.
    pub(crate) fn figures(&self, session: &Session, schema: &str) -> &SqlStatement {
        self.figures.get_or_init(|| {
            let work = session.work();
            let source = SqlSource {
                text: without_password(&self.text),
                sql_id: Arc::clone(&self.sql_id),
                hash: self.hash,
                command: self.statement.verb().1,
                schema: schema.into(),
                module: work.module,
                action: work.action,
            };
            session.instance().sql_area().statement(session.meter(), &source)
        })
    }
}

/// The text for other users: without the password after IDENTIFIED BY.
fn without_password(text: &Arc<str>) -> Arc<str> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower[from..].find("identified") {
        let after = from + found + "identified".len();
        let rest = lower[after..].trim_start();
        if rest.starts_with("by") && rest[2..].starts_with(char::is_whitespace) {
            return format!("{} BY *", &text[..after]).into();
        }
        from = after;
    }
    Arc::clone(text)
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct Key {
    text: String,
    schema: String,
}

/// A cursor, and the version of the dictionary that it was parsed by.
#[derive(Debug)]
struct Known {
    cursor: Arc<SharedCursor>,
    catalog_version: u64,
}

/// The shared cursors of an instance.
#[derive(Debug, Default)]
pub(crate) struct Library {
    cursors: Mutex<HashMap<Key, Known>>,
    next_address: AtomicU64,
    /// Number of the last plan in plan tables.
    last_plan: AtomicU64,
    /// Lookups of cursors: the namespace SQL AREA.
    pub(crate) uses: Uses,
}

impl Library {
    /// The cursor for this text; true when it was made (a hard parse).
    pub(crate) fn find(&self, text: &str, schema: &str, catalog_version: u64) -> Result<(Arc<SharedCursor>, bool)> {
        let key = Key { text: text.to_owned(), schema: schema.to_owned() };
        let stale = match self.cursors.lock().get(&key) {
            Some(found) if found.catalog_version == catalog_version => {
                self.uses.found();
                return Ok((Arc::clone(&found.cursor), false));
            }
            other => other.is_some(),
        };
        self.uses.made(stale);
        let statement = parse(text)?;
        let hints = hints::of(&statement, text);
        let cursor = Arc::new(SharedCursor {
            text: text.into(),
            sql_id: waits::sql_id(text).into(),
            hash: waits::sql_hash(text),
            address: 0x7F00_0000 + self.next_address.fetch_add(0x100, Ordering::Relaxed),
            gathers: hints::gathers(&hints),
            hints,
            plan: Mutex::default(),
            statement,
            figures: OnceLock::new(),
            children: Mutex::default(),
            executed: AtomicBool::new(false),
        });
        let mut cursors = self.cursors.lock();
        if cursors.len() >= CURSORS_MAX {
            cursors.retain(|_, known| known.catalog_version == catalog_version && Arc::strong_count(&known.cursor) > 1);
        }
        // DDL is not kept: its text hardly repeats.
        if !matches!(cursor.statement, Statement::Command(..)) {
            cursors.insert(key, Known { cursor: Arc::clone(&cursor), catalog_version });
        }
        Ok((cursor, true))
    }

    /// The number of a plan that goes into a plan table whose last one has the number `known`.
    pub(crate) fn next_plan(&self, known: u64) -> u64 {
        self.last_plan.fetch_max(known, Ordering::Relaxed);
        self.last_plan.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The cursor of an identifier; of several, in several schemas, one that has a plan.
    pub(crate) fn by_sql_id(&self, sql_id: &str) -> Option<Arc<SharedCursor>> {
        let cursors = self.cursors.lock();
        let found = cursors.values().map(|known| &known.cursor).filter(|cursor| *cursor.sql_id == *sql_id);
        found.max_by_key(|cursor| cursor.plan().is_some()).map(Arc::clone)
    }

    /// The cursors that have plans, by identifier.
    pub(crate) fn plans(&self) -> Vec<(Arc<SharedCursor>, Arc<CursorPlan>)> {
        let cursors = self.cursors.lock();
        let mut found: Vec<_> =
            cursors.values().filter_map(|known| Some((Arc::clone(&known.cursor), known.cursor.plan()?))).collect();
        found.sort_by(|(a, _), (b, _)| (&a.sql_id, a.address).cmp(&(&b.sql_id, b.address)));
        found
    }

    /// The child cursors, by identifier of their cursors and by number.
    pub(crate) fn children(&self) -> Vec<(Arc<SharedCursor>, Arc<Child>)> {
        let cursors = self.cursors.lock();
        let each = |known: &Known| {
            let children = known.cursor.children.lock().clone();
            children.into_iter().map(|child| (Arc::clone(&known.cursor), child)).collect::<Vec<_>>()
        };
        let mut found: Vec<_> = cursors.values().flat_map(each).collect();
        found.sort_by(|(a, x), (b, y)| (&a.sql_id, a.address, x.number).cmp(&(&b.sql_id, b.address, y.number)));
        found
    }

    /// ALTER SYSTEM FLUSH SHARED_POOL.
    pub(crate) fn flush(&self) {
        self.cursors.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = |text: &str| without_password(&text.into()).to_string();
        assert_eq!(shown("create user scott Identified  by tiger quota 1 on t"), "create user scott Identified BY *");
        assert_eq!(shown("select identified, by_ from t"), "select identified, by_ from t");
        assert_eq!(shown("select identified bypass from t"), "select identified bypass from t");
    }
}
