//! One bar of DB time: CPU, the wait classes, and unaccounted time. Each part has a letter, so that the bar can be read
//! without colours.

use console::{Color, Style, measure_text_width};

use super::number::{percent, seconds};
use super::terminal::{Terminal, wrapped};
use crate::analysis::DbTime;

/// A part of DB time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) look: Look,
}

/// The look of a part, on the screen and on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    pub(crate) letter: char,
    colour: Color,
    /// The page's name of the colour.
    pub(crate) token: &'static str,
}

const CPU: Look = Look { letter: 'c', colour: Color::Green, token: "cpu" };
const UNACCOUNTED: Look = Look { letter: '?', colour: Color::White, token: "unaccounted" };
const LOOKS: [(&str, Look); 12] = [
    ("user i/o", Look { letter: 'u', colour: Color::Blue, token: "user-io" }),
    ("system i/o", Look { letter: 's', colour: Color::Cyan, token: "system-io" }),
    ("commit", Look { letter: 'm', colour: Color::Yellow, token: "commit" }),
    ("concurrency", Look { letter: 'n', colour: Color::Red, token: "concurrency" }),
    ("application", Look { letter: 'a', colour: Color::Magenta, token: "application" }),
    ("configuration", Look { letter: 'f', colour: Color::Color256(94), token: "configuration" }),
    ("administrative", Look { letter: 'd', colour: Color::Color256(130), token: "administrative" }),
    ("network", Look { letter: 'w', colour: Color::Color256(245), token: "network" }),
    ("cluster", Look { letter: 'r', colour: Color::Color256(208), token: "cluster" }),
    ("scheduler", Look { letter: 'h', colour: Color::Color256(100), token: "scheduler" }),
    // Of a trace's wall clock; DB time has none.
    ("idle", Look { letter: '-', colour: Color::Color256(252), token: "idle" }),
    ("queueing", Look { letter: 'q', colour: Color::Color256(103), token: "queueing" }),
];
const OTHER: Look = Look { letter: 'o', colour: Color::Color256(239), token: "other" };

/// The look of a wait class.
pub(crate) fn look_of(class: Option<&str>) -> Look {
    let known = class.and_then(|class| LOOKS.iter().find(|(name, _)| class.eq_ignore_ascii_case(name)));
    known.map_or(OTHER, |(_, look)| *look)
}

impl DbTime {
    /// The parts in the order of the bar: CPU, the classes with the most time first, unaccounted time.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut add = |name: &str, seconds: f64, look: Look| {
            if seconds > 0.0 {
                parts.push(Part { name: name.to_owned(), seconds, look });
            }
        };
        add("CPU", self.cpu_s.unwrap_or(0.0), CPU);
        for (class, seconds) in &self.classes {
            add(class, *seconds, look_of(Some(class)));
        }
        add("unaccounted", self.unaccounted_s.unwrap_or(0.0), UNACCOUNTED);
        own_letters(&mut parts);
        parts
    }

    /// The length of the whole bar: DB time, or the sum of the parts if that is larger.
    pub(crate) fn bar_s(&self) -> f64 {
        self.parts().iter().map(|part| part.seconds).sum::<f64>().max(self.total_s)
    }
}

/// Unknown classes look like Other: each takes a letter of its own that no part has, one of its name if possible.
fn own_letters(parts: &mut [Part]) {
    // Other itself and the classes that are known keep theirs.
    let known = |part: &Part| part.look != OTHER || part.name.eq_ignore_ascii_case("other");
    let mut used: Vec<char> = parts.iter().filter(|part| known(part)).map(|part| part.look.letter).collect();
    for part in parts {
        if known(part) {
            continue;
        }
        let name = part.name.to_lowercase();
        let mut letters = name.chars().filter(char::is_ascii_alphabetic).chain('a'..='z').chain('0'..='9');
        if let Some(letter) = letters.find(|letter| !used.contains(letter)) {
            part.look.letter = letter;
            used.push(letter);
        }
    }
}

