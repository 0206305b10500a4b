//! Messages to and from cells: requests for blocks, requests for scans over blocks that are sound or not, answers.

#![no_main]

use std::io;
use std::path::Path;

use cell::{
    Answer, Answers, BlockRequest, CELL_FILE, Cell, Extreme, FLASH_CACHE_FILE, FLASH_LOG_FILE, FlashUse, Item, LocalCell, ScanRequest,
    Service, read_answer_head,
};
use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn};
use device::{AlignedBuffer, FileSystem, MemoryFileSystem};
use format::block;
use highwater_fuzz::{Input, heap_block, index_block};
use libfuzzer_sys::fuzz_target;
use scan::{Comparison, Predicate, RowSink, ScanSpec};

const DISK_BYTES: u64 = 64 << 10;

#[derive(Default)]
struct Counted {
    rows: u64,
}

impl RowSink for Counted {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.rows += 1;
    }

    fn rows(&mut self, count: usize) {
        self.rows += count as u64;
    }
}

/// Answers, in the order in which they were sent.
#[derive(Default, Debug)]
struct Answered {
    messages: Mutex<Vec<Vec<u8>>>,
    ends: Mutex<u32>,
}

#[derive(Debug)]
struct To(Arc<Answered>);

impl Answers for To {
    fn is_wanted(&self) -> bool {
        *self.0.ends.lock() == 0
    }

    fn send(&self, answer: Vec<u8>) {
        self.0.messages.lock().push(answer);
    }

    fn fail(&self, _: io::Error) {
        *self.0.ends.lock() += 1;
    }

    fn end(&self) {
        *self.0.ends.lock() += 1;
    }
}

/// Takes an answer apart; rows of it, and blocks that came back. None: it makes no sense.
fn taken(message: Vec<u8>, columns: usize) -> Option<(u64, u64)> {
    let mut answer = Answer::new(message, columns).ok()?;
    let (mut sink, mut blocks) = (Counted::default(), 0);
    loop {
        match answer.next(&mut sink, 7) {
            Ok(Item::Rows(rows)) => assert!(rows <= 7),
            Ok(Item::Block { .. }) => blocks += 1,
            Ok(Item::End) => return Some((sink.rows, blocks)),
            Err(_) => return None,
        }
    }
}

fn cell(input: &mut Input<'_>) -> (Arc<dyn FileSystem>, &'static Path) {
    let (files, directory): (Arc<dyn FileSystem>, _) = (Arc::new(MemoryFileSystem::new()), Path::new("/c"));
    files.create_directory(directory).unwrap();
    files.write_whole(&directory.join(CELL_FILE), b"").unwrap();
    files.create(&directory.join("d"), DISK_BYTES).unwrap();
    if input.byte() & 1 == 0 {
        files.create(&directory.join(FLASH_CACHE_FILE), DISK_BYTES).unwrap();
        // The log as somebody has left it.
        let log = files.create(&directory.join(FLASH_LOG_FILE), DISK_BYTES).unwrap();
        for _ in 0..input.byte() % 8 {
            let at = u64::from(input.word()) % (DISK_BYTES - 8);
            log.write_at(at / 8 * 8, &[&[input.byte(); 8]]).unwrap();
        }
    }
    (files, directory)
}

/// A request for blocks, as its head has it or made up, and its body.
fn of_blocks(input: &mut Input<'_>, files: Arc<dyn FileSystem>, directory: &Path) {
    let service = Service::new(files, directory).unwrap();
    for _ in 0..4 {
        let (offset, bytes) = (u64::from(input.word()) * 256, u64::from(input.word()));
        let request = match input.byte() % 8 {
            0 => BlockRequest::Read { offset, bytes },
            1 => BlockRequest::Write { offset, bytes, durable: input.byte() & 1 == 0 },
            2 => BlockRequest::Sync,
            3 => BlockRequest::Size,
            4 => BlockRequest::Disks,
            5 => BlockRequest::FlashRules { bytes },
            6 => BlockRequest::FlashState,
            _ => BlockRequest::Read { offset: u64::MAX - offset, bytes: bytes << 8 },
        };
        let mut head = request.head(["d", "", "..", CELL_FILE][usize::from(input.byte() % 8).saturating_sub(4)]);
        for _ in 0..input.byte() % 3 {
            let at = input.below(head.len());
            head[at] = input.byte();
        }
        let mut buffer = AlignedBuffer::zeroed(usize::from(input.word()));
        let follow = BlockRequest::decode(&head).map_or(0, |(_, request)| request.follow());
        assert!(follow <= cell::TRANSFER_BYTES);
        let (answer, bytes) = service.answer(&head, &mut buffer);
        assert!(bytes <= buffer.len() && bytes <= cell::TRANSFER_BYTES);
        assert!(read_answer_head(&answer).is_ok() || bytes == 0);
        let _ = read_answer_head(&head);
    }
}

