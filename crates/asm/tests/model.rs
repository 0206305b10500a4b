//! Files of a group behave like ordinary files under any requests, also after the group was mounted again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use asm::{AuSize, DiskGroup, Environment, FileKind, GroupFile, make_disks};
use common::sync::Arc;
use device::{AlignedBuffer, Device, FileSystem, MemoryFileSystem};
use proptest::collection::vec;
use proptest::prelude::*;
use support::{MB, environment};

#[derive(Clone, Debug)]
enum Step {
    Create { bytes: u64 },
    Open { file: usize },
    Close { file: usize },
    Delete { file: usize },
    Resize { file: usize, bytes: u64 },
    Write { file: usize, offset: u64, lengths: Vec<usize>, seed: u8 },
    Read { file: usize, offset: u64, lengths: Vec<usize> },
    Submit { file: usize, offset: u64, lengths: Vec<usize> },
    Sync { file: usize },
    Mount,
}

/// Bytes of 0 to 5 MB: near the ends of allocation units, whole blocks, or anything.
fn place() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => (0..5 * MB / 8192).prop_map(|blocks| blocks * 8192),
        3 => (0..=5u64, 0..9u64).prop_map(|(unit, near)| (unit * MB + near).saturating_sub(4)),
        2 => (0..=5u64).prop_map(|unit| unit * MB),
        1 => 0..5 * MB,
    ]
}

fn lengths() -> impl Strategy<Value = Vec<usize>> {
    vec(prop_oneof![Just(8192), Just(0), Just(1 << 20), 1usize..20_000], 0..5)
}

fn step() -> impl Strategy<Value = Step> {
    let file = || 0..4usize;
    prop_oneof![
        3 => place().prop_map(|bytes| Step::Create { bytes }),
        1 => file().prop_map(|file| Step::Open { file }),
        1 => file().prop_map(|file| Step::Close { file }),
        1 => file().prop_map(|file| Step::Delete { file }),
        4 => (file(), place()).prop_map(|(file, bytes)| Step::Resize { file, bytes }),
        8 => (file(), place(), lengths(), any::<u8>()).prop_map(|(file, offset, lengths, seed)| Step::Write { file, offset, lengths, seed }),
        6 => (file(), place(), lengths()).prop_map(|(file, offset, lengths)| Step::Read { file, offset, lengths }),
        4 => (file(), place(), lengths()).prop_map(|(file, offset, lengths)| Step::Submit { file, offset, lengths }),
        1 => file().prop_map(|file| Step::Sync { file }),
        1 => Just(Step::Mount),
    ]
}

/// A file of the group and the ordinary file that it is compared with.
struct Pair {
    name: String,
    open: Option<GroupFile>,
    model: Arc<dyn Device>,
}

struct World {
    environment: Environment,
    disks: Vec<PathBuf>,
    unit: u64,
    units: u64,
    group: Option<DiskGroup>,
    models: MemoryFileSystem,
    pairs: Vec<Pair>,
    made: u32,
}

impl World {
    fn new(disks: u16, unit: u64) -> Self {
        let environment = environment();
        // Of different sizes.
        let mut paths = make_disks(&*environment.files, "/d/a%n", disks, 6 * unit + 3 * MB).unwrap();
        paths.extend(make_disks(&*environment.files, "/d/b%n", 1, 9 * unit + 3 * MB + 17).unwrap());
        let group = DiskGroup::create(&environment, "DATA", &paths, AuSize::new(unit).unwrap()).unwrap();
        let units = group.statistics().free_bytes / unit;
        let models = MemoryFileSystem::new();
        Self { environment, disks: paths, unit, units, group: Some(group), models, pairs: Vec::new(), made: 0 }
    }

    fn group(&self) -> &DiskGroup {
        self.group.as_ref().unwrap()
    }

    fn used(&self) -> u64 {
        self.pairs.iter().map(|pair| pair.model.size().unwrap().div_ceil(self.unit)).sum()
    }

    fn file(&mut self, file: usize) -> Option<(GroupFile, Arc<dyn Device>)> {
        let group = self.group.as_ref().unwrap();
        let pair = self.pairs.get_mut(file)?;
        let open = pair.open.get_or_insert_with(|| group.open(&pair.name).unwrap());
        Some((open.clone(), Arc::clone(&pair.model)))
    }

    /// True: a file that grows to so many bytes finds the space.
    fn fits(&self, now: u64, bytes: u64) -> bool {
        let more = bytes.div_ceil(self.unit).saturating_sub(now.div_ceil(self.unit));
        self.used() + more <= self.units
    }

