//! Limits for users, named, in one place.

/// Stack of a session's thread: enough for a long expression, on which parser, binder and planner recurse, in part
/// where the stack cannot grow. Memory is committed as it is used.
pub const SESSION_STACK_BYTES: usize = 256 << 20;
/// Datafiles in a database: the file number has 10 bits, 0 and 1023 are reserved.
pub const FILES_MAX: u16 = 1022;
/// Blocks in a datafile: the block number has 22 bits.
pub const BLOCKS_PER_FILE_MAX: u32 = 1 << 22;
/// Columns in a table.
pub const COLUMNS_MAX: usize = 1000;
/// Columns in one row piece; wider rows are chained.
pub const COLUMNS_PER_PIECE_MAX: usize = 255;
/// Columns in an index.
pub const INDEX_COLUMNS_MAX: usize = 32;
/// Rows in one block.
pub const ROWS_PER_BLOCK_MAX: usize = 4095;
/// Bytes in the name of an object, a column or a user.
pub const NAME_BYTES_MAX: usize = 128;
/// Bytes in a VARCHAR2 column.
pub const VARCHAR2_BYTES_MAX: usize = 4000;
/// Bytes in a CHAR column.
pub const CHAR_BYTES_MAX: usize = 2000;
/// Bytes in a RAW column.
pub const RAW_BYTES_MAX: usize = 2000;
/// Significant decimal digits of a NUMBER.
pub const NUMBER_PRECISION_MAX: u8 = 38;
/// ITL slots in a block, whatever its size.
pub const ITL_SLOTS_MAX: usize = 255;
/// Bytes at the start of each datafile that hold its headers and extent bitmap; extents of 1 MB are then aligned.
pub const FILE_HEADER_AREA_BYTES: u64 = 1 << 20;
/// The allocation unit of an autoallocate tablespace.
pub const AUTOALLOCATE_UNIT_BYTES: u64 = 64 << 10;
/// The largest single read or write.
pub const IO_BYTES_MAX: usize = 1 << 20;
/// A row is never stored in fewer bytes, so that it can always be turned into a forwarding stub.
pub const LEAST_ROW_BYTES: usize = 9;
