//! Figures and lines of text as people read them.

use textwrap::{Options, WordSeparator, WordSplitter};

/// Puts a comma between the thousands of a decimal number: `-13,312.5`.
#[must_use]
pub fn thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let whole = digits.find('.').unwrap_or(digits.len());
    let mut text = String::with_capacity(number.len() + whole / 3);
    text.push_str(sign);
    for (at, digit) in digits.char_indices() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Lines of at most `width` columns, indents among them, broken at blanks: `first` stands before the first line,
/// `others` before the others. A word that is longer than a line stands on a line of its own. Without a word there is
/// no line.
#[must_use]
pub fn wrapped(text: &str, width: usize, first: &str, others: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let options = Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(others);
    textwrap::wrap(&words.join(" "), options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (number, expected) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567", "-1,234,567"),
            ("1234.5678", "1,234.5678"),
            ("-999.1", "-999.1"),
        ] {
            assert_eq!(thousands(number), expected);
        }
    }

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrapped("ab cd  ef", 5, "", ""), ["ab cd", "ef"]);
        assert_eq!(wrapped("ab cd", 4, "", ""), ["ab", "cd"]);
        assert_eq!(wrapped("… … …", 3, "", ""), ["… …", "…"]);
        assert_eq!(wrapped("a longer one", 3, "", ""), ["a", "longer", "one"]);
        assert_eq!(wrapped("well-known words", 6, "", ""), ["well-known", "words"]);
        assert_eq!(wrapped("one two three four", 9, "- ", "  "), ["- one two", "  three", "  four"]);
        assert!(wrapped(" ", 3, "", "").is_empty());
    }
}
