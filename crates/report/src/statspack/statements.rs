//! The statements that create a table of snapshots, fill it, read it and purge it.

use super::value::{Column, KEY_COLUMNS, Table};

impl Table {
    /// `create table PERFSTAT.STATS$SYSSTAT (SNAP_ID NUMBER, …, primary key (SNAP_ID, DBID, INSTANCE_NUMBER, NAME))`
    #[must_use]
    pub fn create_statement(&self, schema: &str) -> String {
        let columns: Vec<String> = self.columns().map(|column| format!("{} {}", column.name, column.kind)).collect();
        let key = names(self.columns().filter(|column| column.key));
        format!("create table {schema}.{} ({}, primary key ({key}))", self.name, columns.join(", "))
    }

    /// `insert into PERFSTAT.STATS$SYSSTAT (SNAP_ID, …) values (:1, …)`: a bind variable for each value of a row, in
    /// their order.
    #[must_use]
    pub fn insert_statement(&self, schema: &str) -> String {
        let binds: Vec<String> = (1..=self.columns().count()).map(|at| format!(":{at}")).collect();
        format!("insert into {schema}.{} ({}) values ({})", self.name, names(self.columns()), binds.join(", "))
    }

    /// `select SNAP_ID, … from PERFSTAT.STATS$SYSSTAT where SNAP_ID = :1 and DBID = :2 and INSTANCE_NUMBER = :3`: the
    /// rows of one snapshot, their values in the order in which [`Snapshot::from_rows`](super::Snapshot::from_rows)
    /// takes them.
    #[must_use]
    pub fn select_statement(&self, schema: &str) -> String {
        format!("select {} from {schema}.{} where {}", names(self.columns()), self.name, of_one_snapshot())
    }

    /// `delete from PERFSTAT.STATS$SYSSTAT where …`: the rows of one snapshot, by the same bind variables.
    #[must_use]
    pub fn delete_statement(&self, schema: &str) -> String {
        format!("delete from {schema}.{} where {}", self.name, of_one_snapshot())
    }
}

fn names<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    columns.map(|column| column.name).collect::<Vec<_>>().join(", ")
}

fn of_one_snapshot() -> String {
    let conditions = KEY_COLUMNS.iter().enumerate().map(|(at, column)| format!("{} = :{}", column.name, at + 1));
    conditions.collect::<Vec<_>>().join(" and ")
}
