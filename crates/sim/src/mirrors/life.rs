//! One seed: the lives of a group.

use std::path::{Path, PathBuf};

use asm::{
    DiskGroup, DiskMode, Environment, FileKind, GroupFile, MountOptions, NewDisk, NewGroup, Redundancy, Step,
    make_disks,
};
use common::sync::{Arc, Mutex};
use common::{Error, Random, Seeded};
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem};

use super::model::{Between, FileModel, Files, SECTOR};
use super::whole;
use crate::clock::SimulatedClock;
use crate::disk::{FileFault, Image, Keep, Note, SimulatedFileSystem, Walk};

const MB: u64 = 1 << 20;
const PATTERN: &str = "/d/*";
const GROUP: &str = "DATA";
/// Sectors of a write at most.
const WRITE_SECTORS: u64 = 24;

/// What seeds have gone through.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub seeds: u64,
    pub lives: u64,
    pub steps: u64,
    /// Disks that failed, those of them that hung, disks that were gone after a crash, and that came back with old
    /// content.
    pub failed: u64,
    pub hung: u64,
    pub gone: u64,
    pub old: u64,
    /// Copies that were repaired, moves of extents, disks that left their group.
    pub repairs: u64,
    pub moves: u64,
    pub left: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.lives += other.lives;
        self.steps += other.steps;
        self.failed += other.failed;
        self.hung += other.hung;
        self.gone += other.gone;
        self.old += other.old;
        self.repairs += other.repairs;
        self.moves += other.moves;
        self.left += other.left;
    }
}

#[derive(Debug)]
struct SeededRandom(Mutex<Seeded>);

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        self.0.lock().draw()
    }
}

/// What a step leaves: the files, and whether a whole disk may be lost then.
#[derive(Clone)]
struct State {
    files: Files,
    /// All disks are online, and all extents have all their copies.
    whole: bool,
}

/// One life, up to its crash.
struct Life {
    files: SimulatedFileSystem,
    faulty: Arc<FaultyFileSystem>,
    environment: Environment,
    random: Seeded,
    group: Option<DiskGroup>,
    copies: usize,
    open: Vec<(String, GroupFile)>,
    model: Files,
    states: Vec<State>,
    next_write: u32,
    /// The states between which the crash before this life fell: its mount may be cut short by another one.
    born: Option<(State, State)>,
    /// The mount was one without a disk that is gone.
    forced: bool,
    tally: Tally,
}

type Outcome<T = ()> = Result<T, String>;

fn told(what: &str) -> impl Fn(Error) -> String + '_ {
    move |error| format!("{what}: {error}")
}

/// An error that says no: nothing has happened.
fn refusal(error: &Error) -> bool {
    [15041, 15066, 15067, 15072, 15084].iter().any(|number| error.is_ora(*number))
}

