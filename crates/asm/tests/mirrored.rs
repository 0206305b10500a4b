//! Mirrored groups: copies, disks that fail and come back, and what a mount finds.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use asm::{
    DiskGroup, DiskMode, Environment, FileKind, GroupFile, Lanes, MountOptions, NewDisk, NewGroup, Redundancy,
    make_disks,
};
use common::sync::Arc;
use device::{AlignedBuffer, Device, FaultyFileSystem, FileSystem, MemoryFileSystem};
use support::{MB, Notebook, read};

const KIND: FileKind = FileKind::DataFile;
const PATTERN: &str = "/d/disk*";

/// Disks in memory that can fail, and the notes of their groups.
struct Bench {
    files: Arc<FaultyFileSystem>,
    environment: Environment,
    notes: Arc<Notebook>,
}

impl Bench {
    fn new() -> Self {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let notes = Arc::new(Notebook::default());
        let mut environment = Environment::new(Arc::<FaultyFileSystem>::clone(&files));
        environment.notes = Some(Arc::<Notebook>::clone(&notes));
        environment.lanes = support::lanes(module_path!());
        Self { files, environment, notes }
    }

    /// Requests that take longer than this are given up.
    fn with_patience(patience: Duration) -> Self {
        let mut bench = Self::new();
        bench.environment.lanes = Some(Arc::new(Lanes::new(patience)));
        bench
    }

    /// The group DATA; a letter for each disk tells its failure group.
    fn group(&self, redundancy: Redundancy, failure_groups: &str, bytes: u64) -> DiskGroup {
        let count = failure_groups.len() as u16;
        let paths = make_disks(&*self.files, PATTERN, count, bytes).unwrap();
        let disks = paths
            .into_iter()
            .zip(failure_groups.chars())
            .map(|(path, group)| NewDisk { failure_group: Some(format!("cell_{group}")), ..NewDisk::new(path) });
        let name = "data".to_owned();
        let new = NewGroup { name, redundancy, disks: disks.collect(), ..NewGroup::default() };
        DiskGroup::create_with(&self.environment, &new).unwrap()
    }

    fn mount(&self) -> DiskGroup {
        DiskGroup::mount(&self.environment, "DATA", PATTERN).unwrap()
    }

    fn mount_by_force(&self) -> common::Result<DiskGroup> {
        let options = MountOptions { force: true, ..MountOptions::default() };
        DiskGroup::mount_with(&self.environment, "DATA", PATTERN, options)
    }
}

fn disk(number: u16) -> PathBuf {
    PathBuf::from(format!("/d/disk{:02}", number + 1))
}

fn content(seed: u8, bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at / 512 % 251) as u8 ^ seed).collect()
}

fn filled(group: &DiskGroup, tag: &str, bytes: u64, seed: u8) -> GroupFile {
    let file = group.create_file(KIND, tag, bytes).unwrap();
    file.write_at(0, &[&content(seed, bytes)]).unwrap();
    file.sync().unwrap();
    file
}

fn modes(group: &DiskGroup) -> Vec<DiskMode> {
    group.statistics().disks.iter().map(|disk| disk.mode).collect()
}

/// All copies of each extent of a file, as they are on the disks.
fn copies(bench: &Bench, group: &DiskGroup, file: &GroupFile) -> Vec<Vec<Vec<u8>>> {
    let mut extents: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut last = None;
    for place in group.extents(file.name().number).unwrap() {
        if last != Some(place.file_offset) {
            extents.push(Vec::new());
            last = Some(place.file_offset);
        }
        let device = bench.files.open(&disk(place.disk)).unwrap();
        extents.last_mut().unwrap().push(read(&*device, place.offset, place.bytes as usize));
    }
    extents
}

#[test]
fn every_extent_has_its_copies_in_different_failure_groups() {
    for (redundancy, groups, each) in [(Redundancy::Normal, "aabbcc", 2), (Redundancy::High, "abcabc", 3)] {
        let bench = Bench::new();
        let group = bench.group(redundancy, groups, 24 * MB);
        let file = filled(&group, "F", 20 * MB, 3);
        let letters: Vec<char> = groups.chars().collect();
        let places = group.extents(file.name().number).unwrap();
        assert_eq!(places.len(), 20 * each);
        for extent in places.chunks(each) {
            let mut cells: Vec<_> = extent.iter().map(|place| letters[usize::from(place.disk)]).collect();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), each, "{extent:?}");
        }
        for extent in copies(&bench, &group, &file) {
            assert!(extent.iter().all(|copy| *copy == extent[0]) && extent.len() == each);
        }
        let info = &group.files().unwrap()[0];
        assert_eq!((info.copies as usize, info.space), (each, 20 * MB * each as u64));
    }
}

