//! The shape of a file: how its bytes are divided among extents.
//!
//! ```text
//!   coarse   | extent 0 | extent 1 | ...            one unit each; 4 units from the 20,000th on, 16 from the 40,000th
//!   fine     | 0 1 2 3 4 5 6 7 0 1 2 ...            128 KB in turn to each of 8 extents, until those 8 are full
//! ```
//!
//! docs/formats/disk-group.md has the sources of the figures.

use crate::layout::{AuSize, MB};

/// Bytes that one extent of a finely striped file gets before it is the next one's turn.
pub const STRIPE_BYTES: u64 = 128 << 10;
/// Extents that a finely striped file fills at the same time.
pub const STRIPE_WIDTH: u64 = 8;
/// Extents grow in groups whose allocation units are smaller than this; larger units have no need of it.
const GROWTH_BELOW: u64 = 4 * MB;

/// Extents from which on a file's extents have 4 and 16 units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtentGrowth {
    pub four_from: u32,
    pub sixteen_from: u32,
}

impl Default for ExtentGrowth {
    fn default() -> Self {
        Self { four_from: 20_000, sixteen_from: 40_000 }
    }
}

/// How a file's bytes are spread over its extents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Striping {
    /// An extent after the other.
    #[default]
    Coarse = 0,
    /// 128 KB in turn over eight extents.
    Fine = 1,
}

impl Striping {
    /// As V$ASM_FILE shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Coarse => "COARSE",
            Self::Fine => "FINE",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Coarse, Self::Fine].into_iter().find(|one| *one as u8 == code)
    }
}

/// A place in a file: its extent, the offset within that, and the bytes that follow there without a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) extent: usize,
    pub(crate) within: u64,
    pub(crate) bytes: u64,
}

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    unit: u64,
    striping: Striping,
    /// None: all extents have one unit.
    growth: Option<ExtentGrowth>,
}

impl Shape {
    /// `growing`: the file's extents grow, if the group's allocation units are small enough for that.
    pub(crate) fn new(au: AuSize, striping: Striping, growing: bool, growth: ExtentGrowth) -> Self {
        let grows = growing && striping == Striping::Coarse && au.bytes() < GROWTH_BELOW;
        Self { unit: au.bytes(), striping, growth: grows.then_some(growth) }
    }

    /// Allocation units of an extent.
    pub(crate) fn units_of(self, extent: u64) -> u16 {
        match self.growth {
            Some(growth) if extent >= u64::from(growth.sixteen_from) => 16,
            Some(growth) if extent >= u64::from(growth.four_from) => 4,
            _ => 1,
        }
    }

    /// The steps of a file's growth: the extent from which on extents have so many units, and its offset.
    fn step_of(self, offset: u64) -> (u64, u64, u64) {
        let Some(growth) = self.growth else { return (0, 0, 1) };
        let (four, sixteen) = (u64::from(growth.four_from), u64::from(growth.sixteen_from));
        let four_at = four * self.unit;
        let sixteen_at = four_at + (sixteen - four) * 4 * self.unit;
        match offset {
            _ if offset >= sixteen_at => (sixteen, sixteen_at, 16),
            _ if offset >= four_at => (four, four_at, 4),
            _ => (0, 0, 1),
        }
    }

    /// Extents of a file of so many bytes.
    pub(crate) fn extents_of(self, size: u64) -> u64 {
        match self.striping {
            Striping::Fine => size.div_ceil(STRIPE_WIDTH * self.unit) * STRIPE_WIDTH,
            Striping::Coarse if size == 0 => 0,
            Striping::Coarse => self.place(size - 1).extent as u64 + 1,
        }
    }

    /// Bytes of a file's first `extents` extents.
    pub(crate) fn bytes_of(self, extents: u64) -> u64 {
        let Some(growth) = self.growth else { return extents.saturating_mul(self.unit) };
        let (four, sixteen) = (u64::from(growth.four_from), u64::from(growth.sixteen_from));
        let (ones, fours) = (extents.min(four), extents.clamp(four, sixteen) - four);
        (ones + fours * 4 + (extents.max(sixteen) - sixteen).saturating_mul(16)).saturating_mul(self.unit)
    }

