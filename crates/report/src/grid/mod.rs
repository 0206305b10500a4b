//! A report before interpretation: titled sections, with tables of named columns, lines of `name: value`, and text.
//!
//! The readers of text and of HTML both make this, and one set of interpreters turns it into the model.
//!
//! ```text
//! bytes -> input/ (unpacked, decoded) -> text/ or html/
//!       -> Document { sections: [Section { title, tables, notes }] } -> read/ -> model::Report
//! ```

pub mod html;
pub(crate) mod pairs;
pub mod text;
pub(crate) mod view;

use crate::model::Kind;

/// One report. A file may hold several.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub kind: Kind,
    pub sections: Vec<Section>,
    /// The report stops in the middle: the last section has no end, or the closing line is missing.
    pub cut: bool,
}

/// A titled part of a report. Pages of one table (a title printed again every 60 lines) are one section.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Section {
    /// As printed, without `DB/Inst: …  Snaps: …`, white space folded: "Foreground Wait Events".
    pub title: String,
    /// Line of the title in the file, counted from 1; of an HTML file too.
    pub line: usize,
    pub tables: Vec<Table>,
    /// The lines that start with `->`, and paragraphs of text, continuation lines joined.
    pub notes: Vec<String>,
    /// "No data exists for this section of the report."
    pub empty: bool,
}

/// Rows of cells under column names.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// Column headings, the lines of a stacked heading joined by one space, hyphenation at a line's end kept as printed
    /// ("%Time -outs"). Empty names where a column has none. HTML `summary` and the paragraph before a table stand in
    /// `caption`.
    pub columns: Vec<String>,
    pub caption: String,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Row {
    /// As many as columns; an empty text is a cell without a value. Trimmed. Text in the unit as printed ("1,234.5",
    /// "109.72us", "####").
    pub cells: Vec<String>,
    /// Line in the file, counted from 1.
    pub line: usize,
    /// Lines of text under the row: a statement's module and text in the SQL sections.
    pub text: Vec<String>,
}
