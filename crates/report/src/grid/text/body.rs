//! A section's lines made into tables, pairs and notes.

use std::borrow::Cow;
use std::ops::Range;

use super::super::{Row, Section, Table};
use super::columns::is_figures;
use super::heading::{View, heading};
use super::line::{Lines, Look, folded};
use super::outline::SectionLines;
use super::pairs::pairs;
use super::table::Open;

/// Notes of one section that are kept.
const MAX_NOTES: usize = 200;

/// The section that a part of the report holds. Cells are taken from the budget.
pub(super) fn section(lines: &Lines<'_>, part: &SectionLines, budget: &mut usize) -> Section {
    let mut body = Body {
        lines,
        part,
        section: Section { title: part.title.clone(), line: part.at + 1, ..Section::default() },
        open: None,
        pairs: Table::default(),
        heading_lines: 0..0,
        repeated: false,
        budget,
    };
    body.read();
    body.finish();
    body.section
}

struct Body<'a, 'b> {
    lines: &'a Lines<'a>,
    part: &'a SectionLines,
    section: Section,
    open: Option<Open>,
    pairs: Table,
    /// Lines of the open table's heading.
    heading_lines: Range<usize>,
    /// Past the first page of the section.
    repeated: bool,
    budget: &'b mut usize,
}

impl View for Body<'_, '_> {
    fn look(&self, at: usize) -> Look {
        let look = self.lines.look(at);
        if self.masked(at) > 0 && look != Look::Ruler {
            return if self.text(at).trim().is_empty() { Look::Blank } else { Look::Text };
        }
        // Statspack's identity tables stand under underlined names that open no section.
        if look == Look::Tilde { Look::Text } else { look }
    }

    fn text(&self, at: usize) -> Cow<'_, str> {
        self.shown(at)
    }
}

