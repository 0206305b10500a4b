//! What the disk's memory holds: streams of reads, each with the blocks that were read on behind it.

/// Consecutive blocks in memory. While it grows, the head reads on behind its end.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Segment {
    from: u64,
    /// Behind its last block at `since`.
    end: u64,
    /// When the blocks up to `end` are in memory; the head reads on from then.
    since: f64,
    growing: Option<Growth>,
}

/// How a segment grows: blocks a microsecond, and where it ends at the latest.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Growth {
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
            let grown = self.end + ((at - self.since).max(0.0) * growth.rate) as u64;
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
    segments_max: usize,
    segment_blocks: u64,
    read_ahead: u64,
}

impl ReadCache {
    pub(super) fn new(segments: u32, segment_blocks: u64, read_ahead: u64) -> Self {
        Self { segments: Vec::new(), segments_max: segments as usize, segment_blocks, read_ahead }
    }

    /// Looks for blocks, and makes their segment the one that was used last.
    pub(super) fn look_up(&mut self, from: u64, blocks: u64, at: f64) -> Lookup {
        let end = from + blocks;
        // A read that begins behind what has been read is no part of the stream.
        let holds = |segment: &Segment| segment.from <= from && from <= segment.end_at(at) && from < segment.reach();
        let Some(number) = self.segments.iter().position(holds) else { return Lookup::Miss };
        let segment = self.segments.remove(number);
        self.segments.insert(0, segment);
        let available = segment.end_at(at);
        match segment.growing {
            // The read that fetches these blocks is under way.
            _ if at < segment.since && end <= segment.end => Lookup::Coming(segment.since),
            _ if end <= available => Lookup::Hit,
            Some(growth) if available < growth.limit => {
                Lookup::Coming(segment.since + (end - segment.end) as f64 / growth.rate)
            }
            _ => Lookup::Part(available),
        }
    }

    /// The block that the head is at while it reads on; None when it does not.
    pub(super) fn head_at(&self, at: f64) -> Option<u64> {
        self.segments.iter().find(|segment| segment.growing.is_some()).map(|segment| segment.end_at(at))
    }

    /// The head leaves the place where it was reading on.
    pub(super) fn head_leaves(&mut self, at: f64) {
        for segment in &mut self.segments {
            segment.end = segment.end_at(at);
            segment.growing = None;
        }
    }

    /// A read went to the medium and ends at `at`; the head reads on at so many blocks a microsecond.
    pub(super) fn was_read(&mut self, from: u64, blocks: u64, at: f64, rate: f64) {
        let end = from + blocks;
        let follows = self.segments.iter().position(|segment| segment.from <= from && from <= segment.end);
        let first = follows.map_or(from, |number| self.segments.remove(number).from);
        let first = first.max(end.saturating_sub(self.segment_blocks));
        let limit = end + self.read_ahead.min(self.segment_blocks);
        let growing = (self.read_ahead > 0).then_some(Growth { rate, limit });
        self.segments.insert(0, Segment { from: first, end, since: at, growing });
        self.segments.truncate(self.segments_max);
    }

    /// A stream goes on being read from memory up to `end`: the head may read on further, unless it has ceased to.
    /// `rate` is that of the place where the head is.
    pub(super) fn was_used(&mut self, end: u64, at: f64, rate: impl Fn(u64) -> f64) {
        let (most, segment_blocks) = (self.read_ahead.min(self.segment_blocks), self.segment_blocks);
        let Some(segment) = self.segments.first_mut() else { return };
        let Some(growth) = segment.growing else { return };
        let now = segment.end_at(at);
        if now < growth.limit {
            // Whole blocks pass; a part of one stays to be read.
            segment.since += (now - segment.end) as f64 / growth.rate;
            segment.end = now;
            segment.growing = Some(Growth { rate: rate(now), limit: growth.limit.max(end + most) });
        }
        segment.from = segment.from.max(now.max(end).saturating_sub(segment_blocks));
    }

    /// Written blocks replace what was read.
    pub(super) fn was_written(&mut self, from: u64, blocks: u64) {
        self.segments.retain(|segment| segment.reach() <= from || from + blocks <= segment.from);
    }
}
