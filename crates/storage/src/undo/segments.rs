//! The undo segments of an instance, and the choice of one for a transaction.

use std::collections::BTreeMap;
use std::fmt;

use common::sync::atomic::{AtomicUsize, Ordering};
use common::sync::{Arc, Mutex, MutexGuard, RwLock};
use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, Result, Scn, TablespaceNumber, Uba, Xid};
use format::block::{self, BlockType};
use format::{file, undo};
use waits::{Enqueue, LatchName, Statistic};

use super::FIRST_SEGMENTS;
use super::extents::make_segment;
use super::figures::{Intervals, Live, SegmentFigures, TransactionFigures, UndoInterval};
use super::rollbacks::Rollbacks;
use super::segment::{UndoSegment, extent_of, name_of};
use super::writer::UndoWriter;
use crate::cache::latches_any;
use crate::control::TablespaceKind;
use crate::parameters::Parameter;
use crate::process::Process;
use crate::process::metadata;
use crate::tablespace::{Tablespace, Tablespaces};

/// Most undo segments of one tablespace; beyond that transactions share them.
const SEGMENTS_MAX: usize = 1_000;
/// Key of the control file for the highest number of an undo segment of a dropped tablespace. Numbers are not used
/// twice, because blocks may still name transactions of the old segment.
const HIGHEST_KEY: &str = "undo.highest_segment";

/// A transaction that was active when the instance was started.
struct Unfinished {
    last: Uba,
    extents: Vec<BlockAddress>,
}

#[derive(Default)]
struct Gone {
    /// SCN at the start of the instance.
    before: Scn,
    /// SCN of the drop, by number, of segments dropped since.
    since: BTreeMap<u16, Scn>,
}

/// All undo segments.
pub struct UndoSegments {
    tablespaces: Arc<Tablespaces>,
    all: RwLock<Vec<Arc<UndoSegment>>>,
    /// Held while extents change hands, and while a segment is made.
    space: Mutex<()>,
    /// Held while a transaction is bound to a segment.
    binding: Mutex<()>,
    /// Place at which the search for an unused segment starts.
    next: AtomicUsize,
    unfinished: Mutex<BTreeMap<Xid, Unfinished>>,
    live: Mutex<BTreeMap<Xid, Arc<Live>>>,
    intervals: Mutex<Intervals>,
    /// SCNs at which dropped segments went. By then all changes of their transactions had been committed.
    gone: RwLock<Gone>,
    pub(super) rollbacks: Rollbacks,
}

impl fmt::Debug for UndoSegments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndoSegments").field("segments", &self.all.read().len()).finish_non_exhaustive()
    }
}

impl UndoSegments {
    pub fn new(now_us: u64, tablespaces: Arc<Tablespaces>) -> Self {
        Self {
            tablespaces,
            all: RwLock::default(),
            space: Mutex::default(),
            binding: Mutex::default(),
            next: AtomicUsize::new(0),
            unfinished: Mutex::default(),
            live: Mutex::default(),
            intervals: Mutex::new(Intervals::new(now_us)),
            gone: RwLock::default(),
            rollbacks: Rollbacks::default(),
        }
    }

    pub fn tablespaces(&self) -> &Arc<Tablespaces> {
        &self.tablespaces
    }

    /// Makes the first segments of an empty undo tablespace.
    ///
    /// # Errors
    /// ORA-30036 when they have no room; errors of the cache.
    pub fn create(&self, s: &Process, tablespace: &Arc<Tablespace>) -> Result<()> {
        for _ in 0..FIRST_SEGMENTS {
            self.add_segment(s, tablespace)?;
        }
        Ok(())
    }

