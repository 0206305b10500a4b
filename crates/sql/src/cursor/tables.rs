//! The tables and views that one statement of a session can name.

use std::sync::Arc;

use common::Result;
use common::sync::atomic::AtomicUsize;
use engine::catalog::{Catalog, ObjectPrivilege};
use engine::instance::Session;

use super::database::Database;
use crate::plan::binder::{Hints, Relation, TableColumn, Tables};
use crate::scan::sink::ROWID_TYPE;
use crate::scan::table::{EngineTable, ROWID};
use crate::views;

/// Name resolution for one statement.
#[derive(Debug)]
pub(crate) struct SessionTables {
    pub(crate) database: Arc<Database>,
    pub(crate) session: Arc<Session>,
    pub(crate) catalog: Arc<Catalog>,
    /// Where names without an owner are looked up.
    pub(crate) schema: String,
    /// Rows that the fetch going on wants; 0 for as many as come.
    pub(crate) demand: Arc<AtomicUsize>,
}

impl Tables for SessionTables {
    fn relation(&self, owner: Option<&str>, name: &str, hints: &Hints) -> Result<Option<Relation>> {
        let schema = owner.unwrap_or(&self.schema);
        if let Some(table) = self.catalog.table(schema, name) {
            self.catalog.check_table(&self.session.user(), table, ObjectPrivilege::Select)?;
            let mut columns: Vec<TableColumn> = table
                .columns
                .iter()
                .map(|column| TableColumn {
                    name: column.name.clone(),
                    data_type: column.data_type,
                    nullable: column.nullable,
                    pseudo: false,
                })
                .collect();
            columns.push(TableColumn { name: ROWID.to_owned(), data_type: ROWID_TYPE, nullable: false, pseudo: true });
            let provider =
                EngineTable::new(Arc::clone(&self.session), Arc::clone(table), hints.clone(), Arc::clone(&self.demand));
            return Ok(Some(Relation { owner: table.owner.clone(), columns, provider }));
        }
        let full_name = format!("{schema}.{name}");
        if let Some((_, error)) = self.catalog.unusable().find(|(unusable, _)| *unusable == full_name) {
            return Err(error.clone());
        }
        if owner.is_some_and(|owner| owner != "SYS" && owner != "PUBLIC") {
            return Ok(None);
        }
        let Some(view) = views::find(name) else { return Ok(None) };
        // DBA_ views show everybody's objects: without the privilege they do not exist.
        let everything = engine::catalog::SystemPrivilege::SelectAnyDictionary;
        if name.starts_with("DBA_") && !self.catalog.has_system_privilege(&self.session.user(), everything) {
            return Ok(None);
        }
        let columns = view
            .columns
            .iter()
            .map(|column| TableColumn {
                name: column.name.to_owned(),
                data_type: column.data_type,
                nullable: true,
                pseudo: false,
            })
            .collect();
        let source = views::ViewContext {
            database: Arc::clone(&self.database),
            session: Arc::clone(&self.session),
            catalog: Arc::clone(&self.catalog),
        };
        let provider = views::provider(view, source);
        Ok(Some(Relation { owner: "SYS".to_owned(), columns, provider }))
    }
}
