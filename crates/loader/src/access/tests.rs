use super::*;
use crate::spec::*;

#[test]
fn what_the_paper_writes_is_read() {
    let access = parse("records delimited by newline fields terminated by '|' missing field values are null").unwrap();
    assert_eq!(access.records, Records::default());
    assert_eq!(access.fields.terminator, Some(Terminator::Text(b"|".to_vec())));
    assert!(access.fields.missing_are_null && access.fields.list.is_none());
    assert_eq!(parse("").unwrap().fields.terminator, Some(Terminator::Text(b",".to_vec())));
}

#[test]
fn options_of_records() {
    let access = parse(
        "RECORDS DELIMITED BY x'0D0A' CHARACTERSET 'WE8ISO8859P1' SKIP 2 BADFILE d:'x.bad' NOLOGFILE READSIZE=1000 DATE_CACHE 5
         STRING SIZES ARE IN BYTES",
    )
    .unwrap();
    assert_eq!(
        access.records,
        Records {
            format: RecordFormat::Delimiter(b"\r\n".to_vec()),
            skip: 2,
            bad: Output::Named { directory: Some("D".to_owned()), name: "x.bad".to_owned() },
            log: Output::Nowhere,
            characters: Characters::Latin1,
            record_bytes: 1000,
        }
    );
    assert_eq!(parse("RECORDS FIXED 20").unwrap().records.format, RecordFormat::Fixed(20));
    assert_eq!(parse("RECORDS DELIMITED BY DETECTED NEWLINE").unwrap().records.format, RecordFormat::DetectedNewline);
    assert_eq!(parse("RECORDS DELIMITED BY 0x'0a'").unwrap().records.format, RecordFormat::Delimiter(b"\n".to_vec()));
}

#[test]
fn lists_of_fields() {
    let access = parse(
        r#"FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '(' AND ')' LRTRIM
           (id, name CHAR(30) NULLIF name = 'n/a', "day" CHAR(10) DATE_FORMAT DATE MASK "YYYY-MM-DD",
            a POSITION(1:10) CHAR, b (11-20), c POSITION(*+2:3) INTEGER EXTERNAL 3 NULLIF (c = BLANKS AND id != '0'), d DATE 'DD.MM.YYYY')"#,
    )
    .unwrap();
    let fields = access.fields;
    assert_eq!(fields.trim, Trim::Both);
    assert_eq!(fields.enclosure, Some(Enclosure { left: b"(".to_vec(), right: b")".to_vec(), optional: true }));
    let list = fields.list.unwrap();
    let names: Vec<&str> = list.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["ID", "NAME", "day", "A", "B", "C", "D"]);
    assert_eq!(list[1].bytes, Some(30));
    let text = ComparedWith::Text(b"n/a".to_vec());
    assert_eq!(list[1].null_if, [NullIf { field: "NAME".to_owned(), equal: true, with: text }]);
    assert_eq!(list[2].mask, Some(DatetimeMask { timestamp: false, mask: "YYYY-MM-DD".to_owned() }));
    assert_eq!(list[3].position, Some(Position { origin: Origin::At(0), extent: Some(Extent::To(10)) }));
    assert_eq!(list[4].position, Some(Position { origin: Origin::At(10), extent: Some(Extent::To(20)) }));
    assert_eq!(list[5].position, Some(Position { origin: Origin::Behind(2), extent: Some(Extent::Bytes(3)) }));
    assert_eq!(list[5].null_if.len(), 2);
    assert_eq!(list[6].mask.as_ref().unwrap().mask, "DD.MM.YYYY");
}

#[test]
fn what_is_not_carried_out_is_named() {
    for (text, word) in [
        ("RECORDS VARIABLE 2", "RECORDS VARIABLE"),
        ("RECORDS DELIMITED BY NEWLINE LOAD WHEN (a = '1')", "LOAD"),
        ("RECORDS DELIMITED BY NEWLINE PREPROCESSOR d:'x'", "PREPROCESSOR"),
        ("RECORDS DELIMITED BY NEWLINE CHARACTERSET JA16SJIS", "JA16SJIS"),
        ("FIELDS CSV WITH EMBEDDED", "CSV"),
        ("FIELDS (a RAW(3))", "RAW"),
        ("FIELDS (a CHAR DEFAULTIF a = '1')", "DEFAULTIF"),
        ("FIELDS (a CHAR NULLIF a = '1' OR a = '2')", "OR"),
        ("FIELDS TERMINATED BY ',' COLUMN TRANSFORMS (a FROM b)", "COLUMN"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.is_own(1) && error.to_string().contains(word), "{text}: {error}");
    }
    for text in [
        "RECORDS FIXED 0",
        "RECORDS DELIMITED BY",
        "RECORDS DELIMITED BY ''",
        "RECORDS SKIP x",
        "FIELDS TERMINATED BY 'x",
        "FIELDS (a,)",
        "FIELDS (a, a)",
        "FIELDS (a POSITION(5:2))",
        "FIELDS (a CHAR(0))",
        "FIELDS (a NULLIF a)",
        "FIELDS OPTIONALLY",
        "(",
        "RECORDS DELIMITED BY 0x0",
        "FIELDS (a",
        "RECORDS SKIP 99999999999999999999999",
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.is_ora(29913) && error.to_string().contains("KUP-01005"), "{text}: {error}");
    }
}
