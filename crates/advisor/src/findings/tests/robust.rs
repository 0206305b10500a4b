//! Whatever figures a file holds: an answer for every id, shares between 0 and 1, savings that are no negative time.

use report::figure::Figure;
use report::model::Report;

use super::catalogue::shown;
use crate::findings::{examine, ids};

/// Values that no report should hold, and some do.
const NASTY: &[f64] =
    &[0.0, -1.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e18, 1e-300, 18_446_744_073_709_551_615.0];

/// Numbers from a seed (Knuth's multiplier), so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn change(&mut self, value: &mut f64) {
        if self.throw(4) == 0 {
            *value = NASTY[self.throw(NASTY.len())];
        }
    }

    fn option(&mut self, value: &mut Option<f64>) {
        match value {
            Some(number) => self.change(number),
            None if self.throw(8) == 0 => *value = Some(NASTY[self.throw(NASTY.len())]),
            None => {}
        }
        if self.throw(20) == 0 {
            *value = None;
        }
    }

    fn figure(&mut self, value: &mut Option<Figure>) {
        if let Some(figure) = value {
            self.change(&mut figure.value);
            self.change(&mut figure.step);
        }
    }
}

fn spoil(report: &mut Report, dice: &mut Dice) {
    let window = &mut report.window;
    for value in [
        &mut window.elapsed_s,
        &mut window.db_time_s,
        &mut window.db_cpu_s,
        &mut window.begin.sessions,
        &mut window.end.sessions,
    ] {
        dice.option(value);
    }
    let host = &mut report.host;
    for value in
        [&mut host.cpus, &mut host.load_begin, &mut host.load_end, &mut host.idle_percent, &mut host.memory_bytes]
    {
        dice.option(value);
    }
    for list in [&mut report.foreground_events, &mut report.background_events] {
        for event in list.iter_mut().flatten() {
            dice.figure(&mut event.waits);
            dice.figure(&mut event.total_s);
            dice.figure(&mut event.average_ms);
        }
    }
    report.time_model.iter_mut().flatten().for_each(|line| dice.figure(&mut line.seconds));
    report.statistics.iter_mut().flatten().for_each(|line| dice.option(&mut line.total));
    report.buffer_waits.iter_mut().flatten().for_each(|line| {
        dice.option(&mut line.waits);
        dice.figure(&mut line.total_s);
    });
    report.files.iter_mut().flatten().for_each(|line| {
        dice.figure(&mut line.reads);
        dice.figure(&mut line.read_ms);
        dice.option(&mut line.blocks_per_read);
    });
    report.sql.iter_mut().flatten().flat_map(|section| &mut section.statements).for_each(|line| {
        dice.figure(&mut line.elapsed_s);
        dice.option(&mut line.executions);
    });
    report
        .segments
        .iter_mut()
        .flatten()
        .flat_map(|section| &mut section.segments)
        .for_each(|line| dice.option(&mut line.value));
    if let Some(undo) = &mut report.undo {
        dice.option(&mut undo.snapshot_too_old);
        dice.option(&mut undo.out_of_space);
    }
    if dice.throw(10) == 0 {
        report.cut = true;
    }
}

#[test]
fn no_figures_make_an_answer_that_cannot_be() {
    for seed in 0..100 {
        for (at, (_, mut report)) in shown().into_iter().enumerate() {
            let mut dice = Dice(seed * 1_000 + at as u64);
            spoil(&mut report, &mut dice);
            let analysis = examine(&report);
            let answers = analysis.findings.len() + analysis.ruled_out.len() + analysis.cannot_tell.len();
            assert_eq!(answers, ids().count(), "seed {seed}, report {at}");
            for finding in &analysis.findings {
                let severity = finding.severity.unwrap_or(0.0);
                assert!((0.0..=1.0).contains(&severity), "seed {seed}, report {at}: {} {severity}", finding.id);
                assert!(finding.seconds.is_none_or(|time| time >= 0.0), "seed {seed}, report {at}: {}", finding.id);
                if let Some(saving) = &finding.saving {
                    assert!(saving.low_s >= 0.0, "seed {seed}, report {at}: {} {saving:?}", finding.id);
                    assert!(
                        saving.high_s.is_none_or(|high| high >= saving.low_s),
                        "seed {seed}, report {at}: {} {saving:?}",
                        finding.id
                    );
                }
            }
            assert!(
                analysis.figures.values().all(|value| value.is_finite()),
                "seed {seed}, report {at}: {:?}",
                analysis.figures
            );
        }
    }
}
