//! Keys, parents and children on a database in memory.
