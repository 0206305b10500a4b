//! Program text as tokens.
//!
//! Blanks and comments stand between tokens and are none themselves; a rule that needs them (a SQL statement keeps its
//! hints) reads the source between two tokens. The rules are PL/SQL's: `1..5` is `1`, `..`, `5`; `''` in a quoted text
//! is one quote; `:x` is one token, blanks behind the colon or not.

mod literal;
mod token;

pub(crate) use literal::{MAX_NAME, too_long};
pub use token::{Token, TokenKind};

use crate::error::Fault;
use literal::{end_of_number, quoted_name, quoted_text};

/// Signs of more than one character, longest first; then the single ones.
const SIGNS: &[&str] = &[
    ":=", "=>", "..", "**", "||", "<>", "!=", "^=", "~=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "=", "<", ">",
    "(", ")", ",", ";", ".", "%", "@",
];

/// The tokens of a text, [`TokenKind::End`] last.
///
/// # Errors
/// A quoted text, a quoted name or a comment that does not end, and number literals that are not supported.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    if u32::try_from(text.len()).is_err() {
        return Err(Fault::pls(0, 123, "program too large"));
    }
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    loop {
        let token = next_token(text, at)?;
        at = token.end as usize;
        let done = token.kind == TokenKind::End;
        tokens.push(token);
        if done {
            return Ok(tokens);
        }
    }
}

/// The first token at `at` or behind it.
pub(crate) fn next_token(text: &str, at: usize) -> Result<Token, Fault> {
    let start = skip_blanks(text, at)?;
    let (kind, end) = token(text, start)?;
    Ok(Token { kind, start: offset(start), end: offset(end) })
}

/// Texts are shorter than 4 GiB, as was seen first.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Behind the blanks and comments that begin at `at`.
fn skip_blanks(text: &str, mut at: usize) -> Result<usize, Fault> {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("--") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if let Some(comment) = trimmed.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(Fault::pls(
                    offset(at),
                    103,
                    "Encountered the symbol \"end-of-file\" in a comment that begins here",
                ));
            };
            at += end + 4;
        } else {
            return Ok(at);
        }
    }
}

/// The token that begins at `at`, and where it ends.
fn token(text: &str, at: usize) -> Result<(TokenKind, usize), Fault> {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else { return Ok((TokenKind::End, at)) };
    if let Some((content, length)) = quoted_text(rest, offset(at))? {
        return Ok((TokenKind::Text(content.into()), at + length));
    }
    if first.is_alphabetic() {
        let length = word(rest);
        return Ok((TokenKind::Word(upper(&rest[..length])), at + length));
    }
    if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
        let length = end_of_number(rest, offset(at))?;
        return Ok((TokenKind::Number(rest[..length].into()), at + length));
    }
    if first == '"' {
        let (name, length) = quoted_name(rest, offset(at))?;
        return Ok((TokenKind::Quoted(name.into()), at + length));
    }
    if first == ':' && !rest.starts_with(":=") {
        let name = skip_blanks(text, at + 1)?;
        if let Some((kind, end)) = bind(text, name)? {
            return Ok((kind, end));
        }
    }
    let bytes = rest.as_bytes();
    match SIGNS.iter().find(|sign| sign.as_bytes()[0] == bytes[0] && bytes.starts_with(sign.as_bytes())) {
        Some(sign) => Ok((TokenKind::Sign(sign), at + sign.len())),
        None => Ok((TokenKind::Other(first), at + first.len_utf8())),
    }
}

/// The name of a bind variable that begins at `at`, and where it ends; None when there is none.
fn bind(text: &str, at: usize) -> Result<Option<(TokenKind, usize)>, Fault> {
    let rest = &text[at..];
    match rest.chars().next() {
        Some('"') => {
            let (name, length) = quoted_name(rest, offset(at))?;
            Ok(Some((TokenKind::Bind(name.into()), at + length)))
        }
        Some(c) if c.is_alphabetic() => {
            let length = word(rest);
            Ok(Some((TokenKind::Bind(upper(&rest[..length])), at + length)))
        }
        Some(c) if c.is_ascii_digit() => {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Ok(Some((TokenKind::Bind(rest[..length].into()), at + length)))
        }
        _ => Ok(None),
    }
}

/// Length of the word with which the text begins.
fn word(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#'))).unwrap_or(rest.len())
}

