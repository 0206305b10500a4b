//! Numbers from a seed: the same seed gives the same numbers on every machine. For random choices in simulations and
//! tests.

/// SplitMix64: small, and good enough for choices.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// Numbers of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Numbers of a seed and a place: choices at one place do not depend on the number of choices elsewhere.
    #[must_use]
    pub fn at(seed: u64, place: u64) -> Self {
        let mut numbers = Self(seed ^ place.wrapping_mul(0xd605_1b5c_5cf1_a4ad));
        numbers.draw();
        numbers
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { ((u128::from(self.draw()) * u128::from(end)) >> 64) as u64 }
    }

    /// An index of something that has `length` elements.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A random element; None of an empty slice.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.index(of.len()))
    }
}
