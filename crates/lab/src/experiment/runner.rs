//! Runs the points of a plan, each once a repetition.
//!
//! Each repetition runs all points, so that other load of the machine meets all of them; if the experiment is declared
//! so, in an order drawn anew.

use common::Result;

use super::ArmOf;
use super::declaration::Declaration;
use super::factor::{Factor, Role};
use super::measured::Arm;
use super::plan::{Plan, Turn};
use super::setting::Setting;
use super::workload::Workload;
use crate::progress::Progress;

/// Runs all points; the arms come back in their order.
pub(super) fn run<W: Workload>(
    declared: &Declaration<W>,
    work: &mut W,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<Vec<ArmOf<W>>> {
    let mut arms: Vec<ArmOf<W>> =
        plan.points.iter().map(|setting| Arm { setting: *setting, runs: Vec::new() }).collect();
    let mut position = 0;
    for (repetition, order) in (1..).zip(orders(declared, plan)) {
        for at in order {
            let arm = &mut arms[at];
            if repetition > 1 && (declared.once)(&arm.setting) {
                continue;
            }
            position += 1;
            let crossed: Vec<&Factor> = declared.of_role(Role::Crossed).collect();
            let crossed = with(&arm.setting, &crossed, |factor| format!(", {}: ", factor.name));
            progress.step(&format!("repetition {repetition} of {}: {}{crossed}", plan.repetitions, arm.setting.name()));
            arm.runs.push(work.run(arm.setting, Turn { repetition, position }, progress)?);
        }
    }
    Ok(arms)
}

fn orders<W: Workload>(declared: &Declaration<W>, plan: &Plan) -> Vec<Vec<usize>> {
    if declared.shuffled {
        return plan.shuffled();
    }
    vec![(0..plan.points.len()).collect(); plan.repetitions as usize]
}

/// Notes on the run that a reader of the figures must know.
pub(super) fn notes<W: Workload>(declared: &Declaration<W>, work: &W, plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if declared.shuffled {
        notes.push(order_in_words(plan));
    }
    notes.extend(work.notes());
    if cfg!(debug_assertions) {
        notes.push("A DEBUG BUILD: times, rates and waits mean nothing".to_owned());
    }
    notes
}

/// `in random order, seed 1 (M1 is manual, freelists 1): M1 A1 M5 | M5 M1 A1`.
fn order_in_words(plan: &Plan) -> String {
    let Some(first) = plan.points.first() else { return String::new() };
    let several = |factor: &&Factor| {
        factor.role == Role::Crossed && plan.points.iter().any(|point| point.value(factor) != first.value(factor))
    };
    let crossed: Vec<&Factor> = first.factors().iter().copied().filter(several).collect();
    let short = |point: &Setting| point.short() + &with(point, &crossed, |factor| factor.short.to_owned());
    let name = first.name() + &with(first, &crossed, |factor| format!(", {}: ", factor.name));
    let of = |order: &Vec<usize>| order.iter().map(|at| short(&plan.points[*at])).collect::<Vec<_>>().join(" ");
    let orders: Vec<String> = plan.shuffled().iter().map(of).collect();
    format!("in random order, seed {} ({} is {name}): {}", plan.seed, short(first), orders.join(" | "))
}

/// Crossed factors of a point, each value behind a word.
fn with(point: &Setting, crossed: &[&Factor], word: impl Fn(&Factor) -> String) -> String {
    crossed.iter().map(|factor| format!("{}{}", word(factor), point.number(factor))).collect()
}
