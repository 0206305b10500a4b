//! Disks of a cell behind a real socket, with a proxy between that breaks what networks break.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod proxy;

use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cell::{Answer, Cell, FlashUse, Letter, LocalCell, Mailbox, RemoteCell, ScanRequest, Service};
use cell_link::{CellAddress, CellFileSystem, Keys, Server, connect, make_keys};
use common::sync::{Arc, spawn};
use common::{BlockAddress, BlockSize, Clock, ObjectNumber, Scn, Seeded, SystemClock};
use device::{AlignedBuffer, Device, FileSystem, MemoryFileSystem, OsFileSystem};
use proxy::Proxy;
use scan::ScanSpec;

const MB: u64 = 1 << 20;

/// A cell of two disks that serves, behind a proxy.
struct Bench {
    folder: tempfile::TempDir,
    disks: Arc<dyn FileSystem>,
    proxy: Arc<Proxy>,
    address: String,
    clock: Arc<dyn Clock>,
}

/// A cell with two empty disks, and where it listens.
fn cell(keys: &Path, boot: u64) -> (Arc<dyn FileSystem>, String) {
    let disks: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    disks.create_directory(Path::new("/cell01")).unwrap();
    for name in ["one", "two"] {
        disks.create(&Path::new("/cell01").join(name), 8 * MB).unwrap();
    }
    disks.write_whole(Path::new("/cell01/cell.toml"), b"").unwrap();
    let service = Service::new(Arc::clone(&disks), Path::new("/cell01")).unwrap();
    let server = Server::bind(service, &Keys::read(keys).unwrap(), "127.0.0.1:0").unwrap().with_boot(boot);
    let address = server.address().unwrap().to_string();
    spawn("cell", move || server.run()).unwrap();
    (disks, address)
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    make_keys(&keys).unwrap();
    let (disks, address) = cell(&keys, 1);
    let proxy = Proxy::start(address.clone());
    Bench { folder, disks, proxy, address, clock: Arc::new(SystemClock::default()) }
}

impl Bench {
    fn instance_folder(&self, address: &str, keys: &str) -> PathBuf {
        let root = self.folder.path().join("data");
        let file = CellAddress {
            name: "cell01".into(),
            address: address.to_owned(),
            keys: PathBuf::from("../../").join(keys),
            answer_s: 1.0,
            reconnect_s: 0.5,
            disks: vec!["one".into(), "two".into()],
        };
        let folder = root.join("cell01");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("cell.toml"), file.text()).unwrap();
        folder
    }

    fn files(&self) -> CellFileSystem {
        CellFileSystem::new(Arc::new(OsFileSystem::new()), Path::new("/db"), Arc::clone(&self.clock))
    }

    /// Through the proxy.
    fn disk(&self) -> Arc<dyn Device> {
        let folder = self.instance_folder(&self.proxy.address(), "keys");
        self.files().open(&folder.join("one")).unwrap()
    }

    /// What is really on the disk.
    fn stored(&self, offset: u64, bytes: usize) -> Vec<u8> {
        let mut stored = vec![0; bytes];
        let disk = self.disks.open(Path::new("/cell01/one")).unwrap();
        disk.read_at(offset, &mut [&mut stored]).unwrap();
        stored
    }
}

#[test]
fn disks_are_files_of_the_folder() {
    let bench = bench();
    let folder = bench.instance_folder(&bench.address, "keys");
    let files = bench.files();
    assert_eq!(files.list(&folder).unwrap(), [folder.join("one"), folder.join("two")]);
    assert!(files.exists(&folder.join("one")).unwrap() && !files.exists(&folder.join("three")).unwrap());
    assert_eq!(files.open(&folder.join("three")).unwrap_err().kind(), io::ErrorKind::NotFound);
    let identities = ["one", "two"].map(|name| files.identity(&folder.join(name)).unwrap().unwrap());
    assert_ne!(identities[0], identities[1]);
    for refused in [files.create(&folder.join("x"), 1).err(), files.remove(&folder.join("one")).err()] {
        assert_eq!(refused.unwrap().kind(), io::ErrorKind::Unsupported);
    }
    let (name, disks) = connect(&bench.address, &bench.folder.path().join("keys"), &bench.clock).unwrap();
    assert_eq!((&*name, disks), ("cell01", vec!["one".to_owned(), "two".to_owned()]));
}

