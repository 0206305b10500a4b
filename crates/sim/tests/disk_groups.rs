//! Disk groups, crashed at each operation of making them, of changing their files and of dropping them, and again in
//! the mount that follows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asm::{AuSize, DiskGroup, Environment, FileKind, make_disks};
use common::sync::{Arc, Mutex};
use common::{Random, Seeded};
use device::{Device, FileSystem};
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Note, Operation, SimulatedFileSystem, Walk};

const MB: u64 = 1 << 20;
const SECTOR: u64 = 512;
const PATTERN: &str = "/d/disk*";
/// Content of the files, so that a unit passed on to another file is not zero by chance.
const FILLING: u8 = 0x5a;

#[derive(Debug)]
struct SeededRandom(Mutex<Seeded>);

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        self.0.lock().draw()
    }
}

fn environment(files: &SimulatedFileSystem, seed: u64) -> Environment {
    let mut environment = Environment::new(Arc::new(files.clone()));
    environment.clock = Arc::new(SimulatedClock::default());
    environment.random = Arc::new(SeededRandom(Mutex::new(Seeded::new(seed))));
    environment
}

/// The expected file: its size, and the end of its filled part; the rest is zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileState {
    size: u64,
    filled: u64,
}

/// The group's files by name; None when there is no group.
type State = Option<BTreeMap<String, FileState>>;

struct Recording {
    operations: Vec<Operation>,
    states: Vec<State>,
    disks: u16,
}

/// Sizes that end with a unit, or not.
fn size(random: &mut Seeded) -> u64 {
    random.below(4) * MB + [0, 0, 1, 700, MB / 2][random.index(5)]
}

fn record(seed: u64, disks: u16, steps: usize) -> Recording {
    let mut random = Seeded::at(seed, 1);
    let files = SimulatedFileSystem::new();
    let environment = environment(&files, seed);
    files.create_directory(Path::new("/d")).unwrap();
    let mut states = vec![None];
    let done = |states: &mut Vec<State>, state: State| {
        states.push(state);
        files.note(Note::Acknowledged(states.len() - 1));
    };
    let begin = |states: &Vec<State>| files.note(Note::Begun(states.len()));

    begin(&states);
    let paths = make_disks(&files, PATTERN, disks, 9 * MB).unwrap();
    done(&mut states, None);
    begin(&states);
    let group = DiskGroup::create(&environment, "DATA", &paths, AuSize::default()).unwrap();
    let mut now = BTreeMap::new();
    done(&mut states, Some(now.clone()));
    for _ in 0..steps {
        let names: Vec<String> = now.keys().cloned().collect();
        begin(&states);
        match (random.below(6), random.pick(&names)) {
            (0, Some(name)) => {
                group.delete(name).unwrap();
                now.remove(name);
            }
            (1..=2, Some(name)) => {
                let file = group.open(name).unwrap();
                let bytes = size(&mut random);
                if file.set_size(bytes).is_ok() {
                    let state: &mut FileState = now.get_mut(name).unwrap();
                    *state = FileState { size: bytes, filled: state.filled.min(bytes) };
                }
            }
            (3..=4, Some(name)) => {
                let file = group.open(name).unwrap();
                let bytes = file.size().unwrap();
                file.write_at(0, &[&vec![FILLING; bytes as usize]]).unwrap();
                file.sync().unwrap();
                now.insert(name.clone(), FileState { size: bytes, filled: bytes });
            }
            _ => {
                let bytes = size(&mut random);
                if let Ok(file) = group.create_file(FileKind::DataFile, "F", bytes) {
                    now.insert(file.name().to_string(), FileState { size: bytes, filled: 0 });
                }
            }
        }
        done(&mut states, Some(now.clone()));
    }
    begin(&states);
    group.drop_group(true).unwrap();
    done(&mut states, None);
    Recording { operations: files.take_operations(), states, disks }
}

/// The result of a mount; an error other than "no such group" is a failure.
fn mount(files: &SimulatedFileSystem, seed: u64) -> Option<DiskGroup> {
    match DiskGroup::mount(&environment(files, seed), "DATA", PATTERN) {
        Ok(group) => Some(group),
        Err(error) if [15001, 15031, 15063].iter().any(|number| error.is_ora(*number)) => None,
        Err(error) => panic!("{error}"),
    }
}

fn sizes(state: &State) -> Option<BTreeMap<&str, u64>> {
    Some(state.as_ref()?.iter().map(|(name, file)| (&**name, file.size)).collect())
}

/// Reads a sector at each end of each unit, at the ends of the filled part, and at a random place.
fn check_content(group: &DiskGroup, name: &str, old: Option<&FileState>, new: Option<&FileState>, random: &mut Seeded) {
    let file = group.open(name).unwrap();
    let size = file.size().unwrap();
    let of_size = |state: &&FileState| state.size == size;
    let expected: Vec<_> = old.into_iter().chain(new).filter(of_size).collect();
    let filled_min = expected.iter().map(|state| state.filled).min().unwrap();
    let filled_max = expected.iter().map(|state| state.filled).max().unwrap();
    let mut places = vec![filled_min, filled_max, filled_min.saturating_sub(SECTOR), filled_max.saturating_sub(SECTOR)];
    for unit in 0..size.div_ceil(MB) {
        places.extend([unit * MB, (unit + 1) * MB - SECTOR, unit * MB + random.below(MB / SECTOR) * SECTOR]);
    }
    for place in places {
        let mut bytes = vec![0; SECTOR.min(size.saturating_sub(place)) as usize];
        file.read_at(place, &mut [&mut bytes]).unwrap();
        for (at, byte) in (place..).zip(bytes) {
            let good = match byte {
                FILLING => at < filled_max,
                0 => at >= filled_min,
                _ => false,
            };
            assert!(good, "{name} at {at} of {size}: {byte:#x}, filled to {filled_min} or {filled_max}");
        }
    }
}

