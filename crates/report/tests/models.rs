//! Real reports beside the project, read into the model: the same window three ways, what each holds, and figures read
//! a second, simpler way. Skipped where they are absent.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::path::PathBuf;

use report::figure::Figure;
use report::model::{Event, Report, Scope, SectionState, Statistic};

const SAMPLES: [&str; 7] = [
    "statspack/top14_sp_1830_1845.txt",
    "statspack/jasmin_sp_70371_70372.txt",
    "awr_text/top14_awr_1830_1845.txt",
    "awr_text/jasmin_awrrpt_1_2668_2669.txt",
    "awr_html/top14_awr_1830_1845.html",
    "awr_html/kevinc_awr.html",
    "awr_html/pcam_awrrpt_1_18175_18176.html",
];

/// The file's text and its one report.
fn sample(name: &str) -> Option<(String, Report)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let documents = if name.ends_with("html") {
        report::grid::html::documents(&text)
    } else {
        report::grid::text::documents(&text)
    };
    assert_eq!(documents.len(), 1, "{name}");
    Some((text, report::read::report(&documents[0])))
}

/// Both agree, as far as the one with fewer digits goes.
fn same(what: &str, one: Option<Figure>, other: Option<Figure>) {
    match (one, other) {
        (None, None) => {}
        (Some(one), Some(other)) => {
            let step = one.step.max(other.step);
            assert!((one.value - other.value).abs() <= step * 0.5 + step * 1e-6, "{what}: {one:?} {other:?}");
        }
        _ => panic!("{what}: {one:?} {other:?}"),
    }
}

/// Text prints tenths where HTML prints hundredths.
fn same_tenth(what: &str, one: Option<f64>, other: Option<f64>) {
    let figure = |value: Option<f64>| value.map(|value| Figure::new(value, 0.1));
    same(what, figure(one), figure(other));
}

fn within(what: &str, one: f64, other: f64, share: f64) {
    assert!((one - other).abs() <= other.abs() * share, "{what}: {one} {other}");
}

fn events<'a>(one: &'a Option<Vec<Event>>, other: &'a Option<Vec<Event>>) -> Vec<(&'a Event, &'a Event)> {
    let (one, other) = (one.as_ref().unwrap(), other.as_ref().unwrap());
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).collect()
}

fn statistics<'a>(
    one: &'a Option<Vec<Statistic>>,
    other: &'a Option<Vec<Statistic>>,
) -> Vec<(&'a Statistic, &'a Statistic)> {
    let (one, other) = (one.as_ref().unwrap(), other.as_ref().unwrap());
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).collect()
}

/// A name that text could not print in full begins the whole one.
fn same_name(one: &str, cut: bool, other: &str) {
    if cut {
        assert!(other.starts_with(one), "{one} {other}");
    } else {
        assert_eq!(one, other);
    }
}

