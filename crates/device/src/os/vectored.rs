//! Positioned reads and writes of several buffers at once, carried through to the end.
//!
//! One system call takes at most [`IOV_MAX`] buffers, may be interrupted, and may move fewer bytes than asked; here it
//! is repeated until all bytes have moved. Direct I/O may stop where it cannot go on by itself (a file that ends inside
//! a sector), so each function returns how far it came instead of insisting.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};

use rustix::io::{Errno, ReadWriteFlags};

/// Buffers in one system call, the kernel's limit.
pub(super) const IOV_MAX: usize = 1024;

/// Reads until the buffers are full, the file ends, or progress is no multiple of `sector`. Returns the bytes read.
pub(super) fn read(file: &File, offset: u64, mut slices: &mut [IoSliceMut<'_>], sector: usize) -> Result<usize, Errno> {
    let mut done = 0;
    IoSliceMut::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        let count = slices.len().min(IOV_MAX);
        match rustix::io::preadv(file, &mut slices[..count], offset + done as u64) {
            Ok(0) => break,
            Ok(bytes) => {
                done += bytes;
                IoSliceMut::advance_slices(&mut slices, bytes);
                if done % sector != 0 {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(done)
}

/// Writes until the buffers are empty or progress is no multiple of `sector`. Returns the bytes written.
pub(super) fn write(file: &File, offset: u64, mut slices: &mut [IoSlice<'_>], sector: usize) -> Result<usize, Errno> {
    let mut done = 0;
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        let count = slices.len().min(IOV_MAX);
        match rustix::io::pwritev(file, &slices[..count], offset + done as u64) {
            Ok(0) => break,
            Ok(bytes) => {
                done += bytes;
                IoSlice::advance_slices(&mut slices, bytes);
                if done % sector != 0 {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(done)
}

/// As [`write`], and what was written is durable when this returns.
pub(super) fn write_durable(
    file: &File,
    offset: u64,
    mut slices: &mut [IoSlice<'_>],
    sector: usize,
) -> Result<usize, Errno> {
    let mut done = 0;
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        let count = slices.len().min(IOV_MAX);
        match rustix::io::pwritev2(file, &slices[..count], offset + done as u64, ReadWriteFlags::DSYNC) {
            Ok(0) => break,
            Ok(bytes) => {
                done += bytes;
                IoSlice::advance_slices(&mut slices, bytes);
                if done % sector != 0 {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(done)
}

/// The end of a file inside what was asked for.
pub(super) fn unexpected_end(offset: u64, wanted: usize, got: usize) -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        format!("read of {wanted} bytes at offset {offset} met the end of the file after {got}"),
    )
}
