//! Groups, their disks and their files: operations, and errors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::path::{Path, PathBuf};

use asm::{AuSize, DiskGroup, Environment, FileKind, HeaderStatus, discover, make_disks};
use common::sync::Arc;
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem};
use support::{MB, environment, group, read, text};

const KIND: FileKind = FileKind::DataFile;

/// Copies a file's first bytes over another's, as when a disk is put in another's place.
fn copy(files: &dyn FileSystem, from: &Path, to: &Path, bytes: u64) {
    let mut buffer = vec![0; bytes as usize];
    files.open(from).unwrap().read_at(0, &mut [&mut buffer]).unwrap();
    files.open(to).unwrap().write_at(0, &[&buffer]).unwrap();
}

fn wipe(files: &dyn FileSystem, path: &Path, offset: u64, bytes: usize) {
    files.open(path).unwrap().write_at(offset, &[&vec![0xa5; bytes]]).unwrap();
}

/// Changes one byte, whatever it was: headers have an identity and times in them, so any byte may stand there.
fn change_byte(files: &dyn FileSystem, path: &Path, offset: u64) {
    let file = files.open(path).unwrap();
    let mut byte = [0];
    file.read_at(offset, &mut [&mut byte]).unwrap();
    file.write_at(offset, &[&[!byte[0]]]).unwrap();
}

#[test]
fn files_are_made_written_found_again_and_deleted() {
    let (environment, group) = group(4, 16 * MB);
    let file = group.create_file(KIND, "USERS", 5 * MB).unwrap();
    assert_eq!(file.name().to_string(), "+DATA/DATAFILE/USERS.256.1");
    assert_eq!(file.size().unwrap(), 5 * MB);
    file.write_at(MB - 3, &[b"abc", b"def"]).unwrap();
    file.sync().unwrap();
    let log = group.create_file(FileKind::OnlineLog, "group_1", 0).unwrap();
    assert_eq!(log.name().to_string(), "+DATA/ONLINELOG/group_1.257.2");
    log.write_durable(10, &[b"x"]).unwrap();
    assert_eq!(log.size().unwrap(), 11);
    assert_eq!(group.files().unwrap().iter().filter(|file| file.open).count(), 2);
    drop((file, log));
    group.dismount().unwrap();
    drop(group);

    let group = DiskGroup::mount(&environment, "data", "/d/*").unwrap();
    assert_eq!(group.repaired(), [""; 0]);
    assert_eq!(read(&group.open("+DATA/DATAFILE/USERS.256.1").unwrap(), MB - 4, 8), b"\0abcdef\0");
    assert_eq!(read(&group.open("+data.257.2").unwrap(), 0, 11), b"\0\0\0\0\0\0\0\0\0\0x");
    let info = group.files().unwrap();
    assert_eq!((info[0].bytes, info[0].space, info[1].bytes, info[1].space), (5 * MB, 5 * MB, 11, MB));
    group.delete("+DATA.256.1").unwrap();
    for gone in [
        "+DATA.256.1",
        "+DATA/DATAFILE/USERS.256.1",
        "+DATA.257.1",
        "+FRA.257.2",
        "+DATA/DATAFILE/GROUP_1.257.2",
        "users",
    ] {
        assert!(group.open(gone).unwrap_err().is_ora(15012), "{gone}");
        assert!(group.delete(gone).unwrap_err().is_ora(15012), "{gone}");
    }
    // The number is used again, the incarnation is not.
    let file = group.create_file(KIND, "USERS", MB).unwrap();
    assert_eq!(file.name().to_string(), "+DATA/DATAFILE/USERS.256.3");
    assert_eq!(group.open_number(256).unwrap().name(), file.name());
    assert!(group.open_number(999).unwrap_err().is_ora(15012));
}

