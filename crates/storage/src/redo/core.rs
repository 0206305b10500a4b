//! What sessions and writer threads share.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, Mutex};
use common::{Error, Result};
use device::FileSystem;
use waits::{Event, Meter};

use super::buffer::Buffer;
use super::files::Member;
use super::group::{LogGroupRecord, Lsn, Rba};
use super::group_commit::GroupCommit;
use super::instance::LogInstance;
use super::layout::HEADER;
use super::members::MemberWriters;
use super::sleeper::{self, Sleeper};
use crate::health::Health;
use crate::invariants::hold;

/// From this average time of a write on, more than one write is in flight. A write that takes less costs more in
/// processor time and in flushes of the device than another one beside it gains; what comes meanwhile is better written
/// together.
const OVERLAP_US: u64 = 500;
/// Writes over which their time is averaged, about.
const AVERAGED: u64 = 8;
/// Places that [`RedoLog::position`](super::RedoLog::position) knows are at least this many bytes of redo apart: a
/// megabyte of memory for a gigabyte.
const INDEX_BYTES: u64 = 16 << 10;

pub(super) struct Core {
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) directory: PathBuf,
    pub(super) database: u64,
    pub(super) instance: Arc<dyn LogInstance>,
    pub(super) health: Arc<Health>,
    /// The log writer's.
    pub(super) meter: Arc<Meter>,
    pub(super) buffer: Buffer,
    pub(super) members: MemberWriters,
    /// The most bytes of records in one write, if no single record has more.
    pub(super) write_bytes: u64,
    /// Unwritten bytes from which on the log writer is woken.
    pub(super) post_bytes: u64,
    /// The longest record that every log file can hold.
    pub(super) record_bytes: AtomicU64,
    /// Blocks of the current file that are kept for records that sessions have announced.
    pub(super) reserved_blocks: AtomicU64,
    pub(super) take: Mutex<Take>,
    pub(super) groups: Mutex<Groups>,
    index: Mutex<Index>,
    progress: Mutex<Progress>,
    /// Told at the end of each write when someone drains the log.
    written: Condvar,
    /// Threads at the writers' work.
    active: AtomicUsize,
    /// The average time of a write, times [`AVERAGED`].
    write_us: AtomicU64,
    pub(super) group_commit: GroupCommit,
    durable: AtomicU64,
    /// Somebody wants everything before this to be durable.
    pub(super) requested: AtomicU64,
    /// As `Take::taken`, to be looked at without the lock.
    pub(super) taken: AtomicU64,
    pub(super) sequence: AtomicU32,
    /// The sequence that is to be left; 0 for none.
    pub(super) leave: AtomicU32,
    /// The switch waits for a checkpoint.
    pub(super) blocked: AtomicBool,
    /// There is a group to switch to.
    pub(super) next_free: AtomicBool,
    pub(super) stop: AtomicBool,
    /// There are no writer threads, as under simulation.
    pub(super) inline: bool,
    /// A session is at the writers' work.
    pub(super) pumping: AtomicBool,
    idle: Mutex<()>,
    idlers: AtomicUsize,
    work: Condvar,
}

/// Where the next write goes. Its lock is held while records are taken out of the buffer, and for a whole switch.
#[derive(Debug)]
pub(super) struct Take {
    pub(super) group: u32,
    pub(super) sequence: u32,
    pub(super) next_block: u32,
    pub(super) blocks: u32,
    /// Everything before this is in a write that has begun.
    pub(super) taken: u64,
    /// Writes begun.
    pub(super) tickets: u64,
    pub(super) members: Arc<Vec<Member>>,
}

/// The groups as the control file has them, and members that could not be used when they were last tried.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) records: Vec<LogGroupRecord>,
    pub(super) invalid: Vec<String>,
}

/// Where redo is in the files.
#[derive(Debug)]
struct Index {
    places: VecDeque<(Lsn, Rba)>,
    next: (Lsn, Rba),
    /// What was told for which position: the control file may hold it, so what it names must stay.
    told: Vec<(Lsn, u32)>,
}

