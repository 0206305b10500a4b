//! System calls that change files or names, decoded from registers.
//!
//! All others read, or are about memory, threads and time. A call that changes files in a way that a recording cannot
//! represent is [`Call::Unrecorded`].

use nix::libc::{self, c_long, user_regs_struct};

/// Location of a write's bytes in the memory of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Bytes { address: u64, length: usize },
    Vectors { address: u64, count: usize },
}

/// A path argument: the address of its text, relative to the directory of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) directory: i32,
    pub(super) address: u64,
}

/// A call that matters to the recorder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Call {
    /// `offset` is None at the position of the descriptor.
    Write {
        fd: i32,
        source: Source,
        offset: Option<u64>,
        durable: bool,
    },
    Sync {
        fd: i32,
    },
    Truncate {
        fd: i32,
        bytes: u64,
    },
    Allocate {
        fd: i32,
        mode: i32,
        end: u64,
    },
    Open {
        truncate: bool,
    },
    Rename {
        from: Name,
        to: Name,
        flags: u32,
    },
    Remove {
        name: Name,
    },
    MakeDirectory {
        name: Name,
    },
    /// Makes a queue through which the process could write without a system call.
    MakeRing,
    /// A shared, writable mapping of a file.
    Map {
        fd: i32,
    },
    /// Changes the file of a descriptor in a way that cannot be recorded.
    Unrecorded {
        what: &'static str,
        fd: i32,
    },
    /// Changes names in a way that cannot be recorded.
    UnrecordedName {
        what: &'static str,
        name: Name,
    },
    /// Syncs more than one file.
    SyncAll,
}

fn name(directory: u64, address: u64) -> Name {
    Name { directory: directory as i32, address }
}

/// The call that a thread is about to make; None when it changes no file.
pub(super) fn decode(registers: &user_regs_struct) -> Option<Call> {
    let user_regs_struct { rdi: a, rsi: b, rdx: c, r10: d, r9: f, .. } = *registers;
    let fd = a as i32;
    let here = libc::AT_FDCWD as u64;
    let bytes = Source::Bytes { address: b, length: c as usize };
    let vectors = Source::Vectors { address: b, count: c as usize };
    Some(match registers.orig_rax as c_long {
        libc::SYS_write => Call::Write { fd, source: bytes, offset: None, durable: false },
        libc::SYS_writev => Call::Write { fd, source: vectors, offset: None, durable: false },
        libc::SYS_pwrite64 => Call::Write { fd, source: bytes, offset: Some(d), durable: false },
        libc::SYS_pwritev => Call::Write { fd, source: vectors, offset: Some(d), durable: false },
        libc::SYS_pwritev2 => {
            // On 64 bits the offset is whole in the fourth register; -1 means the descriptor's position.
            let offset = (d != u64::MAX).then_some(d);
            let durable = f as i32 & (libc::RWF_DSYNC | libc::RWF_SYNC) != 0;
            if f as i32 & libc::RWF_APPEND != 0 {
                return Some(Call::Unrecorded { what: "pwritev2 that appends", fd });
            }
            Call::Write { fd, source: vectors, offset, durable }
        }
        libc::SYS_fsync | libc::SYS_fdatasync => Call::Sync { fd },
        libc::SYS_sync | libc::SYS_syncfs => Call::SyncAll,
        libc::SYS_ftruncate => Call::Truncate { fd, bytes: b },
        libc::SYS_fallocate => Call::Allocate { fd, mode: b as i32, end: c + d },
        libc::SYS_open => Call::Open { truncate: b as i32 & libc::O_TRUNC != 0 },
        libc::SYS_openat => Call::Open { truncate: c as i32 & libc::O_TRUNC != 0 },
        libc::SYS_creat => Call::Open { truncate: true },
        libc::SYS_rename => Call::Rename { from: name(here, a), to: name(here, b), flags: 0 },
        libc::SYS_renameat => Call::Rename { from: name(a, b), to: name(c, d), flags: 0 },
        libc::SYS_renameat2 => Call::Rename { from: name(a, b), to: name(c, d), flags: registers.r8 as u32 },
        libc::SYS_unlink | libc::SYS_rmdir => Call::Remove { name: name(here, a) },
        libc::SYS_unlinkat => Call::Remove { name: name(a, b) },
        libc::SYS_mkdir => Call::MakeDirectory { name: name(here, a) },
        libc::SYS_mkdirat => Call::MakeDirectory { name: name(a, b) },
        libc::SYS_io_uring_setup => Call::MakeRing,
        libc::SYS_mmap if c as i32 & libc::PROT_WRITE != 0 && d as i32 & libc::MAP_PRIVATE == 0 => {
            Call::Map { fd: registers.r8 as i32 }
        }
        libc::SYS_copy_file_range => Call::Unrecorded { what: "copy_file_range", fd: c as i32 },
        libc::SYS_splice => Call::Unrecorded { what: "splice", fd: c as i32 },
        libc::SYS_sendfile => Call::Unrecorded { what: "sendfile", fd },
        libc::SYS_truncate => Call::UnrecordedName { what: "truncate", name: name(here, a) },
        libc::SYS_openat2 => Call::UnrecordedName { what: "openat2", name: name(a, b) },
        libc::SYS_link => Call::UnrecordedName { what: "link", name: name(here, b) },
        libc::SYS_linkat => Call::UnrecordedName { what: "linkat", name: name(c, d) },
        libc::SYS_symlink => Call::UnrecordedName { what: "symlink", name: name(here, b) },
        libc::SYS_symlinkat => Call::UnrecordedName { what: "symlinkat", name: name(b, c) },
        _ => return None,
    })
}