/// The bar and its legend.
pub(crate) fn bar(db_time: &DbTime, whole: &str, terminal: Terminal) -> String {
    let parts = db_time.parts();
    let mut out = format!("{whole} {}\n", terminal.strong(&seconds(db_time.total_s)));
    let cells = cells(&parts, db_time.bar_s(), terminal.width);
    for (part, cells) in parts.iter().zip(&cells) {
        let run: String = std::iter::repeat_n(part.look.letter, *cells).collect();
        out.push_str(&terminal.styled(&run, Style::new().bg(part.look.colour).black()));
    }
    out.push('\n');
    let mut legend = Vec::new();
    for part in &parts {
        let share = percent(part.seconds / db_time.total_s.max(f64::MIN_POSITIVE));
        legend.push(format!("{} {} {} {share}", part.look.letter, part.name, seconds(part.seconds)));
    }
    if let Some(unaccounted) = db_time.unaccounted_s
        && unaccounted < 0.0
    {
        legend.push(format!("{} more is counted than {whole} holds", seconds(-unaccounted)));
    }
    if db_time.unaccounted_s.is_none() {
        legend.push("what is unaccounted for cannot be told: a part is missing".to_owned());
    }
    out.push_str(&in_lines(&legend, terminal.width));
    out.push('\n');
    out
}

/// Parts of the legend, three blanks between them, broken only between parts.
fn in_lines(parts: &[String], width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 3 + measure_text_width(part) <= width => {
                line.push_str("   ");
                line.push_str(part);
            }
            _ => lines.push(wrapped(part, width, 2)),
        }
    }
    lines.join("\n")
}

/// Cells of each part. Their sum is the known share of the width; each part has at least one if there is room.
fn cells(parts: &[Part], whole_s: f64, width: usize) -> Vec<usize> {
    if whole_s <= 0.0 {
        return vec![0; parts.len()];
    }
    let mut cells = Vec::with_capacity(parts.len());
    let (mut passed_s, mut used) = (0.0, 0);
    for part in parts {
        passed_s += part.seconds;
        let end = (passed_s / whole_s * width as f64).round().max(0.0) as usize;
        let run = end.saturating_sub(used);
        cells.push(run);
        used += run;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{Terminal, bar};
    use crate::analysis::DbTime;

    fn db_time() -> DbTime {
        DbTime {
            total_s: 100.0,
            cpu_s: Some(25.0),
            classes: vec![("User I/O".to_owned(), 50.0), ("Commit".to_owned(), 15.0)],
            unaccounted_s: Some(10.0),
        }
    }

    #[test]
    fn parts_are_as_long_as_their_time() {
        let text = bar(&db_time(), "DB time", Terminal { width: 40, colour: false });
        let line = text.lines().nth(1).unwrap_or_default();
        assert_eq!(line, format!("{}{}{}{}", "c".repeat(10), "u".repeat(20), "m".repeat(6), "?".repeat(4)));
        assert!(text.contains("u User I/O 50 s 50 %"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    }

    #[test]
    fn each_part_has_a_letter_of_its_own() {
        let classes = ["Other", "User I/O", "Odd", "Outlandish", "Cool"].map(|name| (name.to_owned(), 10.0)).to_vec();
        let letters: Vec<char> = DbTime { classes, ..db_time() }.parts().iter().map(|part| part.look.letter).collect();
        assert_eq!(letters, ['c', 'o', 'u', 'd', 't', 'l', '?']);
    }

    #[test]
    fn more_counted_than_there_was_is_said_and_still_fits() {
        let mut db_time = db_time();
        db_time.cpu_s = Some(135.0);
        db_time.unaccounted_s = Some(-100.0);
        let text = bar(&db_time, "DB time", Terminal { width: 40, colour: false });
        assert_eq!(text.lines().nth(1).map(|line| line.chars().count()), Some(40));
        assert!(text.contains("more is counted"), "{text}");
    }
}