#[test]
fn a_group_needs_enough_failure_groups() {
    let bench = Bench::new();
    let paths = make_disks(&*bench.files, PATTERN, 2, 8 * MB).unwrap();
    let disks = paths.iter().map(|path| NewDisk { failure_group: Some("f".into()), ..NewDisk::new(path) }).collect();
    let new = NewGroup { name: "G".into(), redundancy: Redundancy::Normal, disks, ..NewGroup::default() };
    assert!(DiskGroup::create_with(&bench.environment, &new).unwrap_err().is_ora(15072));
    let disks = paths.iter().map(NewDisk::new).collect();
    let new = NewGroup { redundancy: Redundancy::High, disks, ..new };
    assert!(DiskGroup::create_with(&bench.environment, &new).unwrap_err().is_ora(15072));
    let named = |name: &str, path| NewDisk { name: Some(name.into()), ..NewDisk::new(path) };
    let disks = vec![named("one", &paths[0]), named("ONE", &paths[1])];
    let new = NewGroup { redundancy: Redundancy::Normal, disks, ..new };
    assert!(DiskGroup::create_with(&bench.environment, &new).unwrap_err().is_ora(15010));
    // Nothing was written: the disks can be taken.
    let disks = vec![named("one", &paths[0]), NewDisk { bytes: Some(6 * MB), ..named("two", &paths[1]) }];
    let group = DiskGroup::create_with(&bench.environment, &NewGroup { disks, ..new }).unwrap();
    let sizes: Vec<_> = group.statistics().disks.iter().map(|disk| (disk.name.clone(), disk.total_bytes)).collect();
    assert_eq!(sizes, [("ONE".into(), 8 * MB), ("TWO".into(), 6 * MB)]);
}

#[test]
fn a_lost_disk_goes_offline_and_nobody_sees_an_error() {
    for lost in 0..3 {
        let bench = Bench::new();
        let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
        let file = filled(&group, "F", 9 * MB, 1);
        bench.files.lose(&disk(lost));
        assert!(read(&file, 0, 9 << 20) == content(1, 9 * MB));
        file.write_at(0, &[&content(2, 9 * MB)]).unwrap();
        file.sync().unwrap();
        assert!(read(&file, 0, 9 << 20) == content(2, 9 * MB));
        assert_eq!(modes(&group)[usize::from(lost)], DiskMode::Offline);
        assert_eq!(modes(&group).iter().filter(|mode| **mode == DiskMode::Offline).count(), 1);
        // Life goes on: files are made, grow and shrink.
        let more = filled(&group, "G", 3 * MB, 7);
        file.set_size(12 * MB).unwrap();
        file.set_size(10 * MB).unwrap();
        assert!(bench.notes.text().contains(&format!("disk \"DATA_{lost:04}\" is offline")), "{}", bench.notes.text());

        // It comes back with what it had, and gets what it missed.
        bench.files.heal();
        group.online(&format!("data_{lost:04}"), PATTERN).unwrap();
        assert_eq!(modes(&group), [DiskMode::Online; 3]);
        assert_eq!(group.statistics().stale_regions, 0);
        for extent in copies(&bench, &group, &file) {
            assert!(extent.iter().all(|copy| *copy == extent[0]));
        }
        for other in 0..3 {
            if other != lost {
                bench.files.lose(&disk(other));
                assert!(read(&file, 0, 9 << 20) == content(2, 9 * MB), "{lost} back, {other} lost");
                bench.files.heal();
                break;
            }
        }
        assert!(read(&more, 0, 3 << 20) == content(7, 3 * MB));
    }
}

