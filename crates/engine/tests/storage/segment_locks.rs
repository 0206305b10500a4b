//! Waits for the right to grow a segment, and to format a batch of its blocks.

use std::path::Path;

use common::sync::{Arc, spawn};
use common::{DataType, SystemClock};
use device::MemoryFileSystem;
use waits::{Enqueue, Event};

use engine::ddl::TableSpec;
use engine::dictionary::ColumnDef;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use storage::table::Inserter;

#[test]
fn a_session_waits_for_another_that_formats_the_batch_or_moves_the_mark() {
    let files = Arc::new(MemoryFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(files, Path::new("/database"), clock, None, &CreateOptions::default()).unwrap();
    let (one, two) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let column = ColumnDef { name: "N".to_owned(), data_type: DataType::Date, nullable: true, default: None };
    let table = one.create_table(&TableSpec::new("SYSTEM", "T", vec![column])).unwrap();
    let segment = &table.segment;
    let (tablespace, object) = (u64::from(segment.tablespace().number().0), i64::from(segment.data_object().0));
    // The first batch of the first extent begins with its first bitmap block.
    let batch = segment.extents(&one).unwrap()[0].start;
    let cases = [
        (Enqueue::FbContention, Event::EnqFbContention, u64::from(batch.pack())),
        (Enqueue::HwContention, Event::EnqHwContention, u64::from(segment.header().pack())),
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
