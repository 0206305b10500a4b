//! Rebalance: moving copies of extents until each file is spread over the disks in proportion to their sizes, disks
//! that are being dropped are empty, and copies that do not exist are made.
//!
//! A pass plans all moves, workers carry them out one by one, and the next pass finds whether anything is left; the
//! plan follows from the metadata, so a rebalance that a crash or a dismount has cut short goes on where it was. The
//! load on the disks has no part in it.
//!
//! When each disk has what it should, extents move to free units nearer to the beginning of their disks, which on a
//! rotating disk is its fast part: the pass COMPACT.
//!
//! A move locks the extent's region against writes, copies the extent from a good copy, makes that durable, and then
//! changes the metadata. Reads go on; the unit that was left is free when the last of them has ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::{Error, ErrorKind, Number, Result};

use crate::availability::{CopyFailure, JudgedExtent};
use crate::directory::{Change, Directory, DiskMode, FileEntry, Pointer, Region};
use crate::error;
use crate::group::{Group, GroupState};
use crate::header::{Header, MemberState};
use crate::judge::JudgedFile;
use crate::moves::Copied;

/// Threads of a rebalance at most, whatever its power.
const WORKERS_MAX: u16 = 64;
/// Time after which a worker that has nothing to do looks again; each look plans a pass.
const WAITING: Duration = Duration::from_millis(20);

/// A move that is planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Planned {
    pub(crate) file: u32,
    /// Of the file: its number may be another one's by then.
    incarnation: u32,
    /// Position in the file's pointers.
    pub(crate) position: usize,
    pub(crate) from: Pointer,
    pub(crate) to: u16,
    /// The copy cannot stay where it is.
    must: bool,
    /// It moves on its disk, to a place before this one.
    forward: bool,
}

/// State of the rebalance of a mounted group.
#[derive(Default, Debug)]
pub(crate) struct Rebalance {
    plan: VecDeque<Planned>,
    /// Moves that workers are carrying out.
    under_way: usize,
    /// Allocation units that this rebalance has moved, and those that were planned in all.
    moved: u64,
    work: u64,
    /// Moved when the pass that is under way was planned.
    moved_before: Option<u64>,
    /// When it began, microseconds of the monotonic clock.
    begun_us: u64,
    workers: u16,
    compacting: bool,
    error: Option<Error>,
}

/// A rebalance as V$ASM_OPERATION shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    pub power: u16,
    /// All disks have what they should, and extents move forward on them.
    pub compacting: bool,
    /// Moves that are being carried out at the same time.
    pub workers: u16,
    /// Allocation units moved, to be moved in all, and moved each minute.
    pub moved: u64,
    pub work: u64,
    pub units_each_minute: u64,
    /// Minutes that it will take; None when nothing has been moved yet.
    pub minutes: Option<u64>,
    /// It cannot go on.
    pub error: Option<Error>,
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It has carried out a move, or found that one is not needed any more.
    Moved,
    /// Others carry out the last moves of a pass, or units that were left are still read.
    Waiting,
    /// Nothing is left to do.
    Finished,
}

impl Group {
    /// Notes that a rebalance is to be done; power 0 stops one.
    pub(crate) fn want_rebalance(&self, power: u16) -> Result<()> {
        let mut state = self.state()?;
        let mut rebalance = self.rebalance.lock();
        // Workers of an earlier one may carry out their last moves.
        let Rebalance { under_way, workers, .. } = *rebalance;
        let begun_us = self.environment.clock.monotonic_us();
        *rebalance = Rebalance { begun_us, under_way, workers, ..Rebalance::default() };
        drop(rebalance);
        self.commit_in(&mut state, &Change::Rebalance { power: Some(power) })
    }

    /// The power of the rebalance that is to be done, if one is.
    pub(crate) fn wanted_rebalance(&self) -> Option<u16> {
        self.state().ok().and_then(|state| state.directory.rebalance)
    }

    pub(crate) fn operation(&self) -> Option<Operation> {
        let power = self.wanted_rebalance()?;
        let rebalance = self.rebalance.lock();
        let elapsed_us = self.environment.clock.monotonic_us().saturating_sub(rebalance.begun_us).max(1);
        let rate = rebalance.moved.saturating_mul(60_000_000) / elapsed_us;
        let left = rebalance.work.saturating_sub(rebalance.moved);
        Some(Operation {
            power,
            compacting: rebalance.compacting,
            workers: rebalance.workers,
            moved: rebalance.moved,
            work: rebalance.work,
            units_each_minute: rate,
            minutes: (rate > 0).then(|| left.div_ceil(rate)),
            error: rebalance.error.clone(),
        })
    }