/// What the offline disk missed is known after a mount as well.
#[test]
fn stale_copies_are_known_after_a_mount() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "ab", 64 * MB);
    let file = filled(&group, "F", 40 * MB, 1);
    group.offline("DATA_0000").unwrap();
    file.write_at(17 * MB, &[&content(9, 2 * MB)]).unwrap();
    file.sync().unwrap();
    let name = file.name().to_string();
    drop(file);
    group.dismount().unwrap();
    drop(group);

    let group = bench.mount();
    assert_eq!(modes(&group), [DiskMode::Offline, DiskMode::Online]);
    let statistics = group.statistics();
    assert!((1..=2).contains(&statistics.stale_regions), "{}", statistics.stale_regions);
    let file = group.open(&name).unwrap();
    assert!(read(&file, 17 * MB, 2 << 20) == content(9, 2 * MB));
    let before = group.statistics().disks[0].bytes_written;
    group.online("DATA_0000", PATTERN).unwrap();
    let copied = group.statistics().disks[0].bytes_written - before;
    assert!((2 * MB..=18 * MB).contains(&copied), "{copied} bytes for 2 MB that had changed");
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
    bench.files.lose(&disk(1));
    assert!(read(&file, 17 * MB, 2 << 20) == content(9, 2 * MB));
    assert!(read(&file, 0, 17 << 20) == content(1, 17 * MB));
}

#[test]
fn the_last_good_copy_does_not_go_offline() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "ab", 24 * MB);
    let file = filled(&group, "F", 4 * MB, 1);
    group.offline("data_0001").unwrap();
    assert!(group.offline("DATA_0000").unwrap_err().is_ora(15066));
    assert!(group.offline("DATA_0009").unwrap_err().is_ora(15054));
    bench.files.lose(&disk(0));
    let error = file.read_at(MB, &mut [&mut [0; 4096]]).unwrap_err().to_string();
    for part in ["ORA-15081", "extent 1 of file +DATA/DATAFILE/F.256.1", "\"DATA\"", "\"DATA_0000\"", "\"DATA_0001\""] {
        assert!(error.contains(part), "{error}");
    }
    file.write_at(0, &[&[1; 4096]]).unwrap_err();
    assert_eq!(modes(&group), [DiskMode::Online, DiskMode::Offline]);
    // After the failed write of metadata the group takes no more changes; a mount finds all that was acknowledged.
    let name = file.name().to_string();
    drop((file, group));
    bench.files.heal();
    let group = bench.mount();
    assert!(read(&group.open(&name).unwrap(), 0, 4 << 20)[4096..] == content(1, 4 * MB)[4096..]);
}

#[test]
fn bad_sectors_are_read_from_the_other_copy_and_written_again() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let file = filled(&group, "F", 6 * MB, 5);
    for place in group.extents(256).unwrap().iter().filter(|place| place.copy == 0) {
        bench.files.make_unreadable(&disk(place.disk), place.offset + 8192..place.offset + 8192 + 4096);
    }
    assert!(read(&file, 8192 + 512, 700) == content(5, MB)[8192 + 512..8192 + 1212]);
    let pending = file.submit_read(MB, vec![AlignedBuffer::zeroed(64 << 10)]).unwrap();
    assert!(pending.wait().unwrap()[0][..] == content(5, 6 * MB)[MB as usize..][..64 << 10]);
    assert!(read(&file, 0, 6 << 20) == content(5, 6 * MB));
    let statistics = group.statistics();
    assert_eq!((statistics.repairs, modes(&group)), (6, vec![DiskMode::Online; 3]));
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
    assert!(bench.notes.text().contains("was repaired on disk"));
}

#[test]
fn copies_that_a_crash_left_different_are_made_alike() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::High, "abcd", 24 * MB);
    let file = filled(&group, "F", 6 * MB, 5);
    let places = group.extents(256).unwrap();
    let name = file.name().to_string();
    drop((file, group));
    // A write that had reached the second copy of extent 2 only.
    let second = places.iter().find(|place| place.file_offset == 2 * MB && place.copy == 1).unwrap();
    bench.files.open(&disk(second.disk)).unwrap().write_at(second.offset + 4096, &[&[0xee; 512]]).unwrap();
    let group = bench.mount();
    assert!(group.repaired().iter().any(|line| line.contains("written again")), "{:?}", group.repaired());
    let file = group.open(&name).unwrap();
    for extent in copies(&bench, &group, &file) {
        assert!(extent.iter().all(|copy| *copy == extent[0]));
    }
    assert_eq!(group.statistics().dirty_regions, 0);
    // A clean dismount leaves nothing to compare.
    file.write_at(0, &[b"x"]).unwrap();
    drop(file);
    group.dismount().unwrap();
    drop(group);
    // The file has 18 MB of copies; the metadata that a mount reads has far less.
    let bytes_read = bench.mount().statistics().disks.iter().map(|disk| disk.bytes_read).sum::<u64>();
    assert!(bytes_read < 6 * MB, "{bytes_read}");
}

