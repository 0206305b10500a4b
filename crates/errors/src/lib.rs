//! The source of error numbers: the meaning of each, when Highwater raises it, and the action for the user.
//!
//! errors.toml holds the entries, and build.rs makes the library's table of it. docs/reference/errors.md and `highwater
//! help` print them. tests/raised compares them with the sources: each number that is raised has an entry, and no
//! other.

mod code;
mod find;

use common::text::wrapped;

pub use code::{Code, Family};
pub use find::{Unknown, find};

/// Columns of a page for the terminal.
const COLUMNS: usize = 80;

/// The entry of one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub code: Code,
    /// The condition: one line, no full stop.
    pub name: &'static str,
    /// When Highwater raises it: sentences.
    pub cause: &'static str,
    /// The action for the user: sentences.
    pub action: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// Every entry, by family and number.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter()
}

impl Entry {
    /// The entry as a terminal shows it, with a line break at its end.
    #[must_use]
    pub fn page(&self) -> String {
        let Self { code, name, cause, action } = self;
        let cause = wrapped(&format!("Cause: {cause}"), COLUMNS, "", "");
        let action = wrapped(&format!("Action: {action}"), COLUMNS, "", "");
        format!("{code}: {name}\n\n{}\n\n{}\n", cause.join("\n"), action.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_are_sorted() {
        let codes: Vec<Code> = all().map(|entry| entry.code).collect();
        assert!(codes.is_sorted() && codes.len() > 600);
    }

    #[test]
    fn a_page_is_made_for_a_terminal() {
        for entry in all() {
            let page = entry.page();
            assert!(page.lines().all(|line| line.chars().count() <= COLUMNS), "{page}");
        }
        let page = find("942").unwrap().page();
        assert!(
            page.starts_with("ORA-00942: ") && page.contains("\n\nCause: ") && page.contains("\n\nAction: "),
            "{page}"
        );
    }
}
