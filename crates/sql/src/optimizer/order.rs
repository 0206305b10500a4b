//! The order of joins: by dynamic programming over sets of inputs, one input after another; by the cheapest next one
//! where there are many.
//!
//! Each set has the cheapest way to join its inputs, and the cheapest one by nested loops alone, which another loop can
//! go on from. Inputs without a condition between them are joined only where there is no other way.
//!
//! Equalities of columns are transitive: `a = b and b = c` joins `a` and `c` too.

use std::collections::HashMap;
use std::sync::Arc;

use common::Error;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};
use engine::instance::Session;

use super::arrange::{Soon, condition, hash_join};
use super::cost::Cost;
use super::estimate::{Estimate, Joined};
use super::logical;
use super::loops_table::{Host, LoopsTable, has_types};
use crate::direct::nested_loops::looped;
use crate::direct::plan::{LoopEstimate, LoopKind, Stage, stage};
use crate::direct::value::Inputs;
use crate::error::to_datafusion;
use crate::plan::hints::{Hint, HintFate, Hints, Mark};
use crate::scan::access;
use crate::scan::table::EngineTable;

/// Inputs of a join whose sets are all looked at; beyond that the cheapest next input is joined.
const ALL_ORDERS: usize = 10;

/// A column of an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place {
    pub(super) input: usize,
    pub(super) column: usize,
}

/// An equality of two expressions over different inputs: of each side the expression, the inputs, and the column that
/// it is.
#[derive(Clone, Debug)]
pub(super) struct Equality {
    pub(super) sides: [(Expr, u64, Option<Place>); 2],
}

/// A condition about some of the inputs.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) expr: Expr,
    pub(super) inputs: u64,
    pub(super) equality: Option<Equality>,
}

struct Input {
    plan: LogicalPlan,
    estimate: Estimate,
    cost: Cost,
    /// Its table, where it is one.
    table: Option<Arc<EngineTable>>,
    /// Its rows one by one, where they can be read so.
    stage: Option<Stage>,
}

/// The inputs of joins and what joins them.
pub(super) struct Graph<'s> {
    session: &'s Arc<Session>,
    inputs: Vec<Input>,
    conditions: Vec<Condition>,
    /// Columns that are equal to each other.
    classes: Vec<Vec<(Place, Expr)>>,
    hints: JoinHints,
    /// Share of the tables' blocks that the cache holds.
    cached: f64,
    index_weight: f64,
    /// The share of the rows that is wanted soon.
    share: f64,
}

/// What hints say about the joins.
#[derive(Default)]
struct JoinHints {
    /// The inputs that come first, in this order.
    leading: Vec<usize>,
    use_loops: u64,
    use_hash: u64,
    use_merge: u64,
    no_loops: u64,
    no_hash: u64,
    /// The hints themselves, with the inputs that they name.
    all: Vec<(Hint, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    /// The first of an order.
    First,
    /// The rows of the set before, or those of the input, are held in memory.
    Hash {
        holds_input: bool,
    },
    /// Both are sorted, and their rows merged.
    Merge,
    Loops,
}

/// A way to join a set of inputs.
#[derive(Clone)]
struct Way {
    cost: Cost,
    /// The part of it that is spent before the first row.
    setup: Cost,
    estimate: Estimate,
    /// Where each input's columns begin in the estimate.
    offsets: Vec<(usize, usize)>,
    steps: Vec<(usize, Method)>,
    /// The loops, where it is loops alone.
    stage: Option<Stage>,
}

/// What joins a set with one more input.
#[derive(Default)]
struct Link {
    /// On the left the set's side.
    equalities: Vec<(Expr, Expr)>,
    places: Vec<(Option<Place>, Option<Place>)>,
    filters: Vec<Expr>,
}

impl Way {
    fn position(&self, place: Place) -> Option<usize> {
        let (_, offset) = self.offsets.iter().find(|(input, _)| *input == place.input)?;
        Some(offset + place.column)
    }
}

impl<'s> Graph<'s> {
    /// # Errors
    /// Errors of reading a table's size.
    pub(super) fn of(
        session: &'s Arc<Session>,
        plans: Vec<LogicalPlan>,
        values: Option<&Inputs<'_>>,
    ) -> common::Result<Self> {
        let mut inputs = Vec::with_capacity(plans.len());
        for plan in plans {
            let estimate = logical::estimate(session, &plan, values)?;
            let cost = logical::cost(session, &plan, values)?;
            let table = of_table(&plan);
            let stage = one_by_one(session, &plan, values)?;
            inputs.push(Input { plan, estimate, cost, table, stage });
        }
        let hints = JoinHints::of(&inputs);
        let index_weight = access::CostSettings::of(session).index_weight;
        let tables = inputs.iter().filter_map(|input| Some(input.table.as_ref()?.table()));
        let cached = access::cached_share(session, tables)?;
        Ok(Self {
            session,
            inputs,
            conditions: Vec::new(),
            classes: Vec::new(),
            hints,
            cached,
            index_weight,
            share: 1.0,
        })
    }