#[test]
fn a_missing_disk_needs_force_and_one_with_old_content_is_made_anew() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let file = filled(&group, "F", 6 * MB, 5);
    let name = file.name().to_string();
    drop(file);
    group.dismount().unwrap();
    drop(group);
    let old = read(&*bench.files.open(&disk(0)).unwrap(), 0, 24 << 20);
    let group = bench.mount();
    let file = group.open(&name).unwrap();
    file.write_at(0, &[&content(6, 6 * MB)]).unwrap();
    drop(file);
    group.dismount().unwrap();
    drop(group);

    bench.files.lose(&disk(1));
    let error = DiskGroup::mount(&bench.environment, "DATA", PATTERN).unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("\"DATA_0001\""), "{error}");
    let group = bench.mount_by_force().unwrap();
    assert!(read(&group.open(&name).unwrap(), 0, 6 << 20) == content(6, 6 * MB));
    bench.files.heal();
    group.online("DATA_0001", PATTERN).unwrap();
    group.dismount().unwrap();
    drop(group);

    // A disk that was put back from an old copy.
    bench.files.open(&disk(0)).unwrap().write_at(0, &[&old]).unwrap();
    let group = bench.mount();
    assert_eq!(modes(&group), [DiskMode::Offline, DiskMode::Online, DiskMode::Online]);
    assert!(group.repaired().iter().any(|line| line.contains("older content")), "{:?}", group.repaired());
    let file = group.open(&name).unwrap();
    assert!(read(&file, 0, 6 << 20) == content(6, 6 * MB));
    group.online("DATA_0000", PATTERN).unwrap();
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
    drop(file);
    group.dismount().unwrap();
    drop(group);
    assert_eq!(modes(&bench.mount()), [DiskMode::Online; 3]);
}

/// Of two disks one is lost, the other one goes on, and then only the one that was lost is found: its metadata has the
/// other one online, so it is not taken for the group without force.
#[test]
fn the_older_half_of_a_group_is_not_taken_for_the_group() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "ab", 24 * MB);
    let file = filled(&group, "F", 2 * MB, 1);
    bench.files.lose(&disk(0));
    file.write_at(0, &[&content(2, 2 * MB)]).unwrap();
    file.sync().unwrap();
    drop((file, group));
    bench.files.heal();
    bench.files.lose(&disk(1));
    let error = DiskGroup::mount(&bench.environment, "DATA", PATTERN).unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("DATA_0001"), "{error}");
    bench.files.heal();
    let group = bench.mount();
    assert_eq!(modes(&group), [DiskMode::Offline, DiskMode::Online]);
    assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 2 << 20) == content(2, 2 * MB));
}

#[test]
fn a_disk_that_fails_again_while_it_is_synchronised_stays_offline() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let file = filled(&group, "F", 6 * MB, 5);
    group.offline("DATA_0001").unwrap();
    file.write_at(0, &[&content(6, 6 * MB)]).unwrap();
    file.sync().unwrap();
    bench.files.lose(&disk(1));
    group.online("DATA_0001", PATTERN).unwrap_err();
    bench.files.heal();
    let name = file.name().to_string();
    let (mut group, mut file) = (group, file);
    let mut stops = 0;
    for nth in 1.. {
        bench.files.fail(nth, device::Fault::Write);
        let online = group.online("DATA_0001", PATTERN);
        bench.files.heal();
        let now = modes(&group);
        assert!(now.iter().filter(|mode| **mode != DiskMode::Online).count() <= 1, "{now:?}");
        assert!(read(&file, 0, 6 << 20) == content(6, 6 * MB));
        match online {
            Ok(()) if now == [DiskMode::Online; 3] => break,
            // The metadata could not be written on a disk that has the only good copies: a mount goes on.
            Err(error) if error.is_own(70) => {
                stops += 1;
                drop((group, file));
                group = bench.mount();
                file = group.open(&name).unwrap();
            }
            _ => {}
        }
        // It may have been another disk that failed; in the next round it is this one again that comes online.
        for (number, mode) in modes(&group).into_iter().enumerate() {
            if mode == DiskMode::Offline && number != 1 {
                group.online(&format!("DATA_{number:04}"), PATTERN).unwrap();
            }
        }
        group.offline("DATA_0001").unwrap();
        file.write_at(0, &[&content(6, 6 * MB)]).unwrap();
    }
    assert!(stops > 0);
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
}

