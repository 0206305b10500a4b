//! Disks that join, leave and change their sizes, and the rebalance that follows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use asm::{DiskGroup, DiskMode, Environment, FileKind, GroupFile, NewDisk, NewGroup, Redundancy, Step, make_disks};
use common::sync::Arc;
use common::sync::atomic::{AtomicBool, Ordering};
use device::{Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use support::{MB, read};

const PATTERN: &str = "/d/*";

struct Bench {
    files: Arc<FaultyFileSystem>,
    environment: Environment,
}

impl Bench {
    fn new() -> Self {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let mut environment = Environment::new(Arc::<FaultyFileSystem>::clone(&files));
        environment.lanes = support::lanes(module_path!());
        Self { files, environment }
    }

    /// Disks `/d/NAME01` and so on; the letters tell their failure groups.
    fn disks(&self, name: &str, failure_groups: &str, bytes: u64) -> Vec<NewDisk> {
        let paths = make_disks(&*self.files, &format!("/d/{name}*"), failure_groups.len() as u16, bytes).unwrap();
        let new = |(path, group): (PathBuf, char)| NewDisk {
            failure_group: Some(format!("cell_{group}")),
            ..NewDisk::new(path)
        };
        paths.into_iter().zip(failure_groups.chars()).map(new).collect()
    }

    fn group(&self, redundancy: Redundancy, failure_groups: &str, bytes: u64) -> DiskGroup {
        let disks = self.disks("a", failure_groups, bytes);
        let new = NewGroup { name: "DATA".into(), redundancy, disks, ..NewGroup::default() };
        DiskGroup::create_with(&self.environment, &new).unwrap()
    }

    fn mount(&self) -> DiskGroup {
        DiskGroup::mount(&self.environment, "DATA", PATTERN).unwrap()
    }
}

fn content(seed: u64, bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at / 4096 + seed * 7) as u8).collect()
}

fn filled(group: &DiskGroup, bytes: u64, seed: u64) -> GroupFile {
    let file = group.create_file(FileKind::DataFile, "F", bytes).unwrap();
    file.write_at(0, &[&content(seed, bytes)]).unwrap();
    file.sync().unwrap();
    file
}

/// Copies of a file on each disk: primary ones, and mirrors.
fn spread(group: &DiskGroup, file: u32) -> BTreeMap<u16, [u64; 2]> {
    let mut counts: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
    for place in group.extents(file).unwrap() {
        counts.entry(place.disk).or_default()[usize::from(place.copy.min(1))] += place.bytes / MB;
    }
    counts
}

/// Copies of an extent are in different failure groups, on disks of the group, and all there.
fn check_copies(group: &DiskGroup, copies: usize) {
    let statistics = group.statistics();
    let groups: BTreeMap<u16, String> =
        statistics.disks.iter().map(|disk| (disk.number, disk.failure_group.clone())).collect();
    for file in group.files().unwrap() {
        let mut of_extent: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for place in group.extents(file.name.number).unwrap() {
            of_extent.entry(place.file_offset).or_default().push(&groups[&place.disk]);
        }
        for (offset, mut cells) in of_extent {
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), copies, "{} at {offset}", file.name);
        }
    }
}

fn rebalance(group: &DiskGroup) {
    group.want_rebalance(1).unwrap();
    while group.rebalance_step().unwrap() != Step::Finished {}
    assert_eq!(group.wanted_rebalance(), None);
    assert_eq!(group.operation(), None);
}