    fn add_segment(&self, s: &Process, tablespace: &Arc<Tablespace>) -> Result<Arc<UndoSegment>> {
        let _space = self.space(s, 0);
        let (number, last) = {
            let dropped = s.store().control().data().bootstrap.get(HIGHEST_KEY).and_then(|n| n.parse().ok());
            let all = self.all.read();
            let highest = all.iter().map(|segment| segment.number).max().max(dropped).unwrap_or(0);
            let last = all.iter().rfind(|segment| segment.tablespace.number() == tablespace.number());
            (highest.checked_add(1), last.map(|segment| segment.header))
        };
        let number = number.ok_or_else(|| {
            Error::new(ErrorKind::OutOfResource, Number::Ora(1554), "no number is left for another undo segment")
        })?;
        // The segment gets its extents and is linked in one record.
        let segment = Arc::new(s.mini(|| make_segment(s, tablespace, number, last))?);
        if last.is_none() && Some(segment.header) != first_header(tablespace) {
            return Err(Error::bug("the first undo segment is not at the start of its tablespace"));
        }
        {
            let mut all = self.all.write();
            debug_assert!(all.iter().all(|other| other.number < number), "undo segment {number} has been there");
            all.push(segment.clone());
        }
        Ok(segment)
    }

    /// Finds the segments of all undo tablespaces, and the transactions that were active when the instance ended.
    ///
    /// # Errors
    /// ORA-01578 for a damaged header or undo block; errors of the cache.
    pub fn load(&self, s: &Process) -> Result<()> {
        self.gone.write().before = s.store().visible_scn();
        for tablespace in self.tablespaces.all() {
            if tablespace.kind() != TablespaceKind::Undo {
                continue;
            }
            let mut next = first_header(&tablespace);
            let mut own = 0;
            while let Some(address) = next {
                let header = s.current(address, BlockClass::UndoHeader)?;
                if block::kind(&header) == Some(BlockType::Unformatted) {
                    // The instance ended while it made the tablespace or linked the segment.
                    break;
                }
                drop(header);
                let header = metadata::current(s, address, BlockClass::UndoHeader)?;
                let fields = *undo::header(&header);
                let known = self.segment(fields.segment.get()).is_some();
                if known || fields.tablespace.get() != tablespace.number().0 {
                    return Err(Error::corrupt(address, "the chain of undo segments runs in a circle"));
                }
                let segment = Arc::new(UndoSegment::new(fields.segment.get(), address, tablespace.clone()));
                let slots = (0..fields.slots.get()).map(|n| (n, *undo::slot(&header, n)));
                let active: Vec<_> = slots.filter(|(_, slot)| slot.is_active()).collect();
                let bytes = header.to_vec();
                drop(header);
                for (number, slot) in active {
                    let xid = slot.xid(segment.number, number);
                    let unfinished = find_unfinished(s, &bytes, xid, &slot)?;
                    unfinished.extents.iter().for_each(|extent| segment.uses(*extent, true));
                    segment.transactions.fetch_add(1, Ordering::AcqRel);
                    let live = Live::new(0, u64::from(slot.begun_s.get()) * 1_000_000, s.store().scn());
                    live.note(Uba::NONE, unfinished.last, slot.used_blocks.get(), slot.used_records.get());
                    self.live(s).insert(xid, Arc::new(live));
                    self.rollback_waits(xid, slot.used_blocks.get());
                    self.unfinished.lock().insert(xid, unfinished);
                }
                own += 1;
                let needed = own <= FIRST_SEGMENTS || segment.transactions.load(Ordering::Acquire) > 0;
                segment.online.store(needed, Ordering::Release);
                segment.counts.most_blocks.store(fields.blocks.get(), Ordering::Relaxed);
                self.all.write().push(segment);
                next = Some(fields.next_header()).filter(|next| !next.is_none());
            }
        }
        Ok(())
    }

    /// Transactions that were active when the instance was started and have not ended yet, each with its newest record
    /// that is not undone.
    #[must_use]
    pub fn active(&self) -> Vec<(Xid, Uba)> {
        let live = self.live.lock();
        let last = |xid: &Xid, unfinished: &Unfinished| live.get(xid).map_or(unfinished.last, |live| live.last());
        self.unfinished.lock().iter().map(|(xid, unfinished)| (*xid, last(xid, unfinished))).collect()
    }

