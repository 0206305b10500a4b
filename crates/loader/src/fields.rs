//! Positions of the fields in a record.

use memchr::{memchr_iter, memmem};

use crate::spec::{Enclosure, Extent, FIELD_BYTES, FieldRule, Fields, Origin, Terminator, Trim};

/// Position of a field's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The record ends before it.
    Missing,
    Record(u32, u32),
    /// In the buffer of fields with doubled enclosures removed.
    Made(u32, u32),
}

/// The fields of the last record.
#[derive(Clone, Default, Debug)]
pub(crate) struct Split {
    places: Vec<Place>,
    made: Vec<u8>,
}

impl Split {
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.made.clear();
    }

    pub(crate) fn push(&mut self, place: Place) {
        self.places.push(place);
    }

    /// Fields of the record.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The bytes of a field; None where the record ends before it.
    #[inline]
    pub(crate) fn field<'a>(&'a self, at: usize, record: &'a [u8]) -> Option<&'a [u8]> {
        match *self.places.get(at)? {
            Place::Missing => None,
            Place::Record(start, end) => record.get(start as usize..end as usize),
            Place::Made(start, end) => self.made.get(start as usize..end as usize),
        }
    }
}

/// The fault of a record's field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    Missing,
    TooLong { bytes: usize, most: usize },
    NoOpening,
    NoClosing,
    NoTerminator,
}

impl Wrong {
    /// The text of the access driver.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Missing => "KUP-04023: field start is after end of record".to_owned(),
            Self::TooLong { bytes, most } => {
                format!("KUP-04026: field too long for datatype: {bytes} bytes, of {most} at most")
            }
            Self::NoOpening => "KUP-04035: beginning enclosing delimiter not found".to_owned(),
            Self::NoClosing => "KUP-04036: second enclosing delimiter not found".to_owned(),
            Self::NoTerminator => "KUP-04037: terminator not found behind the enclosed field".to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Delimited {
        terminator: Terminator,
        enclosure: Option<Enclosure>,
        most: usize,
    },
    Bytes(usize),
    /// To the end of this byte of the record, from 1.
    To(usize),
}

#[derive(Clone, Debug)]
struct Rule {
    origin: Option<Origin>,
    shape: Shape,
    trim: Trim,
}

/// Takes records apart.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    rules: Vec<Rule>,
    missing_are_null: bool,
    /// All fields end with this byte, without any other rule.
    simple: Option<(u8, usize)>,
}

impl Splitter {
    /// `list`: the fields, from the access parameters or the table.
    pub(crate) fn new(fields: &Fields, list: &[FieldRule]) -> Self {
        let rules: Vec<Rule> = list.iter().map(|field| rule(fields, field)).collect();
        let simple = rules.iter().map(simple).collect::<Option<Vec<(u8, usize)>>>().and_then(|all| {
            let first = *all.first()?;
            all.iter().all(|one| *one == first).then_some(first)
        });
        Self { rules, missing_are_null: fields.missing_are_null, simple }
    }

    /// Finds the fields of a record; else returns the faulty one with the error.
    pub(crate) fn split(&self, record: &[u8], split: &mut Split) -> Result<(), (usize, Wrong)> {
        split.clear();
        match self.simple {
            Some((byte, most)) => self.split_at(byte, most, record, split)?,
            None => self.split_by_rules(record, split)?,
        }
        let found = split.places.len();
        if found < self.rules.len() {
            if !self.missing_are_null {
                return Err((found, Wrong::Missing));
            }
            split.places.resize(self.rules.len(), Place::Missing);
        }
        Ok(())
    }

    fn split_at(&self, byte: u8, most: usize, record: &[u8], split: &mut Split) -> Result<(), (usize, Wrong)> {
        let mut start = 0;
        for end in memchr_iter(byte, record).chain([record.len()]) {
            if end - start > most {
                return Err((split.places.len(), Wrong::TooLong { bytes: end - start, most }));
            }
            split.places.push(Place::Record(start as u32, end as u32));
            if split.places.len() == self.rules.len() {
                break;
            }
            start = end + 1;
        }
        Ok(())
    }