#[test]
fn consecutive_units_are_on_consecutive_disks_and_a_request_across_is_cut_and_counted() {
    let (_, group) = group(4, 16 * MB);
    let file = group.create_file(KIND, "F", 8 * MB).unwrap();
    let before = group.statistics();
    for unit in 0..8 {
        file.write_at(unit * MB, &[&[1; 512]]).unwrap();
    }
    let after = group.statistics();
    for (before, after) in before.disks.iter().zip(&after.disks) {
        assert_eq!((after.writes - before.writes, after.bytes_written - before.bytes_written), (2, 1024));
    }
    assert_eq!((after.writes, after.writes_cut, after.reads, after.reads_cut), (8, 0, 0, 0));

    // A request of 3 MB across three boundaries is one cut request and four of the disks.
    let mut buffer = vec![0; 3 * MB as usize];
    let (left, right) = buffer.split_at_mut(MB as usize);
    file.read_at(MB / 2, &mut [left, right]).unwrap();
    file.read_at(MB, &mut [&mut [0; 4096]]).unwrap();
    let read = group.statistics();
    assert_eq!((read.reads, read.reads_cut), (2, 1));
    let of_disks = |s: &asm::GroupStatistics| {
        s.disks.iter().map(|d| (d.reads, d.bytes_read)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    let ((reads, bytes), (old_reads, old_bytes)) = (of_disks(&read), of_disks(&after));
    assert_eq!((reads - old_reads, bytes - old_bytes), (5, 3 * MB + 4096));
}

#[test]
fn reads_in_the_background_are_cut_where_buffers_end_and_inside_them() {
    let (_, group) = group(3, 16 * MB);
    let file = group.create_file(KIND, "F", 4 * MB).unwrap();
    let content: Vec<u8> = (0..4 * MB).map(|at| (at / 1000 % 251) as u8).collect();
    file.write_at(0, &[&content]).unwrap();
    let sizes = [&[8192; 4][..], &[3 << 20], &[100, 0, 1 << 20, 77, 0], &[0], &[]];
    for (offset, sizes) in [MB - 16384, MB / 2, 5000, 2 * MB - 50].into_iter().flat_map(|o| sizes.map(|s| (o, s))) {
        let buffers = sizes.iter().map(|size| AlignedBuffer::zeroed(*size)).collect();
        let total: usize = sizes.iter().sum();
        let mut pending = file.submit_read(offset, buffers).unwrap();
        while !pending.is_done() {}
        let result = pending.wait();
        if offset + total as u64 > 4 * MB {
            assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
            continue;
        }
        let buffers = result.unwrap();
        assert!(buffers.iter().map(|buffer| buffer.len()).eq(sizes.iter().copied()), "{offset} {sizes:?}");
        let found: Vec<u8> = buffers.iter().flat_map(|buffer| buffer.to_vec()).collect();
        assert!(found == content[offset as usize..offset as usize + total], "{offset} {sizes:?}");
    }
}

#[test]
fn a_grown_file_reads_zeros_on_reused_units() {
    let (_, group) = group(2, 8 * MB);
    let size = group.statistics().free_bytes;
    let old = group.create_file(KIND, "OLD", size).unwrap();
    old.write_at(0, &[&vec![7; size as usize]]).unwrap();
    old.set_size(100).unwrap();
    old.set_size(3 * MB).unwrap();
    assert_eq!(read(&old, 0, 100), vec![7; 100]);
    assert!(read(&old, 100, 3 * MB as usize - 100).iter().all(|byte| *byte == 0));
    old.set_size(3 * MB / 2).unwrap();
    old.set_size(3 * MB).unwrap();
    let new = group.create_file(KIND, "NEW", MB + 5).unwrap();
    new.write_at(2 * MB, &[b"x"]).unwrap();
    assert!(read(&new, 0, 2 * MB as usize).iter().all(|byte| *byte == 0));
}

#[test]
fn space_runs_out_with_numbers_and_nothing_changes() {
    let (environment, group) = group(2, 8 * MB);
    let file = group.create_file(KIND, "F", 4 * MB).unwrap();
    let error = group.create_file(KIND, "G", 7 * MB).unwrap_err();
    let expected = "ORA-15041: diskgroup \"DATA\" space exhausted: 7 allocation units of 1 MB are wanted, 6 are free \
                    (DATA_0000: 3, DATA_0001: 3)";
    assert_eq!(error.to_string(), expected);
    let error = file.set_size(11 * MB).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(error.to_string().starts_with("ORA-15041: "), "{error}");
    assert_eq!(file.size().unwrap(), 4 * MB);
    assert_eq!(file.set_size(1 << 62).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    file.set_size(10 * MB).unwrap();
    assert_eq!(group.statistics().free_bytes, 0);
    file.set_size(0).unwrap();
    assert_eq!(group.statistics().free_bytes, 10 * MB);
    assert!(group.create_file(KIND, "A.B", 1).unwrap_err().is_ora(15124));
    assert!(group.create_file(KIND, &"A".repeat(31), 1).unwrap_err().is_ora(15126));
    drop((file, group));
    assert_eq!(DiskGroup::mount(&environment, "DATA", "/d/*").unwrap().statistics().free_bytes, 10 * MB);
}

#[test]
fn disks_of_different_sizes_become_full_together() {
    let environment = environment();
    let small = make_disks(&*environment.files, "/d/small*", 1, 12 * MB).unwrap();
    let large = make_disks(&*environment.files, "/d/large*", 1, 63 * MB).unwrap();
    let disks = [small, large].concat();
    let group = DiskGroup::create(&environment, "DATA", &disks, AuSize::default()).unwrap();
    let file = group.create_file(KIND, "F", 0).unwrap();
    for size in 1..=34 {
        file.set_size(size * MB).unwrap();
    }
    // Of 9 and 60 free units half are gone.
    let free: Vec<_> = group.statistics().disks.iter().map(|disk| disk.free_bytes / MB).collect();
    assert!((4..=5).contains(&free[0]) && (30..=31).contains(&free[1]), "{free:?}");
}

#[test]
fn metadata_goes_from_snapshot_to_snapshot_and_has_an_end() {
    let (environment, group) = group(1, 8 * MB);
    let free = group.statistics().free_bytes;
    let mut last = None;
    let error = loop {
        match group.create_file(KIND, "A", 0) {
            Ok(file) => last = Some(file.name().to_string()),
            Err(error) => break error,
        }
    };
    assert!(error.is_ora(15041) && error.text.contains("metadata"), "{error}");
    let files = group.files().unwrap().len();
    assert!(files > 7000, "{files}");
    drop(group);
    let group = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap();
    assert_eq!((group.files().unwrap().len(), group.statistics().free_bytes), (files, free));
    group.delete(&last.unwrap()).unwrap();
    assert!(group.create_file(KIND, &"A".repeat(30), 4 * MB).unwrap_err().is_ora(15041));
    assert_eq!(group.statistics().free_bytes, free);
    let file = group.create_file(KIND, "A", 0).unwrap();
    // The reason reaches the caller that grows the file, and the units are free again.
    assert!(file.set_size(4 * MB).and_then(|()| file.set_size(5 * MB)).is_err());
    file.set_size(0).unwrap();
    assert_eq!(group.statistics().free_bytes, free);
}

#[test]
fn a_group_is_dropped_when_nothing_is_open_and_its_disks_can_be_taken_again() {
    let (environment, group) = group(3, 8 * MB);
    let file = group.create_file(KIND, "F", MB).unwrap();
    for error in [group.drop_group(true).unwrap_err(), group.dismount().unwrap_err()] {
        assert!(error.is_ora(15027), "{error}");
        assert!(error.text.contains("+DATA/DATAFILE/F.256.1"), "{error}");
    }
    assert!(group.delete("+DATA.256.1").unwrap_err().is_ora(15028));
    drop(file);
    assert!(group.drop_group(false).unwrap_err().is_ora(15053));
    group.drop_group(true).unwrap();
    for error in
        [group.drop_group(true).unwrap_err(), group.create_file(KIND, "F", 0).unwrap_err(), group.files().unwrap_err()]
    {
        assert_eq!(error.to_string(), "ORA-15001: diskgroup \"DATA\" does not exist or is not mounted");
    }
    drop(group);
    let error = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap_err();
    assert!(
        error.is_ora(15063) && error.text.contains("\"/d/disk02\" is a former disk of it, \"DATA_0001\""),
        "{error}"
    );
    let disks: Vec<_> = discover(&environment, "/d/*").unwrap().into_iter().map(|disk| disk.path).collect();
    let again = DiskGroup::create(&environment, "OTHER", &disks[1..], AuSize::new(2 * MB).unwrap()).unwrap();
    assert_eq!(again.au_size().megabytes(), 2);
    assert_eq!(again.files().unwrap(), []);
    let found = discover(&environment, "/d/*").unwrap();
    assert_eq!(
        found.iter().map(|disk| disk.status).collect::<Vec<_>>(),
        [HeaderStatus::Former, HeaderStatus::Member, HeaderStatus::Member]
    );
    assert_eq!((found[0].group.as_deref(), found[1].group.as_deref()), (Some("DATA"), Some("OTHER")));
    again.drop_group(false).unwrap();
}

#[test]
fn create_refuses_disks_that_are_not_free() {
    let (environment, group) = group(2, 8 * MB);
    let files = &*environment.files;
    let create = |name: &str, disks: &[&str]| {
        let disks: Vec<_> = disks.iter().map(PathBuf::from).collect();
        DiskGroup::create(&environment, name, &disks, AuSize::default()).unwrap_err()
    };
    files.create(Path::new("/d/new"), 8 * MB).unwrap();
    files.create(Path::new("/d/small"), 3 * MB).unwrap();
    files.create(Path::new("/d/other"), 8 * MB).unwrap().write_at(0, &[b"something"]).unwrap();
    assert!(create("9", &["/d/new"]).is_ora(15100));
    assert!(create("NEW", &[]).is_ora(15031));
    assert_eq!(
        create("NEW", &["/d/new", "/d/none"]).to_string(),
        "ORA-15025: could not open disk \"/d/none\": there is no file /d/none"
    );
    assert_eq!(create("NEW", &["/d/new", "/d/new"]).to_string(), "ORA-15020: discovered duplicate ASM disk \"/d/new\"");
    assert_eq!(
        create("NEW", &["/d/new", "/d/disk02"]).to_string(),
        "ORA-15033: disk \"/d/disk02\" belongs to diskgroup \"DATA\" as \"DATA_0001\""
    );
    assert_eq!(
        create("NEW", &["/d/new", "/d/other"]).to_string(),
        "HW-0073: disk \"/d/other\" holds something else: its first 4096 bytes are not zero"
    );
    let error = create("NEW", &["/d/new", "/d/small"]);
    assert_eq!(
        error.to_string(),
        format!("ORA-15037: disk \"/d/small\" of {} bytes is smaller than minimum of {} bytes", 3 * MB, 4 * MB)
    );
    change_byte(files, Path::new("/d/disk01"), 100);
    change_byte(files, Path::new("/d/disk01"), 2 * MB - 4000);
    let error = create("NEW", &["/d/disk01"]);
    assert!(error.is_own(73) && error.text.ends_with("but its checksum does not match"), "{error}");
    // Nothing was written to the disk that was free.
    assert_eq!(discover(&environment, "/d/new").unwrap()[0].status, HeaderStatus::Candidate);
    drop(group);
}

#[test]
fn a_missing_disk_is_refused_by_its_name() {
    let (environment, group) = group(5, 8 * MB);
    group.create_file(KIND, "F", 5 * MB).unwrap();
    drop(group);
    let mount = |pattern: &str| DiskGroup::mount(&environment, "DATA", pattern);
    let error = mount("/d/disk01,/d/disk03,/d/disk05").unwrap_err();
    assert_eq!(
        error.to_string(),
        "ORA-15042: ASM disk \"DATA_0001\", ASM disk \"DATA_0003\" are missing from diskgroup \"DATA\""
    );
    let error = mount("/d/disk04,/d/disk05").unwrap_err();
    assert_eq!(
        error.to_string(),
        "ORA-15042: ASM disk \"DATA_0000\", ASM disk \"DATA_0001\", ASM disk \"DATA_0002\" are missing from diskgroup \"DATA\""
    );
    // Both of its headers are overwritten.
    wipe(&*environment.files, Path::new("/d/disk02"), 0, 3 << 20);
    assert_eq!(
        mount("/d/*").unwrap_err().to_string(),
        "ORA-15042: ASM disk \"DATA_0001\" is missing from diskgroup \"DATA\""
    );
    assert!(mount("/d/none*").unwrap_err().is_ora(15031));
    assert!(mount("/d/disk02").unwrap_err().is_ora(15063));
    assert!(DiskGroup::mount(&environment, "FRA", "/d/*").unwrap_err().is_ora(15063));
    assert!(DiskGroup::mount(&environment, "", "/d/*").unwrap_err().is_ora(15100));
}

#[test]
fn a_disk_that_is_another_is_refused_by_its_name() {
    let (environment, data) = group(3, 8 * MB);
    let files = &*environment.files;
    let others = make_disks(files, "/e/disk*", 3, 8 * MB).unwrap();
    let fra = DiskGroup::create(&environment, "FRA", &others, AuSize::default()).unwrap();
    let first = [1, 2, 3].map(|number| PathBuf::from(format!("/d/disk0{number}")));
    drop((data, fra));

    // Disks of another group are skipped, and named when one is in place of a missing disk.
    DiskGroup::mount(&environment, "DATA", "/d/*,/e/*").unwrap();
    let error = DiskGroup::mount(&environment, "DATA", "/d/disk01,/e/disk02,/d/disk03").unwrap_err();
    assert!(error.is_ora(15042), "{error}");
    assert!(error.text.ends_with("(\"/e/disk02\" belongs to diskgroup \"FRA\" as \"FRA_0001\")"), "{error}");

    // The same disk by two names.
    files.create(Path::new("/d/twin"), 8 * MB).unwrap();
    copy(files, &first[1], Path::new("/d/twin"), 8 * MB);
    let error = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap_err();
    assert_eq!(
        error.to_string(),
        "ORA-15020: discovered duplicate ASM disk \"DATA_0001\" of diskgroup \"DATA\": \"/d/disk02\" and \"/d/twin\""
    );

    // Another group of the same name.
    files.open(Path::new("/e/disk01")).unwrap().write_at(0, &[&[0; 4096]]).unwrap();
    files.open(Path::new("/e/disk01")).unwrap().write_at(2 * MB - 4096, &[&[0; 4096]]).unwrap();
    DiskGroup::create(&environment, "DATA", &others[..1], AuSize::default()).unwrap();
    let error = DiskGroup::mount(&environment, "DATA", "/d/disk*,/e/*").unwrap_err();
    assert!(error.is_ora(15030) && error.text.contains("\"/e/disk01\" as \"DATA_0000\""), "{error}");

    // A disk becomes shorter.
    files.open(&first[2]).unwrap().set_size(7 * MB).unwrap();
    let error = DiskGroup::mount(&environment, "DATA", "/d/disk*").unwrap_err();
    assert!(
        error.is_ora(15036)
            && error.text.starts_with("disk \"DATA_0002\" of diskgroup \"DATA\" (/d/disk03) is truncated"),
        "{error}"
    );
}

/// A valid header of the group, on another disk than the one that the group knows.
#[test]
fn a_swapped_disk_is_refused_by_its_name() {
    let (environment, group) = group(3, 8 * MB);
    drop(group);
    let files = &*environment.files;
    let alter = |at: u64, bytes: &[u8]| {
        let device = files.open(Path::new("/d/disk02")).unwrap();
        for place in [0, 2 * MB - 4096] {
            let mut block = vec![0; 4096];
            device.read_at(place, &mut [&mut block]).unwrap();
            block[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
            block[12..16].fill(0);
            let sum = crc32c::crc32c(&block);
            block[12..16].copy_from_slice(&sum.to_le_bytes());
            device.write_at(place, &[&block]).unwrap();
        }
    };
    let mount = || DiskGroup::mount(&environment, "DATA", "/d/*").unwrap_err();
    alter(40, &[1; 16]);
    let error = mount();
    assert!(error.is_own(74) && error.text.starts_with("disk \"/d/disk02\" says it is \"DATA_0001\""), "{error}");
    alter(56, &[2, 0]);
    let error = mount();
    assert!(error.is_ora(15024) && error.text.contains("\"/d/disk02\" and \"/d/disk03\""), "{error}");
    alter(56, &[9, 0]);
    assert!(mount().is_ora(15042));
}

#[test]
fn a_damaged_header_and_damaged_metadata_are_repaired_from_their_copies() {
    for disks in [1, 2, 5] {
        let (environment, group) = group(disks, 8 * MB);
        let files = &*environment.files;
        let file = group.create_file(KIND, "F", 2 * MB).unwrap();
        file.write_at(0, &[b"still here"]).unwrap();
        drop((file, group));
        let path = Path::new("/d/disk01");
        // Header; header's copy; the first copy of the metadata, all of it.
        for (place, bytes, what) in
            [(0, 4096, "header"), (2 * MB - 4096, 4096, "header"), (2 * MB, 1 << 20, "metadata")]
        {
            wipe(files, path, place, bytes);
            let group = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap();
            assert!(group.repaired().len() == 1 && group.repaired()[0].contains(what), "{:?}", group.repaired());
            assert_eq!(read(&group.open("+DATA.256.1").unwrap(), 0, 10), b"still here");
            drop(group);
            let group = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap();
            assert_eq!(group.repaired(), [""; 0]);
        }
        // All copies of the metadata.
        for number in 1..=disks.min(3) {
            wipe(
                files,
                &PathBuf::from(format!("/d/disk0{number}")),
                2 * MB,
                if disks == 1 { 2 << 20 } else { 1 << 20 },
            );
        }
        let error = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap_err();
        assert!(error.is_ora(15196) && error.text.contains("has no whole snapshot (diskgroup \"DATA\")"), "{error}");
    }
}

type Step = fn(&DiskGroup) -> std::io::Result<()>;

const STEPS: [Step; 6] = [
    |group| group.create_file(KIND, "A", MB + 1).map(drop).map_err(std::io::Error::other),
    |group| group.create_file(KIND, "B", MB).map(drop).map_err(std::io::Error::other),
    |group| group.open_number(256).unwrap().set_size(3 * MB),
    |group| group.open_number(256).unwrap().set_size(1),
    |group| group.delete("+DATA.256.1").map_err(std::io::Error::other),
    |group| group.create_file(KIND, "C", 2 * MB).map(drop).map_err(std::io::Error::other),
];

/// After a write or sync that fails in a step the group is as before the step or as after it, and a group mounted then
/// goes on.
#[test]
fn a_failed_write_or_sync_anywhere_leaves_the_old_state_or_the_new_one() {
    let mut states = Vec::new();
    let (_, whole) = group(2, 12 * MB);
    for step in STEPS {
        states.push(text(&whole));
        step(&whole).unwrap();
    }
    states.push(text(&whole));

    let (mut failures, mut newer) = (0, 0);
    for nth in 1.. {
        let mut any = false;
        for fault in [Fault::Write, Fault::TornWrite { bytes: 512 }, Fault::TornWrite { bytes: 4096 }, Fault::Sync] {
            let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
            let environment = Environment::new(files.clone());
            let disks = make_disks(&*files, "/d/*", 2, 12 * MB).unwrap();
            let group = DiskGroup::create(&environment, "DATA", &disks, AuSize::default()).unwrap();
            files.fail(nth, fault);
            let failed = STEPS.iter().position(|step| step(&group).is_err());
            drop(group);
            files.heal();
            let mounted = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap();
            let found = text(&mounted);
            if let Some(step) = failed {
                any = true;
                failures += 1;
                newer += u32::from(found == states[step + 1]);
                let (old, new) = (&states[step], &states[step + 1]);
                assert!(found == *old || found == *new, "{nth} {fault:?}: {found}\nnot\n{old}\nor\n{new}");
            } else {
                assert_eq!(found, states[STEPS.len()], "{nth} {fault:?}");
            }
            mounted.create_file(KIND, "AFTER", 2 * MB).unwrap();
        }
        if !any {
            break;
        }
    }
    assert!(failures > 60 && newer > 5, "{failures} failures, after {newer} the new state");
}

/// A change whose write failed is followed by no other, even if the next would succeed.
#[test]
fn after_metadata_could_not_be_written_the_group_takes_no_more_changes() {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let environment = Environment::new(files.clone());
    let disks = make_disks(&*files, "/d/*", 2, 12 * MB).unwrap();
    let group = DiskGroup::create(&environment, "DATA", &disks, AuSize::default()).unwrap();
    let file = group.create_file(KIND, "A", MB).unwrap();
    files.fail(2, Fault::Write);
    let error = group.create_file(KIND, "B", 0).unwrap_err();
    assert!(
        error.is_own(70) && error.text.contains("ORA-15080: write of disk \"DATA_0001\" (/d/02) failed"),
        "{error}"
    );
    assert!(group.create_file(KIND, "C", 0).unwrap_err().is_own(70));
    assert!(file.set_size(0).unwrap_err().to_string().starts_with("HW-0070"));
    assert_eq!(read(&file, 0, 3), [0; 3]);
    assert!(group.statistics().disks[1].failed && !group.statistics().disks[0].failed);
}

/// Files are made, grow, shrink, are written and deleted at the same time; each keeps its own bytes.
#[test]
fn files_of_several_threads_do_not_meet() {
    let (environment, group) = group(4, 24 * MB);
    let group = Arc::new(group);
    let threads: Vec<_> = (1..=4u8)
        .map(|thread| {
            let group = Arc::clone(&group);
            let work = move || {
                let kept = group.create_file(KIND, "KEPT", 0).unwrap();
                for round in 0..40u64 {
                    let other = group.create_file(KIND, "OTHER", MB * (round % 3)).unwrap();
                    kept.set_size(MB * (round % 4 + 1)).unwrap();
                    let size = kept.size().unwrap();
                    let content = vec![thread; size as usize];
                    kept.write_at(0, &[&content]).unwrap();
                    other.write_at(round, &[&[0xee; 2 << 20]]).unwrap();
                    other.set_size(round * 1000).unwrap();
                    kept.sync().unwrap();
                    assert!(read(&kept, 0, size as usize) == content);
                    let name = other.name().to_string();
                    drop(other);
                    group.delete(&name).unwrap();
                }
                (kept.name().to_string(), thread)
            };
            common::sync::spawn("test", work).unwrap()
        })
        .collect();
    let kept: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    drop(group);
    let group = DiskGroup::mount(&environment, "DATA", "/d/*").unwrap();
    assert_eq!(group.files().unwrap().len(), 4);
    for (name, thread) in kept {
        let file = group.open(&name).unwrap();
        assert!(read(&file, 0, 4 << 20).iter().all(|byte| *byte == thread), "{name}");
    }
}

/// `ASM_TEST_DISKS` is two empty block devices of 16 MB and more, separated by a comma.
#[test]
#[ignore = "needs block devices in ASM_TEST_DISKS"]
fn on_block_devices_a_group_is_as_on_files() {
    let patterns = std::env::var("ASM_TEST_DISKS").unwrap();
    let environment = Environment::new(Arc::new(OsFileSystem::new()));
    let disks: Vec<_> = patterns.split(',').map(PathBuf::from).collect();
    let group = DiskGroup::create(&environment, "BLOCKS", &disks, AuSize::default()).unwrap();
    assert!(group.statistics().total_bytes >= 32 * MB);
    let file = group.create_file(KIND, "F", 5 * MB).unwrap();
    println!("direct I/O: {}", file.direct());
    let content: Vec<u8> = (0..5 * MB).map(|at| (at / 1000 % 251) as u8).collect();
    file.write_at(0, &[&content]).unwrap();
    file.sync().unwrap();
    drop((file, group));
    let group = DiskGroup::mount(&environment, "BLOCKS", &patterns).unwrap();
    let file = group.open("+BLOCKS.256.1").unwrap();
    assert!(read(&file, 0, content.len()) == content);
    let buffers = vec![AlignedBuffer::zeroed(MB as usize), AlignedBuffer::zeroed(MB as usize)];
    let read = file.submit_read(MB / 2, buffers).unwrap().wait().unwrap();
    assert!([&read[0][..], &read[1][..]].concat() == content[MB as usize / 2..][..2 * MB as usize]);
    drop(file);
    let device = environment.files.open(&disks[0]).unwrap();
    assert_eq!(device.set_size(1 << 40).unwrap_err().kind(), std::io::ErrorKind::Unsupported);
    device.set_size(device.size().unwrap()).unwrap();
    assert_eq!(environment.files.create(&disks[0], 1).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    group.drop_group(true).unwrap();
}

#[test]
fn on_real_files_a_disk_is_claimed_and_a_second_name_for_it_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let environment = Environment::new(Arc::new(OsFileSystem::new()));
    let pattern = directory.path().join("disk%n.img");
    let pattern = pattern.to_str().unwrap();
    let disks = make_disks(&*environment.files, pattern, 3, 8 * MB).unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&disks[0], &link).unwrap();
    let twice = [disks[0].clone(), link.clone()];
    assert!(DiskGroup::create(&environment, "DATA", &twice, AuSize::default()).unwrap_err().is_ora(15029));
    let group = DiskGroup::create(&environment, "DATA", &disks, AuSize::default()).unwrap();
    let error = DiskGroup::mount(&environment, "DATA", pattern).unwrap_err();
    assert!(error.is_ora(15029), "{error}");
    let file = group.create_file(KIND, "F", 4 * MB + 100).unwrap();
    println!("direct I/O: {}", file.direct());
    let mut block = AlignedBuffer::zeroed(16384);
    block.fill(5);
    file.write_at(MB - 8192, &[&block]).unwrap();
    file.write_at(4 * MB + 90, &[b"0123456789012345"]).unwrap();
    file.sync().unwrap();
    let pending = file.submit_read(MB - 8192, vec![AlignedBuffer::zeroed(8192), AlignedBuffer::zeroed(8192)]).unwrap();
    assert!(pending.wait().unwrap().iter().all(|buffer| buffer.iter().all(|byte| *byte == 5)));
    drop((file, group));
    let both = format!("{pattern},{}", link.display());
    // Found by two paths it is one disk.
    let group = DiskGroup::mount(&environment, "DATA", &both).unwrap();
    assert_eq!(group.statistics().disks.len(), 3);
    drop(group);
    let group = DiskGroup::mount(&environment, "DATA", pattern).unwrap();
    let file = group.open("+DATA.256.1").unwrap();
    assert_eq!(file.size().unwrap(), 4 * MB + 106);
    assert_eq!(read(&file, 4 * MB + 89, 17), b"\x000123456789012345");
    assert_eq!(read(&file, MB - 8193, 16386)[1..16385], block[..]);
}