    /// Takes a condition. False where it names a column of none of the inputs.
    pub(super) fn place(&mut self, expr: Expr) -> bool {
        let schemas: Vec<_> = self.inputs.iter().map(|input| input.plan.schema().as_ref()).collect();
        let Some(found) = condition(expr, &schemas) else { return false };
        if let Some(Equality { sides: [(left, _, Some(l)), (right, _, Some(r))] }) = &found.equality
            && schemas[l.input].field(l.column).data_type() == schemas[r.input].field(r.column).data_type()
            && self.may_unite(*l, *r)
        {
            self.unite((*l, left.clone()), (*r, right.clone()));
            return true;
        }
        self.conditions.push(found);
        true
    }

    /// False where a class would have two columns of one input: a link looks at the first of them alone, so such an
    /// equality stays a condition of its own.
    fn may_unite(&self, one: Place, other: Place) -> bool {
        let class =
            |place: Place| self.classes.iter().position(|class| class.iter().any(|(member, _)| *member == place));
        let (of_one, of_other) = (class(one), class(other));
        if of_one.is_some() && of_one == of_other {
            return true;
        }
        let inputs = |class: Option<usize>, place: Place| match class {
            Some(at) => self.classes[at].iter().fold(0u64, |all, (member, _)| all | 1 << member.input),
            None => 1 << place.input,
        };
        inputs(of_one, one) & inputs(of_other, other) == 0
    }

    /// Two columns are equal.
    fn unite(&mut self, one: (Place, Expr), other: (Place, Expr)) {
        let of = |classes: &[Vec<(Place, Expr)>], place: Place| {
            classes.iter().position(|class| class.iter().any(|(member, _)| *member == place))
        };
        match (of(&self.classes, one.0), of(&self.classes, other.0)) {
            (Some(a), Some(b)) if a != b => {
                let merged = self.classes.remove(a.max(b));
                self.classes[a.min(b)].extend(merged);
            }
            (Some(_), Some(_)) => {}
            (Some(at), None) => self.classes[at].push(other),
            (None, Some(at)) => self.classes[at].push(one),
            (None, None) => self.classes.push(vec![one, other]),
        }
    }

    /// What joins the inputs of `set` with another one.
    fn link(&self, set: u64, input: usize) -> Link {
        let mut link = Link::default();
        let bit = 1 << input;
        for class in &self.classes {
            let Some((before, left)) = class.iter().find(|(place, _)| set >> place.input & 1 == 1) else { continue };
            for (place, right) in class.iter().filter(|(place, _)| place.input == input) {
                link.equalities.push((left.clone(), right.clone()));
                link.places.push((Some(*before), Some(*place)));
            }
        }
        for condition in &self.conditions {
            let within = condition.inputs & !(set | bit) == 0;
            if !within || condition.inputs & set == 0 || condition.inputs & bit == 0 {
                continue;
            }
            match &condition.equality {
                Some(Equality { sides: [one, other] }) if one.1 & bit == 0 && other.1 == bit => {
                    link.equalities.push((one.0.clone(), other.0.clone()));
                    link.places.push((one.2, other.2));
                }
                Some(Equality { sides: [one, other] }) if other.1 & bit == 0 && one.1 == bit => {
                    link.equalities.push((other.0.clone(), one.0.clone()));
                    link.places.push((other.2, one.2));
                }
                _ => link.filters.push(condition.expr.clone()),
            }
        }
        link
    }

