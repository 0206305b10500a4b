//! The kind of block that a cell of the map shows.

use format::bitmap::BlockState;
use storage::segment::{BlockUse, Freelist, MappedBlock};

/// The kinds of cells, in the order of the legend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum CellKind {
    Header,
    ExtentMap,
    FreelistGroup,
    Bitmap3,
    Bitmap2,
    Bitmap1,
    Master,
    Process,
    Transaction,
    /// Automatic management: by the bitmap's state. Manual: not on a freelist, by its used space.
    Full,
    Free25,
    Free50,
    Free75,
    Free100,
    Branch,
    Leaf,
    FreeIndexBlock,
    Unformatted,
    AboveHighWater,
}

impl CellKind {
    pub(super) fn of(block: &MappedBlock) -> Self {
        match (block.holds, block.freelist, block.state) {
            (BlockUse::Header, ..) => Self::Header,
            (BlockUse::ExtentMap, ..) => Self::ExtentMap,
            (BlockUse::FreelistGroup, ..) => Self::FreelistGroup,
            (BlockUse::Bitmap(1), ..) => Self::Bitmap1,
            (BlockUse::Bitmap(2), ..) => Self::Bitmap2,
            (BlockUse::Bitmap(_), ..) => Self::Bitmap3,
            (BlockUse::AboveHighWater, ..) => Self::AboveHighWater,
            (BlockUse::Unformatted, ..) => Self::Unformatted,
            (_, Some((_, Freelist::Master)), _) => Self::Master,
            (_, Some((_, Freelist::Process(_))), _) => Self::Process,
            (_, Some((_, Freelist::Transaction)), _) => Self::Transaction,
            (BlockUse::Index { entries: 0, level: 0 }, ..) => Self::FreeIndexBlock,
            (BlockUse::Index { level: 0, .. }, ..) => Self::Leaf,
            (BlockUse::Index { .. }, ..) => Self::Branch,
            (BlockUse::Rows(_), _, Some(state)) => match state {
                BlockState::Full => Self::Full,
                BlockState::Free25 => Self::Free25,
                BlockState::Free50 => Self::Free50,
                BlockState::Free75 => Self::Free75,
                BlockState::Free100 => Self::Free100,
                BlockState::Unformatted | BlockState::Metadata => Self::Unformatted,
            },
            (BlockUse::Rows(rows), _, None) => match rows.used_percent {
                90.. => Self::Full,
                75..90 => Self::Free25,
                50..75 => Self::Free50,
                25..50 => Self::Free75,
                _ => Self::Free100,
            },
        }
    }

    /// Its letter in the terminal.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Header => 'H',
            Self::ExtentMap => 'E',
            Self::FreelistGroup => 'G',
            Self::Bitmap3 => '3',
            Self::Bitmap2 => '2',
            Self::Bitmap1 => '1',
            Self::Master => 'm',
            Self::Process => 'p',
            Self::Transaction => 't',
            Self::Full => '█',
            Self::Free25 => '▆',
            Self::Free50 => '▄',
            Self::Free75 => '▂',
            Self::Free100 => '_',
            Self::Branch => 'B',
            Self::Leaf => 'L',
            Self::FreeIndexBlock => '_',
            Self::Unformatted => ':',
            Self::AboveHighWater => '·',
        }
    }

    /// Its colour in the terminal, of the 256.
    pub(super) fn terminal_colour(self) -> u8 {
        match self {
            Self::Header | Self::ExtentMap => 231,
            Self::FreelistGroup => 228,
            Self::Bitmap3 => 201,
            Self::Bitmap2 => 177,
            Self::Bitmap1 => 141,
            Self::Master => 208,
            Self::Process => 214,
            Self::Transaction => 203,
            Self::Full => 22,
            Self::Free25 => 28,
            Self::Free50 => 34,
            Self::Free75 | Self::Leaf => 76,
            Self::Free100 | Self::FreeIndexBlock => 120,
            Self::Branch => 33,
            Self::Unformatted => 250,
            Self::AboveHighWater => 240,
        }
    }

    /// Its colour on the page: name of the class, for light and for dark.
    pub(super) fn page_colour(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Header => ("hd", "#1b1f24", "#f0f3f6"),
            Self::ExtentMap => ("em", "#57606a", "#b7bdc8"),
            Self::FreelistGroup => ("fg", "#7d4e00", "#e3b341"),
            Self::Bitmap3 => ("b3", "#6e2a8f", "#e2a9ff"),
            Self::Bitmap2 => ("b2", "#8f4bb8", "#c583f0"),
            Self::Bitmap1 => ("b1", "#b083d6", "#9a5fd0"),
            Self::Master => ("fm", "#d9480f", "#ff922b"),
            Self::Process => ("fp", "#f59f00", "#ffc94d"),
            Self::Transaction => ("ft", "#e03131", "#ff6b6b"),
            Self::Full => ("q4", "#0b5a2b", "#0f7a3c"),
            Self::Free25 => ("q3", "#2b8a3e", "#2f9e44"),
            Self::Free50 => ("q2", "#51b269", "#51cf66"),
            Self::Free75 => ("q1", "#8fd19e", "#8ce99a"),
            Self::Free100 => ("q0", "#d3f0d9", "#d3f9d8"),
            Self::Branch => ("ib", "#1864ab", "#4dabf7"),
            Self::Leaf => ("il", "#2b8a3e", "#51cf66"),
            Self::FreeIndexBlock => ("if", "#d3f0d9", "#d3f9d8"),
            Self::Unformatted => ("un", "#e9d8a6", "#6b5b2a"),
            Self::AboveHighWater => ("hw", "#e9ecef", "#30363d"),
        }
    }

    pub(super) fn label(self, automatic: bool) -> &'static str {
        match self {
            Self::Header => "segment header",
            Self::ExtentMap => "extent map",
            Self::FreelistGroup => "freelist group",
            Self::Bitmap3 => "bitmap, level 3",
            Self::Bitmap2 => "bitmap, level 2",
            Self::Bitmap1 => "bitmap, level 1",
            Self::Master => "on the master freelist",
            Self::Process => "on a process freelist",
            Self::Transaction => "on a transaction's freelist",
            Self::Full if automatic => "full, says the bitmap",
            Self::Free25 if automatic => "0 to 25 % free, says the bitmap",
            Self::Free50 if automatic => "25 to 50 % free, says the bitmap",
            Self::Free75 if automatic => "50 to 75 % free, says the bitmap",
            Self::Free100 if automatic => "75 to 100 % free, says the bitmap",
            Self::Full => "on no freelist, 90 % or more used",
            Self::Free25 => "on no freelist, 75 to 90 % used",
            Self::Free50 => "on no freelist, 50 to 75 % used",
            Self::Free75 => "on no freelist, 25 to 50 % used",
            Self::Free100 => "on no freelist, less than 25 % used",
            Self::Branch => "index branch",
            Self::Leaf => "index leaf",
            Self::FreeIndexBlock => "index block without entries",
            Self::Unformatted => "not formatted, below the high-water mark",
            Self::AboveHighWater => "above the high-water mark",
        }
    }
}
