//! Changes of one file that are not durable yet.

use std::collections::VecDeque;

use common::Seeded;
use common::sync::Arc;

use super::content::Content;
use super::crash::Keep;

const SECTOR: usize = 512;

#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { offset: u64, bytes: Arc<[u8]> },
    Size(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It has begun and not returned: no sync that begins now covers it.
    Flying,
    Returned,
    /// Durable; it waits for earlier ones only.
    Durable,
    /// A sync of it has failed: no later one makes it durable.
    Stuck,
}

#[derive(Clone, Debug)]
struct Waiting {
    number: u64,
    change: Change,
    stage: Stage,
}

/// Changes of a file in the order in which they began.
#[derive(Clone, Default, Debug)]
pub(super) struct Queue {
    all: VecDeque<Waiting>,
    next: u64,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn begin(&mut self, change: Change) -> u64 {
        self.next += 1;
        self.all.push_back(Waiting { number: self.next, change, stage: Stage::Flying });
        self.next
    }

    pub(super) fn end(&mut self, number: u64, durable: bool) {
        if let Some(one) = self.all.iter_mut().rev().find(|one| one.number == number) {
            one.stage = if durable { Stage::Durable } else { Stage::Returned };
        }
    }

    /// The changes that a sync beginning now covers.
    pub(super) fn returned(&self) -> Vec<u64> {
        self.all.iter().filter(|one| one.stage == Stage::Returned).map(|one| one.number).collect()
    }

    /// A sync that covers these has returned.
    pub(super) fn synced(&mut self, covered: &[u64], failed: bool) {
        for one in &mut self.all {
            if covered.binary_search(&one.number).is_ok() && one.stage == Stage::Returned {
                one.stage = if failed { Stage::Stuck } else { Stage::Durable };
            }
        }
    }

    /// True: the oldest change is durable.
    pub(super) fn can_fold(&self) -> bool {
        self.all.front().is_some_and(|one| one.stage == Stage::Durable)
    }

    /// Moves changes without an older one in doubt into the durable bytes.
    pub(super) fn fold(&mut self, content: &mut Content) {
        while self.can_fold() {
            match self.all.pop_front().map(|one| one.change) {
                Some(Change::Write { offset, bytes }) => content.write(offset, &bytes),
                Some(Change::Size(bytes)) => content.resize(bytes),
                None => {}
            }
        }
    }

    /// Changes the durable bytes as a crash may have left them.
    pub(super) fn survive(&self, content: &mut Content, keep: Keep, random: &mut Seeded) {
        let moment = random.index(self.all.len() + 1);
        for (n, one) in self.all.iter().enumerate() {
            let durable = one.stage == Stage::Durable;
            let all = match keep {
                Keep::Nothing => false,
                Keep::Everything => true,
                Keep::First => n < moment,
                Keep::Last => n >= moment,
                Keep::Writes | Keep::Sectors => random.percent(50),
            };
            match &one.change {
                Change::Size(bytes) if all || durable => content.resize(*bytes),
                Change::Size(_) => {}
                Change::Write { offset, bytes } => {
                    let cut = match keep {
                        Keep::First => n == moment,
                        // A third of the writes in flight is torn, a third absent, a third whole.
                        Keep::Writes => one.stage == Stage::Flying && random.index(3) == 0,
                        _ => false,
                    };
                    if !durable && (cut || keep == Keep::Sectors) {
                        let first = random.index(bytes.len().div_ceil(SECTOR) + 1);
                        for (sector, part) in bytes.chunks(SECTOR).enumerate() {
                            let kept = if cut { sector < first } else { random.percent(50) };
                            if kept {
                                write_within(content, offset + (sector * SECTOR) as u64, part);
                            }
                        }
                    } else if all || durable {
                        write_within(content, *offset, bytes);
                    }
                }
            }
        }
    }
}

/// A write whose file's growth is lost is lost with it.
fn write_within(content: &mut Content, offset: u64, bytes: &[u8]) {
    let room = content.size().saturating_sub(offset).min(bytes.len() as u64) as usize;
    content.write(offset, &bytes[..room]);
}
