//! A run, as it can be looked at afterwards.

use crate::disk::{Image, Note, Operation};

use super::State;

/// Everything that was done to the disk, and what must be there after it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The disk before the first operation, all of it durable.
    pub base: Image,
    pub operations: Vec<Operation>,
    /// The states in order; [`Note`]s in the operations name them by their number.
    pub states: Vec<State>,
    /// The error that ended the run early, if one did.
    pub ended_by: Option<String>,
    /// Statements of the engine that were made.
    pub statements: usize,
}

impl Recording {
    /// A figure that is the same when the same was done in the same order.
    #[must_use]
    pub fn trace(&self) -> u32 {
        self.operations.iter().fold(0, |sum, operation| operation.trace(sum))
    }

    /// The states that were acknowledged, and begun, before the operation at `place`.
    #[must_use]
    pub fn known_at(&self, place: usize) -> (usize, usize) {
        let (mut acknowledged, mut begun) = (0, 0);
        for operation in &self.operations[..place] {
            match operation {
                Operation::Note(Note::Begun(number)) => begun = *number,
                Operation::Note(Note::Acknowledged(number)) => acknowledged = *number,
                _ => {}
            }
        }
        (acknowledged, begun.max(acknowledged))
    }
}
