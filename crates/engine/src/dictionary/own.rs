//! The dictionary's own numbers, sequences and tablespaces.

use common::ObjectNumber;

/// The first object number of users' objects; those below are the dictionary's.
pub(crate) const FIRST_USER_OBJECT: u32 = 1000;

/// The sequence of job numbers.
pub(crate) const JOB_SEQUENCE: &str = "JOBSEQ";

/// The sequence of entries in the scheduler's log.
pub(crate) const SCHEDULER_LOG_SEQUENCE: &str = "SCHEDULER$_LOGSEQ";

/// The default tablespace of users.
pub const DEFAULT_TABLESPACE: &str = "USERS";

/// The tablespace of the dictionary.
pub(crate) const SYSTEM_TABLESPACE: &str = "SYSTEM";

/// True: one of the dictionary's own tables.
pub(crate) fn is_dictionary(object: ObjectNumber) -> bool {
    object.0 < FIRST_USER_OBJECT
}
