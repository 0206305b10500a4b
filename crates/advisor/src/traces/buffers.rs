//! Buffers that several sessions wanted at once, told apart by what kind of block it was, which statement wanted it, and of which object.
//!
//! | blocks | statement | says |
//! | --- | --- | --- |
//! | free list, or segment header without bitmap blocks | any | `freelist-contention` |
//! | bitmap blocks, and then segment headers too | any | `bitmap-block-contention` |
//! | data blocks of an index | INSERT | `right-hand-index` |
//! | data blocks | INSERT | `freelist-contention`, with low confidence: it may be an index whose name the trace does not have |
//! | data blocks | any other | `hot-segment` |
//! | undo | any | `undo-pressure` (undo.rs) |
//!
//! `read by other session` counts with none of them: it is waiting for a read.

use std::collections::BTreeSet;

use report::profile::{BlockWaits, Profile, Site, block_class};

use crate::analysis::{Confidence, Finding};

use super::view::View;
use super::{Verdict, evidence, finding, number, percent, seconds};

const DATA: u32 = 1;
const SEGMENT_HEADER: u32 = 4;
const FREE_LIST: u32 = 6;
const BITMAPS: std::ops::RangeInclusive<u32> = 8..=10;
/// Undo of the system segment, then header and blocks of each other.
pub(super) const UNDO: std::ops::RangeFrom<u32> = 15..;

/// What cannot be told where no wait has a class.
pub(super) const NO_CLASSES: &str = "block classes: the trace itself has them, from 10g on";

/// Blocks of the hottest that evidence names.
const BLOCKS: usize = 3;

pub(super) fn is_buffer_busy(event: &str) -> bool {
    event.starts_with("buffer busy") || event.starts_with("gc buffer busy")
}

/// What the waits on data blocks were of.
#[derive(Clone, Copy, Default, Debug)]
struct Data {
    total_s: f64,
    insert_s: f64,
    /// Of the inserts: on objects that plans name as an index.
    index_s: f64,
}

pub(super) fn judge(view: &View<'_>, out: &mut Vec<Verdict>) {
    const IDS: [&str; 3] = ["freelist-contention", "bitmap-block-contention", "hot-segment"];
    let (count, total) = view.waited(&is_buffer_busy);
    if !view.has_waits() {
        out.extend(IDS.map(|id| Verdict::CannotTell(id, "waits: the trace has none (level 8 writes them)".into())));
        return;
    }
    if count == 0.0 {
        out.extend(IDS.map(|id| Verdict::RuledOut(id, "no buffer busy wait".into())));
        return;
    }
    let Some(profile) = with_classes(view) else {
        without_classes(view, count, total, out);
        return;
    };
    let of_class = |wanted: &dyn Fn(u32) -> bool| total_s(profile, |site| site.class.is_some_and(wanted));
    let bitmap_s = of_class(&|class| BITMAPS.contains(&class));
    let header_s = of_class(&|class| class == SEGMENT_HEADER);
    let free_list_s = of_class(&|class| class == FREE_LIST);
    let data = data(view, profile);

    // Bitmap blocks mean automatic management: then the segment header has no free list.
    let (header_of_lists_s, bitmaps_s) = if bitmap_s > 0.0 { (0.0, bitmap_s + header_s) } else { (header_s, 0.0) };
    out.push(free_lists(view, profile, free_list_s + header_of_lists_s, free_list_s, data, bitmap_s > 0.0));
    out.push(bitmaps(view, profile, bitmaps_s));
    if view.matters(data.index_s) {
        out.push(right_hand(view, profile, data.index_s));
    }
    // Inserts that are told by another id are not told again.
    let told = if data.insert_s * 2.0 >= data.total_s { data.insert_s } else { data.index_s };
    out.push(hot(view, profile, data.total_s - told));
}

/// The profile, where its waits for buffers name block classes.
pub(super) fn with_classes<'a>(view: &View<'a>) -> Option<&'a Profile> {
    view.profile.filter(|profile| {
        profile.sites.iter().any(|site| site.class.is_some() && is_buffer_busy(&profile.events[site.event].name))
    })
}

