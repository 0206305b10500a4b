//! The screen of one report or trace.

use std::fmt::Write as _;

use console::Style;

use super::bar::bar;
use super::number::{bytes, duration, number, percent, range, seconds};
use super::terminal::{Terminal, wrapped};
use crate::analysis::{Analysis, CannotTell, Confidence, Finding, RuledOut};
use crate::files::{Facts, Source, Subject};

/// Findings, and of each the lines of evidence and of doubt that are shown; --json and --html have all.
const FINDINGS: usize = 5;
const EVIDENCE: usize = 3;
const DOUBTS: usize = 2;

/// Everything that is said about one file's report.
pub(crate) fn one(subject: &Subject, terminal: Terminal) -> String {
    let mut out = head(subject, terminal);
    let analysis = &subject.analysis;
    if let Some(db_time) = &analysis.db_time {
        out.push('\n');
        out.push_str(&bar(db_time, subject.source.whole(), terminal));
    }
    out.push_str(&findings(subject, terminal));
    out.push_str(&excluded(analysis, terminal));
    out
}

/// The same in a few lines, where several reports are shown.
pub(crate) fn short(subject: &Subject, terminal: Terminal) -> String {
    let mut out = format!("{}\n", terminal.strong(&subject.label()));
    let shown = subject.analysis.findings.iter().take(FINDINGS);
    for finding in shown {
        let text = format!("{}: {}", finding.id, weight(finding, subject.source));
        let _ = writeln!(out, "  {}", wrapped(&text, terminal.width - 2, 4));
        let _ = writeln!(out, "    {}", wrapped(&finding.title, terminal.width - 4, 4));
    }
    if subject.analysis.findings.is_empty() {
        let _ = writeln!(out, "  {}", none_found(&subject.analysis));
    }
    out
}

/// The line under several findings.
pub(crate) const OVERLAP: &str = "findings overlap: neither their seconds nor their savings add up";

fn head(subject: &Subject, terminal: Terminal) -> String {
    let facts = &subject.facts;
    let mut out = String::new();
    let mut line = |parts: Vec<Option<String>>| {
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if !text.is_empty() {
            let _ = writeln!(out, "{}", wrapped(&text, terminal.width, 2));
        }
    };
    line(vec![
        Some(terminal.strong(&database(facts))),
        facts.identity.release.clone().map(|release| format!("release {release}")),
        facts.host.name.clone().map(|host| format!("on {host}")),
        facts.host.platform.clone(),
        Some(format!("{} {}", subject.source.words(), terminal.faint(&subject.label()))),
    ]);
    line(vec![window(facts), sessions(facts)]);
    line(vec![
        facts.average_active_sessions.map(|sessions| {
            let text = format!("{} average active sessions", number(sessions));
            match facts.host.cpus {
                Some(cpus) => format!("{text} on {} CPUs", number(cpus)),
                None => format!("{text} (CPUs unknown)"),
            }
        }),
        run_queue(facts),
        facts.host.busy_percent.map(|busy| format!("host {} busy", percent(busy / 100.0))),
        swap(facts),
    ]);
    out
}

/// Database and instance under the names that the file gives them.
pub(crate) fn database(facts: &Facts) -> String {
    let identity = &facts.identity;
    let mut text = identity.database.clone().or_else(|| identity.unique_name.clone()).unwrap_or_default();
    if let Some(container) = &identity.container {
        let _ = write!(text, "{}{container}", if text.is_empty() { "" } else { "/" });
    }
    if identity.instances.len() > 1 {
        let _ = write!(text, " ({} instances)", identity.instances.len());
    } else if let Some(instance) = identity.instance.as_deref().filter(|instance| *instance != text) {
        text = if text.is_empty() { instance.to_owned() } else { format!("{text} (instance {instance})") };
    }
    if text.is_empty() { "database not named".to_owned() } else { text }
}

/// Length, begin and end of the window.
pub(crate) fn window(facts: &Facts) -> Option<String> {
    let window = &facts.window;
    let length = window.elapsed_s.map(duration);
    let ends = match (&window.begin.time, &window.end.time) {
        (Some(begin), Some(end)) if begin != end => Some(format!("{begin} to {end}")),
        (Some(begin), _) => Some(format!("from {begin}")),
        (None, Some(end)) => Some(format!("to {end}")),
        (None, None) => None,
    };
    let snapshots = match (window.begin.id, window.end.id) {
        (Some(begin), Some(end)) => format!(" (snapshots {begin} to {end})"),
        _ => String::new(),
    };
    match (length, ends) {
        (Some(length), Some(ends)) => Some(format!("{length}: {ends}{snapshots}")),
        (Some(one), None) | (None, Some(one)) => Some(format!("{one}{snapshots}")),
        (None, None) => None,
    }
}