/// Checks a disk after a crash: the group is in the acknowledged state or in the one begun, and usable.
fn check(image: Image, recording: &Recording, acknowledged: usize, begun: usize, random: &mut Seeded) {
    let files = SimulatedFileSystem::on(image.clone());
    let (old, new) = (&recording.states[acknowledged], &recording.states[begun]);
    let paths: Vec<_> = (1..=recording.disks).map(|number| PathBuf::from(format!("/d/disk{number:02}"))).collect();
    let Some(group) = mount(&files, 77) else {
        assert!(old.is_none() || new.is_none(), "the group is gone in state {acknowledged}");
        if acknowledged >= 1 {
            // Its disks can be taken, after the mount and without it.
            for files in [files, SimulatedFileSystem::on(image)] {
                let again = DiskGroup::create(&environment(&files, 78), "DATA", &paths, AuSize::default()).unwrap();
                assert_eq!(again.files().unwrap(), []);
            }
        }
        return;
    };
    let found: BTreeMap<_, _> =
        group.files().unwrap().into_iter().map(|file| (file.name.to_string(), file.bytes)).collect();
    let found: BTreeMap<_, _> = found.iter().map(|(name, bytes)| (&**name, *bytes)).collect();
    let states = [sizes(old), sizes(new)];
    assert!(states.contains(&Some(found.clone())), "{found:?} is neither {old:?} nor {new:?}");
    for name in found.keys() {
        let state = |state: &State| state.as_ref().and_then(|state| state.get(*name)).copied();
        check_content(&group, name, state(old).as_ref(), state(new).as_ref(), random);
    }
    let error = DiskGroup::create(&environment(&SimulatedFileSystem::on(image), 78), "DATA", &paths, AuSize::default());
    // While the group exists none of its disks is taken for another group, including those that are no members yet.
    assert!(error.unwrap_err().is_ora(15033));

    let free = group.statistics().free_bytes;
    let file = group.create_file(FileKind::DataFile, "ALL", free).unwrap();
    assert!(group.create_file(FileKind::DataFile, "MORE", 1).unwrap_err().is_ora(15041));
    let mut bytes = vec![1; SECTOR as usize];
    if free > 0 {
        file.read_at(random.below(free / SECTOR) * SECTOR, &mut [&mut bytes]).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
    drop(file);
    group.drop_group(true).unwrap();
}

/// Crashes a recording at each operation, in each way; every `again`th mount after that is crashed at each of its
/// operations too.
fn explore(recording: &Recording, seed: u64, again: usize) -> (usize, usize) {
    let mut walk = Walk::new(Image::default());
    let (mut acknowledged, mut begun) = (0, 0);
    let (mut crashes, mut second) = (0, 0);
    for (place, operation) in recording.operations.iter().enumerate() {
        match operation {
            Operation::Note(Note::Begun(state)) => begun = *state,
            Operation::Note(Note::Acknowledged(state)) => acknowledged = *state,
            _ => {
                for keep in Keep::ALL {
                    let mut random = Seeded::at(seed, (place * 10 + crashes % 7) as u64);
                    let image = walk.crash(Some(operation), keep, &mut random);
                    crashes += 1;
                    if crashes.is_multiple_of(again) {
                        second += explore_mount(&image, recording, acknowledged, begun, &mut random);
                    }
                    check(image, recording, acknowledged, begun, &mut random);
                }
            }
        }
        walk.pass(operation);
    }
    (crashes, second)
}

fn explore_mount(image: &Image, recording: &Recording, old: usize, new: usize, random: &mut Seeded) -> usize {
    let files = SimulatedFileSystem::on(image.clone());
    drop(mount(&files, 76));
    let operations = files.take_operations();
    let mut walk = Walk::new(image.clone());
    for operation in &operations {
        for keep in [Keep::Nothing, Keep::Everything, Keep::Sectors] {
            check(walk.crash(Some(operation), keep, random), recording, old, new, random);
        }
        walk.pass(operation);
    }
    operations.len() * 3
}

#[test]
fn a_group_is_as_it_was_or_as_it_was_to_be_after_a_crash_at_each_operation() {
    let (mut crashes, mut second) = (0, 0);
    for (seed, disks) in [(1, 1), (2, 2), (3, 3), (4, 5)] {
        let recording = record(seed, disks, 10);
        let (first, again) = explore(&recording, seed, 17);
        crashes += first;
        second += again;
    }
    println!("{crashes} crashes, {second} in mounts");
    assert!(crashes > 1000 && second > 300, "{crashes} crashes, {second} in mounts");
}