    /// Carries a rebalance out, with as many workers as its power says. Returns when it is finished, was stopped, or
    /// `stopping` is set.
    ///
    /// # Errors
    /// ORA-15041 when there is no space for a copy that has to move; ORA-15080; HW-0070; ORA-15001.
    pub(crate) fn run_rebalance(&self, stopping: &AtomicBool) -> Result<()> {
        let work = || -> Result<()> {
            loop {
                if stopping.load(Ordering::Acquire) || self.wanted_rebalance().unwrap_or(0) == 0 {
                    return Ok(());
                }
                match self.rebalance_step()? {
                    Step::Moved => {}
                    Step::Waiting => std::thread::sleep(WAITING),
                    Step::Finished => return Ok(()),
                }
            }
        };
        let workers = self.wanted_rebalance().unwrap_or(0).min(WORKERS_MAX);
        self.rebalance.lock().workers = workers;
        let outcome = std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let mut outcome = work();
            for other in others {
                outcome = outcome.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            outcome
        });
        self.rebalance.lock().workers = 0;
        outcome
    }

    /// Carries out one move.
    ///
    /// # Errors
    /// As [`run_rebalance`](Self::run_rebalance); the operation keeps the error until a rebalance is wanted anew.
    pub(crate) fn rebalance_step(&self) -> Result<Step> {
        let step = self.try_step();
        if let Err(error) = &step {
            self.rebalance.lock().error.get_or_insert_with(|| error.clone());
        }
        step
    }

    fn try_step(&self) -> Result<Step> {
        let next = {
            let mut rebalance = self.rebalance.lock();
            if let Some(error) = &rebalance.error {
                return Err(error.clone());
            }
            let next = rebalance.plan.pop_front();
            rebalance.under_way += usize::from(next.is_some());
            if next.is_none() && rebalance.under_way > 0 {
                return Ok(Step::Waiting);
            }
            next
        };
        let Some(planned) = next else { return self.next_pass() };
        let moved = self.move_extent(&planned);
        let mut rebalance = self.rebalance.lock();
        rebalance.under_way -= 1;
        rebalance.moved += u64::from(moved?);
        Ok(Step::Moved)
    }

    /// Plans the next pass, or finishes the rebalance when there is nothing to plan.
    fn next_pass(&self) -> Result<Step> {
        let mut state = self.state()?;
        state.free_left();
        let mut rebalance = self.rebalance.lock();
        if !rebalance.plan.is_empty() || rebalance.under_way > 0 {
            return Ok(Step::Waiting);
        }
        let mut plan = plan(&state)?;
        if !plan.is_empty() && rebalance.moved_before == Some(rebalance.moved) {
            // A whole pass has moved nothing, as when free units are not in a row.
            if let Some(stuck) = plan.iter().find(|one| one.must) {
                return Err(no_place(&state.directory, stuck));
            }
            plan.clear();
        }
        if plan.is_empty() {
            drop(rebalance);
            // Disks that are empty leave first.
            if !self.finish_drops(&mut state)? {
                return Ok(Step::Waiting);
            }
            rebalance = self.rebalance.lock();
            let stuck = rebalance.compacting && rebalance.moved_before == Some(rebalance.moved);
            if !stuck {
                plan = plan_compact(&state);
                rebalance.compacting = true;
            }
        }
        rebalance.moved_before = Some(rebalance.moved);
        if plan.is_empty() {
            drop(rebalance);
            if state.directory.rebalance.is_some() {
                self.commit_in(&mut state, &Change::Rebalance { power: None })?;
            }
            return Ok(Step::Finished);
        }
        rebalance.work = rebalance.moved + plan.iter().map(|one| units_of(&state.directory, one)).sum::<u64>();
        rebalance.plan = in_turns(&state.directory, plan);
        Ok(Step::Moved)
    }

    /// Moves a copy of an extent. Returns the units that were moved: 0 when the plan is out of date.
    fn move_extent(&self, planned: &Planned) -> Result<u16> {
        let (regions, region) = {
            let mut state = self.state()?;
            let Some(file) = state.directory.files.get(&planned.file) else { return Ok(0) };
            let extent = (planned.position / file.copies()) as u64;
            let region = (extent / Region::extents(state.directory.au)) as u32;
            (state.regions_of(planned.file), region)
        };
        regions.lock(region);
        let moved = self.move_locked(planned);
        regions.unlock(region);
        moved
    }

    fn move_locked(&self, planned: &Planned) -> Result<u16> {
        let Some((copies, to, judged)) = self.begin_move(planned)? else { return Ok(0) };
        let Some(disk) = self.disk(to.disk()) else { return Ok(0) };
        let copied = self.copy_extent(&copies, to, &disk, Some(&judged)).and_then(|()| {
            let write = disk.written();
            disk.sync(write).map(|()| write).map_err(CopyFailure::Write)
        });
        let write = match copied {
            Ok(write) => write,
            Err(failure) => {
                self.release(&[to]);
                return match failure {
                    // The next pass does without the disk.
                    CopyFailure::Write(error) => self.take_offline(&disk, error).map(|()| 0).map_err(error::from_io),
                    CopyFailure::Read(error) => Err(error::from_io(error)),
                };
            }
        };
        self.enter_move(Copied { planned: *planned, to, write })
    }

    /// The copies of the extent and the new place of one of them; None when the plan is out of date.
    fn begin_move(&self, planned: &Planned) -> Result<Option<(Vec<Pointer>, Pointer, JudgedExtent)>> {
        let mut state = self.state()?;
        self.check_taking(&state)?;
        let Some(file) = state.directory.files.get(&planned.file) else { return Ok(None) };
        let takes = state.directory.disks.get(&planned.to).is_some_and(|disk| disk.takes_extents());
        if !planned.is_current(&state.directory) || !takes {
            return Ok(None);
        }
        let first = planned.position / file.copies() * file.copies();
        let copies = file.extents[first..first + file.copies()].to_vec();
        // An earlier move of the plan may not have happened, and have left another copy in this failure group.
        let group_of = |number: u16| state.directory.disks.get(&number).map(|disk| disk.failure_group.as_str());
        let others =
            copies.iter().enumerate().filter(|(copy, pointer)| first + copy != planned.position && !pointer.is_none());
        if others.into_iter().any(|(_, pointer)| group_of(pointer.disk()) == group_of(planned.to)) {
            return Ok(None);
        }
        let units = state.directory.shape(file).units_of((planned.position / file.copies()) as u64);
        let readable = copies.iter().any(|copy| state.directory.is_good(*copy));
        if !readable {
            return Ok(None);
        }
        let judged = JudgedExtent {
            file: JudgedFile { name: self.file_name(file), alias: self.alias_of(&state, file.number) },
            shape: state.directory.shape(file),
            extent: (planned.position / file.copies()) as u64,
        };
        match state.space.take_of(planned.to, units) {
            Some(to) if planned.forward && to.unit() > planned.from.unit() => {
                state.space.give_back(&[to]);
                Ok(None)
            }
            Some(to) => Ok(Some((copies, to, judged))),
            // Another file has taken the space meanwhile; the next pass looks for other places.
            None => Ok(None),
        }
    }

    /// Lets the disks that are being dropped and are empty leave the group. False when units of one are still in use:
    /// by reads, or by a file that grows.
    fn finish_drops(&self, state: &mut GroupState) -> Result<bool> {
        let used: BTreeSet<u16> = (state.directory.files.values())
            .flat_map(|file| file.extents.iter().filter(|pointer| !pointer.is_none()).map(|pointer| pointer.disk()))
            .collect();
        let going: Vec<_> = (state.directory.disks.values())
            .filter(|disk| disk.dropping && !used.contains(&disk.number))
            .map(|disk| disk.number)
            .collect();
        let mut all = true;
        for number in going {
            if state.space.used(number, state.reserved(number)) > 0 {
                all = false;
            } else {
                self.remove_disk(state, number)?;
            }
        }
        Ok(all)
    }

    /// Takes an empty disk out of the group. Its header is that of a former disk first: a mount that finds it so
    /// finishes this.
    pub(crate) fn remove_disk(&self, state: &mut GroupState, number: u16) -> Result<()> {
        let Some(entry) = state.directory.disks.get_mut(&number) else { return Ok(()) };
        let name = entry.name.clone();
        if entry.carrier {
            entry.carrier = false;
            state.metadata.remove_copies(number);
            self.restore_carriers(state)?;
            // Also when no other disk has become a carrier, the copy that is left must not be the newest.
            self.checkpoint_in(state)?;
        }
        let disk = self.disk(number);
        if let (Some(disk), Some(header)) = (&disk, state.headers.get(&number))
            && disk.mode() == DiskMode::Online
        {
            let former = Header { state: MemberState::Former, ..header.clone() };
            if let Err(error) = former.write(&*disk.device)
                && !self.mirrored()
            {
                return Err(disk.error("write", &error));
            }
        }
        self.commit_in(state, &Change::RemoveDisk { number })?;
        state.left.insert(number);
        state.headers.remove(&number);
        self.set_disk(number, None);
        Self::refresh_space(state);
        self.note(format!("disk \"{name}\" has left the group"));
        Ok(())
    }
}

