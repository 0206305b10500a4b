//! The shape of the profile in `highwater tkprof --json`. Times are seconds of real time.

use serde::{Deserialize, Serialize};

use super::model::{Component, Phase, Profile, Waits};
use super::order::ProfileOptions;
use super::{Histogram, block_class};

/// The whole profile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProfileJson {
    /// Nanoseconds of one unit of e, ela and tim.
    pub unit_ns: u64,
    pub elapsed_s: f64,
    pub before_first_line_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Adds up to `elapsed_s`.
    pub lines: Vec<LineJson>,
    pub events: Vec<EventJson>,
    pub by_object: Vec<PlaceJson>,
    pub by_file: Vec<PlaceJson>,
    pub by_class: Vec<PlaceJson>,
    pub by_block: Vec<PlaceJson>,
    /// Waits that the table of blocks had no room for.
    pub other_blocks: WaitsJson,
    /// In the order that was asked for.
    pub statements: Vec<StatementJson>,
}

/// One line of the profile by call and event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LineJson {
    /// "parse", "execute", "fetch", "close", "unmap", "lob", "between calls".
    pub call: String,
    /// "cpu", "wait", "unaccounted".
    pub component: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    pub count: u64,
    pub total_s: f64,
    pub max_s: f64,
    /// Of the wall clock, 0 to 1.
    pub share: f64,
}

/// Several waits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct WaitsJson {
    pub count: u64,
    pub total_s: f64,
    pub max_s: f64,
}

/// All waits for one event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventJson {
    pub event: String,
    pub class: String,
    pub idle: bool,
    #[serde(flatten)]
    pub waits: WaitsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
    pub histogram: Vec<BucketJson>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockJson>,
}

/// The waits that were shorter than `below_us` and not shorter than half of it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct BucketJson {
    /// Null: all longer ones.
    pub below_us: Option<u64>,
    pub count: u64,
    pub total_s: f64,
}

/// Waits for locks of one name and mode.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LockJson {
    pub name: String,
    pub mode: u32,
    #[serde(flatten)]
    pub waits: WaitsJson,
}

/// Waits for one event in one place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlaceJson {
    pub event: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub block: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class: Option<String>,
    #[serde(flatten)]
    pub waits: WaitsJson,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blocks: Option<u64>,
}

/// The time of one statement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StatementJson {
    pub sql_id: Option<String>,
    pub sql: Option<String>,
    pub calls: u64,
    pub elapsed_s: f64,
    pub max_s: f64,
    pub cpu_s: f64,
    pub waited_s: f64,
    pub unaccounted_s: f64,
    pub between_s: f64,
    /// Within its calls.
    pub waits: Vec<StatementWaitJson>,
}

/// A statement's waits for one event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StatementWaitJson {
    pub event: String,
    #[serde(flatten)]
    pub waits: WaitsJson,
}

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn waits(waits: Waits) -> WaitsJson {
    WaitsJson { count: waits.count, total_s: seconds(waits.total_ns), max_s: seconds(waits.max_ns) }
}

/// The document for a profile. [`ProfileOptions::rows`] does not matter to `lines`, `events` and their histograms.
#[must_use]
pub fn json(profile: &Profile, options: &ProfileOptions) -> ProfileJson {
    let event = |index: usize| profile.events[index].name.clone();
    let names = profile.object_names();
    let name = |object: Option<i64>| Some(names.get(&object?)?.name.clone());
    let class =
        |class: Option<u32>| class.map(|class| block_class(class).map_or_else(|| class.to_string(), str::to_owned));
    let place = |index: usize, sums: Waits, blocks: u64| PlaceJson {
        event: event(index),
        object: None,
        object_name: None,
        file: None,
        block: None,
        class: None,
        waits: waits(sums),
        blocks: (blocks > 0).then_some(blocks),
    };
    let whole = profile.elapsed_ns as f64;
    ProfileJson {
        unit_ns: profile.unit_ns,
        elapsed_s: seconds(profile.elapsed_ns),
        before_first_line_s: seconds(profile.before_first_line_ns),
        began: profile.began.clone(),
        ended: profile.ended.clone(),
        lines: profile
            .lines
            .iter()
            .map(|line| {
                let (component, index) = match line.component {
                    Component::Cpu => ("cpu", None),
                    Component::Wait(index) => ("wait", Some(index)),
                    Component::Unaccounted => ("unaccounted", None),
                };
                LineJson {
                    call: Phase::name(line.phase).into(),
                    component: component.into(),
                    event: index.map(event),
                    class: index.map(|index| profile.events[index].class.to_owned()),
                    count: line.count,
                    total_s: seconds(line.total_ns),
                    max_s: seconds(line.max_ns),
                    share: if whole == 0.0 { 0.0 } else { (line.total_ns as f64 / whole * 1e6).round() / 1e6 },
                }
            })
            .collect(),
        events: profile
            .events
            .iter()
            .map(|event| EventJson {
                event: event.name.clone(),
                class: event.class.into(),
                idle: event.idle,
                waits: waits(event.waits),
                blocks: event.blocks,
                histogram: event
                    .histogram
                    .used()
                    .map(|(bucket, count, total)| BucketJson {
                        below_us: Histogram::below_us(bucket),
                        count,
                        total_s: seconds(total),
                    })
                    .collect(),
                locks: event
                    .enqueues
                    .iter()
                    .map(|lock| LockJson { name: lock.name.clone(), mode: lock.mode, waits: waits(lock.waits) })
                    .collect(),
            })
            .collect(),
        by_object: profile
            .by_object()
            .into_iter()
            .take(options.rows)
            .map(|((index, object), sums, blocks)| PlaceJson {
                object,
                object_name: name(object),
                ..place(index, sums, blocks)
            })
            .collect(),
        by_file: profile
            .by_file()
            .into_iter()
            .take(options.rows)
            .map(|((index, file), sums, blocks)| PlaceJson { file, ..place(index, sums, blocks) })
            .collect(),
        by_class: profile
            .by_class()
            .into_iter()
            .take(options.rows)
            .map(|((index, number), sums, blocks)| PlaceJson { class: class(number), ..place(index, sums, blocks) })
            .collect(),
        by_block: profile
            .blocks
            .iter()
            .take(options.rows)
            .map(|block| PlaceJson {
                file: Some(block.file),
                block: Some(block.block),
                class: class(block.class),
                object: block.object,
                object_name: name(block.object),
                ..place(block.event, block.waits, 0)
            })
            .collect(),
        other_blocks: waits(profile.other_blocks),
        statements: profile
            .ordered(&options.sort)
            .into_iter()
            .take(options.rows)
            .map(|index| {
                let sums = &profile.statements[index];
                let known = profile.summary.statements.get(index);
                StatementJson {
                    sql_id: known.and_then(|known| known.sql_id.clone()),
                    sql: known.and_then(|known| known.sql.clone()),
                    calls: sums.calls,
                    elapsed_s: seconds(sums.elapsed_ns),
                    max_s: seconds(sums.max_ns),
                    cpu_s: seconds(sums.cpu_ns),
                    waited_s: seconds(sums.waited_ns()),
                    unaccounted_s: seconds(sums.unaccounted_ns()),
                    between_s: seconds(sums.between_ns()),
                    waits: sums
                        .waits
                        .iter()
                        .map(|(index, sums)| StatementWaitJson { event: event(*index), waits: waits(*sums) })
                        .collect(),
                }
            })
            .collect(),
    }
}
