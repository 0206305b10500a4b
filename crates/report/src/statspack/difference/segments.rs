//! Segments at the top of something.

use std::collections::HashMap;

use super::super::records::{SegmentObject, SegmentStatistics};
use super::{Pair, descending, percent, some};
use crate::model::{Report, Segment, SegmentOrder, SegmentSection};

/// Segments of a section at most.
const MOST: usize = 5;

/// A segment that was dropped before its name was read.
const UNKNOWN: &str = "** UNAVAILABLE **";

/// The measure of a list of segments.
type Measure = fn(&SegmentStatistics) -> u64;

impl Pair<'_> {
    pub(super) fn segments(&self, report: &mut Report) {
        let measures: [(SegmentOrder, Measure); 5] = [
            (SegmentOrder::LogicalReads, |segment| segment.logical_reads),
            (SegmentOrder::PhysicalReads, |segment| segment.physical_reads),
            (SegmentOrder::RowLockWaits, |segment| segment.row_lock_waits),
            (SegmentOrder::ItlWaits, |segment| segment.itl_waits),
            (SegmentOrder::BufferBusyWaits, |segment| segment.buffer_busy_waits),
        ];
        let sections = measures.into_iter().filter_map(|(order, measure)| {
            let segments = self.top_segments(measure);
            (!segments.is_empty()).then_some(SegmentSection { order, segments })
        });
        report.segments = some(sections.collect());
    }

    fn top_segments(&self, measure: Measure) -> Vec<Segment> {
        let earlier: HashMap<(u64, u64), u64> = self
            .begin
            .segments
            .iter()
            .map(|segment| ((segment.object, segment.data_object), measure(segment)))
            .collect();
        let since = |segment: &SegmentStatistics| {
            let before = earlier.get(&(segment.object, segment.data_object)).copied().unwrap_or(0);
            super::since(measure(segment), before)
        };
        let counts: Vec<(&SegmentStatistics, f64)> =
            self.end.segments.iter().map(|segment| (segment, since(segment))).collect();
        // Shares are of all segments, those that are not listed too.
        let total: f64 = counts.iter().map(|(_, count)| count).sum();
        let mut top: Vec<(&SegmentObject, f64)> = Vec::new();
        let nobody = SegmentObject {
            owner: UNKNOWN.to_owned(),
            name: UNKNOWN.to_owned(),
            kind: "UNDEF".to_owned(),
            ..SegmentObject::default()
        };
        let names: HashMap<(u64, u64), &SegmentObject> =
            self.end.segment_objects.iter().map(|object| ((object.object, object.data_object), object)).collect();
        for (segment, count) in counts.into_iter().filter(|(_, count)| *count > 0.0) {
            let object = names.get(&(segment.object, segment.data_object)).copied();
            top.push((object.unwrap_or(&nobody), count));
        }
        descending(&mut top, |(_, count)| *count, |_| 0.0, |(object, _)| &object.name);
        top.truncate(MOST);
        top.into_iter()
            .map(|(object, count)| Segment {
                owner: object.owner.clone(),
                tablespace: object.tablespace.clone(),
                object: object.name.clone(),
                subobject: Some(object.subobject.clone()).filter(|name| !name.is_empty()),
                object_type: object.kind.clone(),
                container: None,
                value: Some(count),
                percent: percent(count, total),
            })
            .collect()
    }
}
