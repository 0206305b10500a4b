//! A file on a modelled device keeps the rules of `device::Device`: it behaves like an ordinary file under any
//! requests, within the bytes that are its own.
//!
//! The models run so much faster than they say that a request takes next to no time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io::ErrorKind;
use std::path::Path;

use common::sync::Arc;
use common::{Clock, Seeded, SystemClock};
use device::{AlignedBuffer, Device, FileSystem, MemoryFileSystem, PendingRead};
use drive::{ModelledDevice, Spindle, find};

/// Bytes that the file can have: not a multiple of a sector.
const MOST: u64 = 300_123;
/// Seconds of the model pass in so many microseconds.
const DILATE: f64 = 1e-6;

#[derive(Clone, Debug)]
enum Step {
    Resize {
        bytes: u64,
    },
    Write {
        offset: u64,
        lengths: Vec<usize>,
        seed: u8,
        durable: bool,
    },
    Read {
        offset: u64,
        lengths: Vec<usize>,
    },
    /// `ask`: whether it is done, before it is waited for or dropped.
    Submit {
        offset: u64,
        lengths: Vec<usize>,
        ask: bool,
        wait: bool,
    },
    /// Waits for the oldest submitted read that has not been waited for.
    Wait,
    Sync,
}

/// Draws steps.
struct Draw(Seeded);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    /// Near the end, whole blocks, or anything; sometimes beyond all limits.
    fn place(&mut self) -> u64 {
        match self.below(12) {
            0..6 => self.below(MOST / 8192 + 2) * 8192,
            6..9 => self.below(MOST + 2000),
            9..11 => (MOST + 2).saturating_sub(self.below(5)),
            _ => [u64::MAX, u64::MAX - 1, i64::MAX as u64][self.below(3) as usize],
        }
    }

    fn lengths(&mut self) -> Vec<usize> {
        (0..self.below(4))
            .map(|_| match self.below(6) {
                0..3 => 8192,
                3 => 0,
                4 => self.below(60_000) as usize,
                _ => self.below(3) as usize,
            })
            .collect()
    }

    fn step(&mut self) -> Step {
        match self.below(16) {
            0..2 => Step::Resize { bytes: self.place() },
            2..7 => {
                let (offset, lengths) = (self.place(), self.lengths());
                Step::Write { offset, lengths, seed: self.below(256) as u8, durable: self.below(3) == 0 }
            }
            7..10 => Step::Read { offset: self.place(), lengths: self.lengths() },
            10..13 => {
                let (offset, lengths) = (self.place(), self.lengths());
                Step::Submit { offset, lengths, ask: self.below(2) == 0, wait: self.below(4) > 0 }
            }
            13..15 => Step::Wait,
            _ => Step::Sync,
        }
    }
}

/// The bytes that a read found, or the kind of its error.
type Found = Result<Vec<Vec<u8>>, ErrorKind>;

/// The file on the modelled device, the file beneath, and the ordinary file that they are compared with.
struct World {
    device: ModelledDevice,
    spindle: Arc<Spindle>,
    below: Arc<dyn Device>,
    model: Arc<dyn Device>,
    /// Submitted reads with what they are to find: what was there when they were submitted, in files in memory.
    reads: Vec<(PendingRead, Found)>,
}

fn buffers(lengths: &[usize]) -> Vec<AlignedBuffer> {
    lengths.iter().map(|length| AlignedBuffer::zeroed(*length)).collect()
}

fn read(device: &dyn Device, offset: u64, lengths: &[usize]) -> Found {
    let mut found: Vec<Vec<u8>> = lengths.iter().map(|length| vec![1; *length]).collect();
    let mut parts: Vec<&mut [u8]> = found.iter_mut().map(|part| &mut part[..]).collect();
    device.read_at(offset, &mut parts).map(|()| found).map_err(|error| error.kind())
}

fn waited(read: PendingRead) -> Found {
    let found = read.wait().map_err(|error| error.kind())?;
    Ok(found.iter().map(|part| part.to_vec()).collect())
}

