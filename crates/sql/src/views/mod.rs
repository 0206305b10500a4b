//! Dictionary views and V$ views: tables whose rows are computed from the catalog and from the instance's figures when
//! they are read.
//!
//! Each file declares some views: name, columns with their values, and the function that makes the rows. Names, columns
//! and types are Oracle's; columns without a counterpart in Highwater are left out.

mod active_sessions;
mod cells;
mod child_cursors;
mod columns;
mod constraints;
mod data_files;
mod directories;
mod disk_groups;
mod dual;
mod enqueues;
mod events;
mod files;
mod grants;
mod indexes;
mod instance;
mod jobs;
mod latches;
mod locks;
pub(crate) mod memory;
mod objects;
mod parameters;
mod plans;
mod programs;
mod recovery;
mod redo;
mod scheduler;
mod segment_space;
mod segment_statistics;
mod segments;
mod sequences;
mod session_wait;
mod sessions;
mod short_stacks;
mod sql_area;
pub(crate) mod statistics;
mod synonyms;
mod tables;
mod transactions;
mod triggers;
mod undo;
mod user_views;
mod users;
pub(crate) mod view;

pub(crate) use view::{Found, View, ViewContext, provider};

const VIEWS: &[&[&dyn View]] = &[
    active_sessions::VIEWS,
    cells::VIEWS,
    columns::VIEWS,
    constraints::VIEWS,
    data_files::VIEWS,
    disk_groups::VIEWS,
    directories::VIEWS,
    dual::VIEWS,
    enqueues::VIEWS,
    events::VIEWS,
    files::VIEWS,
    grants::VIEWS,
    indexes::VIEWS,
    instance::VIEWS,
    jobs::VIEWS,
    latches::VIEWS,
    locks::VIEWS,
    memory::VIEWS,
    objects::VIEWS,
    parameters::VIEWS,
    child_cursors::VIEWS,
    plans::VIEWS,
    programs::VIEWS,
    recovery::VIEWS,
    redo::VIEWS,
    scheduler::VIEWS,
    segment_space::VIEWS,
    segment_statistics::VIEWS,
    segments::VIEWS,
    sequences::VIEWS,
    session_wait::VIEWS,
    sessions::VIEWS,
    short_stacks::VIEWS,
    sql_area::VIEWS,
    statistics::VIEWS,
    synonyms::VIEWS,
    tables::VIEWS,
    transactions::VIEWS,
    triggers::VIEWS,
    undo::VIEWS,
    user_views::VIEWS,
    users::VIEWS,
];

/// The view of this name; V_$NAME, as grants name it, is V$NAME, and GV$NAME the V$NAME of every instance, of which
/// there is one.
pub(crate) fn find(name: &str) -> Option<Found> {
    let (name, global) = match name.strip_prefix("GV") {
        Some(rest) if rest.starts_with('$') || rest.starts_with("_$") => (&name[1..], true),
        _ => (name, false),
    };
    let short;
    let name = match name.strip_prefix("V_$") {
        Some(rest) => {
            short = format!("V${rest}");
            short.as_str()
        }
        None => name,
    };
    all().find(|view| view.name() == name).map(|view| Found::new(view, global))
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn View> {
    VIEWS.iter().copied().flatten().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    use common::SystemClock;
    use device::MemoryFileSystem;
    use engine::instance::Instance;
    use engine::startup::CreateOptions;

    use super::all;
    use crate::cursor::database::Database;

    #[test]
    fn names_of_views_and_of_their_columns_are_there_once() {
        let mut names = BTreeSet::new();
        for view in all() {
            assert!(names.insert(view.name()), "{} is declared twice", view.name());
            let mut columns = BTreeSet::new();
            for column in view.columns() {
                assert!(columns.insert(column.name), "{} has {} twice", view.name(), column.name);
            }
            assert_eq!(view.misnamed(), Vec::<&str>::new(), "{} leaves out what it does not have", view.name());
        }
    }

    /// Each value has its column's type: the statement fails otherwise.
    #[test]
    fn every_view_can_be_read() {
        let (files, clock) = (Arc::new(MemoryFileSystem::default()), Arc::new(SystemClock::default()));
        let parameters = vec![("db_cache_size".to_owned(), "32M".to_owned())];
        let options = CreateOptions { parameters, ..CreateOptions::default() };
        let instance = Instance::create(files, Path::new("/database"), clock, None, &options).unwrap();
        let mut connection = Database::new(instance).connect("system", None).unwrap();
        for statement in [
            "create table t (k number primary key, v varchar2(10) default 'x')",
            "insert into t (k) values (1)",
            "create synonym y for t",
            "create sequence q",
            "create view w as select k from t",
            "create procedure p is begin null; end;",
            "create trigger g before insert on t for each row begin null; end;",
            "analyze table t compute statistics",
            "explain plan for select * from t",
        ] {
            let cursor = connection.parse(statement).unwrap();
            connection.execute(cursor).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        let mut with_rows = 0;
        for view in all() {
            let cursor = connection.parse(&format!("select * from {}", view.name())).unwrap();
            let rows = connection.execute(cursor).and_then(|_| connection.fetch(cursor, 10_000));
            let rows = rows.unwrap_or_else(|error| panic!("{}: {error}", view.name())).rows;
            assert!(rows.iter().all(|row| row.len() == view.columns().len()), "{}", view.name());
            with_rows += usize::from(!rows.is_empty());
        }
        assert!(with_rows * 3 > all().count() * 2, "{with_rows} of {} views have rows", all().count());
    }
}
