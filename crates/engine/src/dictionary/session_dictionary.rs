//! The dictionary as one session sees it, and the queries of its worker.

use common::sync::{Arc, Mutex, RwLock};
use common::{ObjectNumber, Result};
use waits::{LatchName, Meter};

use super::IndexDef;
use super::catalog::Catalog;
use storage::rollback::{self, Segments};
use storage::segment::Segment;
use storage::txn::{Definitions, Worker};
use storage::undo::Record;

/// The last lookup of a table's segment: the catalog, the object, the result.
type SegmentLookup = (Arc<Catalog>, ObjectNumber, Option<Arc<Segment>>);

/// The catalog of all sessions, and the session's own while it makes an object.
#[derive(Debug)]
pub(crate) struct SessionDictionary {
    kept: Arc<RwLock<Arc<Catalog>>>,
    meter: Arc<Meter>,
    /// While a statement of the session fills a table that it makes: the catalog with the table in it.
    making: Mutex<Option<Arc<Catalog>>>,
    found: Mutex<Option<SegmentLookup>>,
}

impl SessionDictionary {
    pub(crate) fn new(kept: Arc<RwLock<Arc<Catalog>>>, meter: Arc<Meter>) -> Self {
        Self { kept, meter, making: Mutex::default(), found: Mutex::default() }
    }

    /// The catalog that the session sees.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let making = self.making.lock().clone();
        making.unwrap_or_else(|| self.kept())
    }

    /// The catalog of all sessions.
    pub(crate) fn kept(&self) -> Arc<Catalog> {
        self.meter.latch_shared(LatchName::RowCacheObjects, &self.kept).clone()
    }

    /// True: a statement of the session fills a table that it makes.
    pub(crate) fn is_making(&self) -> bool {
        self.making.lock().is_some()
    }

    /// Sets the catalog that the session sees; None: that of all sessions.
    pub(crate) fn set_making(&self, making: Option<Arc<Catalog>>) {
        *self.making.lock() = making;
    }
}

impl Definitions for SessionDictionary {
    fn undo(&self, worker: &Worker, records: &[Record]) -> Result<()> {
        let undone = rollback::undo(worker, self, records);
        *self.found.lock() = None;
        undone
    }

    fn data_object(&self, table: ObjectNumber) -> Option<ObjectNumber> {
        self.catalog().table_by_number(table).map(|table| table.segment.data_object())
    }
}

impl Segments for SessionDictionary {
    fn table(&self, data_object: ObjectNumber) -> Option<Arc<Segment>> {
        let catalog = self.catalog();
        let mut found = self.found.lock();
        if let Some((of, object, segment)) = &*found
            && Arc::ptr_eq(of, &catalog)
            && *object == data_object
        {
            return segment.clone();
        }
        let segments = || catalog.tables().map(|table| &table.segment);
        let segment = segments().find(|segment| segment.data_object() == data_object).cloned();
        *found = Some((catalog.clone(), data_object, segment.clone()));
        segment
    }

    fn index(&self, data_object: ObjectNumber) -> Result<Option<Arc<IndexDef>>> {
        let catalog = self.catalog();
        if let Some(index) = catalog.indexes().find(|index| index.segment.data_object() == data_object) {
            return Ok(Some(index.clone()));
        }
        match catalog.unusable().next() {
            None => Ok(None),
            // An unreadable index may be this one. Its entries must not count as undone.
            Some((_, error)) => Err(error.clone()),
        }
    }
}
