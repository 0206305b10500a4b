//! Shared by the tests of groups.

use std::time::Duration;

use asm::{AuSize, DiskGroup, Environment, Lanes, make_disks};
use common::sync::Arc;
use device::{Device, MemoryFileSystem};

pub(crate) const MB: u64 = 1 << 20;

pub(crate) fn environment() -> Environment {
    Environment::new(Arc::new(MemoryFileSystem::new()))
}

/// The group DATA of equal disks in memory, `/d/disk01` and so on.
#[allow(dead_code, reason = "not all tests need it")]
pub(crate) fn group(disks: u16, bytes: u64) -> (Environment, DiskGroup) {
    let environment = environment();
    let disks = make_disks(&*environment.files, "/d/disk*", disks, bytes).unwrap();
    let group = DiskGroup::create(&environment, "DATA", &disks, AuSize::default()).unwrap();
    (environment, group)
}

/// Threads for the disks' requests, for tests that `tests/lanes.rs` has.
#[allow(dead_code, reason = "not all tests need it")]
pub(crate) fn lanes(module: &str) -> Option<Arc<Lanes>> {
    module.starts_with("lanes::").then(|| Arc::new(Lanes::new(Duration::from_secs(60))))
}

pub(crate) fn read(file: &dyn Device, offset: u64, bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0; bytes];
    file.read_at(offset, &mut [&mut buffer]).unwrap();
    buffer
}

/// The files of a group, a line each.
#[allow(dead_code, reason = "not all tests need it")]
pub(crate) fn text(group: &DiskGroup) -> String {
    group.files().unwrap().iter().map(|file| format!("{} {}\n", file.name, file.bytes)).collect()
}

/// Keeps what groups note.
#[derive(Default, Debug)]
#[allow(dead_code, reason = "not all tests need it")]
pub(crate) struct Notebook(common::sync::Mutex<Vec<String>>);

#[allow(dead_code, reason = "not all tests need it")]
impl Notebook {
    pub(crate) fn text(&self) -> String {
        self.0.lock().join("\n")
    }
}

impl asm::Notes for Notebook {
    fn note(&self, group: &str, text: String) {
        self.0.lock().push(format!("{group}: {text}"));
    }
}
