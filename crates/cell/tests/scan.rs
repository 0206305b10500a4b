//! What a cell answers, beside a scan of the same blocks here.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io;
use std::path::Path;

use cell::{
    Answer, Cell, Extreme, Figures, FlashUse, Item, Letter, LocalCell, Mailbox, PIECE_BYTES, Reason, ScanRequest,
};
use common::sync::Arc;
use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn, Uba, Xid};
use device::{Device, FileSystem, MemoryFileSystem};
use format::block::{self, BlockType};
use format::heap::row::{self, encode_piece};
use format::heap::{self, RowAddress};
use format::index::header::{self, KeyShape};
use format::index::{branch, key, leaf};
use format::itl;
use format::transaction::{self, BlockOwner, Owner};
use proptest::prelude::*;
use scan::{Comparison, Predicate, RowSink, ScanSpec, Scanner};

const OBJECT: ObjectNumber = ObjectNumber(77);
const SIZE: BlockSize = BlockSize::K2;
const FIRST: BlockAddress = BlockAddress { file: FileNumber(5), block: 130 };
/// Where the blocks begin on the disk.
const OFFSET: u64 = 3 << 20;

type Row = Vec<Option<Vec<u8>>>;

#[derive(Default, PartialEq, Debug)]
struct Collector {
    at: Option<BlockAddress>,
    rows: Vec<(Option<BlockAddress>, u16, Row)>,
    counted: usize,
}

impl RowSink for Collector {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        assert_eq!(object, OBJECT);
        self.at = Some(address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let slot = if self.at.is_some() { slot } else { 0 };
        self.rows.push((self.at, slot, columns.iter().map(|column| column.map(<[u8]>::to_vec)).collect()));
    }

    fn rows(&mut self, count: usize) {
        self.counted += count;
    }
}

fn empty(address: BlockAddress, object: ObjectNumber) -> Vec<u8> {
    let mut bytes = vec![0; SIZE.bytes()];
    block::format(&mut bytes, BlockType::Data, address);
    heap::init(&mut bytes, BlockOwner { owner: Owner::Table, object, itl_slots: 2, bitmap: None });
    bytes
}

fn insert(block: &mut [u8], row: &Row, next: Option<RowAddress>) -> Option<u16> {
    let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
    let mut piece = Vec::new();
    let flags = if next.is_some() { row::HEAD | row::FIRST } else { row::WHOLE };
    encode_piece(flags, None, next, &columns, &mut piece);
    heap::insert(block, &piece)
}

fn filled(number: u32, rows: &[Row]) -> Vec<u8> {
    let mut block = empty(FIRST.plus(number), OBJECT);
    for row in rows {
        let _ = insert(&mut block, row, None);
    }
    block::touch(&mut block, Scn(50));
    block
}

/// A cell whose only disk has these blocks.
fn cell_with(blocks: &[Vec<u8>], inline: bool) -> (Arc<dyn Device>, LocalCell) {
    let files = Arc::new(MemoryFileSystem::new());
    files.create_directory(Path::new("/cell01")).unwrap();
    let disk = files.create(Path::new("/cell01/DISK"), OFFSET + (4 << 20)).unwrap();
    for (number, block) in blocks.iter().enumerate() {
        let mut sealed = block.clone();
        block::seal(&mut sealed);
        disk.write_at(OFFSET + (number * SIZE.bytes()) as u64, &[&sealed]).unwrap();
    }
    (disk, LocalCell::new(files, Path::new("/cell01"), inline))
}

fn request(blocks: u32, spec: ScanSpec) -> ScanRequest {
    ScanRequest {
        disk: "DISK".into(),
        offset: OFFSET,
        block_size: SIZE,
        first: FIRST,
        blocks,
        gaps: Vec::new(),
        object: OBJECT,
        snapshot: Scn(100),
        ended_before: Scn(0),
        storage_index: true,
        index: None,
        flash: FlashUse::Default,
        extremes: Vec::new(),
        busy_percent: None,
        spec,
    }
}