impl World {
    fn new(name: &str, bytes: u64) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let spindle = Arc::new(Spindle::new(find(name).unwrap().unwrap().start(), clock, DILATE));
        let files = MemoryFileSystem::new();
        let create = |name: &str| files.create(Path::new(name), bytes).unwrap();
        let (below, model) = (create("below"), create("model"));
        // Neither the begin nor the end is that of a sector.
        let device = ModelledDevice::new(Arc::clone(&below), Arc::clone(&spindle), 1_000_700, MOST);
        Self { device, spindle, below, model, reads: Vec::new() }
    }

    fn run(&mut self, step: &Step) {
        match step {
            Step::Resize { bytes } => {
                let result = self.device.set_size(*bytes);
                assert_eq!(result.is_ok(), *bytes <= MOST, "{result:?}");
                if *bytes <= MOST {
                    self.model.set_size(*bytes).unwrap();
                }
            }
            Step::Write { offset, lengths, seed, durable } => {
                let bytes: Vec<Vec<u8>> = (0_u8..)
                    .zip(lengths)
                    .map(|(part, length)| (0..*length).map(|at| seed.wrapping_add(part ^ (at % 251) as u8)).collect())
                    .collect();
                let parts: Vec<&[u8]> = bytes.iter().map(|part| &part[..]).collect();
                let written = match durable {
                    true => self.device.write_durable(*offset, &parts),
                    false => self.device.write_at(*offset, &parts),
                };
                let total: usize = lengths.iter().sum();
                let fits = offset.checked_add(total as u64).is_some_and(|end| end <= MOST);
                if fits || total == 0 {
                    // A write of nothing may be an error of the file beneath, where its offset is none.
                    let expected = self.model.write_at(*offset, &parts).map_err(|error| error.kind());
                    assert!(written.is_ok() || total == 0, "{written:?}");
                    assert!(expected.is_ok() || total == 0, "{expected:?}");
                } else {
                    assert_eq!(written.unwrap_err().kind(), ErrorKind::InvalidInput);
                }
            }
            Step::Read { offset, lengths } => {
                assert!(read(&self.device, *offset, lengths) == read(&*self.model, *offset, lengths));
            }
            Step::Submit { offset, lengths, ask, wait } => {
                let expected = read(&*self.model, *offset, lengths);
                let mut submitted = self.device.submit_read(*offset, buffers(lengths)).unwrap();
                if *ask && submitted.is_done() {
                    assert!(submitted.is_done(), "done once, done for ever");
                }
                if *wait {
                    self.reads.push((submitted, expected));
                }
            }
            Step::Wait if self.reads.is_empty() => {}
            Step::Wait => {
                let (read, expected) = self.reads.remove(0);
                assert!(waited(read) == expected);
            }
            Step::Sync => self.device.sync().unwrap(),
        }
        assert_eq!(self.device.size().unwrap(), self.model.size().unwrap());
    }

    /// All bytes are as the model's, also in the file beneath, and the spindle keeps no request.
    fn check(&mut self) {
        for (read, expected) in self.reads.drain(..) {
            assert!(waited(read) == expected);
        }
        let all = [self.model.size().unwrap() as usize];
        let expected = read(&*self.model, 0, &all);
        assert!(expected.is_ok() && read(&self.device, 0, &all) == expected && read(&*self.below, 0, &all) == expected);
        assert_eq!((self.device.direct(), self.device.cuts_at()), (self.below.direct(), self.below.cuts_at()));
        // A later request has the spindle decide all earlier ones, those that were dropped too.
        self.device.sync().unwrap();
        assert!(self.spindle.kept() == 0, "{} requests are kept", self.spindle.kept());
    }
}

/// True: the steps hold. A failure prints its panic.
fn holds(name: &'static str, bytes: u64, steps: &[Step]) -> bool {
    let run = || {
        let mut world = World::new(name, bytes);
        steps.iter().for_each(|step| world.run(step));
        world.check();
    };
    std::panic::catch_unwind(run).is_ok()
}

#[test]
fn a_modelled_file_is_as_an_ordinary_file() {
    for name in ["disk-15k-600gb", "disk-10k-73gb", "nvme-p3700", "volume-gp2-40gb"] {
        for seed in 0..60 {
            let mut draw = Draw(Seeded::new(seed));
            let bytes = draw.below(MOST + 1);
            let mut steps: Vec<_> = (0..draw.below(70)).map(|_| draw.step()).collect();
            if holds(name, bytes, &steps) {
                continue;
            }
            // Leaves out what the failure does not need.
            for at in (0..steps.len()).rev() {
                let without: Vec<_> = [&steps[..at], &steps[at + 1..]].concat();
                if !holds(name, bytes, &without) {
                    steps = without;
                }
            }
            panic!("{name}, seed {seed}, a file of {bytes} bytes: {steps:#?}");
        }
    }
}