impl Index {
    /// # Errors
    /// ORA-00600 with what is not true of the places.
    fn check(&self) -> Result<()> {
        let (places, next) = (&self.places, self.next);
        let rise = |(one, other): (&(Lsn, Rba), &(Lsn, Rba))| one.0 <= other.0 && one.1 < other.1;
        invariant!(!places.is_empty(), "log: no place is known");
        invariant!(places.iter().zip(places.iter().skip(1)).all(rise), "log: places do not rise: {places:?}");
        invariant!(
            places.back().is_none_or(|last| last.0 <= next.0 && last.1 <= next.1),
            "log: the last place is behind the next write: {places:?}, {next:?}"
        );
        invariant!(
            self.told.iter().all(|(_, sequence)| *sequence <= next.1.sequence),
            "log: a place was told in a sequence to come: {:?}, {next:?}",
            self.told
        );
        Ok(())
    }
}

/// Which writes have returned.
#[derive(Debug, Default)]
struct Progress {
    /// All writes up to this one have returned.
    done: u64,
    /// Where the redo of this write ends.
    end: u64,
    /// Those behind a write that has not returned, and where the redo of each ends.
    early: BTreeMap<u64, u64>,
    failed: Option<Error>,
    /// Threads that wait until everything before a place is durable.
    sleepers: Vec<(u64, Arc<Sleeper>)>,
    /// Threads that wait for writes to end, whatever is durable then.
    drainers: usize,
}

impl Progress {
    /// # Errors
    /// ORA-00600 with what is not true of the writes that have returned.
    fn check(&self) -> Result<()> {
        let (done, end, early) = (self.done, self.end, &self.early);
        let ends = || std::iter::once(end).chain(early.values().copied());
        invariant!(
            early.first_key_value().is_none_or(|(ticket, _)| *ticket > done + 1),
            "log: write {} is not waited for: {early:?}",
            done + 1
        );
        invariant!(
            ends().zip(ends().skip(1)).all(|(one, other)| one < other),
            "log: later writes end earlier: {self:?}"
        );
        Ok(())
    }

    /// Notes that a write has returned. Where the redo ends whose writes have all returned, if that is news.
    fn returned(&mut self, ticket: u64, lsn: u64) -> Option<u64> {
        debug_assert!(ticket > self.done, "write {ticket} returns again: {self:?}");
        let before = self.early.insert(ticket, lsn);
        debug_assert!(before.is_none(), "write {ticket} returns again: {self:?}");
        let old = self.done;
        while let Some(lsn) = self.early.remove(&(self.done + 1)) {
            debug_assert!(lsn > self.end, "write {} ends at {lsn}: {self:?}", self.done + 1);
            (self.done, self.end) = (self.done + 1, lsn);
        }
        hold(|| self.check());
        (self.done > old).then_some(self.end)
    }

    /// Takes out the threads whose wait `durable` ends.
    fn awake(&mut self, durable: u64) -> Vec<Arc<Sleeper>> {
        self.sleepers.extract_if(.., |(lsn, _)| *lsn <= durable).map(|(_, sleeper)| sleeper).collect()
    }
}

/// The right to take redo out of the buffer and to write it. A thread that gives it back looks once more whether a
/// write is wanted: a thread that found no duty free meanwhile relies on that.
pub(super) struct Duty<'a>(&'a Core);

impl Drop for Duty<'_> {
    fn drop(&mut self) {
        // Nobody may wait in vain for a thread that panicked.
        if std::thread::panicking() {
            self.0.fail(&Error::bug("the log writer panicked"));
        }
        let before = self.0.active.fetch_sub(1, Ordering::SeqCst);
        debug_assert!((1..=super::WRITERS).contains(&before), "{before} threads had the duty");
        if self.0.stop.load(Ordering::SeqCst) {
            let _progress = self.0.progress.lock();
            self.0.written.notify_all();
        }
    }
}

impl Core {
    pub(super) fn new(
        files: Arc<dyn FileSystem>,
        directory: PathBuf,
        database: u64,
        instance: Arc<dyn LogInstance>,
        health: Arc<Health>,
        meter: Arc<Meter>,
        buffer_bytes: usize,
        lsn: u64,
        checkpoint: Rba,
    ) -> Self {
        let buffer = Buffer::new(buffer_bytes, lsn);
        let third = buffer.capacity() / 3;
        let inline = instance.inline();
        Self {
            files,
            directory,
            database,
            instance,
            health,
            meter,
            members: MemberWriters::default(),
            write_bytes: third.min(1 << 20),
            post_bytes: third.min(1 << 20),
            record_bytes: AtomicU64::new(0),
            reserved_blocks: AtomicU64::new(0),
            buffer,
            take: Mutex::new(Take {
                group: 0,
                sequence: 0,
                next_block: 0,
                blocks: 0,
                taken: lsn,
                tickets: 0,
                members: Arc::default(),
            }),
            groups: Mutex::default(),
            index: Mutex::new(Index {
                places: VecDeque::from([(Lsn(0), checkpoint)]),
                next: (Lsn(lsn), checkpoint),
                told: Vec::new(),
            }),
            progress: Mutex::new(Progress { end: lsn, ..Progress::default() }),
            written: Condvar::new(),
            active: AtomicUsize::new(0),
            write_us: AtomicU64::new(0),
            group_commit: GroupCommit::default(),
            durable: AtomicU64::new(lsn),
            requested: AtomicU64::new(lsn),
            taken: AtomicU64::new(lsn),
            sequence: AtomicU32::new(0),
            leave: AtomicU32::new(0),
            blocked: AtomicBool::new(false),
            next_free: AtomicBool::new(true),
            stop: AtomicBool::new(false),
            inline,
            pumping: AtomicBool::new(false),
            idle: Mutex::new(()),
            idlers: AtomicUsize::new(0),
            work: Condvar::new(),
        }
    }