impl Life {
    fn new(files: SimulatedFileSystem, seed: u64, life: u64, copies: usize, model: Files, next_write: u32) -> Self {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(files.clone())));
        let mut environment = Environment::new(Arc::<FaultyFileSystem>::clone(&faulty));
        environment.clock = Arc::new(SimulatedClock::default());
        environment.random = Arc::new(SeededRandom(Mutex::new(Seeded::at(seed, 100 + life))));
        environment.dirty_regions = 3;
        let random = Seeded::at(seed, life);
        let states = Vec::new();
        Self {
            files,
            faulty,
            environment,
            random,
            group: None,
            copies,
            open: Vec::new(),
            model,
            states,
            next_write,
            born: None,
            forced: false,
            tally: Tally::default(),
        }
    }

    fn group(&self) -> Outcome<&DiskGroup> {
        self.group.as_ref().ok_or_else(|| "the group is not mounted".to_owned())
    }

    /// All disks online, all copies there.
    fn is_whole(&self) -> bool {
        self.group.as_ref().is_none_or(|group| whole::is_whole(group, self.copies))
    }

    fn note_state(&mut self) {
        let state = State { files: self.model.clone(), whole: self.is_whole() };
        self.states.push(state);
        self.files.note(Note::Acknowledged(self.states.len() - 1));
    }

    fn file(&mut self, at: usize) -> Outcome<Option<(String, GroupFile)>> {
        let names: Vec<String> = self.model.keys().cloned().collect();
        let Some(name) = names.get(at % names.len().max(1)).cloned() else { return Ok(None) };
        if let Some((_, file)) = self.open.iter().find(|(other, _)| *other == name) {
            return Ok(Some((name, file.clone())));
        }
        let file = self.group()?.open(&name).map_err(told("open"))?;
        self.open.push((name.clone(), file.clone()));
        Ok(Some((name, file)))
    }

    /// Sectors from a place on, within the file.
    fn place(&mut self, name: &str) -> Option<(u64, u64)> {
        let sectors = self.model.get(name)?.size / SECTOR;
        if sectors == 0 {
            return None;
        }
        let near_end = self.random.percent(30);
        let first = if near_end { MB / SECTOR * self.random.below(3) } else { self.random.below(sectors) };
        let first = first.saturating_sub(self.random.below(9)).min(sectors - 1);
        Some((first, (1 + self.random.below(WRITE_SECTORS)).min(sectors - first)))
    }

    /// A step. An error is a failure of the group.
    fn step(&mut self) -> Outcome {
        self.tally.steps += 1;
        let at = self.random.index(8);
        match self.random.below(100) {
            0..=6 => self.create(),
            7..=8 => self.delete(at),
            9..=14 => self.resize(at),
            15..=49 => self.write(at),
            50..=56 => {
                if let Some((name, file)) = self.file(at)? {
                    file.sync().map_err(|error| format!("sync of {name}: {error}"))?;
                    if let Some(model) = self.model.get_mut(&name) {
                        model.sync();
                    }
                }
                Ok(())
            }
            57..=74 => self.read(at),
            75..=78 => self.lose_a_disk(),
            79..=82 => self.bring_back(),
            83..=84 => self.spoil(),
            85..=86 => self.fail_once(),
            87..=88 => self.group()?.tidy().map_err(told("tidy")),
            89..=90 => self.add_disk(),
            91..=92 => self.drop_disk(),
            93..=96 => self.rebalance(),
            97 => self.group()?.undrop_disks().map_err(told("undrop")),
            _ => self.mount_again(),
        }
    }

    fn create(&mut self) -> Outcome {
        if self.model.len() > 4 {
            return Ok(());
        }
        let bytes = self.random.below(3) * MB + [0, SECTOR, 64 << 10, MB / 2][self.random.index(4)];
        match self.group()?.create_file(FileKind::DataFile, "F", bytes) {
            Ok(file) => {
                let name = file.name().to_string();
                self.model.insert(name.clone(), FileModel::new(bytes));
                self.open.push((name, file));
                Ok(())
            }
            Err(error) if error.is_ora(15041) => Ok(()),
            Err(error) => Err(format!("create: {error}")),
        }
    }

    fn delete(&mut self, at: usize) -> Outcome {
        let names: Vec<String> = self.model.keys().cloned().collect();
        let Some(name) = names.get(at).cloned() else { return Ok(()) };
        self.open.retain(|(other, _)| *other != name);
        self.group()?.delete(&name).map_err(told("delete"))?;
        self.model.remove(&name);
        Ok(())
    }

    fn resize(&mut self, at: usize) -> Outcome {
        let Some((name, file)) = self.file(at)? else { return Ok(()) };
        let bytes = (self.random.below(4) * MB + self.random.below(200) * SECTOR) / SECTOR * SECTOR;
        match file.set_size(bytes) {
            Ok(()) => {
                if let Some(model) = self.model.get_mut(&name) {
                    model.resize(bytes);
                }
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::StorageFull => Ok(()),
            Err(error) => Err(format!("resize of {name}: {error}")),
        }
    }

    fn write(&mut self, at: usize) -> Outcome {
        let Some((name, file)) = self.file(at)? else { return Ok(()) };
        let Some((first, count)) = self.place(&name) else { return Ok(()) };
        self.next_write += 1;
        let number = self.next_write;
        let bytes: Vec<u8> = number.to_le_bytes().repeat((count * SECTOR / 4) as usize);
        let durable = self.random.percent(40);
        let written = if durable {
            file.write_durable(first * SECTOR, &[&bytes])
        } else {
            file.write_at(first * SECTOR, &[&bytes])
        };
        written.map_err(|error| format!("write of {name}: {error}"))?;
        if let Some(model) = self.model.get_mut(&name) {
            model.write(first, count, number, durable);
        }
        Ok(())
    }

    fn read(&mut self, at: usize) -> Outcome {
        let Some((name, file)) = self.file(at)? else { return Ok(()) };
        let Some((first, count)) = self.place(&name) else { return Ok(()) };
        let bytes = (count * SECTOR) as usize;
        let found = if self.random.percent(50) {
            let mut buffer = vec![0xff; bytes];
            file.read_at(first * SECTOR, &mut [&mut buffer]).map(|()| buffer)
        } else {
            let pending = file.submit_read(first * SECTOR, vec![AlignedBuffer::zeroed(bytes)]);
            pending.and_then(|pending| pending.wait()).map(|buffers| buffers[0].to_vec())
        };
        let found = found.map_err(|error| format!("read of {name}: {error}"))?;
        let model = self.model.get(&name);
        for (sector, found) in (first..).zip(numbers(&found)?) {
            let expected = model.map_or(0, |model| model.now(sector));
            if found != expected {
                return Err(format!("{name}, sector {sector}: {found} is read, {expected} was written"));
            }
        }
        Ok(())
    }

    /// Whole, and without stale copies: a fault may strike.
    fn is_sound(&self) -> bool {
        self.group.as_ref().is_none_or(|group| whole::is_sound(group, self.copies))
    }

    fn pick_disk(&mut self) -> Option<(String, Option<PathBuf>)> {
        let disks = self.group.as_ref()?.statistics().disks;
        let at = self.random.index(disks.len().max(1));
        disks.into_iter().nth(at).map(|disk| (disk.name, disk.path))
    }

    /// All faults are over. What a disk that hung had not written reaches it now.
    fn heal(&self) {
        self.faulty.heal();
        self.files.heal();
    }

    /// A disk fails all its requests from now on, answers none of them, or is taken offline.
    fn lose_a_disk(&mut self) -> Outcome {
        let Some((name, path)) = self.pick_disk() else { return Ok(()) };
        if !self.is_sound() {
            return Ok(());
        }
        self.heal();
        self.tally.failed += 1;
        match path {
            Some(path) if self.random.percent(40) => {
                self.faulty.lose(&path);
                Ok(())
            }
            Some(path) if self.random.percent(40) => {
                self.tally.hung += u64::from(self.files.break_file(&path, FileFault::Hanging));
                Ok(())
            }
            _ => match self.group()?.offline(&name) {
                Err(error) if !refusal(&error) => Err(format!("offline: {error}")),
                _ => Ok(()),
            },
        }
    }

    /// All faults are over, and disks that are offline come back.
    fn bring_back(&mut self) -> Outcome {
        self.heal();
        let offline: Vec<String> = (self.group()?.statistics().disks.into_iter())
            .filter(|disk| disk.mode != DiskMode::Online)
            .map(|disk| disk.name)
            .collect();
        for name in offline {
            match self.group()?.online(&name, PATTERN) {
                Ok(()) => {}
                // A crash has taken it for good.
                Err(error) if error.is_ora(15042) => {}
                Err(error) => return Err(format!("online: {error}")),
            }
        }
        Ok(())
    }

    /// A copy of an extent can be read no more until it is written.
    fn spoil(&mut self) -> Outcome {
        if !self.is_sound() {
            return Ok(());
        }
        self.heal();
        let at = self.random.index(8);
        let Some((_, file)) = self.file(at)? else { return Ok(()) };
        let places = self.group()?.extents(file.name().number).map_err(told("extents"))?;
        let Some(place) = places.get(self.random.index(places.len().max(1))) else { return Ok(()) };
        let disks = self.group()?.statistics().disks;
        let path = disks.into_iter().find(|disk| disk.number == place.disk).and_then(|disk| disk.path);
        if let Some(path) = path {
            let from = place.offset + self.random.below(64) * 4096;
            self.faulty.make_unreadable(&path, from..from + 4096);
        }
        Ok(())
    }

    fn fail_once(&mut self) -> Outcome {
        if self.is_sound() {
            self.heal();
            let fault =
                [Fault::Read, Fault::Write, Fault::TornWrite { bytes: 1024 }, Fault::Sync][self.random.index(4)];
            let nth = 1 + self.random.below(6);
            self.faulty.fail(nth, fault);
        }
        Ok(())
    }

    fn add_disk(&mut self) -> Outcome {
        if !self.is_sound() || self.group()?.statistics().disks.len() > 6 {
            return Ok(());
        }
        self.heal();
        let name = format!("/d/s{:08x}_*", self.random.draw() as u32);
        let made = make_disks(&*self.faulty, &name, 1, 14 * MB).map_err(told("make"))?;
        let path = made.into_iter().next().unwrap_or_default();
        let disk = NewDisk { force: true, ..NewDisk::new(path) };
        match self.group()?.add_disks(&[disk]) {
            Err(error) if !refusal(&error) => Err(format!("add: {error}")),
            _ => Ok(()),
        }
    }

    fn drop_disk(&mut self) -> Outcome {
        let Some((mut name, _)) = self.pick_disk() else { return Ok(()) };
        let offline = self
            .group()?
            .statistics()
            .disks
            .into_iter()
            .find(|disk| disk.mode == DiskMode::Offline)
            .map(|disk| disk.name);
        let force = offline.is_some() && self.random.percent(70);
        if let Some(offline) = offline.filter(|_| force) {
            name = offline;
        }
        match self.group()?.drop_disks(&[name], force) {
            Ok(()) => {
                self.tally.left += u64::from(force);
                Ok(())
            }
            Err(error) if refusal(&error) => Ok(()),
            Err(error) => Err(format!("drop: {error}")),
        }
    }

    fn rebalance(&mut self) -> Outcome {
        let steps = 1 + self.random.below(12);
        self.group()?.want_rebalance(1).map_err(told("rebalance"))?;
        for _ in 0..steps {
            match self.group()?.rebalance_step() {
                Ok(Step::Finished) => break,
                Ok(_) => self.tally.moves += 1,
                Err(error) if refusal(&error) => break,
                Err(error) => return Err(format!("rebalance: {error}")),
            }
        }
        Ok(())
    }

    fn mount_again(&mut self) -> Outcome {
        if !self.is_sound() {
            return Ok(());
        }
        self.heal();
        self.open.clear();
        if let Some(group) = self.group.take() {
            group.dismount().map_err(told("dismount"))?;
        }
        self.group = Some(DiskGroup::mount(&self.environment, GROUP, PATTERN).map_err(told("mount"))?);
        Ok(())
    }

    /// The model as it may be after a step that has not returned.
    fn begin(&self) {
        self.files.note(Note::Begun(self.states.len()));
    }

    /// Reads all written sectors, and settles on what is found.
    fn settle(&mut self, between: &Between<'_>) -> Outcome {
        let mut random = Seeded::new(self.random.draw());
        let group = self.group()?;
        let infos = group.files().map_err(told("files"))?;
        let found: Vec<(String, u64)> = infos.iter().map(|file| (file.name.to_string(), file.bytes)).collect();
        between.allows_files(found.iter().map(|(name, size)| (name.as_str(), *size)))?;
        let mut settled = Files::new();
        for (name, size) in &found {
            let file = group.open(name).map_err(told("open"))?;
            let mut model = FileModel::new(*size);
            let written = [between.before, between.after].into_iter().filter_map(|files| files.get(name));
            let mut sectors: Vec<u64> =
                written.flat_map(FileModel::written).filter(|s| (s + 1) * SECTOR <= *size).collect();
            // And some that were never written.
            for _ in 0..4 {
                sectors.push(random.below((size / SECTOR).max(1)));
            }
            sectors.sort_unstable();
            sectors.dedup();
            for sector in sectors.into_iter().filter(|sector| (sector + 1) * SECTOR <= *size) {
                let mut bytes = vec![0xff; SECTOR as usize];
                file.read_at(sector * SECTOR, &mut [&mut bytes]).map_err(|error| format!("read of {name}: {error}"))?;
                let found = numbers(&bytes)?[0];
                between.allows(name, sector, found)?;
                model.settle(sector, found);
            }
            settled.insert(name.clone(), model);
        }
        self.model = settled;
        Ok(())
    }

    /// The copies of each extent on disks that are online are alike, as far as the file goes, and a check of the group
    /// finds nothing.
    fn check_copies(&self) -> Outcome {
        let group = self.group()?;
        let disks = group.statistics().disks;
        for file in group.files().map_err(told("files"))? {
            let mut last: Option<(u64, Vec<u8>)> = None;
            for place in group.extents(file.name.number).map_err(told("extents"))? {
                let disk = disks.iter().find(|disk| disk.number == place.disk && disk.mode == DiskMode::Online);
                let Some(path) = disk.and_then(|disk| disk.path.as_ref()) else { continue };
                let bytes = place.bytes.min(file.bytes.saturating_sub(place.file_offset)) as usize;
                let mut copy = vec![0; bytes];
                let device = self.files.open(path).map_err(|error| error.to_string())?;
                device.read_at(place.offset, &mut [&mut copy]).map_err(|error| error.to_string())?;
                match &last {
                    Some((offset, other)) if *offset == place.file_offset => {
                        if *other != copy {
                            return Err(format!("{}: the copies of the extent at {offset} differ", file.name));
                        }
                    }
                    _ => last = Some((place.file_offset, copy)),
                }
            }
        }
        let report = group.check(false).map_err(told("check"))?;
        let first = report.problems.first().map(|problem| format!("the check finds {}", problem.text));
        first.map_or(Ok(()), Err)
    }
}

