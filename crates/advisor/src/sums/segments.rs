//! The segments at the top of each list, with the foreground seconds that their share stands for.

use report::model::{Report, Segment, SegmentOrder};

use super::possible;

/// The first segment of a list and its share of the whole.
#[derive(Clone, Debug)]
pub(crate) struct Leader {
    pub(crate) name: String,
    pub(crate) object_type: String,
    pub(crate) share: f64,
    pub(crate) value: f64,
}

/// The segment with the most of a measure. Its share is of `whole`, if given; otherwise the printed one, of all
/// segments that the snapshots captured: a list holds the first few of them, and their sum is less. Without a printed
/// share it is of that sum.
pub(crate) fn leader(report: &Report, order: SegmentOrder, whole: Option<f64>) -> Option<Leader> {
    let section = report.segments.as_ref()?.iter().find(|section| section.order == order)?;
    let first = section
        .segments
        .iter()
        .filter(|segment| segment.value.is_some_and(possible))
        .max_by(|one, other| one.value.unwrap_or(0.0).total_cmp(&other.value.unwrap_or(0.0)))?;
    let value = first.value?;
    let captured: f64 =
        section.segments.iter().filter_map(|segment| segment.value).filter(|value| possible(*value)).sum();
    let of_list = (captured > 0.0).then(|| value / captured)?;
    // Except for its rounding, the printed share cannot exceed the segment's part of the list.
    let printed = first.percent.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share <= of_list + 0.01);
    let share = match whole.filter(|whole| *whole >= captured * 0.99 && *whole > 0.0) {
        Some(whole) => value / whole,
        None => printed.unwrap_or(of_list),
    };
    Some(Leader { name: name(first), object_type: first.object_type.clone(), share: share.min(1.0), value })
}

/// The index that has at least half of the buffer busy waits, if an index has.
pub(crate) fn busy_index(report: &Report) -> Option<Leader> {
    leader(report, SegmentOrder::BufferBusyWaits, None)
        .filter(|leader| leader.object_type.to_ascii_uppercase().starts_with("INDEX") && leader.share >= MOST)
}

/// A segment has most of something from here on.
pub(crate) const MOST: f64 = 0.5;

fn name(segment: &Segment) -> String {
    let partition = segment
        .subobject
        .as_deref()
        .filter(|part| !part.is_empty())
        .map_or_else(String::new, |part| format!(" ({part})"));
    if segment.owner.is_empty() {
        format!("{}{partition}", segment.object)
    } else {
        format!("{}.{}{partition}", segment.owner, segment.object)
    }
}
