//! Parts of a text and places in it.

/// SUBSTR: `start` counts from 1, or from the end when negative; 0 is taken as 1. None when nothing is left.
#[must_use]
pub fn substring(text: &str, start: i64, length: Option<i64>) -> Option<&str> {
    if length.is_some_and(|length| length < 1) {
        return None;
    }
    if text.is_ascii() {
        let (from, to) = range(text.len(), start, length)?;
        return Some(&text[from..to]);
    }
    let (from, to) = range(text.chars().count(), start, length)?;
    let offset = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
    let begin = offset(from);
    let end = begin + text[begin..].char_indices().nth(to - from).map_or(text.len() - begin, |(at, _)| at);
    Some(&text[begin..end])
}

/// SUBSTRB: the same by bytes. A character that is cut in two is replaced by blanks.
#[must_use]
pub fn substring_bytes(text: &str, start: i64, length: Option<i64>) -> Option<String> {
    if length.is_some_and(|length| length < 1) {
        return None;
    }
    let (from, to) = range(text.len(), start, length)?;
    let begin = (from..=to).find(|at| text.is_char_boundary(*at))?;
    let end = (begin..=to).rev().find(|at| text.is_char_boundary(*at))?;
    Some(format!("{}{}{}", " ".repeat(begin - from), &text[begin..end], " ".repeat(to - end)))
}

fn range(count: usize, start: i64, length: Option<i64>) -> Option<(usize, usize)> {
    let count = count as i64;
    let from = match start {
        0 => 0,
        1.. => start - 1,
        _ => count.checked_add(start)?,
    };
    if from < 0 || from >= count {
        return None;
    }
    let to = length.map_or(count, |length| from.saturating_add(length).min(count));
    Some((from as usize, to as usize))
}

/// INSTR: the position, from 1, of the `occurrence`th `part`, searched from character `start` on, or backwards from
/// there when `start` is negative; 0 when there is none.
#[must_use]
pub fn find(text: &str, part: &str, start: i64, occurrence: i64) -> i64 {
    if part.is_empty() || start == 0 {
        return 0;
    }
    let nth = occurrence.max(1) as usize - 1;
    if text.is_ascii() {
        return find_bytes(text.as_bytes(), part.as_bytes(), start, nth);
    }
    // Byte offsets of characters, so that positions convert both ways.
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let hit = |place: &usize| text[offsets[*place]..].starts_with(part);
    let found = if start > 0 {
        (start as usize - 1..offsets.len()).filter(hit).nth(nth)
    } else {
        let from = offsets.len() as i64 + start;
        (0..=from.max(-1)).rev().map(|place| place as usize).filter(hit).nth(nth)
    };
    found.map_or(0, |place| place as i64 + 1)
}

/// INSTRB: [`find`] by bytes.
#[must_use]
pub fn find_bytes(text: &[u8], part: &[u8], start: i64, nth: usize) -> i64 {
    let hit = |place: &usize| text[*place..].starts_with(part);
    let found = if start > 0 {
        let from = (start as usize - 1).min(text.len());
        (from..text.len()).filter(hit).nth(nth)
    } else {
        let from = text.len() as i64 + start;
        (0..=from.max(-1)).rev().map(|place| place as usize).filter(hit).nth(nth)
    };
    found.map_or(0, |place| place as i64 + 1)
}