    /// True: conditions of the set's inputs lead to the other one.
    fn is_linked(&self, set: u64, input: usize) -> bool {
        let bit = 1 << input;
        let by_class = self.classes.iter().any(|class| {
            class.iter().any(|(place, _)| place.input == input)
                && class.iter().any(|(place, _)| set >> place.input & 1 == 1)
        });
        by_class || self.conditions.iter().any(|condition| condition.inputs & set != 0 && condition.inputs & bit != 0)
    }

    fn first(&self, input: usize) -> Way {
        let Input { estimate, cost, stage, .. } = &self.inputs[input];
        Way {
            cost: *cost,
            setup: Cost::default(),
            estimate: estimate.clone(),
            offsets: vec![(input, 0)],
            steps: vec![(input, Method::First)],
            stage: stage.clone(),
        }
    }

    /// The ways to go on from one with another input: by a hash join, and by a loop where that can be.
    fn next(&self, way: &Way, set: u64, input: usize) -> Result<(Option<Way>, Option<Way>)> {
        let link = self.link(set, input);
        let inner = &self.inputs[input];
        let keys: Vec<(Option<usize>, Option<usize>)> = link
            .places
            .iter()
            .map(|(left, right)| (left.and_then(|place| way.position(place)), right.map(|place| place.column)))
            .collect();
        let width = way.estimate.columns.len();
        let other = self.filters_share(way, inner, &link);
        let estimate = Estimate::joined(way.estimate.clone(), inner.estimate.clone(), &keys, other, Joined::Inner);
        let mut offsets = way.offsets.clone();
        offsets.push((input, width));
        let bit = 1u64 << input;
        let (before, rows) = (way.estimate.rows, inner.estimate.rows);
        let by = |method, (cost, setup), stage| {
            let mut steps = way.steps.clone();
            steps.push((input, method));
            Way { cost, setup, estimate: estimate.clone(), offsets: offsets.clone(), steps, stage }
        };
        let loops = if (self.hints.no_loops | self.hints.use_hash | self.hints.use_merge) & bit == 0 {
            self.loops(way, inner, &link)?
        } else {
            None
        };
        let loops = loops.map(|(mut stage, each)| {
            let cost = way.cost + each.of_lookups(before);
            stage.joined.push(LoopEstimate { rows: estimate.rows, bytes: estimate.bytes, cost });
            by(Method::Loops, (cost, way.setup), Some(stage))
        });
        let hashed = (self.hints.no_hash | self.hints.use_loops) & bit == 0 || loops.is_none();
        let merged = self.hints.use_merge & bit != 0 && !link.equalities.is_empty();
        let hash = hashed.then(|| {
            if merged {
                let own =
                    Cost::of_sort(before) + Cost::of_sort(rows) + Cost::of_hash(0.0, before + rows, estimate.rows);
                let cost = way.cost + inner.cost + own;
                return by(Method::Merge, (cost, cost), None);
            }
            let holds_input = rows <= before;
            let (build, probe) = if holds_input { (rows, before) } else { (before, rows) };
            let own = if link.equalities.is_empty() {
                Cost::of_pairs(build, probe)
            } else {
                Cost::of_hash(build, probe, estimate.rows)
            };
            let held = if holds_input { inner.cost + way.setup } else { way.cost };
            let setup = held + Cost::of_hash(build, 0.0, 0.0);
            by(Method::Hash { holds_input }, (way.cost + inner.cost + own, setup), None)
        });
        Ok((hash, loops))
    }

