//! The boundaries of a report's sections.

use crate::model::Kind;

use super::MAX_SECTIONS;
use super::line::{Lines, Look, folded, title_end};
use super::pairs::pairs;

/// A title longer than this is a line of text.
const MAX_TITLE: usize = 100;

/// One section: its title, and the lines that belong to it.
#[derive(Debug)]
pub(super) struct SectionLines {
    pub(super) title: String,
    /// The title's line.
    pub(super) at: usize,
    /// First and one past the last line of the body.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Columns of the line at `start` that are the title, underlined by the tildes of the next line: the rest of both
    /// is heading.
    pub(super) underlined: usize,
}

#[derive(Debug)]
pub(super) struct Outline {
    pub(super) sections: Vec<SectionLines>,
    /// The report's last line was found.
    pub(super) ended: bool,
    /// There are more sections than are kept.
    pub(super) full: bool,
}

/// The kind of report whose first line this is.
pub(super) fn header(text: &str) -> Option<Kind> {
    let line = text.trim_start();
    if line.len() > 60 || !line.is_ascii() {
        return None;
    }
    let starts = |with: &str| line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    if starts("STATSPACK report for") {
        Some(Kind::Statspack)
    } else if starts("WORKLOAD REPOSITORY report for")
        || starts("WORKLOAD REPOSITORY REPORT (RAC)")
        || starts("WORKLOAD REPOSITORY PDB report")
    {
        Some(Kind::AwrText)
    } else {
        None
    }
}

/// The kind of report of lines without its first one, if any.
pub(super) fn headless(lines: &Lines<'_>) -> Option<Kind> {
    let titles: Vec<&str> =
        (0..lines.len()).filter(|&at| lines.look(at) == Look::Title).take(200).map(|at| lines.text(at)).collect();
    if !titles.iter().any(|title| title.contains("Snap")) {
        return None;
    }
    // Statspack puts two spaces before DB/Inst, or writes "for DB:"; AWR sets it flush right.
    let statspack = titles
        .iter()
        .filter(|title| {
            title.contains(" for DB:") || title_end(title).is_some_and(|end| spaces_before(title, end) <= 2)
        })
        .count();
    Some(if statspack * 2 > titles.len() { Kind::Statspack } else { Kind::AwrText })
}

fn spaces_before(text: &str, end: usize) -> usize {
    text.as_bytes()[..end].iter().rev().take_while(|&&byte| byte == b' ').count()
}

