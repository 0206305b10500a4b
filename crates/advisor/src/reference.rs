//! The pages of docs/findings, printed from the findings themselves.

use crate::experiment::Experiment;
use crate::findings::catalogue;
use crate::judge::{About, InTrace, Limit, SHARED};
use crate::traces::waits::Waits;

/// Widest line of a page.
const WIDTH: usize = 120;

/// Rules of all findings.
const RULES: &[&str] = &[
    "**Thresholds** are shares of DB time where a page says nothing else. {NOTABLE} (`NOTABLE`) is what most findings \
        need.",
    "**Severity** is foreground seconds / DB time. Both are taken from seconds: printed percentages have several bases \
        and are never used (but for a segment's share of what was captured, whose whole is not printed); a share above \
        1 is refused, and the notes say so. Findings of the background and of errors have none, nor has a starved \
        host, which stands first: its seconds are in unaccounted-time.",
    "**DB time** = CPU + foreground waits + what is in neither; the last is always shown. Idle events are left out by \
        a list of our own. Reports before 10g have no DB time: CPU and foreground waits stand for it. In reports of \
        10g and later they never do: where DB time cannot be read there, no share is told. Excerpts that do not say \
        their release get no high confidence.",
    "**Seconds overlap**: a statement's time holds its waits, a hard parse's its CPU. They are not to be added up.",
    "**Idle** is a database of fewer than {IDLE_SESSIONS} active sessions on average that are also fewer than \
        {IDLE_SESSIONS_PER_CPU} a CPU. It gets no finding of time, whatever its averages are.",
    "**Savings** are ranges of seconds with the assumption spelled out: storage of {STORAGE_MS} unless told otherwise, \
        which is what the device of the write-accelerator paper took for a redo write and for a temp read. Where more \
        than {UNACCOUNTED} of DB time is in neither CPU nor waits, the upper end is unknown.",
    "**A trace or TKPROF's report of one** gets answers for the same ids. It tells of one session: severity is the \
        share of its wall clock, a finding needs {NOTABLE} of the time in which the database worked, and of the wall \
        clock too unless it is {ENOUGH_S} or more, and what only an instance knows (how long a redo write took, the \
        host) it cannot tell. It proves more than a report where a statement or an object decides: waits on data \
        blocks of an UPDATE are no freelist problem.",
    "**Never claimed**: a saving from moving a device that no foreground waits for; slow storage from `log file sync` \
        alone; commit waits from the number of commits; a cause from before and after alone; \"healthy\" where \
        sections are missing.",
    "**Experiments** are of `highwater reproduce`. One that is marked as planned cannot be run yet; `highwater \
        reproduce --list` has those that can.",
];

/// The page of a finding, in Markdown. A test compares it with the file in docs/findings; `UPDATE_REFERENCE=1` in the
/// environment of that test rewrites the file.
#[must_use]
pub fn page(id: &str) -> Option<String> {
    catalogue(|about| about.place.report).into_iter().find(|about| about.id == id).map(printed)
}

fn printed(about: &About) -> String {
    let limits = about.limits;
    let (formula, explained) = about.formula.split_once("\n\n").unwrap_or((about.formula, ""));
    let mut formula: String = filled(limits, formula).lines().map(aligned).collect();
    if !explained.is_empty() {
        formula.push('\n');
        formula.push_str(&paragraphs(limits, explained));
    }
    let in_trace = match &about.in_trace {
        InTrace::Judge { page, .. } => paragraphs(limits, page),
        InTrace::Waits(waits) => paragraphs(limits, &waited(waits)),
        InTrace::CannotTell(missing) => paragraphs(limits, &format!("A trace cannot tell. Missing: {missing}.")),
        InTrace::RuledOut(reason) => paragraphs(limits, &format!("Never found: {reason}.")),
    };
    let mut page = format!("# {}\n\n{}.\n", about.id, about.title);
    for (heading, text) in [
        ("What it looks at", paragraphs(limits, about.looks_at)),
        ("Formula", formula),
        ("Thresholds", bullets(limits, about.thresholds)),
        ("What refutes it", bullets(limits, about.refuted_by)),
        ("What to do", paragraphs(limits, about.what_to_do)),
        ("In a trace", in_trace),
        ("Experiment", format!("`{}`{}\n", about.experiment.command(), planned(about.experiment))),
    ] {
        page.push_str(&format!("\n## {heading}\n\n{text}"));
    }
    page.push_str(&format!(
        "\nPrinted from crates/advisor/src/findings/{}.rs; do not edit.\n",
        about.id.replace('-', "_")
    ));
    page
}

/// The input of a finding over certain events, and its doubts.
fn waited(waits: &Waits) -> String {
    let mut text = format!("The time that the session waited {}.", waits.what);
    if let Some((lock, mode)) = waits.old_lock {
        text.push_str(&format!(" To 9i: the event `enqueue` with lock {lock} in mode {mode}."));
    }
    for doubt in waits.doubts {
        text.push_str(&format!(" In doubt: {doubt}."));
    }
    text
}

fn planned(experiment: Experiment) -> &'static str {
    if experiment.planned { " (planned)" } else { "" }
}