impl Planned {
    /// The copy is still where the plan found it.
    pub(crate) fn is_current(&self, directory: &Directory) -> bool {
        directory.files.get(&self.file).is_some_and(|file| {
            file.incarnation == self.incarnation && file.extents.get(self.position) == Some(&self.from)
        })
    }
}

/// A copy has to move, and there is no place for it.
fn no_place(directory: &Directory, planned: &Planned) -> Error {
    let copies = directory.files.get(&planned.file).map_or(1, FileEntry::copies);
    let from = if planned.from.is_none() { "(none)".to_owned() } else { planned.from.disk().to_string() };
    let text = format!(
        "no space to move extent {} of file {} from disk {from} to another one that keeps its redundancy",
        planned.position / copies,
        planned.file,
    );
    Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text)
}

fn units_of(directory: &Directory, planned: &Planned) -> u64 {
    let file = directory.files.get(&planned.file);
    file.map_or(0, |file| directory.shape(file).units_of((planned.position / file.copies()) as u64).into())
}

/// The moves in an order in which those of a region are far apart: a region is locked by one move at a time.
fn in_turns(directory: &Directory, plan: Vec<Planned>) -> VecDeque<Planned> {
    let each = Region::extents(directory.au);
    let mut seen: BTreeMap<(u32, u64), u32> = BTreeMap::new();
    let mut ranked: Vec<(u32, Planned)> = (plan.into_iter())
        .map(|one| {
            let copies = directory.files.get(&one.file).map_or(1, FileEntry::copies);
            let seen = seen.entry((one.file, (one.position / copies) as u64 / each)).or_default();
            *seen += 1;
            (*seen, one)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, one)| one).collect()
}

