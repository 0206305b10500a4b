//! How full a segment is, as DBMS_SPACE reports it.

use common::Result;

use super::Segment;
use crate::instance::Session;

/// Blocks of a segment by what they hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpaceUsage {
    pub extents: u32,
    /// Blocks of all extents.
    pub blocks: u32,
    /// Blocks below the high (or only) high-water mark, metadata included.
    pub below_high_water: u32,
    /// Blocks above it.
    pub unused: u32,
    pub metadata: u32,
    /// Blocks on freelists (manual).
    pub on_freelists: u32,
    /// By bitmap state, below the high high-water mark (automatic).
    pub unformatted: u32,
    pub full: u32,
    /// Less than 25, 50, 75, 100 % free.
    pub free: [u32; 4],
}

impl Segment {
    /// How the segment's blocks are used, from its header, freelists and bitmaps.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn space_usage(&self, s: &Session) -> Result<SpaceUsage> {
        self.space.usage(self, s)
    }
}
