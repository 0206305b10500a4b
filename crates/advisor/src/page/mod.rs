//! `--html`: one page that needs nothing beside it. Charts are SVG within it, light or dark as the reader's system is,
//! and narrow enough for a phone.
//!
//! ```text
//! mod.rs      the document
//! subject.rs  one report: screen, charts, findings with their evidence, sums with their inputs
//! several.rs  comparison and time line
//! charts.rs, colours.rs, style.css
//! ```

mod charts;
mod colours;
mod several;
mod subject;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::files::Results;

/// Reports that are shown in full on one page.
pub(crate) const FULL: usize = 40;

/// The whole document.
pub(crate) fn page(results: &Results) -> String {
    let title = match results.subjects.as_slice() {
        [] => "Highwater: nothing was analysed".to_owned(),
        [one] => format!("Highwater: {}", crate::screen::database(&one.facts)),
        several => format!("Highwater: {} reports", several.len()),
    };
    let style = format!("{}{}", colours::style(), include_str!("style.css"));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { main { (content(results)) } }
        }
    }
    .into_string()
}

fn content(results: &Results) -> Markup {
    html! {
        @if let Some(comparison) = &results.comparison { (several::comparison(comparison)) }
        @if let Some(timeline) = &results.timeline { (several::timeline(timeline)) }
        @if results.subjects.len() > 1 {
            h2 { "Reports" }
            ul {
                @for (at, subject) in results.subjects.iter().enumerate().take(FULL) {
                    li.wrap { a href=(format!("#report-{}", at + 1)) { (subject.label()) } " " (crate::screen::database(&subject.facts)) }
                }
            }
        }
        @for (at, subject) in results.subjects.iter().enumerate().take(FULL) {
            (subject::subject(subject, at + 1))
        }
        @if results.subjects.len() > FULL {
            p.faint { "The page shows the first " (FULL) " of " (results.subjects.len()) " reports in full." }
        }
        @if results.subjects.is_empty() { p { "None of the files could be analysed." } }
        footer {
            "Made by highwater analyze. Shares are recomputed from seconds, never taken from printed percentages."
            @if results.masked { " Names and statements have been replaced." }
        }
    }
}