    /// Begins a transaction: binds it to a segment and takes a slot there.
    ///
    /// # Errors
    /// ORA-30012 when there is no undo tablespace, ORA-01554 when every slot of every segment is taken; errors of the
    /// cache.
    pub fn begin(self: &Arc<Self>, s: &Process) -> Result<UndoWriter> {
        let bound = self.bind(s)?;
        let tablespace = bound.tablespace.number();
        if let Some(writer) = self.begin_in(s, &bound)? {
            return Ok(writer);
        }
        let others = self.by_use(tablespace);
        for segment in &others {
            if self.bind_to(s, segment)
                && let Some(writer) = self.begin_in(s, segment)?
            {
                return Ok(writer);
            }
        }
        Err(Error::new(
            ErrorKind::OutOfResource,
            Number::Ora(1554),
            format!("out of transaction slots in all of {} undo segments", others.len()),
        ))
    }

    /// Takes a slot in the segment to which the transaction is bound. When it has none, the binding ends.
    fn begin_in(self: &Arc<Self>, s: &Process, segment: &Arc<UndoSegment>) -> Result<Option<UndoWriter>> {
        let begun = segment.begin(s);
        let Ok(Some((xid, taken))) = begun else {
            segment.transactions.fetch_sub(1, Ordering::AcqRel);
            return begun.map(|_| None);
        };
        debug_assert_eq!(xid.segment, segment.number, "a transaction is of its segment");
        debug_assert!(segment.is_online(), "{segment:?}: a transaction begins in a segment that is offline");
        let live = Arc::new(Live::new(s.sid(), s.meter().clock().wall_us(), s.store().scn()));
        let active = {
            let mut all = self.live(s);
            let before = all.insert(xid, live.clone());
            debug_assert!(before.is_none(), "transaction {xid} is under way already");
            all.len() as u64
        };
        let took = u64::from(taken.is_some_and(|taken| taken.owned));
        self.count(s, |interval| {
            interval.transactions += 1;
            interval.undo_blocks += took;
            interval.max_concurrency = interval.max_concurrency.max(active);
        });
        Ok(Some(UndoWriter::begun(self.clone(), segment.clone(), xid, taken, live)))
    }

    /// Takes over a transaction of [`UndoSegments::active`], to roll it back; again after an attempt that has failed.
    ///
    /// # Errors
    /// ORA-00600 when there is no such transaction; errors of the cache.
    pub fn resume(self: &Arc<Self>, s: &Process, xid: Xid) -> Result<UndoWriter> {
        let bug = || Error::bug(format!("transaction {xid} is not there to be resumed"));
        let segment = self.segment(xid.segment).ok_or_else(bug)?;
        let live = self.live(s).get(&xid).cloned().ok_or_else(bug)?;
        let extents = self.unfinished.lock().get(&xid).map(|unfinished| unfinished.extents.clone()).ok_or_else(bug)?;
        let last = live.last();
        UndoWriter::resumed(self.clone(), s, segment, xid, last, extents, live)
    }

