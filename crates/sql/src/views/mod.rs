//! Dictionary views and V$ views: tables whose rows are computed from the catalog and from the instance's figures when
//! they are read.
//!
//! Each file declares some views: name, columns, and the function that makes the rows. Names, columns and types are
//! Oracle's; columns without a counterpart in Highwater are left out.

mod active_sessions;
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

const VIEWS: &[&[View]] = &[
    active_sessions::VIEWS,
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
    all().find(|view| view.name == name).map(|view| Found::new(view, global))
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static View> {
    VIEWS.iter().copied().flatten()
}
