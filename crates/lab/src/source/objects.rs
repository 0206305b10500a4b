//! Rows in the shape of DBA_OBJECTS of release 10.2: the default source.
//!
//! Six copies of the objects of one database follow each other, because test tables of this kind are made by inserting
//! a table into itself: `object_id` increases inside a copy and comes again in each. Owners, kinds and lengths of names
//! follow a plain database with its options installed: two thirds are Java classes of SYS and public synonyms. **The
//! lengths of names are an input**: they are drawn so that a row takes about as many bytes as the published table's
//! must have taken, whose full scan read 4,193 blocks of 8 KB for 303,666 rows. The engine decides the number of blocks
//! that the rows then take.

use common::{DataType, Result};
use format::date::DateTime;

use super::{Column, Row, Rows, Shape, Value};
use crate::text::grouped;

/// Objects of one copy at scale 1.
const OBJECTS: u64 = 50_611;
const COPIES: u64 = 6;
/// An object id is left out about this often.
const GAP_EVERY: u64 = 27;
const NAME_MAX: usize = 30;

/// A note on the rows for the reader of the figures.
const FITTED: &str = "nothing that was published says how long the rows were. Names are as long as it takes for a full scan to read about as many \
     blocks as the published one did; expectations that show less for it say so";

/// A kind of object: its share in a thousand, its owner, and the lengths of its names.
struct ObjectKind {
    per_mille: u32,
    owner: &'static str,
    object_type: &'static str,
    name: Name,
    /// Has a segment, hence a data object number.
    stored: bool,
}

/// Names of a kind: words up to a length drawn from a range.
#[derive(Clone, Copy)]
enum Name {
    Words(usize, usize),
    /// A class whose long name the database has shortened: a number and the end of the name.
    Class(usize, usize),
    /// Made by the system: a prefix and the number of the object.
    Numbered(&'static str),
}

const KINDS: [ObjectKind; 30] = [
    kind(322, "SYS", "JAVA CLASS", Name::Class(23, 30), false),
    kind(396, "PUBLIC", "SYNONYM", Name::Class(20, 30), false),
    kind(60, "SYS", "VIEW", Name::Words(13, 30), false),
    kind(14, "SYS", "TABLE", Name::Words(6, 24), true),
    kind(16, "SYS", "INDEX", Name::Words(7, 22), true),
    kind(10, "SYS", "PACKAGE", Name::Words(8, 26), false),
    kind(10, "SYS", "PACKAGE BODY", Name::Words(8, 26), false),
    kind(20, "SYS", "TYPE", Name::Words(10, 30), false),
    kind(15, "SYS", "JAVA RESOURCE", Name::Class(18, 30), false),
    kind(7, "SYS", "LIBRARY", Name::Words(10, 22), false),
    kind(3, "SYS", "LOB", Name::Numbered("SYS_LOB"), true),
    kind(3, "SYS", "INDEX PARTITION", Name::Words(12, 26), true),
    kind(3, "SYS", "TABLE PARTITION", Name::Words(12, 26), true),
    kind(2, "SYS", "SEQUENCE", Name::Words(8, 22), false),
    kind(2, "SYS", "PROCEDURE", Name::Words(8, 26), false),
    kind(2, "SYS", "EVALUATION CONTEXT", Name::Words(14, 28), false),
    kind(18, "SYSMAN", "TABLE", Name::Words(12, 28), true),
    kind(20, "SYSMAN", "INDEX", Name::Words(12, 30), true),
    kind(13, "SYSMAN", "VIEW", Name::Words(14, 30), false),
    kind(6, "SYSMAN", "TYPE", Name::Words(14, 30), false),
    kind(12, "OLAPSYS", "VIEW", Name::Words(14, 30), false),
    kind(6, "OLAPSYS", "TABLE", Name::Words(12, 28), true),
    kind(12, "MDSYS", "TYPE", Name::Words(12, 30), false),
    kind(6, "MDSYS", "PACKAGE", Name::Words(8, 26), false),
    kind(5, "XDB", "TYPE", Name::Numbered("XDB$TYPE"), false),
    kind(5, "WMSYS", "VIEW", Name::Words(12, 28), false),
    kind(4, "CTXSYS", "INDEX", Name::Words(8, 26), true),
    kind(3, "ORDSYS", "JAVA CLASS", Name::Class(20, 30), false),
    kind(3, "EXFSYS", "TRIGGER", Name::Words(10, 26), false),
    kind(2, "SYSTEM", "TABLE", Name::Words(8, 26), true),
];

const fn kind(per_mille: u32, owner: &'static str, object_type: &'static str, name: Name, stored: bool) -> ObjectKind {
    ObjectKind { per_mille, owner, object_type, name, stored }
}

const WORDS: [&str; 64] = [
    "ACCESS", "ACTION", "AGENT", "ALERT", "ARCHIVE", "AUDIT", "BACKUP", "BASELINE", "BUFFER", "CATALOG", "CELL",
    "CHAIN", "CLUSTER", "COLUMN", "CONTEXT", "COUNT", "CURSOR", "DETAIL", "DOMAIN", "EDGE", "ERROR", "EVENT", "FILE",
    "FILTER", "FLOW", "GRAPH", "GROUP", "HASH", "HISTORY", "HOST", "IMAGE", "INSTANCE", "ITEM", "JOB", "KEY", "LAYER",
    "LEVEL", "LINK", "LIST", "LOCK", "LOG", "MAP", "MEMBER", "METRIC", "MODEL", "NODE", "OPTION", "PATH", "PLAN",
    "POLICY", "QUEUE", "RANGE", "REGION", "ROLE", "RULE", "SAMPLE", "SCOPE", "SESSION", "STATE", "STREAM", "TARGET",
    "TOKEN", "USAGE", "WINDOW",
];

/// Random numbers of a seed (SplitMix64): small, and the same everywhere.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// The rows.
#[derive(Debug)]
pub struct Objects {
    objects: u64,
    at: u64,
    object_id: i64,
}

impl Objects {
    #[must_use]
    pub fn new(scale: f64) -> Self {
        let objects = ((OBJECTS as f64 * scale).round() as u64).max(1);
        Self { objects, at: 0, object_id: 0 }
    }

