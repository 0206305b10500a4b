//! The dictionary as one session sees it, and what its worker asks of it.

use common::sync::{Arc, Mutex, RwLock};
use common::{ObjectNumber, Result};
use waits::{LatchName, Meter};

use super::IndexDef;
use super::catalog::Catalog;
use storage::rollback::{self, Segments};
use storage::segment::Segment;
use storage::txn::{Definitions, Worker};
use storage::undo::Record;

/// A table's segment as it was found last, and in which dictionary.
type Found = (Arc<Catalog>, ObjectNumber, Option<Arc<Segment>>);

/// The dictionary of everybody, and what the session is making.
#[derive(Debug)]
pub(crate) struct SessionDictionary {
    kept: Arc<RwLock<Arc<Catalog>>>,
    meter: Arc<Meter>,
    /// While a statement of the session fills a table that it makes: the dictionary with the table in it.
    making: Mutex<Option<Arc<Catalog>>>,
    found: Mutex<Option<Found>>,
}

impl SessionDictionary {
    pub(crate) fn new(kept: Arc<RwLock<Arc<Catalog>>>, meter: Arc<Meter>) -> Self {
        Self { kept, meter, making: Mutex::default(), found: Mutex::default() }
    }

    /// The dictionary as of now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let making = self.making.lock().clone();
        making.unwrap_or_else(|| self.kept())
    }

    /// The dictionary as it is for everybody.
    pub(crate) fn kept(&self) -> Arc<Catalog> {
        self.meter.latch_shared(LatchName::RowCacheObjects, &self.kept).clone()
    }

    /// Whether a statement of the session fills a table that it makes.
    pub(crate) fn is_making(&self) -> bool {
        self.making.lock().is_some()
    }

    /// From now on the session sees this dictionary; None: that of everybody.
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
            // One that could not be read may be this one. Its entries must not be taken for taken back.
            Some((_, error)) => Err(error.clone()),
        }
    }
}
