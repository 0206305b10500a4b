//! What the disk's memory holds: streams of reads, each with the blocks that were read on behind it.

/// Consecutive blocks in memory. While it grows, the head reads on behind its end.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Segment {
    from: u64,
    /// Behind its last block, when it began to grow or ceased to.
    end: u64,
    /// Since when, and at how many blocks a microsecond, it grows; and where it ends at the latest.
    growing: Option<Growth>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Growth {
    since: f64,
    rate: f64,
    limit: u64,
}

impl Segment {
    /// Behind the last block that it has, or will have when nothing else is to be done.
    fn reach(&self) -> u64 {
        self.growing.map_or(self.end, |growth| growth.limit)
    }

    fn end_at(&self, at: f64) -> u64 {
        self.growing.map_or(self.end, |growth| {
            let grown = self.end + ((at - growth.since).max(0.0) * growth.rate) as u64;
            grown.min(growth.limit).max(self.end)
        })
    }
}

/// Result of looking a read up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Lookup {
    /// All of it is there.
    Hit,
    /// The head is reading towards it and will have passed its end at this time.
    Coming(f64),
    /// What is before this block is there, and the head has ceased to read on.
    Part(u64),
    Miss,
}

/// The segments, the one that was used last in front.
#[derive(Clone, Debug)]
pub(super) struct ReadCache {
    segments: Vec<Segment>,
    most: usize,
    segment_blocks: u64,
    read_ahead: u64,
}

impl ReadCache {
    pub(super) fn new(segments: u32, segment_blocks: u64, read_ahead: u64) -> Self {
        Self { segments: Vec::new(), most: segments as usize, segment_blocks, read_ahead }
    }

    /// Looks for blocks, and makes their segment the one that was used last.
    pub(super) fn look_up(&mut self, from: u64, blocks: u64, at: f64) -> Lookup {
        let end = from + blocks;
        // A read that begins behind what has been read is no part of the stream.
        let holds = |segment: &Segment| segment.from <= from && from <= segment.end_at(at) && from < segment.reach();
        let Some(number) = self.segments.iter().position(holds) else { return Lookup::Miss };
        let segment = self.segments.remove(number);
        self.segments.insert(0, segment);
        let there = segment.end_at(at);
        match segment.growing {
            _ if end <= there => Lookup::Hit,
            Some(growth) if there < growth.limit => {
                Lookup::Coming(growth.since + (end - segment.end) as f64 / growth.rate)
            }
            _ => Lookup::Part(there),
        }
    }

    /// The head leaves the place where it was reading on.
    pub(super) fn head_leaves(&mut self, at: f64) {
        for segment in &mut self.segments {
            segment.end = segment.end_at(at);
            segment.growing = None;
        }
    }

    /// A read went to the medium and ended at `at`; the head reads on at so many blocks a microsecond.
    pub(super) fn was_read(&mut self, from: u64, blocks: u64, at: f64, rate: f64) {
        let end = from + blocks;
        let follows = self.segments.iter().position(|segment| segment.from <= from && from <= segment.end);
        let first = follows.map_or(from, |number| self.segments.remove(number).from);
        let first = first.max(end.saturating_sub(self.segment_blocks));
        // Blocks behind the stream make room for those before it, but for what the last request had.
        let limit = end + self.read_ahead.min(self.segment_blocks);
        let growing = (self.read_ahead > 0).then_some(Growth { since: at, rate, limit });
        self.segments.insert(0, Segment { from: first, end, growing });
        self.segments.truncate(self.most);
    }

    /// A stream goes on being read from memory: the head may read on further, unless it has ceased to.
    pub(super) fn was_used(&mut self, end: u64, at: f64) {
        let most = self.read_ahead.min(self.segment_blocks);
        let Some(segment) = self.segments.first_mut() else { return };
        let now = segment.end_at(at);
        if let Some(growth) = &mut segment.growing
            && now < growth.limit
        {
            growth.limit = growth.limit.max(end + most);
        }
    }

    /// Written blocks replace what was read.
    pub(super) fn was_written(&mut self, from: u64, blocks: u64) {
        self.segments.retain(|segment| segment.reach() <= from || from + blocks <= segment.from);
    }
}
