//! The shared cursors: parsed statements by text, user and dictionary version. Finding one is a soft parse, making one a hard parse.

use std::collections::HashMap;
use std::sync::Arc;

use common::Result;
use common::sync::Mutex;
use common::sync::atomic::{AtomicU64, Ordering};

use crate::statement::parse::{Statement, parse};

/// Cursors kept. When there are more, all that no session has open go.
const CURSORS_MAX: usize = 2000;

/// A parsed statement that sessions share.
#[derive(Debug)]
pub(crate) struct SharedCursor {
    pub(crate) text: String,
    pub(crate) sql_id: String,
    pub(crate) hash: u32,
    /// Tells cursors apart in traces.
    pub(crate) address: u64,
    pub(crate) statement: Statement,
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct Key {
    text: String,
    schema: String,
    catalog_version: u64,
}

/// The shared cursors of an instance.
#[derive(Debug, Default)]
pub(crate) struct Library {
    cursors: Mutex<HashMap<Key, Arc<SharedCursor>>>,
    next_address: AtomicU64,
}

impl Library {
    /// The cursor for this text, and whether it had to be made.
    pub(crate) fn find(&self, text: &str, schema: &str, catalog_version: u64) -> Result<(Arc<SharedCursor>, bool)> {
        let key = Key { text: text.to_owned(), schema: schema.to_owned(), catalog_version };
        if let Some(found) = self.cursors.lock().get(&key) {
            return Ok((Arc::clone(found), false));
        }
        let statement = parse(text)?;
        let cursor = Arc::new(SharedCursor {
            text: text.to_owned(),
            sql_id: waits::sql_id(text),
            hash: waits::sql_hash(text),
            address: 0x7F00_0000 + self.next_address.fetch_add(0x100, Ordering::Relaxed),
            statement,
        });
        let mut cursors = self.cursors.lock();
        if cursors.len() >= CURSORS_MAX {
            cursors.retain(|key, cursor| key.catalog_version == catalog_version && Arc::strong_count(cursor) > 1);
        }
        // DDL is not worth keeping: its text hardly comes again.
        if !matches!(cursor.statement, Statement::Command(_)) {
            cursors.insert(key, Arc::clone(&cursor));
        }
        Ok((cursor, true))
    }

    /// ALTER SYSTEM FLUSH SHARED_POOL.
    pub(crate) fn flush(&self) {
        self.cursors.lock().clear();
    }
}
