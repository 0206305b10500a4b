//! Under many kernels a file system in memory drops an allocation when a signal comes: a file grows all the same while
//! stacks are taken.

use std::path::Path;
use std::time::Duration;

use common::sync::{ThreadId, spawn};
use device::{FileSystem, OsFileSystem};

#[test]
fn a_file_grows_while_stacks_are_taken() {
    const BYTES: u64 = 256 << 20;
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = directory.path().join("file");
    let (tell, told) = std::sync::mpsc::channel();
    let (go, going) = std::sync::mpsc::channel();
    let thread = spawn("growing", move || {
        tell.send(ThreadId::current()).unwrap();
        going.recv().unwrap();
        OsFileSystem::new().create(&path, BYTES).unwrap().size().unwrap()
    });
    let (id, thread) = (told.recv().unwrap(), thread.unwrap());
    let sampler = stacks::Sampler::start(move || Some(id), 2_000).unwrap();
    go.send(()).unwrap();
    for _ in 0..1_000 {
        std::thread::sleep(Duration::from_millis(10));
        if thread.is_finished() {
            break;
        }
    }
    // Without the sampler it ends in any case.
    let ended = thread.is_finished();
    let profile = sampler.stop().unwrap();
    assert_eq!(thread.join().unwrap(), BYTES);
    assert!(ended, "{}", profile.collapsed());
}
