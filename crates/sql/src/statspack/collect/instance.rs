//! The instance itself: identity, parameters, statistics.

use common::Result;
use engine::instance::SessionKind;
use plsql::library::UsesValue;
use report::statspack::Snapshot;
use report::statspack::records::{Header, Instance, LibraryCache, Parameter as Setting, PgaStatistic, Sga, TimeModel};
use storage::parameters::Parameter;
use waits::{MeterSnapshot, Statistic};

use super::local;
use crate::cursor::connection::Connection;
use crate::views::memory;
use crate::views::statistics::TIME_MODEL;

pub(super) fn header(
    connection: &Connection,
    all: &MeterSnapshot,
    snapshot: &mut Snapshot,
    level: u64,
    comment: &str,
) -> Result<()> {
    let instance = connection.session.instance();
    let now_us = instance.clock().wall_us();
    let sessions = instance.sessions();
    snapshot.header = Header {
        time: local(now_us)?,
        utc_s: i64::try_from(now_us / 1_000_000).unwrap_or(i64::MAX),
        startup: local(instance.started_us())?,
        level,
        sessions: sessions.iter().filter(|session| session.kind == SessionKind::User).count() as u64,
        cursors: all.value(Statistic::OpenedCursorsCurrent),
        log_sequence: u64::from(instance.redo().sequence()),
        comment: comment.to_owned(),
    };
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    snapshot.instance = Instance {
        database: instance.database_name(),
        instance: instance.database_name().to_lowercase(),
        release: concat!(env!("CARGO_PKG_VERSION"), ".0.0").to_owned(),
        host: host.trim().to_owned(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    };
    Ok(())
}

pub(super) fn counters(connection: &Connection, all: &MeterSnapshot, snapshot: &mut Snapshot) {
    let instance = connection.session.instance();
    let system = instance.parameters();
    snapshot.parameters = Parameter::ALL
        .iter()
        .map(|parameter| Setting {
            name: parameter.name().to_owned(),
            value: system.value(*parameter).to_string(),
            is_default: system.is_default(*parameter),
        })
        .collect();
    let buffers = instance.cache().figures().iter().map(|pool| pool.capacity as u64 * pool.size.bytes() as u64).sum();
    snapshot.sga.push(Sga { name: "Database Buffers".to_owned(), bytes: buffers });
    snapshot.sga.push(Sga { name: "Redo Buffers".to_owned(), bytes: instance.redo().buffer_bytes() });
    let pga = |(name, value, _): memory::PgaLine| PgaStatistic { name: name.to_owned(), value };
    snapshot.pga = memory::pga(&connection.database).map(pga).to_vec();
    let namespace = |(namespace, uses): (&str, UsesValue)| LibraryCache {
        namespace: namespace.to_owned(),
        gets: uses.gets,
        get_hits: uses.hits,
        pins: uses.pins,
        pin_hits: uses.pin_hits,
        reloads: uses.reloads,
        invalidations: uses.invalidations,
    };
    snapshot.library_cache = memory::library_cache(&connection.database).map(namespace).to_vec();
    snapshot.time_model =
        TIME_MODEL.map(|(name, statistic)| TimeModel { name: name.to_owned(), micros: all.value(statistic) }).to_vec();
}
