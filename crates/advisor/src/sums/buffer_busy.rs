//! Buffer busy waits by block class.
//!
//! The class table counts `read by other session` as well: those are waits for a read that another session has begun,
//! and say nothing about concurrent changes. They are taken out first, of the class of blocks that sessions read: data
//! blocks.
//!
//! The table covers all sessions, and so includes the waits of background processes; no report gives their blocks. If
//! these waits are more than a little, the foreground's part of a class is known as a range only.

use report::model::Report;

use super::foreground::Foreground;
use super::ledger::{Ledger, input};
use super::possible;
use crate::screen::number::number;

#[derive(Debug, Default)]
pub(crate) struct BufferBusy {
    /// Foreground seconds in `buffer busy waits` (and on a cluster in `gc buffer busy`).
    pub(crate) seconds: Option<f64>,
    pub(crate) read_by_other_s: f64,
    /// Class, waits and seconds after the correction; seconds are the class table's.
    pub(crate) classes: Vec<Class>,
    /// The class table is in the report.
    pub(crate) by_class: bool,
    /// Of background processes, in the same events.
    pub(crate) background_s: f64,
    pub(crate) background_waits: f64,
    /// Of foreground processes.
    waits: f64,
}

/// Background waits of more than this part of the class table make the foreground's part of a class a range.
pub(crate) const LITTLE: f64 = 0.05;

#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) waits: f64,
    pub(crate) seconds: f64,
}

/// The part of space management to which a class of blocks points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SpacePart {
    Data,
    /// Segment header, free list: where lists of free blocks hang.
    FreeList,
    /// Levels of the bitmap: automatic management.
    Bitmap,
    Undo,
    Other,
}

impl Class {
    pub(crate) fn kind(&self) -> SpacePart {
        let name = self.name.to_ascii_lowercase();
        if name.contains("bmb") || name.contains("bitmap") {
            SpacePart::Bitmap
        } else if name.contains("undo") {
            SpacePart::Undo
        } else if name.starts_with("data block") {
            SpacePart::Data
        } else if name.starts_with("segment header") || name.starts_with("free list") || name.starts_with("freelist") {
            SpacePart::FreeList
        } else {
            SpacePart::Other
        }
    }
}

