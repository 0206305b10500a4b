//! Statements are parsed anew instead of being found in the shared pool.

use super::verdict::{Build, Case, NOTABLE, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "hard-parsing";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let Some(waited) = parsing.hard_s else {
        // Lines of nothing are left out of the time model: all parsing together is the most that hard parses can have taken.
        return match (parsing.parse_s, parsing.parse_s.and_then(|all| case.sums.db_time.share(all))) {
            (Some(all), Some(share)) if share < NOTABLE => {
                let count =
                    parsing.hard_parses.map_or_else(String::new, |hard| format!("; {} hard parses", number(hard)));
                Verdict::RuledOut(format!("all parsing takes {} ({} of DB time){count}", seconds(all), percent(share)))
            }
            _ => Verdict::CannotTell("hard parse elapsed time (Time Model Statistics)".to_owned()),
        };
    };
    let share = match case.weigh("hard parse elapsed time", Some(waited)) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => return Verdict::RuledOut(format!("{reason}{}", other_parsing(case))),
        Err(verdict) => return verdict,
    };
    let title = format!("Hard parses take {} ({} of DB time)", seconds(waited), percent(share));
    let sharing = parsing.sharing_s.filter(|time| *time > 0.5 * waited);
    let mut found = finding(ID, title, case.unless_starved(Confidence::High))
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
    found
        .advise("a shared pool that keeps the cursors, where they are thrown out and parsed again")
        .shown_by(experiment::INSERT_GETS)
        .found()
}

/// Parsing that is no hard parse, where it is worth a word: all of it, and what failed.
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

/// Of DB time.
const WORTH_A_WORD: f64 = 0.01;