#[test]
fn awr_as_text_and_as_html_is_one_report() {
    let (Some((_, text)), Some((_, html))) = (sample(SAMPLES[2]), sample(SAMPLES[4])) else { return };
    assert_eq!(text.identity.database, html.identity.database);
    assert_eq!(text.identity.database_id, html.identity.database_id);
    assert_eq!(text.identity.release, html.identity.release);
    assert_eq!(text.window.begin, html.window.begin);
    assert_eq!(text.window.end, html.window.end);
    assert_eq!(text.window.elapsed_s, html.window.elapsed_s);
    same_tenth("db time", text.window.db_time_s, html.window.db_time_s);
    same_tenth("db cpu", text.window.db_cpu_s, html.window.db_cpu_s);
    assert_eq!(text.caches, html.caches);
    assert_eq!(text.load_profile, html.load_profile);
    assert_eq!(text.efficiencies, html.efficiencies);
    assert_eq!(text.host.statistics, html.host.statistics);
    assert_eq!(text.host.memory_bytes, html.host.memory_bytes);
    assert_eq!(
        (text.host.load_begin, text.host.user_percent, text.host.io_wait_percent),
        (html.host.load_begin, html.host.user_percent, html.host.io_wait_percent)
    );
    for (text, html) in text.time_model.as_ref().unwrap().iter().zip(html.time_model.as_ref().unwrap()) {
        assert_eq!(text.name, html.name);
        same(&text.name, text.seconds, html.seconds);
    }
    for lists in [
        events(&text.top_events, &html.top_events),
        events(&text.foreground_events, &html.foreground_events),
        events(&text.background_events, &html.background_events),
    ] {
        for (text, html) in lists {
            same_name(&text.name, text.cut, &html.name);
            assert!(!html.cut);
            assert_eq!(text.waits, html.waits, "{}", html.name);
            assert_eq!(text.total_s, html.total_s, "{}", html.name);
            assert_eq!(text.average_ms, html.average_ms, "{}", html.name);
            assert_eq!(text.timeouts_percent, html.timeouts_percent, "{}", html.name);
        }
    }
    for (text, html) in text.wait_classes.as_ref().unwrap().iter().zip(html.wait_classes.as_ref().unwrap()) {
        assert_eq!((&text.name, text.waits, text.total_s), (&html.name, html.waits, html.total_s));
    }
    for (text, html) in text.histograms.as_ref().unwrap().iter().zip(html.histograms.as_ref().unwrap()) {
        same_name(&text.name, text.cut, &html.name);
        assert_eq!(text.buckets, html.buckets, "{}", html.name);
        same(&html.name, text.waits, html.waits);
    }
    for (text, html) in statistics(&text.statistics, &html.statistics) {
        same_name(&text.name, text.cut, &html.name);
        assert_eq!(text.total, html.total, "{}", html.name);
        // Rates of ten digits are printed with nine of them in text.
        let (text, html) = (text.per_second.unwrap(), html.per_second.unwrap());
        assert!((text - html).abs() <= 0.0501_f64.max(html * 1e-8), "{text} {html}");
    }
    for (text, html) in statistics(&text.absolute_statistics, &html.absolute_statistics) {
        assert_eq!((text.begin, text.total), (html.begin, html.total), "{}", html.name);
    }
    assert_eq!(text.thread_activity, html.thread_activity);
    for (text, html) in [(&text.tablespaces, &html.tablespaces), (&text.files, &html.files)] {
        for (text, html) in text.as_ref().unwrap().iter().zip(html.as_ref().unwrap()) {
            assert_eq!((&text.tablespace, &text.file), (&html.tablespace, &html.file));
            assert_eq!((text.reads, text.writes, text.buffer_waits), (html.reads, html.writes, html.buffer_waits));
            same(&text.tablespace, text.read_ms, html.read_ms);
        }
    }
    for (text, html) in text.io_by_function.as_ref().unwrap().iter().zip(html.io_by_function.as_ref().unwrap()) {
        assert_eq!((&text.name, &text.file_type), (&html.name, &html.file_type));
        assert_eq!((text.read_bytes, text.write_bytes, text.waits), (html.read_bytes, html.write_bytes, html.waits));
    }
    assert_eq!(text.buffer_pools, html.buffer_pools);
    assert_eq!(text.buffer_waits, html.buffer_waits);
    assert_eq!(text.enqueues, html.enqueues);
    assert_eq!(text.undo_intervals, html.undo_intervals);
    // Thousands of blocks: tenths in text, hundredths in HTML.
    within(
        "undo blocks",
        text.undo.as_ref().unwrap().blocks.unwrap(),
        html.undo.as_ref().unwrap().blocks.unwrap(),
        0.005,
    );
    assert_eq!(text.pga_histogram, html.pga_histogram);
    for (text, html) in text.latches.as_ref().unwrap().iter().zip(html.latches.as_ref().unwrap()) {
        assert!(html.name.starts_with(&text.name) || text.name == html.name, "{} {}", text.name, html.name);
        assert_eq!((text.gets, text.misses, text.sleeps), (html.gets, html.misses, html.sleeps), "{}", html.name);
    }
    let (text_sql, html_sql) = (text.sql.as_ref().unwrap(), html.sql.as_ref().unwrap());
    assert_eq!(text_sql.len(), html_sql.len());
    for (text, html) in text_sql.iter().zip(html_sql) {
        assert_eq!(
            (text.order, text.captured_percent, text.statements.len()),
            (html.order, html.captured_percent, html.statements.len())
        );
        for (text, html) in text.statements.iter().zip(&html.statements) {
            assert_eq!((&text.sql_id, &text.module, text.executions), (&html.sql_id, &html.module, html.executions));
            same("elapsed", text.elapsed_s, html.elapsed_s);
            same("cpu", text.cpu_s, html.cpu_s);
            // Gets of nine digits are printed with six of them in text.
            if let (Some(text), Some(html)) = (text.gets, html.gets) {
                within("gets", text, html, 1e-5);
            }
            assert_eq!(text.reads, html.reads);
        }
    }
    for (text, html) in text.segments.as_ref().unwrap().iter().zip(html.segments.as_ref().unwrap()) {
        assert_eq!(text.order, html.order);
        for (text, html) in text.segments.iter().zip(&html.segments) {
            assert_eq!((&text.owner, text.value), (&html.owner, html.value), "{}", html.object);
        }
    }
}

