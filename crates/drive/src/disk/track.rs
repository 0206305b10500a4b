//! Tracks of a disk, for pictures of what lies where.

use super::SECTOR;
use super::geometry::Geometry;
use super::spec::DiskSpec;

/// The tracks of a model's disk.
#[derive(Clone, Debug)]
pub struct Tracks(Geometry);

/// A track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Track {
    /// From 0, the outermost, in the order of the blocks.
    pub number: u64,
    pub cylinder: u32,
    /// Of the cylinder's tracks, from 0.
    pub surface: u32,
}

impl Tracks {
    #[must_use]
    pub fn new(spec: &DiskSpec) -> Self {
        // Where tracks begin and end does not depend on their angles, which the seek decides.
        Self(Geometry::new(spec, 0.0))
    }

    /// The track of a byte of the disk.
    #[must_use]
    pub fn of(&self, byte: u64) -> Track {
        let place = self.0.place(byte / SECTOR);
        let number = u64::from(place.cylinder) * u64::from(self.0.surfaces()) + u64::from(place.surface);
        Track { number, cylinder: place.cylinder, surface: place.surface }
    }

    /// The disk's tracks.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.of(self.0.blocks().saturating_sub(1) * SECTOR).number + 1
    }
}
