//! Where a block lies: zone, cylinder, track and angle.
//!
//! Blocks are numbered from the outermost cylinder inwards, one track after another. Each track is turned against the
//! one before by the time of a head switch, each cylinder by the time of a seek over one, so that reading on meets the
//! next block as soon as the head is there.

use super::spec::DiskSpec;

/// Sectors that a track switch and a cylinder switch skip, and where the zone's blocks begin.
#[derive(Clone, Debug)]
struct Zone {
    first_block: u64,
    first_cylinder: u32,
    sectors: u32,
    /// Share of a turn.
    track_skew: f64,
    cylinder_skew: f64,
}

/// The layout of a disk.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    zones: Vec<Zone>,
    surfaces: u32,
    blocks: u64,
}

/// The place of a block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    pub(super) cylinder: u32,
    pub(super) surface: u32,
    /// Sectors from here to the end of the track.
    pub(super) left: u32,
    /// Sectors of the track.
    pub(super) sectors: u32,
    /// Share of a turn at which the block begins.
    pub(super) angle: f64,
    /// Share of a turn between the end of this track and the begin of the next, on this cylinder.
    pub(super) track_skew: f64,
    pub(super) cylinder_skew: f64,
}

impl Geometry {
    pub(super) fn new(spec: &DiskSpec, single_cylinder_us: f64) -> Self {
        let turn = spec.turn_us();
        let (mut first_block, mut first_cylinder) = (0, 0);
        let mut zones = Vec::new();
        for zone in spec.zones.iter() {
            let (cylinders, sectors) = (zone.cylinders.get(), zone.sectors.get());
            let skew = |us: f64| (us / turn * f64::from(sectors)).ceil() / f64::from(sectors);
            zones.push(Zone {
                first_block,
                first_cylinder,
                sectors,
                track_skew: skew(spec.head_switch_us()),
                cylinder_skew: skew(single_cylinder_us),
            });
            first_block += u64::from(cylinders) * u64::from(spec.surfaces.get()) * u64::from(sectors);
            first_cylinder += cylinders;
        }
        Self { zones, surfaces: spec.surfaces.get(), blocks: first_block }
    }

    /// Blocks of the disk.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The place of a block; blocks behind the end are where the last one is.
    pub(super) fn place(&self, block: u64) -> Place {
        let block = block.min(self.blocks.saturating_sub(1));
        let number = self.zones.partition_point(|zone| zone.first_block <= block).saturating_sub(1);
        let zone = &self.zones[number];
        let track = (block - zone.first_block) / u64::from(zone.sectors);
        let sector = ((block - zone.first_block) % u64::from(zone.sectors)) as u32;
        let (cylinder, surface) = (track / u64::from(self.surfaces), track % u64::from(self.surfaces));
        // All switches of the zone before this track, each with its skew.
        let skew = (track - cylinder) as f64 * zone.track_skew + cylinder as f64 * zone.cylinder_skew;
        Place {
            cylinder: zone.first_cylinder + cylinder as u32,
            surface: surface as u32,
            left: zone.sectors - sector,
            sectors: zone.sectors,
            angle: (skew + f64::from(sector) / f64::from(zone.sectors)).fract(),
            track_skew: zone.track_skew,
            cylinder_skew: zone.cylinder_skew,
        }
    }

    pub(super) fn surfaces(&self) -> u32 {
        self.surfaces
    }
}
