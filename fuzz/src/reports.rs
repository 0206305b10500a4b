//! What must hold of any report that was read, and reports out of the pieces that real ones are made of.

use report::grid::Document;

use crate::Input;

/// Tables are as wide as their headings, lines go up, nothing is larger than its text explains; and the model can be
/// made of it.
pub fn check(documents: &[Document], bytes: usize) {
    let mut cells = 0;
    for document in documents {
        for section in &document.sections {
            for table in &section.tables {
                assert!(table.columns.len() <= 1024, "{} columns", table.columns.len());
                let mut line = 0;
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.columns.len(), "{}", section.title);
                    assert!(row.line >= line, "{}: line {} after {line}", section.title, row.line);
                    line = row.line;
                    cells += row.cells.len();
                }
            }
        }
        let model = report::read::report(document);
        assert!(!document.cut || model.cut);
        let json = serde_json::to_string(&model).expect("a model is JSON");
        assert!(json.starts_with('{'));
    }
    assert!(cells <= 200_000 + 16 * bytes, "{cells} cells of {bytes} bytes");
}

/// Figures as reports print them; in places where a mask failed, too.
const FIGURES: &[&str] = &[
    "0",
    "1",
    "1,234",
    "1.234,5",
    "12.5",
    ".0",
    "-3",
    "99,999,999,999",
    "1.5K",
    "26.4G",
    "109.72us",
    "5.48ms",
    "3.51655E+308",
    "####",
    "N/A",
    "",
    "-",
    "1e999",
    "8192",
    "7 ",
    "4:03:59",
    "03-Mar-09 09:00:11",
    "59.85 (mins)",
    "é1",
];