/// TKPROF's tables, and traces to 9i, have no block classes.
fn without_classes(view: &View<'_>, count: f64, total: f64, out: &mut Vec<Verdict>) {
    if !view.matters(total) {
        let reason = format!("{} buffer busy waits: {}", number(count), view.of_elapsed(total));
        out.extend(
            ["freelist-contention", "bitmap-block-contention", "hot-segment"]
                .map(|id| Verdict::RuledOut(id, reason.clone())),
        );
        return;
    }
    let inserts: f64 = view
        .waiting_statements(&is_buffer_busy)
        .into_iter()
        .filter(|(index, _)| is_insert(view, *index))
        .map(|(_, waited)| waited)
        .sum();
    let missing = NO_CLASSES;
    if inserts * 2.0 >= total {
        out.push(Verdict::CannotTell("freelist-contention", missing.into()));
    } else {
        let reason = match view.waiting_statements(&is_buffer_busy).first() {
            Some((index, waited)) => {
                format!(
                    "{} waited most for buffers ({}): it is no INSERT, and takes a block from a free list only where rows migrate or an index grows",
                    view.statement(*index),
                    seconds(*waited)
                )
            }
            None => "no INSERT waited for a buffer".into(),
        };
        out.push(Verdict::RuledOut("freelist-contention", reason));
    }
    out.push(Verdict::CannotTell("bitmap-block-contention", missing.into()));
    let title = format!(
        "Waited {} for buffers that other sessions were using: {} waits",
        view.of_elapsed(total),
        number(count)
    );
    let mut found = finding(view, "hot-segment", total, title, Confidence::Low);
    super::waits::describe(view, &is_buffer_busy, &mut found);
    found.doubts.push(format!("which object, and whether of it data blocks, is not told: missing {missing}"));
    found.advice.push("trace the session again, or read its trace file, for the object and the block class".into());
    out.push(Verdict::Found(Box::new(found)));
}

/// The data block that was waited for longest, with its share of all such waits.
fn hottest(profile: &Profile) -> Option<(&BlockWaits, f64)> {
    let whole = total_s(profile, |site| site.class == Some(DATA));
    let mut blocks = profile.blocks.iter();
    let block = blocks.find(|block| block.class == Some(DATA) && is_buffer_busy(&profile.events[block.event].name))?;
    (whole > 0.0).then(|| (block, block.waits.total_ns as f64 / 1e9 / whole))
}

fn is_insert(view: &View<'_>, statement: usize) -> bool {
    matches!(view.verb(statement).as_deref(), Some("INSERT" | "MERGE"))
}

fn total_s(profile: &Profile, wanted: impl Fn(&Site) -> bool) -> f64 {
    let busy = profile.sites.iter().filter(|site| is_buffer_busy(&profile.events[site.event].name) && wanted(site));
    busy.map(|site| site.waits.total_ns as f64 / 1e9).sum()
}

fn data(view: &View<'_>, profile: &Profile) -> Data {
    let names = profile.object_names();
    let inserted =
        |site: &Site| site.class == Some(DATA) && site.statement.is_some_and(|statement| is_insert(view, statement));
    let index = |site: &Site| site.object.and_then(|object| names.get(&object)).is_some_and(|name| name.index);
    Data {
        total_s: total_s(profile, |site| site.class == Some(DATA)),
        insert_s: total_s(profile, inserted),
        index_s: total_s(profile, |site| inserted(site) && index(site)),
    }
}

