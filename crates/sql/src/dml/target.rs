//! The target table of a DML statement.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ObjectPrivilege, SchemaObject, TableDef};
use sqlparser::ast::ObjectName;

use crate::cursor::connection::Connection;
use crate::optimizer::loops_table::LoopsExec;
use crate::plan::binder::owner_and_name;
use crate::scan::exec::TableReadExec;

impl Connection {
    /// The table of this name, when the user may change it.
    pub(crate) fn target(&self, name: &ObjectName, privilege: ObjectPrivilege) -> Result<Arc<TableDef>> {
        let (owner, table) = owner_and_name(name)?;
        let catalog = self.session.catalog();
        let user = self.effective_user();
        let resolved = catalog.resolve(&self.schema, owner.as_deref(), &table)?;
        let found = match &resolved.object {
            Some(SchemaObject::Table(found)) => found,
            Some(object @ SchemaObject::View(view)) => {
                catalog.check_object(&user, object, privilege)?;
                if view.read_only {
                    return Err(Error::user(
                        42399,
                        format!("cannot perform a DML operation on a read-only view: {}", view.qualified_name()),
                    ));
                }
                return Err(Error::unsupported(format!("{privilege} through a view: {}", view.qualified_name())));
            }
            Some(object @ SchemaObject::External(table)) => {
                catalog.check_object(&user, object, privilege)?;
                return Err(table.refused());
            }
            Some(SchemaObject::Sequence(_) | SchemaObject::Synonym(_) | SchemaObject::Directory(_)) => {
                return Err(Error::user(2201, format!("sequence not allowed here: {name}")));
            }
            Some(SchemaObject::Program(_)) => {
                return Err(Error::user(4044, format!("procedure, function or package is not allowed here: {name}")));
            }
            None => {
                // A damaged table reports its damage.
                catalog
                    .require_table(&resolved.owner, &resolved.name)
                    .map(drop)
                    .or_else(|error| if error.is_ora(942) { Ok(()) } else { Err(error) })?;
                if crate::views::find(&resolved.name).is_some() {
                    return Err(Error::user(
                        2030,
                        format!("{} is a view of the dictionary or of figures: it can only be read", resolved.name),
                    ));
                }
                return Err(Error::user(942, format!("table or view does not exist: {name}")));
            }
        };
        catalog.check_table(&user, found, privilege)?;
        if found.is_dictionary() {
            return Err(Error::user(
                1031,
                format!("insufficient privileges: {} is part of the dictionary", found.name),
            ));
        }
        Ok(Arc::clone(found))
    }
}

/// True: the plan reads the table.
pub(crate) fn reads(plan: &Arc<dyn ExecutionPlan>, table: &TableDef) -> bool {
    let node: &dyn std::any::Any = plan.as_ref();
    node.downcast_ref::<TableReadExec>().is_some_and(|read| read.spec.table.object == table.object)
        || node.downcast_ref::<LoopsExec>().is_some_and(|loops| loops.reads(table.object))
        || plan.children().into_iter().any(|child| reads(child, table))
}