/// A disk that copies can move to.
struct Target<'d> {
    number: u16,
    failure_group: &'d str,
    /// Share of the group's space.
    share: f64,
    /// Units that the plan so far leaves free.
    free: u64,
}

/// All moves of a pass.
///
/// # Errors
/// ORA-15041 when a copy has to move and there is no place for it.
fn plan(state: &GroupState) -> Result<Vec<Planned>> {
    let directory = &state.directory;
    let taking: Vec<_> = directory.disks.values().filter(|disk| disk.takes_extents()).collect();
    let space = |disk: &crate::directory::DiskEntry| f64::from(disk.units.saturating_sub(state.reserved(disk.number)));
    let all: f64 = taking.iter().map(|disk| space(disk)).sum();
    let mut targets: Vec<Target<'_>> = (taking.iter())
        .map(|disk| Target {
            number: disk.number,
            failure_group: &disk.failure_group,
            share: space(disk) / all.max(1.0),
            free: u64::from(state.space.free(disk.number)),
        })
        .collect();
    let mut planned = Vec::new();
    for file in directory.files.values() {
        let mut of_file = Vec::new();
        for kind in 0..file.copies().min(2) {
            plan_kind(state, file, kind, &mut targets, &mut of_file)?;
        }
        planned.append(&mut of_file);
    }
    Ok(planned)
}

/// Moves of the extents that lie behind the place where the units in use on their disk would end without gaps; the
/// last ones first.
fn plan_compact(state: &GroupState) -> Vec<Planned> {
    let directory = &state.directory;
    let mut ends: BTreeMap<u16, u32> = BTreeMap::new();
    for disk in directory.disks.values().filter(|disk| disk.takes_extents()) {
        let reserved = state.reserved(disk.number);
        ends.insert(disk.number, reserved + state.space.used(disk.number, reserved));
    }
    let mut planned = Vec::new();
    for file in directory.files.values() {
        for (position, from) in file.extents.iter().enumerate().filter(|(_, pointer)| !pointer.is_none()) {
            let end = ends.get(&from.disk()).copied().unwrap_or(u32::MAX);
            if from.unit().saturating_add(u32::from(from.units())) > end {
                let (file, incarnation, to) = (file.number, file.incarnation, from.disk());
                planned.push(Planned { file, incarnation, position, from: *from, to, must: false, forward: true });
            }
        }
    }
    planned.sort_by_key(|one| std::cmp::Reverse(one.from.unit()));
    planned
}