/// Random requests, beside the same ones on a file in memory.
#[test]
fn requests_do_what_they_do_on_a_disk_here() {
    let bench = bench();
    let (far, near) = (bench.disk(), MemoryFileSystem::new().create(Path::new("/model"), 8 * MB).unwrap());
    assert_eq!(far.size().unwrap(), 8 * MB);
    let mut random = Seeded::new(7);
    for _ in 0..400 {
        let bytes = [1, 100, 8192, 70_000, 5 << 20][random.below(5) as usize];
        // Some end behind the disk.
        let offset = random.below(8 * MB + 2000 - bytes.min(8 * MB));
        let content: Vec<u8> = (0..bytes).map(|at| (at * 31 + offset) as u8).collect();
        let middle = content.len() / 3;
        let is_in = offset + bytes <= 8 * MB;
        match random.below(4) {
            0 if is_in => {
                far.write_at(offset, &[&content[..middle], &content[middle..]]).unwrap();
                near.write_at(offset, &[&content]).unwrap();
            }
            1 if is_in => {
                far.write_durable(offset, &[&content]).unwrap();
                near.write_durable(offset, &[&content]).unwrap();
            }
            0 | 1 => assert!(far.write_at(offset, &[&content]).is_err()),
            2 => {
                let mut buffers = [vec![0; middle], vec![0; content.len() - middle]];
                let mut expected = content.clone();
                let [a, b] = &mut buffers;
                let read = far.read_at(offset, &mut [a, b]).map_err(|error| error.kind());
                assert_eq!(read, near.read_at(offset, &mut [&mut expected]).map_err(|error| error.kind()));
                assert!(read.is_err() || buffers.concat() == expected);
            }
            _ => {
                let buffers = || vec![AlignedBuffer::zeroed(content.len())];
                let read = far.submit_read(offset, buffers()).unwrap().wait();
                let expected = near.submit_read(offset, buffers()).unwrap().wait();
                assert_eq!(read.is_ok(), expected.is_ok(), "{offset} {bytes}");
                assert!(read.is_err() || read.unwrap()[0][..] == expected.unwrap()[0][..]);
            }
        }
    }
    far.sync().unwrap();
    assert!(far.set_size(9 * MB).is_err());
}

#[test]
fn requests_outlive_their_connections() {
    let bench = bench();
    let disk = bench.disk();
    for round in 0..20_u8 {
        let pending = disk.submit_read(0, vec![AlignedBuffer::zeroed(8192)]).unwrap();
        bench.proxy.cut();
        disk.write_durable(u64::from(round) * 100, &[&[round; 100]]).unwrap();
        assert_eq!(pending.wait().unwrap()[0].len(), 8192);
    }
    let expected: Vec<u8> = (0..20).flat_map(|round| [round; 100]).collect();
    assert_eq!(bench.stored(0, 2000), expected);
}

/// The second cell has none of the first one's writes, as a machine that has lost its power.
#[test]
fn a_sync_fails_when_the_machine_has_lost_writes_that_were_not_durable() {
    let bench = bench();
    let keys = bench.folder.path().join("keys");
    let disk = bench.disk();
    let restart = |boot| bench.proxy.lead(cell(&keys, boot).1);
    disk.write_at(0, &[b"synced"]).unwrap();
    disk.sync().unwrap();
    disk.write_durable(0, &[b"durable"]).unwrap();
    restart(2);
    disk.sync().unwrap();
    disk.write_at(0, &[b"lost"]).unwrap();
    // The process alone starts anew: the kernel has its writes.
    restart(2);
    disk.sync().unwrap();
    disk.write_at(0, &[b"lost"]).unwrap();
    restart(3);
    // What is read may be old.
    let error = disk.read_at(0, &mut [&mut [0; 8]]).unwrap_err().to_string();
    assert!(error.ends_with("they may be lost"), "{error}");
    let pending = disk.submit_read(0, vec![AlignedBuffer::zeroed(8192)]).unwrap();
    assert!(pending.wait().unwrap_err().to_string().ends_with("they may be lost"));
    for _ in 0..2 {
        let error = disk.sync().unwrap_err().to_string();
        assert!(error.starts_with("cell cell01 at ") && error.ends_with("they may be lost"), "{error}");
    }
    // A disk that is opened anew is taken as it is.
    bench.disk().sync().unwrap();
}