/// The numbers of writes in these sectors.
fn numbers(bytes: &[u8]) -> Outcome<Vec<u32>> {
    let of_sector = |sector: &[u8]| {
        let mut words = sector.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let first = words.next().unwrap_or(0);
        if words.all(|word| word == first) { Ok(first) } else { Err("a sector with two contents".to_owned()) }
    };
    bytes.chunks(SECTOR as usize).map(of_sector).collect()
}

/// What a life leaves: the disks after its crash, and the states between which it fell.
struct Crash {
    image: Image,
    before: State,
    after: State,
    next_write: u32,
    /// It fell into a mount without a disk that is gone.
    forced: bool,
}

/// Runs a seed: so many lives of so many steps each.
///
/// # Errors
/// The first thing that was lost, failed or differed, in words.
pub fn run(seed: u64, lives: u64, steps: usize) -> Result<Tally, String> {
    let mut random = Seeded::at(seed, 99);
    let (redundancy, disks) = if seed.is_multiple_of(3) {
        (Redundancy::High, 3 + random.index(2))
    } else {
        (Redundancy::Normal, 2 + random.index(3))
    };
    let copies = usize::from(redundancy.copies());
    let mut tally = Tally { seeds: 1, ..Tally::default() };
    let files = SimulatedFileSystem::new();
    files.create_directory(Path::new("/d")).map_err(|error| error.to_string())?;
    let mut life = Life::new(files, seed, 0, copies, Files::new(), 0);
    let paths = make_disks(&*life.faulty, "/d/a*", disks as u16, 14 * MB).map_err(told("make"))?;
    let new = NewGroup {
        name: GROUP.to_owned(),
        redundancy,
        disks: paths.into_iter().map(NewDisk::new).collect(),
        ..NewGroup::default()
    };
    life.group = Some(DiskGroup::create_with(&life.environment, &new).map_err(told("create"))?);
    let mut base = life.files.image();
    let _ = life.files.take_operations();
    for number in 0..lives {
        let crash = live(&mut life, &base, steps, seed, number).map_err(|error| format!("life {number}: {error}"))?;
        tally.lives += 1;
        tally.add(&Tally { seeds: 0, ..life.tally });
        (life, base) = open(crash, &base, seed, number + 1, copies, &mut tally)
            .map_err(|error| format!("mount {}: {error}", number + 1))?;
    }
    life.check_copies()?;
    Ok(tally)
}

