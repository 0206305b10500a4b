//! The heading of a table: its rulers, and the names that stand over them.

use std::borrow::Cow;

use super::columns::{Columns, centred, is_figures};
use super::line::Look;

/// Lines that a heading may have over one ruler.
const MAX_LINES: usize = 7;

/// Characters of a heading's line that are looked at.
const MAX_WIDTH: usize = 512;

/// The rulers of a table and the names of its columns.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Heading {
    pub(super) first: Columns,
    /// Of the second line of each row, where rows take two.
    pub(super) second: Option<Columns>,
    pub(super) names: Vec<String>,
    /// The heading of the label column.
    pub(super) label: String,
}

/// The lines that a heading is looked for in.
pub(super) trait View {
    fn look(&self, at: usize) -> Look;
    fn text(&self, at: usize) -> Cow<'_, str>;
}

/// The heading that begins at a line, and the line after its last ruler.
pub(super) fn heading(view: &impl View, at: usize, end: usize) -> Option<(Heading, usize)> {
    let ruler = ruler_below(view, at, end, MAX_LINES)?;
    let columns = Columns::of(&view.text(ruler))?;
    let above: Vec<Cow<'_, str>> = (at..ruler).map(|line| view.text(line)).collect();
    if let Some(next) = ruler_below(view, ruler + 1, end, 5).filter(|&next| next > ruler + 1) {
        let below = Columns::of(&view.text(next));
        let between: Vec<Cow<'_, str>> = (ruler + 1..next).map(|line| view.text(line)).collect();
        if let Some(below) = below {
            if columns.groups(&below) {
                let mut words: Vec<Stack> = vec![Stack::default(); below.count()];
                group_over(&above, &columns, &below, &mut words);
                let label = stack(&between, &below, &mut words);
                return Some((Heading { first: below, second: None, names: names(words), label }, next + 1));
            }
            // Lines of both kinds begin at the margin; a heading in the middle of something else does not.
            let margin = !columns.label && !below.label;
            if margin && !below.is_sum_of(&columns) && !between.iter().any(|line| is_figures(line)) {
                let (mut names, label) = stacked(&above, &columns);
                names.extend(stacked(&between, &below).0);
                let (first, second) = (columns, below);
                return Some((Heading { first, second: Some(second), names, label }, next + 1));
            }
        }
    }
    if above.is_empty() && columns.spans.len() < 2 {
        return None;
    }
    let (names, label) = host(&above, &columns).unwrap_or_else(|| stacked(&above, &columns));
    Some((Heading { first: columns, second: None, names, label }, ruler + 1))
}

/// The ruler that lines of text without a blank one lead to.
fn ruler_below(view: &impl View, at: usize, end: usize, most: usize) -> Option<usize> {
    let mut below = at;
    while below < end && below - at < most && view.look(below) == Look::Text {
        below += 1;
    }
    (below < end && view.look(below) == Look::Ruler).then_some(below)
}

/// The words over one column: those of a group first.
#[derive(Clone, Default)]
struct Stack {
    group: Vec<String>,
    own: Vec<String>,
}

fn names(words: Vec<Stack>) -> Vec<String> {
    words.into_iter().map(|stack| stack.group.into_iter().chain(stack.own).collect::<Vec<_>>().join(" ")).collect()
}

