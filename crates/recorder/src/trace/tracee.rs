//! Starts a process under ptrace and follows all of its threads.
//!
//! The process is a shell that stops itself, so that nothing happens between the start and the attachment; it then
//! becomes the program. One thread traces: the
//! kernel accepts requests from the thread that attached, and reports stops to it alone (`__WNOTHREAD`), so several
//! traces may run beside each other.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use nix::errno::Errno;
use nix::libc::{self, user_regs_struct};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{self, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::error::{Error, Result};

/// Stops the shell until the tracer has attached; then the shell becomes the program.
const LAUNCH: &str = r#"kill -STOP $$; exec "$0" "$@""#;

/// The event of a traced process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stopped {
    /// A thread is about to enter a system call.
    Entry(Pid),
    /// A thread has left a system call.
    Exit(Pid),
    /// The process ended by itself, with this code.
    Exited(i32),
    /// A signal ended the process.
    Killed(Signal),
}

/// A traced process. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct Tracee {
    pid: Pid,
    threads: BTreeSet<Pid>,
    /// The stopped thread that must be resumed before the next wait.
    stopped: Option<Pid>,
    ended: bool,
}

impl Tracee {
    /// Starts `program` in `directory`, with files for its input, output and errors.
    ///
    /// # Errors
    /// [`Error::Forbidden`] where this machine forbids ptrace; those of starting a process.
    pub(super) fn start(
        program: &Path,
        arguments: &[&str],
        directory: &Path,
        [input, output, errors]: [File; 3],
    ) -> Result<Self> {
        let child = Command::new("/bin/sh")
            .args(["-c", LAUNCH])
            .arg(program)
            .args(arguments)
            .current_dir(directory)
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| Error::start(program, &error))?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let mut tracee = Self { pid, threads: BTreeSet::from([pid]), stopped: None, ended: false };
        tracee.attach()?;
        Ok(tracee)
    }

    fn attach(&mut self) -> Result<()> {
        match waitpid(self.pid, Some(WaitPidFlag::WUNTRACED | WaitPidFlag::__WNOTHREAD)) {
            Ok(WaitStatus::Stopped(..)) => {}
            Ok(other) => return Err(Error::Trace(format!("the shell did not stop itself: {other:?}"))),
            Err(errno) => return Err(Error::ptrace("wait", errno)),
        }
        let options = Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_EXITKILL;
        match ptrace::seize(self.pid, options) {
            Ok(()) => {}
            Err(errno @ (Errno::EPERM | Errno::ENOSYS | Errno::EIO)) => return Err(Error::Forbidden(errno)),
            Err(errno) => return Err(Error::ptrace("seize", errno)),
        }
        signal::kill(self.pid, Signal::SIGCONT).map_err(|errno| Error::ptrace("continue", errno))
    }

    /// Process id.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Resumes the thread that stopped last, and waits for the next stop that matters.
    ///
    /// # Errors
    /// [`Error::Trace`] when the kernel refuses a request or the process starts another process.
    pub(super) fn next(&mut self) -> Result<Stopped> {
        if let Some(thread) = self.stopped.take() {
            resume(thread, None)?;
        }
        loop {
            let status = match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)) {
                Ok(status) => status,
                Err(Errno::EINTR) => continue,
                Err(errno) => return Err(Error::ptrace("wait", errno)),
            };
            match status {
                WaitStatus::PtraceSyscall(thread) => {
                    self.threads.insert(thread);
                    self.stopped = Some(thread);
                    // A thread that is being killed cannot be asked any more.
                    let Ok(info) = ptrace::syscall_info(thread) else { continue };
                    return Ok(match info.op {
                        libc::PTRACE_SYSCALL_INFO_ENTRY => Stopped::Entry(thread),
                        _ => Stopped::Exit(thread),
                    });
                }
                WaitStatus::PtraceEvent(thread, _, event) => {
                    self.threads.insert(thread);
                    if event == libc::PTRACE_EVENT_FORK || event == libc::PTRACE_EVENT_VFORK {
                        return Err(Error::Trace("the process starts another process".to_owned()));
                    }
                    resume(thread, None)?;
                }
                WaitStatus::Stopped(thread, signal) => resume(thread, Some(signal))?,
                WaitStatus::Exited(thread, code) => {
                    self.threads.remove(&thread);
                    if thread == self.pid {
                        self.ended = true;
                        return Ok(Stopped::Exited(code));
                    }
                }
                WaitStatus::Signaled(thread, signal, _) => {
                    self.threads.remove(&thread);
                    if thread == self.pid {
                        self.ended = true;
                        return Ok(Stopped::Killed(signal));
                    }
                }
                WaitStatus::Continued(_) | WaitStatus::StillAlive => {}
            }
        }
    }

    /// Registers of the stopped thread; None when it is being killed.
    pub(super) fn registers(&self, thread: Pid) -> Option<user_regs_struct> {
        ptrace::getregs(thread).ok()
    }

    /// Changes the registers of the stopped thread.
    ///
    /// # Errors
    /// [`Error::Trace`] when the kernel refuses it.
    pub(super) fn set_registers(&self, thread: Pid, registers: user_regs_struct) -> Result<()> {
        ptrace::setregs(thread, registers).map_err(|errno| Error::ptrace("set registers", errno))
    }

    /// Kills the process as `kill -9` does, and waits until it is gone.
    ///
    /// # Errors
    /// [`Error::Trace`] when the kernel refuses it.
    pub(super) fn kill(&mut self) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        signal::kill(self.pid, Signal::SIGKILL).map_err(|errno| Error::ptrace("kill", errno))?;
        self.stopped = None;
        while !self.ended {
            match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)) {
                Ok(WaitStatus::Exited(thread, _) | WaitStatus::Signaled(thread, ..)) if thread == self.pid => {
                    self.ended = true;
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(Error::ptrace("wait", errno)),
            }
        }
        Ok(())
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        // There is no caller to report to.
        let _ = self.kill();
    }
}

/// Resumes a thread until its next system call begins or ends. A thread that has ended meanwhile is ignored.
fn resume(thread: Pid, signal: Option<Signal>) -> Result<()> {
    match ptrace::syscall(thread, signal) {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(errno) => Err(Error::ptrace("resume", errno)),
    }
}
