//! Aliases, directories, templates and attributes of a group: operations, errors, and a model of the names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeMap;

use asm::{
    DiskGroup, DiskMode, Environment, FileKind, MountOptions, NameRequest, NewDisk, NewFile, NewGroup, Protection,
    Redundancy, Step, Striping, TemplateAttributes, TemplateRequest, make_disks,
};
use common::sync::Arc;
use common::sync::atomic::{AtomicU64, Ordering};
use common::{Clock, Error};
use device::Device;
use proptest::prelude::*;
use support::{MB, environment, read};

const KIND: FileKind = FileKind::DataFile;

fn create(environment: &Environment, redundancy: Redundancy, disks: u16) -> DiskGroup {
    let paths = make_disks(&*environment.files, "/d/disk*", disks, 24 * MB).unwrap();
    let disks = paths.into_iter().map(NewDisk::new).collect();
    let new = NewGroup { name: "DATA".into(), redundancy, disks, ..NewGroup::default() };
    DiskGroup::create_with(environment, &new).unwrap()
}

fn of_database(redundancy: Redundancy, disks: u16) -> (Environment, DiskGroup) {
    let environment = environment();
    environment.database.set("orcl");
    let group = create(&environment, redundancy, disks);
    (environment, group)
}

fn again(environment: &Environment, group: DiskGroup) -> DiskGroup {
    group.dismount().unwrap();
    drop(group);
    DiskGroup::mount(environment, "DATA", "/d/*").unwrap()
}

fn add(name: &str) -> NameRequest {
    NameRequest::AddDirectory(name.into())
}

fn drop_directory(name: &str, force: bool) -> NameRequest {
    NameRequest::DropDirectory { name: name.into(), force }
}

fn rename(from: &str, to: &str) -> NameRequest {
    NameRequest::RenameDirectory { from: from.into(), to: to.into() }
}

fn alias(alias: &str, file: &str) -> NameRequest {
    NameRequest::AddAlias { alias: alias.into(), file: file.into() }
}

fn rename_alias(from: &str, to: &str) -> NameRequest {
    NameRequest::RenameAlias { from: from.into(), to: to.into() }
}

fn change(group: &DiskGroup, request: NameRequest) -> Result<(), Error> {
    group.change_names(&[request])
}

fn named<'n>(name: &'n str, template: Option<&'n str>) -> NewFile<'n> {
    NewFile { alias: Some(name), template, ..NewFile::new(KIND, "USERS", MB) }
}

/// The names as paths, by the numbers with which CONNECT BY puts them together; `*` behind those of the system.
fn paths(group: &DiskGroup) -> Vec<String> {
    let names = group.names().unwrap();
    let path = |start: usize| {
        let (mut path, mut at) = (names[start].name.clone(), &names[start]);
        while at.parent != 0 {
            at = names.iter().find(|name| name.directory == Some(at.parent)).unwrap();
            path = format!("{}/{path}", at.name);
        }
        path
    };
    let kind = |at: usize| {
        let slash = if names[at].directory.is_some() { "/" } else { "" };
        format!("{slash}{}", if names[at].system { "*" } else { "" })
    };
    (0..names.len()).map(|at| format!("{}{}", path(at), kind(at))).collect()
}

