//! The signal that makes a thread copy its registers and the bytes of its stack.
//!
//! One request at a time, in a slot that handler and asker share; the slot is all atomics, and the bytes go through a
//! file in memory:
//!
//! 1. The asker puts number and thread of its request in the slot and sends the signal to that thread alone.
//! 2. The handler, on the thread itself, takes the request out of the slot, notes the registers and writes the stack's
//!    bytes to the file. The kernel reads them: what is not there ends the write and is no fault. It then puts the
//!    request's number where the answer is looked for.
//! 3. The asker reads the file. When time runs out it takes the request out itself; a handler that comes later finds
//!    none and does nothing. One that has taken it is waited for: it has only a few instructions to go.
//!
//! The signal is SIGURG, which does nothing without a handler, so that no stray one ends a process. SA_RESTART restarts
//! interrupted system calls where the kernel can; sleeps and waits by other calls continue after EINTR.
//!
//! This is the only file of the crate with `unsafe` in it.

#![expect(unsafe_code, reason = "a signal's handler, and what POSIX allows in it; see the SAFETY paragraphs")]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::Duration;

use common::sync::Mutex;
use common::sync::ThreadId;
use common::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};
use common::{Clock, Error, ErrorKind, Result, SystemClock};

const SIGNAL: libc::c_int = libc::SIGURG;
/// What `tgkill` checks the thread with, and does nothing else.
const NO_SIGNAL: libc::c_int = 0;

/// Bytes of a stack that are copied, from its top; the rest is not seen.
const COPY_BYTES: usize = 256 << 10;

/// Polls of the slot before the asker begins to sleep between them.
const SPINS: u32 = 200;
const PAUSE: Duration = Duration::from_micros(50);

/// The thread's registers at the interruption, and its stack.
#[derive(Debug)]
pub(crate) struct Copied {
    pub(crate) registers: Registers,
    /// From the stack pointer on, to higher addresses.
    pub(crate) bytes: Vec<u8>,
}

/// The registers from which an unwinder begins.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Registers {
    pub(crate) instruction: u64,
    pub(crate) stack: u64,
    pub(crate) frame: u64,
    /// The link register; 0 where the processor has none.
    pub(crate) link: u64,
}

/// The slot that handler and asker share.
struct Slot {
    /// The request's number above 32 bits of the thread's; 0: none.
    request: AtomicU64,
    /// The request that was answered last.
    answer: AtomicU64,
    registers: [AtomicU64; 4],
    /// Bytes that the handler has written to the file, or less than 0.
    written: AtomicI64,
    file: AtomicI32,
}

static SLOT: Slot = Slot {
    request: AtomicU64::new(0),
    answer: AtomicU64::new(0),
    registers: [const { AtomicU64::new(0) }; 4],
    written: AtomicI64::new(0),
    file: AtomicI32::new(-1),
};

/// The asker's side.
struct Asker {
    file: File,
    number: u32,
    clock: SystemClock,
}

static ASKER: OnceLock<Result<Mutex<Asker>>> = OnceLock::new();

/// The thread has ended, or there never was one.
fn gone(thread: ThreadId) -> Error {
    Error::user(72, format!("process \"{}\" is not active", thread.0))
}

fn refused(what: &str, error: &std::io::Error) -> Error {
    Error::own(ErrorKind::Io, 2, format!("{what}: {error}"))
}

/// Registers and stack of a thread of this process, the calling one's too.
///
/// # Errors
/// ORA-00072 when there is no such thread or it ends unasked; HW-0008 when it has not answered in `most`, because it is
/// in a system call that no signal interrupts or does not get the processor; HW-0002 when the operating system refuses
/// a part of it.
pub(crate) fn copy(thread: ThreadId, most: Duration) -> Result<Copied> {
    let asker = ASKER.get_or_init(install).as_ref().map_err(Clone::clone)?;
    let mut asker = asker.lock();
    asker.number = asker.number.wrapping_add(1).max(1);
    let request = u64::from(asker.number) << 32 | u64::from(thread.0.cast_unsigned());
    SLOT.request.store(request, Ordering::Release);
    if let Err(error) = send(thread, SIGNAL) {
        SLOT.request.store(0, Ordering::Release);
        return Err(if is_gone(&error) { gone(thread) } else { refused("the signal to a thread", &error) });
    }
    let began_us = asker.clock.monotonic_us();
    let mut looks = 0_u32;
    while SLOT.answer.load(Ordering::Acquire) != request {
        looks = looks.saturating_add(1);
        if looks < SPINS {
            std::thread::yield_now();
            continue;
        }
        let late = u128::from(asker.clock.monotonic_us().saturating_sub(began_us)) > most.as_micros();
        if late && SLOT.request.compare_exchange(request, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            let text = format!("thread {} has not answered in {} ms", thread.0, most.as_millis());
            return Err(Error::own(ErrorKind::Retry, 8, text));
        }
        // A thread on its way out takes signals that it never handles; it can be joined before it is gone.
        let ended = send(thread, NO_SIGNAL).is_err_and(|error| is_gone(&error));
        if ended && SLOT.request.compare_exchange(request, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return Err(gone(thread));
        }
        std::thread::sleep(PAUSE);
    }
    let [instruction, stack, frame, link] = [0, 1, 2, 3].map(|n: usize| SLOT.registers[n].load(Ordering::Relaxed));
    let length = usize::try_from(SLOT.written.load(Ordering::Relaxed)).unwrap_or(0);
    let mut bytes = vec![0; length];
    asker.file.read_exact_at(&mut bytes, 0).map_err(|error| refused("a stack's bytes", &error))?;
    Ok(Copied { registers: Registers { instruction, stack, frame, link }, bytes })
}

