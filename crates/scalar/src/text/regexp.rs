//! Regular expressions of the REGEXP functions.
//!
//! Carried out by the `regex` crate: POSIX classes and the Perl-like operators `\d \w \s \D \W \S *? +? ??` work,
//! back-references within a pattern do not and are refused. Alternatives are taken leftmost-first, where Oracle takes
//! the longest.

use common::{Error, Result};
use regex::{Regex, RegexBuilder};

/// Compiles a pattern with Oracle's match parameters: `i` no case, `c` case, `n` the dot matches a newline, `m` lines,
/// `x` ignores blanks.
///
/// # Errors
/// ORA-12726 and ORA-12725-like for a pattern that is none, ORA-01760 for an unknown parameter, HW-0001 for
/// back-references.
pub fn compile(pattern: &str, parameters: &str) -> Result<Regex> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(1 << 20);
    for parameter in parameters.chars() {
        match parameter {
            'i' => builder.case_insensitive(true),
            'c' => builder.case_insensitive(false),
            'n' => builder.dot_matches_new_line(true),
            'm' => builder.multi_line(true),
            'x' => builder.ignore_whitespace(true),
            _ => return Err(Error::user(1760, "illegal argument for function: unknown match parameter")),
        };
    }
    builder.build().map_err(|error| {
        let has_reference = pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
        if has_reference {
            return Error::unsupported("back-references within a regular expression");
        }
        let number = match &error {
            regex::Error::CompiledTooBig(_) => 12733,
            _ if pattern.matches('(').count() != pattern.matches(')').count() => 12725,
            _ if pattern.contains('[') => 12726,
            _ => 12728,
        };
        Error::user(number, "the regular expression is not valid")
    })
}

/// The byte offset of character `position`, which counts from 1; None behind the end.
#[must_use]
pub fn offset(text: &str, position: i64) -> Option<usize> {
    let place = usize::try_from(position - 1).ok()?;
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(place)
}

/// The `occurrence`th match at or behind a byte offset: beginning and end of it, or of its sub-expression `group`.
#[must_use]
pub fn nth_match(regex: &Regex, text: &str, from: usize, occurrence: usize, group: usize) -> Option<(usize, usize)> {
    let mut at = from;
    let mut left = occurrence;
    while at <= text.len() {
        let captures = regex.captures_at(text, at)?;
        let whole = captures.get(0)?;
        if left <= 1 {
            return captures.get(group).map(|part| (part.start(), part.end()));
        }
        left -= 1;
        at = next(text, whole.start(), whole.end());
    }
    None
}

/// The offset to search for the next match: behind this one, and one character further when it was empty.
#[must_use]
pub fn next(text: &str, start: usize, end: usize) -> usize {
    if end > start { end } else { end + text[end..].chars().next().map_or(1, char::len_utf8) }
}

/// Replaces the `occurrence`th match (0: all of them) at or behind a byte offset; `\1` to `\9` in `replacement` are
/// sub-expressions.
#[must_use]
pub fn replace(regex: &Regex, text: &str, replacement: &str, from: usize, occurrence: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = from;
    let mut count = 0;
    while at <= text.len() {
        let Some(captures) = regex.captures_at(text, at) else { break };
        let Some(whole) = captures.get(0) else { break };
        count += 1;
        if occurrence == 0 || count == occurrence {
            out.push_str(&text[copied..whole.start()]);
            expand(&mut out, replacement, &captures);
            copied = whole.end();
        }
        if count == occurrence {
            break;
        }
        at = next(text, whole.start(), whole.end());
    }
    out.push_str(&text[copied..]);
    out
}

fn expand(out: &mut String, replacement: &str, captures: &regex::Captures<'_>) {
    let mut characters = replacement.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek().and_then(|next| next.to_digit(10))) {
            ('\\', Some(group)) => {
                characters.next();
                out.push_str(captures.get(group as usize).map_or("", |part| part.as_str()));
            }
            ('\\', None) if characters.peek() == Some(&'\\') => {
                characters.next();
                out.push('\\');
            }
            _ => out.push(character),
        }
    }
}