#[test]
fn dirty_regions_have_a_limit_and_are_cleaned() {
    let mut bench = Bench::new();
    bench.environment.dirty_regions = 4;
    let group = bench.group(Redundancy::Normal, "ab", 200 * MB);
    let file = group.create_file(KIND, "F", 180 * MB).unwrap();
    for at in (0..180).rev() {
        file.write_at(at * MB, &[&[at as u8; 512]]).unwrap();
        assert!(group.statistics().dirty_regions <= 4);
    }
    for at in (0..180).rev() {
        assert_eq!(read(&file, at * MB, 512), [at as u8; 512]);
    }
}

#[test]
fn writers_and_a_disk_that_comes_and_goes() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 40 * MB);
    let file = filled(&group, "F", 24 * MB, 0);
    std::thread::scope(|scope| {
        for writer in 0..3_u64 {
            let file = file.clone();
            scope.spawn(move || {
                for round in 1..40_u8 {
                    for slot in 0..8 {
                        let at = slot * 3 * MB + writer * 4096;
                        file.write_at(at, &[&[round; 4096]]).unwrap();
                        assert_eq!(read(&file, at, 4096), [round; 4096]);
                    }
                }
            });
        }
        for round in 0..6 {
            let number = round % 3;
            bench.files.lose(&disk(number));
            std::thread::sleep(Duration::from_millis(3));
            group.offline(&format!("DATA_{number:04}")).unwrap();
            bench.files.heal();
            group.online(&format!("DATA_{number:04}"), PATTERN).unwrap();
        }
    });
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
    for slot in 0..8 {
        for writer in 0..3 {
            assert_eq!(read(&file, slot * 3 * MB + writer * 4096, 4096), [39; 4096]);
        }
    }
}

#[test]
fn a_dropped_group_is_made_anew_in_the_same_place() {
    let bench = Bench::new();
    for redundancy in [Redundancy::Normal, Redundancy::High, Redundancy::Normal] {
        let paths = make_disks(&*bench.files, "/e/disk*", 3, 12 * MB)
            .unwrap_or_else(|_| (1..=3).map(|number| PathBuf::from(format!("/e/disk{number:02}"))).collect());
        let disks = paths.iter().map(NewDisk::new).collect();
        let new = NewGroup { name: "AGAIN".into(), redundancy, disks, ..NewGroup::default() };
        let group = DiskGroup::create_with(&bench.environment, &new).unwrap();
        drop(filled(&group, "F", 2 * MB, 8));
        assert!(group.drop_group(false).unwrap_err().is_ora(15053));
        group.drop_group(true).unwrap();
        assert!(DiskGroup::mount(&bench.environment, "AGAIN", "/e/*").unwrap_err().is_ora(15063));
    }
    assert!(bench.files.exists(Path::new("/e/disk01")).unwrap());
}

/// A caller that finds the bytes of one copy damaged reads another, and has it written to all.
#[test]
fn a_damaged_copy_is_told_apart_by_its_reader_and_repaired() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let file = filled(&group, "F", 3 * MB, 5);
    let place =
        group.extents(256).unwrap().into_iter().find(|place| place.copy == 0 && place.file_offset == MB).unwrap();
    bench.files.flip(&disk(place.disk), place.offset + 5000).unwrap();
    let good = content(5, 3 * MB)[MB as usize + 4096..][..8192].to_vec();
    assert_eq!(file.copies(), 2);
    let read_copy = |copy| {
        let mut buffer = vec![0; 8192];
        file.read_copy(copy, MB + 4096, &mut [&mut buffer]).map(|()| buffer)
    };
    assert!(read(&file, MB + 4096, 8192) != good && read_copy(0).unwrap() != good && read_copy(1).unwrap() == good);
    read_copy(2).unwrap_err();
    file.repair(MB + 4096, &[&good]).unwrap();
    assert!(read_copy(0).unwrap() == good && group.statistics().repairs == 1);
    assert!(bench.notes.text().contains("damaged bytes of extent 1 of"), "{}", bench.notes.text());
}