    pub(super) fn durable(&self) -> u64 {
        self.durable.load(Ordering::SeqCst)
    }

    /// Asks that everything before `lsn` is written, and wakes a writer for it. One that is at work finds it by itself.
    pub(super) fn request(&self, lsn: u64) {
        if self.note_wanted(lsn) && self.active.load(Ordering::SeqCst) < self.in_flight_max() {
            self.wake_writer();
        }
    }

    /// Notes that everything before `lsn` is wanted; whether that is news.
    pub(super) fn note_wanted(&self, lsn: u64) -> bool {
        self.requested.fetch_max(lsn, Ordering::SeqCst) < lsn
    }

    /// How many writes may be in flight on a device as fast as this one.
    pub(super) fn in_flight_max(&self) -> usize {
        if self.average_write_us() < OVERLAP_US { 1 } else { super::WRITERS }
    }

    /// How long writes have taken of late.
    pub(super) fn average_write_us(&self) -> u64 {
        self.write_us.load(Ordering::Relaxed) / AVERAGED
    }

    /// A write took so long.
    pub(super) fn took(&self, micros: u64) {
        // Two at once may lose one of them: it is an average.
        let sum = self.write_us.load(Ordering::Relaxed);
        self.write_us.store(sum - sum / AVERAGED + micros, Ordering::Relaxed);
    }

