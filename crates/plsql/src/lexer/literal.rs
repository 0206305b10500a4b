//! Numbers, quoted texts and quoted names.

use crate::ast::At;
use crate::error::Fault;

/// The longest name, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// Length of the number with which the text begins.
pub(super) fn end_of_number(rest: &str, at: At) -> Result<usize, Fault> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let mut behind = rest[end..].chars();
    let binary = matches!(behind.next(), Some('d' | 'D' | 'f' | 'F'));
    if binary && !behind.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#')) {
        return Err(Fault::unsupported(at, "BINARY_DOUBLE and BINARY_FLOAT literals"));
    }
    Ok(end)
}

/// The text between the quotes at the beginning, and its length with them; None when it begins with no quote.
pub(super) fn quoted_text(rest: &str, at: At) -> Result<Option<(String, usize)>, Fault> {
    let body = rest.strip_prefix(['n', 'N']).unwrap_or(rest);
    let content = if let Some(content) = body.strip_prefix('\'') {
        return single_quoted(content, at).map(|(text, length)| Some((text, rest.len() - content.len() + length)));
    } else if let Some(content) = body.strip_prefix(['q', 'Q']).and_then(|body| body.strip_prefix('\'')) {
        content
    } else {
        return Ok(None);
    };
    let Some(open) = content.chars().next() else { return Err(not_ended(at)) };
    let close = match open {
        '[' => ']',
        '{' => '}',
        '(' => ')',
        '<' => '>',
        other => other,
    };
    let content = &content[open.len_utf8()..];
    let end = format!("{close}'");
    let length = content.find(&end).ok_or_else(|| not_ended(at))?;
    Ok(Some((content[..length].to_owned(), rest.len() - content.len() + length + end.len())))
}

/// The text up to its closing quote, and how many bytes that is with the quote.
fn single_quoted(content: &str, at: At) -> Result<(String, usize), Fault> {
    let mut text = String::new();
    let mut from = 0;
    loop {
        let quote = content[from..].find('\'').ok_or_else(|| not_ended(at))? + from;
        text.push_str(&content[from..quote]);
        if !content[quote + 1..].starts_with('\'') {
            return Ok((text, quote + 1));
        }
        text.push('\'');
        from = quote + 2;
    }
}

fn not_ended(at: At) -> Fault {
    Fault::pls(at, 103, "Encountered the symbol \"end-of-file\" in a quoted text that begins here")
}

/// The name in double quotes that the text begins with, and how long it is with them.
pub(super) fn quoted_name(rest: &str, at: At) -> Result<(&str, usize), Fault> {
    let name = &rest[1..];
    match name.find('"') {
        None => Err(Fault::pls(at, 103, "Encountered the symbol \"end-of-file\" in a quoted name that begins here")),
        Some(0) => Err(Fault::pls(
            at,
            103,
            "Encountered the symbol \"\" when expecting one of the following: a quoted name of at least one character",
        )),
        Some(length) if length > MAX_NAME => Err(too_long(&name[..length], at)),
        Some(length) => Ok((&name[..length], length + 2)),
    }
}

/// PLS-00114.
pub(crate) fn too_long(name: &str, at: At) -> Fault {
    let start: String = name.chars().take(30).collect();
    Fault::pls(at, 114, format!("identifier '{start}' too long"))
}