    #[must_use]
    pub fn shape(&self) -> Shape {
        let text = |bytes| DataType::Varchar2 { bytes };
        let number = DataType::Number { precision: None, scale: 0 };
        let columns = vec![
            Column::new("OWNER", text(30)),
            Column::new("OBJECT_NAME", text(128)),
            Column::new("SUBOBJECT_NAME", text(30)),
            Column::new("OBJECT_ID", number),
            Column::new("DATA_OBJECT_ID", number),
            Column::new("OBJECT_TYPE", text(19)),
            Column::new("CREATED", DataType::Date),
            Column::new("LAST_DDL_TIME", DataType::Date),
            Column::new("TIMESTAMP", text(19)),
            Column::new("STATUS", text(7)),
            Column::new("TEMPORARY", text(1)),
            Column::new("GENERATED", text(1)),
            Column::new("SECONDARY", text(1)),
        ];
        Shape {
            description: format!(
                "{COPIES} copies of {} made-up objects in the shape of DBA_OBJECTS",
                grouped(self.objects)
            ),
            columns,
            key: 3,
            rows: self.objects * COPIES,
            published_shape: self.objects == OBJECTS,
            fitted: Some(FITTED),
        }
    }
}

impl Rows for Objects {
    fn next(&mut self, row: &mut Row) -> Result<bool> {
        if self.at == self.objects * COPIES {
            return Ok(false);
        }
        let object = self.at % self.objects;
        if object == 0 {
            self.object_id = 1;
        }
        self.at += 1;
        // An object is the same in all copies.
        let mut draw = Draw(object);
        self.object_id += if draw.below(GAP_EVERY) == 0 { 2 } else { 1 };
        fill(row, self.object_id, &mut draw)?;
        Ok(true)
    }
}

fn fill(row: &mut Row, object_id: i64, draw: &mut Draw) -> Result<()> {
    let kind = pick(draw);
    let text = |value: &str| Value::Text(value.to_owned());
    let flag = |set: bool| Value::Text(if set { "Y" } else { "N" }.to_owned());
    let partition = kind.object_type.ends_with("PARTITION");
    let generated = matches!(kind.name, Name::Numbered(_)) || draw.below(60) == 0;
    // The database was made in an afternoon; a few objects were changed later.
    let created = installed_at(object_id)?;
    let changed = if draw.below(20) == 0 {
        DateTime::from_seconds(created.seconds() + draw.below(86_400 * 60) as i64)?
    } else {
        created
    };
    row.values.clear();
    row.values.extend([
        text(kind.owner),
        Value::Text(name(kind.name, object_id, draw)),
        if partition { Value::Text(format!("{}_{}", kind.owner, object_id)) } else { Value::Null },
        Value::Integer(object_id),
        if kind.stored { Value::Integer(object_id) } else { Value::Null },
        text(kind.object_type),
        Value::Date(created),
        Value::Date(changed),
        Value::Text(changed.to_timestamp_text()),
        text(if draw.below(400) == 0 { "INVALID" } else { "VALID" }),
        flag(draw.below(90) == 0),
        flag(generated),
        flag(false),
    ]);
    Ok(())
}

fn pick(draw: &mut Draw) -> &'static ObjectKind {
    let total: u32 = KINDS.iter().map(|kind| kind.per_mille).sum();
    let mut at = draw.below(u64::from(total)) as u32;
    for kind in &KINDS {
        if at < kind.per_mille {
            return kind;
        }
        at -= kind.per_mille;
    }
    &KINDS[0]
}