    fn filters_share(&self, way: &Way, inner: &Input, link: &Link) -> f64 {
        if link.filters.is_empty() {
            return 1.0;
        }
        let mut columns = way.estimate.columns.clone();
        columns.extend(inner.estimate.columns.iter().copied());
        let all = Estimate { columns, ..way.estimate.clone() };
        let distinct = |column: &datafusion::common::Column| {
            let of = |at: usize| self.inputs[at].plan.schema().maybe_index_of_column(column);
            let mut places = way.offsets.iter().filter_map(|(at, offset)| of(*at).map(|index| offset + index));
            let own = inner.plan.schema().maybe_index_of_column(column);
            places.next().or(own.map(|index| way.estimate.columns.len() + index))
        };
        link.filters.iter().map(|filter| logical::share_by(filter, &all, &distinct)).product()
    }

    /// A loop over an index of the input for each row of the way; with the cost of each lookup.
    fn loops(&self, way: &Way, inner: &Input, link: &Link) -> Result<Option<(Stage, Cost)>> {
        let (Some(outer), Some(own), Some(table)) = (&way.stage, &inner.stage, &inner.table) else { return Ok(None) };
        let schema = Arc::new(outer.schema.join(&own.schema)?);
        let conditions = (&link.equalities[..], &link.filters[..]);
        let found = looped(self.session, outer, (own, LoopKind::Inner), conditions, schema, table.hints())
            .map_err(to_datafusion)?;
        Ok(found.map(|(stage, each)| (stage, Cost::of_index(each.blocks, each.rows).of_lookups(self.index_weight))))
    }

    /// True: hints let this input come next behind so many others.
    fn may_follow(&self, steps: usize, input: usize) -> bool {
        self.hints.leading.get(steps).is_none_or(|next| *next == input)
    }

    /// The cheapest way to join all inputs.
    fn best(&self) -> Result<Way> {
        let all = self.inputs.len();
        if all > ALL_ORDERS { self.step_by_step() } else { self.by_sets() }
    }

    fn by_sets(&self) -> Result<Way> {
        let all = self.inputs.len();
        // By set: the cheapest way, and the cheapest one of loops alone.
        let mut known: HashMap<u64, [Option<Way>; 2]> = HashMap::new();
        for input in (0..all).filter(|input| self.may_follow(0, *input)) {
            let first = self.first(input);
            let loops = first.stage.is_some().then(|| first.clone());
            known.insert(1 << input, [Some(first), loops]);
        }
        for size in 1..all {
            let mut sets: Vec<u64> = known.keys().copied().filter(|set| set.count_ones() as usize == size).collect();
            // Of two ways that cost the same the first is kept: always the same one.
            sets.sort_unstable();
            for set in sets {
                self.session.check_cancelled().map_err(to_datafusion)?;
                let ways = known[&set].clone();
                let open = (0..all).filter(|input| set >> input & 1 == 0 && self.may_follow(size, *input));
                let mut open: Vec<usize> = open.collect();
                if open.iter().any(|input| self.is_linked(set, *input)) {
                    open.retain(|input| self.is_linked(set, *input));
                }
                for input in open {
                    let entry = known.entry(set | 1 << input).or_default();
                    for way in ways.iter().flatten() {
                        let (hash, loops) = self.next(way, set, input)?;
                        self.keep(&mut entry[0], hash);
                        self.keep(&mut entry[0], loops.clone());
                        self.keep(&mut entry[1], loops);
                    }
                }
            }
        }
        let whole = known.remove(&((1 << all) - 1)).and_then(|[best, _]| best);
        whole.ok_or_else(|| to_datafusion(Error::bug("inputs that cannot be joined")))
    }

    /// Time until the rows are there that are wanted soon.
    fn micros(&self, way: &Way) -> f64 {
        let (all, setup) = (way.cost.micros(self.cached), way.setup.micros(self.cached));
        setup + (all - setup).max(0.0) * self.share
    }