type Whole = (Reason, BlockAddress, Option<Vec<u8>>);

/// All letters that a request brings.
fn letters(cell: &LocalCell, request: Vec<u8>, blocks: u32) -> Vec<io::Result<Vec<u8>>> {
    let mailbox = Arc::new(Mailbox::default());
    cell.submit_scan(request, Box::new(mailbox.reply(9)));
    let (mut letters, mut answered) = (Vec::new(), 0);
    while answered < blocks {
        let Letter { tag, answer } = mailbox.wait();
        assert_eq!(tag, 9);
        answered = match &answer {
            Ok(message) => answered + Answer::new(message.clone(), 1).unwrap().blocks().1,
            Err(_) => blocks,
        };
        letters.push(answer);
    }
    assert!(mailbox.take().is_none());
    letters
}

/// All answers to a request, by so many rows at a time.
fn ask(cell: &LocalCell, request: &ScanRequest, rows: usize) -> (Collector, Vec<Whole>, Figures) {
    let (mut sink, mut whole, mut sum) = (Collector::default(), Vec::new(), Figures::default());
    let mut next = request.first;
    for message in letters(cell, request.encode(), request.blocks) {
        let mut answer =
            Answer::new(message.unwrap(), if request.index.is_some() { 1 } else { request.spec.projection.len() })
                .unwrap();
        let (first, blocks) = answer.blocks();
        assert_eq!(first, next);
        next = next.plus(blocks);
        let Figures { examined, blocks, bytes_read, bytes_flash, bytes_saved, helped } = answer.figures();
        sum.examined += examined;
        sum.blocks += blocks;
        sum.bytes_read += bytes_read;
        sum.bytes_flash += bytes_flash;
        sum.bytes_saved += bytes_saved;
        sum.helped += helped;
        loop {
            let before = sink.rows.len() + sink.counted;
            match answer.next(&mut sink, rows).unwrap() {
                Item::Rows(count) => {
                    assert!(count <= rows && sink.rows.len() + sink.counted == before + count);
                }
                Item::Block { reason, address, bytes } => whole.push((reason, address, bytes.map(<[u8]>::to_vec))),
                Item::End => break,
            }
        }
    }
    (sink, whole, sum)
}

fn a_row() -> impl Strategy<Value = Row> {
    proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u8>(), 0..40)), 1..4)
}

fn a_spec() -> impl Strategy<Value = ScanSpec> {
    let predicate = prop_oneof![
        Just(None),
        (0..4_u16, any::<u8>()).prop_map(|(column, byte)| Some(Predicate::compare(column, Comparison::Less, &[byte]))),
        (0..4_u16).prop_map(|column| Some(Predicate::IsNull(column))),
    ];
    (proptest::collection::vec(0..5_u16, 0..4), predicate, any::<bool>())
        .prop_map(|(projection, predicate, rowids)| ScanSpec { projection, predicate, rowids })
}

proptest! {
    #[test]
    fn a_cell_finds_what_a_scan_here_finds(
        blocks in proptest::collection::vec(proptest::collection::vec(a_row(), 0..12), 1..8),
        spec in a_spec(),
        rows in 1..30_usize,
        inline in any::<bool>(),
    ) {
        let blocks: Vec<Vec<u8>> = (0..).zip(&blocks).map(|(number, rows)| filled(number, rows)).collect();
        let mut expected = Collector::default();
        let mut scanner = Scanner::new(spec.clone());
        let mut examined = 0;
        for block in &blocks {
            examined += scanner.scan_block(block, 0, usize::MAX, &mut expected).examined as u64;
        }
        if !spec.rowids {
            expected.rows.iter_mut().for_each(|(_, slot, _)| *slot = 0);
        }
        let (cell, count) = (cell_with(&blocks, inline), blocks.len() as u32);
        let (found, whole, figures) = ask(&cell.1, &request(count, spec), rows);
        prop_assert_eq!(found.rows, expected.rows);
        prop_assert_eq!(found.counted, expected.counted);
        prop_assert!(whole.is_empty());
        let bytes_read = u64::from(count) * SIZE.bytes() as u64;
        let expected = Figures { examined, blocks: count.into(), bytes_read, ..Figures::default() };
        prop_assert_eq!(figures, expected);
    }
}