fn stacked(above: &[Cow<'_, str>], columns: &Columns) -> (Vec<String>, String) {
    let mut words = vec![Stack::default(); columns.count()];
    let label = stack(above, columns, &mut words);
    (names(words), label)
}

/// Statspack's host line, which SQL*Plus folds in some releases so that words and columns are out of line.
fn host(above: &[Cow<'_, str>], columns: &Columns) -> Option<(Vec<String>, String)> {
    let [first, _] = above else { return None };
    if !first.starts_with("Host ") || !columns.label || columns.spans.len() != 6 {
        return None;
    }
    let names = ["", "Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (G)"];
    Some((names.map(str::to_owned).to_vec(), "Host".to_owned()))
}

/// Puts each word of heading lines over its column; the words over the label column are returned.
fn stack(above: &[Cow<'_, str>], columns: &Columns, words: &mut [Stack]) -> String {
    let shift = usize::from(columns.label);
    let mut label: Vec<String> = Vec::new();
    for line in above {
        let mut group: Option<(usize, Vec<String>)> = None;
        let tokens = tokens(line);
        for (index, &(start, end, word)) in tokens.iter().enumerate() {
            if word.len() >= 2 && word.bytes().all(|byte| byte == b'-') {
                match group.take() {
                    // `----- Read -----`: from the first dash to the last.
                    Some((from, name)) if !name.is_empty() => {
                        let name = name.join(" ");
                        over(columns, words, &name, |span| centred((from, end), span));
                        group = None;
                    }
                    _ => group = Some((start, Vec::new())),
                }
                continue;
            }
            if let Some((_, name)) = &mut group {
                name.push(word.to_owned());
                continue;
            }
            if columns.label && end <= columns.spans[0].0 && start + 1 < columns.spans[0].0 {
                label.push(word.to_owned());
                continue;
            }
            if let Some(column) = slipped(&tokens, index, columns) {
                words[column + shift].own.push(word.to_owned());
                continue;
            }
            if let Some((from, to, name)) = straddling(&tokens, index, columns) {
                if from == index {
                    over(columns, words, &name, |span| span.0 < to && span.1 > start);
                }
                continue;
            }
            if let Some(column) = nearest(columns, start, end) {
                words[column + shift].own.push(word.to_owned());
            }
        }
    }
    label.join(" ")
}

/// Puts a name before the names of all columns that it stands over.
fn over(columns: &Columns, words: &mut [Stack], name: &str, stands_over: impl Fn((usize, usize)) -> bool) {
    let shift = usize::from(columns.label);
    for (column, &span) in columns.spans.iter().enumerate() {
        if stands_over(span) {
            words[column + shift].group.push(name.to_owned());
        }
    }
}

/// The words from one to another that only single spaces part.
fn phrase(tokens: &[(usize, usize, &str)], index: usize) -> (usize, usize) {
    let mut from = index;
    while from > 0 && tokens[from].0 - tokens[from - 1].1 == 1 {
        from -= 1;
    }
    let mut to = index;
    while to + 1 < tokens.len() && tokens[to + 1].0 - tokens[to].1 == 1 {
        to += 1;
    }
    (from, to)
}

/// The column of words that belong together and reach over its edge by no more than a character or two: `Snap Id` a
/// little beside its ruler.
fn slipped(tokens: &[(usize, usize, &str)], index: usize, columns: &Columns) -> Option<usize> {
    let (from, to) = phrase(tokens, index);
    let (start, end) = (tokens[from].0, tokens[to].1);
    let shared = |span: &(usize, usize)| span.1.min(end).saturating_sub(span.0.max(start));
    let column = nearest(columns, start, end)?;
    let elsewhere: usize =
        columns.spans.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, span)| shared(span)).sum();
    let (word_start, word_end, _) = tokens[index];
    let own = columns.spans.iter().position(|span| span.0 <= word_start && word_end <= span.1);
    if own.is_some_and(|own| own != column) {
        return None;
    }
    let span = columns.spans[column];
    (from < to && elsewhere <= 2 && end - start <= span.1 - span.0 + 1).then_some(column)
}

/// Words that belong together and of which one runs over the gap between two columns: "Load Average" over Begin and
/// End. Returned are the first word's index, one past the last character, and the words.
fn straddling(tokens: &[(usize, usize, &str)], index: usize, columns: &Columns) -> Option<(usize, usize, String)> {
    let (from, to) = phrase(tokens, index);
    let phrase = &tokens[from..=to];
    let runs_over =
        |token: &(usize, usize, &str)| columns.spans.windows(2).any(|pair| token.0 < pair[1].0 && token.1 > pair[0].1);
    let gaps = columns.spans.windows(2).filter(|pair| tokens[from].0 < pair[0].1 && tokens[to].1 > pair[1].0).count();
    // Other words in the line, or more than one gap: a heading whose columns are a space apart.
    (phrase.len() > 1 && phrase.len() == tokens.len() && gaps == 1 && phrase.iter().any(runs_over))
        .then(|| (from, tokens[to].1, phrase.iter().map(|token| token.2).collect::<Vec<_>>().join(" ")))
}

/// The words that stand over groups of columns, over the ruler of the groups.
fn group_over(above: &[Cow<'_, str>], groups: &Columns, columns: &Columns, words: &mut [Stack]) {
    let shift = usize::from(columns.label);
    for line in above {
        for (start, end, word) in tokens(line) {
            match groups.spans.iter().find(|span| span.0 < end && span.1 > start) {
                Some(&(from, to)) => over(columns, words, word, |span| centred((from, to), span)),
                None => {
                    if let Some(column) = nearest(columns, start, end) {
                        words[column + shift].own.push(word.to_owned());
                    }
                }
            }
        }
    }
}

/// The column that shares most characters with a word, or stands nearest to it.
fn nearest(columns: &Columns, start: usize, end: usize) -> Option<usize> {
    let shared = |span: &(usize, usize)| span.1.min(end).saturating_sub(span.0.max(start));
    let distance = |span: &(usize, usize)| span.0.saturating_sub(end).max(start.saturating_sub(span.1));
    columns
        .spans
        .iter()
        .enumerate()
        .min_by_key(|(_, span)| (usize::MAX - shared(span), distance(span)))
        .map(|(column, _)| column)
}

/// The words of a line with their first and one past their last character.
fn tokens(line: &str) -> Vec<(usize, usize, &str)> {
    let mut tokens = Vec::new();
    let mut column = 0;
    let mut open: Option<(usize, usize)> = None;
    for (offset, character) in line.char_indices().take(MAX_WIDTH) {
        if character == ' ' {
            if let Some((start, from)) = open.take() {
                tokens.push((start, column, &line[from..offset]));
            }
        } else if open.is_none() {
            open = Some((column, offset));
        }
        column += 1;
    }
    if let Some((start, from)) = open {
        tokens.push((start, column, &line[from..]));
    }
    tokens
}