    /// Keeps the cheaper one.
    fn keep(&self, known: &mut Option<Way>, way: Option<Way>) {
        if let Some(way) = way
            && known.as_ref().is_none_or(|known| self.micros(&way) < self.micros(known))
        {
            *known = Some(way);
        }
    }

    fn step_by_step(&self) -> Result<Way> {
        let all = self.inputs.len();
        let firsts = (0..all).filter(|input| self.may_follow(0, *input)).map(|input| self.first(input));
        let smallest = firsts.min_by(|one, other| one.estimate.rows.total_cmp(&other.estimate.rows));
        let mut way = smallest.ok_or_else(|| to_datafusion(Error::bug("a join without inputs")))?;
        while way.steps.len() < all {
            self.session.check_cancelled().map_err(to_datafusion)?;
            let set = way.steps.iter().fold(0, |set, (input, _)| set | 1 << input);
            let mut open: Vec<usize> =
                (0..all).filter(|input| set >> input & 1 == 0 && self.may_follow(way.steps.len(), *input)).collect();
            if open.iter().any(|input| self.is_linked(set, *input)) {
                open.retain(|input| self.is_linked(set, *input));
            }
            let mut best: Option<Way> = None;
            for input in open {
                let (hash, loops) = self.next(&way, set, input)?;
                for next in hash.into_iter().chain(loops) {
                    // Few rows now make all that follows cheap.
                    let measure = |way: &Way| self.micros(way) + way.estimate.rows;
                    if best.as_ref().is_none_or(|best| measure(&next) < measure(best)) {
                        best = Some(next);
                    }
                }
            }
            way = best.ok_or_else(|| to_datafusion(Error::bug("an input that cannot be joined")))?;
        }
        Ok(way)
    }

    /// The joins in the best order.
    ///
    /// # Errors
    /// Errors of reading a table's size.
    pub(super) fn joined(mut self, soon: Soon) -> Result<LogicalPlan> {
        let mut best = self.best()?;
        let hinted = self.inputs.iter().find_map(|input| input.table.as_ref()?.hints().first_rows());
        let rows = match soon {
            Soon::Most(most) => hinted.into_iter().chain(most).reduce(f64::min),
            Soon::All => None,
        };
        if let Some(rows) = rows.filter(|rows| *rows < best.estimate.rows) {
            self.share = rows / best.estimate.rows;
            best = self.best()?;
        }
        self.report(&best);
        let loops = best.steps.iter().take_while(|(_, method)| matches!(method, Method::First | Method::Loops)).count();
        for (input, _) in best.steps.iter().filter(|(_, method)| *method == Method::Merge) {
            let plan = self.inputs[*input].plan.clone();
            self.inputs[*input].plan = with_hints(plan, &|hints| Hints { merges: true, ..hints })?;
        }
        let mut set = 0;
        let mut plan: Option<LogicalPlan> = None;
        if loops > 1 {
            let way = self.loops_of(&best.steps[..loops])?;
            let (stage, estimate) = way.stage.map(|stage| (stage, way.estimate)).ok_or_else(no_loops)?;
            let host = Host::of(&self.inputs[best.steps[0].0].plan).ok_or_else(no_loops)?;
            plan = Some(LoopsTable::plan(stage, estimate, way.cost, host)?);
            set = best.steps[..loops].iter().fold(0, |set, (input, _)| set | 1 << input);
        }
        for (input, method) in &best.steps {
            if set >> input & 1 == 1 {
                continue;
            }
            let next = self.inputs[*input].plan.clone();
            plan = Some(match plan {
                None => next,
                Some(before) => {
                    let Link { equalities, filters, .. } = self.link(set, *input);
                    if *method == (Method::Hash { holds_input: true }) {
                        let equalities = equalities.into_iter().map(|(left, right)| (right, left)).collect();
                        hash_join(next, before, equalities, filters)?
                    } else {
                        hash_join(before, next, equalities, filters)?
                    }
                }
            });
            set |= 1 << input;
        }
        let mut plan = plan.ok_or_else(|| to_datafusion(Error::bug("a join without inputs")))?;
        // What is about one input alone, or none, is left.
        for condition in self.conditions.into_iter().filter(|condition| condition.inputs.count_ones() < 2) {
            plan = LogicalPlan::Filter(Filter::try_new(condition.expr, Arc::new(plan))?);
        }
        Ok(plan)
    }

