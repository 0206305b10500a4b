//! Starts processes under ptrace and follows all of their threads.
//!
//! Each process is a shell that stops itself, so that nothing happens between the start and the attachment; it then
//! becomes the program. One thread traces: the kernel accepts requests from the thread that attached, and reports stops
//! to it alone (`__WNOTHREAD`), so several traces may run beside each other.

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

/// The event of the traced processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stopped {
    /// A thread is about to enter a system call.
    Entry(Pid),
    /// A thread has left a system call.
    Exit(Pid),
    /// A process ended by itself, with this code.
    Exited(Pid, i32),
    /// A signal ended a process.
    Killed(Pid),
}

/// Traced processes. Dropping this kills them.
#[derive(Default, Debug)]
pub(super) struct Tracees {
    /// Those that have not ended.
    processes: BTreeSet<Pid>,
    /// The stopped thread that must be resumed before the next wait.
    stopped: Option<Pid>,
}

impl Tracees {
    /// Starts `program` in `directory`, with files for its input, output and errors.
    ///
    /// # Errors
    /// [`Error::Forbidden`] where this machine forbids ptrace; those of starting a process.
    pub(super) fn start(
        &mut self,
        program: &Path,
        arguments: &[&str],
        directory: &Path,
        [input, output, errors]: [File; 3],
    ) -> Result<Pid> {
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
        self.processes.insert(pid);
        attach(pid)?;
        Ok(pid)
    }

    /// Resumes the thread that stopped last, and waits for the next stop that matters.
    ///
    /// # Errors
    /// [`Error::Trace`] when the kernel refuses a request or a process starts another process.
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
                    self.stopped = Some(thread);
                    // A thread that is being killed cannot be asked any more.
                    let Ok(info) = ptrace::syscall_info(thread) else { continue };
                    return Ok(match info.op {
                        libc::PTRACE_SYSCALL_INFO_ENTRY => Stopped::Entry(thread),
                        _ => Stopped::Exit(thread),
                    });
                }
                WaitStatus::PtraceEvent(thread, _, event) => {
                    if event == libc::PTRACE_EVENT_FORK || event == libc::PTRACE_EVENT_VFORK {
                        return Err(Error::Trace("the process starts another process".to_owned()));
                    }
                    resume(thread, None)?;
                }
                WaitStatus::Stopped(thread, signal) => resume(thread, Some(signal))?,
                WaitStatus::Exited(process, code) if self.processes.remove(&process) => {
                    return Ok(Stopped::Exited(process, code));
                }
                WaitStatus::Signaled(process, ..) if self.processes.remove(&process) => {
                    return Ok(Stopped::Killed(process));
                }
                // A thread that is not its process's first one.
                WaitStatus::Exited(..) | WaitStatus::Signaled(..) => {}
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

    /// Kills all processes as `kill -9` does, and waits until they are gone.
    ///
    /// # Errors
    /// [`Error::Trace`] when the kernel refuses it.
    pub(super) fn kill(&mut self) -> Result<()> {
        for process in &self.processes {
            signal::kill(*process, Signal::SIGKILL).map_err(|errno| Error::ptrace("kill", errno))?;
        }
        self.stopped = None;
        while !self.processes.is_empty() {
            match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)) {
                Ok(WaitStatus::Exited(process, _) | WaitStatus::Signaled(process, ..)) => {
                    self.processes.remove(&process);
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(Error::ptrace("wait", errno)),
            }
        }
        Ok(())
    }
}

impl Drop for Tracees {
    fn drop(&mut self) {
        // There is no caller to report to.
        let _ = self.kill();
    }
}

/// Traces a shell that has stopped itself, and lets it go on.
fn attach(pid: Pid) -> Result<()> {
    match waitpid(pid, Some(WaitPidFlag::WUNTRACED | WaitPidFlag::__WNOTHREAD)) {
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
    match ptrace::seize(pid, options) {
        Ok(()) => {}
        Err(errno @ (Errno::EPERM | Errno::ENOSYS | Errno::EIO)) => return Err(Error::Forbidden(errno)),
        Err(errno) => return Err(Error::ptrace("seize", errno)),
    }
    signal::kill(pid, Signal::SIGCONT).map_err(|errno| Error::ptrace("continue", errno))
}

/// Resumes a thread until its next system call begins or ends. A thread that has ended meanwhile is ignored.
fn resume(thread: Pid, signal: Option<Signal>) -> Result<()> {
    match ptrace::syscall(thread, signal) {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(errno) => Err(Error::ptrace("resume", errno)),
    }
}