/// Plans the moves of a file's primary copies, or of its mirrors, after those that are planned for the file already.
fn plan_kind(
    state: &GroupState,
    file: &FileEntry,
    kind: usize,
    targets: &mut [Target<'_>],
    planned: &mut Vec<Planned>,
) -> Result<()> {
    let directory = &state.directory;
    let shape = directory.shape(file);
    let positions = || {
        let of_kind = move |position: &usize| (position % file.copies()).min(1) == kind;
        (0..file.extents.len()).filter(of_kind)
    };
    let moved: BTreeMap<usize, u16> = planned.iter().map(|one| (one.position, one.to)).collect();
    let mut counts: BTreeMap<u16, i64> = BTreeMap::new();
    for position in positions() {
        let pointer = file.extents[position];
        if !pointer.is_none() {
            *counts.entry(pointer.disk()).or_default() += 1;
        }
    }
    let quotas = quotas(positions().count(), targets, &counts);
    let group_of = |number: u16| directory.disks.get(&number).map_or("", |disk| disk.failure_group.as_str());
    let disk_at = |position: usize| {
        let pointer = file.extents[position];
        moved.get(&position).copied().or_else(|| (!pointer.is_none()).then(|| pointer.disk()))
    };
    for position in positions() {
        let from = file.extents[position];
        let first = position / file.copies() * file.copies();
        let units = u64::from(shape.units_of((position / file.copies()) as u64));
        let others: Vec<u16> =
            (first..first + file.copies()).filter(|other| *other != position).filter_map(disk_at).collect();
        let entry = directory.disks.get(&from.disk()).filter(|_| !from.is_none());
        if entry.is_some_and(|disk| disk.mode != DiskMode::Online && !disk.dropping) {
            // It comes back, or is dropped.
            continue;
        }
        // Of two copies in one failure group the later one moves.
        let earlier = (first..position).filter_map(disk_at);
        let together = !from.is_none() && earlier.into_iter().any(|other| group_of(other) == group_of(from.disk()));
        let must = from.is_none() || entry.is_none_or(|disk| disk.dropping) || together;
        let over = !from.is_none()
            && counts.get(&from.disk()).copied().unwrap_or(0) > quotas.get(&from.disk()).copied().unwrap_or(0);
        if !must && !over {
            continue;
        }
        let readable = (first..first + file.copies()).any(|copy| directory.is_good(file.extents[copy]));
        if !readable {
            continue;
        }
        let partners = others.first().map_or(&[][..], |other| state.space.partners(*other));
        let room = |target: &Target<'_>| {
            quotas.get(&target.number).copied().unwrap_or(0) - counts.get(&target.number).copied().unwrap_or(0)
        };
        let fits = |target: &&mut Target<'_>| {
            target.free >= units
                && target.number != from.disk()
                && others.iter().all(|other| group_of(*other) != target.failure_group)
                && (must || room(target) > 0)
        };
        let best = targets.iter_mut().filter(fits).max_by_key(|target| {
            (room(target) > 0, partners.contains(&target.number), room(target), std::cmp::Reverse(target.number))
        });
        let Some(best) = best else {
            // A copy that never was needs a failure group that may not be there.
            let elsewhere = |target: &Target<'_>| others.iter().all(|other| group_of(*other) != target.failure_group);
            if !must || (from.is_none() && !targets.iter().any(elsewhere)) {
                continue;
            }
            let (file, incarnation) = (file.number, file.incarnation);
            let planned = Planned { file, incarnation, position, from, to: 0, must, forward: false };
            return Err(no_place(directory, &planned));
        };
        best.free -= units;
        *counts.entry(best.number).or_default() += 1;
        if !from.is_none() {
            *counts.entry(from.disk()).or_default() -= 1;
        }
        let (file, incarnation) = (file.number, file.incarnation);
        planned.push(Planned { file, incarnation, position, from, to: best.number, must, forward: false });
    }
    Ok(())
}

/// How many of `count` copies each disk is to have. What does not divide goes to the disks that have more already.
fn quotas(count: usize, targets: &[Target<'_>], counts: &BTreeMap<u16, i64>) -> BTreeMap<u16, i64> {
    let exact = |target: &Target<'_>| target.share * count as f64;
    let mut quotas: BTreeMap<u16, i64> =
        targets.iter().map(|target| (target.number, exact(target).floor() as i64)).collect();
    let left = count as i64 - quotas.values().sum::<i64>();
    let mut order: Vec<_> = targets.iter().collect();
    order.sort_by(|a, b| {
        let over = |target: &Target<'_>| {
            counts.get(&target.number).copied().unwrap_or(0) > quotas.get(&target.number).copied().unwrap_or(0)
        };
        let part = |target: &Target<'_>| exact(target) - exact(target).floor();
        (over(b).cmp(&over(a))).then(part(b).total_cmp(&part(a))).then(b.free.cmp(&a.free))
    });
    for target in order.into_iter().take(left.max(0) as usize) {
        *quotas.entry(target.number).or_default() += 1;
    }
    quotas
}