    /// Location of a byte.
    pub(crate) fn place(self, offset: u64) -> Place {
        match self.striping {
            Striping::Fine => {
                let set_bytes = STRIPE_WIDTH * self.unit;
                let (set, in_set) = (offset / set_bytes, offset % set_bytes);
                let (chunk, in_chunk) = (in_set / STRIPE_BYTES, in_set % STRIPE_BYTES);
                let extent = set * STRIPE_WIDTH + chunk % STRIPE_WIDTH;
                let within = chunk / STRIPE_WIDTH * STRIPE_BYTES + in_chunk;
                Place { extent: extent as usize, within, bytes: STRIPE_BYTES - in_chunk }
            }
            Striping::Coarse => {
                let (first, first_at, units) = self.step_of(offset);
                let bytes = units * self.unit;
                let (extent, within) = ((offset - first_at) / bytes, (offset - first_at) % bytes);
                Place { extent: (first + extent) as usize, within, bytes: bytes - within }
            }
        }
    }

    /// The file's byte that is at this offset of an extent; the inverse of [`place`](Self::place).
    pub(crate) fn offset_of(self, extent: u64, within: u64) -> u64 {
        match self.striping {
            Striping::Coarse => self.bytes_of(extent) + within,
            Striping::Fine => {
                let (set, column) = (extent / STRIPE_WIDTH, extent % STRIPE_WIDTH);
                let chunk = within / STRIPE_BYTES * STRIPE_WIDTH + column;
                set * STRIPE_WIDTH * self.unit + chunk * STRIPE_BYTES + within % STRIPE_BYTES
            }
        }
    }

    /// True: an extent may hold bytes behind the file's end between others; it is to be filled whole.
    pub(crate) fn is_fine(self) -> bool {
        self.striping == Striping::Fine
    }

    /// Bytes after which a request is cut.
    pub(crate) fn cuts_at(self) -> u64 {
        if self.is_fine() { STRIPE_BYTES } else { self.unit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(striping: Striping, growing: bool) -> Shape {
        let growth = ExtentGrowth { four_from: 3, sixteen_from: 5 };
        Shape::new(AuSize::default(), striping, growing, growth)
    }

    #[test]
    fn extents_grow_by_steps() {
        let shape = shape(Striping::Coarse, true);
        let units: Vec<_> = (0..7).map(|extent| shape.units_of(extent)).collect();
        assert_eq!(units, [1, 1, 1, 4, 4, 16, 16]);
        for extents in 0..9 {
            let bytes = shape.bytes_of(extents);
            let sum: u64 = (0..extents).map(|extent| u64::from(shape.units_of(extent)) * MB).sum();
            assert_eq!(bytes, sum);
            assert_eq!(shape.extents_of(bytes), extents);
            assert_eq!(shape.extents_of(bytes + 1), extents + 1);
            assert_eq!(shape.place(bytes).extent as u64, extents);
            assert_eq!((shape.place(bytes).within, shape.place(bytes + 5).within), (0, 5));
        }
        assert_eq!(shape.place(3 * MB + 5), Place { extent: 3, within: 5, bytes: 4 * MB - 5 });
        assert_eq!(shape.place(11 * MB - 1), Place { extent: 4, within: 4 * MB - 1, bytes: 1 });
    }

    /// The published steps: 4 units from 20 GB on, 16 from 100 GB on, with units of 1 MB.
    #[test]
    fn the_steps_are_at_20_and_at_100_gb() {
        let shape = Shape::new(AuSize::default(), Striping::Coarse, true, ExtentGrowth::default());
        assert_eq!((shape.bytes_of(20_000), shape.bytes_of(40_000)), (20_000 * MB, 100_000 * MB));
        let large = Shape::new(AuSize::new(4 * MB).unwrap(), Striping::Coarse, true, ExtentGrowth::default());
        assert_eq!(large.units_of(100_000), 1);
    }

    #[test]
    fn a_place_leads_back_to_its_offset() {
        for striping in [Striping::Coarse, Striping::Fine] {
            let shape = shape(striping, true);
            for offset in (0..70 * MB).step_by(100_003) {
                let place = shape.place(offset);
                assert_eq!(shape.offset_of(place.extent as u64, place.within), offset, "{striping:?}");
            }
        }
    }

    #[test]
    fn fine_stripes_go_round_eight_extents() {
        let shape = shape(Striping::Fine, true);
        let extents: Vec<_> = (0..10).map(|chunk| shape.place(chunk * STRIPE_BYTES).extent).collect();
        assert_eq!(extents, [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
        assert_eq!(
            shape.place(8 * STRIPE_BYTES + 7),
            Place { extent: 0, within: STRIPE_BYTES + 7, bytes: STRIPE_BYTES - 7 }
        );
        assert_eq!(shape.place(8 * MB).extent, 8);
        assert_eq!((shape.extents_of(0), shape.extents_of(1), shape.extents_of(8 * MB + 1)), (0, 8, 16));
        assert_eq!(shape.bytes_of(16), 16 * MB);
    }
}
