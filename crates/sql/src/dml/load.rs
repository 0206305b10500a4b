//! INSERT /*+ APPEND */ … SELECT: conditions of a direct load.

use std::sync::Arc;

use engine::dictionary::{ConstraintKind, TableDef};
use sqlparser::ast::{self, SetExpr};

use super::trigger::{Event, Triggers};
use crate::cursor::connection::Connection;
use crate::plan::hints;

/// True: the statement asks for a direct load. Rows of VALUES are inserted as usual.
pub(super) fn asked(insert: &ast::Insert, query: &ast::Query) -> bool {
    !insert.optimizer_hints.is_empty()
        && !matches!(&*query.body, SetExpr::Values(_))
        && hints::parse(&insert.optimizer_hints).iter().any(|hint| hint.name == "APPEND")
}

/// True: the table can be loaded directly. Not when triggers fire, nor when a constraint must check the rows once they
/// are in the table: the transaction does not see them before its end.
pub(super) fn allowed(connection: &Connection, table: &Arc<TableDef>) -> bool {
    let in_the_way = |kind: ConstraintKind, deferrable: bool| deferrable || kind == ConstraintKind::ForeignKey;
    Triggers::of(connection, table, Event::Insert).is_none()
        && !table
            .constraints
            .iter()
            .any(|constraint| constraint.state.enabled && in_the_way(constraint.kind, constraint.state.deferrable))
}