    /// Binds a transaction to an unused segment of the undo tablespace, or to a new one; to the least used when there
    /// can be no more. The segment counts the transaction already.
    fn bind(&self, s: &Process) -> Result<Arc<UndoSegment>> {
        let name = s.store().parameters().text(Parameter::UndoTablespace).to_uppercase();
        let none = || Error::user(30012, format!("undo tablespace '{name}' does not exist or is not one"));
        let tablespace = self.tablespaces.named(&name).map_err(|_| none())?;
        let (chosen, before, count) = {
            let _binding = self.binding(s);
            let all = self.all.read();
            let own = || all.iter().filter(|segment| segment.tablespace.number() == tablespace.number());
            let online = || own().filter(|segment| segment.is_online());
            let turn = self.next.fetch_add(1, Ordering::Relaxed) % online().count().max(1);
            let in_turn = online().skip(turn).chain(online().take(turn));
            let in_use = |segment: &UndoSegment| segment.transactions.load(Ordering::Acquire);
            let mut chosen = in_turn.min_by_key(|segment| in_use(segment)).ok_or_else(none)?;
            if in_use(chosen) > 0
                && let Some(offline) = own().find(|segment| !segment.is_online())
            {
                offline.online.store(true, Ordering::Release);
                chosen = offline;
            }
            (chosen.clone(), chosen.transactions.fetch_add(1, Ordering::AcqRel), own().count())
        };
        let sessions = s.store().parameters().unsigned(Parameter::Sessions) as usize;
        if before == 0 || count >= sessions.min(SEGMENTS_MAX) {
            return Ok(chosen);
        }
        let added = self.add_segment(s, &tablespace);
        if let Err(error) = &added
            && error.kind == ErrorKind::OutOfResource
        {
            // No room for another segment: transactions share this one.
            return Ok(chosen);
        }
        // The binding to the one keeps the tablespace until there is the binding to the other.
        let bound = added.and_then(|added| {
            let bound = self.bind_to(s, &added);
            bound.then_some(added).ok_or_else(|| Error::bug("an undo tablespace was dropped while it was in use"))
        });
        chosen.transactions.fetch_sub(1, Ordering::AcqRel);
        bound
    }

    /// Binds a transaction to a certain segment. False: the segment has gone with its tablespace.
    fn bind_to(&self, s: &Process, segment: &Arc<UndoSegment>) -> bool {
        let _binding = self.binding(s);
        let there = self.all.read().iter().any(|other| Arc::ptr_eq(other, segment));
        if there {
            // Nobody may have been bound to it when it was looked at last.
            segment.online.store(true, Ordering::Release);
            segment.transactions.fetch_add(1, Ordering::AcqRel);
        }
        there
    }

    /// Segments of a tablespace: first those offline, then by use, the least used first.
    pub(super) fn by_use(&self, tablespace: TablespaceNumber) -> Vec<Arc<UndoSegment>> {
        let mut own: Vec<_> =
            self.all.read().iter().filter(|segment| segment.tablespace.number() == tablespace).cloned().collect();
        own.sort_by_key(|segment| (segment.is_online(), segment.transactions.load(Ordering::Acquire)));
        own
    }

    pub(super) fn all(&self) -> Vec<Arc<UndoSegment>> {
        self.all.read().clone()
    }

    pub fn segment(&self, number: u16) -> Option<Arc<UndoSegment>> {
        self.all.read().iter().find(|segment| segment.number == number).cloned()
    }

