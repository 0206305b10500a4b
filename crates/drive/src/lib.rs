//! Models of storage devices: when a request of a rotating disk, a flash device, a memory or a cloud volume ends.
//!
//! See README.md.

pub mod calibrate;
mod catalogue;
mod cell;
mod disk;
pub mod disksim;
mod error;
mod file;
mod flash;
mod folder;
mod grid_disk;
mod lateness;
pub mod load;
mod make;
mod model;
mod modelled;
mod number;
mod score;
mod spindle;
mod spread;
mod trace;
mod volume;

pub use catalogue::{find, names};
pub use cell::{CELL_FILE, Cell, CellFile, CellFlash, GridSpec, disk_name};
pub use disk::Disk;
pub use disk::spec::DiskSpec;
pub use disk::track::{Track, Tracks};
pub use file::{DeviceSpec, ModelFile};
pub use flash::{Flash, FlashSpec};
pub use folder::{ModelledFolder, lateness_of};
pub use grid_disk::GridDisk;
pub use lateness::{LATE_SHARE_MAX, Lateness, LatenessSummary};
pub use make::make_cells;
pub use model::{ArmTimes, Kind, Model, Request, Ticket, end_of};
pub use modelled::{ModelledDevice, ModelledFileSystem};
pub use number::{AtMost, Count, NotNegative, Positive};
pub use score::{Fitted, Score, demerit, score};
pub use spindle::{Spindle, Submitted};
pub use trace::{TraceRequest, read_trace};
pub use volume::{Volume, VolumeSpec};
