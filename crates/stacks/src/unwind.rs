//! From registers and a stack's bytes to addresses: the place of interruption, then where each function returns to.
//!
//! The tables that lead from a function to its caller are read from the files of the program and its libraries, once.
//! The page of system calls that the kernel maps into every process (vDSO) is no file, and is read from memory.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use common::{Error, ErrorKind, Result};
use framehop::{
    CacheNative, ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module, UnwindRegsNative,
    Unwinder as _, UnwinderNative,
};
use object::Endianness;
use object::elf::{FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::read::{ReadCache, ReadRef};

use crate::signal::{Copied, Registers};

/// Most frames of a stack; a deeper one loses its outermost.
const FRAMES_MAX: usize = 2_048;
const EXECUTABLE: &str = "/proc/self/exe";
const SYSTEM_CALLS: &str = "[vdso]";
const PAGE: u64 = 4_096;

/// The unwind tables of the program and its libraries.
pub(crate) struct Unwinding {
    unwinder: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

/// A file, or the vDSO, mapped into the process.
#[derive(PartialEq, Debug)]
struct Mapped {
    path: String,
    addresses: Range<u64>,
    executable: bool,
}

impl Unwinding {
    /// Reads the tables of everything that is loaded now.
    ///
    /// # Errors
    /// HW-0002 when the operating system does not say what is loaded.
    pub(crate) fn new() -> Result<Self> {
        let maps = fs::read_to_string("/proc/self/maps")
            .map_err(|error| Error::own(ErrorKind::Io, 2, format!("/proc/self/maps: {error}")))?;
        let executable = fs::read_link(EXECUTABLE).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        let mut unwinder = UnwinderNative::new();
        for mapped in mapped(&maps).into_iter().filter(|mapped| mapped.executable) {
            // Without tables a stack ends there, or goes on by frame pointers.
            let module = if mapped.path == SYSTEM_CALLS {
                memory(&mapped.addresses).and_then(|bytes| module(bytes.as_slice(), &mapped))
            } else {
                // The program's own file may have been replaced since.
                let path = if mapped.path == executable { EXECUTABLE } else { &mapped.path };
                File::open(path).ok().and_then(|file| module(&ReadCache::new(file), &mapped))
            };
            if let Some(module) = module {
                unwinder.add_module(module);
            }
        }
        Ok(Self { unwinder, cache: CacheNative::new() })
    }

    /// Addresses from the innermost on, each of the instruction at work: in a caller that of the call.
    pub(crate) fn addresses(&mut self, copied: &Copied) -> Vec<u64> {
        let start = copied.registers.stack;
        let mut read = |address: u64| {
            let at = usize::try_from(address.checked_sub(start).ok_or(())?).map_err(|_| ())?;
            let word = copied.bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(())?;
            Ok(u64::from_le_bytes(*word))
        };
        let registers = native(&copied.registers, self.unwinder.max_known_code_address());
        let mut frames = self.unwinder.iter_frames(copied.registers.instruction, registers, &mut self.cache, &mut read);
        let mut addresses = Vec::new();
        // An error ends the stack: the outermost frames often have no table.
        while let Ok(Some(frame)) = frames.next()
            && addresses.len() < FRAMES_MAX
        {
            addresses.push(FrameAddress::address_for_lookup(frame));
        }
        addresses
    }
}

#[cfg(target_arch = "x86_64")]
fn native(registers: &Registers, _highest: u64) -> UnwindRegsNative {
    UnwindRegsNative::new(registers.instruction, registers.stack, registers.frame)
}

/// Return addresses may be signed in their upper bits.
#[cfg(target_arch = "aarch64")]
fn native(registers: &Registers, highest: u64) -> UnwindRegsNative {
    let mask = framehop::aarch64::PtrAuthMask::from_max_known_address(highest);
    UnwindRegsNative::new_with_ptr_auth_mask(mask, registers.link, registers.stack, registers.frame)
}

/// The files in /proc/self/maps, each from its first address to its last.
fn mapped(maps: &str) -> Vec<Mapped> {
    let mut found: Vec<Mapped> = Vec::new();
    for line in maps.lines() {
        // address range, permissions, offset, device, inode, path
        let mut fields = line.splitn(6, ' ');
        let (Some(range), Some(permissions)) = (fields.next(), fields.next()) else { continue };
        let path = fields.nth(3).map_or("", str::trim);
        let Some((from, to)) = range.split_once('-') else { continue };
        let (Ok(from), Ok(to)) = (u64::from_str_radix(from, 16), u64::from_str_radix(to, 16)) else { continue };
        if !path.starts_with('/') && path != SYSTEM_CALLS {
            continue;
        }
        let executable = permissions.contains('x');
        match found.iter_mut().find(|mapped| mapped.path == path) {
            Some(mapped) => {
                mapped.addresses.end = to;
                mapped.executable |= executable;
            }
            None => found.push(Mapped { path: path.to_owned(), addresses: from..to, executable }),
        }
    }
    found
}

/// Bytes of this process.
fn memory(addresses: &Range<u64>) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(addresses.end - addresses.start).ok()?];
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut bytes, addresses.start).ok()?;
    Some(bytes)
}

/// The tables of an ELF file; None when it is none, or has none.
fn module<'d, R: ReadRef<'d>>(data: R, mapped: &Mapped) -> Option<Module<Vec<u8>>> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let first = header.program_headers(endian, data).ok()?.iter().find(|part| part.p_type(endian) == PT_LOAD)?;
    let sections = header.sections(endian, data).ok()?;
    let range = |name: &[u8]| {
        let (_, section) = sections.section_by_name(endian, name)?;
        let start = section.sh_addr(endian);
        Some(start..start + section.sh_size(endian))
    };
    let bytes = |name: &[u8]| {
        let (_, section) = sections.section_by_name(endian, name)?;
        section.data(endian, data).ok().map(<[u8]>::to_vec)
    };
    let info = ExplicitModuleSectionInfo {
        base_svma: first.p_vaddr(endian) & !(PAGE - 1),
        text_svma: range(b".text"),
        got_svma: range(b".got"),
        eh_frame_svma: range(b".eh_frame"),
        eh_frame: bytes(b".eh_frame"),
        eh_frame_hdr_svma: range(b".eh_frame_hdr"),
        eh_frame_hdr: bytes(b".eh_frame_hdr"),
        ..ExplicitModuleSectionInfo::default()
    };
    Some(Module::new(mapped.path.clone(), mapped.addresses.clone(), mapped.addresses.start, info))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_their_first_address_to_their_last() {
        let maps = "\
55d0c000-55d0e000 r--p 00000000 fe:00 1  /opt/a program
55d0e000-55d10000 r-xp 00002000 fe:00 1  /opt/a program
55d10000-55d20000 rw-p 00000000 00:00 0  [heap]
7f000000-7f001000 r--p 00000000 fe:00 2                          /data
7fff0000-7fff2000 r-xp 00000000 00:00 0                          [vdso]
nonsense
";
        let of = |path: &str, addresses, executable| Mapped { path: path.to_owned(), addresses, executable };
        let expected = [
            of("/opt/a program", 0x55d0_c000..0x55d1_0000, true),
            of("/data", 0x7f00_0000..0x7f00_1000, false),
            of("[vdso]", 0x7fff_0000..0x7fff_2000, true),
        ];
        assert_eq!(mapped(maps), expected);
    }
}