    /// Takes the right to give extents to segments. A wait for it is a wait event.
    pub fn space(&self, s: &Process, segment: u16) -> MutexGuard<'_, ()> {
        debug_assert!(!latches_any(), "the holder of the right may be waiting for a block that is latched here");
        let at = [u64::from(segment), 0];
        let (try_take, take) = (|| self.space.try_lock(), || self.space.lock());
        s.meter().take_enqueue(Enqueue::UsContention, 6, at, -1, try_take, take)
    }

    /// True: new transactions go to the tablespace, or transactions are active in it.
    pub fn in_use(&self, s: &Process, tablespace: TablespaceNumber) -> bool {
        let name = s.store().parameters().text(Parameter::UndoTablespace).to_uppercase();
        self.tablespaces.named(&name).is_ok_and(|current| current.number() == tablespace)
            || self.by_use(tablespace).iter().any(|segment| segment.transactions.load(Ordering::Acquire) > 0)
    }

    /// Takes the segments of a tablespace offline that is about to be dropped.
    ///
    /// # Errors
    /// ORA-30013 when transactions are active in it; errors of the control file.
    pub fn forget(&self, s: &Process, tablespace: TablespaceNumber) -> Result<()> {
        let _binding = self.binding(s);
        let own = self.by_use(tablespace);
        if own.iter().any(|segment| segment.transactions.load(Ordering::Acquire) > 0) {
            return Err(Error::user(30013, "the undo tablespace is currently in use"));
        }
        if let Some(highest) = self.all.read().iter().map(|segment| segment.number).max() {
            s.store().control().update(|data| {
                let known = data.bootstrap.get(HIGHEST_KEY).and_then(|n| n.parse().ok()).unwrap_or(0);
                data.bootstrap.insert(HIGHEST_KEY.to_owned(), highest.max(known).to_string());
            })?;
        }
        {
            // A transaction that has given up its slot may still be committing.
            let _committing = s.store().committing(s.meter());
            let (mut gone, now) = (self.gone.write(), s.store().visible_scn());
            gone.since.extend(own.iter().map(|segment| (segment.number, now)));
        }
        debug_assert!(
            own.iter().all(|segment| segment.uses.lock().is_empty()),
            "undo of a transaction under way is dropped"
        );
        s.meter().count(Statistic::TotalNumberOfUndoSegmentsDropped, own.len() as u64);
        self.all.write().retain(|segment| segment.tablespace.number() != tablespace);
        Ok(())
    }

    /// SCN by which all transactions of a dropped segment had ended. A transaction that begins after the drop sees this
    /// SCN.
    pub(super) fn gone(&self, segment: u16) -> Scn {
        let gone = self.gone.read();
        gone.since.get(&segment).copied().unwrap_or(gone.before)
    }

    fn live(&self, s: &Process) -> MutexGuard<'_, BTreeMap<Xid, Arc<Live>>> {
        s.meter().latch(LatchName::UndoGlobalData, &self.live)
    }

    pub(super) fn ended(&self, s: &Process, xid: Xid) {
        let live = self.live(s).remove(&xid);
        debug_assert!(live.is_some(), "transaction {xid} ends again");
        self.unfinished.lock().remove(&xid);
    }

    pub(super) fn count<R>(&self, s: &Process, count: impl FnOnce(&mut UndoInterval) -> R) -> R {
        let active = self.live(s).len() as u64;
        count(s.meter().latch(LatchName::UndoGlobalData, &self.intervals).at(s.meter().clock().wall_us(), active))
    }

    /// The most undo blocks of an interval; None until an interval has ended.
    pub(super) fn highest_rate(&self) -> Option<u64> {
        self.intervals.lock().highest_rate()
    }

    /// Keeps transactions from being bound to a segment while the guard lives.
    pub(super) fn binding(&self, s: &Process) -> MutexGuard<'_, ()> {
        s.meter().latch(LatchName::UndoGlobalData, &self.binding)
    }

    pub(super) fn count_too_old(&self, s: &Process) {
        self.count(s, |interval| interval.too_old_errors += 1);
    }

    /// V$UNDOSTAT: intervals of ten minutes, newest first; the present one has not ended. Sampled figures are from the
    /// last [`UndoSegments::sample`].
    #[must_use]
    pub fn intervals(&self, s: &Process) -> Vec<UndoInterval> {
        self.count(s, |_| {});
        self.intervals.lock().rows()
    }

    /// Checks the invariants of undo while no process is at work: each transaction is bound to a segment, and the
    /// transactions that a crash has left are among them.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(crate) fn check_invariants(&self) -> Result<()> {
        let (live, unfinished, all) = (self.live.lock(), self.unfinished.lock(), self.all.read());
        for (at, segment) in all.iter().enumerate() {
            invariant!(
                all[..at].iter().all(|other| other.number != segment.number && other.header != segment.header),
                "{segment:?} is there twice"
            );
            invariant!(
                segment.tablespace.kind() == TablespaceKind::Undo,
                "{segment:?} is in tablespace {}, which is not for undo",
                segment.tablespace.name()
            );
            let bound = segment.transactions.load(Ordering::Acquire) as usize;
            let under_way = live.keys().filter(|xid| xid.segment == segment.number).count();
            invariant!(
                bound == under_way,
                "{segment:?}: {bound} transactions are bound to it, {under_way} are under way"
            );
            invariant!(
                bound == 0 || segment.is_online(),
                "{segment:?}: {bound} transactions are in it, and it is offline"
            );
            invariant!(
                segment.uses.lock().values().all(|count| *count > 0 && *count as usize <= under_way),
                "{segment:?}: more use its extents than are under way"
            );
        }
        let lost = live.keys().find(|xid| all.iter().all(|segment| segment.number != xid.segment));
        invariant!(lost.is_none(), "transaction {lost:?} is under way in no segment");
        let left = unfinished.keys().find(|xid| !live.contains_key(*xid));
        invariant!(left.is_none(), "transaction {left:?} is not rolled back and not under way");
        Ok(())
    }

    /// An SCN before which no transaction under way has begun, `now` at the latest. None while transactions that a
    /// crash has left are to be rolled back.
    pub(crate) fn none_begun_before(&self, s: &Process, now: Scn) -> Option<Scn> {
        let live = self.live(s);
        if !self.unfinished.lock().is_empty() {
            return None;
        }
        Some(live.values().map(|live| live.start_scn).min().map_or(now, |start| start.min(now)))
    }

    /// The active transactions, for V$TRANSACTION.
    #[must_use]
    pub fn transactions(&self) -> Vec<TransactionFigures> {
        self.live.lock().iter().map(|(xid, live)| live.figures(*xid)).collect()
    }

    /// The segments, for V$ROLLSTAT and DBA_ROLLBACK_SEGS.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn segments(&self, s: &Process) -> Result<Vec<SegmentFigures>> {
        self.all()
            .iter()
            .map(|segment| {
                let header = metadata::current(s, segment.header, BlockClass::UndoHeader)?;
                let fields = undo::header(&header);
                Ok(SegmentFigures {
                    number: segment.number,
                    name: name_of(segment.number),
                    tablespace: segment.tablespace.number(),
                    header: segment.header,
                    extents: fields.extents.get(),
                    extents_most: undo::extents_max(segment.block_bytes()) as u32,
                    blocks: fields.blocks.get(),
                    current_extent: fields.current_extent.get(),
                    current_block: fields.current_block.get(),
                    transactions: segment.transactions.load(Ordering::Acquire),
                    gets: segment.counts.gets.load(Ordering::Relaxed),
                    waits: segment.counts.waits.load(Ordering::Relaxed),
                    writes: segment.counts.writes.load(Ordering::Relaxed),
                    wraps: segment.counts.wraps.load(Ordering::Relaxed),
                    extends: segment.counts.extends.load(Ordering::Relaxed),
                    shrinks: segment.counts.shrinks.load(Ordering::Relaxed),
                    shrunk_bytes: segment.counts.shrunk_bytes.load(Ordering::Relaxed),
                    most_blocks: segment.counts.most_blocks.load(Ordering::Relaxed).max(fields.blocks.get()),
                    online: segment.is_online(),
                })
            })
            .collect()
    }
}

