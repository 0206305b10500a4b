//! Every number that production code raises has an entry in errors.toml, and every entry is raised somewhere.
//!
//! The test reads the sources of all crates (see scan.rs), so a new number fails it until it has an entry.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod code;
mod numbers;
mod scan;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use errors::Code;

use scan::{Explanation, Numbers, scan, sources};

/// Arguments whose values the scanner cannot know.
const EXPLANATIONS: &[Explanation] = &[
    // RAISE of an exception that STANDARD declares.
    Explanation {
        file: "crates/plsql/src/exception.rs",
        argument: "number",
        numbers: Numbers::Listed("PREDEFINED", 1),
    },
    // The expectations that the SQL parser names.
    Explanation {
        file: "crates/sql/src/statement/syntax.rs",
        argument: "number",
        numbers: Numbers::Listed("EXPECTED", 1),
    },
    // RAISE_APPLICATION_ERROR: a number of the program's own.
    Explanation {
        file: "crates/plsql/src/run/unwind.rs",
        argument: "number.unsigned_abs()as u32",
        numbers: Numbers::Elsewhere,
    },
    // An SQL error becomes one of the surrounding program, and the other way round.
    Explanation { file: "crates/plsql/src/compile/error.rs", argument: "number", numbers: Numbers::Elsewhere },
    Explanation { file: "crates/sql/src/plsql/function.rs", argument: "number", numbers: Numbers::Elsewhere },
    Explanation { file: "crates/sql/src/plsql/program.rs", argument: "number", numbers: Numbers::Elsewhere },
    // The number is taken from a text `PLS-00215: …`, which is found as a text.
    Explanation {
        file: "crates/plsql/src/compile/type_name.rs",
        argument: "number.parse().unwrap_or(0)",
        numbers: Numbers::Elsewhere,
    },
    // `Tokens::error` takes a place; the scanner takes it for `Words::error`, because it knows no types.
    Explanation { file: "crates/sql/src/statement/names.rs", argument: "at", numbers: Numbers::Elsewhere },
    Explanation { file: "crates/sql/src/statement/names.rs", argument: "tokens.len()", numbers: Numbers::Elsewhere },
];

/// What is wrong between numbers that are raised and numbers that have an entry.
fn differences(raised: &BTreeMap<Code, BTreeSet<String>>, entries: &BTreeSet<Code>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (code, places) in raised.iter().filter(|(code, _)| !entries.contains(code)) {
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        wrong.push(format!("{code} has no entry in crates/errors/errors.toml; it is raised in {}", places.join(", ")));
    }
    for code in entries.iter().filter(|code| !raised.contains_key(code)) {
        wrong.push(format!("{code} has an entry in crates/errors/errors.toml and is raised nowhere"));
    }
    wrong
}

#[test]
fn numbers_that_are_raised_have_entries_and_no_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let sources = sources(&root);
    let mut found = scan(&sources);
    found.explain(&sources, EXPLANATIONS);
    let unknown: Vec<String> = found.unknown.iter().map(|(file, text)| format!("{file}: `{text}`")).collect();
    assert!(
        unknown.is_empty(),
        "errors are raised with numbers that the test cannot find out; write the number where the error is made, or \
         add an explanation to crates/errors/tests/raised/main.rs:\n{}",
        unknown.join("\n")
    );
    let wrong = differences(&found.raised, &errors::all().map(|entry| entry.code).collect());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_number_without_an_entry_and_an_entry_without_a_place_are_told() {
    let code = |text: &str| errors::find(text).unwrap().code;
    let raised = BTreeMap::from([
        (code("ORA-00001"), BTreeSet::from(["a.rs:1".to_owned(), "b.rs:2".to_owned()])),
        (code("ORA-00942"), BTreeSet::from(["c.rs:3".to_owned()])),
    ]);
    let wrong = differences(&raised, &BTreeSet::from([code("ORA-00942"), code("HW-0001")]));
    assert_eq!(wrong.len(), 2);
    assert!(wrong[0].starts_with("ORA-00001 has no entry") && wrong[0].ends_with("a.rs:1, b.rs:2"), "{wrong:?}");
    assert!(wrong[1].starts_with("HW-0001 has an entry"), "{wrong:?}");
}

/// Sources that a test makes up: file, text.
fn made_up(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let source = |(file, text): &(&str, &str)| scan::Source {
        file: (*file).to_owned(),
        code: code::of(&tree::parse(text).unwrap().tokens),
    };
    let found = scan(&files.iter().map(source).collect::<Vec<_>>());
    let unknown = found.unknown.into_iter().map(|(file, text)| format!("{file} {text}")).collect();
    (found.raised.keys().map(Code::to_string).collect(), unknown)
}

/// The functions that the others of a test are built on.
const COMMON: (&str, &str) = (
    "crates/common/src/error.rs",
    "impl Error {
        pub fn new(kind: ErrorKind, number: Number, text: &str) -> Self { Self { kind, number, text } }
        pub fn user(ora: u32, text: &str) -> Self { Self::new(ErrorKind::User, Number::Ora(ora), text) }
        pub fn own(kind: ErrorKind, hw: u32, text: &str) -> Self { Self::new(kind, Number::Hw(hw), text) }
        pub fn is_ora(&self, n: u32) -> bool { self.number == Number::Ora(n) }
    }",
);

