//! A recording is complete: its result equals the directory; and a call that it cannot represent is an error.
//!
//! The programs are those of every machine; where ptrace is not permitted the tests say so and end.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;
use std::time::Duration;

use common::Seeded;
use recorder::error::{Error, Result};
use recorder::event::{Event, LifeEnd, Operation};
use recorder::image::{difference, read_directory};
use recorder::trace::{Ended, Fault, FaultKind, Input, Recorder, Stop};
use recorder::walk::{Honesty, Walk};
use sim::disk::Keep;

const PATIENCE: Duration = Duration::from_secs(20);

/// False where recording is not permitted.
fn permitted(result: &Result<Ended>) -> bool {
    let forbidden = matches!(result, Err(Error::Forbidden(_)));
    if forbidden {
        println!("skipped: ptrace is not permitted here");
    }
    !forbidden
}

fn run(recorder: &mut Recorder, program: &str, arguments: &[&str], stop: Stop, faults: &[Fault]) -> Result<Ended> {
    recorder.run(Path::new(program), arguments, Input::Script("input\n"), stop, faults, PATIENCE)
}

fn operations(recorder: &Recorder) -> Vec<&Operation> {
    let mut found = Vec::new();
    for event in recorder.events() {
        if let Event::Begun { operation, .. } = event {
            found.push(operation);
        }
    }
    found
}

fn file(root: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(root.join(name), bytes).unwrap();
}

#[test]
fn what_was_recorded_is_what_the_directory_holds() {
    let root = tempfile::tempdir().unwrap();
    file(root.path(), "from", &[7; 5000]);
    let mut recorder = Recorder::new(root.path()).unwrap();
    let baseline = recorder.cache().clone();
    let copy = ["if=from", "of=to", "bs=512", "seek=3", "conv=fsync"];
    let ended = run(&mut recorder, "/bin/dd", &copy, Stop::Never, &[]);
    if !permitted(&ended) {
        return;
    }
    assert_eq!(ended.unwrap().end, LifeEnd::Exited(0));
    for (program, arguments) in [
        ("/bin/mkdir", &["below"][..]),
        ("/bin/mv", &["to", "below/moved"]),
        ("/bin/truncate", &["-s", "3000", "from"]),
        ("/bin/rm", &["below/moved"]),
        ("/bin/dd", &["if=from", "of=again", "bs=700", "oflag=dsync"]),
        ("/bin/rmdir", &["below"]),
    ] {
        assert_eq!(run(&mut recorder, program, arguments, Stop::Never, &[]).unwrap().end, LifeEnd::Exited(0));
    }
    let there = read_directory(recorder.root()).unwrap();
    assert_eq!(difference(recorder.cache(), &there), None);
    let mut walk = Walk::new(baseline, Honesty::Honest);
    recorder.events().iter().for_each(|event| walk.pass(event));
    assert_eq!(difference(walk.cache(), &there), None);
    // Without a sync of the folder the names are in doubt.
    let all = walk.crash(Keep::Everything, &mut Seeded::new(1));
    let none = walk.crash(Keep::Nothing, &mut Seeded::new(1));
    assert_eq!(difference(&all, &there), None);
    assert!(difference(&none, &there).is_some());
    // It detects unrecorded changes.
    file(recorder.root(), "again", b"other");
    assert!(difference(recorder.cache(), &read_directory(recorder.root()).unwrap()).is_some());
}

#[test]
fn a_process_that_is_killed_leaves_the_page_cache() {
    for at in 1..12 {
        let root = tempfile::tempdir().unwrap();
        file(root.path(), "from", &[9; 4096]);
        let mut recorder = Recorder::new(root.path()).unwrap();
        let stop = if at % 2 == 0 { Stop::Before(at) } else { Stop::After(at) };
        let ended = run(&mut recorder, "/bin/dd", &["if=from", "of=to", "bs=512"], stop, &[]);
        if !permitted(&ended) {
            return;
        }
        // One creation and eight writes.
        assert_eq!(ended.unwrap().end, if at <= 9 { LifeEnd::Killed } else { LifeEnd::Exited(0) }, "{at}");
        let there = read_directory(recorder.root()).unwrap();
        assert_eq!(difference(recorder.cache(), &there), None, "{at}");
        let size = there.file(&recorder.root().join("to")).map(|file| there.file_size(file));
        let writes = if at % 2 == 0 { at.saturating_sub(2) } else { at - 1 };
        assert_eq!(size, Some(writes.min(8) * 512), "{at}");
    }
}