/// Address of the header of a tablespace's first undo segment: the start of the first extent that was ever made there.
pub fn first_header(tablespace: &Tablespace) -> Option<BlockAddress> {
    let first = tablespace.files().into_iter().next()?;
    Some(BlockAddress::new(first, file::header_area_blocks(tablespace.block_size())))
}

/// Finds the newest record of a transaction that was cut off, and the extents of its blocks.
fn find_unfinished(s: &Process, header: &[u8], xid: Xid, slot: &undo::Slot) -> Result<Unfinished> {
    let mut found = Unfinished { last: Uba::NONE, extents: Vec::new() };
    let current = slot.current_block();
    if !current.is_none() {
        let block = metadata::current(s, current, BlockClass::UndoBlock)?;
        if undo::owner(&block) == xid {
            found.last = undo::block_header(&block).last_record();
        }
    }
    let mut next = slot.newest_block();
    for _ in 0..slot.used_blocks.get().max(1) {
        if next.is_none() {
            break;
        }
        let extent = extent_of(header, next);
        if !found.extents.contains(&extent) {
            found.extents.push(extent);
        }
        let block = metadata::current(s, next, BlockClass::UndoBlock)?;
        // A block from the pool does not name the transaction before its first record.
        if undo::owner(&block) != xid {
            break;
        }
        next = undo::block_header(&block).before_block();
    }
    Ok(found)
}