#[test]
fn files_are_spread_over_disks_that_join() {
    for (redundancy, first, more) in
        [(Redundancy::External, "ab", "cd"), (Redundancy::Normal, "ab", "cd"), (Redundancy::High, "abc", "abc")]
    {
        let bench = Bench::new();
        let copies = usize::from(redundancy.copies());
        let group = bench.group(redundancy, first, 80 * MB);
        let files: Vec<_> =
            [24, 12, 1, 7].into_iter().zip(1..).map(|(mb, seed)| (filled(&group, mb * MB, seed), mb, seed)).collect();
        group.add_disks(&bench.disks("b", more, 80 * MB)).unwrap();
        assert_eq!(spread(&group, 256).len(), first.len());
        rebalance(&group);
        let disks = (first.len() + more.len()) as u64;
        for (file, mb, _) in &files {
            for kind in 0..copies.min(2) {
                let of_kind = mb * if kind == 0 { 1 } else { copies as u64 - 1 };
                let counts: Vec<_> = spread(&group, file.name().number).values().map(|counts| counts[kind]).collect();
                let (least, most) = (of_kind / disks, of_kind.div_ceil(disks));
                let spread = counts.iter().all(|count| (least.saturating_sub(1)..=most + 1).contains(count));
                assert!(spread, "{redundancy:?} {mb} MB, {kind}: {counts:?}");
            }
        }
        check_copies(&group, copies);
        // Nothing is left to move.
        let before = group.statistics().disks.iter().map(|disk| disk.bytes_written).sum::<u64>();
        rebalance(&group);
        let written = group.statistics().disks.iter().map(|disk| disk.bytes_written).sum::<u64>() - before;
        assert!(written < MB, "{written} bytes");
        for (file, mb, seed) in &files {
            assert!(read(file, 0, (mb << 20) as usize) == content(*seed, mb * MB));
        }
        let names: Vec<_> = files.iter().map(|(file, mb, seed)| (file.name().to_string(), *mb, *seed)).collect();
        let free = group.statistics().free_bytes;
        drop((files, group));
        let group = bench.mount();
        assert_eq!(group.statistics().free_bytes, free);
        for (name, mb, seed) in names {
            assert!(read(&group.open(&name).unwrap(), 0, (mb << 20) as usize) == content(seed, mb * MB));
        }
    }
}

#[test]
fn a_dropped_disk_is_emptied_and_free_for_others() {
    for redundancy in [Redundancy::External, Redundancy::Normal] {
        let bench = Bench::new();
        let group = bench.group(redundancy, "abcd", 40 * MB);
        let file = filled(&group, 20 * MB, 3);
        let names = ["DATA_0000".to_owned(), "data_0002".to_owned()];
        group.drop_disks(&names, false).unwrap();
        let dropping: Vec<_> = group.statistics().disks.iter().map(|disk| disk.dropping).collect();
        assert_eq!(dropping, [true, false, true, false]);
        group.undrop_disks().unwrap();
        assert!(group.statistics().disks.iter().all(|disk| !disk.dropping));
        group.drop_disks(&names, false).unwrap();
        // New extents are elsewhere at once.
        let more = filled(&group, 4 * MB, 4);
        assert!(spread(&group, more.name().number).keys().all(|disk| [1, 3].contains(disk)));
        rebalance(&group);
        assert_eq!(group.statistics().disks.iter().map(|disk| disk.number).collect::<Vec<_>>(), [1, 3]);
        check_copies(&group, redundancy.copies().into());
        assert!(read(&file, 0, 20 << 20) == content(3, 20 * MB));
        drop((file, more, group));
        let group = bench.mount();
        assert_eq!(group.statistics().disks.len(), 2);
        assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 20 << 20) == content(3, 20 * MB));
        // The disks are free, and their numbers too.
        let again = ["/d/a01", "/d/a03"].map(NewDisk::new);
        group.add_disks(&again).unwrap();
        rebalance(&group);
        assert_eq!(group.statistics().disks.iter().map(|disk| disk.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 20 << 20) == content(3, 20 * MB));
    }
}

#[test]
fn drops_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "aabb", 12 * MB);
    let _file = filled(&group, 14 * MB, 3);
    let drop_disks = |names: &[&str], force| {
        group.drop_disks(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), force).unwrap_err()
    };
    assert!(drop_disks(&["DATA_0007"], false).is_ora(15054));
    assert!(drop_disks(&["DATA_0000", "DATA_0001"], false).is_ora(15072));
    let error = drop_disks(&["DATA_0000"], false);
    assert!(error.is_ora(15041) && error.text.contains("7 allocation units"), "{error}");
    group.offline("DATA_0001").unwrap();
    assert!(drop_disks(&["DATA_0001"], false).is_ora(15084));
    // A disk with the only good copies of what the offline one has.
    let places = group.extents(256).unwrap();
    let shared = places.chunks(2).find(|copies| copies.iter().any(|copy| copy.disk == 1)).unwrap();
    let other = shared.iter().find(|copy| copy.disk != 1).unwrap().disk;
    assert!(drop_disks(&[&format!("DATA_{other:04}")], true).is_ora(15067));
    let external = Bench::new();
    let group = external.group(Redundancy::External, "ab", 12 * MB);
    assert!(group.drop_disks(&["DATA_0000".into()], true).unwrap_err().is_ora(15067));
}