/// Lives until a crash.
fn live(life: &mut Life, base: &Image, steps: usize, seed: u64, number: u64) -> Outcome<Crash> {
    life.note_state();
    for _ in 0..steps {
        life.begin();
        life.step().map_err(|error| format!("step {}: {error}", life.tally.steps))?;
        if let Some(group) = &life.group {
            life.tally.repairs = life.tally.repairs.max(group.statistics().repairs);
        }
        life.note_state();
    }
    life.heal();
    life.check_copies()?;
    // Power is lost somewhere in what was done.
    let operations = life.files.take_operations();
    let mut random = Seeded::at(seed, 1000 + number);
    let at = random.index(operations.len().max(1));
    let mut walk = Walk::new(base.clone());
    let (mut acknowledged, mut begun) = (None, 0);
    for operation in &operations[..at] {
        match operation {
            crate::disk::Operation::Note(Note::Begun(state)) => begun = *state,
            crate::disk::Operation::Note(Note::Acknowledged(state)) => acknowledged = Some(*state),
            _ => {}
        }
        walk.pass(operation);
    }
    let keep = Keep::ALL[random.index(Keep::ALL.len())];
    let image = walk.crash(operations.get(at), keep, &mut random);
    let (before, after) = match (acknowledged, life.born.take()) {
        (Some(state), _) => (life.states[state].clone(), life.states[begun.max(state)].clone()),
        // Within the mount.
        (None, Some(born)) => born,
        (None, None) => (life.states[0].clone(), life.states[0].clone()),
    };
    life.open.clear();
    life.group = None;
    let forced = life.forced && acknowledged.is_none();
    Ok(Crash { image, before, after, next_write: life.next_write, forced })
}

