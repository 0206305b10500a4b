//! Segments at the top of something.

use super::Reading;
use super::view::View;
use crate::model::{Segment, SegmentOrder, SegmentSection};

impl Reading {
    pub(super) fn segments(&mut self, order: SegmentOrder, view: &View<'_>) -> bool {
        let owner = view.find(&["owner"]);
        let object = view.find(&["objectname", "object"]);
        let share = view.find(&["%total", "pcttotal", "%ofcapture", "%capture", "pctofcapture", "%oftotal"]);
        // The section's own measure stands before its share, whatever it is called.
        let Some(value) = share.and_then(|share| share.at.checked_sub(1)).or_else(|| view.names.len().checked_sub(1))
        else {
            return false;
        };
        if owner.is_none() || object.is_none() {
            return false;
        }
        let value = Some(view.column(value));
        let segments: Vec<Segment> = view
            .lines()
            .filter(|line| !line.text(object).is_empty())
            .map(|line| Segment {
                owner: line.text(owner).to_owned(),
                tablespace: line.text(view.find(&["tablespacename", "tablespace"])).to_owned(),
                object: line.text(object).to_owned(),
                subobject: line.owned(view.find(&["subobjectname", "subobject"])),
                object_type: line.text(view.find(&["objtype", "objecttype"])).to_owned(),
                container: line.owned(view.find(&["pdbname", "containername"])),
                value: line.number(value),
                percent: line.number(share),
            })
            .collect();
        if segments.is_empty() {
            return false;
        }
        let sections = self.report.segments.get_or_insert_default();
        match sections.iter_mut().find(|section| section.order == order) {
            Some(section) => section.segments.extend(segments),
            None => sections.push(SegmentSection { order, segments }),
        }
        true
    }
}