const PATIENCE: Duration = Duration::from_millis(150);

/// Requests to one disk do not end: the group gives them up after a while, takes the disk offline, and answers its
/// callers without an error. The disk comes back only when those requests have ended, because a late write must not
/// follow a later one.
#[test]
fn a_disk_that_hangs_is_given_up_and_goes_offline() {
    for hanging in 0..3 {
        let bench = Bench::with_patience(PATIENCE);
        let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
        let file = filled(&group, "F", 6 * MB, 1);
        bench.files.hang(&disk(hanging));
        if hanging == 1 {
            // Found by a read, in the background or not, and taken offline by the repair that follows.
            for extent in 0..6 {
                let pending = file.submit_read(extent * MB, vec![AlignedBuffer::zeroed(8192)]).unwrap();
                assert!(pending.wait().unwrap()[0][..] == content(1, 6 * MB)[(extent * MB) as usize..][..8192]);
            }
        }
        assert!(read(&file, 0, 6 << 20) == content(1, 6 * MB));
        file.write_at(0, &[&content(2, 6 * MB)]).unwrap();
        file.sync().unwrap();
        assert_eq!(modes(&group)[usize::from(hanging)], DiskMode::Offline);
        assert!(bench.notes.text().contains("no answer within 0.15 seconds"), "{}", bench.notes.text());
        file.write_at(MB, &[&content(3, 2 * MB)]).unwrap();
        let name = format!("DATA_{hanging:04}");
        let error = group.online(&name, PATTERN).unwrap_err();
        assert!(error.is_ora(15042), "{error}");

        bench.files.heal();
        let mut tries = 0;
        while let Err(error) = group.online(&name, PATTERN) {
            tries += 1;
            assert!(tries < 1000, "{error}");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(modes(&group), [DiskMode::Online; 3]);
        for extent in copies(&bench, &group, &file) {
            assert!(extent[0] == extent[1]);
        }
        let all = read(&file, 0, 6 << 20);
        assert!(all[..1 << 20] == content(2, MB) && all[1 << 20..3 << 20] == content(3, 2 * MB));
    }
}

#[test]
fn a_mount_gives_a_hanging_disk_up_and_does_without_it_by_force() {
    let bench = Bench::with_patience(PATIENCE);
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let name = filled(&group, "F", 6 * MB, 1).name().to_string();
    group.dismount().unwrap();
    drop(group);
    bench.files.hang(&disk(1));
    let error = DiskGroup::mount(&bench.environment, "DATA", PATTERN).unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("no answer within 0.15 seconds"), "{error}");
    let group = bench.mount_by_force().unwrap();
    assert_eq!(modes(&group), [DiskMode::Online, DiskMode::Offline, DiskMode::Online]);
    assert!(read(&group.open(&name).unwrap(), 0, 6 << 20) == content(1, 6 * MB));
    bench.files.heal();
}

/// Without another copy the caller gets the error, and does not hang.
#[test]
fn a_hanging_disk_with_the_last_copy_fails_its_requests() {
    let bench = Bench::with_patience(PATIENCE);
    let group = bench.group(Redundancy::Normal, "ab", 24 * MB);
    let file = filled(&group, "F", 2 * MB, 1);
    group.offline("DATA_0000").unwrap();
    bench.files.hang(&disk(1));
    let error = file.read_at(0, &mut [&mut [0; 4096]]).unwrap_err().to_string();
    assert!(error.contains("ORA-15081") && error.contains("no answer within"), "{error}");
    file.write_at(0, &[&[1; 4096]]).unwrap_err();
    assert_eq!(modes(&group), [DiskMode::Offline, DiskMode::Online]);
    bench.files.heal();
}

/// Blocks of 4 KB that begin with their own number; the last byte is the sum of the others.
#[derive(Debug)]
struct Numbered;

