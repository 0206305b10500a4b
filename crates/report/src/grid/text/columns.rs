//! Cutting a line at the columns of a ruler.

/// Rulers with more columns are a line of text.
const MAX_COLUMNS: usize = 48;

/// Characters of a line in which columns are looked for, where characters are not bytes.
const MAX_WIDTH: usize = 4096;

/// Character positions of a table's columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    /// First and one past the last character of each ruled column.
    pub(super) spans: Vec<(usize, usize)>,
    /// There is room for a label left of the first ruled column.
    pub(super) label: bool,
}

/// True: the middle of a column lies under a heading of several columns.
pub(super) fn centred(group: (usize, usize), span: (usize, usize)) -> bool {
    (group.0 * 2..group.1 * 2).contains(&(span.0 + span.1))
}

impl Columns {
    /// The columns of a ruler line. Tildes stand under a label.
    pub(super) fn of(ruler: &str) -> Option<Self> {
        let mut spans = Vec::new();
        let bytes = ruler.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'-' {
                let start = at;
                while at < bytes.len() && bytes[at] == b'-' {
                    at += 1;
                }
                spans.push((start, at));
            } else {
                at += 1;
            }
        }
        let first = spans.first()?.0;
        let label = first >= 4 || bytes.first() == Some(&b'~');
        (spans.len() <= MAX_COLUMNS).then_some(Self { spans, label })
    }

    /// Cells that a line makes.
    pub(super) fn count(&self) -> usize {
        self.spans.len() + usize::from(self.label)
    }

    /// True: the other ruler has some but not all of this one's columns: the line above a sum.
    pub(super) fn is_sum_of(&self, table: &Self) -> bool {
        self.spans.len() < table.spans.len() && self.spans.iter().all(|span| table.spans.contains(span))
    }

    /// True: every column of this ruler stands over several columns of another: a heading over a group.
    pub(super) fn groups(&self, below: &Self) -> bool {
        let beside = below.label
            || self.spans.first().is_some_and(|first| below.spans.first().is_some_and(|span| span.1 <= first.0));
        beside
            && below.spans.len() > self.spans.len()
            && self.spans.iter().all(|&group| below.spans.iter().filter(|&&span| centred(group, span)).count() >= 2)
    }

    /// The line's cells, trimmed, and whether each boundary fell into white space.
    pub(super) fn cut<'a>(&self, text: &'a str, cells: &mut Vec<&'a str>) -> bool {
        cells.clear();
        cells.reserve(self.count());
        let line = Characters::new(text);
        let mut clean = true;
        let mut start = 0;
        let mut cut = |left: (usize, usize), right: (usize, usize)| {
            let (end, fell_in_space) = line.boundary(left, right);
            clean &= fell_in_space;
            let end = end.max(start);
            cells.push(line.slice(start, end).trim_ascii());
            start = end;
        };
        if self.label {
            let first = self.spans[0];
            cut((0, first.0.saturating_sub(1)), first);
        }
        for pair in self.spans.windows(2) {
            cut(pair[0], pair[1]);
        }
        cells.push(line.slice(start, usize::MAX).trim_ascii());
        clean
    }
}

impl Columns {
    /// The cells of a line of figures of which one is missing with its white space, so that what follows stands too far
    /// left.
    pub(super) fn shifted(&self, text: &str) -> Option<Vec<String>> {
        if self.label || !text.is_ascii() {
            return None;
        }
        let mut words = Vec::with_capacity(self.spans.len());
        let mut end = 0;
        for word in text.split_ascii_whitespace() {
            end = end + text[end..].find(word)? + word.len();
            words.push((end, word));
        }
        if words.len() + 1 != self.spans.len() || !words.iter().all(|word| is_figure(word.1)) {
            return None;
        }
        let gap = words.iter().zip(&self.spans).position(|(word, span)| word.0 != span.1)?;
        let by = self.spans[gap + 1].1.checked_sub(words[gap].0)?;
        if !words[gap..].iter().zip(&self.spans[gap + 1..]).all(|(word, span)| word.0 + by == span.1) {
            return None;
        }
        let mut cells: Vec<String> = words.iter().map(|word| word.1.to_owned()).collect();
        cells.insert(gap, String::new());
        Some(cells)
    }
}

/// A line by characters; of ASCII text these are the bytes.
struct Characters<'a> {
    text: &'a str,
    /// Byte offset of each character, where the two differ.
    offsets: Option<Vec<usize>>,
}

impl<'a> Characters<'a> {
    fn new(text: &'a str) -> Self {
        let offsets =
            (!text.is_ascii()).then(|| text.char_indices().take(MAX_WIDTH).map(|(offset, _)| offset).collect());
        Self { text, offsets }
    }

    fn len(&self) -> usize {
        self.offsets.as_ref().map_or(self.text.len(), Vec::len)
    }

    fn byte(&self, at: usize) -> usize {
        match &self.offsets {
            None => at.min(self.text.len()),
            Some(offsets) => offsets.get(at).copied().unwrap_or(self.text.len()),
        }
    }

    fn is_space(&self, at: usize) -> bool {
        self.text.as_bytes().get(self.byte(at)).is_none_or(|&byte| byte == b' ')
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(self.byte(start)..self.byte(end)).unwrap_or("")
    }

    /// Where to cut between two columns: in the gap between them, or beside the word that runs through it.
    fn boundary(&self, left: (usize, usize), right: (usize, usize)) -> (usize, bool) {
        if left.1 >= self.len() {
            return (left.1, true);
        }
        if let Some(space) = (left.1..right.0).find(|&at| self.is_space(at)) {
            // A right-aligned figure that is wider than its column begins in the gap.
            if (space + 1..right.0).all(|at| self.is_space(at)) {
                return (space, true);
            }
            return (space, self.is_space(left.1));
        }
        let mut start = left.1;
        while start > left.0 && !self.is_space(start - 1) {
            start -= 1;
        }
        let mut end = right.0;
        while end < self.len() && !self.is_space(end) {
            end += 1;
        }
        let alone_right = (end..right.1).all(|at| self.is_space(at));
        let ends_right = end == right.1 || (alone_right && right.1.min(end) - right.0.min(end) >= left.1 - start);
        (if ends_right && alone_right { start } else { end }, false)
    }
}

/// True: the word is a figure as reports print them.
pub(super) fn is_figure(word: &str) -> bool {
    let bytes = word.as_bytes();
    match bytes.first() {
        Some(b'0'..=b'9') => {
            bytes.iter().all(|byte| byte.is_ascii_digit() || b".,':/%+-EKMGTPkmgtpusn#()".contains(byte))
        }
        Some(b'.' | b'-' | b'+' | b',') => {
            bytes.len() > 1 && bytes[1..].iter().all(|byte| byte.is_ascii_digit() || b".,E+-KMGTPusnm%".contains(byte))
        }
        Some(b'#') => bytes.iter().all(|&byte| byte == b'#'),
        _ => word == "N/A",
    }
}

/// True: more than half of a line's words are figures.
pub(super) fn is_figures(text: &str) -> bool {
    let mut words = 0;
    let mut figures = 0;
    for word in text.split_ascii_whitespace() {
        words += 1;
        figures += usize::from(is_figure(word));
    }
    figures * 2 > words
}
