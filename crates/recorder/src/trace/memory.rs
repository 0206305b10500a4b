//! Reads the memory of a traced process.

use std::ffi::OsString;
use std::io::IoSliceMut;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

/// Longest path of the kernel.
const PATH_MAX: usize = 4096;
/// A path is read in pieces that do not cross a page: the next page may be unmapped.
const PAGE: usize = 4096;
/// Buffers of one call, the kernel's limit.
const IOV_MAX: usize = 1024;

/// Reads `length` bytes at `address`.
///
/// # Errors
/// EFAULT for unmapped memory.
pub(super) fn bytes(pid: Pid, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
    gather(pid, &[(address, length)])
}

/// Reads a path that ends with a zero byte.
///
/// # Errors
/// EFAULT as for the kernel; ENAMETOOLONG.
pub(super) fn path(pid: Pid, address: u64) -> Result<PathBuf, Errno> {
    let mut read = Vec::new();
    while read.len() < PATH_MAX {
        let at = address + read.len() as u64;
        let piece = bytes(pid, at, PAGE - (at as usize % PAGE))?;
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            read.extend_from_slice(&piece[..end]);
            return Ok(OsString::from_vec(read).into());
        }
        read.extend(piece);
    }
    Err(Errno::ENAMETOOLONG)
}

/// Reads the buffers of an array of `iovec`, one after the other.
///
/// # Errors
/// EFAULT for unmapped memory; EINVAL for more buffers than the kernel takes.
pub(super) fn vectors(pid: Pid, address: u64, count: usize) -> Result<Vec<u8>, Errno> {
    const ENTRY: usize = 16;
    if count > IOV_MAX {
        return Err(Errno::EINVAL);
    }
    let array = bytes(pid, address, count * ENTRY)?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
    let parts: Vec<(u64, usize)> =
        array.chunks_exact(ENTRY).map(|entry| (word(&entry[..8]), word(&entry[8..]) as usize)).collect();
    gather(pid, &parts)
}

fn gather(pid: Pid, parts: &[(u64, usize)]) -> Result<Vec<u8>, Errno> {
    let length = parts.iter().map(|(_, length)| length).sum();
    let mut read = vec![0; length];
    if length == 0 {
        return Ok(read);
    }
    let remote: Vec<RemoteIoVec> = parts.iter().map(|&(base, len)| RemoteIoVec { base: base as usize, len }).collect();
    let moved = process_vm_readv(pid, &mut [IoSliceMut::new(&mut read)], &remote)?;
    if moved == length { Ok(read) } else { Err(Errno::EFAULT) }
}
