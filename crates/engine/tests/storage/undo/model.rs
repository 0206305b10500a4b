//! Random transactions over small undo tablespaces, against a model of every record: those of active transactions are
//! read back along both chains, those of ended ones are right or too old.

use std::collections::HashMap;
use std::path::Path;

use common::{BlockAddress, BlockSize, Scn, Uba, Xid};

use super::fixture::{Database, check, fixed, write};
use storage::parameters::Parameter;
use storage::undo::{OwnedPrevious, Record, TransactionState, UndoWriter};

pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// An open transaction and its records that are not undone.
pub(super) struct Open {
    pub(super) writer: UndoWriter,
    pub(super) records: Vec<Record>,
    by_block: HashMap<BlockAddress, Uba>,
}

impl Open {
    pub(super) fn new(writer: UndoWriter) -> Self {
        Self { writer, records: Vec::new(), by_block: HashMap::new() }
    }

    /// Writes a record of a random length; false when there is no room.
    pub(super) fn write(&mut self, s: &engine::instance::Session, dice: &mut Dice) -> bool {
        let length = match dice.below(20) {
            0 => dice.below(6_000),
            1..=4 => dice.below(800),
            _ => dice.below(40),
        } as usize;
        if let Err(error) = self.writer.reserve(s, length) {
            assert!(error.is_ora(30036), "{error}");
            return false;
        }
        let seed = dice.below(1 << 20) as u32;
        let block = super::fixture::data_block(seed % 10);
        let previous =
            self.by_block.get(&block).map_or(OwnedPrevious::Itl([seed as u8; 24]), |uba| OwnedPrevious::Uba(*uba));
        let record = write(s, &mut self.writer, seed, length, previous);
        self.by_block.insert(block, record.uba);
        self.records.push(record);
        true
    }

    /// Takes back the newest `count` records.
    pub(super) fn undo(&mut self, s: &engine::instance::Session, count: usize) {
        for _ in 0..count {
            let record = self.records.pop().unwrap();
            assert_eq!(self.writer.last(), record.uba);
            check(s, &record);
            match record.previous {
                OwnedPrevious::Itl(_) => self.by_block.remove(&record.block),
                OwnedPrevious::Uba(uba) => self.by_block.insert(record.block, uba),
            };
            self.writer.undone_to(s, record.uba).unwrap();
        }
    }

    pub(super) fn check(&self, s: &engine::instance::Session) {
        let mut at = self.writer.last();
        for record in self.records.iter().rev() {
            assert_eq!(at, record.uba);
            let found = s.undo().read(s, at, Some(self.writer.xid())).unwrap();
            assert_eq!(&found, record);
            at = found.chain;
            if let OwnedPrevious::Uba(previous) = found.previous {
                let older = s.undo().read(s, previous, Some(self.writer.xid())).unwrap();
                assert_eq!(older.block, found.block);
            }
        }
        assert!(at.is_none());
        assert_eq!(s.undo().state(s, self.writer.xid()).unwrap(), TransactionState::Active);
    }

    pub(super) fn end(mut self, s: &engine::instance::Session, commit: bool, scn: u64) -> Vec<Record> {
        if commit {
            self.writer.commit(s, self.writer.header_mut(s).unwrap(), Scn(scn));
            return self.records;
        }
        let count = self.records.len();
        self.undo(s, count);
        self.writer.rolled_back(s, self.writer.header_mut(s).unwrap(), Scn(scn));
        Vec::new()
    }
}