/// A block in which a transaction has inserted a row, at SCN 60.
fn changed(number: u32) -> (Vec<u8>, Xid) {
    let xid = Xid { segment: 3, slot: 4, sequence: 5 };
    let mut block = filled(number, &[vec![Some(b"old".to_vec())]]);
    let uba = Uba { block: BlockAddress::new(FileNumber(2), 9), sequence: 1, record: 0 };
    assert!(itl::take(&mut block, 1, xid, uba));
    insert(&mut block, &vec![Some(b"new".to_vec())], None).unwrap();
    block::touch(&mut block, Scn(60));
    (block, xid)
}

fn values(found: &Collector) -> Vec<&[u8]> {
    found.rows.iter().filter_map(|(_, _, row)| row[0].as_deref()).collect()
}

#[test]
fn what_a_cell_cannot_decide_comes_back_whole_with_the_reason() {
    let first = ScanSpec { projection: vec![0], ..ScanSpec::default() };
    let (running, _) = changed(1);
    let (mut late, _) = changed(2);
    itl::commit(&mut late, 1, Scn(101));
    let mut chained = filled(3, &[vec![Some(b"a".to_vec())]]);
    let elsewhere = RowAddress::new(FIRST.plus(40), 0);
    insert(&mut chained, &vec![Some(b"begins".to_vec())], Some(elsewhere)).unwrap();
    let other = empty(FIRST.plus(4), ObjectNumber(78));
    let damaged = filled(5, &[]);
    let last = filled(6, &[vec![Some(b"z".to_vec())]]);
    let blocks = [filled(0, &[vec![Some(b"first".to_vec())]]), running, late, chained, other, damaged, last];
    let (disk, cell) = cell_with(&blocks, true);
    disk.write_at(OFFSET + 5 * SIZE.bytes() as u64 + 700, &[b"damage"]).unwrap();
    let (found, whole, figures) = ask(&cell, &request(7, first), 100);
    assert_eq!(values(&found), [&b"first"[..], b"z"]);
    let reasons: Vec<_> = whole.iter().map(|(reason, address, _)| (*reason, address.block - FIRST.block)).collect();
    let expected =
        [(Reason::Undo, 1), (Reason::Undo, 2), (Reason::Chained, 3), (Reason::Other, 4), (Reason::Unsound, 5)];
    assert_eq!(reasons, expected);
    for (reason, address, bytes) in &whole {
        assert_eq!(bytes.is_none(), *reason == Reason::Unsound);
        assert!(bytes.as_ref().is_none_or(|bytes| block::check(bytes, *address).is_ok()));
    }
    assert_eq!((figures.examined, figures.bytes_read), (2, 9 * SIZE.bytes() as u64));
}

#[test]
fn transactions_that_had_ended_are_told_by_the_scn_of_their_changes() {
    let spec = ScanSpec { projection: vec![0], ..ScanSpec::default() };
    let (inserted, _) = changed(0);
    // A row that the transaction has deleted is not there.
    let (mut deleted, xid) = changed(1);
    let number = itl::find(&deleted, xid).unwrap();
    assert!(heap::mark_deleted(&mut deleted, 0, number));
    block::touch(&mut deleted, Scn(60));
    let (_, cell) = cell_with(&[inserted, deleted], true);
    let known = |before: u64| ScanRequest { ended_before: Scn(before), ..request(2, spec.clone()) };
    let (found, whole, figures) = ask(&cell, &known(61), 100);
    assert_eq!((values(&found), whole.len(), figures.helped), (vec![&b"old"[..], b"new", b"new"], 0, 2));
    // The change at SCN 60 may be of a transaction that runs.
    let (found, whole, figures) = ask(&cell, &known(60), 100);
    assert_eq!((found.rows.len(), whole.len(), figures.helped), (0, 2, 0));
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    let (_, cell) = cell_with(&[filled(0, &[])], true);
    let wait = |request: Vec<u8>| letters(&cell, request, 1).remove(0).unwrap_err().kind();
    assert_eq!(wait(b"nonsense".to_vec()), io::ErrorKind::InvalidInput);
    let named = |disk: &str| ScanRequest { disk: disk.into(), ..request(1, ScanSpec::default()) }.encode();
    for disk in ["", "..", "../cell01/DISK", "/etc/passwd"] {
        assert_eq!(wait(named(disk)), io::ErrorKind::InvalidInput, "{disk}");
    }
    assert_eq!(wait(named("ELSE")), io::ErrorKind::NotFound);
    let behind = ScanRequest { offset: OFFSET + (4 << 20), ..request(1, ScanSpec::default()) };
    assert_eq!(wait(behind.encode()), io::ErrorKind::UnexpectedEof);
}

