//! Real programs with tokens removed, doubled, exchanged or cut short: the parser reports useful errors, or accepts
//! them.

use plsql::error::CompileError;
use plsql::parser::{parse_expression, parse_unit};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::show;

const PROGRAMS: &[(&str, &str)] = &[
    ("accounts", include_str!("programs/accounts.sql")),
    ("accounts_body", include_str!("programs/accounts_body.sql")),
    ("block", include_str!("programs/block.sql")),
    ("function", include_str!("programs/function.sql")),
    ("job", include_str!("programs/job.sql")),
    ("trigger", include_str!("programs/trigger.sql")),
];

/// Tokens with a meaning to the parser, beside those of the programs.
const PIECES: &[&str] = &[
    "",
    ";",
    "(",
    ")",
    ",",
    ".",
    "..",
    ":=",
    "=>",
    "=",
    "%",
    "<<",
    ">>",
    "||",
    "'",
    "\"",
    "/*",
    "--",
    "q'[",
    ":",
    "@",
    "$",
    "?",
    "é",
    "begin",
    "end",
    "end if",
    "end loop",
    "end case",
    "exception",
    "when",
    "then",
    "else",
    "elsif",
    "if",
    "loop",
    "case",
    "for",
    "in",
    "while",
    "declare",
    "procedure",
    "function",
    "is",
    "return",
    "select",
    "into",
    "from",
    "insert",
    "values",
    "update",
    "set row =",
    "delete",
    "returning",
    "where current of",
    "bulk collect into",
    "merge",
    "forall",
    "execute immediate",
    "open",
    "fetch",
    "close",
    "cursor",
    "type",
    "record",
    "table of",
    "index by",
    "pragma",
    "not",
    "null",
    "and",
    "between",
    "like",
    "is null",
    "with",
    "package",
    "body",
    "trigger",
    "create",
    "goto",
    "raise",
    "exit",
    "union",
    "1",
    "1.5e3",
    "'x'",
    "date '2026-01-01'",
    "x",
    "sql%rowcount",
];

/// Words, signs and what stands between them; texts and comments are in several pieces, which is as good for breaking.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if word && is_word => last.push(c),
            _ => pieces.push(c.to_string()),
        }
        word = is_word;
    }
    pieces
}

#[derive(Clone, Debug)]
enum Change {
    Delete(Index),
    Double(Index),
    Replace(Index, usize),
    Insert(Index, usize),
    Exchange(Index, Index),
    /// From another place of the program.
    Copy(Index, Index),
    End(Index),
    Begin(Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let piece = 0..PIECES.len();
    let change = prop_oneof![
        4 => any::<Index>().prop_map(Change::Delete),
        4 => any::<Index>().prop_map(Change::Double),
        6 => (any::<Index>(), piece.clone()).prop_map(|(at, piece)| Change::Replace(at, piece)),
        6 => (any::<Index>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        2 => any::<(Index, Index)>().prop_map(|(a, b)| Change::Exchange(a, b)),
        2 => any::<(Index, Index)>().prop_map(|(a, b)| Change::Copy(a, b)),
        1 => any::<Index>().prop_map(Change::End),
        1 => any::<Index>().prop_map(Change::Begin),
    ];
    prop::collection::vec(change, 1..8)
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut pieces = pieces(text);
    for change in changes {
        if pieces.is_empty() {
            break;
        }
        let count = pieces.len();
        match change {
            Change::Delete(at) => {
                pieces.remove(at.index(count));
            }
            Change::Double(at) => {
                let at = at.index(count);
                pieces.insert(at, pieces[at].clone());
            }
            Change::Replace(at, piece) => pieces[at.index(count)] = PIECES[*piece].to_owned(),
            Change::Insert(at, piece) => pieces.insert(at.index(count), format!(" {} ", PIECES[*piece])),
            Change::Exchange(a, b) => pieces.swap(a.index(count), b.index(count)),
            Change::Copy(from, to) => {
                let from = from.index(count);
                let copy = pieces[from..(from + 12).min(count)].to_vec();
                let to = to.index(count);
                pieces.splice(to..to, copy);
            }
            Change::End(at) => pieces.truncate(at.index(count)),
            Change::Begin(at) => {
                pieces.drain(..at.index(count));
            }
        }
    }
    pieces.concat()
}

/// Invariants of every answer. Returns the errors.
fn check(text: &str) -> Vec<CompileError> {
    let errors = parse_unit(text).err();
    if let Some(errors) = &errors {
        assert!((1..=20).contains(&errors.len()), "{}", errors.len());
        let mut last = 0;
        for error in errors {
            assert!(error.at >= last && error.at as usize <= text.len(), "{error:?}");
            assert!(text.is_char_boundary(error.at as usize), "{error:?}");
            assert!(error.line >= 1 && error.column >= 1 && !error.text.is_empty(), "{error:?}");
            last = error.at;
        }
        let places: std::collections::BTreeSet<u32> = errors.iter().map(|error| error.at).collect();
        assert_eq!(places.len(), errors.len(), "two errors of one place");
    }
    errors.unwrap_or_default()
}

/// The tokens of a text, in upper case except in texts and quoted names.
fn folded(text: &str) -> String {
    format!("{:?}", parse_unit(text)).to_uppercase()
}

#[test]
fn the_programs_parse() {
    for (name, text) in PROGRAMS {
        if let Err(errors) = parse_unit(text) {
            panic!("{name}\n{}", show::errors(&errors));
        }
        assert_eq!(folded(text), folded(&text.to_ascii_uppercase()), "{name}");
    }
}

/// A single fault is one error, or a few: no cascade.
#[test]
fn a_token_too_few_or_too_many_is_few_errors() {
    let mut worst = (0, String::new());
    let (mut count, mut sum) = (0, 0);
    for (first, (name, text)) in PROGRAMS.iter().enumerate() {
        let whole = pieces(text);
        let tokens = (0..whole.len()).filter(|at| !whole[*at].trim().is_empty());
        // Every third is as good as all, and three times as fast.
        for at in tokens.skip(first % 3).step_by(3) {
            for double in [false, true] {
                let mut pieces = whole.clone();
                if double {
                    pieces.insert(at, format!("{} ", whole[at]));
                } else {
                    pieces[at].clear();
                }
                let text = pieces.concat();
                let errors = check(&text);
                count += usize::from(!errors.is_empty());
                sum += errors.len();
                if errors.len() > worst.0 {
                    let what = if double { "doubled" } else { "missing" };
                    worst = (errors.len(), format!("{name}: {} {what}\n{}", whole[at], show::errors(&errors)));
                }
            }
        }
    }
    println!("{sum} errors of {count} faults; at most {}", worst.1);
    assert!(worst.0 <= 5, "{}", worst.1);
    assert!(sum * 100 <= count * 108, "{sum} errors of {count} faults");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_program_is_read_or_refused(program in 0..PROGRAMS.len(), changes in changes()) {
        let text = changed(PROGRAMS[program].1, &changes);
        check(&text);
        assert_eq!(folded(&text), folded(&text.to_ascii_uppercase()));
    }

    #[test]
    fn pieces_alone_are_read_or_refused(chosen in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: Vec<&str> = chosen.iter().map(|piece| PIECES[*piece]).collect();
        let text = text.join(" ");
        check(&text);
        check(&format!("begin {text} end;"));
        check(&format!("declare {text} begin null; end;"));
        let _ = parse_expression(&text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        check(&text);
        check(&format!("begin {text}; end;"));
    }
}
