//! All implementations of the device traits do the same, whatever is asked of them.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use common::sync::Arc;
use device::{AlignedBuffer, Device, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem, OsOptions};
use proptest::collection::vec;
use proptest::prelude::*;

const NAMES: [&str; 3] = ["one.dbf", "two.dbf", "three.dbf"];

/// The division of a request's bytes.
#[derive(Clone, Debug)]
struct Parts {
    lengths: Vec<usize>,
    /// Bytes between an aligned address and the first part's.
    misaligned: usize,
}

#[derive(Clone, Debug)]
enum Step {
    Create { name: usize, bytes: u64 },
    Open { name: usize },
    Remove { name: usize },
    Rename { from: usize, to: usize },
    Resize { name: usize, bytes: u64 },
    Write { name: usize, offset: u64, parts: Parts, seed: u8 },
    Read { name: usize, offset: u64, parts: Parts },
    Submit { name: usize, offset: u64, lengths: Vec<usize>, wait: bool },
    Sync { name: usize },
    WriteWhole { name: usize, bytes: Vec<u8> },
    ReadWhole { name: usize },
    List,
}

/// Sizes and offsets: mostly multiples of the sector, some not.
fn amount(most: usize) -> impl Strategy<Value = usize> {
    prop_oneof![6 => (0..=most / 512).prop_map(|n| n * 512), 1 => 0..=most]
}

fn offset() -> impl Strategy<Value = u64> {
    amount(40_000).prop_map(|n| n as u64)
}

fn parts() -> impl Strategy<Value = Parts> {
    let misaligned = prop_oneof![4 => Just(0), 1 => Just(512), 1 => 1usize..600];
    let lengths = prop_oneof![8 => vec(amount(9000), 0..6), 1 => vec(Just(16), 1100..1300)];
    (lengths, misaligned).prop_map(|(lengths, misaligned)| Parts { lengths, misaligned })
}

fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    prop_oneof![
        3 => (name(), offset()).prop_map(|(name, bytes)| Step::Create { name, bytes }),
        1 => name().prop_map(|name| Step::Open { name }),
        1 => name().prop_map(|name| Step::Remove { name }),
        1 => (name(), name()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => (name(), offset()).prop_map(|(name, bytes)| Step::Resize { name, bytes }),
        8 => (name(), offset(), parts(), any::<u8>())
            .prop_map(|(name, offset, parts, seed)| Step::Write { name, offset, parts, seed }),
        8 => (name(), offset(), parts()).prop_map(|(name, offset, parts)| Step::Read { name, offset, parts }),
        6 => (name(), offset(), vec(amount(9000), 0..5), prop::bool::weighted(0.8))
            .prop_map(|(name, offset, lengths, wait)| Step::Submit { name, offset, lengths, wait }),
        1 => name().prop_map(|name| Step::Sync { name }),
        1 => (name(), vec(any::<u8>(), 0..3000)).prop_map(|(name, bytes)| Step::WriteWhole { name, bytes }),
        2 => name().prop_map(|name| Step::ReadWhole { name }),
        1 => Just(Step::List),
    ]
}

/// The outcome of a step: bytes or a kind of error.
type Outcome = Result<Vec<u8>, ErrorKind>;

/// One implementation and the devices open on it.
struct Subject {
    files: Arc<dyn FileSystem>,
    directory: std::path::PathBuf,
    open: BTreeMap<usize, Arc<dyn Device>>,
}

impl Subject {
    fn run(&mut self, step: &Step) -> Outcome {
        let path = |name: usize| self.directory.join(NAMES[name]);
        let device = |name: usize| self.open.get(&name).cloned().ok_or(ErrorKind::NotConnected);
        let nothing = |result: std::io::Result<()>| result.map(|()| Vec::new()).map_err(|e| e.kind());
        match step {
            Step::Create { name, bytes } => {
                let device = self.files.create(&path(*name), *bytes).map_err(|e| e.kind())?;
                let size = device.size().map_err(|e| e.kind())?;
                self.open.insert(*name, device);
                Ok(size.to_le_bytes().to_vec())
            }
            Step::Open { name } => {
                let device = self.files.open(&path(*name)).map_err(|e| e.kind())?;
                self.open.insert(*name, device);
                Ok(Vec::new())
            }
            Step::Remove { name } => nothing(self.files.remove(&path(*name))),
            Step::Rename { from, to } => {
                let result = nothing(self.files.rename(&path(*from), &path(*to)));
                nothing(self.files.sync_directory(&self.directory))?;
                let there = self.files.exists(&path(*from)).map_err(|e| e.kind())?;
                result.map(|_| vec![u8::from(there)])
            }
            Step::Resize { name, bytes } => {
                let device = device(*name)?;
                nothing(device.set_size(*bytes))?;
                Ok(device.size().map_err(|e| e.kind())?.to_le_bytes().to_vec())
            }
            Step::Write { name, offset, parts, seed } => {
                let mut memory = AlignedBuffer::zeroed(parts.misaligned + parts.lengths.iter().sum::<usize>());
                for (position, byte) in memory.iter_mut().enumerate() {
                    *byte = seed.wrapping_add((position % 251) as u8);
                }
                let mut rest = &memory[parts.misaligned..];
                let mut slices = Vec::new();
                for length in &parts.lengths {
                    let (part, after) = rest.split_at(*length);
                    slices.push(part);
                    rest = after;
                }
                let device = device(*name)?;
                nothing(if seed % 4 == 0 {
                    device.write_durable(*offset, &slices)
                } else {
                    device.write_at(*offset, &slices)
                })?;
                Ok(device.size().map_err(|e| e.kind())?.to_le_bytes().to_vec())
            }
            Step::Read { name, offset, parts } => {
                let mut memory = AlignedBuffer::zeroed(parts.misaligned + parts.lengths.iter().sum::<usize>());
                let mut rest = &mut memory[parts.misaligned..];
                let mut slices = Vec::new();
                for length in &parts.lengths {
                    let (part, after) = rest.split_at_mut(*length);
                    slices.push(part);
                    rest = after;
                }
                nothing(device(*name)?.read_at(*offset, &mut slices))?;
                Ok(memory.to_vec())
            }
            Step::Submit { name, offset, lengths, wait } => {
                let buffers = lengths.iter().map(|length| AlignedBuffer::zeroed(*length)).collect();
                let mut pending = device(*name)?.submit_read(*offset, buffers).map_err(|e| e.kind())?;
                if !wait {
                    return Ok(Vec::new());
                }
                if offset % 1024 == 0 {
                    while !pending.is_done() {}
                }
                let buffers = pending.wait().map_err(|e| e.kind())?;
                assert!(buffers.iter().map(|b| b.len()).eq(lengths.iter().copied()));
                Ok(buffers.iter().flat_map(|b| b.to_vec()).collect())
            }
            Step::Sync { name } => nothing(device(*name)?.sync()),
            Step::WriteWhole { name, bytes } => nothing(self.files.write_whole(&path(*name), bytes)),
            Step::List => {
                let paths = self.files.list(&self.directory).map_err(|e| e.kind())?;
                assert!(paths.iter().all(|path| path.parent() == Some(&self.directory)));
                let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
                Ok(names.collect::<Vec<_>>().join("\n").into_bytes())
            }
            Step::ReadWhole { name } => self.files.read_whole(&path(*name)).map_err(|e| e.kind()),
        }
    }
}