/// A write that was given up reaches the cell when the network comes back: too late.
#[test]
fn a_late_write_does_not_follow_a_later_one() {
    let bench = bench();
    let disk = bench.disk();
    disk.write_durable(0, &[b"first"]).unwrap();
    bench.proxy.hold();
    let error = disk.write_durable(0, &[b"given up"]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    assert!(error.to_string().starts_with("cell cell01 at 127.0.0.1:"), "{error}");
    // New connections pass, and what is held stays held.
    bench.proxy.pass_new();
    disk.write_durable(0, &[b"second  "]).unwrap();
    bench.proxy.release();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(bench.stored(0, 8), b"second  ");
}

#[test]
fn a_later_process_of_the_instance_takes_the_place_of_the_earlier_one() {
    let bench = bench();
    let first = bench.disk();
    first.write_durable(0, &[b"1"]).unwrap();
    let second = bench.disk();
    second.write_durable(0, &[b"2"]).unwrap();
    let error = first.write_durable(0, &[b"3"]).unwrap_err();
    assert!(error.to_string().contains("a later connection of this instance is here"), "{error}");
    assert_eq!(bench.stored(0, 1), b"2");
}

#[test]
fn a_cell_that_is_not_there_is_named() {
    let bench = bench();
    let folder = bench.instance_folder("127.0.0.1:1", "keys");
    let files = bench.files();
    // Its disks are known, so that it can be told that they are missing.
    assert_eq!(files.list(&folder).unwrap().len(), 2);
    let error = files.open(&folder.join("one")).unwrap_err();
    assert!(error.to_string().starts_with("cell cell01 at 127.0.0.1:1: "), "{error}");
    let since_us = bench.clock.monotonic_us();
    files.open(&folder.join("two")).unwrap_err();
    assert!(bench.clock.monotonic_us() - since_us < 400_000, "a cell that is known to be missing is waited for again");
}

#[test]
fn other_keys_and_none_are_refused() {
    let bench = bench();
    make_keys(&bench.folder.path().join("others")).unwrap();
    let folder = bench.instance_folder(&bench.address, "others");
    let error = bench.files().open(&folder.join("one")).unwrap_err();
    assert!(error.to_string().contains("TLS: "), "{error}");
    assert!(make_keys(&bench.folder.path().join("others")).unwrap_err().to_string().contains("is there already"));
    // An instance with our authority and another one's key.
    for name in ["instance.pem", "instance.key"] {
        let (from, to) = (bench.folder.path().join("keys"), bench.folder.path().join("others"));
        std::fs::copy(to.join(name), from.join(name)).unwrap();
    }
    let folder = bench.instance_folder(&bench.address, "keys");
    let error = bench.files().open(&folder.join("one")).unwrap_err();
    assert!(error.to_string().contains("TLS: "), "{error}");
    let none = bench.instance_folder(&bench.address, "nowhere");
    let error = bench.files().open(&none.join("one")).unwrap_err();
    assert!(error.to_string().contains("authority.pem"), "{error}");
}

#[test]
fn two_cells_have_two_names() {
    let bench = bench();
    let folder = bench.instance_folder(&bench.address, "keys");
    let files = bench.files();
    files.open(&folder.join("one")).unwrap();
    let other = bench.folder.path().join("data/other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::copy(folder.join("cell.toml"), other.join("cell.toml")).unwrap();
    let error = files.open(&other.join("one")).unwrap_err().to_string();
    assert!(error.contains("other/cell.toml: cell cell01 is that of ") && error.ends_with("cell01, too"), "{error}");
    // The cell there has another name.
    let text = std::fs::read_to_string(folder.join("cell.toml")).unwrap();
    std::fs::write(other.join("cell.toml"), text.replace("\"cell01\"", "\"cell02\"")).unwrap();
    let error = files.open(&other.join("one")).unwrap_err().to_string();
    assert!(error.starts_with("cell cell02 at") && error.ends_with("the cell there is cell01"), "{error}");
}

#[test]
fn connections_that_say_nothing_or_nonsense_hinder_nobody() {
    let bench = bench();
    let silent: Vec<_> = (0..50).map(|_| TcpStream::connect(&*bench.address).unwrap()).collect();
    let mut random = Seeded::new(3);
    for _ in 0..50 {
        let mut socket = TcpStream::connect(&*bench.address).unwrap();
        let bytes: Vec<u8> = (0..random.below(2000)).map(|_| random.draw() as u8).collect();
        // It may close before.
        let _ = io::Write::write_all(&mut socket, &bytes);
    }
    let disk = bench.disk();
    disk.write_durable(0, &[b"there"]).unwrap();
    assert_eq!(bench.stored(0, 5), b"there");
    drop(silent);
}

fn request(blocks: u32) -> Vec<u8> {
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let request = ScanRequest {
        disk: "one".into(),
        offset: 0,
        block_size: BlockSize::from_bytes(8192).unwrap(),
        first: BlockAddress::new(common::FileNumber(1), 0),
        blocks,
        gaps: Vec::new(),
        object: ObjectNumber(1),
        snapshot: Scn(9),
        ended_before: Scn(0),
        storage_index: false,
        index: None,
        flash: FlashUse::Default,
        extremes: Vec::new(),
        busy_percent: None,
        spec,
    };
    request.encode()
}

/// Answers until the end or an error.
fn answers(cell: &dyn Cell, request: Vec<u8>, pieces: usize) -> Vec<io::Result<Vec<u8>>> {
    let mailbox = Arc::new(Mailbox::default());
    cell.submit_scan(request, Box::new(mailbox.reply(5)));
    let mut answers = Vec::new();
    while answers.len() < pieces && !answers.last().is_some_and(io::Result::is_err) {
        let Letter { tag, answer } = mailbox.wait();
        assert_eq!(tag, 5);
        answers.push(answer);
    }
    answers
}

fn remote(bench: &Bench, address: &str) -> Arc<RemoteCell> {
    let folder = bench.instance_folder(address, "keys");
    bench.files().host(&folder).unwrap().unwrap().downcast().unwrap()
}

/// Blocks without content come back whole, so that much goes over the line.
#[test]
fn scans_have_the_answers_of_a_cell_here() {
    let bench = bench();
    let far = remote(&bench, &bench.address);
    let near = LocalCell::new(Arc::clone(&bench.disks), Path::new("/cell01"), true);
    let (got, expected) = (answers(&*far, request(1024), 8), answers(&near, request(1024), 8));
    assert_eq!(got.len(), 8, "{got:?}");
    for (got, expected) in got.iter().zip(&expected) {
        let (got, expected) = (got.as_ref().unwrap(), expected.as_ref().unwrap());
        assert!(got == expected && Answer::new(got.clone(), 1).is_ok());
    }
    let (far, near) = (far.traffic(), near.traffic());
    assert_eq!((far.scans, far.bytes_sent, far.bytes_received), (near.scans, near.bytes_sent, near.bytes_received));
    let error = answers(&*remote(&bench, &bench.address), b"nonsense".to_vec(), 1).pop().unwrap().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
}

#[test]
fn scans_fail_when_their_connection_breaks_or_nothing_comes() {
    let bench = bench();
    let cell = remote(&bench, &bench.proxy.address());
    assert!(answers(&*cell, request(128), 1)[0].is_ok());
    bench.proxy.hold();
    let error = answers(&*cell, request(128), 1).pop().unwrap().unwrap_err();
    assert!(error.to_string().contains("a scan is not answered"), "{error}");
    bench.proxy.pass_new();
    bench.proxy.release();
    assert!(answers(&*cell, request(128), 1)[0].is_ok());
    bench.proxy.hold();
    let mailbox = Arc::new(Mailbox::default());
    cell.submit_scan(request(128), Box::new(mailbox.reply(1)));
    bench.proxy.cut();
    assert!(mailbox.wait().answer.is_err());
}
