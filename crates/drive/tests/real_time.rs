//! Files on modelled devices in real time, and cells.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::{Arc, spawn};
use common::{Clock, SystemClock};
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem};
use drive::{CellFile, GridSpec, ModelledFileSystem, Positive, Spindle, find, make_cells};

const MB: u64 = 1 << 20;

fn cell(disks: u16, grids: &[(&str, u64)]) -> CellFile {
    let mut offset_mb = 0;
    let grid = grids.iter().map(|(name, size_mb)| {
        let spec = GridSpec { name: (*name).to_owned(), size_mb: *size_mb, offset_mb };
        offset_mb += size_mb;
        spec
    });
    CellFile {
        name: String::new(),
        model: "disk-10k-73gb".into(),
        disks,
        dilate: Positive::ONE,
        grid: grid.collect(),
        flash: None,
    }
}

fn made(grids: &[(&str, u64)], disks: u16) -> (Arc<MemoryFileSystem>, ModelledFileSystem) {
    let files = Arc::new(MemoryFileSystem::new());
    let bytes = find("disk-10k-73gb").unwrap().unwrap().start().bytes();
    let paths = make_cells(&*files, Path::new("/c"), 1, &cell(disks, grids), bytes).unwrap();
    assert_eq!(paths.len(), grids.len() * usize::from(disks));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    (Arc::clone(&files), ModelledFileSystem::new(files, clock))
}

#[test]
fn bytes_are_stored_and_requests_take_the_time_of_the_model() {
    let (below, files) = made(&[("DATA", 8), ("RECO", 4)], 1);
    let file = files.open(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap();
    let clock = SystemClock::default();
    let from = clock.monotonic_us();
    for block in 0..5_u64 {
        file.write_durable(block * 8192, &[&[block as u8 + 1; 8192]]).unwrap();
    }
    // Writes behind each other: each but the first comes a turn of 6 ms later than the one before.
    let took = clock.monotonic_us() - from;
    assert!(took >= 24_000, "{took} us");
    let mut bytes = [0; 8192];
    below.open(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap().read_at(3 * 8192, &mut [&mut bytes]).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 4));
    let read = file.submit_read(2 * 8192, vec![AlignedBuffer::zeroed(8192)]).unwrap();
    assert!(read.wait().unwrap()[0].iter().all(|byte| *byte == 3));
    file.sync().unwrap();
    let late = files.cells()[0].spindles[0].lateness().summary();
    assert!(late.requests == 7 && late.share < 1.0, "{late:?}");
}

#[test]
fn requests_of_several_threads_share_one_arm_and_all_end() {
    let (_, files) = made(&[("DATA", 64), ("RECO", 64)], 1);
    let open = |grid: &str| files.open(Path::new(&format!("/c/cell01/{grid}_CD_00_cell01"))).unwrap();
    let devices = [open("DATA"), open("RECO")];
    let threads: Vec<_> = (0..8_u64)
        .map(|number| {
            let device: Arc<dyn Device> = Arc::clone(&devices[number as usize % 2]);
            spawn("reader", move || {
                for step in 0..6_u64 {
                    let at = (number * 7 + step * 13) % 60 * MB;
                    device.read_at(at, &mut [&mut [0; 8192]]).unwrap();
                }
            })
            .unwrap()
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(files.cells()[0].spindles[0].lateness().summary().requests, 48);
}

#[test]
fn dilated_devices_are_slower() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let model = find("optane-p4800x").unwrap().unwrap();
    let spindle = Spindle::new(model.start(), Arc::clone(&clock), 1000.0);
    let from = clock.monotonic_us();
    let read = drive::Request { kind: drive::Kind::Read, block: 0, blocks: 8 };
    spindle.wait(spindle.submit(read));
    assert!(clock.monotonic_us() - from >= 5_000);
}

#[test]
fn cells_that_cannot_be_are_refused_and_leave_nothing() {
    let files = MemoryFileSystem::new();
    let refused = |cell: &CellFile, bytes: u64| {
        let error = make_cells(&files, Path::new("/c"), 2, cell, bytes).unwrap_err();
        assert!(error.is_own(80), "{error}");
        assert!(!files.exists(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap());
        error.text
    };
    let text = refused(&cell(1, &[("DATA", 8), ("RECO", 4)]), 11 * MB);
    assert_eq!(text, "the cells: grid RECO takes 4 MB from 8 MB on, and a device of the model has 11 MB");
    refused(&cell(0, &[("DATA", 8)]), 11 * MB);
    refused(&cell(1, &[("DATA", 4), ("DATA", 4)]), 11 * MB);
    let mut overlap = cell(1, &[("DATA", 4), ("RECO", 4)]);
    overlap.grid[1].offset_mb = 3;
    refused(&overlap, 11 * MB);
    make_cells(&files, Path::new("/c"), 1, &cell(1, &[("RECO", 4)]), 11 * MB).unwrap();
    assert!(make_cells(&files, Path::new("/c"), 2, &cell(1, &[("DATA", 4)]), 11 * MB).unwrap_err().is_own(80));
    assert!(!files.exists(Path::new("/c/cell02")).unwrap());
}

#[test]
fn a_failed_make_removes_what_it_made_and_nothing_else() {
    let above = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cells-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&above);
    let files = FaultyFileSystem::new(Arc::new(OsFileSystem::new()));
    let made = |out: &Path| make_cells(&files, out, 2, &cell(2, &[("DATA", 1)]), 11 * MB);
    let fails = |nth: u64, fault: Fault, out: &Path| {
        files.fail(nth, fault);
        assert!(made(out).unwrap_err().is_own(80));
        files.heal();
    };
    // At the first file, at one of the second cell, at a sync, at the second cell.toml.
    for (nth, fault) in [(1, Fault::Growth), (4, Fault::Growth), (2, Fault::Sync), (2, Fault::Write)] {
        fails(nth, fault, &above.join("a/b"));
        assert!(!above.exists(), "{nth} {fault:?}");
    }
    // The directory was there, with a file in it.
    std::fs::create_dir_all(above.join("a")).unwrap();
    std::fs::write(above.join("a/kept"), b"1").unwrap();
    fails(4, Fault::Growth, &above.join("a"));
    assert_eq!(std::fs::read_dir(above.join("a")).unwrap().count(), 1);
    // It is there and empty: not ours to remove.
    std::fs::remove_file(above.join("a/kept")).unwrap();
    fails(4, Fault::Growth, &above.join("a"));
    assert!(above.join("a").is_dir());
    let large = cell(1, &[("DATA", 1 << 30)]);
    assert!(make_cells(&files, &above.join("b"), 1, &large, u64::MAX).unwrap_err().is_own(80));
    assert!(!above.join("b").exists());
    assert_eq!(made(&above.join("a")).unwrap().len(), 4);
    std::fs::remove_dir_all(&above).unwrap();
}

/// The folder of a later cell may have the identity of an earlier one's.
#[test]
fn a_cell_in_the_place_of_a_removed_one_is_another() {
    let above = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("again-{}", std::process::id()));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let files = ModelledFileSystem::new(Arc::new(OsFileSystem::new()), clock);
    for grid in ["OUTER", "INNER", "OUTER", "INNER", "OUTER"] {
        let paths = make_cells(&files, &above, 1, &cell(1, &[(grid, 1)]), 11 * MB).unwrap();
        assert_eq!(files.open(&paths[0]).unwrap().size().unwrap(), MB);
        std::fs::remove_dir_all(&above).unwrap();
    }
}

