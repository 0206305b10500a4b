//! Each line of `golden/*.txt` is `expression => value`, and is evaluated by the library's own functions.
//!
//! An expression is a literal (`1.5`, `'text'`, `v'varchar2 text'`, `null`, `date '2024-02-29 13:45:30'`, `timestamp
//! '…'`) or a call `NAME(expression, …)`; operators are called by their signs, `+(1, 2)`. A value is what the literal
//! of its type looks like, or the number of an error.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use scalar::context::FixedContext;
use scalar::date::format::Format;
use scalar::date::{parse, write};
use scalar::text::hexadecimal;
use scalar::{Context, Datum, DatumType, conditions, functions};

const DATE: &str = "SYYYY-MM-DD HH24:MI:SS";
const TIMESTAMP: &str = "SYYYY-MM-DD HH24:MI:SS.FF9";

struct Reader<'a> {
    rest: &'a str,
    context: &'a FixedContext,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        let mut rest = self.rest.strip_prefix('\'').unwrap();
        loop {
            let (head, tail) = rest.split_once('\'').expect("a text ends");
            text.push_str(head);
            rest = tail;
            match rest.strip_prefix('\'') {
                Some(tail) => {
                    text.push('\'');
                    rest = tail;
                }
                None => break,
            }
        }
        self.rest = rest;
        text
    }

    fn expression(&mut self) -> common::Result<Datum> {
        self.blanks();
        let rest = self.rest;
        if rest.starts_with('\'') {
            return Ok(Datum::character(self.text()));
        }
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if is_number(rest) || rest.strip_prefix('-').is_some_and(is_number) {
            let end = rest.find([',', ')', '=']).unwrap_or(rest.len());
            let (number, tail) = rest.split_at(end);
            self.rest = tail;
            return Ok(Datum::Number(format::number::parse(number.trim())?));
        }
        let end = rest.find(['(', ' ', ',', ')', '\'']).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(end);
        self.rest = tail;
        match name {
            "null" => return Ok(Datum::Null),
            "v" => return Ok(Datum::varchar2(self.text())),
            "x" => return Ok(Datum::raw(hexadecimal::decode(&self.text())?)),
            "date" | "timestamp" => {
                self.blanks();
                let text = self.text();
                let format = Format::parse(TIMESTAMP).unwrap();
                let at = parse::parse(self.context, &text, &format)?.unwrap();
                return Ok(if name == "date" { Datum::date(&at) } else { Datum::timestamp(&at) });
            }
            _ => {}
        }
        self.blanks();
        let mut arguments = Vec::new();
        if let Some(tail) = self.rest.strip_prefix('(') {
            self.rest = tail;
            self.blanks();
            while !self.rest.starts_with(')') {
                arguments.push(self.expression());
                self.blanks();
                self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
            }
            self.rest = &self.rest[1..];
        }
        let arguments = arguments.into_iter().collect::<common::Result<Vec<_>>>()?;
        if let Some(condition) = conditions::lookup(name) {
            let truth = (condition.call)(self.context, &arguments)?;
            return Ok(Datum::varchar2(truth.map_or("unknown", |truth| if truth { "true" } else { "false" })));
        }
        let function = functions::lookup(name).unwrap_or_else(|| panic!("no function {name}"));
        let types: Vec<DatumType> = arguments.iter().map(Datum::datum_type).collect();
        let result = function.result_type(&types)?;
        let value = function.call(self.context, &arguments)?;
        // These hand out an argument as it is; `call_as` converts it.
        let hands_out = ["COALESCE", "DECODE", "NULLIF", "NVL", "NVL2"].contains(&function.name);
        assert!(
            value.is_null() || hands_out || value.datum_type() == result,
            "{name} gives {value:?}, its rule says {result}"
        );
        function.call_as(self.context, &arguments, result)
    }
}

fn shown(context: &FixedContext, value: &Datum) -> String {
    match value {
        Datum::Null => "null".to_owned(),
        Datum::Number(number) => number.to_string(),
        Datum::Varchar2(text) | Datum::Char(text) => format!("'{}'", text.replace('\'', "''")),
        Datum::Date(_) | Datum::Timestamp(_) => {
            let (name, format) =
                if matches!(value, Datum::Date(_)) { ("date", DATE) } else { ("timestamp", TIMESTAMP) };
            let format = Format::parse(format).unwrap();
            let text = write::write(context.nls(), &value.as_datetime().unwrap(), &format).unwrap();
            format!("{name} '{}'", text.trim_start())
        }
        Datum::Raw(bytes) => format!("x'{}'", hexadecimal::encode(bytes)),
    }
}

#[test]
fn golden_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let context = FixedContext::default();
    let mut lines = 0;
    let mut wrong = Vec::new();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (expression, expected) = line.rsplit_once(" => ").unwrap_or_else(|| panic!("{name}: {line}"));
            let mut reader = Reader { rest: expression, context: &context };
            let got = match reader.expression() {
                Ok(value) => shown(&context, &value),
                Err(error) => error.number.to_string(),
            };
            assert!(reader.rest.trim().is_empty() || got.contains('-'), "{name}: {line}: left over {:?}", reader.rest);
            lines += 1;
            if got != expected.trim() {
                wrong.push(format!("{name}:{}: {expression} => {got}, not {}", number + 1, expected.trim()));
            }
        }
    }
    assert!(lines > 100, "only {lines} lines");
    assert!(wrong.is_empty(), "{} of {lines}:\n{}", wrong.len(), wrong.join("\n"));
}