fn sessions(facts: &Facts) -> Option<String> {
    match (facts.window.begin.sessions, facts.window.end.sessions) {
        (Some(begin), Some(end)) if begin == end => Some(format!("{} sessions", number(begin))),
        (Some(begin), Some(end)) => Some(format!("{} to {} sessions", number(begin), number(end))),
        (Some(one), None) | (None, Some(one)) => Some(format!("{} sessions", number(one))),
        (None, None) => None,
    }
}

fn run_queue(facts: &Facts) -> Option<String> {
    let host = &facts.host;
    let ends = match (host.load_begin, host.load_end) {
        (Some(begin), Some(end)) => format!("run queue {} to {}", number(begin), number(end)),
        (Some(one), None) | (None, Some(one)) => format!("run queue {}", number(one)),
        (None, None) => return host.load_most.map(|most| format!("run queue up to {}", number(most))),
    };
    let ends_most = host.load_begin.unwrap_or(0.0).max(host.load_end.unwrap_or(0.0));
    match host.load_most {
        Some(most) if most > ends_most => Some(format!("{ends}, up to {}", number(most))),
        _ => Some(ends),
    }
}

fn swap(facts: &Facts) -> Option<String> {
    let host = &facts.host;
    let free = match (host.swap_free_begin_bytes, host.swap_free_end_bytes) {
        (Some(begin), Some(end)) if begin == end => Some(format!("{} of swap free", bytes(begin))),
        (Some(begin), Some(end)) => Some(format!("{} to {} of swap free", bytes(begin), bytes(end))),
        (Some(one), None) | (None, Some(one)) => Some(format!("{} of swap free", bytes(one))),
        (None, None) => None,
    };
    let paged = match (host.paged_in_bytes, host.paged_out_bytes) {
        (Some(read), Some(written)) if read > 0.0 || written > 0.0 => {
            Some(format!("{} paged in and {} out", bytes(read), bytes(written)))
        }
        _ => None,
    };
    match (free, paged) {
        (None, None) => None,
        (free, paged) => Some([free, paged].into_iter().flatten().collect::<Vec<_>>().join(", ")),
    }
}

fn findings(subject: &Subject, terminal: Terminal) -> String {
    let analysis = &subject.analysis;
    let mut out = format!("\n{}\n", terminal.strong("Findings"));
    if analysis.findings.is_empty() {
        let _ = writeln!(out, "  {}", wrapped(&none_found(analysis), terminal.width - 2, 2));
    }
    for (at, finding) in analysis.findings.iter().take(FINDINGS).enumerate() {
        let style = match finding.severity {
            Some(severity) if severity >= 0.2 => Style::new().red().bold(),
            Some(severity) if severity >= 0.05 => Style::new().yellow().bold(),
            _ => Style::new().bold(),
        };
        let id = terminal.styled(finding.id, style);
        let heading = format!("{}. {id}: {}", at + 1, weight(finding, subject.source));
        let _ = writeln!(out, "{}", wrapped(&heading, terminal.width, 3));
        let _ = writeln!(out, "   {}", wrapped(&finding.title, terminal.width - 3, 3));
        for evidence in finding.evidence.iter().take(EVIDENCE) {
            let text = format!("{} [{}]", evidence.text, evidence.section);
            let _ = writeln!(out, "   - {}", wrapped(&text, terminal.width - 5, 5));
        }
        if let Some(saving) = &finding.saving {
            let _ = writeln!(out, "   if {}", wrapped(&saving.assumption, terminal.width - 6, 5));
        }
        for doubt in finding.doubts.iter().take(DOUBTS) {
            let _ = writeln!(out, "   ? {}", wrapped(doubt, terminal.width - 5, 5));
        }
    }
    if analysis.findings.len() > 1 {
        let _ = writeln!(out, "   {}", wrapped(&terminal.faint(OVERLAP), terminal.width - 3, 3));
    }
    if analysis.findings.len() > FINDINGS {
        let rest: Vec<&str> = analysis.findings[FINDINGS..].iter().map(|finding| finding.id).collect();
        let text = format!("and {} more: {} (--json and --html have them)", rest.len(), rest.join(", "));
        let _ = writeln!(out, "   {}", wrapped(&text, terminal.width - 3, 3));
    }
    out
}

