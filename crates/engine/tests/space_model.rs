//! Random operations on segments against a model: no row is lost or found twice, no block belongs to two, all space
//! adds up.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockSize, ObjectNumber, SystemClock, TablespaceNumber};
use device::{FileSystem, MemoryFileSystem};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::heap;
use format::heap::row::{self, WHOLE};
use format::transaction::Owner;
use storage::control::SpaceManagement;
use storage::segment::{DirectLoad, Segment, SegmentSpec, Storage};

/// Reproducible random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
struct Setting {
    seed: u64,
    size: BlockSize,
    management: SpaceManagement,
    /// Blocks of a uniform extent; 0 for autoallocate.
    uniform: u32,
    freelists: u16,
    groups: u16,
    files: usize,
    steps: usize,
    /// Rows of one insertion at the most.
    burst: usize,
}

/// A segment and its expected content.
struct Modelled {
    segment: Arc<Segment>,
    rows: HashMap<u64, (BlockAddress, u16)>,
    blocks: HashSet<BlockAddress>,
}

struct Model {
    setting: Setting,
    random: Random,
    files: Arc<dyn FileSystem>,
    instance: Arc<Instance>,
    sessions: Vec<Arc<Session>>,
    tablespace: TablespaceNumber,
    segments: Vec<Modelled>,
    next_object: u32,
    next_row: u64,
}

fn directory() -> PathBuf {
    PathBuf::from("/data")
}

fn piece(id: u64, bytes: usize) -> Vec<u8> {
    let pad = vec![b'x'; bytes.saturating_sub(3 + 9 + 3)];
    let mut out = Vec::new();
    row::encode_piece(WHOLE, None, None, &[Some(&id.to_le_bytes()), Some(&pad)], &mut out);
    out
}

fn ids(block: &[u8]) -> Vec<(u16, u64)> {
    heap::rows(block, 0)
        .map(|(slot, piece)| {
            let id = piece.columns().next().flatten().unwrap();
            (slot, u64::from_le_bytes(id.try_into().unwrap()))
        })
        .collect()
}

impl Model {
    fn new(setting: Setting) -> Self {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let cache = 400 * setting.size.bytes();
        let options = CreateOptions {
            block_size: setting.size,
            parameters: vec![("db_cache_size".to_owned(), cache.to_string())],
            ..CreateOptions::default()
        };
        let instance =
            Instance::create(files.clone(), &directory(), Arc::new(SystemClock::default()), None, &options).unwrap();
        let sessions: Vec<_> = (0..3).map(|_| instance.connect("SYSTEM").unwrap()).collect();
        let spec = TablespaceSpec {
            logging: true,
            name: "T".to_owned(),
            files: (0..setting.files)
                .map(|n| DatafileSpec {
                    name: format!("t{n}.dbf"),
                    bytes: 5 << 20,
                    reuse: false,
                    autoextend: Some((1 << 20, None)),
                })
                .collect(),
            block_size: None,
            uniform_bytes: (setting.uniform > 0).then(|| u64::from(setting.uniform) * setting.size.bytes() as u64),
            space_management: setting.management,
        };
        let tablespace = instance.create_tablespace(&sessions[0], &spec).unwrap().number();
        Self {
            setting,
            random: Random(setting.seed),
            files,
            instance,
            sessions,
            tablespace,
            segments: Vec::new(),
            next_object: 20_000,
            next_row: 1,
        }
    }

    fn object(&mut self) -> ObjectNumber {
        self.next_object += 1;
        ObjectNumber(self.next_object)
    }

    fn session(&mut self) -> Arc<Session> {
        let n = self.random.below(self.sessions.len());
        self.sessions[n].clone()
    }