#[test]
fn statspack_and_awr_of_one_window_agree() {
    let (Some((_, statspack)), Some((_, awr))) = (sample(SAMPLES[0]), sample(SAMPLES[2])) else { return };
    assert_eq!(statspack.identity.database, awr.identity.database);
    assert_eq!(statspack.identity.database_id, awr.identity.database_id);
    for name in [
        "redo size",
        "redo entries",
        "redo writes",
        "redo write time",
        "redo wastage",
        "redo blocks written",
        "redo synch writes",
        "user commits",
        "session logical reads",
        "physical reads",
        "physical writes",
        "db block changes",
        "execute count",
    ] {
        within(name, statspack.statistic(name).unwrap(), awr.statistic(name).unwrap(), 0.013);
    }
    for name in ["log file parallel write", "db file parallel write"] {
        let (statspack, awr) = (statspack.background_event(name).unwrap(), awr.background_event(name).unwrap());
        within(name, statspack.waits.unwrap().value, awr.waits.unwrap().value, 0.013);
    }
    for name in ["log file sync", "db file sequential read"] {
        let (statspack, awr) = (statspack.foreground_event(name).unwrap(), awr.foreground_event(name).unwrap());
        within(name, statspack.waits.unwrap().value, awr.waits.unwrap().value, 0.013);
        within(name, statspack.seconds().unwrap().value, awr.seconds().unwrap().value, 0.013);
    }
    within("db time", statspack.window.db_time_s.unwrap(), awr.window.db_time_s.unwrap(), 0.013);
    within("elapsed", statspack.window.elapsed_s.unwrap(), awr.window.elapsed_s.unwrap(), 0.013);
}

/// The parts of a report, by the names of the model.
fn present(report: &Report) -> Vec<String> {
    let value = serde_json::to_value(report).unwrap();
    let parts = value.as_object().unwrap().iter();
    let lists = parts.filter(|(name, part)| part.is_array() && !matches!(name.as_str(), "sections" | "warnings"));
    lists.map(|(name, _)| name.clone()).chain(report.undo.is_some().then(|| "undo".to_owned())).collect()
}

