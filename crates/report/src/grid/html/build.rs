//! Sections, paragraphs and notes from tags and text; and the end of a report.

use super::table::{Allowance, OpenTable, folded, lines};
use super::tokens::{Attributes, Tag};
use crate::grid::{Document, Section};
use crate::model::Kind;

/// Tables within cells of tables; more is damage.
const NESTED_TABLES: usize = 8;

/// The longest paragraph that can be a section's title.
const TITLE_BYTES: usize = 100;

const NO_DATA: &str = "No data exists for this section";
const LAST_LINE: &str = "End of Report";
const FIRST_HEADING: &str = "WORKLOAD REPOSITORY";
const FIRST_SCREEN: &str = "Report Summary";

/// Origin of a section's title.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Origin {
    /// Before any heading.
    #[default]
    None,
    /// `<h1>` to `<h6>`.
    Heading(u8),
    /// A paragraph before a table.
    Paragraph,
}

#[derive(Debug, Default)]
struct OpenSection {
    section: Section,
    origin: Origin,
}

/// Collected text, with the line it begins on.
#[derive(Debug, Default)]
struct Collected {
    text: Vec<u8>,
    line: usize,
    /// It holds more than white space.
    printed: bool,
}

impl Collected {
    fn take(&mut self) -> Option<(String, usize)> {
        self.printed = false;
        let text = folded(std::mem::take(&mut self.text));
        (!text.is_empty()).then_some((text, self.line))
    }
}

/// Lines of a file, counted as they pass.
#[derive(Debug)]
struct Lines<'a> {
    bytes: &'a [u8],
    counted: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of a position. Positions must ascend.
    fn at(&mut self, place: usize) -> usize {
        if let Some(passed) = self.bytes.get(self.counted..place) {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.counted = place;
        }
        self.line
    }
}

