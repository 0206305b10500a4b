//! Of `bench block-size`, the updates: all rows get a second value, in place where the blocks have been left room for
//! it, with migration where they have not.

use std::sync::Arc;

use common::{Clock, Result};
use engine::instance::Session;
use sql::Connection;

use super::outcome::Case;
use crate::laboratory::{Laboratory, numbers};
use crate::text::grouped;
use crate::time::seconds;
use peer::Postgres;

/// The published rows, at scale 1.
const ROWS: f64 = 200_000.0;
const TABLE: &str = "growth";
const UPDATE: &str = "update growth set n2 = n1";

/// One of the two settings: the free part of a block, the part of a page that may be filled, and the required ratio.
#[derive(Clone, Copy, Debug)]
struct Room {
    name: &'static str,
    pctfree: u32,
    fillfactor: u32,
    least: f64,
}

const ROOMS: [Room; 2] = [
    Room { name: "update in place (PCTFREE 35, fillfactor 65)", pctfree: 35, fillfactor: 65, least: 1.5 },
    Room { name: "update with migration (PCTFREE 10, fillfactor 90)", pctfree: 10, fillfactor: 90, least: 1.0 },
];

/// Rows a second of one side's runs in one setting.
#[derive(Default)]
struct Rates {
    update: Vec<f64>,
    durable: Vec<f64>,
}

impl Rates {
    fn add(&mut self, rows: u64, update_s: f64, checkpoint_s: f64) {
        self.update.push(rows as f64 / update_s);
        self.durable.push(rows as f64 / (update_s + checkpoint_s));
    }
}

/// The updates of all runs.
#[derive(Default)]
pub(super) struct Growth {
    rows: u64,
    ours: [Rates; ROOMS.len()],
    theirs: [Rates; ROOMS.len()],
    /// Of the last of our runs: rows that have moved; of PostgreSQL's: updates that stayed in their page.
    migrated: [u64; ROOMS.len()],
    in_page: [u64; ROOMS.len()],
}

impl Growth {
    pub(super) fn new(scale: f64) -> Self {
        Self { rows: (ROWS * scale).round().max(1.0) as u64, ..Self::default() }
    }

    /// One run of ours in both settings.
    pub(super) fn ours(&mut self, laboratory: &Laboratory, connection: &mut Connection) -> Result<()> {
        let session: Arc<Session> = Arc::clone(connection.session());
        let clock = Arc::clone(session.meter().clock());
        let checkpoint = || laboratory.database().instance().checkpoint(session.meter());
        for (at, room) in ROOMS.iter().enumerate() {
            connection.run(&format!(
                "create table {TABLE} (n1 number, n2 number) pctfree {} tablespace bench_tbs",
                room.pctfree
            ))?;
            connection.run(&format!(
                "insert into {TABLE} (n1) select 10000000 + mod(level * 7919, 90000000) from dual connect by level <= {}",
                self.rows
            ))?;
            connection.run("commit")?;
            checkpoint()?;
            let from_us = clock.monotonic_us();
            connection.run(UPDATE)?;
            connection.run("commit")?;
            let updated_us = clock.monotonic_us();
            checkpoint()?;
            let written_us = clock.monotonic_us();
            self.ours[at].add(self.rows, seconds(updated_us - from_us), seconds(written_us - updated_us));
            connection.run(&format!("analyze table {TABLE} compute statistics"))?;
            let query =
                format!("select num_rows, chain_cnt from user_tables where table_name = '{}'", TABLE.to_uppercase());
            self.migrated[at] = numbers(connection, &query)?.get(1).copied().unwrap_or(0);
            connection.run(&format!("drop table {TABLE}"))?;
        }
        Ok(())
    }

    /// One run of PostgreSQL's in both settings.
    pub(super) fn theirs(&mut self, server: &mut Postgres) -> Result<()> {
        for (at, room) in ROOMS.iter().enumerate() {
            server.run(&format!("drop table if exists {TABLE}"))?;
            server
                .run(&format!("create table {TABLE} (n1 bigint, n2 bigint) with (fillfactor = {})", room.fillfactor))?;
            server.run(&format!(
                "insert into {TABLE} (n1) select 10000000 + mod(n * 7919, 90000000) from generate_series(1, {}) as n",
                self.rows
            ))?;
            // The state after an autovacuum: with statistics and the map of free space.
            server.run(&format!("vacuum (analyze) {TABLE}"))?;
            server.run("checkpoint")?;
            let from_us = server.clock().monotonic_us();
            server.run(UPDATE)?;
            let updated_us = server.clock().monotonic_us();
            server.run("checkpoint")?;
            let written_us = server.clock().monotonic_us();
            self.theirs[at].add(self.rows, seconds(updated_us - from_us), seconds(written_us - updated_us));
            server.run("select pg_stat_force_next_flush()")?;
            self.in_page[at] = server.number(&format!("select pg_stat_get_tuples_hot_updated('{TABLE}'::regclass)"))?;
        }
        Ok(())
    }

    pub(super) fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ((room, ours), theirs) in ROOMS.iter().zip(&self.ours).zip(&self.theirs) {
            let case = |name: &str, limit, ours: &Vec<f64>, theirs: &Vec<f64>| {
                Case::new(name, "rows/s", "PostgreSQL", limit, ours.clone(), theirs.clone())
            };
            cases.push(case(room.name, Some(room.least), &ours.update, &theirs.update));
            cases.push(case(&format!("{} and checkpoint", room.name), None, &ours.durable, &theirs.durable));
        }
        cases
    }

    pub(super) fn note(&self) -> String {
        let shares: Vec<String> = ROOMS
            .iter()
            .zip(self.migrated.iter().zip(&self.in_page))
            .map(|(room, (migrated, in_page))| {
                format!(
                    "PCTFREE {}: {} rows migrated; fillfactor {}: {} updates stayed in their page (HOT)",
                    room.pctfree,
                    grouped(*migrated),
                    room.fillfactor,
                    grouped(*in_page)
                )
            })
            .collect();
        format!("updates: {} rows of a new table, blocks of 8 KB each. {}", grouped(self.rows), shares.join("; "))
    }
}