#[test]
fn every_part_that_a_report_has_is_in_the_model() {
    const EVERYWHERE: [&str; 24] = [
        "load_profile",
        "efficiencies",
        "time_model",
        "top_events",
        "foreground_events",
        "background_events",
        "histograms",
        "sql",
        "statistics",
        "absolute_statistics",
        "thread_activity",
        "io_by_function",
        "buffer_pools",
        "buffer_waits",
        "enqueues",
        "latches",
        "latch_misses",
        "library_cache",
        "memory",
        "pga_targets",
        "pga_histogram",
        "parameters",
        "undo",
        "undo_intervals",
    ];
    const STATSPACK: [&str; 4] = ["all_events", "tablespaces", "files", "file_histograms"];
    let expected: [(&str, &[&str], &[&str]); 7] = [
        (SAMPLES[0], &[&STATSPACK[..], &["segments"]].concat(), &[]),
        (SAMPLES[1], &STATSPACK, &[]),
        (SAMPLES[2], &["wait_classes", "tablespaces", "files", "io_by_file_type", "segments"], &[]),
        // Its tablespace and file sections say that there is no data.
        (SAMPLES[3], &["wait_classes", "all_wait_classes", "io_by_file_type", "segments"], &[]),
        (SAMPLES[4], &["wait_classes", "tablespaces", "files", "io_by_file_type", "segments"], &[]),
        (SAMPLES[5], &["wait_classes", "all_wait_classes", "io_by_file_type", "segments"], &["undo", "undo_intervals"]),
        (SAMPLES[6], &["wait_classes", "all_wait_classes", "io_by_file_type", "segments", "rac"], &[]),
    ];
    for (name, more, without) in expected {
        let Some((_, report)) = sample(name) else { return };
        let mut found = present(&report);
        let mut wanted: Vec<String> = EVERYWHERE
            .iter()
            .chain(more)
            .filter(|part| !without.contains(part))
            .map(|part| (*part).to_owned())
            .collect();
        found.sort();
        wanted.sort();
        println!("{name}: {}", found.join(", "));
        assert_eq!(found, wanted, "{name}");
        assert!(!report.cut, "{name}");
        for section in &report.sections {
            assert_ne!(section.state, SectionState::NotUnderstood, "{name}: {}", section.title);
        }
        let overflows = |warning: &&String| !warning.contains("####");
        assert_eq!(report.warnings.iter().find(overflows), None, "{name}");
    }
}

/// Words of the text's first line after `title` that begins with `name`: a reading that knows nothing of columns.
fn words<'a>(text: &'a str, title: &str, name: &str) -> Vec<&'a str> {
    let section = text.split_once(title).map_or("", |(_, rest)| rest);
    let line =
        section.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{title}: {name}"));
    line.trim_start()[name.len()..].split_whitespace().collect()
}

fn bare(word: &str) -> f64 {
    word.replace(',', "").parse().unwrap()
}

#[test]
fn figures_of_text_are_those_of_the_lines() {
    for (name, title) in [
        (SAMPLES[0], "Instance Activity Stats"),
        (SAMPLES[1], "Instance Activity Stats"),
        (SAMPLES[2], "SQL ordered by Version Count"),
        (SAMPLES[3], "SQL ordered by Version Count"),
    ] {
        let Some((text, report)) = sample(name) else { return };
        for statistic in [
            "redo size  ",
            "redo writes ",
            "redo write time",
            "redo wastage",
            "user commits",
            "physical reads  ",
            "redo synch time  ",
        ] {
            let printed = bare(words(&text, title, statistic)[0]);
            assert_eq!(report.statistic(statistic.trim()), Some(printed), "{name}: {statistic}");
        }
        let event = report.background_event("log file parallel write").unwrap();
        let printed = words(&text, "Background Wait Events  ", "log file parallel write");
        assert_eq!(event.waits.unwrap().value, bare(printed[0]), "{name}");
        assert_eq!(event.total_s.unwrap().value, bare(printed[2]), "{name}");
        let sync = report.foreground_event("log file sync").unwrap();
        assert_eq!(
            sync.waits.unwrap().value,
            bare(words(&text, "Foreground Wait Events  ", "log file sync")[0]),
            "{name}"
        );
        let db_time = words(&text, "Time Model S", "DB time  ");
        assert_eq!(report.window.db_time_s, Some(bare(db_time[0])), "{name}");
        assert_eq!(
            report.parameter("db_block_size").map(bare),
            Some(bare(words(&text, "init.ora", "db_block_size")[0])),
            "{name}"
        );
    }
}

/// The cells of the first row of HTML after `title` whose first cell is `name`, tags dropped.
fn html_cells(text: &str, title: &str, name: &str) -> Vec<String> {
    let section = text.split_once(title).map_or("", |(_, rest)| rest);
    let start = section.find(&format!(">{name}</td>")).unwrap_or_else(|| panic!("{title}: {name}"));
    let row = section[start + 1..].split("</tr>").next().unwrap();
    row.split("</td>").map(|cell| cell.rsplit('>').next().unwrap().replace("&#160;", "").trim().to_owned()).collect()
}

