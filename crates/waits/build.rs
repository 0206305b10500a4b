//! Turns the .toml files into enums and tables of their properties: events, statistics, latches, enqueues, statistics
//! of segments.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    event: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    name: String,
    class: String,
    #[serde(default)]
    parameters: [String; 3],
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statistics {
    statistic: Vec<Statistic>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statistic {
    name: String,
    class: String,
    #[serde(default)]
    unit: String,
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Latches {
    latch: Vec<Latch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Latch {
    name: String,
    event: String,
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Enqueues {
    enqueue: Vec<EnqueueType>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnqueueType {
    r#type: String,
    name: String,
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentStatistics {
    statistic: Vec<SegmentStatistic>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentStatistic {
    name: String,
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    class: Vec<KnownClass>,
    idle: KnownIdle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownClass {
    name: String,
    begins: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownIdle {
    names: Vec<String>,
    begins: Vec<String>,
}

fn read<T: for<'de> Deserialize<'de>>(file: &str) -> Result<T, Box<dyn Error>> {
    println!("cargo:rerun-if-changed={file}");
    Ok(toml::from_str(&fs::read_to_string(file)?)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let events: Events = read("events.toml")?;
    let statistics: Statistics = read("stats.toml")?;
    let latches: Latches = read("latches.toml")?;
    let enqueues: Enqueues = read("enqueues.toml")?;
    let segment: SegmentStatistics = read("segment_stats.toml")?;
    let known: Known = read("known_events.toml")?;
    let out = env::var("OUT_DIR")?;
    let write = |name: &str, code: String| fs::write(Path::new(&out).join(name), code);
    write("event.rs", event_code(&events.event)?)?;
    write("statistic.rs", statistic_code(&statistics.statistic)?)?;
    write("latch.rs", latch_code(&latches.latch, &events.event)?)?;
    write("enqueue.rs", enqueue_code(&enqueues.enqueue, &events.event)?)?;
    write("known.rs", known_code(&known, &events.event)?)?;
    write("segment_statistic.rs", segment_code(&segment.statistic)?)?;
    Ok(())
}

fn latch_code(latches: &[Latch], events: &[Event]) -> Result<String, Box<dyn Error>> {
    let names = latches.iter().map(|latch| (&*latch.name, &*latch.about));
    let mut code = enum_code("LatchName", "A latch, from latches.toml.", names)?;
    writeln!(code, "static LATCHES: [LatchData; LatchName::COUNT] = [")?;
    for latch in latches {
        if events.iter().all(|event| event.name != latch.event) {
            return Err(format!("latch {}: there is no event {}", latch.name, latch.event).into());
        }
        let (name, about, event) = (&latch.name, &latch.about, variant_name(&latch.event));
        writeln!(code, "    LatchData {{ name: {name:?}, event: Event::{event}, about: {about:?} }},")?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

fn enqueue_code(types: &[EnqueueType], events: &[Event]) -> Result<String, Box<dyn Error>> {
    let mut all = Vec::new();
    for event in events {
        let Some((letters, reason)) = event.name.strip_prefix("enq: ").and_then(|rest| rest.split_once(" - ")) else {
            continue;
        };
        let Some(kind) = types.iter().find(|kind| kind.r#type == letters) else {
            return Err(format!("event {}: there is no enqueue type {letters}", event.name).into());
        };
        all.push((event, kind, reason));
    }
    if let Some(idle) = types.iter().find(|kind| all.iter().all(|(_, other, _)| other.r#type != kind.r#type)) {
        return Err(format!("enqueue type {}: there is no event for it", idle.r#type).into());
    }
    let labels: Vec<String> = all.iter().map(|(_, kind, reason)| format!("{} {reason}", kind.r#type)).collect();
    let names = labels.iter().zip(&all).map(|(label, (event, ..))| (&**label, &*event.about));
    let about = "An enqueue and the reason that it is waited for, from enqueues.toml and events.toml.";
    let mut code = enum_code("Enqueue", about, names)?;
    writeln!(code, "static ENQUEUES: [EnqueueData; Enqueue::COUNT] = [")?;
    for (event, kind, reason) in all {
        let (letters, name, about, event) = (&kind.r#type, &kind.name, &kind.about, variant_name(&event.name));
        writeln!(
            code,
            "    EnqueueData {{ letters: {letters:?}, name: {name:?}, reason: {reason:?}, event: Event::{event}, about: {about:?} }},"
        )?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

fn known_code(known: &Known, events: &[Event]) -> Result<String, Box<dyn Error>> {
    let mut code = String::new();
    let mut begins = Vec::new();
    for class in &known.class {
        begins.extend(class.begins.iter().map(|beginning| (beginning, &class.name)));
    }
    // The longest first: it decides.
    begins.sort_by_key(|(beginning, _)| (std::cmp::Reverse(beginning.len()), *beginning));
    if let Some(twice) = begins.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(format!("events that begin with {:?} have two classes", twice[0].0).into());
    }
    writeln!(code, "static CLASSES: &[(&str, &str)] = &[")?;
    for (beginning, class) in begins {
        writeln!(code, "    ({beginning:?}, {class:?}),")?;
    }
    writeln!(code, "];")?;
    let mut names = known.idle.names.clone();
    names.sort();
    if let Some(event) = events.iter().find(|event| names.contains(&event.name)) {
        return Err(format!("event {}: its class is in events.toml", event.name).into());
    }
    for (name, list) in [("IDLE", &names), ("IDLE_BEGINNINGS", &known.idle.begins)] {
        writeln!(code, "static {name}: &[&str] = &[")?;
        for item in list {
            writeln!(code, "    {item:?},")?;
        }
        writeln!(code, "];")?;
    }
    Ok(code)
}

fn segment_code(statistics: &[SegmentStatistic]) -> Result<String, Box<dyn Error>> {
    let names = statistics.iter().map(|statistic| (&*statistic.name, &*statistic.about));
    let about = "A statistic that is kept by segment, from segment_stats.toml.";
    let mut code = enum_code("SegmentStatistic", about, names)?;
    writeln!(code, "static SEGMENT_STATISTICS: [(&str, &str); SegmentStatistic::COUNT] = [")?;
    for statistic in statistics {
        writeln!(code, "    ({:?}, {:?}),", statistic.name, statistic.about)?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

fn event_code(events: &[Event]) -> Result<String, Box<dyn Error>> {
    let mut code = enum_code("Event", "A wait event, from events.toml.", events.iter().map(|e| (&*e.name, &*e.about)))?;
    writeln!(code, "static EVENTS: [EventData; Event::COUNT] = [")?;
    for event in events {
        let class = match &*event.class {
            "Other" => "Other",
            "Application" => "Application",
            "Configuration" => "Configuration",
            "Administrative" => "Administrative",
            "Concurrency" => "Concurrency",
            "Commit" => "Commit",
            "Idle" => "Idle",
            "Network" => "Network",
            "User I/O" => "UserIo",
            "System I/O" => "SystemIo",
            "Scheduler" => "Scheduler",
            unknown => return Err(format!("event {}: there is no wait class {unknown}", event.name).into()),
        };
        writeln!(
            code,
            "    EventData {{ name: {:?}, class: WaitClass::{class}, parameters: {:?}, about: {:?} }},",
            event.name, event.parameters, event.about
        )?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

fn statistic_code(statistics: &[Statistic]) -> Result<String, Box<dyn Error>> {
    let names = statistics.iter().map(|s| (&*s.name, &*s.about));
    let mut code = enum_code("Statistic", "A statistic, from stats.toml.", names)?;
    writeln!(code, "static STATISTICS: [StatisticData; Statistic::COUNT] = [")?;
    for statistic in statistics {
        let class = match &*statistic.class {
            "user" => 1,
            "redo" => 2,
            "enqueue" => 4,
            "cache" => 8,
            "os" => 16,
            "rac" => 32,
            "sql" => 64,
            "debug" => 128,
            unknown => return Err(format!("statistic {}: there is no class {unknown}", statistic.name).into()),
        };
        let unit = match &*statistic.unit {
            "" => "Count",
            "bytes" => "Bytes",
            "time" => "Time",
            unknown => return Err(format!("statistic {}: there is no unit {unknown}", statistic.name).into()),
        };
        writeln!(
            code,
            "    StatisticData {{ name: {:?}, class: {class}, unit: Unit::{unit}, about: {:?} }},",
            statistic.name, statistic.about
        )?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

fn enum_code<'a>(
    name: &str,
    about: &str,
    variants: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<String, Box<dyn Error>> {
    let mut taken = BTreeSet::new();
    let mut body = String::new();
    let mut all = String::new();
    for (label, sentence) in variants {
        let variant = variant_name(label);
        writeln!(body, "    /// `{label}`: {sentence}\n    {variant},")?;
        writeln!(all, "        Self::{variant},")?;
        if !taken.insert(variant) {
            return Err(format!("{label}: another {name} has the same words").into());
        }
    }
    let mut code = String::new();
    writeln!(code, "/// {about}")?;
    writeln!(code, "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]")?;
    writeln!(code, "#[repr(u16)]\npub enum {name} {{\n{body}}}\n")?;
    writeln!(code, "impl {name} {{\n    /// How many there are.\n    pub const COUNT: usize = {};\n", taken.len())?;
    writeln!(
        code,
        "    /// Each of them, in the order of their numbers.\n    pub const ALL: [Self; {}] = [",
        taken.len()
    )?;
    writeln!(code, "{all}    ];\n}}\n")?;
    Ok(code)
}

/// `enq: HW - contention` becomes `EnqHwContention`, `Disk file operations I/O` becomes `DiskFileOperationsIo`.
fn variant_name(label: &str) -> String {
    let mut variant = String::new();
    for word in label.replace("I/O", "Io").split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        variant.push_str(&word[..1].to_ascii_uppercase());
        variant.push_str(&word[1..].to_ascii_lowercase());
    }
    variant
}
