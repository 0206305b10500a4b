//! Lines and columns of byte offsets.

use crate::ast::At;

/// A position in a text for users; both count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// The lines of a program's text.
///
/// A stored program counts from its PROCEDURE, FUNCTION, PACKAGE or TRIGGER on, wherever CREATE stood: the dictionary
/// keeps the text from there.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    base: usize,
    /// Where each line behind the first begins.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// `base` is the byte offset of line 1, column 1.
    #[must_use]
    pub fn new(text: &'t str, base: At) -> Self {
        let base = floor(text, base as usize);
        let starts = text.bytes().enumerate().skip(base).filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, base, starts: starts.collect() }
    }

    /// A place in front of the base counts as the base, one behind the text as its end.
    #[must_use]
    pub fn position(&self, at: At) -> Position {
        let at = floor(self.text, at as usize).max(self.base);
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).map_or(self.base, |line| self.starts[line]);
        let column = self.text[start..at].chars().count();
        Position { line: count(line) + 1, column: count(column) + 1 }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX - 1)
}

/// The begin of the character that the byte belongs to, at most the text's end.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, base: At, offset: At) -> (u32, u32) {
        let position = Lines::new(text, base).position(offset);
        (position.line, position.column)
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(at("a\nbc\n", 0, 0), (1, 1));
        assert_eq!(at("a\nbc\n", 0, 1), (1, 2));
        assert_eq!(at("a\nbc\n", 0, 3), (2, 2));
        assert_eq!(at("a\nbc\n", 0, 5), (3, 1));
        assert_eq!(at("", 0, 9), (1, 1));
    }

    #[test]
    fn columns_are_characters_not_bytes() {
        assert_eq!(at("é'ü' x", 0, 7), (1, 6));
        assert_eq!(at("é", 0, 1), (1, 1));
    }

    #[test]
    fn a_stored_program_counts_from_its_own_first_word() {
        let text = "create\nprocedure p\nis x";
        assert_eq!(at(text, 7, 7), (1, 1));
        assert_eq!(at(text, 7, 17), (1, 11));
        assert_eq!(at(text, 7, 22), (2, 4));
        assert_eq!(at(text, 7, 0), (1, 1));
    }
}