impl BufferBusy {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let local = foreground.seconds("buffer busy waits");
        let (cluster, _) = foreground.together(&["gc buffer busy"]);
        let seconds = local.map(|local| local + cluster).or((cluster > 0.0).then_some(cluster));
        ledger.figure("buffer_busy_s", seconds);
        // The table counts all sessions, so the background's part of the event is taken out with the foreground's.
        let everywhere = |name: &str| {
            let front = foreground.wait(name);
            let back = report.background_event(name);
            let waits = front.and_then(|wait| wait.waits).unwrap_or(0.0)
                + back.and_then(|event| event.waits).map_or(0.0, |waits| waits.value);
            let time = front.map_or(0.0, |wait| wait.seconds)
                + back.and_then(|event| event.seconds()).map_or(0.0, |time| time.value);
            (waits, time)
        };
        let (read_waits, read_by_other_s) = everywhere("read by other session");
        let names = ["buffer busy waits", "gc buffer busy"];
        let behind: Vec<_> = report
            .background_events
            .iter()
            .flatten()
            .filter(|event| names.iter().any(|name| event.name.starts_with(name)))
            .collect();
        let sum = Self {
            seconds,
            read_by_other_s,
            background_s: behind
                .iter()
                .filter_map(|event| event.seconds())
                .map(|time| time.value)
                .filter(|time| possible(*time))
                .sum::<f64>()
                + 0.0,
            background_waits: behind
                .iter()
                .filter_map(|event| event.waits)
                .map(|waits| waits.value)
                .filter(|waits| possible(*waits))
                .sum::<f64>()
                + 0.0,
            waits: foreground.together(&names).1.iter().filter_map(|wait| wait.waits).sum::<f64>() + 0.0,
            ..Self::default()
        };
        let Some(table) = &report.buffer_waits else { return sum };
        let mut classes: Vec<Class> = table
            .iter()
            .map(|line| Class {
                name: line.class.clone(),
                waits: line.waits.filter(|waits| possible(*waits)).unwrap_or(0.0),
                seconds: line
                    .total_s
                    .map(|total| {
                        let counted = line
                            .average_ms
                            .zip(line.waits)
                            .map(|(average, waits)| average.scaled(1e-3).times(report::figure::Figure::exact(waits)));
                        counted.map_or(total, |counted| total.finer(counted)).value
                    })
                    .filter(|time| possible(*time))
                    .unwrap_or(0.0),
            })
            .collect();
        if let Some(data) = classes.iter_mut().find(|class| class.kind() == SpacePart::Data) {
            let (waits, time) = (data.waits, data.seconds);
            // If more of them are counted than the table has waits on data blocks, the table does not hold them all,
            // and the rest is unknown.
            let agrees = read_waits <= waits * 1.05;
            data.waits = if agrees { (waits - read_waits).max(0.0) } else { waits };
            // The table prints whole seconds: a rest within its rounding is 0.
            let left = time - read_by_other_s;
            data.seconds = if left <= 1.0 && data.waits < 0.2 * waits {
                left.max(0.0).min(data.waits / waits.max(1.0) * time)
            } else {
                left.max(0.0)
            };
            if !agrees {
                ledger.note(format!(
                    "{} waits are for data blocks and {} are read by other session, which should be among them: how many were for blocks that others changed is not known",
                    number(waits),
                    number(read_waits)
                ));
            }
            if read_waits > 0.0 && agrees {
                let inputs = vec![
                    input("data block, waits", waits, "", "Buffer Wait Statistics"),
                    input("data block, total", time, "s", "Buffer Wait Statistics"),
                    input("read by other session, waits", read_waits, "", foreground.section),
                    input("read by other session, total", read_by_other_s, "s", foreground.section),
                ];
                ledger.enter("data_block_busy_s", data.seconds, "data block waits - read by other session", inputs);
            }
        }
        classes.sort_by(|one, other| other.seconds.total_cmp(&one.seconds).then(other.waits.total_cmp(&one.waits)));
        Self { classes, by_class: true, ..sum }
    }

    /// Foreground seconds that certainly fall on classes of a kind.
    pub(crate) fn seconds_of(&self, kind: SpacePart) -> Option<f64> {
        Some(self.range_of(kind)?.0)
    }

    /// The fewest and the most foreground seconds that fall on classes of a kind: the event's time in proportion to the
    /// classes' times, or to their waits where the times are all 0. A range where background processes waited too: all
    /// of theirs may have been for blocks of this kind, or none.
    pub(crate) fn range_of(&self, kind: SpacePart) -> Option<(f64, f64)> {
        let seconds = self.seconds?;
        if !self.by_class {
            return None;
        }
        let measure = |by_time: bool, only: Option<SpacePart>| {
            self.classes
                .iter()
                .filter(|class| only.is_none_or(|kind| class.kind() == kind))
                .map(|class| if by_time { class.seconds } else { class.waits })
                .sum::<f64>()
        };
        let by_time = measure(true, None) > 0.0;
        let all = measure(by_time, None);
        if all <= 0.0 || seconds <= 0.0 {
            return Some((0.0, 0.0));
        }
        let own = measure(by_time, Some(kind));
        let (behind, front) =
            if by_time { (self.background_s, seconds) } else { (self.background_waits, self.waits.max(1.0)) };
        if behind <= LITTLE * all {
            let part = seconds * own / all;
            return Some((part, part));
        }
        let part = |own: f64| seconds * (own / front).clamp(0.0, 1.0);
        Some((part(own - behind), part(own)))
    }

    /// The doubt that background processes waited too, if it matters.
    pub(crate) fn background_doubt(&self) -> Option<String> {
        let (low, high) = [SpacePart::Data, SpacePart::FreeList, SpacePart::Bitmap, SpacePart::Undo, SpacePart::Other]
            .iter()
            .filter_map(|kind| self.range_of(*kind))
            .fold((0.0, 0.0), |(low, high), range| (low + range.0, high + range.1));
        (high > low).then(|| {
            format!(
                "background processes waited {} in the same event, and for which blocks is not in the report: they may have all of a class",
                crate::screen::number::seconds(self.background_s)
            )
        })
    }

    /// "data block 3,201 waits 0.4 s, undo header 29 waits 0 s".
    pub(crate) fn described(&self) -> String {
        let lines: Vec<String> = self
            .classes
            .iter()
            .take(6)
            .map(|class| {
                format!(
                    "{} {} waits {}",
                    class.name,
                    number(class.waits),
                    crate::screen::number::seconds(class.seconds)
                )
            })
            .collect();
        lines.join(", ")
    }
}
