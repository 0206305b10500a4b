//! LIKE.

use common::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PatternPart {
    Character(char),
    /// `_`
    One,
    /// `%`
    Any,
}

/// A LIKE pattern, parsed once for many texts.
#[derive(Clone, Debug)]
pub struct Pattern {
    parts: Vec<PatternPart>,
    shape: Shape,
}

/// Patterns that need no search.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Shape {
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    General,
}

impl Pattern {
    /// # Errors
    /// ORA-01425 when `escape` is not one character, ORA-01424 when another character than `%`, `_` or itself follows
    /// it.
    pub fn new(pattern: &str, escape: Option<&str>) -> Result<Self> {
        let escape = match escape {
            None => None,
            Some(text) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(one), None) => Some(one),
                    _ => return Err(Error::user(1425, "escape character must be a text of length 1")),
                }
            }
        };
        let mut parts = Vec::with_capacity(pattern.len());
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            parts.push(if Some(character) == escape {
                match characters.next() {
                    Some(escaped) if escaped == '%' || escaped == '_' || Some(escaped) == escape => {
                        PatternPart::Character(escaped)
                    }
                    _ => return Err(Error::user(1424, "missing or illegal character following the escape character")),
                }
            } else {
                match character {
                    '%' => PatternPart::Any,
                    '_' => PatternPart::One,
                    other => PatternPart::Character(other),
                }
            });
        }
        parts.dedup_by(|a, b| *a == PatternPart::Any && *b == PatternPart::Any);
        let shape = Self::shape(&parts);
        Ok(Self { parts, shape })
    }

    fn shape(parts: &[PatternPart]) -> Shape {
        let plain = |parts: &[PatternPart]| -> Option<String> {
            parts.iter().map(|part| if let PatternPart::Character(one) = part { Some(*one) } else { None }).collect()
        };
        let shape = match parts {
            [PatternPart::Any, middle @ .., PatternPart::Any] => plain(middle).map(Shape::Contains),
            [PatternPart::Any, rest @ ..] => plain(rest).map(Shape::EndsWith),
            [rest @ .., PatternPart::Any] => plain(rest).map(Shape::StartsWith),
            all => plain(all).map(Shape::Equals),
        };
        shape.unwrap_or(Shape::General)
    }

    /// The prefix of every matching text: the characters before the first wildcard.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.parts
            .iter()
            .map_while(|part| if let PatternPart::Character(one) = part { Some(*one) } else { None })
            .collect()
    }

    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match &self.shape {
            Shape::Equals(whole) => text == whole,
            Shape::StartsWith(head) => text.starts_with(head.as_str()),
            Shape::EndsWith(tail) => text.ends_with(tail.as_str()),
            Shape::Contains(part) => text.contains(part.as_str()),
            Shape::General => self.search(text),
        }
    }

    /// Goes forward, and on a mismatch back to the last `%`, which then takes one character more.
    fn search(&self, text: &str) -> bool {
        let mut part = 0;
        let mut rest = text.chars();
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            if self.parts.get(part) == Some(&PatternPart::Any) {
                part += 1;
                retry = Some((part, rest.clone()));
                continue;
            }
            let here = rest.clone();
            let fits = match (self.parts.get(part), rest.next()) {
                (None, None) => return true,
                (Some(PatternPart::One), Some(_)) => true,
                (Some(PatternPart::Character(expected)), Some(found)) => *expected == found,
                _ => false,
            };
            if fits {
                part += 1;
                continue;
            }
            // Nothing left: a longer run of the last `%` would leave even less.
            if here.as_str().is_empty() {
                return false;
            }
            let Some((after, from)) = &mut retry else { return false };
            if from.next().is_none() {
                return false;
            }
            part = *after;
            rest = from.clone();
        }
    }
}
