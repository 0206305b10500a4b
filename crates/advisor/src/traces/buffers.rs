//! Buffers that several sessions wanted at once, by kind of block, by the waiting statement, and by object.
//!
//! | blocks | statement | says |
//! | --- | --- | --- |
//! | free list, or segment header without bitmap blocks | any | `freelist-contention` |
//! | bitmap blocks, and then segment headers too | any | `bitmap-block-contention` |
//! | data blocks of an index | INSERT | `right-hand-index` |
//! | data blocks | INSERT | `freelist-contention`, with low confidence: it may be an index not named in the trace |
//! | data blocks | any other | `hot-segment` |
//! | undo | any | `undo-pressure` |
//!
//! `read by other session` counts with none of them: it is waiting for a read.

use std::collections::BTreeSet;

use report::profile::{Profile, Site, block_class};

use crate::analysis::{Evidence, Finding};
use crate::judge::{NotFound, View};
use crate::screen::number::{number, percent, seconds};

pub(crate) const DATA: u32 = 1;
pub(crate) const SEGMENT_HEADER: u32 = 4;
pub(crate) const FREE_LIST: u32 = 6;
pub(crate) const BITMAPS: std::ops::RangeInclusive<u32> = 8..=10;
/// Undo of the system segment, then header and blocks of each other.
pub(crate) const UNDO: std::ops::RangeFrom<u32> = 15..;

/// The missing input when no wait has a class.
pub(crate) const NO_CLASSES: &str = "block classes: the trace itself has them, from 10g on";

/// Blocks of the hottest that evidence names.
const BLOCKS: usize = 3;

pub(crate) fn is_buffer_busy(event: &str) -> bool {
    event.starts_with("buffer busy") || event.starts_with("gc buffer busy")
}

/// Count and seconds of waits for buffers; a verdict when there are none to judge.
pub(crate) fn waited(view: &View<'_>) -> Result<(f64, f64), NotFound> {
    view.need_waits()?;
    let (count, total) = view.waited(&is_buffer_busy);
    if count == 0.0 {
        return Err(NotFound::RuledOut("no buffer busy wait".to_owned()));
    }
    if with_classes(view).is_none() && !view.matters(total) {
        return Err(NotFound::RuledOut(format!("{} buffer busy waits: {}", number(count), view.of_elapsed(total))));
    }
    Ok((count, total))
}

/// Seconds by the content of the buffers.
#[derive(Debug)]
pub(crate) struct Classes<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) free_list_s: f64,
    pub(crate) header_s: f64,
    pub(crate) bitmap_s: f64,
    pub(crate) data_s: f64,
    /// Data blocks that inserts wanted.
    pub(crate) insert_s: f64,
    /// Of these: of objects that plans name as an index.
    pub(crate) index_s: f64,
}

impl<'a> Classes<'a> {
    /// `None`: TKPROF's tables, and traces to 9i, have no block classes.
    pub(crate) fn of(view: &View<'a>) -> Option<Self> {
        let profile = with_classes(view)?;
        let of_class = |wanted: &dyn Fn(u32) -> bool| total_s(profile, |site| site.class.is_some_and(wanted));
        let index = of_index(profile);
        Some(Self {
            profile,
            free_list_s: of_class(&|class| class == FREE_LIST),
            header_s: of_class(&|class| class == SEGMENT_HEADER),
            bitmap_s: of_class(&|class| BITMAPS.contains(&class)),
            data_s: of_class(&|class| class == DATA),
            insert_s: total_s(profile, |site| inserted(view, site)),
            index_s: total_s(profile, |site| inserted(view, site) && index(site)),
        })
    }

    /// Free lists, and the segment headers that have some. Bitmap blocks mean automatic management: then no segment
    /// header has one.
    pub(crate) fn lists_s(&self) -> f64 {
        self.free_list_s + if self.bitmap_s > 0.0 { 0.0 } else { self.header_s }
    }