#[test]
fn a_durable_write_and_a_synced_one_survive_and_others_need_not() {
    for (flag, survives) in [("oflag=dsync", true), ("conv=fsync", true), ("conv=notrunc", false)] {
        let root = tempfile::tempdir().unwrap();
        file(root.path(), "from", &[3; 2048]);
        file(root.path(), "to", &[1; 2048]);
        let mut recorder = Recorder::new(root.path()).unwrap();
        let baseline = recorder.cache().clone();
        let ended = run(&mut recorder, "/bin/dd", &["if=from", "of=to", "bs=512", flag], Stop::Never, &[]);
        if !permitted(&ended) {
            return;
        }
        assert_eq!(ended.unwrap().end, LifeEnd::Exited(0));
        for (honesty, survives) in [(Honesty::Honest, survives), (Honesty::Lying, false)] {
            let mut walk = Walk::new(baseline.clone(), honesty);
            recorder.events().iter().for_each(|event| walk.pass(event));
            let none = walk.crash(Keep::Nothing, &mut Seeded::new(1));
            let mut bytes = [0; 2048];
            let file = none.file(&recorder.root().join("to")).unwrap();
            let there = none.read(file, 0, &mut bytes).is_ok() && bytes == [3; 2048];
            assert_eq!(there, survives, "{flag} {honesty:?}");
        }
    }
}

#[test]
fn a_fault_is_an_error_of_the_call_and_changes_nothing() {
    use nix::errno::Errno;
    let planned = [
        (FaultKind::Write, 3, Errno::ENOSPC, "No space left", 1024),
        (FaultKind::Sync, 1, Errno::EIO, "Input/output error", 4096),
    ];
    for (kind, number, errno, said, size) in planned {
        let root = tempfile::tempdir().unwrap();
        file(root.path(), "from", &[9; 4096]);
        let mut recorder = Recorder::new(root.path()).unwrap();
        let fault = Fault { kind, number, errno, lasting: false };
        let ended = run(&mut recorder, "/bin/dd", &["if=from", "of=to", "bs=512", "conv=fsync"], Stop::Never, &[fault]);
        if !permitted(&ended) {
            return;
        }
        let ended = ended.unwrap();
        assert_eq!(ended.end, LifeEnd::Exited(1), "{ended:?}");
        assert!(ended.errors.contains(said), "{}", ended.errors);
        assert_eq!(ended.hits.len(), 1);
        let there = read_directory(recorder.root()).unwrap();
        assert_eq!(difference(recorder.cache(), &there), None);
        assert_eq!(there.file_size(there.file(&recorder.root().join("to")).unwrap()), size);
    }
}

#[test]
fn what_cannot_be_recorded_is_an_error() {
    for (program, arguments, what) in [("/bin/ln", &["from", "other"][..], "link"), ("/bin/sync", &[], "sync of all")] {
        let root = tempfile::tempdir().unwrap();
        file(root.path(), "from", b"bytes");
        let mut recorder = Recorder::new(root.path()).unwrap();
        let ended = run(&mut recorder, program, arguments, Stop::Never, &[]);
        if !permitted(&ended) {
            return;
        }
        assert!(matches!(&ended, Err(Error::Unrecorded(text)) if text.contains(what)), "{ended:?}");
    }
}

#[test]
fn output_stands_where_it_was_told() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::new(root.path()).unwrap();
    let ended = run(&mut recorder, "/bin/echo", &["bytes"], Stop::Never, &[]);
    if !permitted(&ended) {
        return;
    }
    assert!(recorder.events().contains(&Event::Said(b"bytes\n".to_vec())));
    assert!(operations(&recorder).is_empty());
}