    fn create(&mut self, owner: Owner) {
        let object = self.object();
        let block = self.setting.size.bytes() as u64;
        let storage = Storage {
            initial: self.random.pick(&[None, Some(1), Some(20 * block), Some(1 << 20)]),
            next: self.random.pick(&[None, Some(7 * block)]),
            minextents: self.random.pick(&[None, Some(1), Some(4)]),
            freelists: self.setting.freelists,
            freelist_groups: self.setting.groups,
            ..Storage::default()
        };
        let spec = SegmentSpec {
            name: format!("SYSTEM.S{}", object.0),
            object,
            data_object: object,
            tablespace: self.tablespace,
            owner,
            pctfree: self.random.pick(&[0, 10, 40]),
            pctused: self.random.pick(&[0, 40, 60]),
            initrans: self.random.pick(&[1, 2, 5]),
            maxtrans: self.random.pick(&[5, 20, 255]),
            storage,
        };
        let segment = Segment::create(&self.session(), &spec).unwrap();
        self.segments.push(Modelled { segment, rows: HashMap::new(), blocks: HashSet::new() });
    }

    fn of_owner(&mut self, owner: Owner) -> Option<usize> {
        let all: Vec<_> =
            (0..self.segments.len()).filter(|n| self.segments[*n].segment.spec().owner == owner).collect();
        if all.is_empty() { None } else { Some(all[self.random.below(all.len())]) }
    }

    fn insert(&mut self) {
        let Some(n) = self.of_owner(Owner::Table) else { return };
        let s = self.session();
        let segment = self.segments[n].segment.clone();
        let assm = self.setting.management == SpaceManagement::Auto;
        let largest = heap::block::capacity(segment.block_size().bytes(), segment.itl_slots(), assm);
        let large = self.random.below(3) == 0;
        let size = |random: &mut Random| {
            if large { largest / 2 + random.below(largest / 2) } else { 16 + random.below(largest / 8) }
        };
        let count = 1 + self.random.below(self.setting.burst);
        let mut bytes = size(&mut self.random).min(largest);
        for left in (0..count).rev() {
            let id = self.next_row;
            self.next_row += 1;
            let row = piece(id, bytes);
            let next = (left > 0).then(|| size(&mut self.random).min(largest));
            let mut block = segment.block_for_insert(&s, row.len()).unwrap();
            let address = block.address();
            let slot = s.change(&mut block, |b| heap::insert(b, &row)).expect("the block was said to have room");
            segment.inserted(&s, block, next.map(Into::into)).unwrap();
            self.segments[n].rows.insert(id, (address, slot));
            bytes = next.unwrap_or(bytes);
        }
    }

    fn delete(&mut self) {
        let Some(n) = self.of_owner(Owner::Table) else { return };
        let s = self.session();
        let percent = self.random.pick(&[10, 50, 100]);
        let mut victims: Vec<_> = self.segments[n].rows.iter().map(|(id, at)| (*id, *at)).collect();
        victims.sort_unstable();
        let from = self.random.below(victims.len().max(1));
        for (id, (address, slot)) in victims.into_iter().skip(from).take(2 * self.setting.burst) {
            if self.random.below(100) >= percent {
                continue;
            }
            let segment = &self.segments[n].segment;
            let mut block = s.current_mut(address, BlockClass::Data).unwrap();
            segment.watch(&mut block);
            s.change(&mut block, |b| heap::delete(b, slot));
            segment.changed(&s, block).unwrap();
            self.segments[n].rows.remove(&id);
        }
    }

    fn index_blocks(&mut self) {
        let Some(n) = self.of_owner(Owner::Index) else { return };
        let s = self.session();
        let segment = self.segments[n].segment.clone();
        for _ in 0..self.random.below(40) {
            let held = &mut self.segments[n].blocks;
            if self.random.below(3) > 0 || held.is_empty() {
                let block = segment.empty_block(&s).unwrap();
                assert!(held.insert(block.address()), "{} was given out twice", block.address());
            } else {
                let mut all: Vec<_> = held.iter().copied().collect();
                all.sort_unstable();
                let address = all[self.random.below(all.len())];
                held.remove(&address);
                let block = s.current_mut(address, BlockClass::Data).unwrap();
                segment.release_block(&s, block).unwrap();
            }
        }
    }

