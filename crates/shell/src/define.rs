//! Substitution variables: DEFINE gives them values, `&name` in a line is replaced by them.

use common::{Error, ErrorKind, Number, Result};

use crate::settings::Settings;
use crate::statement::is_word;

/// A substitution variable. DEFINE shows numbers and text differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Define {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) number: bool,
}

/// All substitution variables, in the order of their definition. Names are kept in upper case.
#[derive(Clone, Default, Debug)]
pub(crate) struct Defines(Vec<Define>);

impl Defines {
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.put(name, value.into(), false);
    }

    pub(crate) fn set_number(&mut self, name: &str, value: impl Into<String>) {
        self.put(name, value.into(), true);
    }

    fn put(&mut self, name: &str, value: String, number: bool) {
        let name = name.to_ascii_uppercase();
        match self.0.iter_mut().find(|d| d.name == name) {
            Some(old) => (old.value, old.number) = (value, number),
            None => self.0.push(Define { name, value, number }),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Define> {
        self.0.iter().find(|d| d.name.eq_ignore_ascii_case(name))
    }

    /// Returns true when it existed.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|d| !d.name.eq_ignore_ascii_case(name));
        self.0.len() < before
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Define> {
        self.0.iter()
    }
}

/// Asks for the value of an undefined variable.
pub(crate) type Ask<'a> = dyn FnMut(&str) -> Result<String> + 'a;

/// Replaces every `&name`, `&&name` and `&1` of a line; None when there is none.
///
/// A name without a value is asked for; the answer to `&&name` is kept, the one to `&name` is not. One CONCAT character
/// right behind the name is dropped. A character behind the ESCAPE character stands for itself.
///
/// # Errors
/// When `ask` fails.
pub(crate) fn substitute(
    line: &str,
    settings: &Settings,
    defines: &mut Defines,
    ask: &mut Ask<'_>,
) -> Result<Option<String>> {
    let Some(mark) = settings.define else { return Ok(None) };
    if !line.contains(mark) && !settings.escape.is_some_and(|escape| line.contains(escape)) {
        return Ok(None);
    }
    let mut out = String::with_capacity(line.len());
    let mut changed = false;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if settings.escape == Some(c) {
            let escaped = after.chars().next();
            out.extend(escaped);
            rest = &after[escaped.map_or(0, char::len_utf8)..];
            changed = true;
            continue;
        }
        if c != mark {
            out.push(c);
            rest = after;
            continue;
        }
        let keep = after.starts_with(mark);
        let name_text = if keep { &after[mark.len_utf8()..] } else { after };
        let length = name_text.find(|c| !is_word(c) || settings.concat == Some(c)).unwrap_or(name_text.len());
        if length == 0 {
            out.push(c);
            rest = after;
            continue;
        }
        let (name, tail) = name_text.split_at(length);
        let value = match defines.get(name) {
            Some(define) => define.value.clone(),
            None => {
                let answer = ask(name)?;
                if keep {
                    defines.set(name, answer.clone());
                }
                answer
            }
        };
        out.push_str(&value);
        rest = settings.concat.and_then(|concat| tail.strip_prefix(concat)).unwrap_or(tail);
        changed = true;
    }
    Ok(changed.then_some(out))
}

/// The error of a line that needs a value when there is no user to give one.
pub(crate) fn nobody_answers(name: &str) -> Error {
    Error::new(ErrorKind::User, Number::Sp2(546), format!("no value for \"{name}\": the input has ended"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(line: &str, settings: &Settings) -> (Option<String>, Vec<String>) {
        let mut defines = Defines::default();
        defines.set("x", "42");
        defines.set("1", "first");
        let mut asked = Vec::new();
        let mut ask = |name: &str| {
            asked.push(name.to_owned());
            Ok(format!("<{name}>"))
        };
        (substitute(line, settings, &mut defines, &mut ask).unwrap(), asked)
    }

    #[test]
    fn names_end_at_the_concat_character() {
        let settings = Settings::default();
        assert_eq!(replaced("&x.y &X &&x..z '&1'", &settings).0.unwrap(), "42y 42 42.z 'first'");
        assert_eq!(replaced("a & b", &settings).0, None);
        assert_eq!(replaced("plain", &settings).0, None);
    }

    #[test]
    fn a_double_mark_is_asked_for_once() {
        let settings = Settings::default();
        let (text, asked) = replaced("&a &a &&b &&b &b", &settings);
        assert_eq!(text.unwrap(), "<a> <a> <b> <b> <b>");
        assert_eq!(asked, ["a", "a", "b"]);
    }

    #[test]
    fn define_off_and_escape_leave_marks_alone() {
        let off = Settings { define: None, ..Settings::default() };
        assert_eq!(replaced("&x", &off).0, None);
        let escape = Settings { escape: Some('\\'), ..Settings::default() };
        assert_eq!(replaced("\\&x &x", &escape).0.unwrap(), "&x 42");
    }
}