/// A request for more than a megabyte is answered piece by piece, in order, wherever on the disk it begins.
#[test]
fn long_requests_are_answered_in_pieces_of_a_megabyte() {
    let count = 3 * PIECE_BYTES / SIZE.bytes();
    let blocks: Vec<_> = (0..count as u32).map(|number| filled(number, &[vec![Some(b"x".to_vec())]])).collect();
    for inline in [true, false] {
        let (_, cell) = cell_with(&blocks, inline);
        for (skipped, pieces) in [(0, 3), (1, 3), (300, 3), (512, 2)] {
            let first = ScanRequest {
                first: FIRST.plus(skipped),
                offset: OFFSET + u64::from(skipped) * SIZE.bytes() as u64,
                ..request(count as u32 - skipped, ScanSpec { projection: vec![0], ..ScanSpec::default() })
            };
            assert_eq!(letters(&cell, first.encode(), first.blocks).len(), pieces, "{skipped} blocks later");
            let (found, whole, figures) = ask(&cell, &first, 1000);
            assert_eq!((found.rows.len(), whole.len()), (count - skipped as usize, 0));
            assert_eq!(figures.blocks, u64::from(first.blocks));
        }
    }
}

/// Blocks that a request leaves out are read with the others, and neither scanned nor sent.
#[test]
fn gaps_are_left_out() {
    let blocks: Vec<_> = (0..8).map(|number| filled(number, &[vec![Some(vec![number as u8])]])).collect();
    let (_, cell) = cell_with(&blocks, true);
    let spec = ScanSpec { projection: vec![0], ..ScanSpec::default() };
    let with_gaps = ScanRequest { gaps: vec![(0, 1), (3, 2), (7, 1)], ..request(8, spec) };
    let (found, whole, figures) = ask(&cell, &with_gaps, 100);
    assert_eq!(values(&found), [&[1][..], &[2], &[5], &[6]]);
    assert_eq!((whole.len(), figures.blocks, figures.bytes_read), (0, 4, 8 * SIZE.bytes() as u64));
    for gaps in [vec![(3, 2), (4, 1)], vec![(7, 2)], vec![(2, 0)], vec![(5, 1), (1, 1)]] {
        let wrong = ScanRequest { gaps, ..with_gaps.clone() };
        assert!(letters(&cell, wrong.encode(), 1).remove(0).is_err());
    }
}

/// A session that drops its mailbox stops its scan; the cell goes on with others.
#[test]
fn a_scan_that_nobody_waits_for_ends() {
    let (_, cell) = cell_with(&[filled(0, &[vec![Some(b"x".to_vec())]])], false);
    let request = request(1, ScanSpec { projection: vec![0], ..ScanSpec::default() });
    for _ in 0..100 {
        let mailbox = Arc::new(Mailbox::default());
        cell.submit_scan(request.encode(), Box::new(mailbox.reply(0)));
    }
    assert_eq!(ask(&cell, &request, 10).0.rows.len(), 1);
}