#[test]
fn copies_of_a_disk_dropped_by_force_are_made_elsewhere() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 40 * MB);
    let file = filled(&group, 18 * MB, 3);
    bench.files.lose(&PathBuf::from("/d/a02"));
    file.write_at(0, &[&content(4, 18 * MB)]).unwrap();
    group.drop_disks(&["DATA_0001".into()], true).unwrap();
    assert_eq!(group.statistics().disks.len(), 2);
    assert!(read(&file, 0, 18 << 20) == content(4, 18 * MB));
    rebalance(&group);
    check_copies(&group, 2);
    // One of the others can go now.
    bench.files.lose(&PathBuf::from("/d/a01"));
    assert!(read(&file, 0, 18 << 20) == content(4, 18 * MB));
    drop((file, group));
    bench.files.heal();
    // The lost disk is back: nobody takes it for one of the group's.
    let group = bench.mount();
    assert_eq!(group.statistics().disks.len(), 2);
    assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 18 << 20) == content(4, 18 * MB));
    assert!(group.add_disks(&[NewDisk::new("/d/a02")]).unwrap_err().is_ora(15033));
    group.add_disks(&[NewDisk { force: true, ..NewDisk::new("/d/a02") }]).unwrap();
    group.online("DATA_0000", PATTERN).unwrap();
    rebalance(&group);
    check_copies(&group, 2);
}

/// While one of two failure groups is away files get one copy; the second is made when it is back.
#[test]
fn missing_copies_are_made_by_a_rebalance() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "ab", 40 * MB);
    group.offline("DATA_0001").unwrap();
    let file = filled(&group, 5 * MB, 3);
    assert_eq!(group.extents(file.name().number).unwrap().len(), 5);
    rebalance(&group);
    group.online("DATA_0001", PATTERN).unwrap();
    rebalance(&group);
    check_copies(&group, 2);
    bench.files.lose(&PathBuf::from("/d/a01"));
    assert!(read(&file, 0, 5 << 20) == content(3, 5 * MB));
}

#[test]
fn disks_grow_and_shrink_with_their_extents() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 20 * MB);
    let file = filled(&group, 18 * MB, 3);
    let total =
        |group: &DiskGroup| group.statistics().disks.iter().map(|disk| disk.total_bytes / MB).collect::<Vec<_>>();
    bench.files.open(&PathBuf::from("/d/a02")).unwrap().set_size(33 * MB + 5).unwrap();
    assert!(group.resize_disk("DATA_0001", Some(34 * MB)).unwrap_err().is_ora(15036));
    group.resize_disk("DATA_0001", None).unwrap();
    assert_eq!(total(&group), [20, 33, 20]);
    rebalance(&group);
    let counts = spread(&group, 256);
    assert!(counts[&1].iter().sum::<u64>() > counts[&0].iter().sum::<u64>(), "{counts:?}");
    group.resize_disk("DATA_0001", Some(19 * MB)).unwrap();
    assert_eq!(total(&group), [20, 19, 20]);
    assert!(group.resize_disk("DATA_0001", Some(10 * MB)).unwrap_err().is_ora(15041));
    assert!(group.resize_disk("DATA_0001", Some(3 * MB)).unwrap_err().is_ora(15037));
    assert!(read(&file, 0, 18 << 20) == content(3, 18 * MB));
    let free = group.statistics().free_bytes;
    drop((file, group));
    let group = bench.mount();
    assert_eq!((total(&group), group.statistics().free_bytes), (vec![20, 19, 20], free));
    assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 18 << 20) == content(3, 18 * MB));
}