fn os(direct_sector_max: Option<usize>, io_uring: bool) -> Arc<dyn FileSystem> {
    Arc::new(OsFileSystem::with(OsOptions { direct_sector_max, io_uring }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_implementations_do_the_same(steps in vec(step(), 1..60)) {
        let implementations: [(&str, Arc<dyn FileSystem>); 5] = [
            ("memory", Arc::new(MemoryFileSystem::new())),
            ("faulty", Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())))),
            ("direct, io_uring", os(Some(4096), true)),
            ("direct, threads", os(Some(4096), false)),
            ("page cache, io_uring", os(None, true)),
        ];
        let directories = implementations.each_ref().map(|_| tempfile::tempdir().unwrap());
        let mut subjects = Vec::new();
        for ((name, files), directory) in implementations.into_iter().zip(&directories) {
            files.create_directory(directory.path()).unwrap();
            subjects.push((name, Subject { files, directory: directory.path().to_owned(), open: BTreeMap::new() }));
        }
        for step in &steps {
            let expected = subjects[0].1.run(step);
            for (name, subject) in &mut subjects[1..] {
                let found = subject.run(step);
                prop_assert!(found == expected, "{name}: {step:?}\n found {found:?}\n expected {expected:?}");
            }
        }
    }
}

#[test]
fn a_file_is_read_back_after_it_was_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let files = OsFileSystem::new();
    let device = files.create(&path, 1 << 20).unwrap();
    println!("direct I/O: {}, io_uring: {}", device.direct(), files.uses_io_uring());
    let mut block = AlignedBuffer::zeroed(8192);
    block.fill(9);
    device.write_at(8192, &[&block]).unwrap();
    device.sync().unwrap();
    drop(device);
    let device = files.open(&path).unwrap();
    let pending: Vec<_> =
        (0..100).map(|_| device.submit_read(4096, vec![AlignedBuffer::zeroed(12288)]).unwrap()).collect();
    drop(device);
    for read in pending {
        let buffers = read.wait().unwrap();
        assert!(buffers[0][..4096].iter().all(|b| *b == 0));
        assert!(buffers[0][4096..].iter().all(|b| *b == 9));
    }
    assert_eq!(files.create(Path::new(&path), 1).unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_new_file_is_really_allocated() {
    use std::os::unix::fs::MetadataExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let device = OsFileSystem::new().create(&path, 1 << 20).unwrap();
    device.set_size(3 << 20).unwrap();
    assert!(std::fs::metadata(&path).unwrap().blocks() * 512 >= 3 << 20);
}

#[test]
fn growth_without_space_leaves_the_file_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let files = OsFileSystem::new();
    let device = files.create(&path, 8192).unwrap();
    let too_much = 1 << 55;
    assert!(device.set_size(too_much).is_err());
    assert_eq!(device.size().unwrap(), 8192);
    assert!(files.create(&directory.path().join("y"), too_much).is_err());
    assert!(!files.exists(&directory.path().join("y")).unwrap());
}

#[test]
fn access_without_background_reads_at_once_and_gives_the_same_bytes() {
    use device::FileAccess;
    let directory = tempfile::tempdir().unwrap();
    let files = OsFileSystem::new();
    files.access_by(FileAccess { direct: false, background: false });
    let file = files.create(&directory.path().join("file"), 8192).unwrap();
    assert!(!file.direct());
    file.write_at(4096, &[&[7; 4096]]).unwrap();
    let mut read = file.submit_read(4096, vec![AlignedBuffer::zeroed(4096)]).unwrap();
    assert!(read.is_done());
    assert!(read.wait().unwrap()[0].iter().all(|byte| *byte == 7));
    assert!(file.submit_read(8192, vec![AlignedBuffer::zeroed(4096)]).and_then(|read| read.wait()).is_err());
}