impl<'a> Body<'a, '_> {
    /// A line without the section's title in it.
    fn shown(&self, at: usize) -> Cow<'a, str> {
        let text = self.lines.text(at);
        let masked = self.masked(at);
        if masked == 0 || self.lines.look(at) == Look::Ruler {
            return Cow::Borrowed(text);
        }
        let rest = text.get(masked..).unwrap_or("");
        Cow::Owned(format!("{:masked$}{rest}", ""))
    }

    /// Characters at a line's start that are the section's title or the tildes under it.
    fn masked(&self, at: usize) -> usize {
        if self.part.underlined == 0 {
            0
        } else if at == self.part.start {
            self.part.underlined
        } else if at == self.part.start + 1 {
            let text = self.lines.text(at);
            text.len() - text.trim_start().trim_start_matches('~').len()
        } else {
            0
        }
    }

    fn read(&mut self) {
        if self.part.title.starts_with("ADDM Report") {
            return self.prose();
        }
        let mut at = self.part.start;
        let mut fresh = true;
        while at < self.part.end && *self.budget > 0 {
            match self.look(at) {
                Look::Blank => fresh = true,
                Look::Title => {
                    self.repeated = true;
                    fresh = true;
                }
                Look::End => {
                    self.close();
                    fresh = true;
                }
                Look::Note => {
                    at = self.note(at);
                    fresh = true;
                    continue;
                }
                Look::Text | Look::Ruler if fresh => {
                    if let Some(next) = self.heading(at) {
                        at = next;
                        // Rows may follow at once, a further heading may not.
                        fresh = false;
                        continue;
                    }
                    at = self.line(at, true);
                    fresh = false;
                    continue;
                }
                Look::Text => {
                    at = self.line(at, false);
                    continue;
                }
                // A line above a sum.
                Look::Ruler | Look::Tilde => {}
            }
            at += 1;
        }
    }

    /// Opens the table whose heading begins here, or goes on with the one whose heading is printed again. Returns the
    /// line after its ruler.
    fn heading(&mut self, at: usize) -> Option<usize> {
        // Most headings are those of the page before, line by line.
        if let Some(length) = self.repeats(at) {
            return Some(at + length);
        }
        let (heading, next) = heading(self, at, self.part.end)?;
        if let Some(open) = &self.open {
            if open.heading == heading {
                return Some(next);
            }
            // In the text of a statement any line may look like a ruler; over a sum stands a part of one.
            if open.is_sql() || heading.first.is_sum_of(&open.heading.first) && is_figures(&self.text(at)) {
                return None;
            }
        }
        self.close();
        self.open = Some(Open::new(heading, &self.section.title));
        self.heading_lines = at..next;
        Some(next)
    }

    /// The number of lines from here that repeat the heading of the open table.
    fn repeats(&self, at: usize) -> Option<usize> {
        self.open.as_ref()?;
        let lines = self.heading_lines.clone();
        let length = lines.len();
        let same = |(offset, line)| self.shown(line) == self.shown(at + offset);
        (at + length <= self.part.end && lines.enumerate().all(same)).then_some(length)
    }

    /// Takes a line of text: a row, pairs, or a sentence. Returns the next line.
    fn line(&mut self, at: usize, fresh: bool) -> usize {
        let text = self.shown(at);
        let text = text.as_ref();
        if text.contains("No data exists for this section") {
            self.section.empty = true;
            return at + 1;
        }
        if let Some(mut open) = self.open.take() {
            let next = self.lines.text(at + 1);
            let taken = open.line(text, at + 1, fresh, next, self.budget);
            self.open = Some(open);
            match taken {
                super::table::Taken::Row => return at + 1,
                super::table::Taken::RowAnd(rest) => {
                    self.pairs_of(&rest, at);
                    return at + 1;
                }
                super::table::Taken::No => {}
            }
        }
        let prose = self.open.as_ref().is_some_and(|open| !open.heading.first.label);
        if prose {
            return self.paragraph(at);
        }
        if self.pairs_of(text, at) {
            return at + 1;
        }
        if self.open.is_none()
            && at + 1 < self.part.end
            && !pairs(self.lines.text(at + 1)).is_empty()
            && self.unruled(text)
        {
            return at + 1;
        }
        self.paragraph(at)
    }

    /// The names over values without a ruler: `Begin          End`.
    fn unruled(&mut self, text: &str) -> bool {
        if self.pairs.columns.len() > 2 {
            return false;
        }
        self.finish_pairs();
        self.pairs.columns = std::iter::once("")
            .chain(text.split("  ").map(str::trim).filter(|name| !name.is_empty()))
            .map(str::to_owned)
            .collect();
        true
    }

    fn pairs_of(&mut self, text: &str, at: usize) -> bool {
        let found = pairs(text);
        for pair in &found {
            let width = 1 + pair.values.len().max(1);
            let mut cells = Vec::with_capacity(width);
            cells.push(pair.name.clone());
            cells.extend(pair.values.iter().cloned());
            cells.resize(width.max(self.pairs.columns.len()), String::new());
            *self.budget = self.budget.saturating_sub(cells.len());
            self.pairs.rows.push(Row { cells, line: at + 1, text: Vec::new() });
        }
        !found.is_empty()
    }

    /// A note and the lines that go on with it. Returns the line after.
    fn note(&mut self, at: usize) -> usize {
        let mut note = folded(self.lines.text(at).trim_start().trim_start_matches('-').trim_start_matches('>'));
        let mut next = at + 1;
        while next < self.part.end && self.look(next) == Look::Text {
            let text = self.lines.text(next);
            let indent = text.len() - text.trim_start().len();
            if !(1..=6).contains(&indent) || super::outline::heads_table(self.lines, next, self.part.end) {
                break;
            }
            note.push(' ');
            note.push_str(&folded(text));
            next += 1;
        }
        self.say(note);
        next
    }

    /// Sentences, up to the next blank line.
    fn paragraph(&mut self, at: usize) -> usize {
        let prose = self.open.is_some();
        let mut text = folded(&self.text(at));
        let mut next = at + 1;
        while next < self.part.end
            && self.look(next) == Look::Text
            && !super::outline::heads_table(self.lines, next, self.part.end)
            && (prose || pairs(self.lines.text(next)).is_empty())
        {
            text.push(' ');
            text.push_str(&folded(self.lines.text(next)));
            next += 1;
        }
        self.say(text);
        next
    }

    fn say(&mut self, note: String) {
        // Pages print their notes again.
        let known = self.repeated && self.section.notes.contains(&note);
        if !(note.is_empty() || known) && self.section.notes.len() < MAX_NOTES {
            self.section.notes.push(note);
        }
    }

    fn prose(&mut self) {
        let mut at = self.part.start;
        while at < self.part.end {
            if self.look(at) == Look::Text { at = self.paragraph(at) } else { at += 1 }
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.section.tables.push(open.finish());
        }
    }

    fn finish_pairs(&mut self) {
        let mut table = std::mem::take(&mut self.pairs);
        if table.rows.is_empty() {
            return;
        }
        let width = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0).max(table.columns.len());
        table.columns.resize(width, String::new());
        for row in &mut table.rows {
            row.cells.resize(width, String::new());
        }
        self.section.tables.push(table);
    }

    fn finish(&mut self) {
        self.close();
        self.finish_pairs();
    }
}