    /// The loops of these steps once more, over tables that may have hints' fates.
    fn loops_of(&self, steps: &[(usize, Method)]) -> Result<Way> {
        let mut way = self.first(steps[0].0);
        let mut set = 1 << steps[0].0;
        for (input, _) in &steps[1..] {
            let (_, loops) = self.next(&way, set, *input)?;
            way = loops.ok_or_else(no_loops)?;
            set |= 1 << input;
        }
        Ok(way)
    }

    /// Has the tables report the fates of the hints about joins.
    fn report(&mut self, best: &Way) {
        let method = |input: usize| best.steps.iter().find(|(at, _)| *at == input).map(|(_, method)| *method);
        let mut fates: Vec<(usize, HintFate)> = Vec::new();
        for (hint, inputs) in &self.hints.all {
            let Some(first) = (0..self.inputs.len()).find(|input| inputs >> input & 1 == 1) else { continue };
            let each = (0..self.inputs.len()).filter(|input| inputs >> input & 1 == 1);
            let followed = match hint.name.as_str() {
                "USE_NL" => each.into_iter().any(|input| method(input) == Some(Method::Loops)),
                "USE_HASH" => each.into_iter().any(|input| matches!(method(input), Some(Method::Hash { .. }))),
                "NO_USE_NL" => !each.into_iter().any(|input| method(input) == Some(Method::Loops)),
                "USE_MERGE" => each.into_iter().any(|input| method(input) == Some(Method::Merge)),
                "NO_USE_MERGE" => !each.into_iter().any(|input| method(input) == Some(Method::Merge)),
                "NO_USE_HASH" => !each.into_iter().any(|input| matches!(method(input), Some(Method::Hash { .. }))),
                _ => best.steps.iter().zip(&self.hints.leading).all(|((input, _), next)| input == next),
            };
            let why = match hint.name.as_str() {
                "USE_NL" => "no index leads to the table from tables in nested loops before it, or it comes first",
                "USE_HASH" => "the table comes first",
                "USE_MERGE" => "the table comes first, or no equality leads to it",
                "NO_USE_NL" | "NO_USE_HASH" | "NO_USE_MERGE" => "another hint asks for it",
                _ => "another hint stands before it",
            };
            let fate = if followed { HintFate::used(hint) } else { HintFate::not(Mark::Unused, hint, why) };
            fates.push((first, fate));
        }
        for (at, input) in self.inputs.iter_mut().enumerate() {
            let own: Vec<HintFate> =
                fates.iter().filter(|(input, _)| *input == at).map(|(_, fate)| fate.clone()).collect();
            if own.is_empty() {
                continue;
            }
            if let Some(stage) = &mut input.stage {
                stage.add_fates(&own);
            }
            if let Ok(plan) = with_fates(input.plan.clone(), &own) {
                input.plan = plan;
            }
        }
    }
}

/// The rows of a plan one by one, where they can be read so.
///
/// # Errors
/// Errors of reading a table's size.
pub(super) fn one_by_one(
    session: &Arc<Session>,
    plan: &LogicalPlan,
    values: Option<&Inputs<'_>>,
) -> common::Result<Option<Stage>> {
    if !has_types(plan.schema()) || has_new_values(plan) {
        return Ok(None);
    }
    let found = logical::with_values(plan, values, |values| stage(session, plan, values))?;
    Ok(found.filter(Stage::is_rows).map(|mut stage| {
        stage.schema = Arc::clone(plan.schema());
        stage
    }))
}

/// True: an expression of the plan has a new value with each evaluation; loops evaluate one as often as they need it.
fn has_new_values(plan: &LogicalPlan) -> bool {
    let found = plan.exists(|node| Ok(node.expressions().iter().any(crate::subquery::is_new_each_time)));
    found.unwrap_or(true)
}

fn no_loops() -> datafusion::error::DataFusionError {
    to_datafusion(Error::bug("loops that were there a moment ago"))
}

/// The table that an input reads, where nothing but conditions and projections stand above it.
pub(super) fn of_table(plan: &LogicalPlan) -> Option<Arc<EngineTable>> {
    match plan {
        LogicalPlan::TableScan(scan) => EngineTable::of(scan),
        LogicalPlan::SubqueryAlias(alias) => of_table(&alias.input),
        LogicalPlan::Projection(projection) => of_table(&projection.input),
        LogicalPlan::Filter(filter) => of_table(&filter.input),
        _ => None,
    }
}

/// The plan with these fates at its table.
fn with_fates(plan: LogicalPlan, fates: &[HintFate]) -> Result<LogicalPlan> {
    with_hints(plan, &|hints| Hints { fates: fates.to_vec(), ..hints })
}

/// The plan with other hints at its table.
pub(super) fn with_hints(plan: LogicalPlan, change: &dyn Fn(Hints) -> Hints) -> Result<LogicalPlan> {
    plan.transform_down(|node| {
        let LogicalPlan::TableScan(mut scan) = node else { return Ok(Transformed::no(node)) };
        let Some(table) = EngineTable::of(&scan) else { return Ok(Transformed::no(LogicalPlan::TableScan(scan))) };
        scan.source = provider_as_source(table.with_hints(change(table.hints().clone())));
        Ok(Transformed::new(LogicalPlan::TableScan(scan), true, TreeNodeRecursion::Stop))
    })
    .map(|transformed| transformed.data)
}

impl JoinHints {
    fn of(inputs: &[Input]) -> Self {
        let mut hints = Self::default();
        let name = |input: &Input| input.table.as_ref().and_then(|table| table.hints().table.clone());
        let names: Vec<Option<String>> = inputs.iter().map(name).collect();
        for (at, input) in inputs.iter().enumerate() {
            let Some(table) = &input.table else { continue };
            for hint in table.hints().list.iter().filter(|hint| crate::plan::hints::is_for_joins(&hint.name)) {
                let bit = 1 << at;
                match hint.name.as_str() {
                    "USE_NL" => hints.use_loops |= bit,
                    "USE_HASH" => hints.use_hash |= bit,
                    "USE_MERGE" => hints.use_merge |= bit,
                    "NO_USE_NL" => hints.no_loops |= bit,
                    "NO_USE_HASH" => hints.no_hash |= bit,
                    "LEADING" if hints.leading.is_empty() => {
                        let place = |argument: &String| names.iter().position(|name| name.as_ref() == Some(argument));
                        hints.leading = hint.arguments.iter().filter_map(place).collect();
                    }
                    "ORDERED" if hints.leading.is_empty() => {
                        // In the order of the FROM clause; what is no table stays where the planner has put it.
                        let place = |input: &usize| inputs[*input].table.as_ref().map(|table| table.hints().place);
                        hints.leading = (0..inputs.len()).collect();
                        if inputs.iter().all(|input| input.table.is_some()) {
                            hints.leading.sort_by_key(place);
                        }
                    }
                    _ => {}
                }
                match hints.all.iter_mut().find(|(known, _)| known == hint) {
                    Some((_, inputs)) => *inputs |= bit,
                    None => hints.all.push((hint.clone(), bit)),
                }
            }
        }
        // The same table twice in a list comes once.
        let mut seen = 0u64;
        hints.leading.retain(|input| {
            let new = seen >> input & 1 == 0;
            seen |= 1 << input;
            new
        });
        hints
    }
}