/// Mounts what a crash has left, perhaps without a disk or with an old one.
fn open(
    crash: Crash,
    earlier: &Image,
    seed: u64,
    number: u64,
    copies: usize,
    tally: &mut Tally,
) -> Outcome<(Life, Image)> {
    let Crash { mut image, before, after, next_write, forced } = crash;
    let mut random = Seeded::at(seed, 2000 + number);
    let may_lose = before.whole && after.whole;
    let paths: Vec<PathBuf> = image.names().map(|(path, _)| path.to_owned()).collect();
    let (mut force, mut changed) = (forced, forced);
    if may_lose && !paths.is_empty() && random.percent(40) {
        let path = random.pick(&paths).cloned().unwrap_or_default();
        if random.percent(60) {
            image.remove(&path);
            (force, changed) = (true, true);
            tally.gone += 1;
        } else if number > 1 && image.replace(&path, earlier) {
            // As it was before the mount of the life that has ended.
            changed = true;
            tally.old += 1;
        }
    }
    let mut life = Life::new(SimulatedFileSystem::on(image.clone()), seed, number, copies, Files::new(), next_write);
    life.forced = force;
    let options = MountOptions { force, ..MountOptions::default() };
    let group = DiskGroup::mount_with(&life.environment, GROUP, PATTERN, options);
    life.group = Some(group.map_err(told("mount"))?);
    let between = Between { before: &before.files, after: &after.files };
    life.settle(&between)?;
    let whole = |state: &State| State { whole: state.whole && !changed, ..state.clone() };
    life.born = Some((whole(&before), whole(&after)));
    life.check_copies()?;
    // What was found is found again, in the next life too.
    let again = life.model.clone();
    life.settle(&Between { before: &again, after: &again })?;
    Ok((life, image))
}