/// The line in place of findings, if there are none. It never says that all is well.
pub(crate) fn none_found(analysis: &Analysis) -> String {
    match analysis.cannot_tell.len() {
        0 => "none of the findings that were looked for is there".to_owned(),
        count => format!("none; {count} could not be judged"),
    }
}

/// Seconds, share, saving and confidence of a finding in one line.
pub(crate) fn weight(finding: &Finding, source: Source) -> String {
    let mut parts = Vec::new();
    match (finding.seconds, finding.severity) {
        (Some(spent), Some(severity)) => {
            parts.push(format!("{}, {} of {}", seconds(spent), percent(severity), source.whole()));
        }
        (Some(spent), None) => parts.push(format!("{} in the background", seconds(spent))),
        (None, Some(severity)) => parts.push(format!("{} of {}", percent(severity), source.whole())),
        (None, None) => parts.push("no foreground time is attributed to it".to_owned()),
    }
    if let Some(saving) = &finding.saving {
        parts.push(format!("saves {}", range(saving.low_s, saving.high_s)));
    }
    parts.push(format!("{} confidence", confidence(finding.confidence)));
    parts.join("; ")
}

pub(crate) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn excluded(analysis: &Analysis, terminal: Terminal) -> String {
    let mut out = String::new();
    let widest = analysis.ruled_out.iter().map(|ruled| ruled.id.len()).max().unwrap_or(0);
    let common = common_clause(&analysis.ruled_out);
    if !analysis.ruled_out.is_empty() {
        let _ = writeln!(out, "\n{}", terminal.strong("Ruled out"));
    }
    if let Some(clause) = common {
        let _ = writeln!(out, "  {}", wrapped(&format!("for most of them: {clause}"), terminal.width - 2, 4));
    }
    for ruled in &analysis.ruled_out {
        let clauses: Vec<&str> = ruled.reason.split("; ").filter(|clause| Some(*clause) != common).collect();
        let text = wrapped(&clauses.join("; "), terminal.width.saturating_sub(widest + 4), 0);
        let text = text.replace('\n', &format!("\n{}", " ".repeat(widest + 4)));
        let _ = writeln!(out, "  {:widest$}  {text}", ruled.id);
    }
    if !analysis.cannot_tell.is_empty() {
        let _ = writeln!(out, "\n{}", terminal.strong("Cannot tell"));
    }
    for (missing, ids) in cannot_tell(&analysis.cannot_tell) {
        let text = format!("{missing}: {}", ids.join(", "));
        let _ = writeln!(out, "  {}", wrapped(&text, terminal.width - 2, 4));
    }
    if !analysis.notes.is_empty() {
        out.push('\n');
    }
    for note in &analysis.notes {
        let _ = writeln!(out, "! {}", wrapped(note, terminal.width - 2, 2));
    }
    out
}

/// A clause that more than half of the reasons contain ("the database was idle: …"): it is printed once.
fn common_clause(ruled_out: &[RuledOut]) -> Option<&str> {
    let clauses = ruled_out.iter().flat_map(|ruled| ruled.reason.split_once("; ").map(|(first, rest)| [first, rest]));
    let says = |ruled: &RuledOut, clause: &str| {
        ruled.reason.contains("; ") && ruled.reason.split("; ").any(|part| part == clause)
    };
    let count = |clause: &str| ruled_out.iter().filter(|ruled| says(ruled, clause)).count();
    clauses.flatten().find(|clause| count(clause) * 2 > ruled_out.len())
}

/// Findings that could not be judged, by the missing input.
pub(crate) fn cannot_tell(lines: &[CannotTell]) -> Vec<(&str, Vec<&'static str>)> {
    let mut groups: Vec<(&str, Vec<&'static str>)> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|(missing, _)| *missing == line.missing) {
            Some((_, ids)) => ids.push(line.id),
            None => groups.push((&line.missing, vec![line.id])),
        }
    }
    groups
}
