//! docs/reference/waits.md says what the .toml files of this crate say.
//!
//! `HIGHWATER_WRITE_REFERENCE=1 cargo test -p waits --test reference` writes the page anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use waits::{Enqueue, Event, LatchName, SegmentStatistic, Statistic, Unit, WaitClass};

fn page() -> Result<String, std::fmt::Error> {
    let mut page = String::new();
    writeln!(page, "# Wait events and statistics\n")?;
    writeln!(page, "<!-- Made from the .toml files of crates/waits by `cargo test -p waits --test reference`. -->\n")?;
    writeln!(
        page,
        "Names are those of the views (`V$EVENT_NAME`, `V$STATNAME`), of reports and of traces. A wait has three\nparameters, P1 to P3.\n"
    )?;
    writeln!(page, "## Wait events\n")?;
    for class in WaitClass::ALL {
        let events: Vec<Event> = Event::ALL.into_iter().filter(|event| event.class() == class).collect();
        if events.is_empty() {
            continue;
        }
        writeln!(page, "### {class}\n\n| event | parameters | who waits for what |\n| --- | --- | --- |")?;
        for event in events {
            let named: Vec<&str> = event.parameters().into_iter().filter(|p| !p.is_empty()).collect();
            let parameters = named.join(", ").replace('|', "\\|");
            writeln!(page, "| `{event}` | {parameters} | {} |", event.about())?;
        }
        writeln!(page)?;
    }
    writeln!(page, "## Statistics\n")?;
    writeln!(page, "Times are counted in microseconds; the views show centiseconds.\n")?;
    let classes =
        [(1, "user"), (2, "redo"), (4, "enqueue"), (8, "cache"), (16, "os"), (32, "rac"), (64, "sql"), (128, "debug")];
    for (number, name) in classes {
        let statistics: Vec<Statistic> = Statistic::ALL.into_iter().filter(|s| s.class_number() == number).collect();
        if statistics.is_empty() {
            continue;
        }
        writeln!(page, "### Class {number}: {name}\n\n| statistic | unit | what is counted |\n| --- | --- | --- |")?;
        for statistic in statistics {
            let unit = match statistic.unit() {
                Unit::Count => "",
                Unit::Bytes => "bytes",
                Unit::Time => "time",
            };
            writeln!(page, "| `{statistic}` | {unit} | {} |", statistic.about())?;
        }
        writeln!(page)?;
    }
    page.push_str(&statistics_of_segments()?);
    page.push_str(&locks()?);
    page.truncate(page.trim_end().len());
    page.push('\n');
    Ok(page)
}

fn statistics_of_segments() -> Result<String, std::fmt::Error> {
    let mut page = String::from("## Statistics of segments\n\n");
    writeln!(
        page,
        "Kept by data object number (`V$SEGMENT_STATISTICS`).\n\n| statistic | what is counted |\n| --- | --- |"
    )?;
    for statistic in SegmentStatistic::ALL {
        writeln!(page, "| `{statistic}` | {} |", statistic.about())?;
    }
    writeln!(page)?;
    Ok(page)
}

fn locks() -> Result<String, std::fmt::Error> {
    let mut page = String::from("## Latches\n\n");
    writeln!(page, "`V$LATCH` counts gets, misses, spin gets and sleeps; each sleep is a wait.\n")?;
    writeln!(page, "| latch | what is waited for | what it protects |\n| --- | --- | --- |")?;
    for latch in LatchName::ALL {
        writeln!(page, "| `{latch}` | `{}` | {} |", latch.event(), latch.about())?;
    }
    writeln!(page, "\n## Enqueues\n")?;
    writeln!(
        page,
        "`V$ENQUEUE_STATISTICS` has a line for each type and reason, `V$ENQUEUE_STAT` one for each type.\n"
    )?;
    writeln!(page, "| type | name | reasons | what it protects |\n| --- | --- | --- | --- |")?;
    for enqueue in Enqueue::ALL {
        let same: Vec<Enqueue> = Enqueue::ALL.into_iter().filter(|e| e.letters() == enqueue.letters()).collect();
        if same[0] == enqueue {
            let reasons: Vec<&str> = same.iter().map(|enqueue| enqueue.reason()).collect();
            writeln!(
                page,
                "| {} | {} | {} | {} |",
                enqueue.letters(),
                enqueue.name(),
                reasons.join(", "),
                enqueue.about()
            )?;
        }
    }
    writeln!(page)?;
    Ok(page)
}

#[test]
fn the_reference_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/waits.md");
    let expected = page().unwrap();
    if std::env::var_os("HIGHWATER_WRITE_REFERENCE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == expected, "docs/reference/waits.md is not current; HIGHWATER_WRITE_REFERENCE=1 writes it anew");
}