#[derive(Debug)]
pub(super) struct Builder<'a> {
    lines: Lines<'a>,
    documents: Vec<Document>,
    sections: Vec<Section>,
    open: OpenSection,
    /// Open tables, the inner ones last.
    tables: Vec<OpenTable>,
    allowance: Allowance,
    /// Text outside of everything, up to the next block.
    paragraph: Collected,
    /// Paragraphs that may be the next section's title.
    pending: Vec<(String, usize)>,
    heading: Option<(u8, Collected)>,
    item: Option<Collected>,
    preformatted: Option<Collected>,
    /// In a style sheet or a title.
    unprinted: bool,
    in_link: bool,
    /// The last line, or the end of the page, has been seen.
    ended: bool,
    /// A page began within a cell: a statement's text, or a cut and another report.
    doubted: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            lines: Lines { bytes, counted: 0, line: 1 },
            documents: Vec::new(),
            sections: Vec::new(),
            open: OpenSection::default(),
            tables: Vec::new(),
            allowance: Allowance::default(),
            paragraph: Collected::default(),
            pending: Vec::new(),
            heading: None,
            item: None,
            preformatted: None,
            unprinted: false,
            in_link: false,
            ended: false,
            doubted: false,
        }
    }

    /// A piece of text that ends at `place`.
    pub(super) fn text(&mut self, text: &[u8], place: usize) {
        if self.unprinted {
            return;
        }
        if let Some((_, heading)) = &mut self.heading {
            heading.text.extend_from_slice(text);
            return;
        }
        if let Some(table) = self.tables.last_mut().filter(|table| table.in_cell()) {
            table.text(text);
            return;
        }
        if let Some(preformatted) = &mut self.preformatted {
            preformatted.text.extend_from_slice(text);
            return;
        }
        if self.in_link {
            return;
        }
        let collected = self.item.as_mut().unwrap_or(&mut self.paragraph);
        if !collected.printed {
            let Some(blank) = text.iter().position(|byte| !byte.is_ascii_whitespace()) else { return };
            collected.printed = true;
            collected.line = self.lines.at((place + blank).saturating_sub(text.len()));
        }
        collected.text.extend_from_slice(text);
    }

    /// A start tag that begins at `place`.
    pub(super) fn open(&mut self, tag: Tag, level: u8, attributes: &mut Attributes, place: usize) {
        match tag {
            Tag::Cell | Tag::HeadCell => {
                let line = self.lines.at(place);
                let table = self.table();
                table.start_cell(tag == Tag::HeadCell, attributes.colspan, attributes.rowspan, line);
            }
            Tag::Row => {
                let line = self.lines.at(place);
                self.table();
                if let Some(table) = self.tables.last_mut() {
                    let above = table.start_row(line, &mut self.allowance);
                    self.open.section.tables.extend(above);
                }
            }
            Tag::Table => self.open_table(attributes),
            Tag::Heading => {
                self.unprinted = false;
                self.end_blocks();
                if self.doubted {
                    self.drop_row();
                }
                self.close_tables(0);
                let line = self.lines.at(place);
                self.heading = Some((level, Collected { line, ..Collected::default() }));
            }
            Tag::Anchor => self.in_link = attributes.link,
            Tag::Item if self.in_cell() => self.block(),
            Tag::Item => {
                self.end_blocks();
                let line = self.lines.at(place);
                self.item = Some(Collected { line, ..Collected::default() });
            }
            Tag::Preformatted => {
                if let Some(table) = self.tables.last_mut().filter(|table| table.in_cell()) {
                    table.preformatted();
                } else {
                    self.end_blocks();
                    let line = self.lines.at(place);
                    self.preformatted = Some(Collected { line, ..Collected::default() });
                }
            }
            Tag::Block | Tag::List => self.block(),
            Tag::Document => self.next_document(),
            Tag::Title => {
                self.next_document();
                self.unprinted = true;
            }
            Tag::Style | Tag::Script => self.unprinted = true,
            Tag::Other => {}
        }
    }

    pub(super) fn close(&mut self, tag: Tag) {
        match tag {
            Tag::Cell | Tag::HeadCell => {
                if let Some(table) = self.tables.last_mut() {
                    table.end_cell();
                }
            }
            Tag::Row => {
                if let Some(table) = self.tables.last_mut() {
                    let above = table.end_row(&mut self.allowance);
                    self.open.section.tables.extend(above);
                }
            }
            Tag::Table => {
                let deep = self.tables.len().saturating_sub(1);
                self.close_tables(deep);
            }
            Tag::Heading | Tag::Preformatted | Tag::Block | Tag::List | Tag::Item => self.block(),
            Tag::Anchor => self.in_link = false,
            Tag::Title | Tag::Style | Tag::Script => self.unprinted = false,
            Tag::Document => {
                self.end_blocks();
                self.close_tables(0);
                self.ended = true;
            }
            Tag::Other => {}
        }
    }

    fn in_cell(&self) -> bool {
        self.tables.last().is_some_and(OpenTable::in_cell)
    }

    /// The innermost table; one without a caption when a row or cell stands outside of any.
    fn table(&mut self) -> &mut OpenTable {
        if self.tables.is_empty() {
            self.open_table(&mut Attributes::default());
        }
        let last = self.tables.len() - 1;
        &mut self.tables[last]
    }

    fn block(&mut self) {
        if self.in_cell() && self.heading.is_none() {
            if let Some(table) = self.tables.last_mut() {
                table.break_line();
            }
        } else {
            self.end_blocks();
        }
    }

    fn open_table(&mut self, attributes: &mut Attributes) {
        self.unprinted = false;
        self.end_blocks();
        if self.tables.last().is_some_and(|table| !table.in_cell()) || self.tables.len() >= NESTED_TABLES {
            // The one before was never closed.
            let deep = self.tables.len() - 1;
            self.close_tables(deep);
        }
        let mut caption = folded(std::mem::take(&mut attributes.summary).into_bytes());
        if self.tables.is_empty() {
            let paragraph = self.title_from_paragraph();
            if caption.is_empty() {
                caption = paragraph.unwrap_or_default();
            }
        }
        self.tables.push(OpenTable::new(caption));
    }

    /// Closes tables until `deep` of them are open.
    fn close_tables(&mut self, deep: usize) {
        while self.tables.len() > deep {
            let Some(mut table) = self.tables.pop() else { return };
            let above = table.end_row(&mut self.allowance);
            let (last, left_out) = table.finish(&mut self.allowance);
            let section = &mut self.open.section;
            section.tables.extend(above);
            section.tables.extend(last);
            if left_out > 0 {
                section.notes.push(format!("{left_out} rows left out: too many cells are missing or spanned"));
            }
        }
    }

    /// Ends the paragraph, list item, heading or preformatted text under way.
    fn end_blocks(&mut self) {
        self.in_link = false;
        if let Some((level, mut heading)) = self.heading.take() {
            if let Some((title, line)) = heading.take() {
                self.start_heading(level, title, line);
            }
            return;
        }
        if let Some(mut item) = self.item.take() {
            if let Some((note, _)) = item.take() {
                // A paragraph before the notes is the title that they belong to.
                let _ = self.title_from_paragraph();
                self.open.section.notes.push(note);
            }
            return;
        }
        if let Some(mut block) = self.preformatted.take() {
            let text = lines(std::mem::take(&mut block.text));
            let printed = text.lines().filter(|line| !line.trim().is_empty());
            self.open.section.notes.extend(printed.map(str::to_owned));
            return;
        }
        if !self.paragraph.printed {
            return;
        }
        let Some((text, line)) = self.paragraph.take() else { return };
        if !self.tables.is_empty() {
            // Between rows: a browser shows it above the table.
            self.open.section.notes.push(text);
        } else if text.starts_with(NO_DATA) {
            self.pending_to_notes();
            self.open.section.empty = true;
        } else if text == LAST_LINE {
            self.ended = true;
        } else {
            self.pending.push((text, line));
        }
    }

    fn pending_to_notes(&mut self) {
        let paragraphs = self.pending.drain(..).map(|(text, _)| text);
        self.open.section.notes.extend(paragraphs);
    }

    /// A table or its notes follow: takes the paragraph before as the title of a section if the report has no heading
    /// for it. Otherwise returns the paragraph, which is then the table's caption.
    fn title_from_paragraph(&mut self) -> Option<String> {
        let (text, line) = self.pending.pop()?;
        self.pending_to_notes();
        let section = &self.open.section;
        let headed = match self.open.origin {
            Origin::Heading(level) => {
                level >= 3 && section.title != FIRST_SCREEN && section.tables.is_empty() && !section.empty
            }
            Origin::None | Origin::Paragraph => false,
        };
        if headed || text.len() > TITLE_BYTES || text.ends_with(['.', ';', ',']) {
            self.open.section.notes.push(text.clone());
            return Some(text);
        }
        self.start_section(Section { title: text, line, ..Section::default() }, Origin::Paragraph);
        None
    }

    fn start_heading(&mut self, level: u8, title: String, line: usize) {
        let first = level == 1 && title.starts_with(FIRST_HEADING);
        if first
            && self.sections.iter().chain([&self.open.section]).any(|section| section.title.starts_with(FIRST_HEADING))
        {
            self.end_document();
        }
        self.start_section(Section { title, line, ..Section::default() }, Origin::Heading(level));
    }

    fn start_section(&mut self, section: Section, origin: Origin) {
        self.end_section(origin);
        self.open = OpenSection { section, origin };
    }

    /// Keeps the open section, unless it is only the title of the following ones.
    fn end_section(&mut self, next: Origin) {
        self.pending_to_notes();
        let OpenSection { section, origin } = std::mem::take(&mut self.open);
        let bare = section.tables.is_empty() && section.notes.is_empty() && !section.empty;
        let container = match origin {
            Origin::None => true,
            // The first heading gives the kind of report.
            Origin::Heading(1) => !section.title.starts_with(FIRST_HEADING),
            Origin::Heading(level) => level == 2 || next == Origin::Paragraph,
            Origin::Paragraph => false,
        };
        if !(bare && container) {
            self.sections.push(section);
        }
    }

    /// A tag that occurs once in a page: another report begins if there was one already.
    fn next_document(&mut self) {
        let begun =
            self.open.origin != Origin::None || !self.open.section.tables.is_empty() || !self.sections.is_empty();
        if self.ended || (begun && !self.in_cell()) {
            self.end_document();
        }
        self.doubted = self.in_cell();
        self.unprinted = false;
    }

    /// Drops the row under way: the file ends in it, and its last figure may lack digits.
    fn drop_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.drop_row();
        }
    }

    fn end_document(&mut self) {
        if !self.ended && self.tables.is_empty() && self.heading.is_none() {
            // It may end in its last line, without any tag after that.
            self.end_blocks();
        }
        let cut = !self.ended;
        if cut {
            self.heading = None;
            self.item = None;
            self.preformatted = None;
            self.drop_row();
        }
        self.end_blocks();
        self.close_tables(0);
        self.end_section(Origin::None);
        self.paragraph = Collected::default();
        let sections = std::mem::take(&mut self.sections);
        if sections.iter().any(|section| !section.title.is_empty() || !section.tables.is_empty()) {
            self.documents.push(Document { kind: Kind::AwrHtml, sections, cut });
        }
        self.allowance = Allowance::default();
        self.unprinted = false;
        self.ended = false;
        self.doubted = false;
    }

    pub(super) fn finish(mut self) -> Vec<Document> {
        self.end_document();
        self.documents
    }
}