#[test]
fn aliases_and_directories_among_those_of_the_system() {
    let (environment, group) = of_database(Redundancy::External, 2);
    assert_eq!(paths(&group), [""; 0]);
    let file = group.create_file(KIND, "USERS", MB).unwrap();
    file.write_at(5, &[b"abc"]).unwrap();
    drop(file);
    group.change_names(&[add("+DATA/Mine"), add("+data/mine/Sub")]).unwrap();
    change(&group, alias("+DATA/mine/sub/Users.dbf", "+DATA/ORCL/DATAFILE/users.256.1")).unwrap();
    drop(group.create_file_with(&named("+data/orcl/datafile/Own.dbf", None)).unwrap());
    let expected = [
        "Mine/",
        "Mine/Sub/",
        "Mine/Sub/Users.dbf",
        "ORCL/*",
        "ORCL/DATAFILE/*",
        "ORCL/DATAFILE/Own.dbf",
        "ORCL/DATAFILE/USERS.256.1*",
        "ORCL/DATAFILE/USERS.257.2*",
    ];
    assert_eq!(paths(&group), expected);
    let group = again(&environment, group);
    assert_eq!(paths(&group), expected);
    assert_eq!(read(&group.open("+DATA/MINE/SUB/users.DBF").unwrap(), 4, 5), b"\0abc\0");
    assert_eq!(group.name_of("+data/orcl/datafile/own.dbf").unwrap().number, 257);
    assert_eq!(group.files().unwrap()[0].alias.as_deref(), Some("+DATA/Mine/Sub/Users.dbf"));

    let losing = group.check_names(&[rename("+DATA/mine", "+DATA/Other")]).unwrap();
    assert_eq!(losing.iter().map(|file| file.number).collect::<Vec<_>>(), [256]);
    change(&group, rename("+DATA/mine", "+DATA/Other")).unwrap();
    change(&group, rename_alias("+DATA/other/sub/users.dbf", "+DATA/other/u.dbf")).unwrap();
    let group = again(&environment, group);
    assert_eq!(paths(&group)[..2], expected[3..5].iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(paths(&group)[5..], ["Other/", "Other/Sub/", "Other/u.dbf"]);
    // A dropped alias leaves the file; a deleted file takes its alias with it.
    change(&group, NameRequest::DropAlias("+DATA/other/u.dbf".into())).unwrap();
    assert!(group.open("+DATA/other/u.dbf").unwrap_err().is_ora(15012));
    drop(group.open("+DATA.256.1").unwrap());
    group.delete("+DATA/ORCL/DATAFILE/OWN.DBF").unwrap();
    assert!(group.open("+DATA.257.2").unwrap_err().is_ora(15012));
    change(&group, drop_directory("+DATA/Other", true)).unwrap();
    assert_eq!(paths(&group), ["ORCL/*", "ORCL/DATAFILE/*", "ORCL/DATAFILE/USERS.256.1*"]);
    // A directory of the system stays as long as a user has something in it.
    change(&group, add("+DATA/ORCL/DATAFILE/x")).unwrap();
    group.delete("+DATA.256.1").unwrap();
    assert_eq!(paths(&group), ["ORCL/*", "ORCL/DATAFILE/*", "ORCL/DATAFILE/x/"]);
}

#[test]
fn what_is_wrong_with_a_name_is_told_by_its_number_and_changes_nothing() {
    let (_, group) = of_database(Redundancy::External, 2);
    drop(group.create_file_with(&named("+DATA/first", None)).unwrap());
    drop(group.create_file(KIND, "USERS", MB).unwrap());
    group.change_names(&[add("+DATA/a"), add("+DATA/a/b")]).unwrap();
    let before = paths(&group);
    let drop_alias = |name: &str| NameRequest::DropAlias(name.into());
    for (request, number) in [
        (add("+DATA/a"), 15005),
        (add("+DATA/FIRST"), 15005),
        (add("+DATA/orcl"), 15005),
        (add("+DATA/x/y"), 15173),
        (add("+DATA/first/y"), 15129),
        (add("+FRA/x"), 15052),
        (add("x"), 15120),
        (add("+DATA/a(b)"), 15124),
        (add("+DATA/x.256.1"), 15124),
        (drop_directory("+DATA/x", false), 15173),
        (drop_directory("+DATA/a", false), 15178),
        (drop_directory("+DATA/first", true), 15129),
        (drop_directory("+DATA/ORCL", true), 15177),
        (drop_directory("+DATA/ORCL/DATAFILE", true), 15177),
        (rename("+DATA/a", "+DATA/a/b/c"), 15169),
        (rename("+DATA/a", "+DATA/first"), 15005),
        (rename("+DATA/a/b", "+DATA/x/b"), 15173),
        (rename("+DATA/ORCL", "+DATA/x"), 15177),
        (rename("+DATA/first", "+DATA/x"), 15129),
        (alias("+DATA/a/b", "+DATA.257.2"), 15005),
        (alias("+DATA/x", "+DATA.256.1"), 15176),
        (alias("+DATA/x", "+DATA.258.3"), 15012),
        (alias("+DATA/x/y", "+DATA.257.2"), 15173),
        (alias("+DATA/ORCL/ONLINELOG", "+DATA.257.2"), 15177),
        (drop_alias("+DATA/x"), 15173),
        (drop_alias("+DATA/a"), 15113),
        (drop_alias("+DATA/ORCL/DATAFILE"), 15113),
        (drop_alias("+DATA/ORCL/DATAFILE/USERS.256.1"), 15177),
        (rename_alias("+DATA/a", "+DATA/x"), 15113),
        (rename_alias("+DATA/first", "+DATA/a"), 15005),
        (rename_alias("+DATA/first", "+DATA/ORCL/TEMPFILE"), 15177),
    ] {
        // The first change is not made either.
        let error = group.change_names(&[add("+DATA/good"), request.clone()]).unwrap_err();
        assert!(error.is_ora(number), "{request:?}: {error}");
        assert_eq!(paths(&group), before);
    }
    for (new, number) in [
        (named("+DATA/first", None), 15005),
        (named("+DATA/a", None), 15005),
        (named("+DATA/x/y", None), 15173),
        (named("+DATA/ORCL", None), 15005),
        (named("+DATA/ORCL/TEMPFILE", None), 15177),
        (named("+DATA/x.1.2", None), 15124),
        (named("+DATA/y", Some("nothing")), 15060),
    ] {
        let free = group.statistics().free_bytes;
        let error = group.create_file_with(&new).unwrap_err();
        assert!(error.is_ora(number), "{new:?}: {error}");
        assert_eq!((paths(&group), group.statistics().free_bytes), (before.clone(), free));
    }
    // REUSE makes the file anew.
    let open = group.open("+DATA/first").unwrap();
    let again = NewFile { reuse: true, ..named("+DATA/First", None) };
    assert!(group.create_file_with(&again).unwrap_err().is_ora(15028));
    drop(open);
    // What cannot be made leaves the file that it was to replace.
    let wrong = NewFile { template: Some("nothing"), ..again };
    assert!(group.create_file_with(&wrong).unwrap_err().is_ora(15060));
    group.open(again.alias.unwrap()).unwrap();
    drop(group.create_file_with(&again).unwrap());
    assert_eq!(group.name_of("+DATA/first").unwrap().incarnation, 3);
}

fn template(name: &str, protection: Protection, striping: Striping) -> TemplateRequest {
    let attributes = TemplateAttributes { protection: Some(protection), striping: Some(striping) };
    TemplateRequest::Add(name.into(), attributes)
}

/// The copies, the striping and the content of files of all kinds, in a group of normal redundancy.
#[test]
fn files_are_as_their_templates_say() {
    let (environment, group) = of_database(Redundancy::Normal, 4);
    let requests = [
        template("one", Protection::Unprotected, Striping::Fine),
        template("two", Protection::Mirror, Striping::Fine),
        template("three", Protection::High, Striping::Coarse),
    ];
    group.change_templates(&requests).unwrap();
    let group = again(&environment, group);
    let bytes: Vec<u8> = (0..3 * MB).map(|at| (at / 4096 % 251) as u8).collect();
    for (name, copies, striping) in
        [("one", 1, Striping::Fine), ("two", 2, Striping::Fine), ("three", 3, Striping::Coarse)]
    {
        let new = NewFile { template: Some(name), ..NewFile::new(KIND, name, MB) };
        let file = group.create_file_with(&new).unwrap();
        file.write_at(100, &[&bytes]).unwrap();
        file.sync().unwrap();
        let number = file.name().number;
        let info = group.files().unwrap().into_iter().find(|info| info.name.number == number).unwrap();
        assert_eq!((info.copies, info.striping), (copies, striping), "{name}");
        let extents = if striping == Striping::Fine { 8 } else { 4 };
        assert_eq!(info.space, extents * u64::from(copies) * MB, "{name}");
        assert_eq!(read(&file, 100, bytes.len()), bytes, "{name}");
        file.set_size(MB + 7).unwrap();
        assert_eq!(read(&file, 100, MB as usize - 93)[..], bytes[..MB as usize - 93], "{name}");
    }
    let control = group.create_file(FileKind::ControlFile, "current", MB).unwrap();
    let info = group.files().unwrap().pop().unwrap();
    assert_eq!((info.copies, info.striping), (3, Striping::Fine));
    drop(control);
    // The only copy of an extent keeps its disk in the group.
    for disk in 0..4 {
        assert!(group.offline(&format!("DATA_{disk:04}")).unwrap_err().is_ora(15066));
    }
    let group = again(&environment, group);
    group.delete("+DATA.256.1").unwrap();
    group.offline("DATA_0002").unwrap();
    assert_eq!(read(&group.open("+DATA.257.2").unwrap(), 100, 1000)[..], bytes[..1000]);
    group.online("DATA_0002", "/d/*").unwrap();
    let group = again(&environment, group);
    assert_eq!(read(&group.open("+DATA.258.3").unwrap(), 100, 1000)[..], bytes[..1000]);
}

#[test]
fn three_copies_need_three_failure_groups_but_for_control_files() {
    let (_, group) = of_database(Redundancy::Normal, 2);
    group.change_templates(&[template("three", Protection::High, Striping::Coarse)]).unwrap();
    let new = NewFile { template: Some("three"), ..NewFile::new(KIND, "x", MB) };
    assert!(group.create_file_with(&new).unwrap_err().is_ora(15072));
    drop(group.create_file(FileKind::ControlFile, "current", MB).unwrap());
    assert_eq!(group.files().unwrap()[0].copies, 2);
}

#[test]
fn attributes_are_kept() {
    let environment = environment();
    let paths = make_disks(&*environment.files, "/d/disk*", 1, 24 * MB).unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut new = NewGroup {
        name: "DATA".into(),
        disks: paths.into_iter().map(NewDisk::new).collect(),
        attributes: vec![pair("compatible.rdbms", "12.1"), pair("compatible.asm", "19.0"), pair("colour", "red")],
        ..NewGroup::default()
    };
    assert!(DiskGroup::create_with(&environment, &new).unwrap_err().is_ora(15240));
    new.attributes.pop();
    let group = DiskGroup::create_with(&environment, &new).unwrap();
    group.set_attribute("disk_repair_time", "90m").unwrap();
    // A text that the metadata has no room for.
    let long = format!("{}3h", "0".repeat(300));
    assert!(group.set_attribute("disk_repair_time", &long).unwrap_err().is_ora(15238));
    assert!(group.set_attribute("compatible.asm", "12.1").unwrap_err().is_ora(15244));
    let expected = [
        pair("au_size", "1048576"),
        pair("cell.smart_scan_capable", "FALSE"),
        pair("compatible.asm", "19.0.0.0.0"),
        pair("compatible.rdbms", "12.1.0.0.0"),
        pair("disk_repair_time", "90m"),
    ];
    assert_eq!(group.attributes().unwrap(), expected);
    assert_eq!(again(&environment, group).attributes().unwrap(), expected);
}

/// A clock that is set by hand.
#[derive(Default, Debug)]
struct SetClock(AtomicU64);

impl Clock for SetClock {
    fn monotonic_us(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wall_us(&self) -> u64 {
        self.monotonic_us()
    }

    fn thread_cpu_us(&self) -> u64 {
        0
    }
}

/// Only the time counts for which the group is mounted; then the disk goes, if its data is elsewhere.
#[test]
fn a_disk_that_is_offline_for_too_long_is_dropped() {
    let clock = Arc::new(SetClock::default());
    let mut environment = environment();
    environment.clock = Arc::clone(&clock) as Arc<dyn Clock>;
    let group = create(&environment, Redundancy::Normal, 3);
    let file = group.create_file(KIND, "F", 3 * MB).unwrap();
    file.write_at(0, &[&[7; 1000]]).unwrap();
    drop(file);
    group.set_attribute("disk_repair_time", "10m").unwrap();
    let left = |group: &DiskGroup, disk: usize| group.statistics().disks[disk].repair_left_us.map(|us| us / 60_000_000);
    let minutes = |minutes: u64| clock.0.fetch_add(minutes * 60_000_000, Ordering::Relaxed);
    minutes(30);
    assert!(group.drop_unrepaired().unwrap().is_empty());
    group.offline("DATA_0001").unwrap();
    assert_eq!((left(&group, 0), left(&group, 1)), (None, Some(10)));
    minutes(4);
    assert_eq!(left(&group, 1), Some(6));
    group.dismount().unwrap();
    drop(group);
    minutes(600);
    let options = MountOptions::default();
    let group = DiskGroup::mount_with(&environment, "DATA", "/d/*", options).unwrap();
    assert_eq!(left(&group, 1), Some(6));
    minutes(5);
    assert!(group.drop_unrepaired().unwrap().is_empty());
    minutes(2);
    assert_eq!(group.drop_unrepaired().unwrap(), ["DATA_0001"]);
    assert_eq!(group.statistics().disks.len(), 2);
    assert_eq!(read(&group.open_number(256).unwrap(), 0, 1000), [7; 1000]);
    group.want_rebalance(1).unwrap();
    while group.rebalance_step().unwrap() == Step::Moved {}
    // Two failure groups are the least: this one stays, and is told once.
    group.offline("DATA_0002").unwrap();
    group.set_repair_time("DATA_0002", 60_000_000).unwrap();
    minutes(2);
    for _ in 0..2 {
        assert!(group.drop_unrepaired().unwrap().is_empty());
    }
    assert_eq!((left(&group, 1), group.statistics().disks[1].mode), (Some(0), DiskMode::Offline));
    group.online("DATA_0002", "/d/*").unwrap();
    assert_eq!(left(&group, 1), None);
}

/// A step of the model: names are of the parts a, b and c.
#[derive(Clone, Debug)]
enum Act {
    Request(NameRequest),
    Create(String),
    Delete(usize),
    Mount,
}

fn path() -> impl Strategy<Value = String> {
    proptest::collection::vec(0..3usize, 1..4).prop_map(|parts| {
        let parts: Vec<_> = parts.into_iter().map(|part| ["a", "B", "c"][part]).collect();
        format!("+DATA/{}", parts.join("/"))
    })
}

fn act() -> impl Strategy<Value = Act> {
    let requests = prop_oneof![
        6 => path().prop_map(NameRequest::AddDirectory),
        2 => (path(), any::<bool>()).prop_map(|(name, force)| NameRequest::DropDirectory { name, force }),
        3 => (path(), path()).prop_map(|(from, to)| NameRequest::RenameDirectory { from, to }),
        6 => (path(), 0..4u32).prop_map(|(alias, file)| NameRequest::AddAlias { alias, file: format!("+DATA.{}.{}", 256 + file, 1 + file) }),
        2 => path().prop_map(NameRequest::DropAlias),
        3 => (path(), path()).prop_map(|(from, to)| NameRequest::RenameAlias { from, to }),
    ];
    prop_oneof![
        20 => requests.prop_map(Act::Request),
        4 => path().prop_map(Act::Create),
        1 => (0..8usize).prop_map(Act::Delete),
        2 => Just(Act::Mount),
    ]
}

/// The names as a map, and what each request does to it.
#[derive(Default)]
struct Model(BTreeMap<String, Option<u32>>);

impl Model {
    fn key(name: &str) -> String {
        name["+DATA/".len()..].to_ascii_uppercase()
    }

    fn is_directory(&self, key: &str) -> bool {
        key.is_empty() || self.0.get(key) == Some(&None)
    }

    fn takes(&self, key: &str) -> bool {
        let directory = key.rsplit_once('/').map_or("", |(directory, _)| directory);
        self.is_directory(directory) && !self.0.contains_key(key)
    }

    fn beneath(&self, key: &str) -> Vec<String> {
        let prefix = format!("{key}/");
        self.0.keys().filter(|other| other.starts_with(&prefix)).cloned().collect()
    }

    fn rename(&mut self, from: &str, to: &str, directory: bool) -> bool {
        let (from, to) = (Self::key(from), Self::key(to));
        let there = self.0.get(&from).is_some_and(|file| file.is_none() == directory);
        let into_itself = to.starts_with(&format!("{from}/"));
        if !there || (from != to && (into_itself || !self.takes(&to))) {
            return false;
        }
        for key in self.beneath(&from).into_iter().chain([from.clone()]) {
            let file = self.0.remove(&key).unwrap();
            self.0.insert(format!("{to}{}", &key[from.len()..]), file);
        }
        true
    }

    /// False: the request is refused.
    fn request(&mut self, request: &NameRequest, files: &[(u32, u32)]) -> bool {
        match request {
            NameRequest::AddDirectory(name) => {
                let key = Self::key(name);
                let takes = self.takes(&key);
                if takes {
                    self.0.insert(key, None);
                }
                takes
            }
            NameRequest::DropDirectory { name, force } => {
                let key = Self::key(name);
                let beneath = self.beneath(&key);
                if key.is_empty() || !self.is_directory(&key) || (!beneath.is_empty() && !force) {
                    return false;
                }
                for key in beneath.iter().chain([&key]) {
                    self.0.remove(key);
                }
                true
            }
            NameRequest::RenameDirectory { from, to } => self.rename(from, to, true),
            NameRequest::RenameAlias { from, to } => self.rename(from, to, false),
            NameRequest::AddAlias { alias, file } => {
                let key = Self::key(alias);
                let file = files.iter().find(|(number, incarnation)| *file == format!("+DATA.{number}.{incarnation}"));
                let Some((number, _)) = file else { return false };
                if !self.takes(&key) || self.0.values().any(|file| *file == Some(*number)) {
                    return false;
                }
                self.0.insert(key, Some(*number));
                true
            }
            NameRequest::DropAlias(name) => {
                let key = Self::key(name);
                let there = self.0.get(&key).is_some_and(Option::is_some);
                if there {
                    self.0.remove(&key);
                }
                there
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn names_are_those_of_a_map(acts in proptest::collection::vec(act(), 1..80)) {
        let environment = environment();
        let mut group = create(&environment, Redundancy::External, 2);
        let mut model = Model::default();
        for act in acts {
            let files: Vec<(u32, u32)> =
                group.files().unwrap().iter().map(|file| (file.name.number, file.name.incarnation)).collect();
            match act {
                Act::Request(request) => {
                    let done = change(&group, request.clone());
                    prop_assert_eq!(model.request(&request, &files), done.is_ok(), "{:?}: {:?}", request, done);
                }
                Act::Create(name) if files.len() < 8 => {
                    let key = Model::key(&name);
                    let new = NewFile { alias: Some(&name), ..NewFile::new(KIND, "F", 1) };
                    let made = group.create_file_with(&new);
                    prop_assert_eq!(model.takes(&key), made.is_ok(), "{}: {:?}", name, made);
                    if let Ok(file) = made {
                        model.0.insert(key, Some(file.name().number));
                    }
                }
                Act::Create(_) => {}
                Act::Delete(file) => {
                    if let Some((number, incarnation)) = files.get(file) {
                        group.delete(&format!("+DATA.{number}.{incarnation}")).unwrap();
                        model.0.retain(|_, file| *file != Some(*number));
                    }
                }
                Act::Mount => group = again(&environment, group),
            }
            let found: Vec<String> = paths(&group).into_iter().filter(|path| !path.ends_with('*')).collect();
            let expected: Vec<String> = (model.0.iter())
                .map(|(key, file)| if file.is_none() { format!("{key}/") } else { key.clone() })
                .collect();
            prop_assert_eq!(found.iter().map(|path| path.to_ascii_uppercase()).collect::<Vec<_>>(), expected);
            for (key, file) in model.0.iter().filter_map(|(key, file)| Some((key, (*file)?))) {
                prop_assert_eq!(group.name_of(&format!("+DATA/{key}")).unwrap().number, file);
            }
        }
    }
}
