//! Enqueues of a segment: HW for its marks and extents, FB for the batches of blocks that are being formatted.

use common::BlockAddress;
use common::sync::atomic::{AtomicU32, AtomicU64};
use common::sync::{Condvar, Mutex, MutexGuard};
use waits::Enqueue;

use super::Segment;
use crate::txn::Worker;

/// Mode of both: exclusive.
const EXCLUSIVE: u16 = 6;

/// Shared by all definitions of a segment.
#[derive(Default, Debug)]
pub(super) struct SegmentLocks {
    /// HW: one session at a time moves a high-water mark or adds an extent.
    high_water: Mutex<()>,
    /// FB: the first blocks of the batches that are being formatted.
    batches: Mutex<Vec<BlockAddress>>,
    formatted: Condvar,
    /// How often the segment has been shrunk since the instance was started.
    pub(super) shrinks: AtomicU32,
    /// Snapshots older than this do not find here what they are to see.
    pub(super) readable_from: AtomicU64,
    /// The segment was given up under this data object number, and those before it.
    pub(super) given_up: AtomicU32,
}

/// The FB enqueue of a batch of blocks, until it is dropped.
pub(super) struct Formatting<'a> {
    locks: &'a SegmentLocks,
    batch: BlockAddress,
}

impl Drop for Formatting<'_> {
    fn drop(&mut self) {
        self.locks.batches.lock().retain(|batch| *batch != self.batch);
        self.locks.formatted.notify_all();
    }
}

impl SegmentLocks {
    fn take(&self, batches: &mut Vec<BlockAddress>, batch: BlockAddress) -> Option<Formatting<'_>> {
        if batches.contains(&batch) {
            return None;
        }
        batches.push(batch);
        Some(Formatting { locks: self, batch })
    }

    fn wait(&self, batch: BlockAddress) -> Formatting<'_> {
        let mut batches = self.batches.lock();
        loop {
            match self.take(&mut batches, batch) {
                Some(formatting) => return formatting,
                None => self.formatted.wait(&mut batches),
            }
        }
    }
}

impl Segment {
    /// Takes the HW enqueue; a wait for it is a wait event.
    pub(super) fn growing(&self, s: &Worker) -> MutexGuard<'_, ()> {
        let at = [u64::from(self.tablespace.number().0), u64::from(self.header.pack())];
        let lock = &self.locks.high_water;
        let object = i64::from(self.spec.data_object.0);
        s.meter().take_enqueue(Enqueue::HwContention, EXCLUSIVE, at, object, || lock.try_lock(), || lock.lock())
    }

    /// Takes the FB enqueue of the batch that begins with a block. Whoever holds it waits for latches only, and for nobody who waits for it: of a table's
    /// segment no block is latched by those who want it, and those who want it of an index's never wait for room in the log.
    pub(super) fn formatting(&self, s: &Worker, batch: BlockAddress) -> Formatting<'_> {
        let at = [u64::from(self.tablespace.number().0), u64::from(batch.pack())];
        let locks = &*self.locks;
        let try_take = || locks.take(&mut locks.batches.lock(), batch);
        let object = i64::from(self.spec.data_object.0);
        s.meter().take_enqueue(Enqueue::FbContention, EXCLUSIVE, at, object, try_take, || locks.wait(batch))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use common::sync::{Arc, spawn};
    use common::{DataType, SystemClock};
    use device::MemoryFileSystem;
    use waits::Event;

    use super::*;
    use crate::catalog::{ColumnDef, TableSpec};
    use crate::instance::{CreateOptions, Instance};
    use crate::table::Inserter;

    #[test]
    fn who_wants_a_batch_that_another_formats_or_a_mark_that_another_moves_waits_for_it() {
        let files = Arc::new(MemoryFileSystem::new());
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files, Path::new("/database"), clock, None, &CreateOptions::default()).unwrap();
        let (one, two) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
        let column = ColumnDef { name: "N".to_owned(), data_type: DataType::Date, nullable: true, default: None };
        let table = one.create_table(&TableSpec::new("SYSTEM", "T", vec![column])).unwrap();
        let segment = &table.segment;
        let (tablespace, object) = (u64::from(segment.tablespace.number().0), i64::from(segment.data_object().0));
        // The first batch of the first extent begins with its first bitmap block.
        let batch = segment.extents(&one).unwrap()[0].start;
        let cases = [
            (Enqueue::FbContention, Event::EnqFbContention, u64::from(batch.pack())),
            (Enqueue::HwContention, Event::EnqHwContention, u64::from(segment.header.pack())),
        ];
        for (enqueue, event, place) in cases {
            let before = two.meter().snapshot();
            let formatting = (event == Event::EnqFbContention).then(|| segment.formatting(&one, batch));
            let growing = formatting.is_none().then(|| segment.growing(&one));
            let (session, table) = (two.clone(), table.clone());
            let work = move || {
                if event == Event::EnqHwContention {
                    drop(table.segment.growing(&session));
                    return;
                }
                let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
                inserter.push(&[None]).unwrap();
                inserter.finish().unwrap();
            };
            let thread = spawn("waiter", work).unwrap();
            let wait = loop {
                match two.meter().current_wait() {
                    Some(wait) if wait.event == event => break wait,
                    _ => std::thread::yield_now(),
                }
            };
            assert_eq!((wait.parameters, wait.object), ([enqueue.name_mode(6), tablespace, place], object));
            drop((formatting, growing));
            thread.join().unwrap();
            let counted = two.meter().snapshot().minus(&before);
            let totals = counted.enqueue(enqueue);
            assert_eq!((totals.waits, totals.failed), (1, 0));
            assert!(totals.succeeded >= 1);
        }
        two.rollback().unwrap();
        instance.shutdown().unwrap();
    }
}
