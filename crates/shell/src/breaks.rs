//! BREAK: the division of a report, and the output at each division.
//!
//! The first element is the outermost. When its value changes, every element behind it breaks as well.

use common::Result;

use crate::command::sp2;
use crate::words::Word;

/// The element of a break or a computation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    /// A column, by its name or its alias.
    Column(String),
    /// Every row.
    Row,
    /// The end of the report.
    Report,
}

impl Element {
    pub(crate) fn of(word: &Word) -> Self {
        if word.is("row") {
            Self::Row
        } else if word.is("report") {
            Self::Report
        } else {
            Self::Column(word.text.clone())
        }
    }

    /// Two spellings of a column's name are one element.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Column(one), Self::Column(other)) => one.eq_ignore_ascii_case(other),
            _ => self == other,
        }
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Column(name) => f.write_str(name),
            Self::Row => f.write_str("row"),
            Self::Report => f.write_str("report"),
        }
    }
}

/// The gap between two groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Skip {
    Lines(usize),
    Page,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Break {
    pub(crate) element: Element,
    pub(crate) skip: Skip,
    /// A value is shown in each row, also when it repeats.
    pub(crate) duplicates: bool,
}

impl Break {
    fn new(element: Element) -> Self {
        Self { element, skip: Skip::Lines(0), duplicates: false }
    }

    /// As the command that would make it.
    fn shown(&self) -> String {
        let skip = match self.skip {
            Skip::Lines(0) => String::new(),
            Skip::Lines(lines) => format!("skip {lines} "),
            Skip::Page => "page ".to_owned(),
        };
        format!("on {} {skip}{}", self.element, if self.duplicates { "dup" } else { "nodup" })
    }
}

/// The breaks of the last BREAK command.
#[derive(Clone, Default, Debug)]
pub(crate) struct Breaks(Vec<Break>);

impl Breaks {
    /// `BREAK ON element [action…]…`
    ///
    /// # Errors
    /// SP2-0158 for a word that BREAK does not know, and the breaks stay as they were.
    pub(crate) fn parse(words: &[Word]) -> Result<Self> {
        let mut breaks: Vec<Break> = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(last) = breaks.last_mut().filter(|_| !word.is("on")) else {
                if !word.is("on") {
                    return Err(sp2(158, format!("BREAK begins with ON, not \"{}\"", word.text)));
                }
                let element = words.next().ok_or_else(|| sp2(158, "BREAK ON: the name of a column is missing"))?;
                breaks.push(Break::new(Element::of(element)));
                continue;
            };
            if word.is("ski[p]") {
                last.skip = skip(words.next())?;
            } else if word.is("page") {
                last.skip = Skip::Page;
            } else if word.is("nodup[licates]") {
                last.duplicates = false;
            } else if word.is("dup[licates]") {
                last.duplicates = true;
            } else {
                return Err(sp2(158, format!("BREAK has no action \"{}\"", word.text)));
            }
        }
        Ok(Self(breaks))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Break> {
        self.0.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn shown(&self) -> Vec<String> {
        let lines = self.0.iter().enumerate();
        lines.map(|(at, one)| format!("{:<5} {}", if at == 0 { "break" } else { "" }, one.shown())).collect()
    }
}

fn skip(word: Option<&Word>) -> Result<Skip> {
    let word = word.ok_or_else(|| sp2(267, "BREAK SKIP: the number of lines is missing"))?;
    if word.is("page") {
        return Ok(Skip::Page);
    }
    let lines = word.text.parse::<usize>().ok().filter(|lines| *lines <= 50_000);
    lines.map(Skip::Lines).ok_or_else(|| sp2(267, format!("BREAK SKIP takes a number or PAGE, not \"{}\"", word.text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::split;

    #[test]
    fn elements_and_actions() {
        let breaks = Breaks::parse(&split("on report on deptno skip 2 on job page dup on row ski 1")).unwrap();
        assert_eq!(
            breaks.shown(),
            [
                "break on report nodup",
                "      on deptno skip 2 nodup",
                "      on job page dup",
                "      on row skip 1 nodup"
            ]
        );
    }

    #[test]
    fn wrong_breaks() {
        for line in ["deptno", "on", "on a skip", "on a skip x", "on a nosuch", "skip 1"] {
            assert!(Breaks::parse(&split(line)).is_err(), "{line}");
        }
    }
}
