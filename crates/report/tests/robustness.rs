//! Whatever the bytes: an answer or a numbered error, never a panic; and for sound traces, sums that add up.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use report::profile::{self, Component, ProfileOptions};
use report::tkprof::{self, Options, Report};

/// Reads, prints and makes JSON; an error must be one of the reader's own.
fn survive(bytes: &[u8]) -> Option<Report> {
    let options = Options::default();
    match tkprof::summarise(bytes, &options) {
        Ok(report) => {
            tkprof::print(&report, &options, &mut std::io::sink()).unwrap();
            serde_json::to_string(&tkprof::json(&report, &options)).unwrap();
            let reading = &report.reading;
            assert!(reading.not_understood <= reading.lines && reading.misread.len() as u64 <= reading.not_understood);
            Some(report)
        }
        Err(error) => {
            let number = error.number.to_string();
            assert!(["HW-0801", "HW-0802", "HW-0803"].contains(&number.as_str()), "{error}");
            None
        }
    }
}

fn survive_and_add_up(bytes: &[u8]) {
    if let Some(report) = survive(bytes) {
        adds_up(bytes, &report);
    }
}

/// The profile of the same trace adds up to its wall clock, its places to its waits, and its summary is the same.
fn adds_up(bytes: &[u8], report: &Report) {
    let profile = profile::read(bytes, &Options::default()).unwrap();
    assert_eq!(profile.summary, *report);
    // Numbers at the end of their range are cut there, and then nothing adds up.
    let sound = profile.lines.iter().all(|line| line.total_ns.abs() < i64::MAX / 100);
    if sound {
        assert_eq!(profile.lines.iter().map(|line| line.total_ns).sum::<i64>(), profile.elapsed_ns);
        assert_eq!(profile.sessions.iter().map(|session| session.elapsed_ns).sum::<i64>(), profile.elapsed_ns);
    }
    let count: u64 = profile.events.iter().map(|event| event.waits.count).sum();
    let by_line = profile.lines.iter().filter(|line| matches!(line.component, Component::Wait(_)));
    assert_eq!(by_line.map(|line| line.count).sum::<u64>(), count);
    assert_eq!(profile.sites.iter().map(|site| site.waits.count).sum::<u64>() + profile.other_sites.count, count);
    assert_eq!(profile.events.iter().flat_map(|event| event.histogram.counts).sum::<u64>(), count);
    profile::print(&profile, &ProfileOptions::default(), &mut std::io::sink()).unwrap();
    serde_json::to_string(&profile::json(&profile, &ProfileOptions::default())).unwrap();
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

const FIXTURES: [&str; 5] = ["8i.trc", "9i.trc", "10g.trc", "11g.trc", "23ai.trc"];

/// A change to a sound trace.
#[derive(Clone, Debug)]
enum Damage {
    Set { at: usize, byte: u8 },
    Remove { at: usize, length: usize },
    Repeat { at: usize, length: usize },
    Insert { at: usize, bytes: Vec<u8> },
    CutAt(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..8192usize;
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..20),
        proptest::sample::select(
            &[
                "'",
                "\"",
                "\n",
                "=",
                " op='",
                "END OF STMT\n",
                "BINDS #1:\n",
                "PARSING IN CURSOR #1 len=9 dep=1\n",
                "*** "
            ][..]
        )
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        4 => (at.clone(), any::<u8>()).prop_map(|(at, byte)| Damage::Set { at, byte }),
        2 => (at.clone(), 1..200usize).prop_map(|(at, length)| Damage::Remove { at, length }),
        2 => (at.clone(), 1..400usize).prop_map(|(at, length)| Damage::Repeat { at, length }),
        2 => (at.clone(), bytes).prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        1 => at.prop_map(Damage::CutAt),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: Damage) {
    if bytes.is_empty() {
        return;
    }
    let place = |at: usize| at % bytes.len();
    match damage {
        Damage::Set { at, byte } => {
            let at = place(at);
            bytes[at] = byte;
        }
        Damage::Remove { at, length } => {
            let at = place(at);
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Damage::Repeat { at, length } => {
            let at = place(at);
            let copy = bytes[at..(at + length).min(bytes.len())].to_vec();
            bytes.splice(at..at, copy);
        }
        Damage::Insert { at, bytes: new } => {
            let at = place(at);
            bytes.splice(at..at, new);
        }
        Damage::CutAt(at) => bytes.truncate(at % bytes.len()),
    }
}

/// A call and those it makes; figures are its own.
#[derive(Clone, Debug)]
struct Tree {
    cursor: usize,
    kind: usize,
    own: [i64; 5],
    children: Vec<Tree>,
}

/// Statements in a generated trace.
const STATEMENTS: usize = 4;

fn tree() -> impl Strategy<Value = Tree> {
    let figures = || proptest::array::uniform5(0..1000i64);
    let leaf = (0..STATEMENTS, 0..3usize, figures()).prop_map(|(cursor, kind, own)| Tree {
        cursor,
        kind,
        own,
        children: Vec::new(),
    });
    leaf.prop_recursive(4, 40, 5, move |inner| {
        (0..STATEMENTS, 0..3usize, figures(), proptest::collection::vec(inner, 0..5))
            .prop_map(|(cursor, kind, own, children)| Tree { cursor, kind, own, children })
    })
}

/// Writes the lines of a call, children first; gives what its line holds. Adds to `sums` what each statement did by
/// itself.
fn write(tree: &Tree, depth: usize, out: &mut String, sums: &mut [[[i64; 5]; 3]; STATEMENTS]) -> [i64; 5] {
    let mut all = tree.own;
    for child in &tree.children {
        let figures = write(child, depth + 1, out, sums);
        all.iter_mut().zip(figures).for_each(|(all, figure)| *all += figure);
    }
    sums[tree.cursor][tree.kind].iter_mut().zip(tree.own).for_each(|(sum, own)| *sum += own);
    let name = ["PARSE", "EXEC", "FETCH"][tree.kind];
    let [c, e, p, cr, cu] = all;
    let cursor = tree.cursor + 1;
    writeln!(out, "{name} #{cursor}:c={c},e={e},p={p},cr={cr},cu={cu},mis=0,r=1,dep={depth},og=1,tim=1").unwrap();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        survive_and_add_up(&bytes);
    }

    #[test]
    fn lines_of_the_alphabet_of_traces(text in "((EXEC|WAIT|STAT|PARSING IN CURSOR|BINDS|XCTEND|ERROR|CLOSE) ?#?[0-9]{0,3}:?[a-z0-9=,' #()*\"-]{0,60}\n){0,20}") {
        survive_and_add_up(text.as_bytes());
    }

    #[test]
    fn damaged_traces(name in proptest::sample::select(&FIXTURES[..]), damages in proptest::collection::vec(damage(), 1..12)) {
        let mut bytes = fixture(name);
        damages.into_iter().for_each(|damage| apply(&mut bytes, damage));
        survive_and_add_up(&bytes);
    }

    #[test]
    fn one_garbage_line_costs_only_itself(name in proptest::sample::select(&["8i.trc", "9i.trc"][..]), pick in 0..1000usize) {
        let whole = fixture(name);
        let text = String::from_utf8(whole.clone()).unwrap();
        // Between two records, where no block is open.
        let places: Vec<usize> = text
            .match_indices("\nXCTEND").chain(text.match_indices("\nEXEC")).chain(text.match_indices("\nFETCH"))
            .map(|(at, _)| at + 1)
            .collect();
        let at = places[pick % places.len()];
        let mut damaged = text.clone();
        damaged.insert_str(at, "ORA-00000: somebody else\n");
        let (sound, damaged) = (survive(&whole).unwrap(), survive(damaged.as_bytes()).unwrap());
        prop_assert_eq!(sound.statements, damaged.statements);
        prop_assert_eq!(damaged.reading.not_understood, sound.reading.not_understood + 1);
    }

    #[test]
    fn recursion_is_undone(trees in proptest::collection::vec(tree(), 1..6)) {
        let mut text = String::new();
        for cursor in 1..=STATEMENTS {
            writeln!(text, "PARSING IN CURSOR #{cursor} len=1 dep=0 uid=7 oct=3 lid=7 tim=1 hv=0 ad='0'").unwrap();
            writeln!(text, "{cursor}\nEND OF STMT").unwrap();
        }
        let mut sums = [[[0; 5]; 3]; STATEMENTS];
        let mut top = [0; 5];
        for tree in &trees {
            let figures = write(tree, 0, &mut text, &mut sums);
            top.iter_mut().zip(figures).for_each(|(top, figure)| *top += figure);
        }
        let report = survive(text.as_bytes()).unwrap();
        let figures = |f: &tkprof::Figures| [f.cpu, f.elapsed, f.disk, f.query, f.current];
        for (statement, sums) in report.statements.iter().zip(sums) {
            let ours = [&statement.parse, &statement.execute, &statement.fetch].map(figures);
            prop_assert_eq!(ours, sums);
        }
        let both = report.non_recursive.total().plus(&report.recursive.total());
        prop_assert_eq!(figures(&both), top);

        // Left in, a line's figures are the line's.
        let options = Options { inclusive: true, ..Options::default() };
        let inclusive = tkprof::summarise(text.as_bytes(), &options).unwrap();
        prop_assert_eq!(figures(&inclusive.non_recursive.total()), top);
    }
}

#[test]
fn every_cut_of_every_fixture() {
    for name in FIXTURES {
        let bytes = fixture(name);
        for end in 0..bytes.len() {
            survive(&bytes[..end]);
        }
    }
}
