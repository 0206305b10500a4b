//! Lines of `name: value   name: value`.

use super::columns::is_figure;

/// A longer line holds no pairs.
const MAX_WIDTH: usize = 512;

/// Values of one name that are kept.
const MAX_VALUES: usize = 8;

/// A name with its colon, and the values after it.
#[derive(Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

/// The pairs of a line; none when it is something else.
pub(super) fn pairs(line: &str) -> Vec<Pair> {
    if line.len() > MAX_WIDTH || !line.contains(':') || line.starts_with("ORA-") || line.starts_with("SP2-") {
        return Vec::new();
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut name = String::new();
    for piece in pieces(line) {
        if let Some(label) = label(piece) {
            join(&mut name, label);
            pairs.push(Pair { name: std::mem::take(&mut name), values: Vec::new() });
        } else if let Some(pair) = pairs.last_mut().filter(|pair| {
            name.is_empty() && (pair.values.is_empty() || piece.starts_with('(') || is_figure(first_word(piece)))
        }) {
            if pair.values.len() < MAX_VALUES {
                pair.values.push(piece.to_owned());
            }
        } else {
            join(&mut name, piece);
        }
    }
    // Words after the last value that lead to no colon belong to that value; a line without values is a sentence.
    if !name.is_empty()
        && let Some(value) = pairs.last_mut().and_then(|pair| pair.values.last_mut())
    {
        join(value, &name);
    }
    if pairs.iter().all(|pair| pair.values.is_empty()) {
        return Vec::new();
    }
    pairs
}

fn join(text: &mut String, piece: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(piece);
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or("")
}

/// A piece that ends in a colon.
fn label(piece: &str) -> Option<&str> {
    piece.ends_with(':').then_some(piece)
}

/// Parts of a line that white space sets apart, names cut off at their colon, a figure with its unit cut off from the
/// name after it.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for part in line.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
        let mut rest = part;
        while let Some(colon) = rest.find(": ") {
            push_cut(&mut pieces, &rest[..=colon]);
            rest = rest[colon + 1..].trim_start();
        }
        push_cut(&mut pieces, rest);
    }
    pieces
}

/// `15.00 (mins) Av Act Sess:` is a value and a name.
fn push_cut<'a>(pieces: &mut Vec<&'a str>, part: &'a str) {
    if part.ends_with(':') && is_figure(first_word(part)) {
        let value = match part.find(") ") {
            Some(bracket) if part[first_word(part).len()..].trim_start().starts_with('(') => bracket + 1,
            _ => first_word(part).len(),
        };
        // "% Hit:" and the like start with no figure; a name such as "2nd pool:" would.
        if !part[value..].trim().is_empty() {
            pieces.push(part[..value].trim());
            pieces.push(part[value..].trim());
            return;
        }
    }
    if !part.is_empty() {
        pieces.push(part);
    }
}

#[cfg(test)]
mod tests {
    use super::pairs;

    fn split(line: &str) -> Vec<(String, Vec<String>)> {
        pairs(line).into_iter().map(|pair| (pair.name, pair.values)).collect()
    }

    fn pair(name: &str, values: &[&str]) -> (String, Vec<String>) {
        (name.to_owned(), values.iter().map(|&value| value.to_owned()).collect())
    }

    #[test]
    fn two_in_a_line_with_white_space_in_their_names() {
        let line = "            Buffer  Hit   %:   99.86  Optimal W/A Exec %:  100.00";
        assert_eq!(split(line), [pair("Buffer Hit %:", &["99.86"]), pair("Optimal W/A Exec %:", &["100.00"])]);
    }

    #[test]
    fn a_unit_belongs_to_its_figure() {
        let line = "   DB time:     106.55 (mins)      DB CPU:      28.35 (mins)";
        assert_eq!(split(line), [pair("DB time:", &["106.55 (mins)"]), pair("DB CPU:", &["28.35 (mins)"])]);
        let line = "   Elapsed:      15.00 (mins) Av Act Sess:       7.1";
        assert_eq!(split(line), [pair("Elapsed:", &["15.00 (mins)"]), pair("Av Act Sess:", &["7.1"])]);
    }

    #[test]
    fn several_values_none_and_no_pairs_at_all() {
        assert_eq!(split("  SGA use (MB):   1,024.0   1,024.0"), [pair("SGA use (MB):", &["1,024.0", "1,024.0"])]);
        assert_eq!(
            split("Recursive Call %:  26.26   Rows per Sort:"),
            [pair("Recursive Call %:", &["26.26"]), pair("Rows per Sort:", &[])]
        );
        assert!(split("a sentence without a colon").is_empty());
        assert!(split("ORA-00942: table or view does not exist").is_empty());
        assert!(split("only a name:").is_empty());
    }
}