fn upper(word: &str) -> Box<str> {
    if word.is_ascii() { word.to_ascii_uppercase().into() } else { word.to_uppercase().into() }
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{Bind, End, Number, Other, Quoted, Sign, Text, Word};
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut kinds: Vec<TokenKind> = tokens(text).expect("tokens").into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds.pop(), Some(End));
        kinds
    }

    fn fault(text: &str) -> (u32, String) {
        let fault = tokens(text).expect_err("a fault");
        (fault.at, format!("{}", fault.number))
    }

    #[test]
    fn words_are_in_upper_case_and_quoted_names_as_written() {
        assert_eq!(
            kinds("l_x sys$y# \"mIxed \" été"),
            [Word("L_X".into()), Word("SYS$Y#".into()), Quoted("mIxed ".into()), Word("ÉTÉ".into())]
        );
    }

    #[test]
    fn tokens_know_their_bytes() {
        let all = tokens("a /* é */ :=\n'b'").expect("tokens");
        let places: Vec<(u32, u32)> = all.iter().map(|token| (token.start, token.end)).collect();
        assert_eq!(places, [(0, 1), (11, 13), (14, 17), (17, 17)]);
    }

    #[test]
    fn a_number_ends_before_two_dots() {
        let number = |text: &str| Number(text.into());
        assert_eq!(kinds("1..5"), [number("1"), Sign(".."), number("5")]);
        assert_eq!(kinds("1.5..x"), [number("1.5"), Sign(".."), Word("X".into())]);
        assert_eq!(kinds("1 .. .5"), [number("1"), Sign(".."), number(".5")]);
        assert_eq!(kinds("1. 1.e3 1e10 1E-5 .5e+2"), ["1.", "1.e3", "1e10", "1E-5", ".5e+2"].map(number));
    }

    #[test]
    fn letters_behind_a_number_are_a_word_of_their_own() {
        assert_eq!(
            kinds("1e 1ex 1day"),
            [
                Number("1".into()),
                Word("E".into()),
                Number("1".into()),
                Word("EX".into()),
                Number("1".into()),
                Word("DAY".into()),
            ]
        );
    }

    #[test]
    fn binary_numbers_are_refused() {
        for text in ["x 1d", "x 1.5F", "x 1e3d", "x .5f;"] {
            assert_eq!(fault(text), (2, "HW-0001".to_owned()), "{text}");
        }
    }

    #[test]
    fn texts_lose_their_quotes() {
        let text = |text: &str| Text(text.into());
        assert_eq!(kinds("'it''s' '' ''''"), [text("it's"), text(""), text("'")]);
        assert_eq!(kinds("q'[it's]' Q'!a!' q'(b)' q'{c}' q'<d>' q'xyx'"), ["it's", "a", "b", "c", "d", "y"].map(text));
        assert_eq!(kinds("n'é' nq'|f|' NQ'[g]'"), ["é", "f", "g"].map(text));
        assert_eq!(kinds("q 'a' faq'b'"), [Word("Q".into()), text("a"), Word("FAQ".into()), text("b")]);
    }

    #[test]
    fn binds_are_one_token() {
        assert_eq!(
            kinds(":x :1 : y :\"z\" :new.x"),
            [
                Bind("X".into()),
                Bind("1".into()),
                Bind("Y".into()),
                Bind("z".into()),
                Bind("NEW".into()),
                Sign("."),
                Word("X".into()),
            ]
        );
        assert_eq!(kinds("x:=:y"), [Word("X".into()), Sign(":="), Bind("Y".into())]);
        assert_eq!(kinds(":"), [Other(':')]);
    }

    #[test]
    fn signs_are_as_long_as_can_be() {
        let text = ":= => .. ** || <> != ^= ~= <= >= << >> + - * / = < > ( ) , ; . % @";
        let expected: Vec<TokenKind> = SIGNS.iter().map(|sign| Sign(sign)).collect();
        assert_eq!(kinds(text), expected);
        assert_eq!(kinds("a<-b"), [Word("A".into()), Sign("<"), Sign("-"), Word("B".into())]);
        assert_eq!(kinds("? ! $"), [Other('?'), Other('!'), Other('$')]);
    }

    #[test]
    fn comments_are_no_tokens() {
        assert_eq!(kinds("a -- b ' \"\n/* c 'd */e /*+ hint */"), [Word("A".into()), Word("E".into())]);
        assert_eq!(kinds("-- nothing"), []);
    }

    #[test]
    fn an_unclosed_construct_is_reported_where_it_begins() {
        for text in ["a 'b;", "a q'[b]", "a \"b", "a /* b", "a q'"] {
            assert_eq!(fault(text), (2, "PLS-00103".to_owned()), "{text}");
        }
        assert_eq!(fault("a \"\""), (2, "PLS-00103".to_owned()));
        assert_eq!(fault("a : \"b"), (4, "PLS-00103".to_owned()));
        let long = format!("\"{}\"", "x".repeat(129));
        assert_eq!(fault(&long), (0, "PLS-00114".to_owned()));
    }
}