    /// Lets the caller write, unless as many do so already as may, or the log has been stopped.
    pub(super) fn begin_duty(&self) -> Option<Duty<'_>> {
        let mut active = self.active.load(Ordering::SeqCst);
        loop {
            if active >= self.in_flight_max() {
                return None;
            }
            match self.active.compare_exchange(active, active + 1, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break,
                Err(now) => active = now,
            }
        }
        let duty = Duty(self);
        // A thread that stops the log waits for the duties that began before.
        (!self.stop.load(Ordering::SeqCst)).then_some(duty)
    }

    /// Whether somebody may begin to write.
    pub(super) fn has_duty(&self) -> bool {
        self.active.load(Ordering::SeqCst) < self.in_flight_max()
    }

    /// The log has been stopped: waits until nobody writes any more.
    pub(super) fn await_duties(&self) {
        let mut progress = self.progress.lock();
        while self.active.load(Ordering::SeqCst) > 0 {
            self.written.wait(&mut progress);
        }
    }

    /// Wakes one idle writer, if there is one; a busy one looks for work by itself. Without threads the caller does
    /// what there is to do.
    pub(super) fn wake_writer(&self) {
        if self.inline {
            super::log_writer::pump(self);
        }
        if self.idlers.load(Ordering::SeqCst) > 0 {
            let _idle = self.idle.lock();
            self.work.notify_one();
        }
    }

    pub(super) fn wake_all_writers(&self) {
        let _idle = self.idle.lock();
        self.work.notify_all();
    }

    /// Puts a writer to sleep until `ready`, or a while. Whether the time was over without anything to do. The sleep of
    /// the `first` writer is the log writer's idle wait.
    pub(super) fn idle(&self, most: Duration, first: bool, ready: impl Fn() -> bool) -> bool {
        if ready() {
            return false;
        }
        let sleep = || {
            let mut idle = self.idle.lock();
            self.idlers.fetch_add(1, Ordering::SeqCst);
            let late = !ready() && self.work.wait_for(&mut idle, most).timed_out();
            self.idlers.fetch_sub(1, Ordering::SeqCst);
            late && !ready()
        };
        let centiseconds = most.as_millis() as u64 / 10;
        if first { self.meter.wait(Event::RdbmsIpcMessage, [centiseconds, 0, 0], -1, sleep) } else { sleep() }
    }

    /// Waits until everything before `lsn`, which is in a write or will be, is durable. The caller is counted in
    /// `group_commit`, and no longer afterwards.
    pub(super) fn wait(&self, lsn: u64) -> Result<()> {
        let sleeper = {
            let mut progress = self.progress.lock();
            if self.durable() >= lsn {
                self.group_commit.end_wait();
                return Ok(());
            }
            if let Some(error) = &progress.failed {
                return Err(error.clone());
            }
            let sleeper = Sleeper::own();
            progress.sleepers.push((lsn, sleeper.clone()));
            sleeper
        };
        sleeper.sleep();
        if self.durable() >= lsn {
            return Ok(());
        }
        match &self.progress.lock().failed {
            Some(error) => Err(error.clone()),
            None => Err(Error::bug(format!("a session was woken before the redo up to {lsn} was durable"))),
        }
    }

    /// The write with this ticket, which held everything before `lsn` that earlier ones did not, is durable. Wakes
    /// those, and only those, whose redo is.
    pub(super) fn completed(&self, ticket: u64, lsn: u64) {
        let woken = {
            let mut progress = self.progress.lock();
            if let Some(end) = progress.returned(ticket, lsn)
                && progress.failed.is_none()
            {
                self.durable.store(end, Ordering::SeqCst);
            }
            if progress.drainers > 0 {
                self.written.notify_all();
            }
            let woken = progress.awake(self.durable());
            self.group_commit.served(woken.len());
            woken
        };
        sleeper::wake(woken);
    }

    /// Waits until the first `tickets` writes have returned.
    pub(super) fn drain(&self, tickets: u64) -> Result<()> {
        let mut progress = self.progress.lock();
        progress.drainers += 1;
        let result = loop {
            if let Some(error) = &progress.failed {
                break Err(error.clone());
            }
            if progress.done >= tickets {
                break Ok(());
            }
            self.written.wait(&mut progress);
        };
        debug_assert!(progress.drainers > 0, "a thread drains the log once");
        progress.drainers -= 1;
        result
    }

    /// Stops the instance, and ends all waits with the error. Nothing becomes durable any more.
    pub(super) fn fail(&self, error: &Error) -> Error {
        let error = self.health.stop(error);
        self.end(error.clone());
        error
    }

    /// The log is closed: waiting threads get `why`.
    pub(super) fn end(&self, why: Error) {
        let mut progress = self.progress.lock();
        progress.failed.get_or_insert(why);
        // First this: a thread that has seen the error must not be let in again.
        self.stop.store(true, Ordering::SeqCst);
        self.written.notify_all();
        let woken = progress.awake(u64::MAX);
        drop(progress);
        sleeper::wake(woken);
        self.buffer.wake();
        self.wake_all_writers();
    }

    /// # Errors
    /// What the log was stopped by.
    pub(super) fn check(&self) -> Result<()> {
        if !self.stop.load(Ordering::SeqCst) {
            return Ok(());
        }
        match &self.progress.lock().failed {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// A write of the redo from `lsn` on goes to `rba`; what follows it goes to `next`.
    pub(super) fn placed(&self, lsn: u64, rba: Rba, next_lsn: u64, next: Rba) {
        debug_assert!(lsn < next_lsn, "a write from {lsn} to {next_lsn}");
        debug_assert!(rba.sequence == next.sequence && rba.block < next.block, "a write from {rba:?} to {next:?}");
        let mut index = self.index.lock();
        debug_assert_eq!((Lsn(lsn), rba), index.next, "a write leaves a hole, in the redo or in the file");
        let far = match index.places.back() {
            Some((last, place)) => place.sequence != rba.sequence || lsn >= last.0 + INDEX_BYTES,
            None => true,
        };
        if far {
            index.places.push_back((Lsn(lsn), rba));
        }
        index.next = (Lsn(next_lsn), next);
    }

    /// The next write goes to the first block of this sequence.
    pub(super) fn begun(&self, sequence: u32) {
        let mut index = self.index.lock();
        debug_assert!(sequence > index.next.1.sequence, "sequence {sequence} begins after {:?}", index.next);
        index.next.1 = Rba { sequence, block: super::layout::FIRST_BLOCK, offset: HEADER as u16 };
    }

    pub(super) fn position(&self, lsn: Lsn) -> Rba {
        let mut index = self.index.lock();
        let rba = if lsn >= index.next.0 {
            index.next.1
        } else {
            let after = index.places.partition_point(|(start, _)| *start <= lsn);
            index.places[after.saturating_sub(1)].1
        };
        debug_assert!(rba <= index.next.1, "{lsn:?} is at {rba:?}, and the next write goes to {:?}", index.next);
        index.told.retain(|(told, _)| *told != lsn);
        index.told.push((lsn, rba.sequence));
        rba
    }

    /// Makes the end of what has gone to the log a place that a recovery can begin at; which that is.
    pub(super) fn place_end(&self) -> Lsn {
        let mut index = self.index.lock();
        let next = index.next;
        if index.places.back().is_none_or(|(last, _)| *last < next.0) {
            index.places.push_back(next);
        }
        debug_assert!(index.places.back().is_some_and(|last| last.0 == next.0), "the end of the redo is a place");
        next.0
    }

    /// The first redo that a recovery reads that begins at the [`Core::position`] of `lsn`: a position is where a write
    /// to the log began.
    pub(super) fn read_from(&self, lsn: Lsn) -> Lsn {
        let index = self.index.lock();
        if lsn >= index.next.0 {
            return index.next.0;
        }
        let after = index.places.partition_point(|(start, _)| *start <= lsn);
        index.places[after.saturating_sub(1)].0
    }

    /// The first sequence that is needed when redo before `lsn` is not; what is before it is forgotten.
    pub(super) fn needed_from(&self, lsn: Lsn) -> u32 {
        let now = self.position_now(lsn);
        let mut index = self.index.lock();
        let told = index.told.iter().find(|(told, _)| *told == lsn).map_or(now, |(_, sequence)| *sequence);
        index.told.retain(|(told, _)| *told >= lsn);
        let keep = index.places.partition_point(|(start, _)| *start <= lsn).saturating_sub(1);
        index.places.drain(..keep);
        if lsn >= index.next.0 {
            // A session that is about to change a block may yet name an earlier place. It is not to be led back into a
            // sequence that is given up here.
            let next = index.next;
            index.places.clear();
            index.places.push_back(next);
        }
        debug_assert!(told.min(now) <= index.next.1.sequence, "a sequence to come is needed from {lsn:?} on");
        told.min(now)
    }

    /// What is true of the writes and of the places in the files while no write is under way: for [`RedoLog`].
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    ///
    /// [`RedoLog`]: super::RedoLog
    pub(super) fn check_invariants(&self) -> Result<()> {
        let take = self.take.lock();
        {
            let progress = self.progress.lock();
            progress.check()?;
            let (done, begun, durable) = (progress.done, take.tickets, self.durable());
            invariant!(done <= begun, "log: {done} writes have returned, {begun} have begun");
            invariant!(durable <= progress.end, "log: durable to {durable}, written to {}", progress.end);
            invariant!(progress.drainers == 0, "log: {} threads wait for writes to end", progress.drainers);
            let served = progress.sleepers.iter().find(|(lsn, _)| *lsn <= durable).map(|(lsn, _)| *lsn);
            invariant!(served.is_none(), "log: a thread sleeps until {served:?} is durable; {durable} is");
        }
        {
            let index = self.index.lock();
            index.check()?;
            let (lsn, rba) = index.next;
            invariant!(lsn.0 == take.taken, "log: redo is taken to {}, the next write begins at {lsn:?}", take.taken);
            invariant!(
                (rba.sequence, rba.block) == (take.sequence, take.next_block),
                "log: the next write goes to {rba:?} or to {take:?}"
            );
        }
        let (taken, sequence) = (self.taken.load(Ordering::SeqCst), self.sequence.load(Ordering::SeqCst));
        invariant!(taken == take.taken, "log: redo is said to be taken to {taken}: {take:?}");
        invariant!(sequence == take.sequence, "log: sequence {sequence} is said to be written: {take:?}");
        invariant!(
            (super::FIRST_BLOCK..=take.blocks).contains(&take.next_block),
            "log: the next write goes outside of the file: {take:?}"
        );
        self.buffer.check_invariants(u64::from(take.blocks - take.next_block))
    }

    fn position_now(&self, lsn: Lsn) -> u32 {
        let index = self.index.lock();
        if lsn >= index.next.0 {
            return index.next.1.sequence;
        }
        let after = index.places.partition_point(|(start, _)| *start <= lsn);
        index.places[after.saturating_sub(1)].1.sequence
    }
}