/// The rules of docs/findings/README.md.
#[must_use]
pub fn rules() -> String {
    bullets(&[], RULES)
}

/// The text with the values of the limits that it names.
fn filled(limits: &[Limit], text: &str) -> String {
    limits
        .iter()
        .chain(SHARED)
        .fold(text.to_owned(), |text, limit| text.replace(&format!("{{{}}}", limit.name), &limit.value.to_string()))
}

fn paragraphs(limits: &[Limit], text: &str) -> String {
    let all: Vec<_> = filled(limits, text).split("\n\n").map(|paragraph| wrapped(paragraph, "", "")).collect();
    all.join("\n")
}

fn bullets(limits: &[Limit], items: &[&str]) -> String {
    items.iter().map(|item| wrapped(&filled(limits, item), "- ", "  ")).collect()
}

/// A line of a formula; a line that is too long goes on behind the equals sign.
fn aligned(line: &str) -> String {
    let (name, value) = line.split_at(line.find("= ").map_or(0, |at| at + 2));
    wrapped(value, &format!("    {name}"), &" ".repeat(4 + name.len()))
}

/// The words in lines of at most [`WIDTH`], the first behind `first`, the others behind `other`.
fn wrapped(text: &str, first: &str, other: &str) -> String {
    common::text::wrapped(text, WIDTH, first, other).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn docs() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
    }

    fn all() -> Vec<&'static About> {
        catalogue(|about| about.place.report)
    }

    /// Compares a file with its expected content; with UPDATE_REFERENCE writes it first.
    fn hold(path: &Path, wanted: &str, wrong: &mut Vec<String>) {
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(path, wanted).unwrap();
        }
        if std::fs::read_to_string(path).unwrap_or_default() != wanted {
            wrong.extend(path.file_name().map(|name| name.display().to_string()));
        }
    }

    fn none_wrong(wrong: &[String]) {
        assert!(
            wrong.is_empty(),
            "old: {wrong:#?}\nUPDATE_REFERENCE=1 cargo test -p advisor --lib reference writes them"
        );
    }

    /// The text with other lines in the place of those that are `ours`.
    fn replaced(text: &str, ours: impl Fn(&str) -> bool, lines: &str) -> String {
        let before: String = text.split_inclusive('\n').take_while(|line| !ours(line)).collect();
        assert_ne!(before, text, "the lines to replace are not there");
        let rest = text[before.len()..].split_inclusive('\n').skip_while(|line| ours(line));
        format!("{before}{lines}{}", rest.collect::<String>())
    }

    #[test]
    fn each_page_is_current_and_each_is_of_a_finding() {
        let (folder, mut wrong) = (docs().join("findings"), Vec::new());
        for about in all() {
            hold(&folder.join(format!("{}.md", about.id)), &printed(about), &mut wrong);
        }
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "README.md" && !all().iter().any(|about| name == format!("{}.md", about.id)) {
                wrong.push(format!("{name} is of no finding"));
            }
        }
        none_wrong(&wrong);
    }

    #[test]
    fn the_lists_of_findings_and_limits_are_current() {
        let rows: String = all()
            .iter()
            .map(|about| {
                let (id, name) = (about.id, about.experiment.name);
                format!("| [{id}]({id}.md) | {} | {name}{} |\n", about.title, planned(about.experiment))
            })
            .collect();
        let contents: String = all().iter().map(|about| format!("  - [{0}](findings/{0}.md)\n", about.id)).collect();
        let mut wrong = Vec::new();
        let (readme, summary) = (docs().join("findings/README.md"), docs().join("SUMMARY.md"));
        let text = std::fs::read_to_string(&readme).unwrap();
        let text = replaced(&text, |line| line.starts_with("| ["), &rows);
        let rule = |line: &str| line.starts_with("- **") || line.starts_with("  ");
        hold(&readme, &replaced(&text, rule, &rules()), &mut wrong);
        let text = std::fs::read_to_string(&summary).unwrap();
        hold(
            &summary,
            &replaced(&text, |line| line.contains("](findings/") && line.starts_with(' '), &contents),
            &mut wrong,
        );
        none_wrong(&wrong);
    }

    #[test]
    fn texts_name_limits_that_there_are_and_no_others() {
        for about in all() {
            let page = printed(about);
            assert!(!page.contains('{') && !page.contains('}'), "{}: a limit without a value\n{page}", about.id);
            let InTrace::Judge { page: trace, .. } = &about.in_trace else { continue };
            let texts = [about.looks_at, about.formula, about.what_to_do, trace].into_iter();
            let texts: String = texts.chain(about.thresholds.iter().chain(about.refuted_by).copied()).collect();
            for limit in about.limits {
                assert!(texts.contains(&format!("{{{}}}", limit.name)), "{} names no {}", about.id, limit.name);
            }
        }
    }

    #[test]
    fn lines_end_in_time() {
        for page in all().into_iter().map(printed).chain([rules()]) {
            let long = page.lines().find(|line| line.chars().count() > WIDTH);
            assert_eq!(long, None);
        }
        assert_eq!(wrapped(&"word ".repeat(30), "- ", "  ").lines().map(str::len).collect::<Vec<_>>(), [116, 36]);
    }
}
