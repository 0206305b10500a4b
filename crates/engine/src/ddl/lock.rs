//! Table locks of DDL statements, which do not wait.

use common::{Error, ErrorKind, Number, Result};

use crate::dictionary::TableDef;
use crate::dictionary::lock::ExclusiveLock;
use crate::instance::Session;
use storage::txn::{self, LockWait};

/// Locks a table for DDL.
///
/// # Errors
/// ORA-00054 when rows of it are being changed.
pub(super) fn lock_for_ddl(session: &Session, table: &TableDef) -> Result<ExclusiveLock> {
    session.lock_table(table.object, txn::TableLock::Exclusive, LockWait::NoWait)?;
    table.lock.try_exclusive().ok_or_else(|| {
        Error::new(
            ErrorKind::Retry,
            Number::Ora(54),
            format!("rows of table {} are being changed by another statement", table.qualified_name()),
        )
    })
}