proptest! {
    /// An answer that was changed or cut short is read to an error or an end.
    #[test]
    fn made_up_answers_do_no_harm(
        rows in proptest::collection::vec(a_row(), 0..12),
        spec in a_spec(),
        at in any::<usize>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let (_, cell) = cell_with(&[filled(0, &rows)], true);
        let request = request(1, spec);
        let mut message = letters(&cell, request.encode(), 1).remove(0).unwrap();
        let at = at % message.len();
        if cut { message.truncate(at) } else { message[at] = byte }
        let Ok(mut answer) = Answer::new(message, request.spec.projection.len()) else { return Ok(()) };
        let mut sink = Counting(0);
        while let Ok(item) = answer.next(&mut sink, 1000) {
            if item == Item::End {
                break;
            }
        }
        prop_assert!(sink.0 <= 1 << 20, "{} rows", sink.0);
    }
}

struct Counting(usize);

impl RowSink for Counting {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }

    fn rows(&mut self, count: usize) {
        self.0 = self.0.saturating_add(count);
    }
}

#[test]
fn extremes_come_alone() {
    let row = |a: Option<&[u8]>, b: &[u8]| vec![a.map(<[u8]>::to_vec), Some(b.to_vec())];
    let rows = |from: u8| (from..from + 10).map(|n| row(Some(&[n]), &[200 - n])).collect::<Vec<_>>();
    let mut blocks =
        vec![filled(0, &rows(20)), filled(1, &rows(40)), filled(2, &[row(None, b"z"), row(Some(&[5]), b"a")])];
    blocks.push(empty(FIRST.plus(3), OBJECT));
    block::touch(&mut blocks[3], Scn(50));
    let chained = insert(&mut blocks[3], &row(Some(&[1]), b"c"), Some(RowAddress::new(FIRST, 1)));
    assert!(chained.is_some());
    blocks.iter_mut().for_each(|block| block::seal(block));
    let (_disk, cell) = cell_with(&blocks, true);
    let spec = ScanSpec { projection: vec![0, 1], predicate: None, rowids: false };
    let (least, greatest) = (Extreme { place: 0, greatest: false }, Extreme { place: 0, greatest: true });
    let asked = ScanRequest { extremes: vec![least, greatest], ..request(4, spec) };
    let (sink, whole, figures) = ask(&cell, &asked, 100);
    let values: Vec<Option<Vec<u8>>> = sink.rows.iter().map(|(_, _, columns)| columns[0].clone()).collect();
    assert_eq!(values, [Some(vec![5]), Some(vec![49])]);
    // A row of which the cell has a part alone is left to the instance, with its block.
    assert_eq!(whole.iter().map(|(reason, ..)| *reason).collect::<Vec<_>>(), [Reason::Chained]);
    assert_eq!(figures.examined, 22);
}

const KEYS: KeyShape = KeyShape { columns: 2, unique: false };

/// A leaf whose entries are (number, text) with rowids of the number.
fn leaf_of(number: u32, shape: KeyShape, entries: std::ops::Range<u8>) -> Vec<u8> {
    let mut bytes = vec![0; SIZE.bytes()];
    block::format(&mut bytes, BlockType::Data, FIRST.plus(number));
    let owner = BlockOwner { owner: Owner::Index, object: OBJECT, itl_slots: 2, bitmap: None };
    transaction::init(&mut bytes, owner);
    leaf::init(&mut bytes, shape, BlockAddress::NONE, BlockAddress::NONE);
    for (at, entry) in entries.enumerate() {
        assert!(leaf::insert(&mut bytes, at, &stored(shape, entry), [entry; 6]));
    }
    block::touch(&mut bytes, Scn(50));
    bytes
}

fn stored(shape: KeyShape, entry: u8) -> Vec<u8> {
    let mut image = Vec::new();
    key::put_column(&mut image, Some(&[entry]));
    key::put_column(&mut image, (!entry.is_multiple_of(3)).then_some(&b"text"[..]));
    if !shape.unique {
        key::put_rowid(&mut image, [entry; 6]);
    }
    image
}

