//! Names, templates and attributes of a disk group, crashed at each operation of changing them, and again in the mount
//! that follows: each statement has happened whole or not at all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use asm::{
    DiskGroup, Environment, FileKind, NameRequest, NewDisk, NewFile, NewGroup, Protection, Redundancy, Striping,
    TemplateAttributes, TemplateRequest, make_disks,
};
use common::Seeded;
use common::sync::Arc;
use device::FileSystem;
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Note, Operation, SimulatedFileSystem, Walk};

const MB: u64 = 1 << 20;
const PATTERN: &str = "/d/disk*";

fn environment(files: &SimulatedFileSystem) -> Environment {
    let mut environment = Environment::new(Arc::new(files.clone()));
    environment.clock = Arc::new(SimulatedClock::default());
    environment.database.set("ORCL");
    environment
}

/// All that these statements change, as text.
fn state(group: &DiskGroup) -> String {
    let files = group.files().unwrap();
    let file = |file: &asm::FileInfo| format!("{} {:?} {} {:?}", file.name, file.alias, file.copies, file.striping);
    let files: Vec<_> = files.iter().map(file).collect();
    let users: Vec<_> = group.templates().unwrap().into_iter().filter(|template| !template.system).collect();
    format!("{files:?} {:?} {users:?} {:?}", group.names().unwrap(), group.attributes().unwrap())
}

/// A random path of the parts a, b and c.
fn path(random: &mut Seeded) -> String {
    let parts: Vec<_> = (0..=random.index(2)).map(|_| ["a", "b", "c"][random.index(3)]).collect();
    format!("+DATA/{}", parts.join("/"))
}

/// Does something to the group; a refused statement changes nothing.
fn change(group: &DiskGroup, random: &mut Seeded) -> bool {
    let file = format!("+DATA.{}.{}", 256 + random.index(3), 1 + random.index(6));
    let (one, other) = (path(random), path(random));
    let template = ["t", "u"][random.index(2)].to_owned();
    let attributes = TemplateAttributes {
        protection: Some([Protection::Mirror, Protection::Unprotected][random.index(2)]),
        striping: Some([Striping::Coarse, Striping::Fine][random.index(2)]),
    };
    let done = match random.below(14) {
        0..=2 => group.change_names(&[NameRequest::AddDirectory(one), NameRequest::AddDirectory(other)]),
        3 => group.change_names(&[NameRequest::DropDirectory { name: one, force: true }]),
        4..=5 => group.change_names(&[NameRequest::RenameDirectory { from: one, to: other }]),
        6 => group.change_names(&[NameRequest::AddAlias { alias: one, file }]),
        7 => group.change_names(&[NameRequest::DropAlias(one)]),
        8 => group.change_names(&[NameRequest::RenameAlias { from: one, to: other }]),
        9 => group.change_templates(&[TemplateRequest::Add(template, attributes)]),
        10 => group.change_templates(&[TemplateRequest::Drop(template)]),
        11 => group.set_attribute("disk_repair_time", &format!("{}m", random.below(9))),
        12 => group.delete(&file),
        _ => {
            let name = Some(template.as_str()).filter(|_| random.below(2) == 0);
            let new = NewFile { alias: Some(&one), template: name, ..NewFile::new(FileKind::DataFile, "F", 100) };
            group.create_file_with(&new).map(drop)
        }
    };
    done.is_ok()
}

struct Recording {
    operations: Vec<Operation>,
    states: Vec<String>,
}

fn record(seed: u64, disks: u16, redundancy: Redundancy, changes: usize) -> Recording {
    let mut random = Seeded::at(seed, 1);
    let files = SimulatedFileSystem::new();
    files.create_directory(Path::new("/d")).unwrap();
    let paths = make_disks(&files, PATTERN, disks, 24 * MB).unwrap();
    let disks = paths.into_iter().map(NewDisk::new).collect();
    let new = NewGroup { name: "DATA".into(), redundancy, disks, ..NewGroup::default() };
    let group = DiskGroup::create_with(&environment(&files), &new).unwrap();
    let mut states = vec![state(&group)];
    files.note(Note::Acknowledged(0));
    while states.len() <= changes {
        files.note(Note::Begun(states.len()));
        if change(&group, &mut random) {
            states.push(state(&group));
            files.note(Note::Acknowledged(states.len() - 1));
        }
    }
    Recording { operations: files.take_operations(), states }
}

/// The group after a crash is in the acknowledged state or in the one begun.
fn check(image: Image, recording: &Recording, old: usize, new: usize) {
    let files = SimulatedFileSystem::on(image);
    let group = DiskGroup::mount(&environment(&files), "DATA", PATTERN).unwrap();
    let found = state(&group);
    let expected = [old, new].map(|state| recording.states.get(state));
    assert!(expected.contains(&Some(&found)), "{found} is neither {expected:?}");
    // It can be changed further.
    let again = NameRequest::AddDirectory("+DATA/again".into());
    group.change_names(&[again]).unwrap();
}

fn explore(recording: &Recording, seed: u64) -> (usize, usize) {
    let mut walk = Walk::new(Image::default());
    let (mut acknowledged, mut begun) = (None, 0);
    let (mut crashes, mut second) = (0, 0);
    for (place, operation) in recording.operations.iter().enumerate() {
        match operation {
            Operation::Note(Note::Begun(state)) => begun = *state,
            Operation::Note(Note::Acknowledged(state)) => acknowledged = Some(*state),
            _ => {
                // Making the group is explored elsewhere.
                for keep in Keep::ALL.into_iter().filter(|_| acknowledged.is_some()) {
                    let mut random = Seeded::at(seed, (place * 10 + crashes % 7) as u64);
                    let old = acknowledged.unwrap_or_default();
                    let image = walk.crash(Some(operation), keep, &mut random);
                    crashes += 1;
                    if crashes.is_multiple_of(29) {
                        let files = SimulatedFileSystem::on(image.clone());
                        drop(DiskGroup::mount(&environment(&files), "DATA", PATTERN).unwrap());
                        let mut walk = Walk::new(image.clone());
                        for operation in &files.take_operations() {
                            check(walk.crash(Some(operation), Keep::Sectors, &mut random), recording, old, begun);
                            walk.pass(operation);
                            second += 1;
                        }
                    }
                    check(image, recording, old, begun);
                }
            }
        }
        walk.pass(operation);
    }
    (crashes, second)
}

#[test]
fn names_templates_and_attributes_survive_a_crash_at_each_operation() {
    let (mut crashes, mut second) = (0, 0);
    for (seed, disks, redundancy) in [(1, 1, Redundancy::External), (2, 3, Redundancy::Normal)] {
        let recording = record(seed, disks, redundancy, 60);
        let (first, again) = explore(&recording, seed);
        crashes += first;
        second += again;
    }
    println!("{crashes} crashes, {second} in mounts");
    assert!(crashes > 1000 && second > 100, "{crashes} crashes, {second} in mounts");
}
