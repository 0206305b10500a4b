//! AWR reports in HTML, 10g to 23ai, as untyped [`Document`]s.
//!
//! ```text
//! &str -> source.rs   bytes, and how far the tokenizer has come (for line numbers)
//!      -> html5gum    the tokenizer of the HTML standard: tags, attributes, text with entities decoded
//!      -> tokens.rs   of the tags those that mean something in a report
//!      -> build.rs    sections, paragraphs, notes; where one report ends and the next begins
//!      -> table.rs    rows and cells, spans, headings of several lines
//! ```
//!
//! The releases differ in the case of tags, in those that they close and in those that they describe (10g has no
//! `summary`), so nothing relies on that:
//!
//! 1. A cell ends at the next cell, row, table or heading; a row at the next row; a paragraph at any block.
//! 2. A heading `<h1>`…`<h6>` starts a section, whatever is open. So does a short paragraph before a table where the
//!    report has no headings: its first screen ("Load Profile") and the cluster's part.
//! 3. Lists of links and "Back to Top" are dropped; other list items are the section's notes.
//! 4. A row is heading when it has `<th>` and no text in a `<td>`. A heading of several rows gives names such as "% of
//!    Waits <1ms".
//! 5. What spans rows or columns stands in the first cell, and for rows in those below too.
//! 6. A report without its end is cut; a row that the cut goes through is dropped, because its last figure may lack
//!    digits.

mod build;
mod source;
mod table;
mod tokens;

use std::borrow::Cow;

use super::Document;

/// The reports in a text of HTML. Several, when files were joined; none, when it has neither a heading nor a table.
#[must_use]
pub fn documents(text: &str) -> Vec<Document> {
    // To HTML a carriage return before a line's end is none; the tokenizer takes one for a letter where a damaged tag
    // has no value.
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    tokens::read(&text).finish()
}