#[test]
fn a_rebalance_goes_on_after_a_mount_and_says_how_far_it_is() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "ab", 80 * MB);
    drop(filled(&group, 40 * MB, 3));
    group.add_disks(&bench.disks("b", "ab", 80 * MB)).unwrap();
    group.want_rebalance(4).unwrap();
    for _ in 0..10 {
        group.rebalance_step().unwrap();
    }
    let operation = group.operation().unwrap();
    assert!((8..=10).contains(&operation.moved) && operation.work == 40, "{operation:?}");
    assert!(operation.minutes.is_some() && operation.error.is_none());
    drop(group);
    let group = bench.mount();
    assert_eq!(group.wanted_rebalance(), Some(4));
    // Paused, and taken up again with threads.
    group.want_rebalance(0).unwrap();
    group.run_rebalance(&AtomicBool::new(false)).unwrap();
    assert_eq!(group.wanted_rebalance(), Some(0));
    group.want_rebalance(4).unwrap();
    group.run_rebalance(&AtomicBool::new(false)).unwrap();
    assert_eq!(group.wanted_rebalance(), None);
    let counts: Vec<_> = spread(&group, 256).values().map(|counts| counts.iter().sum::<u64>()).collect();
    assert_eq!(counts, [20; 4]);
    assert!(read(&group.open("+DATA.256.1").unwrap(), 0, 40 << 20) == content(3, 40 * MB));
}

/// Readers and writers go on while extents move under them, and disks come and go.
#[test]
fn files_are_read_and_written_while_their_extents_move() {
    for redundancy in [Redundancy::External, Redundancy::Normal] {
        let bench = Bench::new();
        let group = bench.group(redundancy, "abc", 60 * MB);
        let file = filled(&group, 30 * MB, 0);
        let more = bench.disks("b", "abc", 60 * MB);
        let stopping = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for worker in 0..2_u64 {
                let (file, stopping) = (file.clone(), &stopping);
                scope.spawn(move || {
                    let mut round = 0_u64;
                    while !stopping.load(Ordering::Acquire) || round < 3 {
                        for slot in 0..30 {
                            let at = slot * MB + worker * 8192 + 64;
                            let bytes = [(round * 3 + slot + worker) as u8; 4096];
                            file.write_at(at, &[&bytes]).unwrap();
                            assert!(read(&file, at, 4096) == bytes);
                        }
                        round += 1;
                    }
                });
            }
            group.add_disks(&more).unwrap();
            group.want_rebalance(3).unwrap();
            group.run_rebalance(&AtomicBool::new(false)).unwrap();
            group.drop_disks(&["DATA_0000".into(), "DATA_0001".into()], false).unwrap();
            group.want_rebalance(2).unwrap();
            group.run_rebalance(&AtomicBool::new(false)).unwrap();
            stopping.store(true, Ordering::Release);
        });
        assert_eq!(group.statistics().disks.len(), 4);
        check_copies(&group, redundancy.copies().into());
        let used: u64 = group.files().unwrap().iter().map(|file| file.space).sum();
        drop(file);
        group.want_rebalance(1).unwrap();
        group.rebalance_step().unwrap();
        let statistics = group.statistics();
        let reserved = 3 * MB * statistics.disks.len() as u64;
        assert_eq!(statistics.total_bytes - statistics.free_bytes - reserved, used, "units are lost");
    }
}

#[test]
fn a_disk_that_fails_in_a_rebalance_goes_offline_and_the_rest_is_balanced() {
    let bench = Bench::new();
    for nth in (1..200).step_by(7) {
        let bench = Bench { files: Arc::clone(&bench.files), environment: bench.environment.clone() };
        let name = format!("n{nth}_");
        let disks = bench.disks(&name, "abc", 40 * MB);
        let group_name = format!("G{nth}");
        let new = NewGroup { name: group_name.clone(), redundancy: Redundancy::Normal, disks, ..NewGroup::default() };
        let group = DiskGroup::create_with(&bench.environment, &new).unwrap();
        let file = filled(&group, 20 * MB, 5);
        group.add_disks(&bench.disks(&format!("m{nth}_"), "d", 40 * MB)).unwrap();
        bench.files.fail(nth, if nth % 2 == 0 { Fault::Write } else { Fault::Read });
        group.want_rebalance(1).unwrap();
        while group.rebalance_step().unwrap() != Step::Finished {}
        bench.files.heal();
        assert!(read(&file, 0, 20 << 20) == content(5, 20 * MB));
        let offline = group.statistics().disks.iter().filter(|disk| disk.mode != DiskMode::Online).count();
        assert!(offline <= 1);
        drop((file, group));
        let group = DiskGroup::mount(&bench.environment, &group_name, PATTERN).unwrap();
        assert!(read(&group.open(&format!("+{group_name}.256.1")).unwrap(), 0, 20 << 20) == content(5, 20 * MB));
    }
}

