//! The text of a SQL statement: the source without comments and without the clauses that are PL/SQL's.

use std::ops::Range;

use crate::ast::At;
use crate::lexer::Token;

/// The rest of a piece of source.
pub(super) struct Rest {
    pub(super) text: String,
    /// Offset in the text, offset in the source, wherever the distance between them changes.
    pub(super) places: Vec<(u32, At)>,
    /// Where each cut was, in the order given: byte offsets into the text.
    pub(super) offsets: Vec<u32>,
}

/// The source of `tokens` without those in `cuts`, which are in order and do not overlap. Blanks are as written; where
/// a comment alone kept two tokens apart there is one.
pub(super) fn cut(source: &str, tokens: &[Token], cuts: &[Range<usize>]) -> Rest {
    let mut rest = Rest { text: String::new(), places: Vec::new(), offsets: Vec::new() };
    let mut cuts = cuts.iter().peekable();
    let mut at = 0;
    // Where the token before ends, which the blanks in front of the next one begin at.
    let mut last = tokens.first().map_or(0, |first| first.start as usize);
    while let Some(token) = tokens.get(at) {
        let (start, end) = (token.start as usize, token.end as usize);
        rest.gap(&source[last..start]);
        if let Some(cut) = cuts.next_if(|cut| cut.start == at) {
            rest.offsets.push(offset(rest.text.len()));
            at = cut.end.max(at + 1);
            last = tokens[at - 1].end as usize;
            continue;
        }
        rest.place(start);
        rest.text.push_str(&source[start..end]);
        at += 1;
        last = end;
    }
    let length = rest.text.trim_end().len();
    rest.text.truncate(length);
    for place in &mut rest.offsets {
        *place = (*place).min(offset(length));
    }
    rest
}

impl Rest {
    /// The text between two tokens: blanks, and comments, of which hints stay. Behind a cut there are blanks already.
    fn gap(&mut self, mut gap: &str) {
        if self.text.is_empty() {
            return;
        }
        if self.text.ends_with(char::is_whitespace) {
            gap = gap.trim_start();
        }
        while let Some(c) = gap.chars().next() {
            if let Some(comment) = gap.strip_prefix("--") {
                let end = comment.find('\n').unwrap_or(comment.len()) + 2;
                gap = self.comment(&gap[..end], &gap[end..]);
            } else if let Some(comment) = gap.strip_prefix("/*") {
                let end = comment.find("*/").map_or(gap.len(), |end| end + 4);
                gap = self.comment(&gap[..end], &gap[end..]);
            } else {
                self.text.push(c);
                gap = &gap[c.len_utf8()..];
            }
        }
    }

    /// Consumes a comment; returns the rest, without leading blanks if there are some in front already.
    fn comment<'g>(&mut self, comment: &str, behind: &'g str) -> &'g str {
        if comment[2..].starts_with('+') {
            self.text.push_str(comment);
            return behind;
        }
        if !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
        behind.trim_start_matches([' ', '\t'])
    }

    /// The text goes on with the source's byte at `start`.
    fn place(&mut self, start: usize) {
        let (text, source) = (offset(self.text.len()), offset(start));
        if self.places.last().is_none_or(|(last_text, last_source)| source - last_source != text - last_text) {
            self.places.push((text, source));
        }
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::tokens;

    fn without(source: &str, cut_from_to: Option<(usize, usize)>) -> (String, Vec<u32>) {
        let cuts: Vec<Range<usize>> = cut_from_to.map(|(from, to)| from..to).into_iter().collect();
        let mut tokens = tokens(source).expect("tokens");
        tokens.pop();
        let rest = cut(source, &tokens, &cuts);
        for (text, at) in &rest.places {
            assert_eq!(rest.text.as_bytes()[*text as usize], source.as_bytes()[*at as usize]);
        }
        (rest.text, rest.offsets)
    }

    #[test]
    fn blanks_stay_and_comments_go() {
        assert_eq!(without("  a  /* b */ c\n -- d\ne/**/f --", None).0, "a  c\n \ne f");
    }

    #[test]
    fn hints_stay() {
        assert_eq!(without("select /*+ full(t) */ a", None).0, "select /*+ full(t) */ a");
        assert_eq!(without("select --+ full(t)\n a", None).0, "select --+ full(t)\n a");
    }

    #[test]
    fn cuts_leave_no_double_blanks() {
        assert_eq!(without("select a into b from t", Some((2, 4))), ("select a from t".to_owned(), vec![9]));
        assert_eq!(without("returning a\n into b", Some((2, 4))), ("returning a".to_owned(), vec![11]));
        assert_eq!(without("values r returning a", Some((1, 2))), ("values returning a".to_owned(), vec![7]));
    }

    #[test]
    fn quoted_texts_are_as_written() {
        assert_eq!(without("'it''s /* no */' || q'[--]'", None).0, "'it''s /* no */' || q'[--]'");
    }
}