impl Numbered {
    fn block(number: u64, fill: u8) -> Vec<u8> {
        let mut block = vec![fill; 4096];
        block[..8].copy_from_slice(&number.to_le_bytes());
        block[4095] = Self::sum(&block);
        block
    }

    fn sum(block: &[u8]) -> u8 {
        block[..4095].iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
    }
}

impl asm::Judge for Numbered {
    fn block_bytes(&self, file: &asm::JudgedFile) -> Option<u64> {
        (file.name.tag == "NUMBERED").then_some(4096)
    }

    fn is_sound(&self, _: &asm::JudgedFile, offset: u64, block: &[u8]) -> bool {
        block[..8] == (offset / 4096).to_le_bytes() && block[4095] == Self::sum(block)
    }
}

fn problems(report: &asm::CheckReport) -> String {
    report.problems.iter().map(|problem| format!("{}\n", problem.text)).collect()
}

fn numbered(group: &DiskGroup, blocks: u64) -> GroupFile {
    let file = group.create_file(KIND, "NUMBERED", blocks * 4096).unwrap();
    let content: Vec<u8> = (0..blocks).flat_map(|number| Numbered::block(number, 7)).collect();
    file.write_at(0, &[&content]).unwrap();
    file.sync().unwrap();
    file
}

/// A crash leaves a region dirty, and one copy of a block in it is damaged: the other one is taken, whichever it is.
#[test]
fn a_damaged_copy_is_not_copied_over_the_good_one_after_a_crash() {
    for damaged in 0..2 {
        let mut bench = Bench::new();
        bench.environment.judge = Some(Arc::new(Numbered));
        let group = bench.group(Redundancy::Normal, "ab", 24 * MB);
        let file = numbered(&group, 512);
        let name = file.name().to_string();
        let places = group.extents(256).unwrap();
        drop((file, group));
        let place = places.iter().find(|place| place.file_offset == MB && place.copy == damaged).unwrap();
        let (device, at) = (bench.files.open(&disk(place.disk)).unwrap(), place.offset + 20 * 4096 + 300);
        device.write_at(at, &[&[0x55]]).unwrap();
        // Another block whose copies are both sound: the first counts.
        let newer = Numbered::block(256 + 40, 9);
        device.write_at(place.offset + 40 * 4096, &[&newer]).unwrap();

        let group = bench.mount();
        assert!(group.repaired().iter().any(|line| line.contains("8192 bytes of them")), "{:?}", group.repaired());
        let file = group.open(&name).unwrap();
        for extent in copies(&bench, &group, &file) {
            assert!(extent[0] == extent[1]);
        }
        assert_eq!(read(&file, MB + 20 * 4096, 4096), Numbered::block(256 + 20, 7));
        let fill = if damaged == 0 { 9 } else { 7 };
        assert_eq!(read(&file, MB + 40 * 4096, 4096), Numbered::block(256 + 40, fill));
    }
}

