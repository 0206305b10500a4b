//! Missing parts of a report, as warnings: a finding that needs one can only be "cannot tell".

use std::collections::HashSet;

use super::part::{self, ReportPart};
use crate::grid::Document;
use crate::grid::view::plain;
use crate::model::{Kind, Report, SectionState};
use crate::section;

/// The release that brought DB time and the time model.
const FIRST_WITH_DB_TIME: u32 = 10;

/// Adds the warnings. A cut report has one already.
pub(super) fn warn(report: &mut Report, document: &Document) {
    if report.cut {
        return;
    }
    if nothing(report) {
        let read = report.sections.iter().filter(|section| section.state == SectionState::Read).count();
        report.warnings.push(format!(
            "hardly anything of the report could be read ({read} of {} sections): if this is a copy of its text, read the file as the database wrote it",
            report.sections.len()
        ));
        return;
    }
    no_table(report, document);
    let missing = main_parts(report);
    if !missing.is_empty() {
        report.warnings.push(format!("not found in the report: {}", missing.join(", ")));
    }
}

/// None of the parts that findings are made of.
fn nothing(report: &Report) -> bool {
    let events = [&report.top_events, &report.foreground_events, &report.all_events];
    report.load_profile.is_none()
        && report.statistics.is_none()
        && report.time_model.is_none()
        && report.sql.is_none()
        && events.iter().all(|list| list.is_none())
}

/// A section of the model with lines of text under it and no table: the page lost its cells where it was copied.
fn no_table(report: &mut Report, document: &Document) {
    if document.kind != Kind::AwrHtml {
        return;
    }
    let told = |state: SectionState| state != SectionState::Unused;
    let seen: HashSet<String> =
        report.sections.iter().filter(|section| told(section.state)).map(|section| plain(&section.title)).collect();
    for (section, printed) in report.sections.iter_mut().zip(&document.sections) {
        let bare = printed.tables.is_empty() && !printed.notes.is_empty() && !told(section.state);
        if bare
            && part::part(&section.title).is_some_and(ReportPart::has_a_place)
            && !seen.contains(&plain(&section.title))
        {
            section.state = SectionState::NotUnderstood;
            report.warnings.push(format!("line {}: {}: no table was found under it", section.line, section.title));
        }
    }
}

/// The names of missing main parts whose section does not say why.
fn main_parts(report: &Report) -> Vec<&'static str> {
    let release = report.identity.major_release();
    let automatic = report.kind != Kind::Statspack;
    if !automatic && release.is_none_or(|release| release < FIRST_WITH_DB_TIME) {
        return Vec::new();
    }
    let said = |wanted: fn(ReportPart) -> bool| {
        let mut sections = report.sections.iter().filter(|section| section.state != SectionState::Unused);
        sections.any(|section| part::part(&section.title).is_some_and(wanted))
    };
    let events = [&report.top_events, &report.foreground_events, &report.all_events];
    let are_events = |part| {
        let lists: [&dyn section::AnySection; 3] =
            [&section::TOP_EVENTS, &section::FOREGROUND_EVENTS, &section::ALL_EVENTS];
        lists.iter().any(|list| part == ReportPart::Section(*list))
    };
    let mut missing = Vec::new();
    if report.window.db_time_s.is_none() {
        missing.push("DB time");
    }
    if report.time_model.is_none() && !said(|part| part == ReportPart::Section(&section::TIME_MODEL)) {
        missing.push("time model");
    }
    if events.iter().all(|list| list.is_none()) && !said(are_events) {
        missing.push("wait events");
    }
    if report.statistics.is_none()
        && !said(|part| part == ReportPart::OneOf(part::STATISTICS) || part == ReportPart::KeyActivity)
    {
        missing.push("instance activity");
    }
    // Statspack of a low level has no statements.
    if automatic && report.sql.is_none() && !said(|part| matches!(part, ReportPart::Sql(_))) {
        missing.push("statements");
    }
    missing
}