fn run(size: BlockSize, kilobytes: u64, uniform: Option<u64>, seed: u64) -> (usize, usize) {
    let mut dice = Dice::new(seed);
    let mut database = Database::new();
    let mut spec = fixed("UNDO2", size, kilobytes);
    spec.uniform_bytes = uniform;
    database.instance.create_undo_tablespace(&database.session, &spec, false).unwrap();
    database.set(Parameter::UndoTablespace, "UNDO2");
    let mut open: Vec<Open> = Vec::new();
    let mut ended: Vec<(Xid, u64, Vec<Record>)> = Vec::new();
    let (mut scn, mut right, mut too_old, mut full) = (100, 0, 0, 0);
    for _ in 0..4_000 {
        let s = database.session.clone();
        let pick = |dice: &mut Dice, open: &[Open]| dice.below(open.len().max(1) as u64) as usize;
        let at = pick(&mut dice, &open);
        match dice.below(100) {
            0..8 if open.len() < 25 => open.push(Open::new(database.begin())),
            8..15 if !open.is_empty() => {
                scn += 1;
                let transaction = open.swap_remove(at);
                let xid = transaction.writer.xid();
                ended.push((xid, scn, transaction.end(&s, dice.below(4) > 0, scn)));
            }
            15..18 if !open.is_empty() => {
                let count = dice.below(open[at].records.len() as u64 + 1) as usize;
                open[at].undo(&s, count);
            }
            18..20 if !open.is_empty() => open[at].check(&s),
            20..24 => database.clock.pass(dice.below(60)),
            24..30 if !ended.is_empty() => {
                let (xid, scn, records) = &ended[dice.below(ended.len() as u64) as usize];
                for record in records {
                    match s.undo().read(&s, record.uba, Some(*xid)) {
                        Ok(found) => {
                            assert_eq!(&found, record);
                            right += 1;
                        }
                        Err(error) => {
                            assert!(error.is_ora(1555), "{error}");
                            too_old += 1;
                        }
                    }
                }
                match s.undo().state(&s, *xid).unwrap() {
                    TransactionState::Active => panic!("{xid} has ended"),
                    TransactionState::Committed(found) => assert_eq!(found, Scn(*scn)),
                    TransactionState::CommittedBefore(bound) => assert!(bound >= Scn(*scn)),
                }
            }
            30 if dice.below(6) == 0 => {
                // A restart with transactions under way; those that had written are found, with their newest record.
                let old: Vec<_> =
                    open.drain(..).map(|t| (t.writer.xid(), t.writer.last(), t.records, t.by_block)).collect();
                drop(s);
                database = database.reopen();
                database.set(Parameter::UndoTablespace, "UNDO2");
                let mut expected: Vec<_> = old.iter().map(|(xid, last, ..)| (*xid, *last)).collect();
                expected.sort_unstable();
                assert_eq!(database.instance.undo().active(), expected);
                for (xid, _, records, by_block) in old {
                    let writer = database.instance.undo().resume(&database.session, xid).unwrap();
                    open.push(Open { writer, records, by_block });
                }
            }
            _ if !open.is_empty() => {
                for _ in 0..dice.below(12) {
                    if !open[at].write(&s, &mut dice) {
                        full += 1;
                        scn += 1;
                        let transaction = open.swap_remove(at);
                        ended.push((transaction.writer.xid(), scn, transaction.end(&s, false, scn)));
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    open.iter().for_each(|transaction| transaction.check(&database.session));
    let Database { files, clock, instance, session } = database;
    drop((open, session));
    instance.shutdown().unwrap();
    drop(instance);
    let report = engine::verify::verify(files, Path::new("/database"), clock, None).unwrap();
    let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(right > 0, "{full} times full, {too_old} too old");
    (full, too_old)
}

#[test]
fn random_transactions_agree_with_the_model_at_every_block_size() {
    for (seed, size) in BlockSize::ALL.into_iter().enumerate() {
        run(size, 4096, None, seed as u64 + 1);
    }
}

#[test]
fn random_transactions_agree_with_the_model_in_little_room() {
    let (mut full, mut too_old) = (0, 0);
    for seed in 0..6 {
        let (f, o) = run(BlockSize::K2, 400, Some(8 << 10), 100 + seed);
        full += f;
        too_old += o;
    }
    assert!(full > 0 && too_old > 0, "{full} times full, {too_old} too old");
}