/// Makes the file, and installs the signal handler.
fn install() -> Result<Mutex<Asker>> {
    let file = rustix::fs::memfd_create("stack", rustix::fs::MemfdFlags::CLOEXEC)
        .map_err(|error| refused("a file in memory", &error.into()))?;
    let file = File::from(file);
    file.set_len(COPY_BYTES as u64).map_err(|error| refused("a file in memory", &error))?;
    SLOT.file.store(file.as_raw_fd(), Ordering::Release);
    // SAFETY: all zeros are a valid `sigaction`, and so is the set that `sigemptyset` makes of a valid one. The kernel
    // reads the first and writes the second struct, both of which live until the call returns. The handler has the
    // signature that SA_SIGINFO asks for, does only what a handler may do (see there), and is never removed, so that a
    // late signal finds it.
    let taken = unsafe {
        let (mut action, mut before): (libc::sigaction, libc::sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(SIGNAL, &raw const action, &raw mut before)
    };
    if taken != 0 {
        return Err(refused("the handler of a signal", &std::io::Error::last_os_error()));
    }
    Ok(Mutex::new(Asker { file, number: 0, clock: SystemClock::default() }))
}

/// The error of a signal to a thread that is not there.
fn is_gone(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

/// Sends a signal to one thread of this process; `NO_SIGNAL` only looks whether the thread is there.
fn send(thread: ThreadId, signal: libc::c_int) -> std::io::Result<()> {
    let process = rustix::process::getpid().as_raw_nonzero().get();
    // SAFETY: the call takes three numbers and no address. The kernel checks that the thread is one of this process;
    // the signal has a handler by now.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, process, thread.0, signal) };
    if sent == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// The handler: atomics, `gettid` and `pwrite`; it restores `errno`.
extern "C" fn on_signal(_signal: libc::c_int, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the address of the calling thread's own `errno`, which is there as long as the thread is.
    let errno = unsafe { &mut *libc::__errno_location() };
    let kept = *errno;
    answer(context);
    *errno = kept;
}

fn answer(context: *mut libc::c_void) {
    let request = SLOT.request.load(Ordering::Acquire);
    // SAFETY: a system call without arguments.
    let me = unsafe { libc::gettid() };
    if request == 0 || (request as u32).cast_signed() != me {
        return;
    }
    if SLOT.request.compare_exchange(request, 0, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return;
    }
    // SAFETY: the kernel gives a handler with SA_SIGINFO the address of the context that it has saved, aligned, and
    // valid until the handler returns.
    let registers = registers(unsafe { &*context.cast::<libc::ucontext_t>() });
    let file = SLOT.file.load(Ordering::Acquire);
    // SAFETY: the handler reads nothing through the address: the kernel reads, and ends the write at unmapped memory.
    // The file stays open. `pwrite` is one of the functions that POSIX calls safe in a handler.
    let written = unsafe { libc::pwrite(file, registers.stack as *const libc::c_void, COPY_BYTES, 0) };
    let all = [registers.instruction, registers.stack, registers.frame, registers.link];
    for (place, register) in SLOT.registers.iter().zip(all) {
        place.store(register, Ordering::Relaxed);
    }
    SLOT.written.store(written as i64, Ordering::Relaxed);
    SLOT.answer.store(request, Ordering::Release);
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let register = |number: libc::c_int| context.uc_mcontext.gregs[number as usize].cast_unsigned();
    Registers {
        instruction: register(libc::REG_RIP),
        stack: register(libc::REG_RSP),
        frame: register(libc::REG_RBP),
        link: 0,
    }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let machine = &context.uc_mcontext;
    Registers { instruction: machine.pc, stack: machine.sp, frame: machine.regs[29], link: machine.regs[30] }
}
