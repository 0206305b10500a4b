//! Made-up reports and traces to measure the readers with: the same tables as HTML, as AWR text and as Statspack, of
//! the size of a busy instance's report.

use std::fmt::Write as _;
use std::io::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Html,
    AwrText,
    Statspack,
}

/// A report, with the rows that a reader must find in it.
pub(crate) struct Written {
    pub(crate) text: String,
    /// Rows of all tables.
    pub(crate) rows: usize,
    pub(crate) foreground_events: usize,
    pub(crate) statistics: usize,
}

/// Numbers that are random enough (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// With commas between thousands.
    fn count(&mut self, limit: u64) -> String {
        let digits = self.below(limit).to_string();
        let mut text = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    }

    fn tenths(&mut self, limit: u64) -> String {
        format!("{}.{}", self.count(limit), self.below(10))
    }
}

/// A table: its columns with their width in text (negative: left-aligned), and its rows.
struct Table {
    columns: Vec<(&'static str, i32)>,
    rows: Vec<Vec<String>>,
}

struct Section {
    title: String,
    notes: &'static [&'static str],
    table: Table,
}

fn table(columns: &[(&'static str, i32)], count: usize, mut row: impl FnMut(usize) -> Vec<String>) -> Table {
    Table { columns: columns.to_vec(), rows: (0..count).map(&mut row).collect() }
}

const EVENT_NOTES: &[&str] = &[
    "s  - second, ms - millisecond, us - microsecond",
    "Only events with Total Wait Time (s) >= .001 are shown",
    "ordered by wait time desc, waits desc (idle events last)",
];

const EVENTS: usize = 140;
const STATISTICS: usize = 900;

fn sections(form: Form, numbers: &mut Numbers) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |title: &str, notes, table| sections.push(Section { title: title.to_owned(), notes, table });
    let events: &[(&str, i32)] = &[
        ("Event", -28),
        ("Waits", 12),
        ("%Time -outs", 5),
        ("Total Wait Time (s)", 10),
        ("Avg wait (ms)", 7),
        ("Waits /txn", 8),
        (if form == Form::Statspack { "%Total Call Time" } else { "% DB time" }, 6),
    ];
    for title in ["Foreground Wait Events", "Background Wait Events"] {
        let rows = table(events, EVENTS, |event| {
            let name = if event == 0 { "log file sync".to_owned() } else { format!("toy event {event:03}") };
            let figures = [
                numbers.count(9_000_000),
                "0".into(),
                numbers.count(90_000),
                numbers.count(900),
                numbers.tenths(90),
                numbers.tenths(40),
            ];
            [name].into_iter().chain(figures).collect()
        });
        add(title, EVENT_NOTES, rows);
    }
    let statistics =
        table(&[("Statistic", -32), ("Total", 18), ("per Second", 14), ("per Trans", 13)], STATISTICS, |line| {
            vec![
                format!("toy statistic {line:04}"),
                numbers.count(90_000_000_000),
                numbers.tenths(900_000),
                numbers.tenths(9_000),
            ]
        });
    add("Instance Activity Stats", &["Ordered by statistic name"], statistics);
    let latches = table(
        &[
            ("Latch Name", -24),
            ("Get Requests", 14),
            ("Pct Get Miss", 6),
            ("Avg Slps /Miss", 6),
            ("Wait Time (s)", 6),
            ("NoWait Requests", 12),
            ("Pct NoWait Miss", 6),
        ],
        500,
        |latch| {
            let figures = [
                numbers.count(9_000_000),
                "0.0".into(),
                numbers.tenths(9),
                "0".into(),
                numbers.count(90_000),
                "0.0".into(),
            ];
            [format!("toy latch {latch:03}")].into_iter().chain(figures).collect()
        },
    );
    add("Latch Activity", &["ordered by latch name"], latches);
    sections
}

/// A statement's text.
fn statement(number: u64) -> String {
    format!(
        "select p.no, p.weight, s.name from parcels p join shelves s on s.no = p.shelf where p.kind = 'k{number}' and p.weight > :1 and \
         s.floor < :2 and not exists (select 1 from holds h where h.parcel = p.no and h.until >= sysdate) order by p.no"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn html(sections: &[Section], numbers: &mut Numbers) -> (String, usize) {
    let mut page = String::from(
        "<html lang=\"en\"><head><title>AWR Report for DB: TOY, Inst: toy1, Snaps: 640-641</title>\n</head><body class=\"awr\">\n<h1 class=\"awr\">\nWORKLOAD REPOSITORY report for\n\n</h1>\n<p />\n",
    );
    let mut rows = 0;
    let mut write = |title: &str, notes: &[&str], columns: &[&str], cells: &[Vec<String>]| {
        writeln!(page, "<a class=\"awr\" name=\"{}\"></a>\n<h3 class=\"awr\">{title}</h3>\n<ul>", title.len()).unwrap();
        for note in notes {
            writeln!(page, "<li class=\"awr\"> {} </li>", escaped(note)).unwrap();
        }
        write!(page, "</ul>\n<table border=\"0\" class=\"tdiff\" summary=\"This table displays {title}\"><tr>")
            .unwrap();
        for column in columns {
            write!(page, "<th class=\"awrbg\" scope=\"col\">{}</th>", escaped(column)).unwrap();
        }
        page.push_str("</tr>\n");
        for (number, row) in cells.iter().enumerate() {
            let class = if number % 2 == 0 { "awrc" } else { "awrnc" };
            write!(page, "<tr><td scope=\"row\" class='{class}'>{}</td>", escaped(&row[0])).unwrap();
            for cell in &row[1..] {
                write!(page, "<td align=\"right\" class='{class}'>{}</td>", escaped(cell)).unwrap();
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</table>\n<hr align=\"left\" width=\"20%\" /><p />\n<a class=\"awr\" href=\"#21\">Back to Wait Events Statistics</a>\n<br /><a class=\"awr\" href=\"#top\">Back to Top</a><p />\n");
        rows += cells.len();
    };
    let head = [["TOY", "40960017", "toy1", "1", "02-May-24 06:11", "19.0.0.0.0", "NO"].map(str::to_owned).to_vec()];
    write("Database", &[], &["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"], &head);
    for section in sections {
        let names: Vec<&str> = section.table.columns.iter().map(|(name, _)| *name).collect();
        write(&section.title, section.notes, &names, &section.table.rows);
    }
    let texts: Vec<Vec<String>> = (0..400)
        .map(|_| {
            let number = numbers.below(100_000_000);
            vec![format!("toy{number:010}"), statement(number)]
        })
        .collect();
    write("Complete List of SQL Text", &[], &["SQL Id", "SQL Text"], &texts);
    page.push_str("End of Report\n</body></html>\n");
    (page, rows)
}

/// Cuts a heading into lines that fit its column.
fn heading_lines(name: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn padded(text: &str, width: i32) -> String {
    let room = width.unsigned_abs() as usize;
    if width < 0 { format!("{text:<room$}") } else { format!("{text:>room$}") }
}

fn plain(sections: &[Section], form: Form) -> (String, usize) {
    let mut text = String::new();
    let mut rows = 0;
    if form == Form::Statspack {
        text.push_str("\nSTATSPACK report for\n\nDatabase    DB Id    Instance     Inst Num  Startup Time   Release     RAC\n~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---\n            40960017 toy1                1 02-May-24 06:11 19.0.0.0.0  NO\n\n");
    } else {
        text.push_str("\nWORKLOAD REPOSITORY report for\n\nDB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC\n------------ ----------- ------------ -------- --------------- ----------- ---\nTOY             40960017 toy1                1 02-May-24 06:11 19.0.0.0.0  NO\n\n");
    }
    rows += 1;
    for section in sections {
        writeln!(text, "{}  DB/Inst: TOY/toy1  Snaps: 640-641", section.title).unwrap();
        for note in section.notes {
            writeln!(text, "-> {note}").unwrap();
        }
        text.push('\n');
        let columns = &section.table.columns;
        let headings: Vec<Vec<String>> =
            columns.iter().map(|&(name, width)| heading_lines(name, width.unsigned_abs() as usize)).collect();
        let height = headings.iter().map(Vec::len).max().unwrap_or(0);
        let mut line_of = |cells: &mut dyn Iterator<Item = String>| {
            let line = cells.collect::<Vec<_>>().join(" ");
            text.push_str(line.trim_end());
            text.push('\n');
        };
        for line in 0..height {
            line_of(&mut headings.iter().zip(columns).map(|(lines, &(_, width))| {
                let part = (line + lines.len()).checked_sub(height).and_then(|at| lines.get(at));
                padded(part.map_or("", String::as_str), width)
            }));
        }
        line_of(&mut columns.iter().map(|&(_, width)| "-".repeat(width.unsigned_abs() as usize)));
        for row in &section.table.rows {
            line_of(&mut row.iter().zip(columns).map(|(cell, &(_, width))| padded(cell, width)));
        }
        text.push_str("          -------------------------------------------------------------\n\n");
        rows += section.table.rows.len();
    }
    text.push_str("End of Report\n");
    (text, rows)
}

/// One report. Another number gives other figures.
pub(crate) fn report(form: Form, number: u64) -> Written {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ (number + 1));
    let sections = sections(form, &mut numbers);
    let (text, rows) = if form == Form::Html { html(&sections, &mut numbers) } else { plain(&sections, form) };
    Written { text, rows, foreground_events: EVENTS, statistics: STATISTICS }
}

/// At least so many bytes of a trace of 19c: one-row statements with a read each.
pub(crate) fn trace(out: &mut Vec<u8>, bytes: usize) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut time = 4_000_000_000u64;
    out.extend_from_slice(b"Trace file /u01/trace/toy_ora_4711.trc\nOracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n\n*** SESSION ID:(12.345) 2024-01-01T00:00:00.000000+00:00\n\n");
    while out.len() < bytes {
        let number = numbers.below(2000);
        let cursor = 140_489_000_000_000 + number * 1640;
        let text = statement(number);
        time += 100;
        writeln!(out, "=====================\nPARSING IN CURSOR #{cursor} len={} dep=0 uid=110 oct=3 lid=110 tim={time} hv={number} ad='787' sqlid='toy{number:010}'\n{text}\nEND OF STMT\nPARSE #{cursor}:c=80,e=90,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=38112{number},tim={time}", text.len()).unwrap();
        for _ in 0..20 {
            let waited = 100 + numbers.below(9000);
            time += waited + 200;
            writeln!(
                out,
                "EXEC #{cursor}:c=55,e=60,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=38112{number},tim={}",
                time - waited - 90
            )
            .unwrap();
            writeln!(out, "WAIT #{cursor}: nam='db file sequential read' ela= {waited} file#=4 block#={} blocks=1 obj#=90001 tim={}", numbers.below(80_000), time - 50).unwrap();
            writeln!(
                out,
                "FETCH #{cursor}:c=25,e={},p=1,cr=4,cu=0,mis=0,r=1,dep=0,og=1,plh=38112{number},tim={time}",
                waited + 30
            )
            .unwrap();
            writeln!(out, "WAIT #{cursor}: nam='SQL*Net message from client' ela= 70 driver id=1650815232 #bytes=1 p3=0 obj#=-1 tim={}", time + 80).unwrap();
        }
    }
}