#[test]
fn a_check_finds_what_is_damaged_and_mends_what_has_a_good_copy() {
    let mut bench = Bench::new();
    bench.environment.judge = Some(Arc::new(Numbered));
    let group = bench.group(Redundancy::Normal, "abc", 24 * MB);
    let file = numbered(&group, 1024);
    // What is behind the end of a file may differ.
    let odd = filled(&group, "ODD", MB + 5000, 3);
    let places = group.extents(odd.name().number).unwrap();
    let behind = places.last().unwrap();
    let device = bench.files.open(&disk(behind.disk)).unwrap();
    device.write_at(behind.offset + 9000, &[&[0x77; 100]]).unwrap();
    let sound = group.check(false).unwrap();
    let compared = (sound.found, sound.extents, sound.bytes);
    assert_eq!(compared, (0, 6, 5 * MB + 5000), "{}", problems(&sound));
    drop(odd);
    group.delete("+DATA.257.2").unwrap();

    let places = group.extents(256).unwrap();
    let on =
        |extent: u64, copy: u8| places.iter().find(|one| one.file_offset == extent * MB && one.copy == copy).unwrap();
    let write = |place: &asm::ExtentPlace, block: u64, byte: u8| {
        let device = bench.files.open(&disk(place.disk)).unwrap();
        device.write_at(place.offset + block * 4096 + 100, &[&[byte]]).unwrap();
    };
    // One copy damaged; one that cannot be read; both damaged, alike and differently.
    write(on(0, 0), 3, 0xaa);
    let place = on(1, 1);
    bench.files.make_unreadable(&disk(place.disk), place.offset + 4096..place.offset + 8192);
    (0..2).for_each(|copy| write(on(2, copy), 9, 0xbb));
    (0..2).for_each(|copy| write(on(3, copy), 9, 0xc0 + copy));
    // The first header of a disk, and the metadata on one.
    bench.files.open(&disk(0)).unwrap().write_at(100, &[&[0xff; 8]]).unwrap();
    let device = bench.files.open(&disk(1)).unwrap();
    let snapshot = (2 * MB..8 * MB).step_by(4096).find(|at| read(&*device, *at, 4) == b"HWAS").unwrap();
    device.write_at(snapshot + 80, &[&[0xff; 8]]).unwrap();

    let report = group.check(false).unwrap();
    let text = problems(&report);
    for part in [
        "disk \"DATA_0000\": one of the two headers is damaged",
        "metadata on disk \"DATA_0001\"",
        "extent 0 of file +DATA/DATAFILE/NUMBERED.256.1, offset 12288 of the extent: the copy on disk",
        "extent 1 of file +DATA/DATAFILE/NUMBERED.256.1, offset 4096 of the extent: the copy on disk",
        "extent 2 of file +DATA/DATAFILE/NUMBERED.256.1, offset 36864 of the extent: the block is damaged in all copies",
        "extent 3 of file +DATA/DATAFILE/NUMBERED.256.1, offset 36864 of the extent: the block is damaged in all copies",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!((report.found, report.mended), (7, 0), "{text}");

    let report = group.check(true).unwrap();
    assert_eq!((report.found, report.mended), (7, 5), "{}", problems(&report));
    let again = group.check(false).unwrap();
    assert_eq!(again.found, 2, "{}", problems(&again));
    assert_eq!(read(&file, 3 * 4096, 4096), Numbered::block(3, 7));
    for extent in copies(&bench, &group, &file) {
        assert!(extent[0] == extent[1]);
    }
}

/// Found by the simulator: no header told how many units of such a disk are reserved, so its header was given to a
/// file.
#[test]
fn a_disk_that_was_missing_at_the_mount_keeps_its_header_when_it_is_full() {
    let bench = Bench::new();
    drop(bench.group(Redundancy::Normal, "abc", 12 * MB));
    bench.files.lose(&disk(0));
    let group = bench.mount_by_force().unwrap();
    assert_eq!(modes(&group)[0], DiskMode::Offline);
    let free_of_others = group.statistics().disks[1].free_bytes;
    bench.files.heal();
    group.online("DATA_0000", PATTERN).unwrap();
    assert_eq!(group.statistics().disks[0].free_bytes, free_of_others);
    // As much as there is room for.
    let files: Vec<_> = std::iter::from_fn(|| group.create_file(KIND, "F", MB).ok()).collect();
    assert!(group.statistics().free_bytes < 2 * MB, "{files:?}");
    drop(files);
    drop(group);
    let group = bench.mount();
    assert_eq!(modes(&group), [DiskMode::Online; 3]);
}

/// Found by the simulator: FORCE took a disk of the group itself that had come back, and was offline.
#[test]
fn a_disk_that_was_missing_at_the_mount_is_not_added_again() {
    let bench = Bench::new();
    drop(bench.group(Redundancy::Normal, "abc", 12 * MB));
    bench.files.lose(&disk(0));
    let group = bench.mount_by_force().unwrap();
    bench.files.heal();
    let again = [NewDisk { force: true, ..NewDisk::new(disk(0)) }];
    let error = group.add_disks(&again).unwrap_err();
    assert!(error.is_ora(15033) && error.text.contains("DATA_0000"), "{error}");
    group.online("DATA_0000", PATTERN).unwrap();
    assert_eq!(modes(&group), [DiskMode::Online; 3]);
    // Once it has left it is free.
    group.offline("DATA_0000").unwrap();
    group.drop_disks(&["DATA_0000".to_owned()], true).unwrap();
    group.add_disks(&again).unwrap();
}
