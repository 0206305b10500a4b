//! Words of a SQL*Plus command line: splitting at blanks outside quotes, and the abbreviations that users type.

/// One word of a command line, without its quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) quoted: bool,
    /// Byte range in the line, quotes included.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Word {
    /// True: the word is `pattern` or an abbreviation of it; a quoted word never is. See [`abbreviates`].
    pub(crate) fn is(&self, pattern: &str) -> bool {
        !self.quoted && abbreviates(&self.text, pattern)
    }
}

/// Splits a command line at blanks; `'…'` and `"…"` keep blanks, and a doubled quote inside stands for one.
///
/// A quote counts only where a word begins, so that `it's` is one word. An unclosed quote runs to the end of the line.
pub(crate) fn split(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some(&(start, first)) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let mut text = String::new();
        let quoted = first == '\'' || first == '"';
        let mut end = line.len();
        if quoted {
            chars.next();
            while let Some((at, c)) = chars.next() {
                if c != first {
                    text.push(c);
                } else if chars.peek().is_some_and(|(_, next)| *next == first) {
                    chars.next();
                    text.push(c);
                } else {
                    end = at + c.len_utf8();
                    break;
                }
            }
        } else {
            while let Some(&(at, c)) = chars.peek() {
                if c.is_whitespace() {
                    end = at;
                    break;
                }
                text.push(c);
                chars.next();
            }
        }
        words.push(Word { text, quoted, start, end });
    }
    words
}

/// True: `word` is `pattern` in any case, or shortened down to the part before the bracket: `col[umn]` takes `col`,
/// `colu`, `column`.
pub(crate) fn abbreviates(word: &str, pattern: &str) -> bool {
    let (least, rest) = pattern.split_once('[').unwrap_or((pattern, ""));
    let rest = rest.trim_end_matches(']');
    let bytes = word.as_bytes();
    let full = least.len() + rest.len();
    if bytes.len() < least.len() || bytes.len() > full {
        return false;
    }
    let (head, tail) = bytes.split_at(least.len());
    head.eq_ignore_ascii_case(least.as_bytes()) && tail.eq_ignore_ascii_case(&rest.as_bytes()[..tail.len()])
}

/// The pattern without its bracket: the whole word.
pub(crate) fn whole(pattern: &str) -> String {
    pattern.chars().filter(|c| !matches!(c, '[' | ']')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_have_a_least_length() {
        for word in ["lin", "lines", "LINESIZE"] {
            assert!(abbreviates(word, "lin[esize]"), "{word}");
        }
        for word in ["li", "linesizes", "liner", ""] {
            assert!(!abbreviates(word, "lin[esize]"), "{word}");
        }
        assert!(abbreviates("tab", "tab") && !abbreviates("ta", "tab"));
    }

    #[test]
    fn quotes_keep_blanks() {
        let words = split("heading 'two words' \"a \"\"b\"\"\" it's ''");
        let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(texts, ["heading", "two words", "a \"b\"", "it's", ""]);
        assert!(words[1].quoted && !words[3].quoted && words[4].quoted);
        assert_eq!(split("'open end")[0].text, "open end");
    }
}