fn condition(input: &mut Input<'_>) -> Predicate {
    let column = u16::from(input.byte() % 6);
    match input.byte() % 5 {
        0 => Predicate::compare(column, Comparison::Equal, &input.column().unwrap_or_default()),
        1 => Predicate::compare(column, Comparison::Greater, &input.column().unwrap_or_default()),
        2 => Predicate::IsNull(column),
        3 => Predicate::in_list(column, input.columns(3)),
        _ => Predicate::Not(Box::new(Predicate::IsNotNull(column))),
    }
}

/// A request for a scan; some of its bytes are changed, and so are those of the blocks.
fn of_scans(input: &mut Input<'_>, files: &Arc<dyn FileSystem>, directory: &Path) {
    let is_index = input.byte() % 4 == 0;
    let made = if is_index { index_block::make(input) } else { heap_block::make(input) };
    let Ok(block_size) = BlockSize::from_bytes(made.len() as u64) else { return };
    let (first, object) = (BlockAddress::new(FileNumber(4), 130), format::transaction::header(&made).object_number());
    let disk = files.open(&directory.join("d")).unwrap();
    let blocks = 1 + u32::from(input.byte() % 4);
    for number in 0..blocks {
        let mut bytes = made.clone();
        block::header_mut(&mut bytes).rdba = first.plus(number).pack().into();
        if input.byte() % 8 != 0 {
            block::seal(&mut bytes);
        }
        let _ = disk.write_at(u64::from(number) * made.len() as u64, &[&bytes]);
    }
    let mut spec = ScanSpec {
        projection: (0..input.byte() % 4).map(|_| u16::from(input.byte() % 6)).collect(),
        predicate: (input.byte() & 1 == 0).then(|| condition(input)),
        rowids: input.byte() & 1 == 0,
    };
    if is_index {
        (spec.projection, spec.rowids) = (Vec::new(), false);
    }
    let columns = if is_index { 1 } else { spec.projection.len() };
    let request = ScanRequest {
        disk: "d".into(),
        offset: 0,
        block_size,
        first,
        blocks,
        gaps: if blocks > 2 && input.byte() & 1 == 0 { vec![(1, 1)] } else { Vec::new() },
        object: if input.byte() % 8 == 0 { ObjectNumber(1) } else { object },
        snapshot: Scn(u64::from(input.word())),
        ended_before: Scn(u64::from(input.word())),
        storage_index: !is_index,
        index: is_index.then(|| (0..u16::from(input.byte() % 4)).rev().collect()),
        flash: FlashUse::ALL[usize::from(input.byte() % 3)],
        extremes: match columns as u16 {
            0 => Vec::new(),
            _ if spec.rowids || is_index => Vec::new(),
            places => (0..input.byte() % 3)
                .map(|place| Extreme { place: u16::from(place) % places, greatest: input.byte() & 1 == 0 })
                .collect(),
        },
        busy_percent: None,
        spec,
    };
    let mut message = request.encode();
    let changed = input.byte() % 4;
    for _ in 0..changed {
        let at = input.below(message.len());
        message[at] = input.byte();
    }
    if changed == 3 {
        message.truncate(input.below(message.len() + 1));
    }
    let cell = LocalCell::new(Arc::clone(files), directory, true);
    // While the disk is open the storage index knows what it has learnt: the second time.
    let Ok(_open) = cell.open("d") else { return };
    let mut rows = Vec::new();
    for _ in 0..2 {
        let answered = Arc::new(Answered::default());
        cell.submit_scan(message.clone(), Box::new(To(Arc::clone(&answered))));
        assert!(*answered.ends.lock() == 1, "a scan ends once");
        let messages = std::mem::take(&mut *answered.messages.lock());
        if changed == 0 {
            let found = messages.into_iter().map(|message| taken(message, columns).expect("an answer of a cell"));
            rows.push(found.fold((0, 0), |sum, (rows, blocks)| (sum.0 + rows, sum.1 + blocks)));
        } else {
            messages.into_iter().for_each(|message| assert!(taken(message, columns).is_none_or(|(rows, _)| rows < 1 << 32)));
        }
    }
    assert!(rows.windows(2).all(|pair| pair[0] == pair[1]), "the storage index has changed the answer: {rows:?}");
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 => {
            let (files, directory) = cell(&mut input);
            of_blocks(&mut input, files, directory);
        }
        1 => {
            let _ = taken(data[1..].to_vec(), usize::from(input.byte() % 5));
            let _ = ScanRequest::decode(&data[1..]);
            let _ = BlockRequest::decode(&data[1..]);
            let _ = read_answer_head(&data[1..]);
        }
        _ => {
            let (files, directory) = cell(&mut input);
            of_scans(&mut input, &files, directory);
        }
    }
});
