//! A printed report taken apart by hand: lines under their titles, cells by the dashes over them. It shares nothing
//! with the reader.

use std::collections::BTreeSet;

/// A report, which of its figures a test has looked at, and which of them it has compared: line and byte of the line.
pub(super) struct Page<'a> {
    lines: Vec<&'a str>,
    seen: BTreeSet<(usize, usize)>,
    compared: BTreeSet<(usize, usize)>,
}

/// A row of a table: its line, and where its columns begin and end.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) line: usize,
    spans: Vec<(usize, usize)>,
}

impl<'a> Page<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { lines: text.lines().collect(), seen: BTreeSet::new(), compared: BTreeSet::new() }
    }

    pub(super) fn text(&self, line: usize) -> &'a str {
        self.lines[line]
    }

    /// The lines of a section, its pages one after another, from the title that begins so to the rule.
    pub(super) fn section(&self, title: &str, nth: usize) -> Vec<usize> {
        let mut found = 0;
        let mut at = 0;
        while at < self.lines.len() {
            if self.lines[at].starts_with(title) {
                let end = (at..self.lines.len()).find(|line| is_rule(self.lines[*line]));
                let end = end.unwrap_or_else(|| panic!("{title} does not end"));
                if found == nth {
                    return (at..end).collect();
                }
                found += 1;
                at = end;
            }
            at += 1;
        }
        panic!("no {title}");
    }

    /// The rows under the first ruler of these lines, pages one after another. A row goes on in lines that have nothing
    /// in its last column.
    pub(super) fn rows(&self, lines: &[usize]) -> Vec<Row> {
        let title = self.lines[lines[0]];
        let mut rows = Vec::new();
        let mut spans: Option<Vec<(usize, usize)>> = None;
        for &line in lines {
            let text = self.lines[line];
            if text == title {
                spans = None;
            } else if is_ruler(text) {
                spans = Some(runs(text));
            } else if let Some(spans) = spans.as_ref().filter(|_| !text.is_empty()) {
                rows.push(Row { line, spans: spans.clone() });
            }
        }
        rows
    }

    /// Rows of two lines, names and figures, under two rulers. Names that go on are put together.
    pub(super) fn double_rows(&self, lines: &[usize]) -> Vec<(Vec<String>, Row)> {
        let rulers: Vec<usize> = lines.iter().copied().filter(|line| is_ruler(self.lines[*line])).collect();
        let (names, figures) = (runs(self.lines[rulers[0]]), runs(self.lines[rulers[1]]));
        let mut rows = Vec::new();
        let mut open: Vec<String> = vec![String::new(); names.len()];
        let mut below = false;
        for &line in lines {
            let text = self.lines[line];
            if text == self.lines[lines[0]] {
                below = false;
            } else if is_ruler(text) {
                below = text == self.lines[rulers[1]];
            } else if below && !text.is_empty() {
                let row = Row { line, spans: figures.clone() };
                if text.starts_with(' ') && text.trim_start().starts_with(|first: char| first.is_ascii_digit())
                    || text.starts_with(|first: char| first.is_ascii_digit())
                {
                    rows.push((std::mem::replace(&mut open, vec![String::new(); names.len()]), row));
                } else {
                    let row = Row { line, spans: names.clone() };
                    for (at, name) in open.iter_mut().enumerate() {
                        name.push_str(self.cell(&row, at));
                    }
                }
            }
        }
        rows
    }

    /// A cell's text. The last column goes to the line's end.
    pub(super) fn cell(&self, row: &Row, column: usize) -> &'a str {
        let text = self.lines[row.line];
        let (start, end) = row.spans[column];
        let end = if column + 1 == row.spans.len() { text.len() } else { end.min(text.len()) };
        text.get(start.min(end)..end).unwrap_or("").trim()
    }

    /// The cell says the figure, as exactly as it is printed; None is an empty cell.
    pub(super) fn check(&mut self, row: &Row, column: usize, expected: Option<f64>) {
        let (start, _) = row.spans[column];
        let cell = self.cell(row, column);
        self.compare(row.line, start, cell, expected);
    }

    /// The figures of a piece of a line, in their order.
    pub(super) fn check_words(&mut self, line: usize, from: usize, to: usize, expected: &[Option<f64>]) {
        let text = self.lines[line];
        let piece = &text[from.min(text.len())..to.min(text.len())];
        let words: Vec<&str> = piece.split_whitespace().collect();
        let there: Vec<f64> = expected.iter().copied().flatten().collect();
        assert_eq!(words.len(), there.len(), "{text:?}: {expected:?}");
        for (word, value) in words.into_iter().zip(there) {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            self.compare(line, at, word, Some(value));
        }
    }

    fn compare(&mut self, line: usize, start: usize, cell: &str, expected: Option<f64>) {
        let text = self.lines[line];
        if cell.is_empty() {
            assert_eq!(expected, None, "line {}: nothing at {start} of {text:?}", line + 1);
            return;
        }
        let at = cell.as_ptr() as usize - text.as_ptr() as usize;
        self.seen.insert((line, at));
        if cell.starts_with('#') {
            return;
        }
        self.compared.insert((line, at));
        let (value, step) = number(cell).unwrap_or_else(|| panic!("{cell:?} in {text:?}"));
        let Some(expected) = expected else { panic!("line {}: {cell} in {text:?}, where nothing is known", line + 1) };
        let near = (value - expected).abs() <= step / 2.0 + step * 1e-6 + expected.abs() * 1e-12;
        assert!(near, "line {}: {cell} where it is {expected} in {text:?}", line + 1);
    }

    /// The report again and again, each time with the last digit of one compared figure changed: the line, and the
    /// text.
    pub(super) fn falsified(&self) -> impl Iterator<Item = (usize, String)> {
        self.compared.iter().map(|&(at, start)| {
            let mut lines: Vec<String> = self.lines.iter().map(|line| (*line).to_owned()).collect();
            let line = &mut lines[at];
            let end = line[start..].find(' ').map_or(line.len(), |length| start + length);
            let last = line[start..end].rfind(|digit: char| digit.is_ascii_digit());
            let digit = start + last.unwrap_or_else(|| panic!("no figure at {start} of {line:?}"));
            let other = (line.as_bytes()[digit] - b'0' + 5) % 10;
            line.replace_range(digit..=digit, &other.to_string());
            (at, lines.join("\n"))
        })
    }

    /// Says that a line's figures are text.
    pub(super) fn skip(&mut self, line: usize) {
        for (at, _) in figures(self.lines[line]) {
            self.seen.insert((line, at));
        }
    }

    /// Figures that no test has looked at.
    pub(super) fn unseen(&self) -> Vec<String> {
        let mut unseen = Vec::new();
        for (line, text) in self.lines.iter().enumerate() {
            let heading = self.lines.get(line + 1).is_some_and(|below| is_ruler(below) && !is_rule(below));
            let total = text.starts_with("-> Total ") && !text.contains("units:") || text.starts_with("-> Captured");
            let note = text.starts_with("->") && !total;
            if heading || note || text.starts_with("Top 5 ") || text.contains("  DB/Inst: ") {
                continue;
            }
            let not = figures(text).into_iter().filter(|(at, _)| !self.seen.contains(&(line, *at)));
            unseen.extend(not.map(|(_, word)| format!("line {}: {word} in {text:?}", line + 1)));
        }
        unseen
    }
}

/// Words of a line that are numbers.
fn figures(text: &str) -> Vec<(usize, &str)> {
    let words = text.split(' ').filter(|word| number(word).is_some());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect()
}

/// A printed number and what its last digit is worth.
fn number(text: &str) -> Option<(f64, f64)> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'T', 'P']);
    let factor = match &text[digits.len()..] {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        _ => return None,
    };
    let plain = digits.replace(',', "");
    if !plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-') {
        return None;
    }
    let decimals = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    Some((plain.parse::<f64>().ok()? * factor, 10_f64.powi(-decimals) * factor))
}

fn is_ruler(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'-' || byte == b' ')
}

fn is_rule(text: &str) -> bool {
    text.starts_with("          -------") && text.trim().len() == 61 && is_ruler(text)
}

fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match (byte, start) {
            (b'-', None) => start = Some(at),
            (b' ', Some(from)) => {
                runs.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    runs
}