/// Classes, objects, statements and hottest blocks of the waits that `wanted` lets through.
pub(super) fn places(view: &View<'_>, profile: &Profile, wanted: &dyn Fn(&Site) -> bool, found: &mut Finding) {
    let busy = |site: &Site| is_buffer_busy(&profile.events[site.event].name);
    let whole = total_s(profile, wanted);
    let mut add = |section: &str, what: String, count: u64, total_ns: i64| {
        let total = total_ns as f64 / 1e9;
        let share = if whole > 0.0 { total / whole } else { 0.0 };
        found.evidence.push(evidence(
            section,
            format!("{what}: {} waits, {}, {} of it", number(count as f64), seconds(total), percent(share)),
        ));
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

fn free_lists(
    view: &View<'_>,
    profile: &Profile,
    lists_s: f64,
    free_list_s: f64,
    data: Data,
    bitmaps: bool,
) -> Verdict {
    const ID: &str = "freelist-contention";
    let advice = "automatic segment space management; or more free lists and free list groups for the segment";
    if view.matters(lists_s) {
        let title = format!("Waited {} for blocks that hold free lists", view.of_elapsed(lists_s));
        let sure = free_list_s * 2.0 >= lists_s;
        let confidence = if sure { Confidence::High } else { Confidence::Medium };
        let mut found = finding(view, ID, lists_s, title, confidence);
        places(view, profile, &|site| matches!(site.class, Some(SEGMENT_HEADER | FREE_LIST)), &mut found);
        if !sure {
            found.doubts.push("a segment header is also waited for while extents are allocated, and by scans that read its extent map".into());
        }
        found.advice.push(advice.into());
        return Verdict::Found(Box::new(found));
    }
    let table_inserts_s = data.insert_s - data.index_s;
    if view.matters(table_inserts_s) && !bitmaps {
        let title = format!(
            "Waited {} for data blocks that other sessions were inserting into",
            view.of_elapsed(table_inserts_s)
        );
        let mut found = finding(view, ID, table_inserts_s, title, Confidence::Low);
        let inserted = |site: &Site| {
            site.class == Some(DATA) && site.statement.is_some_and(|statement| is_insert(view, statement))
        };
        places(view, profile, &inserted, &mut found);
        found.doubts.push(
            "the waits are on data blocks, as are those of an index: if the object is one, its right-hand end is what is contended, and free lists are not".into(),
        );
        found.advice.push("look the object up by its number".into());
        found.advice.push(advice.into());
        return Verdict::Found(Box::new(found));
    }
    let busiest =
        profile.by(|site| is_buffer_busy(&profile.events[site.event].name), |site| (site.class, site.statement));
    let reason = match busiest.first() {
        Some(((class, statement), waits, _)) => format!(
            "most waits for a buffer were for a {} by {}: {} of {}; for free lists and segment headers {}",
            class.and_then(block_class).unwrap_or("blocks of no class"),
            statement.map_or_else(|| "no statement".into(), |statement| view.statement(statement)),
            seconds(waits.total_ns as f64 / 1e9),
            seconds(view.waited(&is_buffer_busy).1),
            seconds(lists_s),
        ),
        None => "no wait for a free list or a segment header".into(),
    };
    Verdict::RuledOut(ID, reason)
}

fn bitmaps(view: &View<'_>, profile: &Profile, bitmaps_s: f64) -> Verdict {
    const ID: &str = "bitmap-block-contention";
    if !view.matters(bitmaps_s) {
        return Verdict::RuledOut(ID, format!("waits for bitmap blocks: {}", view.of_elapsed(bitmaps_s)));
    }
    let title =
        format!("Waited {} for the blocks in which the segment keeps its free space", view.of_elapsed(bitmaps_s));
    let mut found = finding(view, ID, bitmaps_s, title, Confidence::High);
    places(
        view,
        profile,
        &|site| site.class.is_some_and(|class| BITMAPS.contains(&class) || class == SEGMENT_HEADER),
        &mut found,
    );
    found.advice.push("partition the segment, so that sessions work in different parts of it; larger extents have more bitmap blocks to share".into());
    Verdict::Found(Box::new(found))
}

fn right_hand(view: &View<'_>, profile: &Profile, index_s: f64) -> Verdict {
    let title = format!("Waited {} for index blocks that other sessions were inserting into", view.of_elapsed(index_s));
    let mut found = finding(view, "right-hand-index", index_s, title, Confidence::Medium);
    let names = profile.object_names();
    let wanted = |site: &Site| {
        site.class == Some(DATA)
            && site.statement.is_some_and(|statement| is_insert(view, statement))
            && site.object.and_then(|object| names.get(&object)).is_some_and(|name| name.index)
    };
    places(view, profile, &wanted, &mut found);
    found.doubts.push("that it is the index's right-hand end follows only if the key rises: a date, a sequence".into());
    found.advice.push("a hash-partitioned or reverse-key index, or a larger sequence cache".into());
    Verdict::Found(Box::new(found))
}

/// Data blocks that are wanted by statements other than inserts.
fn hot(view: &View<'_>, profile: &Profile, hot_s: f64) -> Verdict {
    const ID: &str = "hot-segment";
    if !view.matters(hot_s) {
        return Verdict::RuledOut(
            ID,
            format!("data blocks that other sessions were changing or reading: {}", view.of_elapsed(hot_s)),
        );
    }
    let wanted = |site: &Site| site.class == Some(DATA);
    let busy = |site: &Site| wanted(site) && is_buffer_busy(&profile.events[site.event].name);
    let objects = profile.by(busy, |site| site.object);
    let object = objects.first().and_then(|(object, waits, _)| Some(((*object)?, waits.total_ns as f64 / 1e9)));
    let statement = profile.by(busy, |site| site.statement).first().and_then(|(statement, _, _)| *statement);
    let by = statement.map_or_else(String::new, |statement| format!(", by {}", view.statement(statement)));
    let of = object.map_or_else(String::new, |(object, _)| format!(" of {}", view.object(object)));
    let one_block = hottest(profile).filter(|(_, share)| *share >= 0.5).map_or_else(String::new, |(block, share)| {
        format!(": {} of it for file {} block {}", percent(share), block.file, block.block)
    });
    let title =
        format!("Waited {} for data blocks{of} that other sessions were using{by}{one_block}", view.of_elapsed(hot_s));
    let mut found = finding(view, ID, hot_s, title, Confidence::High);
    places(view, profile, &wanted, &mut found);
    found.doubts.push("what the other sessions did with the blocks is in their traces".into());
    found.advice.push("spread the rows that are worked on at the same time: fewer rows a block (a larger PCTFREE, MINIMIZE RECORDS_PER_BLOCK, a smaller block size), hash partitions".into());
    found.advice.push("let each session work on a range of blocks of its own".into());
    Verdict::Found(Box::new(found))
}
