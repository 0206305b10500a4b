//! The terminal of the screen: its width, and its support for colours.

use console::{Style, Term};

/// Width where nothing says how wide it is.
const WIDTH: usize = 100;
/// Lines are kept at least and at most this long.
const NARROWEST: usize = 40;
const WIDEST: usize = 140;

/// A terminal, a pipe or a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminal {
    pub width: usize,
    pub colour: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { width: WIDTH, colour: false }
    }
}

impl Terminal {
    /// Standard output: colours only where it is a terminal and `NO_COLOR` is not set.
    #[must_use]
    pub fn standard_output() -> Self {
        let out = Term::stdout();
        if !out.is_term() {
            return Self::default();
        }
        let width = out.size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { width: width.clamp(NARROWEST, WIDEST), colour: !refused && out.features().colors_supported() }
    }

    /// The same, but never too narrow for the screen's indents.
    pub(crate) fn usable(self) -> Self {
        Self { width: self.width.max(NARROWEST), ..self }
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.styled(text, Style::new().bold())
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.styled(text, Style::new().dim())
    }

    /// Text in the style, if the terminal shows colours.
    pub(crate) fn styled(self, text: &str, style: Style) -> String {
        if self.colour { style.force_styling(true).apply_to(text).to_string() } else { text.to_owned() }
    }
}

/// Text in lines of at most `width` columns, the second and further ones indented.
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> String {
    common::text::wrapped(text, width.max(indent + 10), "", &" ".repeat(indent)).join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three four", 12, 2), "one two\n  three four");
        assert_eq!(wrapped("one two three four five", 13, 2), "one two three\n  four five");
        assert_eq!(wrapped("one incomprehensibilities", 13, 2), "one\n  incomprehensibilities");
    }
}
