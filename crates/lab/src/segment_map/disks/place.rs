//! From bytes of a file of a disk group to parts of disks.

use std::ops::Range;
use storage::disk_group::{STRIPE_BYTES, STRIPE_WIDTH};

use super::DiskPart;

/// Place of one copy of an extent of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Of the extent's first byte in the file, as if extents were filled one after another.
    pub(super) file_offset: u64,
    pub(super) copy: u8,
    pub(super) disk: u16,
    /// On the disk.
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// The parts of disks that hold these bytes of the file, all copies, each with its disk. `extent`: of the segment.
pub(super) fn parts(places: &[Place], fine: bool, bytes: Range<u64>, extent: usize) -> Vec<(u16, DiskPart)> {
    let coarse = if fine { stripes(places, &bytes) } else { vec![bytes] };
    let mut parts = Vec::new();
    for range in coarse {
        for place in places {
            let (from, to) = (range.start.max(place.file_offset), range.end.min(place.file_offset + place.bytes));
            if from < to {
                let offset = place.offset + (from - place.file_offset);
                parts.push((place.disk, DiskPart { extent, copy: place.copy, offset, bytes: to - from }));
            }
        }
    }
    parts
}

/// Bytes of a finely striped file as ranges of one whose extents are filled one after another.
fn stripes(places: &[Place], bytes: &Range<u64>) -> Vec<Range<u64>> {
    // Extents of such a file have one allocation unit.
    let unit = places.first().map_or(STRIPE_BYTES, |place| place.bytes);
    let (mut ranges, mut at) = (Vec::new(), bytes.start);
    while at < bytes.end {
        let (set, in_set) = (at / (STRIPE_WIDTH * unit), at % (STRIPE_WIDTH * unit));
        let (stripe, within) = (in_set / STRIPE_BYTES, in_set % STRIPE_BYTES);
        let begin = (set * STRIPE_WIDTH + stripe % STRIPE_WIDTH) * unit + stripe / STRIPE_WIDTH * STRIPE_BYTES + within;
        let here = (STRIPE_BYTES - within).min(bytes.end - at);
        ranges.push(begin..begin + here);
        at += here;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;
    const KB: u64 = 1 << 10;

    fn place(number: u64, disk: u16, copy: u8) -> Place {
        Place { file_offset: number * MB, copy, disk, offset: (number + 10) * MB, bytes: MB }
    }

    fn part(copy: u8, offset: u64, bytes: u64) -> DiskPart {
        DiskPart { extent: 7, copy, offset, bytes }
    }

    #[test]
    fn a_range_is_in_all_copies_of_the_extents_that_it_meets() {
        let places = [place(0, 0, 0), place(0, 1, 1), place(1, 1, 0), place(1, 0, 1)];
        let found = parts(&places, false, MB - 4 * KB..MB + 8 * KB, 7);
        let (tail, head) = (11 * MB - 4 * KB, 11 * MB);
        let expected = [
            (0, part(0, tail, 4 * KB)),
            (1, part(1, tail, 4 * KB)),
            (1, part(0, head, 8 * KB)),
            (0, part(1, head, 8 * KB)),
        ];
        assert_eq!(found, expected);
        assert!(parts(&places, false, 2 * MB..3 * MB, 7).is_empty());
    }

    #[test]
    fn a_finely_striped_file_takes_turns_among_eight_extents() {
        let places: Vec<Place> = (0..16).map(|number| place(number, number as u16, 0)).collect();
        // The end of the first round and the begin of the second.
        let found = parts(&places, true, 7 * 128 * KB..9 * 128 * KB + 1, 7);
        let expected = [
            (7, part(0, 17 * MB, 128 * KB)),
            (0, part(0, 10 * MB + 128 * KB, 128 * KB)),
            (1, part(0, 11 * MB + 128 * KB, 1)),
        ];
        assert_eq!(found, expected);
        // The ninth extent begins the second eight.
        assert_eq!(parts(&places, true, 8 * MB..8 * MB + 1, 7), [(8, part(0, 18 * MB, 1))]);
    }
}