/// The entries of an answer: the leaf, the place in it, the bytes.
fn entries_of(found: &Collector) -> Vec<(u32, u16, Vec<u8>)> {
    let entry = |(at, slot, row): &(Option<BlockAddress>, u16, Row)| {
        (at.unwrap().block - FIRST.block, *slot, row[0].clone().unwrap())
    };
    found.rows.iter().map(entry).collect()
}

#[test]
fn entries_of_an_index_come_with_their_leaves() {
    // Columns 4 and 2 of the table.
    let request = |blocks, condition| ScanRequest {
        index: Some(vec![4, 2]),
        storage_index: false,
        ended_before: Scn(55),
        ..request(blocks, ScanSpec { predicate: condition, ..ScanSpec::default() })
    };
    for shape in [KEYS, KeyShape { unique: true, ..KEYS }] {
        let mut with_deleted = leaf_of(1, shape, 10..16);
        leaf::set_deleted(&mut with_deleted, 2, true);
        let mut branch = leaf_of(2, shape, 0..0);
        branch::init(&mut branch, 1, shape, FIRST);
        let mut blank = leaf_of(3, shape, 0..0);
        let body = transaction::body_offset(&blank);
        blank[body..SIZE.bytes() - 4].fill(0);
        let table = filled(4, &[vec![Some(b"row".to_vec())]]);
        let mut damaged = leaf_of(5, shape, 20..22);
        // Free space that ends before it begins.
        let end = std::mem::offset_of!(header::CommonHeader, free_end);
        damaged[body + end..body + end + 2].copy_from_slice(&[1, 0]);
        let xid = Xid { segment: 3, slot: 5, sequence: 7 };
        let uba = Uba { block: BlockAddress::new(FileNumber(2), 9), sequence: 1, record: 0 };
        let running = |number, scn| {
            let mut bytes = leaf_of(number, shape, 30..33);
            assert!(itl::take(&mut bytes, 1, xid, uba));
            block::touch(&mut bytes, Scn(scn));
            bytes
        };
        let mut late = leaf_of(8, shape, 40..42);
        assert!(itl::take(&mut late, 1, xid, uba));
        itl::commit(&mut late, 1, Scn(101));
        let blocks = [
            leaf_of(0, shape, 0..5),
            with_deleted,
            branch,
            blank,
            table,
            damaged,
            running(6, 54),
            running(7, 55),
            late,
        ];
        let (_, cell) = cell_with(&blocks, true);
        let expected = |number, from: u8, wanted: &[u8]| {
            let stored = |entry: &u8| {
                let rowid: &[u8] = if shape.unique { &[*entry; 6] } else { &[] };
                (number, u16::from(entry - from), [rowid, &stored(shape, *entry)].concat())
            };
            wanted.iter().map(stored).collect::<Vec<_>>()
        };
        let reasons = |whole: &[Whole]| {
            whole.iter().map(|(reason, address, _)| (*reason, address.block - FIRST.block)).collect::<Vec<_>>()
        };
        let back = [(Reason::Other, 4), (Reason::Unsound, 5), (Reason::Undo, 7), (Reason::Undo, 8)];
        for step in [1, 3, 100] {
            let (found, whole, figures) = ask(&cell, &request(9, None), step);
            let all = [
                expected(0, 0, &[0, 1, 2, 3, 4]),
                expected(1, 10, &[10, 11, 13, 14, 15]),
                expected(6, 30, &[30, 31, 32]),
            ];
            assert_eq!(entries_of(&found), all.concat());
            assert_eq!((reasons(&whole), figures.helped), (back.to_vec(), 1));
            // A column that the index has not is NULL.
            let condition = Predicate::And(vec![
                Predicate::compare(4, Comparison::Greater, &[3]),
                Predicate::IsNotNull(2),
                Predicate::IsNull(1),
            ]);
            let (found, whole, _) = ask(&cell, &request(9, Some(condition)), step);
            let some = [expected(0, 0, &[4]), expected(1, 10, &[10, 11, 13, 14]), expected(6, 30, &[31, 32])];
            assert_eq!((entries_of(&found), reasons(&whole)), (some.concat(), back.to_vec()));
        }
    }
}
