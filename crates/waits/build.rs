//! Turns events.toml and stats.toml into the enums `Event` and `Statistic` and a table of their properties.

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

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    println!("cargo:rerun-if-changed=events.toml");
    println!("cargo:rerun-if-changed=stats.toml");
    println!("cargo:rerun-if-changed=build.rs");
    let events: Events = toml::from_str(&fs::read_to_string("events.toml")?)?;
    let statistics: Statistics = toml::from_str(&fs::read_to_string("stats.toml")?)?;
    fs::write(Path::new(&out).join("event.rs"), event_code(&events.event)?)?;
    fs::write(Path::new(&out).join("statistic.rs"), statistic_code(&statistics.statistic)?)?;
    Ok(())
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
