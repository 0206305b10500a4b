//! Preparation of a SQL statement's text for the host: elements of collections and whole records become bind variables,
//! since SQL has neither.

/// A word or sign of SQL text, by its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SqlToken<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) kind: PieceKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PieceKind {
    Word,
    Quoted,
    /// `:NAME`
    Bind,
    /// A literal, a hint or a comment.
    Other,
    Sign,
}

impl SqlToken<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        match self.kind {
            PieceKind::Word => self.text.eq_ignore_ascii_case(word),
            PieceKind::Sign => self.text == word,
            _ => false,
        }
    }

    /// The name that it is: upper case unless quoted.
    pub(crate) fn name(&self) -> Option<Box<str>> {
        match self.kind {
            PieceKind::Word => Some(self.text.to_uppercase().into()),
            PieceKind::Quoted => Some(self.text.trim_matches('"').into()),
            _ => None,
        }
    }

    pub(crate) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// The pieces of a statement; blanks and comments are left out.
pub(crate) fn pieces(text: &str) -> Vec<SqlToken<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, kind) = match c {
            c if c.is_whitespace() => (c.len_utf8(), None),
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), None),
            '\'' => (literal(rest), Some(PieceKind::Other)),
            'q' | 'Q' if rest[1..].starts_with('\'') => (quoted_literal(rest), Some(PieceKind::Other)),
            '"' => (rest[1..].find('"').map_or(rest.len(), |end| end + 2), Some(PieceKind::Quoted)),
            ':' => {
                let name: usize = rest[1..].chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
                (1 + name, Some(if name > 0 { PieceKind::Bind } else { PieceKind::Sign }))
            }
            c if c.is_alphabetic() => {
                (rest.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum(), Some(PieceKind::Word))
            }
            c if c.is_ascii_digit() => (
                rest.chars().take_while(|c| is_word(*c) || *c == '.').map(char::len_utf8).sum(),
                Some(PieceKind::Other),
            ),
            c => (c.len_utf8(), Some(PieceKind::Sign)),
        };
        if let Some(kind) = kind {
            found.push(SqlToken { text: &rest[..length], at, kind });
        }
        at += length;
    }
    found
}

fn literal(rest: &str) -> usize {
    let mut end = 1;
    loop {
        match rest[end..].find('\'') {
            None => return rest.len(),
            Some(found) => {
                end += found + 1;
                if !rest[end..].starts_with('\'') {
                    return end;
                }
                end += 1;
            }
        }
    }
}

fn quoted_literal(rest: &str) -> usize {
    let Some(open) = rest[2..].chars().next() else { return rest.len() };
    let close = match open {
        '[' => ']',
        '{' => '}',
        '<' => '>',
        '(' => ')',
        other => other,
    };
    let end = format!("{close}'");
    let from = 2 + open.len_utf8();
    rest[from..].find(&end).map_or(rest.len(), |found| from + found + end.len())
}

/// The path `A.B.C` that begins at a piece: its names and the pieces it takes.
pub(crate) fn path(pieces: &[SqlToken<'_>]) -> Option<(Vec<Box<str>>, usize)> {
    let mut names = vec![pieces.first()?.name()?];
    let mut used = 1;
    while pieces.get(used).is_some_and(|piece| piece.is("."))
        && let Some(name) = pieces.get(used + 1).and_then(SqlToken::name)
    {
        names.push(name);
        used += 2;
    }
    Some((names, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_hide_names() {
        let text = "select q'[it's]', 'a''b' -- x\n, :b1, \"Q\" /* y */ from t.u";
        let words: Vec<&str> = pieces(text).iter().map(|piece| piece.text).collect();
        assert_eq!(words, ["select", "q'[it's]'", ",", "'a''b'", ",", ":b1", ",", "\"Q\"", "from", "t", ".", "u"]);
    }

    #[test]
    fn a_path_ends_where_its_dots_do() {
        let found = pieces("a.b (c(1), 2) d");
        assert_eq!(path(&found), Some((vec!["A".into(), "B".into()], 3)));
    }
}
