//! Statements are parsed anew instead of being found in the shared pool.

use crate::judge::prelude::*;

/// Of hard parses: cursors that could not be shared have most of the time.
const SHARING: f64 = 0.5;
/// A statement must be parsed once: in a trace, only many parses are a problem.
const MISSES: u32 = 100;
/// Of the time in which a trace's session worked.
const OF_TRACE: f64 = 0.1;
/// Parsing of so much of DB time is told although it is ruled out.
const WORTH_A_WORD: f64 = 0.01;

pub(super) const ABOUT: About = About {
    id: "hard-parsing",
    place: Place { report: 260, trace: 230 },
    title: "Statements are parsed anew instead of being found in the shared pool",
    looks_at: "`hard parse elapsed time`, `hard parse (sharing criteria) elapsed time`, `failed parse elapsed time`, \
        `parse time elapsed` of the time model; parse counts.",
    formula: "severity = hard parse elapsed time / DB time",
    limits: limits![Share(WORTH_A_WORD), Share(SHARING), Whole(MISSES), Share(OF_TRACE)],
    thresholds: &[OF_DB_TIME],
    refuted_by: &[
        "All parsing together below the threshold rules it out where the line is not printed. Where hard parses are \
            ruled out, all parsing and failed parses are told beside it from {WORTH_A_WORD} of DB time on. CPU is a \
            part of the time: it is not to be added to [cpu-bound](cpu-bound.md).",
    ],
    what_to_do: "Bind variables; where sharing criteria take more than {SHARING} of it, V$SQL_SHARED_CURSOR tells why \
        cursors are not shared.",
    experiment: experiment::INSERT_GETS,
    in_report,
    in_trace: InTrace::Judge {
        page: "At least {MISSES} misses in the library cache, and parsing with the dictionary look-ups of SYS takes \
            {OF_TRACE} of the time without idle waits. Look-ups for space management are among them.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let Some(waited) = parsing.hard_s else {
        // Lines of nothing are left out of the time model: all parsing together is the most that hard parses can have
        // taken.
        return match (parsing.parse_s, parsing.parse_s.and_then(|all| case.sums.db_time.share(all))) {
            (Some(all), Some(share)) if share < NOTABLE => {
                let count =
                    parsing.hard_parses.map_or_else(String::new, |hard| format!("; {} hard parses", number(hard)));
                ruled_out(format!("all parsing takes {} ({} of DB time){count}", seconds(all), percent(share)))
            }
            _ => cannot_tell("hard parse elapsed time (Time Model Statistics)"),
        };
    };
    let share = case
        .weigh("hard parse elapsed time", Some(waited))
        .map_err(|not| not.because(|reason| format!("{reason}{}", other_parsing(case))))?;
    let title = format!("Hard parses take {} ({} of DB time)", seconds(waited), percent(share));
    let sharing = parsing.sharing_s.filter(|time| *time > SHARING * waited);
    let mut found = finding(&ABOUT, title, case.unless_starved(Confidence::High))
        .weight(share, waited)
        .evidence(section::TIME_MODEL, format!("hard parse elapsed time {}", seconds(waited)))
        .evidence_if(section::TIME_MODEL, parsing.parse_s.map(|time| format!("parse time elapsed {}", seconds(time))))
        .evidence_if(
            section::TIME_MODEL,
            parsing.sharing_s.map(|time| format!("of it because a cursor could not be shared: {}", seconds(time))),
        )
        .evidence_if(
            section::TIME_MODEL,
            parsing.failed_s.filter(|time| *time >= 1.0).map(|time| {
                let count = parsing.failures.map_or_else(String::new, |count| format!(", {} of them", number(count)));
                format!("failed parses {}{count}", seconds(time))
            }),
        )
        .evidence_if(
            section::ACTIVITY,
            parsing.hard_parses.map(|hard| {
                let all = parsing
                    .parses
                    .filter(|all| *all > 0.0)
                    .map_or_else(String::new, |all| format!(" of {} parses ({})", number(all), percent(hard / all)));
                format!(
                    "{} hard parses{all}, {} each",
                    number(hard),
                    if hard > 0.0 { seconds(waited / hard) } else { "-".to_owned() }
                )
            }),
        )
        .doubt("CPU is a part of this time: it is not to be added to cpu-bound")
        .doubt_if(case.slowed_doubt())
        .doubt_if(case.unaccounted_doubt());
    found = if sharing.is_some() {
        found.advise("the cursors are there and cannot be used: see V$SQL_SHARED_CURSOR for why (bind lengths and types, optimizer settings, language, adaptive cursors)")
    } else {
        found.advise("bind variables in the statements that are built with literals; CURSOR_SHARING=FORCE where they cannot be changed")
    };
    found.advise("a shared pool that keeps the cursors, where they are thrown out and parsed again").found()
}

/// Parsing other than hard parses, if notable: all of it, and the parses that failed.
pub(super) fn other_parsing(case: &Case<'_>) -> String {
    let parsing = &case.sums.parsing;
    let told = |what: &str, time: Option<f64>| {
        let share = case.sums.db_time.share(time?).filter(|share| *share >= WORTH_A_WORD)?;
        Some(format!("{what} {} ({})", seconds(time?), percent(share)))
    };
    let parts: Vec<String> =
        [told("parse time elapsed", parsing.parse_s), told("failed parse elapsed time", parsing.failed_s)]
            .into_iter()
            .flatten()
            .collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

fn in_trace(view: &View<'_>) -> Verdict {
    let statements = &view.summary.statements;
    let misses: i64 = statements.iter().map(|s| s.parse.misses.saturating_add(s.execute.misses)).sum();
    let parse_s = statements.iter().map(|s| s.parse.elapsed as f64 / 1e6).sum::<f64>();
    // Recursive statements of SYS look up definitions for a parse. Space management runs some too, so this is at most.
    let dictionary_s: f64 = statements
        .iter()
        .filter(|s| s.user == Some(0) && s.depth > 0)
        .map(|s| (s.execute.elapsed.saturating_add(s.fetch.elapsed)) as f64 / 1e6)
        .sum();
    let unit = view.profile.map_or(1.0, |profile| if profile.unit_ns == 1024 { 1.024 } else { 1.0 });
    let (parse_s, dictionary_s) = (parse_s * unit, dictionary_s * unit);
    let total = parse_s + dictionary_s;
    let parses: u64 = statements.iter().map(|s| s.parse.count).sum();
    let text = format!(
        "{misses} misses in {parses} parses: {} parsing, {} in the dictionary",
        seconds(parse_s),
        seconds(dictionary_s)
    );
    if misses < i64::from(MISSES) || view.busy_share(total) < OF_TRACE || !view.matters(total) {
        return ruled_out(text);
    }
    let title = format!("{} went into parsing: {misses} misses in the library cache", view.of_elapsed(total));
    let once = statements.iter().filter(|s| s.user != Some(0) && s.execute.count == 1).count();
    let users = statements.iter().filter(|s| s.user != Some(0)).count();
    view.finding(&ABOUT, total, title, Confidence::Medium)
        .evidence(view.section, text)
        .evidence("Statements", format!("{once} of {users} different statements of users were executed once"))
        .doubt("statements of SYS are counted as work for a parse; those that manage space are among them")
        .advise("bind variables instead of literals; cursors that stay open")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().timing("hard parse elapsed time", 1_000.0).timing("parse time elapsed", 1_100.0)
}