#[test]
fn a_rebalance_without_room_says_so() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abc", 13 * MB);
    let file = filled(&group, 14 * MB, 3);
    bench.files.lose(&PathBuf::from("/d/a01"));
    file.write_at(0, &[&[1; 4096]]).unwrap();
    read(&file, 0, 14 << 20);
    for at in 0..14 {
        file.write_at(at * MB, &[&[1; 4096]]).unwrap();
    }
    group.drop_disks(&["DATA_0000".into()], true).unwrap();
    group.want_rebalance(1).unwrap();
    let error = loop {
        match group.rebalance_step() {
            Ok(step) => assert_ne!(step, Step::Finished),
            Err(error) => break error,
        }
    };
    assert!(error.is_ora(15041) && error.text.contains("redundancy"), "{error}");
    assert!(group.operation().unwrap().error.unwrap().is_ora(15041));
}

/// A read that began before two moves keeps the units of both.
#[test]
fn units_are_kept_for_reads_that_began_before_several_moves() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::External, "a", 40 * MB);
    let file = filled(&group, 4 * MB, 3);
    let free = group.statistics().free_bytes;
    let pending = file.submit_read(0, vec![device::AlignedBuffer::zeroed(4 << 20)]).unwrap();
    group.add_disks(&bench.disks("b", "b", 40 * MB)).unwrap();
    group.want_rebalance(1).unwrap();
    while group.rebalance_step().unwrap() != Step::Finished {}
    let added = 37 * MB;
    // Two units have moved, and are taken in both places until the read has ended.
    assert_eq!(group.statistics().free_bytes, free + added - 2 * MB);
    assert!(pending.wait().unwrap()[0][..] == content(3, 4 * MB));
    drop(filled(&group, MB, 4));
    assert_eq!(group.statistics().free_bytes, free + added - MB);
}

#[test]
fn a_disk_leaves_when_its_last_read_has_ended() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::External, "ab", 40 * MB);
    let file = filled(&group, 4 * MB, 3);
    let pending = file.submit_read(0, vec![device::AlignedBuffer::zeroed(4 << 20)]).unwrap();
    group.drop_disks(&["DATA_0000".into()], false).unwrap();
    group.want_rebalance(1).unwrap();
    let mut step = Step::Moved;
    while step == Step::Moved {
        step = group.rebalance_step().unwrap();
    }
    assert_eq!((step, group.statistics().disks.len()), (Step::Waiting, 2));
    assert!(pending.wait().unwrap()[0][..] == content(3, 4 * MB));
    while group.rebalance_step().unwrap() != Step::Finished {}
    assert_eq!(group.statistics().disks.len(), 1);
}

/// A disk that is all but full cannot become shorter, and says so.
#[test]
fn a_full_disk_is_not_shrunk() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::External, "a", 40 * MB);
    let low = filled(&group, MB, 1);
    let file = filled(&group, group.statistics().free_bytes, 3);
    let name = low.name().to_string();
    drop(low);
    group.delete(&name).unwrap();
    let free = group.statistics().free_bytes;
    assert!(group.resize_disk("DATA_0000", Some(37 * MB)).unwrap_err().is_ora(15041));
    assert_eq!(group.statistics().total_bytes, 40 * MB);
    assert_eq!(group.statistics().free_bytes, free);
    assert!(read(&file, 0, 30 << 20) == content(3, 30 * MB));
    assert!(group.create_file(FileKind::DataFile, "MORE", 5 * MB).is_err());
}