    fn split_by_rules(&self, record: &[u8], split: &mut Split) -> Result<(), (usize, Wrong)> {
        // Start of the next field; None behind a field that only the end of the record ended.
        let mut next = Some(0);
        for (at, rule) in self.rules.iter().enumerate() {
            let start = match rule.origin {
                None => next,
                Some(Origin::At(start)) => Some(start),
                Some(Origin::Behind(distance)) => {
                    Some(next.unwrap_or(record.len())).and_then(|end| end.checked_add_signed(distance))
                }
            };
            // A field after a delimiter exists, if empty.
            let place = match start.filter(|start| *start <= record.len()) {
                Some(start) => rule.find(record, start, split).map_err(|wrong| (at, wrong))?,
                None => None,
            };
            match place {
                Some((place, behind)) => {
                    split.places.push(place);
                    next = behind;
                }
                None if self.missing_are_null => {
                    split.places.push(Place::Missing);
                    next = None;
                }
                None => return Err((at, Wrong::Missing)),
            }
        }
        Ok(())
    }
}

fn rule(fields: &Fields, field: &FieldRule) -> Rule {
    let position = field.position;
    let terminator = field.terminator.clone().or_else(|| fields.terminator.clone());
    let enclosure = field.enclosure.clone().or_else(|| fields.enclosure.clone());
    let own_end = field.terminator.is_some() || field.enclosure.is_some();
    let shape = match position.and_then(|position| position.extent) {
        Some(Extent::To(end)) if !own_end => Shape::To(end),
        Some(Extent::Bytes(bytes)) if !own_end => Shape::Bytes(bytes),
        _ => match terminator {
            // A start without an end, and a length: so many bytes.
            _ if position.is_some() && field.bytes.is_some() && !own_end => Shape::Bytes(field.bytes.unwrap_or(1)),
            Some(terminator) => Shape::Delimited { terminator, enclosure, most: field.bytes.unwrap_or(FIELD_BYTES) },
            None => Shape::Bytes(field.bytes.unwrap_or(1)),
        },
    };
    Rule { origin: position.map(|position| position.origin), shape, trim: field.trim.unwrap_or(fields.trim) }
}

