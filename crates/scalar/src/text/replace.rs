//! Texts made from texts: TRANSLATE, INITCAP, SOUNDEX.

/// TRANSLATE: each character found in `from` becomes the one at the same place in `to`, or vanishes where `to` is
/// shorter.
#[must_use]
pub fn translate(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match from.chars().position(|known| known == character) {
            None => out.push(character),
            Some(place) => out.extend(to.chars().nth(place)),
        }
    }
    out
}

/// UPPER: each character by itself. One whose capital would be several, as that of ß, stays.
#[must_use]
pub fn upper(text: &str) -> String {
    text.chars().map(|character| one(character, character.to_uppercase())).collect()
}

/// LOWER: each character by itself.
#[must_use]
pub fn lower(text: &str) -> String {
    text.chars().map(|character| one(character, character.to_lowercase())).collect()
}

/// The mapping of a character, if that is one character.
fn one(character: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

/// INITCAP: words, which are runs of letters and digits, with a capital in front.
#[must_use]
pub fn capitalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for character in text.chars() {
        if inside {
            out.push(one(character, character.to_lowercase()));
        } else {
            out.push(one(character, character.to_uppercase()));
        }
        inside = character.is_alphanumeric();
    }
    out
}

/// SOUNDEX: the first letter and three digits for the consonants that follow; None for a text without letters.
#[must_use]
pub fn soundex(text: &str) -> Option<String> {
    let code = |letter: char| match letter {
        'B' | 'F' | 'P' | 'V' => Some('1'),
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => Some('2'),
        'D' | 'T' => Some('3'),
        'L' => Some('4'),
        'M' | 'N' => Some('5'),
        'R' => Some('6'),
        _ => None,
    };
    let mut letters = text.chars().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_uppercase());
    let first = letters.next()?;
    let mut out = String::from(first);
    let mut before = code(first);
    for letter in letters {
        let now = code(letter);
        if let Some(digit) = now
            && now != before
        {
            out.push(digit);
            if out.len() == 4 {
                break;
            }
        }
        // H and W do not part two letters of the same code; vowels do.
        if !matches!(letter, 'H' | 'W') {
            before = now;
        }
    }
    while out.len() < 4 {
        out.push('0');
    }
    Some(out)
}
