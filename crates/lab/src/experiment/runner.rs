//! Runs the points of a plan, each once a repetition.
//!
//! Each repetition runs all points, so that what else the machine does meets all of them; where the experiment says so,
//! in an order drawn anew.

use common::Result;

use super::ArmOf;
use super::declaration::Declaration;
use super::factor::{Role, Values};
use super::measured::Arm;
use super::plan::{Plan, Turn};
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
        plan.points.iter().map(|setting| Arm { setting: *setting, facts: None, runs: Vec::new() }).collect();
    let mut position = 0;
    for (repetition, order) in (1..).zip(orders(declared, plan)) {
        for at in order {
            let arm = &mut arms[at];
            if repetition > 1 && (declared.once)(&arm.setting) {
                continue;
            }
            position += 1;
            let crossed = arm.setting.factors().iter().filter(|factor| factor.role == Role::Crossed);
            let crossed: String =
                crossed.map(|factor| format!(", {}: {}", factor.name, arm.setting.number(factor))).collect();
            progress.step(&format!("repetition {repetition} of {}: {}{crossed}", plan.repetitions, arm.setting.name()));
            arm.runs.push(work.run(arm.setting, Turn { repetition, position }, progress)?);
            arm.facts = Some(work.facts(arm.setting)?);
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

/// What a reader of the figures has to know of the run.
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

/// `in random order, seed 1 (M manual, A auto, then FREELISTS): M1 A1 M5 | M5 M1 A1`.
fn order_in_words(plan: &Plan) -> String {
    let factors = plan.points.first().map_or(&[][..], |point| point.factors());
    // Crossed factors that have several values.
    let several: Vec<_> = factors
        .iter()
        .filter(|factor| factor.role == Role::Crossed)
        .filter(|factor| plan.points.iter().any(|point| point.value(factor) != plan.points[0].value(factor)))
        .collect();
    let mut legend = Vec::new();
    for factor in factors.iter().filter(|factor| factor.role != Role::Crossed) {
        match factor.values {
            Values::Words(words) => legend.extend(words.iter().map(|word| {
                let letter: String = word.chars().take(1).flat_map(char::to_uppercase).collect();
                format!("{letter} {word}")
            })),
            _ if factor.short.is_empty() => legend.push(format!("then {}", factor.name)),
            _ if plan.points.iter().any(|point| point.extras().any(|extra| extra == *factor)) => {
                legend.push(format!("{} {}", factor.short, factor.name));
            }
            _ => {}
        }
    }
    legend.extend(several.iter().map(|factor| format!("{} {}", factor.short, factor.name)));
    let of = |at: &usize| {
        let point = &plan.points[*at];
        let crossed = several.iter().map(|factor| format!("{}{}", factor.short, point.number(factor)));
        format!("{}{}", point.short(), crossed.collect::<String>())
    };
    let orders: Vec<String> =
        plan.shuffled().iter().map(|order| order.iter().map(of).collect::<Vec<_>>().join(" ")).collect();
    format!("in random order, seed {} ({}): {}", plan.seed, legend.join(", "), orders.join(" | "))
}