impl Outline {
    /// The sections of the report whose lines these are.
    pub(super) fn of(lines: &Lines<'_>, start: usize, end: usize) -> Self {
        let mut outline = Self { sections: Vec::new(), ended: false, full: false };
        let mut first_page = true;
        let mut closed = false;
        let mut at = start;
        if header(lines.text(start)).is_some() {
            outline.open(folded(lines.text(start)), start, start + 1, 0);
            at += 1;
        }
        let mut advisor = false;
        while at < end {
            match lines.look(at) {
                // The advisor's findings at the end are prose, and statements in it may look like anything.
                look if advisor && look != Look::Title && !is_last_line(lines.text(at)) => {}
                Look::Title => {
                    let text = lines.text(at);
                    let title = folded(&text[..title_end(text).unwrap_or(text.len())]);
                    first_page = false;
                    advisor = false;
                    if closed || outline.sections.last().is_none_or(|part| part.title != title) {
                        outline.open(title, at, at + 1, 0);
                    }
                    closed = false;
                }
                Look::Tilde => outline.underline(lines, at, first_page, &mut closed),
                Look::Ruler if lines.text(at).trim_start().starts_with('~') => {
                    outline.underline(lines, at, first_page, &mut closed)
                }
                Look::Ruler if first_page && outline.sections.len() > 1 => outline.blocks(lines, at),
                Look::Ruler if outline.in_cluster_statistics() && names_block(lines, at) => {
                    closed = false;
                    outline.open(folded(lines.text(at - 1)), at - 1, at + 1, 0);
                }
                Look::End => closed = true,
                Look::Text if is_last_line(lines.text(at)) => {
                    outline.ended = true;
                    outline.close(at);
                    return outline;
                }
                Look::Text if closed => {
                    closed = false;
                    advisor = lines.text(at).trim_start().starts_with("ADDM Report for");
                    // An underlined title is met at its underline; a heading goes on with the title that it stood
                    // under.
                    if lines.look(at + 1) == Look::Tilde || lines.text(at + 1).starts_with('~') {
                    } else if !advisor && heads_table(lines, at, end) {
                        let title = outline.sections.last().map(|part| part.title.clone()).unwrap_or_default();
                        outline.open(title, at, at, 0);
                    } else {
                        let title = folded(lines.text(at));
                        let long = title.chars().count() > MAX_TITLE;
                        let body = if long { at } else { at + 1 };
                        outline.open(if long { String::new() } else { title }, at, body, 0);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        outline.close(end);
        outline
    }

    fn open(&mut self, title: String, at: usize, start: usize, underlined: usize) {
        self.close(at);
        if self.sections.len() == MAX_SECTIONS {
            self.full = true;
            return;
        }
        self.sections.push(SectionLines { title, at, start, end: start, underlined });
    }

    /// In 9i, names underlined with dashes part this section.
    fn in_cluster_statistics(&self) -> bool {
        self.sections.last().is_some_and(|part| part.title == "Cluster Statistics" || part.title.starts_with("Global "))
    }

    /// The text of statements may look like anything.
    fn in_statements(&self) -> bool {
        self.sections
            .last()
            .is_some_and(|part| part.title.starts_with("SQL ordered") || part.title.ends_with("SQL Text"))
    }

    fn close(&mut self, end: usize) {
        if let Some(part) = self.sections.last_mut() {
            part.end = end.max(part.start);
        }
    }

    /// A section whose title stands in the line above this one.
    fn underline(&mut self, lines: &Lines<'_>, at: usize, first_page: bool, closed: &mut bool) {
        let above = at.saturating_sub(1);
        if at == 0
            || self.in_statements()
            || lines.look(above) != Look::Text
            || self.sections.last().is_some_and(|part| part.start > above)
        {
            return;
        }
        *closed = false;
        let text = lines.text(above);
        let width =
            lines.text(at).trim_start().bytes().take_while(|&byte| byte == b'~').count() + indent(lines.text(at));
        let end = title_width(text, width);
        let title = folded(text.get(..end).unwrap_or(text));
        // Statspack underlines the names of the identity tables too.
        let identity = matches!(title.as_str(), "Database" | "DB Name" | "Snapshot" | "Host Name" | "Host")
            || lines.text(above.saturating_sub(1)).starts_with("Host ");
        if first_page && self.sections.len() == 1 && identity {
            return;
        }
        self.open(title, above, above, end);
    }
}

/// True: a ruler only underlines a name, with lines of `name: value` below: the cluster statistics of 9i.
fn names_block(lines: &Lines<'_>, at: usize) -> bool {
    let above = lines.text(at.saturating_sub(1));
    let ruler = lines.text(at);
    at > 0
        && lines.look(at - 1) == Look::Text
        && ruler.len() == above.len()
        && !ruler.contains(' ')
        && !pairs(lines.text(at + 1)).is_empty()
}

impl Outline {
    /// A block of the first page whose name stands in the line of its column headings, without tildes under it: `Shared
    /// Pool Statistics`.
    fn blocks(&mut self, lines: &Lines<'_>, at: usize) {
        let above = at.saturating_sub(1);
        let first = indent(lines.text(at));
        if at < 2 || first < 10 || lines.look(above) != Look::Text || lines.look(at - 2) != Look::Blank {
            return;
        }
        if self.sections.last().is_some_and(|part| part.start > above) {
            return;
        }
        let text = lines.text(above);
        let start = indent(text);
        let end = text[start..].find("  ").map_or(text.len(), |end| start + end);
        if end < first && end > start + 3 {
            self.open(folded(&text[start..end]), above, above, end);
        }
    }
}

fn indent(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}

/// Width of the title over so many tildes: words that the tildes end in, and a remark in brackets after them.
fn title_width(text: &str, tildes: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = tildes.min(bytes.len());
    while end < bytes.len() && bytes[end] != b' ' {
        end += 1;
    }
    let rest = text.get(end..).unwrap_or("");
    let remark = rest.trim_start();
    if remark.starts_with('(') && (remark.ends_with(')') || remark.contains(':')) { bytes.len() } else { end }
}

/// True: the lines from here, without a blank one, lead to a ruler.
pub(super) fn heads_table(lines: &Lines<'_>, at: usize, end: usize) -> bool {
    let mut below = at;
    while below < end && below < at + 7 && lines.look(below) == Look::Text {
        below += 1;
    }
    below > at && below < end && lines.look(below) == Look::Ruler
}

pub(super) fn is_last_line(text: &str) -> bool {
    let text = text.trim_start();
    text.get(..13).is_some_and(|start| start.eq_ignore_ascii_case("End of Report"))
}