    /// Bitmap blocks, and the segment headers beside them.
    pub(crate) fn bitmaps_s(&self) -> f64 {
        if self.bitmap_s > 0.0 { self.bitmap_s + self.header_s } else { 0.0 }
    }
}

/// True: an insert waited for a data block.
pub(crate) fn inserted(view: &View<'_>, site: &Site) -> bool {
    site.class == Some(DATA) && site.statement.is_some_and(|statement| is_insert(view, statement))
}

/// The function is true for a wait for an object that a plan names as an index.
pub(crate) fn of_index(profile: &Profile) -> impl Fn(&Site) -> bool {
    let names = profile.object_names();
    move |site| site.object.and_then(|object| names.get(&object)).is_some_and(|name| name.index)
}

/// The profile, where its waits for buffers name block classes.
pub(crate) fn with_classes<'a>(view: &View<'a>) -> Option<&'a Profile> {
    view.profile.filter(|profile| {
        profile.sites.iter().any(|site| site.class.is_some() && is_buffer_busy(&profile.events[site.event].name))
    })
}

pub(crate) fn is_insert(view: &View<'_>, statement: usize) -> bool {
    matches!(view.verb(statement).as_deref(), Some("INSERT" | "MERGE"))
}

pub(crate) fn total_s(profile: &Profile, wanted: impl Fn(&Site) -> bool) -> f64 {
    let busy = profile.sites.iter().filter(|site| is_buffer_busy(&profile.events[site.event].name) && wanted(site));
    busy.map(|site| site.waits.total_ns as f64 / 1e9).sum()
}

/// Classes, objects, statements and hottest blocks of the waits that `wanted` lets through.
pub(crate) fn places(view: &View<'_>, profile: &Profile, wanted: &dyn Fn(&Site) -> bool, found: &mut Finding) {
    let busy = |site: &Site| is_buffer_busy(&profile.events[site.event].name);
    let whole = total_s(profile, wanted);
    let mut add = |section: &str, what: String, count: u64, total_ns: i64| {
        let total = total_ns as f64 / 1e9;
        let share = if whole > 0.0 { total / whole } else { 0.0 };
        let text = format!("{what}: {} waits, {}, {} of it", number(count as f64), seconds(total), percent(share));
        found.evidence.push(Evidence { section: section.to_owned(), text });
    };
    // Undo segments have a class each: they are one kind.
    let kind = |site: &Site| site.class.map(|class| block_class(class).unwrap_or("unknown"));
    for (class, waits, _) in profile.by(|site| busy(site) && wanted(site), kind).into_iter().take(3) {
        add("Waits by block class", class.unwrap_or("unknown").to_owned(), waits.count, waits.total_ns);
    }
    for (object, waits, _) in profile.by(|site| busy(site) && wanted(site), |site| site.object).into_iter().take(2) {
        if let Some(object) = object.filter(|object| *object > 0) {
            add("Waits by object", view.object(object), waits.count, waits.total_ns);
        }
    }
    for (statement, waits, _) in
        profile.by(|site| busy(site) && wanted(site), |site| site.statement).into_iter().take(2)
    {
        if let Some(statement) = statement {
            add("Statements", view.statement(statement), waits.count, waits.total_ns);
        }
    }
    let classes: BTreeSet<u32> =
        profile.sites.iter().filter(|site| busy(site) && wanted(site)).filter_map(|site| site.class).collect();
    let blocks: Vec<_> = profile
        .blocks
        .iter()
        .filter(|block| {
            is_buffer_busy(&profile.events[block.event].name)
                && block.class.is_some_and(|class| classes.contains(&class))
        })
        .collect();
    let different = blocks.len();
    for block in blocks.into_iter().take(BLOCKS) {
        let what = format!("file {} block {}, one of {different}", block.file, block.block);
        add("Waits by block", what, block.waits.count, block.waits.total_ns);
    }
}