    fn direct_load(&mut self) {
        if self.segments.is_empty() {
            return;
        }
        let n = self.random.below(self.segments.len());
        let s = self.session();
        let segment = self.segments[n].segment.clone();
        let blocks = self.random.below(60);
        let given_up = self.random.below(4) == 0;
        let mut load = DirectLoad::new(&*segment, &**s.worker()).unwrap();
        let mut loaded = Vec::new();
        for _ in 0..blocks {
            let ahead = load.peek_address().unwrap();
            let (address, bytes) = load.next_block().unwrap();
            assert_eq!(ahead, address);
            let id = self.next_row;
            self.next_row += 1;
            if segment.spec().owner == Owner::Table {
                let slot = heap::insert(bytes, &piece(id, 30)).unwrap();
                loaded.push((id, address, slot));
            } else {
                loaded.push((id, address, 0));
            }
        }
        if given_up {
            drop(load);
            return;
        }
        load.finish().unwrap();
        for (id, address, slot) in loaded {
            if segment.spec().owner == Owner::Table {
                self.segments[n].rows.insert(id, (address, slot));
            } else {
                assert!(self.segments[n].blocks.insert(address), "{address} was given out twice");
            }
        }
    }

    fn truncate(&mut self) {
        if self.segments.is_empty() {
            return;
        }
        let n = self.random.below(self.segments.len());
        let s = self.session();
        let object = self.object();
        let segment = self.segments[n].segment.truncate(&s, object).unwrap();
        self.segments[n] = Modelled { segment, rows: HashMap::new(), blocks: HashSet::new() };
    }

    fn drop_one(&mut self) {
        if self.segments.len() < 2 {
            return;
        }
        let n = self.random.below(self.segments.len());
        let gone = self.segments.swap_remove(n);
        let s = self.session();
        gone.segment.drop_segment(&s).unwrap();
    }

    fn reopen(&mut self) {
        self.sessions.clear();
        self.instance.shutdown().unwrap();
        self.instance =
            Instance::open(self.files.clone(), &directory(), Arc::new(SystemClock::default()), None).unwrap();
        self.sessions = (0..3).map(|_| self.instance.connect("SYSTEM").unwrap()).collect();
        for modelled in &mut self.segments {
            let old = &modelled.segment;
            modelled.segment = Segment::open(&self.sessions[0], old.spec(), old.header()).unwrap();
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..4 => self.create(Owner::Table),
            4..6 => self.create(Owner::Index),
            6..50 => self.insert(),
            50..68 => self.delete(),
            68..78 => self.index_blocks(),
            78..86 => self.direct_load(),
            86..88 => self.truncate(),
            88..90 => self.drop_one(),
            90..93 => {
                let s = self.session();
                self.instance.checkpoint(s.meter()).unwrap();
            }
            93..95 => {
                let s = self.session();
                self.instance.cache().flush(s.meter()).unwrap();
            }
            95..97 => self.reopen(),
            _ => self.check(),
        }
    }

    fn check(&self) {
        let s = &self.sessions[0];
        let mut owned: HashSet<BlockAddress> = HashSet::new();
        for modelled in &self.segments {
            self.check_segment(s, modelled, &mut owned);
            modelled.segment.check_invariants(s).unwrap();
        }
        let tablespace = self.instance.tablespaces().numbered(self.tablespace).unwrap();
        tablespace.check_invariants(s).unwrap();
        let free = tablespace.free_space(s).unwrap();
        for run in &free {
            for n in 0..run.blocks {
                assert!(owned.insert(run.start.plus(n)), "{} is free and used", run.start.plus(n));
            }
        }
        let unit = tablespace.unit_blocks();
        let whole: u32 = tablespace
            .files()
            .iter()
            .map(|file| {
                let blocks = self.instance.cache().file(*file).unwrap().blocks();
                (blocks - format::file::header_area_blocks(self.setting.size)) / unit * unit
            })
            .sum();
        assert_eq!(owned.len() as u32, whole, "free and used blocks are not the whole of the files");
    }