#[test]
fn a_file_that_is_no_grid_disk_is_refused_in_a_cell() {
    let (below, files) = made(&[("DATA", 8)], 1);
    below.create(Path::new("/c/cell01/other"), MB).unwrap();
    assert!(files.open(Path::new("/c/cell01/other")).is_err());
    assert!(files.create(Path::new("/c/cell01/new"), MB).is_err());
    files.create(Path::new("/d/new"), MB).unwrap();
    below.write_whole(Path::new("/e/cell.toml"), b"name = \"e\"\nmodel = \"none\"\ndisks = 1\ngrid = []\n").unwrap();
    let error = files.open(Path::new("/e/x")).unwrap_err().to_string();
    assert!(error.contains("no model none in the catalogue"), "{error}");
    below.write_whole(Path::new("/f/cell.toml"), b"model = \"none\"\ndisks = -1\n").unwrap();
    let error = files.open(Path::new("/f/x")).unwrap_err().to_string();
    assert!(error.contains("/f/cell.toml, line 2"), "{error}");
}

#[test]
fn reads_that_are_dropped_are_forgotten_and_late_callers_are_not_late_requests() {
    let (_, files) = made(&[("DATA", 64)], 1);
    let file = files.open(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap();
    let read = |at: u64| file.submit_read(at * MB, vec![AlignedBuffer::zeroed(8192)]).unwrap();
    drop(read(50));
    drop(read(3));
    let last = read(20);
    std::thread::sleep(std::time::Duration::from_millis(60));
    last.wait().unwrap();
    let spindle = &files.cells()[0].spindles[0];
    assert_eq!(spindle.kept(), 0);
    let late = spindle.lateness().summary();
    assert!(late.requests == 1 && late.median_us < 30_000.0, "{late:?}");
}

#[test]
fn a_grid_disk_does_not_reach_into_the_next_one() {
    let (_, files) = made(&[("DATA", 8), ("RECO", 4)], 1);
    let file = files.open(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap();
    assert!(file.set_size(9 * MB).is_err());
    assert!(file.write_at(8 * MB - 1, &[b"ab"]).is_err());
    assert!(file.write_at(u64::MAX - 1, &[b"abc"]).is_err());
    assert_eq!(file.read_at(8 * MB - 1, &mut [&mut [0; 2]]).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    assert!(file.read_at(u64::MAX - 1, &mut [&mut [0; 3]]).is_err());
    file.read_at(0, &mut []).unwrap();
    assert_eq!(file.size().unwrap(), 8 * MB);
}

/// Work that is not measured takes no time of the device, and leaves its arm where it was.
#[test]
fn an_untimed_device_stores_bytes_and_takes_no_time() {
    let (_, files) = made(&[("DATA", 8)], 1);
    let clock = SystemClock::default();
    let device = files.open(Path::new("/c/cell01/DATA_CD_00_cell01")).unwrap();
    let spindle = Arc::clone(&files.cells()[0].spindles[0]);
    spindle.set_untimed(true);
    let before = spindle.arm();
    let from_us = clock.monotonic_us();
    for number in 0..200_u64 {
        device.write_durable(number * 8192, &[&[number as u8; 8192]]).unwrap();
    }
    device.sync().unwrap();
    assert!(clock.monotonic_us() - from_us < 400_000, "200 turns of the disk are 1.2 s");
    assert_eq!(spindle.arm(), before);
    spindle.set_untimed(false);
    let mut read = [0; 8192];
    device.read_at(8192 * 7, &mut [&mut read]).unwrap();
    assert_eq!(read, [7; 8192]);
    assert_ne!(spindle.arm(), before);
}