/// The one byte that ends a field without any other rule, and the field's maximum of bytes.
fn simple(rule: &Rule) -> Option<(u8, usize)> {
    match (&rule.shape, rule.origin, rule.trim) {
        (
            Shape::Delimited { terminator: Terminator::Text(text), enclosure: None, most },
            None,
            Trim::None | Trim::Loader,
        ) => match text.as_slice() {
            [byte] => Some((*byte, *most)),
            _ => None,
        },
        _ => None,
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first position from `start` on whose byte is not one of these.
fn past(record: &[u8], start: usize, blank: fn(u8) -> bool) -> usize {
    record[start..].iter().position(|byte| !blank(*byte)).map_or(record.len(), |count| start + count)
}

type Found = Option<(Place, Option<usize>)>;

impl Rule {
    /// The field that begins at `start`, and the start of the next one.
    fn find(&self, record: &[u8], start: usize, split: &mut Split) -> Result<Found, Wrong> {
        match &self.shape {
            Shape::Bytes(_) | Shape::To(_) if start == record.len() => Ok(None),
            Shape::Bytes(bytes) => Ok(Some(self.fixed(record, start, start + bytes))),
            Shape::To(end) => Ok(Some(self.fixed(record, start, *end))),
            Shape::Delimited { terminator: Terminator::Whitespace, enclosure, most } => {
                let start = past(record, start, is_space);
                if start == record.len() {
                    return Ok(None);
                }
                self.delimited(record, start, &Terminator::Whitespace, enclosure.as_ref(), *most, split).map(Some)
            }
            Shape::Delimited { terminator, enclosure, most } => {
                self.delimited(record, start, terminator, enclosure.as_ref(), *most, split).map(Some)
            }
        }
    }

    /// A field at a fixed position; as far as the record goes.
    fn fixed(&self, record: &[u8], start: usize, end: usize) -> (Place, Option<usize>) {
        let end = end.clamp(start, record.len());
        let right = matches!(self.trim, Trim::Loader | Trim::Right | Trim::Both);
        let left = matches!(self.trim, Trim::Left | Trim::Both);
        (trimmed(record, start, end, left, right), Some(end))
    }

    fn delimited(
        &self,
        record: &[u8],
        start: usize,
        terminator: &Terminator,
        enclosure: Option<&Enclosure>,
        most: usize,
        split: &mut Split,
    ) -> Result<(Place, Option<usize>), Wrong> {
        let check = |bytes: usize| if bytes > most { Err(Wrong::TooLong { bytes, most }) } else { Ok(()) };
        if let Some(enclosure) = enclosure {
            let opening = past(record, start, is_blank);
            if record[opening..].starts_with(&enclosure.left) {
                let (place, closing) = enclosed(record, opening + enclosure.left.len(), &enclosure.right, split)?;
                if let Place::Record(start, end) | Place::Made(start, end) = place {
                    check((end - start) as usize)?;
                }
                let behind = past(record, closing, is_blank);
                let next = match terminator {
                    _ if behind == record.len() => None,
                    Terminator::Whitespace => {
                        let next = past(record, closing, is_space);
                        if next == closing {
                            return Err(Wrong::NoTerminator);
                        }
                        Some(next)
                    }
                    Terminator::Text(text) if record[behind..].starts_with(text) => Some(behind + text.len()),
                    Terminator::Text(_) => return Err(Wrong::NoTerminator),
                };
                return Ok((place, next));
            }
            if !enclosure.optional {
                return Err(Wrong::NoOpening);
            }
        }
        let rest = &record[start..];
        let (end, next) = match terminator {
            Terminator::Whitespace => match rest.iter().position(|byte| is_space(*byte)) {
                Some(length) => (start + length, Some(past(record, start + length, is_space))),
                None => (record.len(), None),
            },
            Terminator::Text(text) => match memmem::find(rest, text) {
                Some(length) => (start + length, Some(start + length + text.len())),
                None => (record.len(), None),
            },
        };
        let optional = enclosure.is_some();
        let left = matches!(self.trim, Trim::Left | Trim::Both) || (self.trim == Trim::Loader && optional);
        let right = matches!(self.trim, Trim::Right | Trim::Both);
        let place = trimmed(record, start, end, left, right);
        if let Place::Record(start, end) = place {
            check((end - start) as usize)?;
        }
        Ok((place, next))
    }
}

fn trimmed(record: &[u8], mut start: usize, mut end: usize, left: bool, right: bool) -> Place {
    while left && start < end && is_blank(record[start]) {
        start += 1;
    }
    while right && end > start && is_blank(record[end - 1]) {
        end -= 1;
    }
    Place::Record(start as u32, end as u32)
}

/// A field from behind its opening enclosure, and the end of its closing one.
fn enclosed(record: &[u8], start: usize, right: &[u8], split: &mut Split) -> Result<(Place, usize), Wrong> {
    let made = split.made.len();
    let mut from = start;
    loop {
        let end = memmem::find(&record[from..], right).map(|length| from + length).ok_or(Wrong::NoClosing)?;
        let behind = end + right.len();
        if record[behind..].starts_with(right) {
            split.made.extend_from_slice(&record[from..behind]);
            from = behind + right.len();
            continue;
        }
        if from == start {
            return Ok((Place::Record(start as u32, end as u32), behind));
        }
        split.made.extend_from_slice(&record[from..end]);
        return Ok((Place::Made(made as u32, split.made.len() as u32), behind));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::Position;

    fn text(text: &str) -> Option<Terminator> {
        Some(Terminator::Text(text.as_bytes().to_vec()))
    }

    fn quotes(optional: bool) -> Option<Enclosure> {
        Some(Enclosure { left: b"\"".to_vec(), right: b"\"".to_vec(), optional })
    }

    fn names(count: usize) -> Vec<FieldRule> {
        (0..count).map(|at| FieldRule::new(&format!("F{at}"))).collect()
    }

    fn split(fields: &Fields, list: &[FieldRule], record: &str) -> Result<Vec<Option<String>>, (usize, Wrong)> {
        let mut split = Split::default();
        Splitter::new(fields, list).split(record.as_bytes(), &mut split)?;
        Ok((0..list.len())
            .map(|at| split.field(at, record.as_bytes()).map(|field| String::from_utf8(field.to_vec()).unwrap()))
            .collect())
    }

    fn plain(record: &str, count: usize, missing_are_null: bool) -> Result<Vec<Option<String>>, (usize, Wrong)> {
        split(&Fields { terminator: text("|"), missing_are_null, ..Fields::default() }, &names(count), record)
    }

    fn some(values: &[&str]) -> Vec<Option<String>> {
        values.iter().map(|value| Some((*value).to_owned())).collect()
    }

    #[test]
    fn fields_end_with_their_terminator_or_the_record() {
        assert_eq!(plain("a|b|c", 3, false), Ok(some(&["a", "b", "c"])));
        assert_eq!(plain("a||c|", 3, false), Ok(some(&["a", "", "c"])));
        assert_eq!(plain("a|b|c|d", 2, false), Ok(some(&["a", "b"])));
        assert_eq!(plain(" a |b", 2, false), Ok(some(&[" a ", "b"])));
        assert_eq!(plain("a", 3, false), Err((1, Wrong::Missing)));
        assert_eq!(plain("a", 3, true), Ok(vec![Some("a".to_owned()), None, None]));
        assert_eq!(plain("", 1, false), Ok(some(&[""])));
        let long = "x".repeat(256);
        assert_eq!(plain(&long, 1, false), Err((0, Wrong::TooLong { bytes: 256, most: 255 })));
    }

    #[test]
    fn enclosures_hide_terminators() {
        let fields = Fields { terminator: text(","), enclosure: quotes(true), ..Fields::default() };
        let three = |record: &str| split(&fields, &names(3), record);
        assert_eq!(three(r#""a,b",c,"d""e""#), Ok(some(&["a,b", "c", "d\"e"])));
        assert_eq!(three(r#"  "a" ,  b ,"""""#), Ok(some(&["a", "b ", "\""])));
        assert_eq!(three(r#""a,b,c"#), Err((0, Wrong::NoClosing)));
        assert_eq!(three(r#""a"b,c,d"#), Err((0, Wrong::NoTerminator)));
        let always = Fields { enclosure: quotes(false), ..fields };
        assert_eq!(split(&always, &names(2), r#""a",b"#), Err((1, Wrong::NoOpening)));
    }

    #[test]
    fn whitespace_and_trimming() {
        let fields = Fields { terminator: Some(Terminator::Whitespace), ..Fields::default() };
        assert_eq!(split(&fields, &names(3), "  a \t b   c  "), Ok(some(&["a", "b", "c"])));
        assert_eq!(split(&fields, &names(3), "a b "), Err((2, Wrong::Missing)));
        for (trim, expected) in [
            (Trim::None, "  a  "),
            (Trim::Left, "a  "),
            (Trim::Right, "  a"),
            (Trim::Both, "a"),
            (Trim::Loader, "  a  "),
        ] {
            let fields = Fields { terminator: text(","), trim, ..Fields::default() };
            assert_eq!(split(&fields, &names(2), "  a  ,b").unwrap()[0].as_deref(), Some(expected), "{trim:?}");
        }
    }

    #[test]
    fn fields_have_places() {
        let place = |origin, extent| Some(Position { origin, extent });
        let mut list = names(4);
        list[0].position = place(Origin::At(0), Some(Extent::To(3)));
        list[1].position = place(Origin::Behind(1), Some(Extent::Bytes(2)));
        list[2].bytes = Some(4);
        list[3].position = place(Origin::At(1), Some(Extent::To(2)));
        assert_eq!(split(&Fields::default(), &list, "ab xcdEF  "), Ok(some(&["ab", "cd", "EF", "b"])));
        assert_eq!(split(&Fields::default(), &list, "ab xcd"), Err((2, Wrong::Missing)));
        let partly = Fields { missing_are_null: true, ..Fields::default() };
        assert_eq!(split(&partly, &list, "ab xc").unwrap()[1].as_deref(), Some("c"));
    }

    proptest! {
        /// The fast path, the general path and plain cutting agree.
        #[test]
        fn both_ways_agree_with_the_model(record in "[ab|]{0,12}", count in 1..6usize, missing in any::<bool>()) {
            let fast = plain(&record, count, missing);
            let fields = Fields { terminator: text("|"), enclosure: quotes(true), missing_are_null: missing, ..Fields::default() };
            let by_rules = split(&fields, &names(count), &record);
            let mut model: Vec<Option<String>> = record.split('|').take(count).map(|field| Some(field.to_owned())).collect();
            let found = model.len();
            model.resize(count, None);
            if found < count && !missing {
                prop_assert_eq!(&fast, &Err((found, Wrong::Missing)));
            } else {
                prop_assert_eq!(&fast, &Ok(model));
            }
            prop_assert_eq!(fast, by_rules);
        }

        /// Values written with enclosures are read back.
        #[test]
        fn enclosed_values_come_back(values in proptest::collection::vec("[a,\" ]{0,6}", 1..5)) {
            let record = values.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect::<Vec<_>>().join(",");
            let fields = Fields { terminator: text(","), enclosure: quotes(true), ..Fields::default() };
            let expected: Vec<Option<String>> = values.iter().cloned().map(Some).collect();
            prop_assert_eq!(split(&fields, &names(values.len()), &record), Ok(expected));
        }
    }
}
