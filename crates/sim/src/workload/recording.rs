//! A run and its recording.

use engine::startup::CreateOptions;

use crate::disk::{Image, Note, Operation};

use super::{DiskTally, WorkloadState};

/// All operations on the disk, and the expected states after them.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The disk before the first operation, all of it durable.
    pub base: Image,
    pub operations: Vec<Operation>,
    /// The states of each part in order; [`Note`]s in the operations name them by their number. Without threads there
    /// is one part.
    pub parts: Vec<Vec<WorkloadState>>,
    /// The error that ended the run early, if one did.
    pub ended_by: Option<String>,
    /// Statements of the engine that were made.
    pub statements: usize,
    /// Several lives of the database, in order.
    pub lives: Vec<Life>,
    /// The first state with a database; before it, its creation may have been cut short.
    pub existing: usize,
    /// What has happened to the disks of a group.
    pub disks: DiskTally,
    /// The disk before the mount of each life.
    pub disks_before: Vec<Image>,
    /// The options of the database.
    pub options: CreateOptions,
}

/// One life of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Life {
    /// Its first operation.
    pub begins: usize,
    /// The operation with which it began to work, and to close.
    pub opened: usize,
    pub closing: usize,
    pub ending: Ending,
}

/// End of a life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The process is killed, anywhere.
    Killed,
    /// The process is killed while the database is closed.
    KilledAtClose,
    Closed,
    /// Something was wrong.
    Failed,
}

impl Recording {
    /// A figure that is the same when the same was done in the same order.
    #[must_use]
    pub fn trace(&self) -> u32 {
        self.operations.iter().fold(0, |sum, operation| operation.trace(sum))
    }

    /// For each part the numbers of states acknowledged, and begun, before the operation at `place`.
    #[must_use]
    pub fn known_at(&self, place: usize) -> Vec<(usize, usize)> {
        known(&self.operations[..place], self.parts.len())
    }

    /// The number of the life that an operation belongs to, from 0.
    #[must_use]
    pub fn life_number(&self, place: usize) -> Option<usize> {
        self.lives.iter().rposition(|life| life.begins <= place)
    }

    /// The life that an operation belongs to, as text.
    #[must_use]
    pub fn life_at(&self, place: usize) -> Option<String> {
        let number = self.life_number(place)?;
        let life = &self.lives[number];
        let part = match place {
            place if place < life.opened => "start",
            place if place >= life.closing => "close",
            _ => "work",
        };
        Some(format!("life {}: {part}", number + 1))
    }
}

/// For each part the numbers of states acknowledged, and begun, by these operations.
pub(super) fn known(operations: &[Operation], parts: usize) -> Vec<(usize, usize)> {
    let mut known = vec![(0, 0); parts];
    for operation in operations {
        match operation {
            Operation::Note(Note::Begun(number)) => known[0].1 = *number,
            Operation::Note(Note::Acknowledged(number)) => known[0].0 = *number,
            Operation::Note(Note::PartBegun { part, number }) => known[*part].1 = *number,
            Operation::Note(Note::PartAcknowledged { part, number }) => known[*part].0 = *number,
            _ => {}
        }
    }
    known.into_iter().map(|(acknowledged, begun)| (acknowledged, begun.max(acknowledged))).collect()
}
