//! What is appended comes back.

use common::sync::Arc;
use device::MemoryFileSystem;
use proptest::prelude::*;
use waits::Statistic;

use super::stage::{Stage, record};
use crate::redo::{EndReason, Lsn};

fn memory() -> Arc<MemoryFileSystem> {
    Arc::new(MemoryFileSystem::new())
}

#[test]
fn records_come_back_in_order_with_their_places() {
    let stage = Stage::new(memory(), &[(1, 200), (1, 200)]);
    let log = stage.open();
    let meter = stage.meter();
    let mut end = Lsn(0);
    let wanted: Vec<_> = (0..50).map(|i| record(i, 24 + 37 * i as usize)).collect();
    for record in &wanted {
        let (start, after) = log.append(&meter, record).unwrap();
        assert_eq!((start, after.0), (end, end.0 + record.len() as u64));
        end = after;
        log.wait_durable(&meter, end).unwrap();
        assert!(log.durable() >= end);
    }
    assert_eq!(meter.value(Statistic::RedoEntries), 50);
    assert_eq!(meter.value(Statistic::RedoSize), end.0);
    assert_eq!(meter.value(Statistic::RedoSynchWrites), 50);
    // The check of the block size, exact here.
    let (blocks, wastage) = (stage.lgwr.value(Statistic::RedoBlocksWritten), stage.lgwr.value(Statistic::RedoWastage));
    assert_eq!((end.0 + wastage) / blocks + 16, 512);
    assert_eq!(stage.lgwr.value(Statistic::RedoWrites), 50);
    drop(log);
    let (records, read) = stage.read().unwrap();
    assert_eq!(records, wanted);
    assert_eq!((read.why, read.lsn, read.blocks_read), (EndReason::NoMoreBlocks, end, blocks));
    let log = stage.try_open(Some(read)).unwrap();
    assert_eq!((log.sequence(), log.end()), (2, end));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Records of any length, switches, checkpoints and restarts at any time.
    #[test]
    fn random_records_survive(steps in prop::collection::vec((0_u8..20, 24_usize..6000), 1..150)) {
        let mut stage = Stage::new(memory(), &[(1, 90), (2, 120), (1, 64)]);
        stage.buffer_bytes = 40_000;
        let meter = stage.meter();
        let mut log = stage.open();
        let mut wanted: Vec<(Lsn, Vec<u8>)> = Vec::new();
        let mut checkpoint = Lsn(0);
        for (number, (step, bytes)) in steps.into_iter().enumerate() {
            match step {
                0 => {
                    stage.checkpoint(&log, log.end());
                    checkpoint = log.end();
                    log.switch(&meter).unwrap();
                }
                1 => {
                    log.shutdown().unwrap();
                    drop(log);
                    let at = stage.read().unwrap().1;
                    *stage.control.checkpoint.lock() = Some(at.rba());
                    checkpoint = at.lsn;
                    log = stage.try_open(None).unwrap();
                }
                _ => {
                    stage.checkpoint(&log, log.end());
                    checkpoint = log.end();
                    let record = record(number as u64, bytes);
                    let (start, end) = log.append(&meter, &record).unwrap();
                    wanted.push((start, record));
                    if step < 8 {
                        log.wait_durable(&meter, end).unwrap();
                    }
                }
            }
        }
        log.flush(log.end()).unwrap();
        drop(log);
        let (records, _) = stage.read().unwrap();
        let wanted: Vec<_> = wanted.into_iter().filter(|(start, _)| *start >= checkpoint).map(|(_, r)| r).collect();
        prop_assert!(records.ends_with(&wanted));
    }
}
