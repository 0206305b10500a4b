//! Undo: waits for its segments, and for buffers that hold its headers and blocks.

use report::profile::Site;

use crate::analysis::Confidence;
use crate::sums::undo::WAITS;

use super::buffers::{NO_CLASSES, UNDO, is_buffer_busy, places, with_classes};
use super::view::View;
use super::{Verdict, finding, number};

const ID: &str = "undo-pressure";

fn is_undo(event: &str) -> bool {
    WAITS.iter().any(|name| event.starts_with(name))
}

fn of_undo(site: &Site) -> bool {
    site.class.is_some_and(|class| UNDO.contains(&class))
}

pub(super) fn judge(view: &View<'_>) -> Verdict {
    if !view.has_waits() {
        return Verdict::CannotTell(ID, "waits: the trace has none (level 8 writes them)".into());
    }
    let (segments, segments_s) = view.waited(&is_undo);
    let classes = with_classes(view);
    let (buffers, buffers_s) = classes.map_or((0.0, 0.0), |profile| {
        let busy = profile.sites.iter().filter(|site| is_buffer_busy(&profile.events[site.event].name));
        busy.filter(|site| of_undo(site)).fold((0.0, 0.0), |(count, total), site| {
            (count + site.waits.count as f64, total + site.waits.total_ns as f64 / 1e9)
        })
    });
    let total_s = segments_s + buffers_s;
    let (_, busy_s) = view.waited(&is_buffer_busy);
    if !view.matters(total_s) {
        // Any part of the waits for buffers may be for undo.
        if classes.is_none() && view.matters(segments_s + busy_s) {
            return Verdict::CannotTell(ID, NO_CLASSES.into());
        }
        let reason = if segments + buffers > 0.0 {
            format!("{}: {}", counted(segments, buffers), view.of_elapsed(total_s))
        } else {
            "nothing waited for undo".into()
        };
        return Verdict::RuledOut(ID, reason);
    }
    let title = format!("Waited {} for undo: {}", view.of_elapsed(total_s), counted(segments, buffers));
    let (_, latches_s) = view.waited(&|event| is_undo(event) && event.starts_with("latch: "));
    let confidence = if latches_s * 2.0 > total_s { Confidence::Low } else { Confidence::Medium };
    let mut found = finding(view, ID, total_s, title, confidence);
    if segments > 0.0 {
        super::waits::describe(view, &is_undo, &mut found);
    }
    if latches_s > 0.0 {
        found.doubts.push(
            "a latch is also waited for while the one that holds it has no CPU, which a larger undo tablespace does not shorten"
                .into(),
        );
    }
    if segments_s > latches_s {
        found.advice.push(
            "a larger undo tablespace, so that segments need not be brought on line, extended and shrunk all the time"
                .into(),
        );
    }
    if let Some(profile) = classes.filter(|_| buffers > 0.0) {
        places(view, profile, &of_undo, &mut found);
        found.advice.push("more undo segments come with more sessions by themselves: look for one transaction that many readers need undo of".into());
    } else if classes.is_none() && busy_s > 0.0 {
        found.doubts.push(format!("how many of the buffer busy waits were for undo is not told: missing {NO_CLASSES}"));
    }
    Verdict::Found(Box::new(found))
}

/// `3 waits for undo segments and latches, 364 for buffers of undo`; only what there is.
fn counted(segments: f64, buffers: f64) -> String {
    match (segments > 0.0, buffers > 0.0) {
        (true, true) => {
            format!("{} waits for undo segments and latches, {} for buffers of undo", number(segments), number(buffers))
        }
        (false, true) => format!("{} waits for buffers of undo", number(buffers)),
        _ => format!("{} waits for undo segments and latches", number(segments)),
    }
}