/// Objects were made one after the other, about eleven a second.
fn installed_at(object_id: i64) -> Result<DateTime> {
    let start = DateTime { hour: 13, minute: 5, ..DateTime::midnight(2008, 3, 14) };
    DateTime::from_seconds(start.seconds() + object_id / 11)
}

fn name(name: Name, object_id: i64, draw: &mut Draw) -> String {
    match name {
        Name::Words(low, high) => words("", low, high, '_', draw),
        Name::Class(low, high) => {
            let prefix = format!("/{:08x}_", draw.next() as u32);
            words(&prefix, low, high, '/', draw)
        }
        Name::Numbered(prefix) => format!("{prefix}{object_id:010}$$"),
    }
}

/// Words behind a prefix, cut to a length drawn from a range.
fn words(prefix: &str, low: usize, high: usize, between: char, draw: &mut Draw) -> String {
    let length = low + draw.below((high - low + 1) as u64) as usize;
    let mut text = prefix.to_owned();
    while text.len() < length {
        if text.len() > prefix.len() {
            text.push(between);
        }
        text.push_str(WORDS[draw.below(WORDS.len() as u64) as usize]);
    }
    text.truncate(length.min(NAME_MAX));
    text
}

trait TimestampText {
    fn to_timestamp_text(&self) -> String;
}

impl TimestampText for DateTime {
    /// The format of DBA_OBJECTS.TIMESTAMP.
    fn to_timestamp_text(&self) -> String {
        format!(
            "{:04}-{:02}-{:02}:{:02}:{:02}:{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(scale: f64) -> Vec<Vec<Value>> {
        let mut rows = Objects::new(scale);
        let mut row = Row::default();
        let mut all = Vec::new();
        while rows.next(&mut row).unwrap() {
            all.push(row.values.clone());
        }
        all
    }

    #[test]
    fn the_same_rows_every_time() {
        assert_eq!(all(0.01), all(0.01));
    }

    #[test]
    fn six_copies_with_increasing_object_ids() {
        let rows = all(0.02);
        let copy = rows.len() / 6;
        assert_eq!(rows.len(), 6 * 1_012);
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row, &rows[index % copy]);
        }
        let ids: Vec<i64> = rows[..copy]
            .iter()
            .map(|row| match row[3] {
                Value::Integer(id) => id,
                _ => panic!("an object_id is a number"),
            })
            .collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn as_many_rows_as_were_published() {
        let shape = Objects::new(1.0).shape();
        assert_eq!((shape.rows, shape.columns.len(), shape.key_name()), (303_666, 13, "OBJECT_ID"));
        assert!(shape.published_shape);
    }

    #[test]
    fn values_fit_their_columns() {
        let shape = Objects::new(1.0).shape();
        for row in all(0.1) {
            for (value, column) in row.iter().zip(&shape.columns) {
                match (value, column.data_type) {
                    (Value::Text(text), DataType::Varchar2 { bytes }) => {
                        assert!(text.len() <= usize::from(bytes), "{text}")
                    }
                    (Value::Text(text), other) => panic!("{text} in {other}"),
                    _ => {}
                }
            }
        }
    }

    /// The aim of the lengths of names, see the head of this file: with 819 of 8,192 bytes kept free and two bytes of
    /// directory a row, 97.4 bytes give 72.4 rows a block.
    #[test]
    fn rows_are_as_long_as_the_published_ones() {
        let mut rows = Objects::new(1.0);
        let mut row = Row::default();
        let (mut bytes, mut count) = (0, 0);
        while count < OBJECTS && rows.next(&mut row).unwrap() {
            row.encode().unwrap();
            let columns: Vec<Option<&[u8]>> = row.columns().collect();
            bytes += format::heap::row::row_bytes(&columns);
            count += 1;
        }
        let average = bytes as f64 / count as f64;
        assert!((97.0..97.8).contains(&average), "{average}");
    }
}