pub fn figure(input: &mut Input<'_>) -> &'static str {
    FIGURES[input.below(FIGURES.len())]
}

/// Titles, names of columns and of rows that the interpreters look for.
const WORDS: &[&str] = &[
    "Load Profile",
    "Cache Sizes",
    "Instance Efficiency Percentages (Target 100%)",
    "Top 5 Timed Events",
    "Foreground Wait Events",
    "Background Wait Events",
    "Wait Events",
    "Wait Event Histogram",
    "Wait Event Histogram Detail (64 msec to 2 sec)",
    "Foreground Wait Class",
    "Time Model Statistics",
    "Operating System Statistics",
    "Operating System Statistics - Detail",
    "Service Statistics",
    "SQL ordered by Elapsed Time",
    "SQL ordered by Reads",
    "Complete List of SQL Text",
    "Instance Activity Stats",
    "Instance Activity Stats - Thread Activity",
    "IOStat by Function summary",
    "IOStat by Filetype summary",
    "Tablespace IO Stats",
    "File IO Stats",
    "Buffer Pool Statistics",
    "Buffer Wait Statistics",
    "Buffer wait Statistics",
    "Enqueue Activity",
    "Undo Segment Summary",
    "Undo Segment Stats",
    "Latch Activity",
    "Latch Sleep Breakdown",
    "PGA Aggr Target Stats",
    "PGA Aggr Target Histogram",
    "SGA Memory Summary",
    "Segments by Logical Reads",
    "init.ora Parameters",
    "Global Cache Load Profile",
    "Memory Statistics",
    "Host CPU",
    "Instance CPU",
    "Database Summary",
    "Event",
    "Waits",
    "%Time -outs",
    "Total Wait Time (s)",
    "Avg wait (ms)",
    "Avg wait",
    "Waits /txn",
    "% DB time",
    "<1ms",
    "<=1s",
    ">1s",
    "Statistic",
    "Total",
    "per Second",
    "per Trans",
    "Per Second",
    "Per Transaction",
    "Begin",
    "End",
    "Tablespace",
    "Filename",
    "Reads",
    "Av Rd(ms)",
    "Writes",
    "Class",
    "Name",
    "Value",
    "End Value",
    "SQL Id",
    "SQL Text",
    "Executions",
    "Elapsed Time (s)",
    "Parameter Name",
    "Begin value",
    "I#",
    "Snap Id",
    "Snap Time",
    "DB Name",
    "DB Id",
    "Instance",
    "Release",
    "log file sync",
    "log file parallel write",
    "DB CPU",
    "CPU time",
    "data block",
    "DB Time(s):",
    "Redo size:",
    "Begin Snap:",
    "Elapsed:",
    "redo write time",
    "user commits",
    "Undo TS#",
    "Num Undo Blocks (K)",
];

pub fn word(input: &mut Input<'_>) -> &'static str {
    WORDS[input.below(WORDS.len())]
}

/// A page of HTML out of its own pieces.
pub fn html(input: &mut Input<'_>) -> String {
    let mut page =
        String::from("<html><head><title>AWR Report</title></head><body><h1>WORKLOAD REPOSITORY report for</h1>\n");
    while !input.is_empty() {
        match input.byte() % 32 {
            0 => page.push_str("\n<table border=\"0\" summary=\"This table displays\">"),
            1 => page.push_str("</table><p />\n"),
            2 => page.push_str("<tr>"),
            3 => page.push_str("</tr>\n"),
            4..=8 => page.push_str("<td align=\"right\">"),
            9 => page.push_str("</td>"),
            10..=11 => page.push_str("<th scope=\"col\">"),
            12 => page.push_str("</th>"),
            13 => page.push_str(&format!("<th colspan=\" {}\">", input.byte())),
            14 => page.push_str(&format!("<td rowspan={} colspan={}>", input.byte(), input.byte())),
            15 => page.push_str(&format!("<h3 class=\"awr\">{}</h3>\n", word(input))),
            16 => page.push_str("<h2>"),
            17 => page.push_str("<ul><li class=\"awr\">"),
            18 => page.push_str("</ul>"),
            19 => page.push_str("<a href=\"#top\">"),
            20 => page.push_str("</a>"),
            21 => page.push_str("<pre>"),
            22 => page.push_str("</pre_sqltext>"),
            23..=25 => page.push_str(word(input)),
            26..=28 => page.push_str(figure(input)),
            29 => page.push_str("No data exists for this section of the report."),
            30 => page.push_str("End of Report</body></html>"),
            _ => page.push_str(&String::from_utf8_lossy(input.take(4))),
        }
    }
    page
}

/// Lines of Statspack or AWR text out of their own pieces.
pub fn text(input: &mut Input<'_>) -> String {
    let mut text = String::from(if input.byte() % 2 == 0 {
        "STATSPACK report for\n\n"
    } else {
        "WORKLOAD REPOSITORY report for\n\n"
    });
    let mut widths: Vec<usize> = Vec::new();
    while !input.is_empty() {
        match input.byte() % 20 {
            0..=2 => {
                text.push_str(word(input));
                text.push_str("  DB/Inst: TOY/toy1  Snaps: 640-641\n");
            }
            3 => {
                let title = word(input);
                text.push_str(&format!("{title}\n{}\n", "~".repeat(title.len())));
            }
            4 => text.push_str("-> ordered by waits desc\n"),
            5..=6 => {
                widths = (0..input.byte() % 9).map(|_| 1 + usize::from(input.byte() % 32)).collect();
                let ruler: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
                text.push_str(&format!("{}\n", ruler.join(" ")));
            }
            7..=8 => text.push_str(&format!("{:>40} {}\n", word(input), word(input))),
            9..=13 => {
                for (column, &width) in widths.iter().enumerate() {
                    let cell = if column == 0 { word(input) } else { figure(input) };
                    text.push_str(&if column == 0 { format!("{cell:<width$} ") } else { format!("{cell:>width$} ") });
                }
                text.push('\n');
            }
            14 => text.push_str("          -------------------------------------------------------------\n"),
            15 => text.push_str("No data exists for this section of the report.\n"),
            16 => text.push_str(&format!(
                "{:>28}: {:>12}  {:>16}: {}\n",
                word(input),
                figure(input),
                word(input),
                figure(input)
            )),
            17 => text.push_str("\x0c\n\n"),
            18 => text.push_str("End of Report\n"),
            _ => {
                text.push_str(&String::from_utf8_lossy(input.take(6)));
                text.push('\n');
            }
        }
    }
    text
}
