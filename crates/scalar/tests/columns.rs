//! Values into columns and back.

#![expect(clippy::unwrap_used, reason = "a test")]

use common::DataType;
use scalar::context::FixedContext;
use scalar::{DateTime, Datum, load, store};

fn stored(value: &Datum, data_type: DataType) -> common::Result<Option<Vec<u8>>> {
    let mut out = vec![0xEE];
    let given = store(&FixedContext::default(), value, data_type, "\"T\".\"C\"", &mut out)?;
    assert_eq!(out[0], 0xEE, "what was there stays");
    Ok(given.then(|| out[1..].to_vec()))
}

fn failure(value: &Datum, data_type: DataType) -> (String, String) {
    let error = stored(value, data_type).unwrap_err();
    (error.number.to_string(), error.text)
}

const MONEY: DataType = DataType::Number { precision: Some(5), scale: 2 };
const PLAIN: DataType = DataType::Number { precision: None, scale: 0 };

#[test]
fn numbers() {
    assert_eq!(stored(&Datum::varchar2("123.456"), MONEY).unwrap().unwrap(), [0xC2, 2, 24, 47]);
    assert_eq!(stored(&Datum::integer(1), PLAIN).unwrap().unwrap(), [0xC1, 2]);
    assert_eq!(stored(&Datum::Null, MONEY).unwrap(), None);
    assert_eq!(failure(&Datum::integer(1000), MONEY).0, "ORA-01438");
    assert_eq!(failure(&Datum::varchar2("abc"), MONEY).0, "ORA-01722");
    assert_eq!(failure(&Datum::date(&DateTime::midnight(2024, 1, 1)), MONEY).0, "ORA-00932");
    assert_eq!(load(Some(&[0xC1, 2]), PLAIN).unwrap(), Datum::integer(1));
    assert_eq!(load(Some(&[0xC1]), PLAIN).unwrap_err().kind, common::ErrorKind::Corrupt);
}

#[test]
fn texts() {
    let short = DataType::Varchar2 { bytes: 3 };
    assert_eq!(stored(&Datum::varchar2("abc"), short).unwrap().unwrap(), b"abc");
    assert_eq!(stored(&Datum::integer(-12), short).unwrap().unwrap(), b"-12");
    let (number, text) = failure(&Datum::varchar2("äöü"), short);
    assert_eq!(number, "ORA-12899");
    assert!(text.contains("\"T\".\"C\"") && text.contains('6') && text.contains('3'), "{text}");
    let padded = DataType::Char { bytes: 4 };
    assert_eq!(stored(&Datum::varchar2("ab"), padded).unwrap().unwrap(), b"ab  ");
    assert_eq!(load(Some(b"ab  "), padded).unwrap(), Datum::Char("ab  ".to_owned()));
    assert_eq!(failure(&Datum::varchar2("abcde"), padded).0, "ORA-12899");
    assert_eq!(load(None, padded).unwrap(), Datum::Null);
    assert!(load(Some(&[0xFF]), short).is_err(), "not UTF-8");
}

#[test]
fn dates_and_timestamps() {
    let day = Datum::date(&DateTime::midnight(2024, 2, 29));
    let bytes = stored(&Datum::varchar2("29-FEB-24"), DataType::Date).unwrap().unwrap();
    assert_eq!(load(Some(&bytes), DataType::Date).unwrap(), day);
    assert_eq!(failure(&Datum::varchar2("30-FEB-24"), DataType::Date).0, "ORA-01839");
    assert_eq!(failure(&Datum::varchar2("2024-02-29"), DataType::Date).0, "ORA-01861");

    let at = DateTime { nanosecond: 123_456_789, ..DateTime::midnight(2024, 2, 29) };
    let micros = DataType::Timestamp { precision: 6 };
    let bytes = stored(&Datum::timestamp(&at), micros).unwrap().unwrap();
    assert_eq!(bytes.len(), 11);
    let rounded = DateTime { nanosecond: 123_457_000, ..at };
    assert_eq!(load(Some(&bytes), micros).unwrap(), Datum::timestamp(&rounded));
    let whole = stored(&Datum::timestamp(&at), DataType::Timestamp { precision: 0 }).unwrap().unwrap();
    assert_eq!(whole.len(), 7, "a fraction of zero is not stored");
    assert_eq!(load(Some(&whole), micros).unwrap(), Datum::timestamp(&DateTime::midnight(2024, 2, 29)));
    let late = DateTime { hour: 23, minute: 59, second: 59, nanosecond: 999_999_999, ..at };
    let next = stored(&Datum::timestamp(&late), micros).unwrap().unwrap();
    assert_eq!(load(Some(&next), micros).unwrap(), Datum::timestamp(&DateTime::midnight(2024, 3, 1)));
}

#[test]
fn raws() {
    let raw = DataType::Raw { bytes: 2 };
    assert_eq!(stored(&Datum::varchar2("0aff"), raw).unwrap().unwrap(), [0x0A, 0xFF]);
    assert_eq!(failure(&Datum::raw(vec![1, 2, 3]), raw).0, "ORA-12899");
    assert_eq!(failure(&Datum::varchar2("xyz"), raw).0, "ORA-01465");
}