#[test]
fn figures_of_html_are_those_of_the_cells() {
    for name in &SAMPLES[4..] {
        let Some((text, report)) = sample(name) else { return };
        for statistic in [
            "redo size",
            "redo writes",
            "redo write time",
            "redo wastage",
            "user commits",
            "physical reads",
            "redo synch time",
        ] {
            let printed = bare(&html_cells(&text, ">Instance Activity Stats<", statistic)[1]);
            assert_eq!(report.statistic(statistic), Some(printed), "{name}: {statistic}");
        }
        let event = report.background_event("log file parallel write").unwrap();
        let printed = html_cells(&text, ">Background Wait Events<", "log file parallel write");
        assert_eq!(event.waits.unwrap().value, bare(&printed[1]), "{name}");
        assert_eq!(event.total_s.unwrap().value, bare(&printed[3]), "{name}");
        let printed = html_cells(&text, ">Time Model Statistics<", "DB time");
        assert_eq!(report.window.db_time_s, Some(bare(&printed[1])), "{name}");
    }
}

/// Facts from the samples' own description of two of them.
#[test]
fn redo_of_the_starved_host() {
    let Some((_, report)) = sample(SAMPLES[6]) else { return };
    let formula = 10.0 * report.statistic("redo write time").unwrap() / report.statistic("redo writes").unwrap();
    assert!((formula - 44.1).abs() < 0.05, "{formula}");
    let event = report.background_event("log file parallel write").unwrap().milliseconds().unwrap();
    assert!((event.value - 1.12).abs() < 0.005, "{event:?}");
    assert_eq!(report.host.load_begin.map(f64::round), Some(28.0));
    assert_eq!(report.host.load_end.map(f64::round), Some(137.0));
    assert_eq!(report.host.cpus, Some(32.0));
    assert!(report.identity.rac.unwrap() && report.identity.cdb.unwrap());
    let Some((_, report)) = sample(SAMPLES[5]) else { return };
    assert_eq!((report.window.db_time_s.unwrap() / 60.0).round(), 1368.0);
}

/// A made-up report of ours, in the layout of a release.
fn made_up(path: &str) -> Report {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path);
    let text = std::fs::read_to_string(path).unwrap();
    let documents = if text.contains("<html") {
        report::grid::html::documents(&text)
    } else {
        report::grid::text::documents(&text)
    };
    report::read::report(&documents[0])
}

#[test]
fn a_report_of_a_whole_cluster() {
    let report = made_up("awr/23ai_global.html");
    assert_eq!(report.scope, Scope::Cluster);
    assert_eq!(report.identity.instances, ["toy1", "toy2"]);
    assert_eq!((report.identity.rac, report.identity.cdb), (Some(true), Some(true)));
    assert_eq!(report.identity.major_release(), Some(23));
    assert_eq!((report.window.begin.id, report.window.end.id), (Some(640), Some(641)));
    // Both instances' DB time; one window.
    assert!((report.window.db_time_s.unwrap() - 210.55 * 60.0).abs() < 1e-6);
    assert_eq!(report.window.elapsed_s, Some(3600.0));
    // The lines of single instances are left out.
    let top: Vec<&str> = report.top_events.as_ref().unwrap().iter().map(|event| event.name.as_str()).collect();
    assert_eq!(top, ["gc buffer busy acquire", "DB CPU"]);
    let busy = &report.top_events.as_ref().unwrap()[0];
    assert_eq!(busy.waits, Some(Figure::exact(88_120.0)));
    assert!((busy.average_ms.unwrap().value - 14.08).abs() < 1e-9);
}

