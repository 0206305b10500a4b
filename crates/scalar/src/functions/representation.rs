//! Functions about the bytes of a value: DUMP, ORA_HASH, VSIZE.

use std::fmt::Write;

use common::{Error, Result};
use format::number;

use super::arguments::{given, integer};
use super::types::{fixed_number, fixed_text};
use super::{Function, function};
use crate::context::Context;
use crate::datum::{Datum, DatumType};

pub(super) const FUNCTIONS: &[Function] = &[
    function("DUMP", 1, 4, fixed_text, dump).sql_only().special_form(),
    function("ORA_HASH", 1, 3, fixed_number, ora_hash).sql_only(),
    function("VSIZE", 1, 1, fixed_number, |_, arguments| {
        Ok(arguments[0].as_stored().map_or(Datum::Null, |bytes| Datum::integer(bytes.len() as i64)))
    })
    .sql_only(),
];

/// The type codes that DUMP prints.
fn type_code(kind: DatumType) -> u8 {
    match kind {
        DatumType::Null | DatumType::Varchar2 | DatumType::Rowid => 1,
        DatumType::Number => 2,
        DatumType::Date => 12,
        DatumType::Raw => 23,
        DatumType::Char => 96,
        DatumType::Timestamp => 180,
    }
}

/// `DUMP(value, base, start, length)`: 8, 10 and 16 are bases, 17 prints characters; 1000 more is for the character
/// set.
fn dump(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let Some(bytes) = arguments[0].as_stored() else { return Ok(Datum::varchar2("NULL")) };
    let base = integer(context, arguments, 1)?.unwrap_or(10);
    let start = integer(context, arguments, 2)?.unwrap_or(1);
    let length = integer(context, arguments, 3)?;
    let shown = crop(bytes, start, length);
    let mut text = format!("Typ={} Len={}", type_code(arguments[0].datum_type()), bytes.len());
    if base >= 1000 && arguments[0].datum_type().is_text() {
        text.push_str(" CharacterSet=AL32UTF8");
    }
    text.push_str(": ");
    for (place, byte) in shown.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let written = match base % 1000 {
            8 => write!(text, "{byte:o}"),
            16 => write!(text, "{byte:x}"),
            17 if byte.is_ascii_graphic() || *byte == b' ' => write!(text, "{}", *byte as char),
            17 => write!(text, "{byte:x}"),
            _ => write!(text, "{byte}"),
        };
        written.map_err(|_| Error::bug("a text cannot be appended to"))?;
    }
    Ok(Datum::varchar2(text))
}

fn crop(bytes: &[u8], start: i64, length: Option<i64>) -> &[u8] {
    let count = bytes.len() as i64;
    let from = if start < 0 { (count + start).max(0) } else { (start - 1).clamp(0, count) };
    let to = length.filter(|length| *length > 0).map_or(count, |length| from.saturating_add(length).min(count));
    &bytes[from as usize..to as usize]
}

/// `ORA_HASH(value, greatest bucket, seed)`: spreads evenly and is the same everywhere and always; the values are not
/// Oracle's.
fn ora_hash(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    const GREATEST: i64 = 4_294_967_295;
    let limited = |at: usize, default: i64| match integer(context, arguments, at)? {
        None if at >= arguments.len() => Ok(Some(default)),
        Some(value) if !(0..=GREATEST).contains(&value) => {
            Err(Error::user(1428, format!("argument '{value}' is out of range")))
        }
        other => Ok(other),
    };
    let greatest = given!(limited(1, GREATEST));
    let seed = given!(limited(2, 0));
    let Some(bytes) = arguments[0].as_stored() else { return Ok(Datum::Null) };
    // FNV-1a, then a finish in which every bit affects every other.
    let mut hash = 0xCBF2_9CE4_8422_2325u64 ^ (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^= hash >> 33;
    let bucket = (hash & 0xFFFF_FFFF) % (greatest as u64 + 1);
    Ok(Datum::Number(number::encode_i64(bucket as i64)))
}
