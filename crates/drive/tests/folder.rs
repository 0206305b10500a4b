//! A folder on one modelled device: where its files lie, and how long their requests take.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::single_range_in_vec_init, reason = "places of files are lists of ranges")]

use std::io::ErrorKind;
use std::path::Path;

use common::sync::{Arc, spawn};
use common::{Clock, SystemClock};
use device::{AlignedBuffer, FileSystem, MemoryFileSystem};
use drive::{DeviceSpec, ModelFile, ModelledFolder, Tracks, find, lateness_of};

const MB: u64 = 1 << 20;

fn folder(model: &ModelFile, dilate: f64) -> (Arc<MemoryFileSystem>, ModelledFolder) {
    let below = Arc::new(MemoryFileSystem::new());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let files = ModelledFolder::new(Arc::clone(&below) as Arc<dyn FileSystem>, Path::new("/db"), model, clock, dilate);
    (below, files)
}

/// A fast device of 16 MB.
fn small() -> ModelFile {
    let text = "device = \"small\"\n[sources]\nall = \"made up\"\n[volume]\ncapacity_gb = 0.016777216\nmb_per_s = 1e6\n\
                read = { mean_us = 1 }\nwrite = { mean_us = 1 }\n";
    ModelFile::parse("small", text).unwrap()
}

#[test]
fn files_lie_in_the_order_in_which_they_are_made_and_grow_where_there_is_room() {
    let (below, files) = folder(&small(), 1.0);
    let path = |name: &str| Path::new("/db").join(name);
    let places = |name: &str| files.places(&path(name)).unwrap();
    let a = files.create(&path("a"), 4 * MB).unwrap();
    let b = files.create(&path("sub/b"), 2 * MB).unwrap();
    assert_eq!((places("a"), places("sub/b")), (vec![0..4 * MB], vec![4 * MB..6 * MB]));
    // Behind its end is another file; behind that one's is none.
    a.set_size(5 * MB).unwrap();
    assert_eq!(places("a"), [0..4 * MB, 6 * MB..7 * MB]);
    a.set_size(6 * MB).unwrap();
    assert_eq!(places("a"), [0..4 * MB, 6 * MB..8 * MB]);
    // Across the two ranges.
    a.write_at(4 * MB - 4, &[b"12345678"]).unwrap();
    let read = a.submit_read(4 * MB - 4, vec![AlignedBuffer::zeroed(8)]).unwrap();
    assert_eq!(&*read.wait().unwrap()[0], b"12345678");
    // The range is free when the last device on the file has gone, and not before.
    files.remove(&path("sub/b")).unwrap();
    b.write_at(0, &[b"x"]).unwrap();
    files.create(&path("c"), MB).unwrap();
    assert_eq!(places("c"), [8 * MB..9 * MB]);
    drop(b);
    files.create(&path("d"), MB + 1).unwrap();
    assert_eq!(places("d"), [4 * MB..5 * MB + 4096]);
    // What a file gives up is free; a write behind the end takes room.
    a.set_size(3 * MB).unwrap();
    assert_eq!(places("a"), [0..3 * MB]);
    a.write_at(3 * MB + 10, &[b"y"]).unwrap();
    assert_eq!((places("a"), a.size().unwrap()), (vec![0..3 * MB + 4096], 3 * MB + 11));
    // A file that was there before is placed when it is opened, a renamed one stays.
    below.create(&path("old"), MB).unwrap();
    assert_eq!(files.places(&path("old")), None);
    files.open(&path("old")).unwrap();
    let old = places("old");
    files.rename(&path("old"), &path("d")).unwrap();
    assert_eq!((places("d"), files.places(&path("old"))), (old, None));
    files.write_whole(&path("whole"), &[7; 5000]).unwrap();
    assert_eq!(files.read_whole(&path("whole")).unwrap(), [7; 5000]);
    assert_eq!(places("whole").iter().map(|range| range.end - range.start).sum::<u64>(), 8192);
    // Other folders are passed through.
    files.create(Path::new("/elsewhere/x"), 64 * MB).unwrap();
    assert_eq!(files.places(Path::new("/elsewhere/x")), None);
}

#[test]
fn a_full_device_takes_no_more_and_leaves_no_file() {
    let (below, files) = folder(&small(), 1.0);
    let file = files.create(Path::new("/db/a"), 10 * MB).unwrap();
    let error = files.create(Path::new("/db/b"), 7 * MB).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(error.to_string(), "the modelled device is full: 7340032 bytes are wanted, 6291456 are free");
    assert!(!below.exists(Path::new("/db/b")).unwrap());
    assert_eq!(file.set_size(17 * MB).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(file.size().unwrap(), 10 * MB);
    assert_eq!(files.free_bytes(Path::new("/db")).unwrap(), Some(6 * MB));
    file.set_size(16 * MB).unwrap();
    // A read behind the end is the file's own error.
    let error = file.read_at(16 * MB - 1, &mut [&mut [0; 2]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn all_files_share_one_head() {
    let model = find("disk-10k-73gb").unwrap().unwrap();
    let (_, files) = folder(&model, 1.0);
    let made = |name: &str| files.create(&Path::new("/db").join(name), 512 * MB).unwrap();
    let devices = [made("a"), made("b")];
    let clock = SystemClock::default();
    let from = clock.monotonic_us();
    let threads = devices.into_iter().map(|device| {
        let work =
            move || (0..8).for_each(|n: u64| device.read_at(n * 37 % 8 * 60 * MB, &mut [&mut [0; 8192]]).unwrap());
        spawn("reader", work).unwrap()
    });
    threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
    // Sixteen random reads of one arm take some 5 ms each, whichever thread they are of.
    assert!(clock.monotonic_us() - from >= 40_000);
    let late = lateness_of([files.spindle()]);
    assert!(late.requests == 16 && late.share < 1.0, "{late:?}");
}

#[test]
fn a_dilated_folder_is_slower() {
    let model = find("optane-p4800x").unwrap().unwrap();
    let (_, files) = folder(&model, 1000.0);
    let file = files.create(Path::new("/db/a"), MB).unwrap();
    let clock = SystemClock::default();
    let from = clock.monotonic_us();
    file.read_at(0, &mut [&mut [0; 4096]]).unwrap();
    assert!(clock.monotonic_us() - from >= 5_000);
    assert!(lateness_of([files.spindle()]).judges(), "{:?}", lateness_of([files.spindle()]));
}

#[test]
fn each_byte_of_a_disk_has_its_track() {
    let text = "device = \"x\"\n[sources]\nall = \"made up\"\n[disk]\nrpm = 10000\nsurfaces = 2\nzones = [{ cylinders = 3, \
                sectors = 10 }, { cylinders = 5, sectors = 8 }]\nseek = { single_ms = 1, average_ms = 5, full_ms = 10 }\n\
                bus_mb_per_s = 100\n[disk.cache]\nsegments = 1\nsegment_kb = 64\nread_ahead_kb = 32\nwrite_back = false\n";
    let model = ModelFile::parse("x", text).unwrap();
    let DeviceSpec::Disk(spec) = &model.spec else { panic!("no disk") };
    let tracks = Tracks::new(spec);
    assert_eq!(tracks.count(), 16);
    let at = |sector: u64| {
        (tracks.of(sector * 512).number, tracks.of(sector * 512).cylinder, tracks.of(sector * 512).surface)
    };
    assert_eq!(
        [at(0), at(9), at(10), at(59), at(60), at(91)],
        [(0, 0, 0), (0, 0, 0), (1, 0, 1), (5, 2, 1), (6, 3, 0), (9, 4, 1)]
    );
}
