//! The scans: a query that keeps 0.66 % of the rows, with nothing cached, by cells or by the session's reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Error, Result};
use drive::{ArmTimes, Spindle};
use waits::Statistic;

use super::groups::{DISKS, Groups, OWNERS, bytes_below_high_water, seconds_of_model};
use super::measured::{Rest, Run};
use super::setting::READ_COUNT;
use super::{BLOCKS, Known, Paper};
use crate::experiment::plan::{Plan, Turn};
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::laboratory::{Laboratory, numbers, whole};
use crate::modelled_run::{ModelledRun, process_cpu_us};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

/// A database with a cell.
#[derive(Debug)]
pub struct Work {
    laboratory: Laboratory,
    run: ModelledRun,
    groups: Groups,
    repetitions: u32,
    /// The runs of an arm are made together, while its group is there; those that were not asked for yet.
    made: BTreeMap<String, Vec<Run>>,
}

impl Workload for Work {
    type Run = Run;
    type Rest = Rest;
    type Known = Known;
    type Paper = Paper;

    fn open(plan: &Plan, _: &mut dyn Progress) -> Result<Self> {
        let run = plan.options.device.clone().ok_or_else(|| Error::bug("the experiment has no model"))?;
        let mut files = None;
        let make = |clock: &Arc<dyn common::Clock>| {
            let cells = run.cells(clock);
            files = Some(Arc::clone(&cells));
            cells as Arc<dyn device::FileSystem>
        };
        let parameters = [("_serial_direct_read", "ALWAYS".to_owned()), ("db_cache_size", "64M".to_owned())];
        let laboratory = Laboratory::create_on(plan.options.data.as_deref(), make, parameters)?;
        let files = files.ok_or_else(|| Error::bug("the database has no files"))?;
        let groups = Groups::new(&laboratory, &run, &files, plan)?;
        Ok(Self { laboratory, run, groups, repetitions: plan.repetitions, made: BTreeMap::new() })
    }

    fn run(&mut self, setting: Setting, turn: Turn, progress: &mut dyn Progress) -> Result<Run> {
        let key = setting.short();
        if turn.repetition == 1 {
            let mut connection = self.laboratory.connect()?;
            let table = self.groups.prepare(&mut connection, setting, progress)?;
            drop(connection);
            let mut runs = Vec::new();
            for repetition in 1..=self.repetitions {
                progress.step(&format!("{}: scan {repetition} of {}", setting.name(), self.repetitions));
                runs.push(self.scan(&table, setting, repetition)?);
            }
            runs.reverse();
            self.made.insert(key.clone(), runs);
        }
        let run = self.made.get_mut(&key).and_then(Vec::pop);
        run.ok_or_else(|| Error::bug(format!("no run of {} is left", setting.name())))
    }

    fn rest(&mut self, _: &mut dyn Progress) -> Result<Rest> {
        let (outer_mb_per_s, inner_mb_per_s) = self.groups.alone()?;
        Ok(Rest { outer_mb_per_s, inner_mb_per_s, disks: u32::from(DISKS) })
    }

    fn notes(&self) -> Vec<String> {
        let together = match self.groups.side_by_side {
            true => "the groups of the first round are side by side",
            false => "there is no room for three groups at once, so each is made when its turn comes, in its own place",
        };
        vec![format!(
            "{together}; the runs of an arm follow each other; loads take no time of the devices; times are the model's, {} times shorter than the machine's",
            self.run.dilate().get()
        )]
    }

    fn close(self) -> Result<()> {
        self.laboratory.close()
    }
}

/// What the arms of all disks have spent their time on so far.
fn arms(spindles: &[Arc<Spindle>]) -> ArmTimes {
    let mut sum = ArmTimes::default();
    spindles.iter().filter_map(|spindle| spindle.arm()).for_each(|arm| sum += arm);
    sum
}

impl Work {
    fn scan(&self, table: &str, setting: Setting, repetition: u32) -> Result<Run> {
        let mut connection = self.laboratory.connect()?;
        let count = setting.number(&READ_COUNT);
        if count > 0 {
            connection.run("alter session set cell_offload_processing = false")?;
            connection.run(&format!("alter session set db_file_multiblock_read_count = {count}"))?;
        }
        let segment_bytes = bytes_below_high_water(&connection, table)?;
        connection.run("alter system flush buffer_cache")?;
        // The statement's own text: V$SQL has the figures of this run alone.
        let text = format!(
            "select /* {} {repetition} */ count(*), max(object_id), max(owner), max(object_name), max(pad), max(created) \
             from {table} where owner = 'OWNER7'",
            setting.short()
        );
        let meter = Arc::clone(connection.session().meter());
        let clock = Arc::clone(meter.clock());
        let spindles = self.groups.spindles();
        let (before, arms_before) = (meter.snapshot(), arms(&spindles));
        let (cpu_us, process_us, at_us) = (clock.thread_cpu_us(), process_cpu_us(), clock.monotonic_us());
        let rows = connection.query(&text)?;
        let real_us = clock.monotonic_us() - at_us;
        let session_cpu_s = seconds(clock.thread_cpu_us() - cpu_us);
        let process_s = seconds(process_cpu_us() - process_us);
        let (counted, arms) = (meter.snapshot().minus(&before), arms(&spindles) - arms_before);
        let figures = numbers(
            &mut connection,
            &format!(
                "select io_cell_offload_eligible_bytes, io_interconnect_bytes, io_cell_offload_returned_bytes from v$sql \
                 where sql_text = '{}'",
                text.replace('\'', "''")
            ),
        )?;
        let figure = |at: usize| figures.get(at).copied().unwrap_or(0);
        let found = rows.first().and_then(|row| row.first()).and_then(whole).unwrap_or(0);
        let elapsed_s = seconds_of_model(real_us, self.run.dilate());
        let busy_s = (arms.seek_us + arms.rotation_us + arms.transfer_us) / 1e6;
        Ok(Run {
            repetition,
            elapsed_s,
            real_s: seconds(real_us),
            session_cpu_s,
            cell_cpu_s: (process_s - session_cpu_s).max(0.0),
            rows: found,
            segment_bytes,
            eligible_bytes: figure(0),
            interconnect_bytes: figure(1),
            returned_bytes: figure(2),
            scan_requests: counted.value(Statistic::CellScanRequests),
            reads: counted.value(Statistic::PhysicalReadIoRequests),
            seek_s: arms.seek_us / 1e6,
            rotation_s: arms.rotation_us / 1e6,
            transfer_s: arms.transfer_us / 1e6,
            idle_s: (elapsed_s * f64::from(DISKS) - busy_s).max(0.0),
            positioned: arms.positioned,
            streamed: arms.streamed,
        })
    }
}

/// The work in a sentence.
pub(super) fn about(plan: &Plan) -> String {
    format!(
        "A table of {} blocks is scanned for one of {OWNERS} owners, uncached, on a cell of {DISKS} modelled disks.",
        grouped((BLOCKS * plan.scale) as u64)
    )
}