    fn check_segment(&self, s: &Session, modelled: &Modelled, owned: &mut HashSet<BlockAddress>) {
        let segment = &modelled.segment;
        let extents = segment.extents(s).unwrap();
        for extent in &extents {
            for n in 0..extent.blocks {
                assert!(owned.insert(extent.start.plus(n)), "{} belongs to two", extent.start.plus(n));
            }
        }
        let usage = segment.space_usage(s).unwrap();
        assert_eq!(usage.extents as usize, extents.len());
        assert_eq!(usage.blocks, extents.iter().map(|e| e.blocks).sum::<u32>());
        assert_eq!(usage.below_high_water + usage.unused, usage.blocks);
        if self.setting.management == SpaceManagement::Auto {
            let data = usage.unformatted + usage.full + usage.free.iter().sum::<u32>();
            let metadata = usage.below_high_water - data;
            assert!(metadata <= usage.metadata, "{usage:?}");
        }
        {
            let header = s.current(segment.header(), BlockClass::SegmentHeader).unwrap();
            let fields = format::segment::header(&header);
            let (high, low) = (fields.high, fields.low);
            assert!(low.blocks <= high.blocks && high.blocks.get() <= usage.blocks, "{fields:?}");
            for mark in [high, low] {
                if mark == low && self.setting.management == SpaceManagement::Manual {
                    continue;
                }
                let before: u32 = extents[..mark.extent.get() as usize].iter().map(|e| e.blocks).sum();
                assert_eq!(before + mark.block.get(), mark.blocks.get(), "{fields:?}");
            }
        }
        let mut found = HashMap::new();
        let mut seen = HashSet::new();
        let ranges = segment.scan_ranges(s).unwrap();
        let mut scan = s.scan_blocks(ranges, BlockClass::Data, self.setting.seed.is_multiple_of(2));
        while let Some(block) = scan.next_block().unwrap() {
            let address = block.address();
            assert!(seen.insert(address), "{address} is scanned twice");
            assert!(extents.iter().any(|e| e.contains(address)), "{address} is in no extent");
            assert_eq!(format::block::kind(&block), Some(format::block::BlockType::Data), "{address}");
            let header = format::transaction::header(&block);
            assert_eq!(header.object_number(), segment.data_object(), "{address}");
            if segment.spec().owner == Owner::Table {
                heap::validate(&block).unwrap();
                for (slot, id) in ids(&block) {
                    assert_eq!(found.insert(id, (address, slot)), None, "row {id} twice");
                }
            } else {
                let free = header.on_freelist();
                assert_eq!(free, !modelled.blocks.contains(&address), "{address}");
            }
        }
        assert_eq!(found, modelled.rows, "{segment:?}");
        for block in &modelled.blocks {
            assert!(seen.contains(block), "{block} was given out but is not scanned");
        }
        if self.setting.management == SpaceManagement::Manual {
            self.check_freelists(s, segment, usage.on_freelists, &seen);
        }
    }

    /// The lists hold exactly the blocks whose flag says so, each once, and the counts say how many.
    fn check_freelists(&self, s: &Session, segment: &Segment, said: u32, scanned: &HashSet<BlockAddress>) {
        let groups = u32::from(self.setting.groups);
        let heads = if groups > 1 { 1..=groups } else { 0..=0 };
        let mut listed = HashSet::new();
        for block in heads {
            for slot in 0..=usize::from(self.setting.freelists) {
                let list = {
                    let class = if block == 0 { BlockClass::SegmentHeader } else { BlockClass::FreeList };
                    let header = s.current(segment.header().plus(block), class).unwrap();
                    *format::freelist::list(&header, slot)
                };
                let (mut next, mut last, mut length) = (list.first(), BlockAddress::NONE, 0);
                while !next.is_none() {
                    assert!(listed.insert(next), "{next} is on two lists");
                    assert!(scanned.contains(&next), "{next} is listed but above the mark");
                    let block = s.current(next, BlockClass::Data).unwrap();
                    let header = format::transaction::header(&block);
                    assert!(header.on_freelist());
                    (last, next) = (next, header.next_free());
                    length += 1;
                }
                assert_eq!((length, last), (list.blocks.get(), list.last()));
            }
        }
        assert_eq!(listed.len() as u32, said);
        for address in scanned {
            let block = s.current(*address, BlockClass::Data).unwrap();
            assert_eq!(format::transaction::header(&block).on_freelist(), listed.contains(address), "{address}");
        }
    }
}

