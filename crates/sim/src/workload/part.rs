//! Parts of the workload: each thread has tables and tablespaces of its own, told by their names, so that the expected
//! state is known for each thread alone. Without threads there is one part.

use common::sync::Arc;

use super::WorkloadState;

/// A name of a part's own.
pub(super) fn name(kind: &str, number: u32, part: usize) -> String {
    if part == 0 { format!("{kind}{number}") } else { format!("{kind}{number}_{part}") }
}

/// The part that a table or tablespace belongs to.
pub(super) fn owner(name: &str) -> usize {
    name.rsplit_once('_').and_then(|(_, part)| part.parse().ok()).unwrap_or(0)
}

/// The state of a part; all of it without threads.
pub(crate) fn of(state: &WorkloadState, part: usize, parts: usize) -> WorkloadState {
    if parts < 2 {
        return state.clone();
    }
    let mut own = state.clone();
    own.tables.retain(|name, _| owner(name) == part);
    Arc::make_mut(&mut own.tablespaces).retain(|name| owner(name) == part);
    own
}
