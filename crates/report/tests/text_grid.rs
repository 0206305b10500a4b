//! Statspack and AWR text into sections and tables: layouts of 8i to 19c in fixtures of our own, and the real reports
//! beside the repository.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::path::{Path, PathBuf};

use report::grid::{Document, Row, Section, Table, text};
use report::model::Kind;

fn fixture(name: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let mut documents = text::documents(&std::fs::read_to_string(path).unwrap());
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn section<'a>(document: &'a Document, title: &str) -> &'a Section {
    document.sections.iter().find(|section| section.title == title).unwrap_or_else(|| panic!("no section {title}"))
}

fn table<'a>(document: &'a Document, title: &str) -> &'a Table {
    &section(document, title).tables[0]
}

fn row<'a>(table: &'a Table, first: &str) -> &'a Row {
    table.rows.iter().find(|row| row.cells[0] == first).unwrap_or_else(|| panic!("no row {first}"))
}

fn cell<'a>(table: &'a Table, first: &str, column: &str) -> &'a str {
    let at = table
        .columns
        .iter()
        .position(|name| name == column)
        .unwrap_or_else(|| panic!("no column {column} in {:?}", table.columns));
    &row(table, first).cells[at]
}

#[test]
fn statspack_of_9i() {
    let report = fixture("statspack_9i.txt");
    assert_eq!((report.kind, report.cut), (Kind::Statspack, false));
    let head = &report.sections[0];
    assert_eq!((head.title.as_str(), head.line, head.tables.len()), ("STATSPACK report for", 2, 3));
    assert_eq!(head.tables[0].columns, ["DB Name", "DB Id", "Instance", "Inst Num", "Release", "Cluster", "Host"]);
    assert_eq!(head.tables[0].rows[0].cells, ["SHOP", "1029384756", "shop1", "1", "9.2.0.6.0", "NO", "till07"]);
    assert_eq!(cell(&head.tables[1], "Begin Snap:", "Comment"), "month end");
    assert_eq!(cell(&head.tables[1], "End Snap:", "Snap Time"), "03-Feb-05 10:00:14");
    assert_eq!(head.tables[2].rows[0].cells, ["Elapsed:", "60.20 (mins)"]);

    let caches = &section(&report, "Cache Sizes (end)").tables;
    assert_eq!(caches.len(), 1);
    assert_eq!(row(&caches[0], "Log Buffer:").cells[1], "1,024K");
    let load = section(&report, "Load Profile");
    assert_eq!(load.tables[0].columns, ["", "Per Second", "Per Transaction"]);
    assert_eq!(load.tables[0].rows.len(), 12);
    assert_eq!(row(&load.tables[0], "Redo size:").cells[2], "7,025.88");
    assert_eq!(row(&load.tables[1], "Rows per Sort:").cells[1], "108.41");
    assert_eq!(row(table(&report, "Instance Efficiency Percentages (Target 100%)"), "Buffer Hit %:").cells[1], "92.26");
    assert_eq!(
        row(table(&report, "Shared Pool Statistics"), "Memory Usage %:").cells,
        ["Memory Usage %:", "92.40", "92.31"]
    );
    assert_eq!(table(&report, "Top 5 Timed Events").columns, ["Event", "Waits", "Time (s)", "% Total Ela Time"]);
    assert_eq!(row(table(&report, "Top 5 Timed Events"), "CPU time").cells, ["CPU time", "", "3,234", "34.27"]);

    let waits = table(&report, "Wait Events");
    assert_eq!(waits.columns, ["Event", "Waits", "Timeouts", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn"]);
    assert_eq!(waits.rows.len(), 6);
    assert_eq!(section(&report, "Wait Events").notes.len(), 5);
    let cluster = table(&report, "Global Cache Service - Workload Characteristics");
    assert_eq!(cluster.rows[1].cells, ["Ave global cache convert time (ms):", "2.1"]);
    assert_eq!(cluster.rows.len(), 3);
    assert_eq!(table(&report, "Global Enqueue Service Statistics").rows.len(), 2);
    let gets = section(&report, "SQL ordered by Gets");
    assert_eq!(gets.notes[1], "A remark that takes two lines: statements within procedures are counted twice");
    assert_eq!(gets.tables[0].columns.last().unwrap(), "Hash Value");
    assert_eq!(gets.tables[0].rows.iter().map(|row| row.text.len()).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(gets.tables[0].rows[0].text[0], "Module: till.exe");
    assert_eq!(row(table(&report, "Instance Activity Stats"), "redo writes").cells[1], "60,114");

    let files = table(&report, "File IO Stats");
    assert_eq!(files.columns[..3], ["Tablespace", "Filename", "Reads"]);
    let folded = &files.rows[1];
    assert_eq!(folded.cells[1], "/u02/oradata/shop/a_directory_with_a_rather_long_name/sales01.dbf");
    assert_eq!(folded.cells[2], "3,161,139");
    assert_eq!(files.rows[2].cells[0], "SALES", "the tablespace of the second file");
    assert_eq!(files.rows[3].cells[4], "###");
    assert_eq!(files.rows[3].cells[9], "");
    assert_eq!(cell(table(&report, "Tablespace IO Stats"), "INDX", "Av Rd(ms)"), "0.8");
    let pool = table(&report, "Buffer Pool Statistics");
    assert_eq!(
        pool.columns,
        [
            "P",
            "Number of Buffers",
            "Cache Hit %",
            "Buffer Gets",
            "Physical Reads",
            "Physical Writes",
            "Free Buffer Waits",
            "Write Complete Waits",
            "Buffer Busy Waits"
        ]
    );
    assert_eq!(pool.rows[0].cells, ["D", "62,535", "92.3", "73,711,411", "5,705,102", "281,010", "0", "0", "41,002"]);
    assert_eq!(cell(table(&report, "Buffer wait Statistics"), "free list", "Waits"), "86");
    assert_eq!(cell(table(&report, "Enqueue activity"), "HW", "Wait Time (s)"), "1");
    assert_eq!(
        section(&report, "Rollback Segment Stats").notes,
        ["A remark without a space after its arrow that goes on in the next line"]
    );
    assert_eq!(table(&report, "Latch Activity").rows.len(), 3, "a page goes on with the table of the one before");
    assert_eq!(report.sections.iter().filter(|section| section.title == "Latch Activity").count(), 1);
    assert_eq!(
        row(table(&report, "init.ora Parameters"), "background_dump_dest").cells[1],
        "/u01/app/oracle/admin/the_shop_database/bdump"
    );
}

#[test]
fn statspack_of_8i_with_windows_line_ends() {
    let report = fixture("statspack_8i.txt");
    let head = &report.sections[0];
    assert_eq!(cell(&head.tables[0], "DEPOT", "OPS"), "NO");
    assert_eq!(cell(&head.tables[1], "Begin Snap:", "Snap Id"), "61");
    assert_eq!(head.tables[2].rows[0].cells, ["Elapsed:", "59.70 (mins)"]);
    assert_eq!(row(table(&report, "Cache Sizes"), "db_block_size:").cells[1], "8192");
    assert_eq!(row(&section(&report, "Load Profile").tables[1], "Rows per Sort:").cells[1], "", "absent, not zero");
    assert_eq!(cell(table(&report, "Top 5 Wait Events"), "log file sync", "Wait Time (cs)"), "40,810");
    assert_eq!(cell(table(&report, "Wait Events"), "latch free", "Total Wait Time (cs)"), "500");
    let reads = table(&report, "SQL ordered by Reads");
    assert_eq!((reads.rows[0].cells[4].as_str(), reads.rows[0].text.len()), ("3300112244", 1));
    assert!(!report.cut);
}

#[test]
fn awr_of_10g_on_a_cluster() {
    let report = fixture("awr_10g.txt");
    assert_eq!(report.kind, Kind::AwrText);
    assert_eq!(cell(&report.sections[0].tables[0], "SHOP", "RAC"), "YES");
    assert_eq!(row(&report.sections[0].tables[2], "DB Time:").cells[1], "410.33 (mins)");
    assert_eq!(row(table(&report, "Cache Sizes"), "Buffer Cache:").cells, ["Buffer Cache:", "2,048M", "1,984M"]);
    assert_eq!(row(&section(&report, "Cache Sizes").tables[1], "Std Block Size:").cells[1], "8K");
    assert_eq!(cell(table(&report, "Top 5 Timed Events"), "gc buffer busy", "%Total Call Time"), "8.1");
    assert_eq!(row(table(&report, "RAC Statistics"), "Number of Instances:").cells, ["Number of Instances:", "2", "2"]);
    assert_eq!(row(table(&report, "Global Cache Load Profile"), "Global Cache blocks served:").cells[1], "188.02");
    assert_eq!(
        row(
            table(&report, "Global Cache Efficiency Percentages (Target local+remote 100%)"),
            "Buffer access - disk %:"
        )
        .cells[1],
        "2.50"
    );
    assert_eq!(cell(table(&report, "Wait Class"), "Cluster", "Avg wait (ms)"), "27");
    let sql = table(&report, "SQL ordered by Elapsed Time");
    assert_eq!(sql.rows[0].cells, ["4,101", "902", "11,020", "0.4", "16.7", "7ab3kq9x0mz1c"]);
    assert_eq!(sql.rows[0].text.len(), 2);
    let locks = table(&report, "Segments by Row Lock Waits");
    assert_eq!(
        locks.columns,
        ["Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type", "Row Lock Waits", "% of Capture"]
    );
    assert_eq!(locks.rows[1].cells, ["TILL", "INDX", "STOCK_PK", "P2009", "INDEX", "60", "6.60"]);
}

fn statspack(body: &str) -> Document {
    let whole = format!("STATSPACK report for\n\n{body}\n\nEnd of Report ( made_up.txt )\n");
    text::documents(&whole).remove(0)
}

#[test]
fn a_host_line_that_sqlplus_folded() {
    let report = statspack(
        "Host                             Name             Platform                CPUs\n\
         Cores Sockets   Memory (G)\n\
         ~~~~ ---------------- ---------------------- ----- ----- ------- ------------\n\
         \x20    till07.shop      Linux x86 64-bit          12     6       2         64.0\n",
    );
    let host = &report.sections[0].tables[0];
    assert_eq!(host.columns, ["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (G)"]);
    assert_eq!(host.rows[0].cells, ["till07.shop", "Linux x86 64-bit", "12", "6", "2", "64.0"]);
}

#[test]
fn names_folded_over_lines_and_figures_too_wide() {
    let report = statspack(
        "Wait Events  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         Event                   Waits   Time (s)\n\
         ------------------ ---------- ----------\n\
         cell single block        #### 12,345,678\n\
         log file switch (c      1,204        310\n\
         heckpoint incomplete)\n\
         latch free                 12          0\n\
         \x20         -------------------------------------------------------------\n",
    );
    let waits = table(&report, "Wait Events");
    assert_eq!(waits.rows.len(), 3);
    assert_eq!(waits.rows[1].cells, ["log file switch (checkpoint incomplete)", "1,204", "310"]);
    assert_eq!(waits.rows[0].cells[1], "####");
}

#[test]
fn names_and_figures_of_other_languages_keep_their_columns() {
    let report = statspack(
        "Tablespace IO Stats  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         Tablespace\n\
         ------------------------------\n\
         \x20        Reads Av Rd(ms)\n\
         -------------- ---------\n\
         GRÖSSEN_ÄÖÜ\n\
         \x20    1.234.567       3,4\n\
         DONNÉES\n\
         \x20    1\u{202f}234\u{202f}567       3,4\n\
         \x20         -------------------------------------------------------------\n\
         Buffer wait Statistics  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         Class                    Waits\n\
         ------------------ -----------\n\
         größe é                  1.234\n\
         \x20         -------------------------------------------------------------\n",
    );
    let io = table(&report, "Tablespace IO Stats");
    assert_eq!(io.rows[0].cells, ["GRÖSSEN_ÄÖÜ", "1.234.567", "3,4"]);
    assert_eq!(io.rows[1].cells, ["DONNÉES", "1 234 567", "3,4"]);
    assert_eq!(table(&report, "Buffer wait Statistics").rows[0].cells, ["größe é", "1.234"]);
}

#[test]
fn a_statement_may_hold_anything() {
    let report = statspack(
        "SQL ordered by Gets  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         \x20 Buffer Gets    Executions Hash Value\n\
         --------------- ------------- ----------\n\
         \x20     1,000,000            10  123456789\n\
         Module: till.exe\n\
         select '--------------- -------------' x,\n\
         \n\
         ---------------------------------------\n\
         Event   Waits\n\
         ----- -------\n\
         :b1: 12, '<html>' from dual\n\
         \n\
         \x20       2,000             1   99887766\n\
         begin null; end;\n\
         \n\
         SQL ordered by Gets  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         \x20 Buffer Gets    Executions Hash Value\n\
         --------------- ------------- ----------\n\
         -- the end of the statement before\n\
         \n\
         \x20       1,000             1   99887767\n\
         \x20         -------------------------------------------------------------\n",
    );
    let gets = table(&report, "SQL ordered by Gets");
    assert_eq!(gets.rows.len(), 3);
    assert_eq!(gets.rows[1].text, ["begin null; end;", "-- the end of the statement before"]);
    assert_eq!(gets.rows[0].text[1], "select '--------------- -------------' x,");
}

#[test]
fn a_statement_s_identifier_first_in_the_middle_or_last() {
    let report = statspack(
        "SQL ordered by Elapsed Time  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         \x20 Elapsed\n\
         \x20 Time (s)  Executions    SQL Id     PDB Name\n\
         ---------- ----------- ------------- ----------\n\
         \x20  1\'234.5         N/A 7ab3kq9x0mz1c TILLS\n\
         Module: till.exe\n\
         select 1 from dual\n\
         \n\
         \x20     12.0           3 0000000000001 TILLS\n\
         select 2 from dual\n\
         \x20         -------------------------------------------------------------\n\
         SQL ordered by CPU Time  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         SQL Id         CPU Time (s)\n\
         ------------- -------------\n\
         7ab3kq9x0mz1c         ####\n\
         select 1 from dual\n\
         \x20         -------------------------------------------------------------\n",
    );
    let elapsed = table(&report, "SQL ordered by Elapsed Time");
    assert_eq!(elapsed.rows.len(), 2);
    assert_eq!(elapsed.rows[0].cells, ["1'234.5", "N/A", "7ab3kq9x0mz1c", "TILLS"]);
    assert_eq!(elapsed.rows[0].text, ["Module: till.exe", "select 1 from dual"]);
    let cpu = table(&report, "SQL ordered by CPU Time");
    assert_eq!((cpu.rows[0].cells[0].as_str(), cpu.rows[0].text.len()), ("7ab3kq9x0mz1c", 1));
}

#[test]
fn dashes_within_a_statement_end_nothing() {
    let report = statspack(
        "SQL ordered by Gets  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         \x20 Buffer Gets    Executions Hash Value\n\
         --------------- ------------- ----------\n\
         \x20     1,000,000            10  123456789\n\
         select -- the banner of a programmer\n\
         \x20           ------------------------------------------------------------\n\
         a heading of his\n\
         ~~~~~~~~~~~~~~~~\n\
         which: 1   what: 2\n\
         \n\
         \x20       2,000             1   99887766\n\
         begin null; end;\n\
         \x20         -------------------------------------------------------------\n\
         Latch Activity  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         Latch           Misses\n\
         --------------- ------\n\
         shared pool         12\n\
         \x20         -------------------------------------------------------------\n",
    );
    assert_eq!(report.sections.len(), 3, "{:?}", report.sections);
    let gets = table(&report, "SQL ordered by Gets");
    assert_eq!(gets.rows.iter().map(|row| row.text.len()).collect::<Vec<_>>(), [5, 1]);
    assert_eq!(table(&report, "Latch Activity").rows.len(), 1);
}

#[test]
fn headings_over_groups_a_little_beside_their_columns() {
    let report = statspack(
        "Global Cache Transfer Stats  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
         \x20                           CR                      Current\n\
         \x20               ---------------------------  ---------------------------\n\
         Inst Block         Blocks      %      %        Blocks      %      %\n\
         \x20 No Class       Received  Immed   Busy      Received  Immed   Busy\n\
         ---- ----------- ---------- ------ ------  ---------- ------ ------\n\
         \x20  2 data block       8,101   98.0    1.5       9,001   97.0    2.0\n\
         \x20         -------------------------------------------------------------\n",
    );
    let transfers = table(&report, "Global Cache Transfer Stats");
    assert_eq!(
        transfers.columns,
        [
            "Inst No",
            "Block Class",
            "CR Blocks Received",
            "CR % Immed",
            "CR % Busy",
            "Current Blocks Received",
            "Current % Immed",
            "Current % Busy"
        ]
    );
    assert_eq!(transfers.rows[0].cells, ["2", "data block", "8,101", "98.0", "1.5", "9,001", "97.0", "2.0"]);
}

#[test]
fn two_reports_one_after_the_other_and_a_report_without_its_head() {
    let one =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/statspack_9i.txt")).unwrap();
    let two = text::documents(&format!("SQL> @report\nEnter value\n{one}SQL> exit\n{one}"));
    assert_eq!(two.len(), 2);
    assert_eq!(two[0].sections.len(), two[1].sections.len());
    assert_eq!(two[1].sections[0].line - two[0].sections[0].line, one.lines().count() + 1);
    let from = one.find("Instance Activity Stats").unwrap();
    let tail = text::documents(&one[from..]);
    assert_eq!((tail.len(), tail[0].kind, tail[0].cut), (1, Kind::Statspack, true));
    let head = text::documents(&one[..from]);
    assert!(head[0].cut);
    assert!(text::documents("nothing of the kind\n").is_empty());
}

#[test]
fn a_page_that_a_browser_saved_as_text() {
    let page = "WORKLOAD REPOSITORY report for\n\n\
        DB Name\tDB Id\tInstance\tInst num\tRelease\tRAC\nSHOP\t1029384756\tshop1\t1\t11.2.0.4.0\tNO\n\n\
        \tSnap Id\tSnap Time\tSessions\nBegin Snap:\t10\t01-Mar-13 10:00:00\t50\nEnd Snap:\t11\t01-Mar-13 11:00:00\t51\n\n\
        Report Summary\n\nInstance Efficiency Percentages (Target 100%)\nBuffer Nowait %:\t100.00\tRedo NoWait %:\t99.97\n\
        Main Report\n\n    Wait Events Statistics\n\nBack to Top\nForeground Wait Events\n\n    made up note\n\n\
        Event\tWaits\t%Time -outs\tTotal Wait Time (s)\ndb file sequential read\t520,207\t0\t4,568\nlog file sync\t182,738\t\t94\n\
        Back to Top\nStreams Apply\n\nNo data exists for this section of the report.\nBack to Top\n\
        Instance Activity Stats\nStatistic\tTotal\nredo writes\t1,200\nEnd of Report\n";
    let documents = text::documents(page);
    assert_eq!(documents.len(), 1);
    let report = &documents[0];
    assert_eq!((report.kind, report.cut), (Kind::AwrHtml, false));
    let events = section(report, "Foreground Wait Events");
    assert_eq!(events.tables[0].columns, ["Event", "Waits", "%Time -outs", "Total Wait Time (s)"]);
    assert_eq!(events.tables[0].rows[1].cells, ["log file sync", "182,738", "", "94"]);
    assert!(section(report, "Streams Apply").empty);
    assert_eq!(cell(&report.sections[0].tables[1], "End Snap:", "Snap Id"), "11");
    assert_eq!(table(report, "Instance Efficiency Percentages (Target 100%)").rows[0].cells.len(), 4);
}

/// The samples beside the repository, if they are there.
fn sample(path: &str) -> Option<String> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples").join(path);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

const SAMPLES: [&str; 4] = [
    "statspack/top14_sp_1830_1845.txt",
    "statspack/jasmin_sp_70371_70372.txt",
    "awr_text/top14_awr_1830_1845.txt",
    "awr_text/jasmin_awrrpt_1_2668_2669.txt",
];

/// Every figure that stands in a line of a table in a real report stands in a row of that line, or of the line above
/// for rows of two.
#[test]
fn no_figure_of_a_real_report_is_lost() {
    for path in SAMPLES {
        let Some(whole) = sample(path) else { continue };
        let documents = text::documents(&whole);
        assert_eq!(documents.len(), 1, "{path}");
        let report = &documents[0];
        assert!(!report.cut, "{path}");
        let lines: Vec<&str> = whole.lines().collect();
        let mut words: Vec<String> = vec![String::new(); lines.len() + 2];
        let mut text_lines = vec![false; lines.len() + 2];
        for section in report.sections.iter().filter(|section| !section.title.starts_with("ADDM Report")) {
            for row in section.tables.iter().flat_map(|table| &table.rows) {
                words[row.line].push_str(&format!(" {} ", row.cells.join(" ")));
                for line in row.line + 1..(row.line + 9).min(text_lines.len()) {
                    text_lines[line] |= !row.text.is_empty();
                }
            }
        }
        let advisor = report
            .sections
            .iter()
            .find(|section| section.title.starts_with("ADDM Report"))
            .map_or(usize::MAX, |section| section.line);
        let mut checked = 0;
        let mut lost = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let number = index + 1;
            let figures: Vec<&str> = line
                .split_whitespace()
                .filter(|word| {
                    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit() || b".,#".contains(&byte))
                })
                .collect();
            // A line of a table ends in a figure and has several.
            let is_heading =
                lines.get(index + 1).is_some_and(|next| next.starts_with("---") || next.starts_with("~~~"));
            if figures.len() < 2
                || is_heading
                || text_lines[number]
                || number >= advisor
                || line.contains("DB/Inst:")
                || line.trim_start().starts_with("->")
            {
                continue;
            }
            checked += 1;
            let near = format!(
                "{} {} {}",
                words[number],
                words[number.saturating_sub(1)],
                words[(number + 1).min(words.len() - 1)]
            );
            if !figures.iter().all(|figure| near.contains(figure)) {
                lost.push(number);
            }
        }
        assert!(checked > 700, "{path}: {checked} lines");
        assert!(lost.is_empty(), "{path}: lines {lost:?}");
    }
}

/// Rows counted in the file itself: from each heading's last ruler to the section's end, pages put together.
#[test]
fn rows_of_real_reports_are_as_many_as_their_lines() {
    let plain = [
        "Foreground Wait Events",
        "Background Wait Events",
        "Wait Events (fg and bg)",
        "Wait Event Histogram",
        "Instance Activity Stats",
        "Latch Activity",
        "Time Model System Stats",
        "Time Model Statistics",
        "OS Statistics",
        "Operating System Statistics",
        "Dictionary Cache Stats",
        "Mutex Sleep Summary",
        "Undo Segment Stats",
        "PGA Aggr Target Histogram",
        "Buffer Pool Advisory",
    ];
    let two_lines =
        ["Tablespace IO Stats", "File IO Stats", "Enqueue activity", "Enqueue Activity", "Service Wait Class Stats"];
    for path in SAMPLES {
        let Some(whole) = sample(path) else { continue };
        let report = text::documents(&whole).remove(0);
        let lines: Vec<&str> = whole.lines().map(|line| line.trim_start_matches('\u{c}')).collect();
        let mut counted = 0;
        for section in &report.sections {
            let lines_a_row = if plain.contains(&section.title.as_str()) {
                1
            } else if two_lines.contains(&section.title.as_str()) {
                2
            } else {
                continue;
            };
            if section.empty {
                continue;
            }
            let mut in_rows = false;
            let mut count = 0;
            for (offset, line) in lines[section.line..].iter().enumerate() {
                let is_ruler =
                    |line: &str| line.trim().len() > 3 && line.trim().bytes().all(|byte| byte == b'-' || byte == b' ');
                let dashes = is_ruler(line);
                if dashes && line.starts_with("          ") && line.trim().len() > 50 {
                    break;
                } else if dashes {
                    // The last ruler before rows; the group's ruler and the first of two are followed by words of the
                    // heading.
                    let next = lines[section.line + offset + 1..]
                        .iter()
                        .position(|line| is_ruler(line) && line.starts_with('-'));
                    in_rows = next.is_none_or(|next| next > 4);
                } else if line.contains("DB/Inst:") {
                    in_rows = false;
                } else if in_rows && !line.trim().is_empty() {
                    count += 1;
                }
            }
            let rows: usize = section.tables.iter().map(|table| table.rows.len()).sum();
            assert_eq!(rows * lines_a_row, count, "{path}: {}", section.title);
            counted += 1;
        }
        assert!(counted >= 9, "{path}: {counted} sections");
    }
}

/// Statements: as many as there are lines that end in an identifier at its place.
#[test]
fn statements_of_real_reports_are_as_many_as_their_identifiers() {
    for path in SAMPLES {
        let Some(whole) = sample(path) else { continue };
        let report = text::documents(&whole).remove(0);
        let is_identifier = |word: &str| {
            if report.kind == Kind::Statspack {
                (8..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
            } else {
                word.len() == 13
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                    && word.bytes().any(|byte| byte.is_ascii_digit())
            }
        };
        let first = report.sections.iter().find(|section| section.title.starts_with("SQL ordered")).unwrap().line;
        let after = report
            .sections
            .iter()
            .skip_while(|section| !section.title.starts_with("SQL ordered"))
            .find(|section| !section.title.starts_with("SQL ordered"))
            .unwrap()
            .line;
        let figure =
            |word: &str| word == "N/A" || word.bytes().all(|byte| byte.is_ascii_digit() || b".,E+".contains(&byte));
        let in_file = whole
            .lines()
            .skip(first)
            .take(after - first)
            .filter(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.len() >= 3
                    && words
                        .split_last()
                        .is_some_and(|(last, rest)| is_identifier(last) && rest.iter().all(|word| figure(word)))
            })
            .count();
        let rows: usize = report
            .sections
            .iter()
            .filter(|section| section.title.starts_with("SQL ordered"))
            .flat_map(|section| &section.tables)
            .map(|table| table.rows.len())
            .sum();
        assert_eq!(rows, in_file, "{path}");
        assert!(rows > 40, "{path}");
    }
}

/// The same report as text and as a page: the same sections with as many rows, but for what only one of the two prints.
#[test]
fn a_report_as_text_has_the_rows_that_it_has_as_a_page() {
    let (Some(as_text), Some(as_page)) =
        (sample("awr_text/top14_awr_1830_1845.txt"), sample("awr_html/top14_awr_1830_1845.html"))
    else {
        return;
    };
    let text = text::documents(&as_text).remove(0);
    let page = report::grid::html::documents(&as_page).remove(0);
    let rows = |section: &Section| section.tables.iter().map(|table| table.rows.len()).sum::<usize>();
    // The page sets two pairs in a row, and the names of Instance CPU in its heading; the text has a sum below the SGA.
    let set_otherwise =
        ["Cache Sizes", "Instance Efficiency Percentages (Target 100%)", "Instance CPU", "SGA Memory Summary"];
    let mut compared = 0;
    let mut different = Vec::new();
    for section in text.sections.iter().filter(|section| !set_otherwise.contains(&section.title.as_str())) {
        let twins: Vec<&Section> = page.sections.iter().filter(|twin| twin.title == section.title).collect();
        if let [twin] = twins[..] {
            compared += 1;
            if rows(twin) != rows(section) || twin.empty != section.empty {
                different.push(format!("{}: {} in text, {} on the page", section.title, rows(section), rows(twin)));
            }
        }
    }
    assert!(compared > 60, "{compared}");
    assert!(different.is_empty(), "{different:#?}");
}
