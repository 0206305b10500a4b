//! Synonyms: an owner and a name, resolved when a statement uses the synonym.

use common::ObjectNumber;

/// A synonym.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SynonymDef {
    pub object: ObjectNumber,
    /// PUBLIC for a public synonym.
    pub owner: String,
    pub name: String,
    pub target_owner: String,
    pub target_name: String,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    pub changed_us: u64,
}
