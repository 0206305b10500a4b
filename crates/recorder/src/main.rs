//! `recorder`: images and error injections of the real binary, in any number.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports on standard output")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod command;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    command::run()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    println!("skipped: the recorder knows the system calls of Linux on x86_64 only");
}