fn numbers_of(text: &str) -> Vec<String> {
    let (raised, unknown) = made_up(&[COMMON, ("crates/x/src/lib.rs", text)]);
    assert!(unknown.is_empty(), "{unknown:?}");
    raised
}

#[test]
fn literals_and_constants_are_seen() {
    assert_eq!(
        numbers_of(
            "const TOO_LONG: u32 = 49; const EMPTY: Number = Number::Hw(801);
             fn a() -> Error { Error::user(20_000, \"\") }
             fn b() -> Error { Error::own(ErrorKind::User, TOO_LONG, format!(\"{}\", 7)) }
             fn c() -> Error { Error::new(ErrorKind::Io, common::Number::Sp2(310), \"\") }"
        ),
        ["ORA-20000", "HW-0049", "HW-0801", "SP2-0310"]
    );
}

#[test]
fn helpers_and_closures_are_seen_through() {
    assert_eq!(
        numbers_of(
            "fn sp2(number: u32, text: impl Into<String>) -> Error { Error::new(User, Number::Sp2(number), text) }
             fn twice(a: u8, ora: u32) -> Error { sp2_or(ora) }
             fn sp2_or(ora: u32) -> Error { Error::user(ora, \"\") }
             struct Words;
             impl Words { fn error(&self, ora: u32, text: &str) -> Error { Error::user(ora, text) } }
             struct Tokens;
             impl Tokens {
                 fn error(&self, at: usize, error: Error) -> Error { error.at(at) }
                 fn no_number(&self) -> Error { self.error(5, Error::user(917, \"\")) }
             }
             impl Fault { fn pls<T>(at: At, number: u32) -> Self { Self { at, number: Number::Pls(number) } } }
             fn run(words: &Words) -> Result<()> {
                 let small = |n: u64, number: u32| Err(words.error(number, \"small\"));
                 if bad { return Err(sp2(158, \"x\")); }
                 for (is, number) in [(a, 31), (b, 32)] { if is { return Err(Error::user(number, \"\")); } }
                 twice(1, 27); small(9, 2143); fault::<Vec<u8>>(0, 103);
                 words.error(933, \"\").map_err(|error| error)
             }
             fn fault<T>(at: At, number: u32) -> Compiled<T> { Err(Fault::pls(at, number)) }"
        ),
        ["ORA-00027", "ORA-00031", "ORA-00032", "ORA-00917", "ORA-00933", "ORA-02143", "PLS-00103", "SP2-0158"]
    );
}

#[test]
fn branches_are_followed() {
    assert_eq!(
        numbers_of(
            "fn a(x: u8) -> Result<Error> {
                 let (number, text) = if x == 1 { (903, \"a\") } else if x == 2 { (1747, \"b\") } else { return a };
                 let other = match x { 1 => { let y = 5; 12725 } 2 if y => 12726, _ => continue };
                 let Some((third, _)) = find().map(|found| 7).then(|| 8) else { return Err(Error::user(4, \"\")) };
                 Ok(Error::user(number, text).and(Error::user(other, text)))
             }"
        ),
        ["ORA-00004", "ORA-00903", "ORA-01747", "ORA-12725", "ORA-12726"]
    );
}

#[test]
fn messages_that_are_written_out_count() {
    assert_eq!(
        numbers_of(
            "fn a() { out.line(\"SP2-0640: not connected\"); b(format!(\"no ORA-01555, PLS-{n}, KUP-01005: {x}\")) }"
        ),
        ["SP2-0640", "KUP-01005"]
    );
}

#[test]
fn numbers_that_are_compared_are_not_raised() {
    assert_eq!(
        numbers_of(
            "/// ORA-00600: `Error::user(600, \"\")`.
             #[cfg(test)] mod tests { fn a() { Error::user(601, \"\"); } }
             fn a(error: &Error) -> bool {
                 if let Number::Ora(602) = error.number { return true; }
                 let b = matches!(error.number, Number::Ora(603 | 604));
                 error.is_ora(605) || error.number == Number::Hw(606) || match error.number {
                     Number::Ora(607) | Number::Hw(608) => true,
                     Number::Ora(n) if n > 609 => true,
                     Number::Sp2(_) => false,
                 }
             }"
        ),
        Vec::<String>::new()
    );
}

#[test]
fn unknown_arguments_are_reported() {
    let text = "fn a(error: Other) -> Error { Error::user(error.number(), \"\") }
                fn b() { c.map_err(Number::Ora).map(Error::own) }
                fn d(n: u32) { let number = if a { 1 } else { 2 } + n; Error::user(number, \"\") }";
    let (raised, unknown) = made_up(&[COMMON, ("crates/x/src/lib.rs", text)]);
    assert!(raised.is_empty());
    assert_eq!(unknown, ["crates/x/src/lib.rs ", "crates/x/src/lib.rs error.number()", "crates/x/src/lib.rs number"]);
}

#[test]
fn a_private_helper_is_not_that_of_another_file() {
    let helper =
        ("crates/x/src/a.rs", "fn made(number: u32) -> Error { Error::user(number, \"\") } fn b() { made(1) }");
    let below = ("crates/x/src/a/b.rs", "fn c() { super::made(2) }");
    let beside = ("crates/x/src/d.rs", "fn c() { made(3) }");
    let (raised, unknown) = made_up(&[COMMON, helper, below, beside]);
    assert_eq!((raised, unknown), (vec!["ORA-00001".to_owned(), "ORA-00002".to_owned()], Vec::new()));
}