#[test]
fn one_container_and_one_instance_of_a_cluster() {
    let report = made_up("awr/18c_pdb.html");
    assert_eq!(report.scope, Scope::Container);
    assert_eq!(report.identity.container.as_deref(), Some("SHOP"));
    let sync = report.foreground_event("log file sync").unwrap();
    assert_eq!(sync.average_ms, Some(Figure::new(5.48, 0.01)));
    // 4,930 s of 899,871 waits are known to four digits, 5.48 ms to three.
    assert!((sync.milliseconds().unwrap().value - 5.4786).abs() < 0.001);
    let report = made_up("awr/11g_rac.html");
    assert_eq!((report.scope, report.identity.rac), (Scope::Instance, Some(true)));
    let rac = report.rac.as_ref().unwrap();
    assert!(
        rac.iter().any(|figure| figure.name.starts_with("Number of Instances") && figure.value == Some(2.0)),
        "{rac:?}"
    );
}

#[test]
fn storage_cells() {
    let report = made_up("awr/19c_exadata.html");
    let cells = report.cells.as_ref().unwrap();
    let figure =
        |name: &str| cells.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("{name}: {cells:?}"));
    assert_eq!(figure("MB Offloaded").value, Some(40_001.5));
    assert_eq!(figure("MB Offloaded").cell.as_deref(), Some("toycel01"));
    // Latencies in seconds.
    assert!((figure("H/14.0T Latency Mean").value.unwrap() - 0.0068).abs() < 1e-12);
}

#[test]
fn statspack_of_old_releases() {
    let report = made_up("fixtures/statspack_8i.txt");
    assert_eq!(report.identity.database.as_deref(), Some("DEPOT"));
    assert_eq!(report.identity.major_release(), Some(8));
    assert_eq!(report.caches.buffer_cache_bytes, Some(61_440.0 * 8192.0));
    assert_eq!(report.window.elapsed_s, Some(3582.0));
    assert_eq!(report.window.db_time_s, None);
    assert_eq!(report.statistic("redo write time"), Some(9120.0));
    let report = made_up("fixtures/statspack_9i.txt");
    assert_eq!(report.window.begin.comment.as_deref(), Some("month end"));
    assert_eq!(report.foreground_events, None);
    assert_eq!(report.all_events.as_ref().unwrap().len(), 6);
    let free_list = report.buffer_waits.as_ref().unwrap().iter().find(|wait| wait.class == "free list").unwrap();
    assert_eq!((free_list.waits, free_list.average_ms.map(|figure| figure.value)), (Some(86.0), Some(12.0)));
    let report = made_up("fixtures/awr_10g.txt");
    assert_eq!(report.wait_classes, None);
    assert_eq!(report.all_wait_classes.as_ref().unwrap().len(), 2);
    assert_eq!(report.segments.as_ref().unwrap()[0].segments.len(), 2);
}

/// A report cut anywhere is marked as cut, and has no figure that the whole one does not have.
#[test]
fn a_cut_report_has_no_other_figures() {
    for name in [SAMPLES[0], SAMPLES[2], SAMPLES[4]] {
        let Some((text, whole)) = sample(name) else { return };
        for step in 1..60 {
            let mut end = text.len() * step / 60 + step;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let part = &text[..end];
            let documents = if name.ends_with("html") {
                report::grid::html::documents(part)
            } else {
                report::grid::text::documents(part)
            };
            let Some(document) = documents.first() else { continue };
            let report = report::read::report(document);
            assert!(report.cut, "{name} to {end}");
            assert!(report.warnings.iter().any(|warning| warning.contains("cut")), "{name} to {end}");
            for statistic in report.statistics.iter().flatten().filter(|statistic| !statistic.cut) {
                let (total, name) = (statistic.total, &statistic.name);
                assert!(total.is_none() || total == whole_total(&whole, name), "{name} to {end}: {total:?}");
            }
            let pairs = [
                (&report.foreground_events, &whole.foreground_events),
                (&report.background_events, &whole.background_events),
            ];
            for (events, whole) in pairs {
                for (event, whole) in events.iter().flatten().zip(whole.iter().flatten()) {
                    assert!(event.waits.is_none() || event.waits == whole.waits, "{name} to {end}: {event:?}");
                    assert!(event.total_s.is_none() || event.total_s == whole.total_s, "{name} to {end}: {event:?}");
                }
            }
        }
    }
}

fn whole_total(report: &Report, name: &str) -> Option<f64> {
    report.statistics.as_ref()?.iter().find(|statistic| statistic.name == name)?.total
}