    fn run(&mut self, step: &Step) {
        match step {
            Step::Create { bytes } if self.pairs.len() < 4 => {
                let fits = self.fits(0, *bytes);
                match self.group().create_file(FileKind::DataFile, "F", *bytes) {
                    Ok(file) => {
                        assert!(fits);
                        self.made += 1;
                        let model = self.models.create(Path::new(&self.made.to_string()), *bytes).unwrap();
                        self.pairs.push(Pair { name: file.name().to_string(), open: Some(file), model });
                    }
                    Err(error) => assert!(!fits && error.is_ora(15041), "{error}"),
                }
            }
            Step::Create { .. } => {}
            Step::Open { file } => drop(self.file(*file)),
            Step::Close { file } => {
                if let Some(pair) = self.pairs.get_mut(*file) {
                    pair.open = None;
                }
            }
            Step::Delete { file } if *file < self.pairs.len() => {
                let pair = &self.pairs[*file];
                if pair.open.is_some() {
                    assert!(self.group().delete(&pair.name).unwrap_err().is_ora(15028));
                }
                let pair = self.pairs.remove(*file);
                drop(pair.open);
                self.group().delete(&pair.name).unwrap();
                assert!(self.group().open(&pair.name).unwrap_err().is_ora(15012));
            }
            Step::Delete { .. } => {}
            Step::Resize { file, bytes } => {
                let Some((file, model)) = self.file(*file) else { return };
                let fits = self.fits(model.size().unwrap(), *bytes);
                match file.set_size(*bytes) {
                    Ok(()) => {
                        assert!(fits);
                        model.set_size(*bytes).unwrap();
                    }
                    Err(error) => assert!(!fits && error.kind() == ErrorKind::StorageFull, "{error}"),
                }
            }
            Step::Write { file, offset, lengths, seed } => {
                let Some((file, model)) = self.file(*file) else { return };
                let total: usize = lengths.iter().sum();
                let bytes: Vec<u8> = (0..total).map(|at| seed.wrapping_add((at % 251) as u8)).collect();
                let mut rest = &bytes[..];
                let mut parts = Vec::new();
                for length in lengths {
                    let (part, after) = rest.split_at(*length);
                    parts.push(part);
                    rest = after;
                }
                let fits = total == 0 || self.fits(model.size().unwrap(), offset + total as u64);
                let durable = seed % 4 == 0;
                let written =
                    if durable { file.write_durable(*offset, &parts) } else { file.write_at(*offset, &parts) };
                match written {
                    Ok(()) => {
                        assert!(fits);
                        model.write_at(*offset, &parts).unwrap();
                    }
                    Err(error) => assert!(!fits && error.kind() == ErrorKind::StorageFull, "{error}"),
                }
            }
            Step::Read { file, offset, lengths } => {
                let Some((file, model)) = self.file(*file) else { return };
                let read = |device: &dyn Device| {
                    let mut buffers: Vec<Vec<u8>> = lengths.iter().map(|length| vec![1; *length]).collect();
                    let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
                    device.read_at(*offset, &mut parts).map(|()| buffers).map_err(|error| error.kind())
                };
                assert!(read(&file) == read(&*model), "{step:?}");
            }
            Step::Submit { file, offset, lengths } => {
                let Some((file, model)) = self.file(*file) else { return };
                let read = |device: &dyn Device| {
                    let buffers = lengths.iter().map(|length| AlignedBuffer::zeroed(*length)).collect();
                    let read = device.submit_read(*offset, buffers).unwrap().wait();
                    read.map(|b| b.iter().map(|b| b.to_vec()).collect::<Vec<_>>()).map_err(|error| error.kind())
                };
                assert!(read(&file) == read(&*model), "{step:?}");
            }
            Step::Sync { file } => {
                if let Some((file, _)) = self.file(*file) {
                    file.sync().unwrap();
                }
            }
            Step::Mount => self.mount(),
        }
    }

    fn mount(&mut self) {
        for pair in &mut self.pairs {
            pair.open = None;
        }
        let group = self.group.take().unwrap();
        let before = (group.files().unwrap(), group.statistics().free_bytes);
        group.dismount().unwrap();
        drop(group);
        let group = DiskGroup::mount(&self.environment, "DATA", "/d/a*,/d/b*").unwrap();
        assert_eq!((group.files().unwrap(), group.statistics().free_bytes), before);
        assert_eq!(group.repaired(), [""; 0]);
        self.group = Some(group);
    }

    /// All files are as their models, and all space is accounted for.
    fn check(&mut self) {
        for file in 0..self.pairs.len() {
            let (file, model) = self.file(file).unwrap();
            let size = model.size().unwrap();
            assert_eq!(file.size().unwrap(), size);
            let read = |device: &dyn Device| support::read(device, 0, size as usize);
            assert!(read(&file) == read(&*model), "{}", file.name());
        }
        let statistics = self.group().statistics();
        assert_eq!(statistics.free_bytes, (self.units - self.used()) * self.unit);
        assert_eq!(statistics.disks.len(), self.disks.len());
        let open: BTreeMap<_, _> =
            self.group().files().unwrap().into_iter().map(|f| (f.name.number, f.bytes)).collect();
        assert_eq!(open.len(), self.pairs.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn files_of_a_group_are_as_ordinary_files(steps in vec(step(), 1..70), disks in 1..4u16, unit in 0..2u32) {
        let mut world = World::new(disks, MB << unit);
        for step in &steps {
            world.run(step);
        }
        world.check();
        world.mount();
        world.check();
    }
}
