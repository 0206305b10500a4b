//! The lines of a report, each with its look.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// More lines than any report has; the rest of a text is left out.
const MAX_LINES: usize = 2_000_000;
/// Forms of the line that ends a section: one a release.
const MAX_FORMS: usize = 8;
/// Distance of tab stops, where a text was saved with tabs.
const TAB: usize = 8;

/// The form of a single line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    Blank,
    /// `Title  DB/Inst: …` or `Title for DB: …`.
    Title,
    /// Starts with `->`.
    Note,
    /// `----- ------`: nothing but dashes and spaces. Tildes for the first column count.
    Ruler,
    /// `~~~~~~`, perhaps followed by words of a heading.
    Tilde,
    /// A long indented run of dashes: the end of a section.
    End,
    Text,
}

#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    text: &'a str,
    look: Look,
}

/// A text's lines, without their ends and trailing white space.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    lines: Vec<Line<'a>>,
    truncated: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines = Vec::with_capacity((text.len() / 40).min(MAX_LINES));
        let mut truncated = false;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            let line = &text[start..end];
            start = end + 1;
            if lines.len() == MAX_LINES {
                truncated = true;
                break;
            }
            let text = line.trim_ascii_end().trim_start_matches('\u{c}');
            lines.push(Line { text, look: look(text) });
        }
        let mut all = Self { lines, truncated };
        all.check_ends();
        all
    }

    /// The text of statements has lines of dashes too: only those in the form that precedes titles end a section.
    fn check_ends(&mut self) {
        let form = |text: &str| (text.len() - text.trim_start().len(), text.len());
        let mut forms: Vec<(usize, usize)> = Vec::new();
        let mut last = None;
        for line in &self.lines {
            match line.look {
                Look::End => last = Some(form(line.text)),
                Look::Blank => {}
                Look::Title => {
                    forms.extend(last.take().filter(|form| forms.len() < MAX_FORMS && !forms.contains(form)))
                }
                _ => last = None,
            }
        }
        if forms.is_empty() {
            return;
        }
        for line in self.lines.iter_mut().filter(|line| line.look == Look::End) {
            if !forms.contains(&form(line.text)) {
                line.look = Look::Text;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line at a position, empty past the end.
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.lines.get(at).map_or("", |line| line.text)
    }

    pub(super) fn look(&self, at: usize) -> Look {
        self.lines.get(at).map_or(Look::Blank, |line| line.look)
    }

    pub(super) fn truncated(&self) -> bool {
        self.truncated
    }
}

/// A text with countable columns: no tabs, no carriage returns within a line, no hard or narrow spaces (groups of
/// digits in French).
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'\t', b'\r', 0xc2, bytes).is_none() && memchr::memchr(0xe2, bytes).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + text.len() / 16);
    let mut column = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\t' => {
                let stop = TAB - column % TAB;
                plain.extend(std::iter::repeat_n(' ', stop));
                column += stop;
                continue;
            }
            // A line's end of its own in old Macintosh files; otherwise half of one.
            '\r' if characters.peek() == Some(&'\n') || characters.peek() == Some(&'\r') => continue,
            '\r' | '\n' => {
                plain.push('\n');
                column = 0;
                continue;
            }
            '\u{a0}' | '\u{2009}' | '\u{202f}' => plain.push(' '),
            other => plain.push(other),
        }
        column += 1;
    }
    Cow::Owned(plain)
}

static DB_INST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("DB/Inst:"));
static DB_ID: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("DB/Id:"));
static FOR_DB: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" for DB:"));

/// Where the title ends, in a line that has one.
pub(super) fn title_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_alphabetic) || bytes.len() < 8 {
        return None;
    }
    DB_INST
        .find(bytes)
        .or_else(|| FOR_DB.find(bytes).filter(|_| text.contains("Snap") || text.contains("Instance:")))
        .or_else(|| DB_ID.find(bytes).filter(|_| text.contains("Snap")))
        .filter(|&end| end > 0)
}

fn look(text: &str) -> Look {
    let bytes = text.as_bytes();
    let Some(indent) = bytes.iter().position(|&byte| byte != b' ') else { return Look::Blank };
    match bytes[indent] {
        b'-' => {
            if indent < 4 && (text[indent..].starts_with("->") || text[indent..].starts_with("-->")) {
                return Look::Note;
            }
            if !bytes[indent..].iter().all(|&byte| byte == b'-' || byte == b' ') {
                return Look::Text;
            }
            let run = bytes.len() - indent;
            let single = !bytes[indent..].contains(&b' ');
            if single && indent >= 8 && run >= 50 { Look::End } else { Look::Ruler }
        }
        b'~' => {
            let rest = &bytes[indent..];
            let tildes = rest.iter().take_while(|&&byte| byte == b'~').count();
            if indent > 2 || tildes < 3 {
                Look::Text
            } else if rest.contains(&b'-') && rest.iter().all(|&byte| matches!(byte, b'~' | b'-' | b' ')) {
                Look::Ruler
            } else if rest.get(tildes).is_none_or(|&byte| byte == b' ') {
                Look::Tilde
            } else {
                Look::Text
            }
        }
        _ if title_end(text).is_some() => Look::Title,
        _ => Look::Text,
    }
}

/// Text with every run of white space made one space.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}
