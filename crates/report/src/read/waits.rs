//! Buffer waits by class of block, enqueues.

use super::Reading;
use super::view::View;
use crate::model::{BufferWait, Enqueue};
use crate::value::TimeUnit;

impl Reading {
    pub(super) fn buffer_waits(&mut self, view: &View<'_>) -> bool {
        let class = view.find(&["class"]);
        let waits = view.find(&["waits"]);
        if class.is_none() || waits.is_none() {
            return false;
        }
        let lines: Vec<BufferWait> = view
            .lines()
            .filter(|line| !line.text(class).is_empty())
            .map(|line| BufferWait {
                class: line.text(class).to_owned(),
                waits: line.number(waits),
                total_s: line.seconds(
                    view.find(&[
                        "totalwaittimes",
                        "totwaittimes",
                        "totaltimes",
                        "waittimes",
                        "times",
                        "totwaittimecs",
                        "totalwaittimecs",
                    ]),
                    TimeUnit::Seconds,
                ),
                average_ms: line.milliseconds(view.find(&[
                    "avgtimems",
                    "avgwaittimems",
                    "avgwaitms",
                    "avgtimecs",
                    "avgtime",
                ])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.buffer_waits.get_or_insert_default().extend(lines);
        true
    }

    pub(super) fn enqueues(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["enqueuetyperequestreason", "enqueuetype", "enqueue", "eq"]);
        let requests = view.find(&["requests"]);
        let waits = view.find(&["waits"]);
        if name.is_none() || waits.is_none() {
            return false;
        }
        let lines: Vec<Enqueue> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| Enqueue {
                name: line.text(name).to_owned(),
                requests: line.number(requests),
                gets: line.number(view.find(&["succgets", "gets"])),
                failed: line.number(view.find(&["failedgets"])),
                waits: line.number(waits),
                total_s: line.seconds(view.find(&["wttimes", "waittimes", "totalwttimes"]), TimeUnit::Seconds),
                average_ms: line.milliseconds(view.find(&["avwttimems", "avgwttimems", "avwaittimems"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.enqueues.get_or_insert_default().extend(lines);
        true
    }
}