fn run(setting: Setting) {
    let mut model = Model::new(setting);
    model.create(Owner::Table);
    for _ in 0..setting.steps {
        model.step();
    }
    model.check();
    model.reopen();
    model.check();
    let s = model.session();
    for gone in std::mem::take(&mut model.segments) {
        gone.segment.drop_segment(&s).unwrap();
    }
    model.check();
    drop(s);
    model.sessions.clear();
    model.instance.shutdown().unwrap();
}

/// Prints the setting of a failed run.
struct Named(Setting);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let text = format!("failed with {:?}\n", self.0);
            let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        }
    }
}

fn runs(management: SpaceManagement, seeds: std::ops::Range<u64>, steps: usize) {
    for seed in seeds {
        for size in BlockSize::ALL {
            let mut random = Random(seed * 31 + size as u64);
            let manual = management == SpaceManagement::Manual;
            let uniform =
                if manual { random.pick(&[0, 2, 3, 5, 16, 33, 100]) } else { random.pick(&[0, 5, 6, 16, 33, 100]) };
            let setting = Setting {
                seed,
                size,
                management,
                uniform,
                freelists: if manual { random.pick(&[1, 3]) } else { 1 },
                // Two blocks hold a header and a block of rows, and no groups.
                groups: if manual && (uniform == 0 || uniform > 3) { random.pick(&[1, 2]) } else { 1 },
                files: random.pick(&[1, 2, 3]),
                steps,
                burst: random.pick(&[20, 100]),
            };
            let _named = Named(setting);
            run(setting);
        }
    }
}

fn seeds() -> u64 {
    std::env::var("SPACE_MODEL_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4)
}

#[test]
fn manual_segments_keep_to_the_model() {
    runs(SpaceManagement::Manual, 0..seeds(), 80);
}

#[test]
fn automatic_segments_keep_to_the_model() {
    runs(SpaceManagement::Auto, 0..seeds(), 80);
}

/// Small uniform extents of small blocks: chained extent maps, many second-level bitmap blocks, third-level ones.
#[test]
fn small_extents_need_every_kind_of_map() {
    for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
        let setting = Setting {
            seed: 7,
            size: BlockSize::K2,
            management,
            uniform: if management == SpaceManagement::Auto { 5 } else { 2 },
            freelists: 1,
            groups: 1,
            files: 2,
            steps: 0,
            burst: 1,
        };
        let _named = Named(setting);
        let mut model = Model::new(setting);
        model.create(Owner::Index);
        let segment = model.segments[0].segment.clone();
        let s = model.session();
        let wanted = if management == SpaceManagement::Auto { 30_000 } else { 4_000 };
        let mut load = DirectLoad::new(&*segment, &**s.worker()).unwrap();
        for _ in 0..wanted {
            let (address, _) = load.next_block().unwrap();
            model.segments[0].blocks.insert(address);
        }
        load.finish().unwrap();
        model.create(Owner::Table);
        for _ in 0..500 {
            let block = segment.empty_block(&s).unwrap();
            model.segments[0].blocks.insert(block.address());
        }
        {
            let header = s.current(segment.header(), BlockClass::SegmentHeader).unwrap();
            let fields = format::segment::header(&header);
            assert!(fields.map_blocks.get() > 1);
            if management == SpaceManagement::Auto {
                assert!(fields.second_level_blocks.get() > 16 && fields.third_level_blocks.get() > 0, "{fields:?}");
            }
        }
        model.check();
        model.reopen();
        model.check();
        let s = model.session();
        for gone in std::mem::take(&mut model.segments) {
            gone.segment.drop_segment(&s).unwrap();
        }
        model.check();
    }
}
