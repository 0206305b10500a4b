//! Wrapping a text at a number of columns.

/// Breaks a text at its blanks. A word that is longer than a line stands on a line of its own.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if used + 1 + length <= columns => {
                line.push(' ');
                line.push_str(word);
                used += 1 + length;
            }
            _ => {
                lines.push(word.to_owned());
                used = length;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrap("ab cd  ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrap("ab cd", 4), ["ab", "cd"]);
        assert_eq!(wrap("… … …", 3), ["… …", "…"]);
        assert_eq!(wrap("a longer one", 3), ["a", "longer", "one"]);
        assert!(wrap(" ", 3).is_empty());
    }
}