/// A copy that cannot be read takes no other disk offline.
#[test]
fn an_unreadable_extent_stops_a_rebalance_and_no_disk() {
    let bench = Bench::new();
    let group = bench.group(Redundancy::Normal, "abcde", 40 * MB);
    let file = filled(&group, 5 * MB, 3);
    let place = group.extents(file.name().number).unwrap()[0];
    let other = group.extents(file.name().number).unwrap()[1];
    bench.files.make_unreadable(&PathBuf::from(format!("/d/a{:02}", place.disk + 1)), place.offset..place.offset + MB);
    group.drop_disks(&[format!("DATA_{:04}", other.disk)], true).unwrap();
    group.want_rebalance(1).unwrap();
    let error = loop {
        match group.rebalance_step() {
            Ok(step) => assert_ne!(step, Step::Finished),
            Err(error) => break error,
        }
    };
    assert!(error.is_ora(15080), "{error}");
    assert!(group.statistics().disks.iter().all(|disk| disk.mode == DiskMode::Online));
}

/// Free units that are not in a row are no place for a large extent: the rebalance ends.
#[test]
fn a_rebalance_of_large_extents_ends_where_free_space_is_in_pieces() {
    let mut bench = Bench::new();
    bench.environment.extent_growth = asm::ExtentGrowth { four_from: 2, sixteen_from: 1000 };
    let group = bench.group(Redundancy::External, "ab", 67 * MB);
    let _large = filled(&group, 42 * MB, 3);
    group.add_disks(&bench.disks("b", "c", 40 * MB)).unwrap();
    // Every other unit of the new disk is taken.
    let small: Vec<_> = (0..60).map(|seed| filled(&group, MB, seed)).collect();
    let names: Vec<_> = small.iter().map(|file| (file.name().number, file.name().to_string())).collect();
    drop(small);
    for (number, name) in names {
        let place = group.extents(number).unwrap()[0];
        if place.disk == 2 && (place.offset / MB).is_multiple_of(2) {
            group.delete(&name).unwrap();
        }
    }
    group.want_rebalance(1).unwrap();
    let steps = (0..5000).take_while(|_| group.rebalance_step().unwrap() != Step::Finished).count();
    assert!(steps < 5000, "it does not end");
}

/// Space in the middle of disks is filled from behind, and reads and the content stay as they are.
#[test]
fn extents_move_forward_on_their_disks() {
    for (redundancy, groups) in [(Redundancy::Normal, "abc"), (Redundancy::External, "")] {
        let bench = Bench::new();
        let group = match redundancy {
            Redundancy::External => {
                let disks = make_disks(&*bench.files, "/d/a*", 2, 64 * MB).unwrap();
                DiskGroup::create(&bench.environment, "DATA", &disks, asm::AuSize::default()).unwrap()
            }
            _ => bench.group(redundancy, groups, 64 * MB),
        };
        let first = filled(&group, 20 * MB, 1);
        let second = filled(&group, 13 * MB, 2);
        let name = first.name().to_string();
        let last = |group: &DiskGroup| {
            let files = group.files().unwrap();
            let places = files.iter().flat_map(|file| group.extents(file.name.number).unwrap());
            let mut last: BTreeMap<u16, u64> = BTreeMap::new();
            places.for_each(|place| {
                let end = last.entry(place.disk).or_default();
                *end = (*end).max(place.offset + place.bytes);
            });
            last
        };
        drop(first);
        group.delete(&name).unwrap();
        let before = last(&group);
        group.want_rebalance(4).unwrap();
        group.run_rebalance(&AtomicBool::new(false)).unwrap();
        let after = last(&group);
        for (disk, statistics) in group.statistics().disks.iter().enumerate() {
            let used = after[&(disk as u16)];
            // What is in use follows the metadata without a gap.
            let in_use = statistics.total_bytes - statistics.free_bytes;
            assert_eq!(used, in_use, "disk {disk}");
            assert!(used < before[&(disk as u16)]);
        }
        assert!(read(&second, 0, 13 << 20) == content(2, 13 * MB));
        assert_eq!((group.operation(), group.check(false).unwrap().found), (None, 0));
    }
}
