//! Random queries: every name in them can be resolved and every type fits, so that a refusal by either side says
//! something.

use common::Seeded;

use crate::function::{Function, giving};
use crate::schema::{DATES, NUMBERS, TEXTS, Table};
use crate::tree::{
    Aggregate, Body, Column, Condition, Direction, Expression, ExpressionType, From, Group, GroupForm, Items, JoinKind,
    On, Query, Select, SetOperator, Window, WindowFunction,
};

const KINDS: [ExpressionType; 3] = [ExpressionType::Number, ExpressionType::Text, ExpressionType::Date];
const OPERATORS: &[&str] = &["=", "=", "=", "<>", "<", ">", "<=", ">="];
const PATTERNS: &[&str] = &["%a%", "a_", "_%", "%", "ab%", "%b"];
const FRAMES: &[&str] = &[
    "",
    "",
    " range between unbounded preceding and unbounded following",
    " range between current row and unbounded following",
];
const ROW_FRAMES: &[&str] = &[
    " rows between unbounded preceding and current row",
    " rows between 1 preceding and 1 following",
    " rows between current row and unbounded following",
    " rows between 2 preceding and 1 preceding",
];
/// Subqueries within subqueries.
const DEPTH: usize = 3;
/// Query blocks of a statement, more or less.
const BLOCKS: usize = 6;

/// The columns in the scope of a query block.
#[derive(Clone, Default)]
struct Level {
    columns: Vec<Column>,
    aliases: Vec<String>,
    /// The keys of its GROUP BY, on which its select list and HAVING are built; correlated subqueries see plain columns
    /// of them only.
    keys: Option<Vec<Expression>>,
    /// ROLLUP and the like: NULL stands for more than a value, and subqueries do not name the keys.
    several_groupings: bool,
    /// One of its window functions looks at single rows. Two of them would number equal rows each in its own way.
    by_row: bool,
}

impl Level {
    /// Count of columns of this name.
    fn count(&self, name: &str) -> usize {
        self.columns.iter().filter(|column| column.name == name).count()
    }

    fn has_alias(&self, alias: &str) -> bool {
        self.aliases.iter().any(|own| own == alias)
    }

    /// The columns that subqueries see.
    fn outer(&self) -> Vec<Column> {
        match &self.keys {
            None => self.columns.clone(),
            Some(_) if self.several_groupings => Vec::new(),
            Some(keys) => keys
                .iter()
                .filter_map(|key| if let Expression::Column(column) = key { Some(column.clone()) } else { None })
                .collect(),
        }
    }
}

pub(crate) struct Generator<'a> {
    pub(crate) random: &'a mut Seeded,
    tables: &'a [Table],
    levels: Vec<Level>,
    /// The queries that WITH has defined.
    with: Vec<(String, Vec<Column>)>,
    next: usize,
    /// Inside of an aggregate's argument.
    aggregate: bool,
    /// Query blocks around the one being made.
    blocks: usize,
    /// Query blocks that may still be made.
    left: usize,
}

/// A list of columns qualified by an alias.
fn qualified(columns: impl Iterator<Item = Column>, alias: &str) -> Vec<Column> {
    columns.map(|column| Column { of: Some(alias.to_owned()), ..column }).collect()
}

fn names_are_unique(columns: &[Column]) -> bool {
    columns.iter().all(|column| columns.iter().filter(|other| other.name == column.name).count() == 1)
}

impl<'a> Generator<'a> {
    pub(crate) fn new(random: &'a mut Seeded, tables: &'a [Table]) -> Self {
        Self {
            random,
            tables,
            levels: Vec::new(),
            with: Vec::new(),
            next: 0,
            aggregate: false,
            blocks: 0,
            left: BLOCKS,
        }
    }

    /// A query as a user would send it.
    pub(crate) fn top(&mut self) -> Query {
        let mut with = Vec::new();
        if self.random.percent(12) {
            for number in 0..1 + self.random.below(2) {
                let query = self.query(None, true);
                let names = query.names().into_iter().zip(query.kinds());
                let columns = names.map(|(name, kind)| Column { of: None, name, kind }).collect();
                let name = format!("w{number}");
                self.with.push((name.clone(), columns));
                with.push((name, query));
            }
        }
        let mut query = self.query(None, false);
        query.with = with;
        if query.order.is_empty() && self.random.percent(40) {
            self.order(&mut query);
            if self.random.percent(25) {
                query.fetch = Some((self.random.below(3) as u32, 1 + self.random.below(4) as u32));
            }
        }
        query
    }

    /// A query over the columns of a row, of these types: for INSERT and UPDATE.
    pub(crate) fn of_kinds(&mut self, kinds: &[ExpressionType], row: Option<(&str, &Table)>) -> Query {
        self.row(row, |generator| generator.query(Some(kinds), false))
    }

    pub(crate) fn condition_over(&mut self, alias: &str, table: &Table) -> Condition {
        self.row(Some((alias, table)), |generator| generator.condition(0))
    }

    pub(crate) fn value_over(&mut self, kind: ExpressionType, row: Option<(&str, &Table)>) -> Expression {
        self.row(row, |generator| generator.expression(kind, 0))
    }

    /// A value of the columns of a query.
    pub(crate) fn value_of(&mut self, kind: ExpressionType, columns: &[Column]) -> Expression {
        let of = columns.iter().filter_map(|column| column.of.clone()).collect();
        self.levels.push(Level { columns: columns.to_vec(), aliases: of, ..Level::default() });
        let value = self.expression(kind, 1);
        self.levels.pop();
        value
    }

    fn row<R>(&mut self, row: Option<(&str, &Table)>, with: impl FnOnce(&mut Self) -> R) -> R {
        let Some((alias, table)) = row else { return with(self) };
        self.levels.push(Level {
            columns: qualified(table.kinds().cloned(), alias),
            aliases: vec![alias.to_owned()],
            ..Level::default()
        });
        let result = with(self);
        self.levels.pop();
        result
    }

    pub(crate) fn alias(&mut self) -> String {
        self.next += 1;
        format!("q{}", self.next)
    }

    fn may_nest(&self) -> bool {
        self.blocks < DEPTH && self.left > 0
    }

    /// Makes a query block.
    fn block<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        self.blocks += 1;
        self.left = self.left.saturating_sub(1);
        let made = make(self);
        self.blocks -= 1;
        made
    }

    fn kind(&mut self) -> ExpressionType {
        match self.random.below(10) {
            0..=5 => ExpressionType::Number,
            6..=7 => ExpressionType::Text,
            _ => ExpressionType::Date,
        }
    }

    fn direction(&mut self) -> Direction {
        let nulls_first = match self.random.below(6) {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        };
        Direction { descending: self.random.percent(40), nulls_first }
    }

    fn order(&mut self, query: &mut Query) {
        let mut numbers: Vec<usize> = (0..query.kinds().len()).collect();
        if self.random.percent(50) {
            numbers.reverse();
        }
        query.order = numbers.into_iter().map(|number| (number, self.direction())).collect();
    }

    // Query blocks.

    /// `alone`: not correlated.
    fn query(&mut self, kinds: Option<&[ExpressionType]>, alone: bool) -> Query {
        let around = if alone { std::mem::take(&mut self.levels) } else { Vec::new() };
        let mut body = Body::Select(Box::new(self.select(kinds)));
        if self.random.percent(12) {
            let kinds = match &body.first().items {
                Items::Star(columns) => columns.iter().map(|column| column.kind).collect::<Vec<_>>(),
                Items::List(items) => items.iter().map(Expression::kind).collect(),
            };
            for _ in 0..1 + self.random.below(2) {
                let operator = match self.random.below(4) {
                    0 => SetOperator::UnionAll,
                    1 => SetOperator::Union,
                    2 => SetOperator::Intersect,
                    _ => SetOperator::Minus,
                };
                let other = Body::Select(Box::new(self.select(Some(&kinds))));
                body = if self.random.percent(75) {
                    Body::Set(Box::new(body), operator, Box::new(other))
                } else {
                    // The names of the columns are those of the first.
                    let third = Body::Select(Box::new(self.select(Some(&kinds))));
                    let right = Body::Set(Box::new(other), SetOperator::Union, Box::new(third));
                    Body::Set(Box::new(body), operator, Box::new(right))
                };
            }
        }
        let mut query = Query { with: Vec::new(), body, order: Vec::new(), fetch: None };
        if self.random.percent(6) {
            self.order(&mut query);
            query.fetch = Some((self.random.below(2) as u32, 1 + self.random.below(3) as u32));
        }
        if alone {
            self.levels = around;
        }
        query
    }

    /// A query of one value, more often than not of one row.
    fn scalar(&mut self, kind: ExpressionType) -> Query {
        if self.random.percent(70) {
            return self.block(|generator| generator.aggregated(kind));
        }
        let mut query = self.query(Some(&[kind]), false);
        if query.order.is_empty() && self.random.percent(40) {
            self.order(&mut query);
            query.fetch = Some((0, 1));
        }
        query
    }

    /// One row of one aggregate.
    fn aggregated(&mut self, kind: ExpressionType) -> Query {
        let mut level = Level::default();
        let from = vec![self.source(&mut level, true)];
        self.levels.push(level);
        let filter = self.random.percent(85).then(|| self.condition(1));
        if let Some(level) = self.levels.last_mut() {
            level.keys = Some(Vec::new());
        }
        let mut item = self.aggregate(kind);
        if self.random.percent(20) {
            item = self.call_with(kind, 1, item);
        }
        let having = self.random.percent(8).then(|| self.condition(2));
        self.levels.pop();
        let items = Items::List(vec![item]);
        Query::of(Select { distinct: false, items, from, filter, group: None, having })
    }

    fn select(&mut self, kinds: Option<&[ExpressionType]>) -> Select {
        self.block(|generator| generator.query_block(kinds))
    }

    fn query_block(&mut self, kinds: Option<&[ExpressionType]>) -> Select {
        let mut level = Level::default();
        let mut from = Vec::new();
        let count = [1, 1, 1, 2, 2, 3][self.random.index(6)];
        for _ in 0..count {
            from.push(if !from.is_empty() && self.random.percent(2) && self.may_nest() {
                self.lateral(&mut level)
            } else {
                self.source(&mut level, count == 1)
            });
        }
        self.levels.push(level);
        let filter = self.random.percent(75).then(|| self.condition(0));
        let group = self.random.percent(22).then(|| self.group());
        let mut having = None;
        if let Some(group) = &group
            && let Some(level) = self.levels.last_mut()
        {
            level.keys = Some(group.keys.clone());
            level.several_groupings = group.form != GroupForm::Plain;
            having = self.random.percent(25).then(|| self.condition(1));
        }
        let items = match kinds {
            None if group.is_none() && self.random.percent(8) => self.star(),
            None => {
                let count = 1 + self.random.below(3);
                let items = (0..count).map(|_| {
                    let kind = self.kind();
                    self.item(kind, group.as_ref())
                });
                Items::List(items.collect())
            }
            Some(kinds) => Items::List(kinds.iter().map(|kind| self.item(*kind, group.as_ref())).collect()),
        };
        self.levels.pop();
        let group = group.filter(|group| !group.keys.is_empty());
        Select { distinct: self.random.percent(12), items, from, filter, group, having }
    }

    fn star(&mut self) -> Items {
        let columns = self.levels.last().map(|level| level.columns.clone()).unwrap_or_default();
        if names_are_unique(&columns) {
            Items::Star(columns)
        } else {
            Items::List(columns.into_iter().map(Expression::Column).collect())
        }
    }

    fn item(&mut self, kind: ExpressionType, group: Option<&Group>) -> Expression {
        match group {
            None if self.random.percent(7) => self.window(kind),
            Some(group)
                if group.form != GroupForm::Plain && kind == ExpressionType::Number && self.random.percent(25) =>
            {
                match self.random.pick(&group.keys) {
                    Some(Expression::Column(column)) => Expression::Grouping(column.clone()),
                    _ => self.expression(kind, 0),
                }
            }
            _ => self.expression(kind, 0),
        }
    }

    fn group(&mut self) -> Group {
        let form = match self.random.below(12) {
            0 => GroupForm::Rollup,
            1 => GroupForm::Cube,
            2 => GroupForm::Sets,
            _ => GroupForm::Plain,
        };
        let mut keys: Vec<Expression> = Vec::new();
        for _ in 0..self.random.below(3) + u64::from(form != GroupForm::Plain) {
            let kind = self.kind();
            let column = self.own_column(kind);
            match column {
                Some(column) if form == GroupForm::Plain && self.random.percent(15) => {
                    let key = self.call_with(kind, 0, Expression::Column(column));
                    keys.push(key);
                }
                Some(column) => {
                    let same = |key: &Expression| matches!(key, Expression::Column(other) if *other == column);
                    if !keys.iter().any(same) {
                        keys.push(Expression::Column(column));
                    }
                }
                None => {}
            }
        }
        let form = if keys.is_empty() { GroupForm::Plain } else { form };
        Group { form, keys }
    }

    fn own_column(&mut self, kind: ExpressionType) -> Option<Column> {
        let level = self.levels.last()?;
        let fitting: Vec<_> = level.columns.iter().filter(|column| column.kind == kind).cloned().collect();
        self.random.pick(&fitting).cloned()
    }

    // FROM.

    fn leaf(&mut self, level: &mut Level) -> From {
        let alias = self.alias();
        if !self.with.is_empty() && self.random.percent(35) {
            let (name, columns) = self.with[self.random.index(self.with.len())].clone();
            level.columns.extend(qualified(columns.into_iter(), &alias));
            level.aliases.push(alias.clone());
            return From::Table { name, alias };
        }
        if self.may_nest() && self.random.percent(15) {
            let query = self.query(None, true);
            return Self::view(query, alias, false, level);
        }
        let table = &self.tables[self.random.index(self.tables.len())];
        // Sometimes by its own name, which may be that of a table further out.
        let alias = if self.random.percent(8) && !level.has_alias(&table.name) { table.name.clone() } else { alias };
        level.columns.extend(qualified(table.kinds().cloned(), &alias));
        level.aliases.push(alias.clone());
        From::Table { name: table.name.clone(), alias }
    }

    fn view(query: Query, alias: String, lateral: bool, level: &mut Level) -> From {
        let names = query.names().into_iter().zip(query.kinds());
        let columns = names.map(|(name, kind)| Column { of: None, name, kind });
        level.columns.extend(qualified(columns, &alias));
        level.aliases.push(alias.clone());
        From::View { query: Box::new(query), alias, lateral }
    }

    fn lateral(&mut self, level: &mut Level) -> From {
        let alias = self.alias();
        self.levels.push(level.clone());
        let query = self.query(None, false);
        self.levels.pop();
        Self::view(query, alias, true, level)
    }

    /// `alone`: the only table, so common columns can be named without an alias.
    fn source(&mut self, level: &mut Level, alone: bool) -> From {
        match self.random.below(20) {
            0..=4 => self.join(level, alone, 2),
            5 => self.marked(level),
            _ => self.leaf(level),
        }
    }

    fn join(&mut self, level: &mut Level, alone: bool, depth: usize) -> From {
        let (mut left_level, mut right_level) = (Level::default(), Level::default());
        let left = if depth > 0 && self.random.percent(30) {
            self.join(&mut left_level, alone, depth - 1)
        } else {
            self.leaf(&mut left_level)
        };
        let right = if depth > 0 && self.random.percent(8) {
            self.join(&mut right_level, false, 0)
        } else {
            self.leaf(&mut right_level)
        };
        // A table by its own name on both sides.
        if left_level.aliases.iter().any(|alias| right_level.has_alias(alias)) {
            level.columns.append(&mut left_level.columns);
            level.aliases.append(&mut left_level.aliases);
            return left;
        }
        let kind = match self.random.below(10) {
            0..=3 => JoinKind::Inner,
            4..=6 => JoinKind::Left,
            7 => JoinKind::Right,
            8 => JoinKind::Full,
            _ => JoinKind::Cross,
        };
        let common: Vec<Column> = left_level
            .columns
            .iter()
            .filter(|column| right_level.count(&column.name) == 1)
            .map(|column| Column { of: None, ..column.clone() })
            .collect();
        let same_kinds = common.iter().all(|column| {
            right_level.columns.iter().any(|other| other.name == column.name && other.kind == column.kind)
        });
        let mergeable = alone
            && kind != JoinKind::Cross
            && same_kinds
            && names_are_unique(&left_level.columns)
            && names_are_unique(&right_level.columns)
            && !common.is_empty();
        if mergeable && self.random.percent(35) {
            let natural = self.random.percent(50);
            let merged: Vec<Column> =
                if natural { common } else { common.into_iter().take(1 + self.random.index(2)).collect() };
            let is_merged = |column: &&Column| merged.iter().any(|one| one.name == column.name);
            let rest =
                left_level.columns.iter().chain(&right_level.columns).filter(|column| !is_merged(column)).cloned();
            let rest: Vec<_> = rest.collect();
            let on = if natural {
                On::Natural
            } else {
                On::Using(merged.iter().map(|column| column.name.clone()).collect())
            };
            level.columns.extend(merged);
            level.columns.extend(rest);
            level.aliases.append(&mut left_level.aliases);
            level.aliases.append(&mut right_level.aliases);
            return From::Join { left: Box::new(left), kind, right: Box::new(right), on };
        }
        let mut both = left_level.clone();
        both.columns.extend(right_level.columns.iter().cloned());
        both.aliases.extend(right_level.aliases.iter().cloned());
        let on = if kind == JoinKind::Cross {
            On::Nothing
        } else {
            let mut conditions = Vec::new();
            let pairs: Vec<_> = left_level
                .columns
                .iter()
                .flat_map(|left| right_level.columns.iter().map(move |right| (left, right)))
                .filter(|(left, right)| left.kind == right.kind)
                .collect();
            if let Some((left, right)) = self.random.pick(&pairs) {
                let operator = if self.random.percent(85) || kind == JoinKind::Full { "=" } else { "<" };
                let sides = (Expression::Column((*left).clone()), Expression::Column((*right).clone()));
                conditions.push(Condition::Compare(sides.0, operator, sides.1));
            }
            if conditions.is_empty() || self.random.percent(30) {
                self.levels.push(both.clone());
                conditions.push(self.condition(1));
                self.levels.pop();
            }
            On::Condition(if conditions.len() == 1 { conditions.remove(0) } else { Condition::And(conditions) })
        };
        level.columns.append(&mut both.columns);
        level.aliases.append(&mut both.aliases);
        From::Join { left: Box::new(left), kind, right: Box::new(right), on }
    }

    fn marked(&mut self, level: &mut Level) -> From {
        let (mut left_level, mut right_level) = (Level::default(), Level::default());
        let left = self.leaf(&mut left_level);
        let right = self.leaf(&mut right_level);
        let pairs: Vec<_> = left_level
            .columns
            .iter()
            .flat_map(|left| right_level.columns.iter().map(move |right| (left, right)))
            .filter(|(left, right)| left.kind == right.kind)
            .collect();
        let pair = self.random.pick(&pairs).map(|(left, right)| ((*left).clone(), (*right).clone()));
        let doubled = left_level.aliases.iter().any(|alias| right_level.has_alias(alias));
        let (Some((on_left, on_right)), false) = (pair, doubled) else {
            level.columns.append(&mut left_level.columns);
            level.aliases.append(&mut left_level.aliases);
            return left;
        };
        let mut conditions = vec![(Expression::Column(on_left), "=", on_right)];
        if self.random.percent(30)
            && let Some(column) = self.random.pick(&right_level.columns).cloned()
        {
            let literal = self.literal(column.kind);
            conditions.push((literal, if self.random.percent(70) { "=" } else { "<" }, column));
        }
        for mut side in [left_level, right_level] {
            level.columns.append(&mut side.columns);
            level.aliases.append(&mut side.aliases);
        }
        From::Marked { left: Box::new(left), right: Box::new(right), conditions }
    }

    // Values.

    fn literal(&mut self, kind: ExpressionType) -> Expression {
        let values = match kind {
            ExpressionType::Number => NUMBERS,
            ExpressionType::Text => TEXTS,
            ExpressionType::Date => DATES,
        };
        self.random.pick(values).map_or(Expression::Null(kind), |value| Expression::Literal(kind, value))
    }

    /// Without its alias where the name is unambiguous.
    fn named(&mut self, column: Column, at: usize) -> Expression {
        let clear = self.levels.get(at).is_some_and(|level| level.count(&column.name) == 1)
            && self.levels[at + 1..].iter().all(|level| level.count(&column.name) == 0);
        let of = if clear && self.random.percent(25) { None } else { column.of };
        Expression::Column(Column { of, ..column })
    }

    fn outer_column(&mut self, kind: ExpressionType) -> Option<Expression> {
        let last = self.levels.len().checked_sub(1)?;
        let mut found = Vec::new();
        for (at, level) in self.levels[..last].iter().enumerate() {
            let inner = &self.levels[at + 1..];
            for column in level.outer() {
                let hidden = match &column.of {
                    Some(alias) => inner.iter().any(|level| level.has_alias(alias)),
                    None => inner.iter().any(|level| level.count(&column.name) > 0),
                };
                if column.kind == kind && !hidden {
                    found.push((column, at));
                }
            }
        }
        let (column, at) = self.random.pick(&found).cloned()?;
        // A key of GROUP BY is named as in the clause.
        if self.levels[at].keys.is_some() { Some(Expression::Column(column)) } else { Some(self.named(column, at)) }
    }

    fn grouped(&self) -> bool {
        !self.aggregate && self.levels.last().is_some_and(|level| level.keys.is_some())
    }

    fn atom(&mut self, kind: ExpressionType) -> Expression {
        if self.levels.len() > 1
            && self.random.percent(22)
            && let Some(column) = self.outer_column(kind)
        {
            return column;
        }
        if self.random.percent(80) {
            if self.grouped() {
                let keys = self.levels.last().and_then(|level| level.keys.clone()).unwrap_or_default();
                let keys: Vec<_> = keys.into_iter().filter(|key| key.kind() == kind).collect();
                if self.random.percent(50)
                    && let Some(key) = self.random.pick(&keys)
                {
                    return key.clone();
                }
                return self.aggregate(kind);
            }
            if let Some(column) = self.own_column(kind) {
                let at = self.levels.len() - 1;
                return self.named(column, at);
            }
        }
        if self.random.percent(8) { Expression::Null(kind) } else { self.literal(kind) }
    }

    fn call(&mut self, function: &'static Function, depth: usize) -> Expression {
        let arguments = function.arguments.iter().map(|kind| self.expression(*kind, depth + 1)).collect();
        Expression::Call(function, arguments)
    }

    fn function(&mut self, kind: ExpressionType) -> &'static Function {
        let functions: Vec<_> = giving(kind).collect();
        functions[self.random.index(functions.len())]
    }

    /// A call that has this value for one of its arguments; or the value itself.
    fn call_with(&mut self, kind: ExpressionType, depth: usize, value: Expression) -> Expression {
        let function = self.function(kind);
        let Some(at) = function.arguments.iter().position(|argument| *argument == value.kind()) else { return value };
        if function.arguments.len() > 1 && self.grouped_without_keys() {
            return value;
        }
        let mut arguments = Vec::new();
        for (number, argument) in function.arguments.iter().enumerate() {
            arguments.push(if number == at {
                value.clone()
            } else if depth == 0 {
                self.literal(*argument)
            } else {
                self.expression(*argument, depth + 1)
            });
        }
        Expression::Call(function, arguments)
    }

    fn grouped_without_keys(&self) -> bool {
        self.levels.last().is_some_and(|level| level.keys.as_ref().is_some_and(Vec::is_empty))
    }

    fn expression(&mut self, kind: ExpressionType, depth: usize) -> Expression {
        let deep = depth > 3;
        match self.random.below(100) {
            _ if deep => self.atom(kind),
            0..=62 => self.atom(kind),
            63..=84 => {
                let function = self.function(kind);
                self.call(function, depth)
            }
            85..=92 => self.case(kind, depth),
            _ if self.aggregate || !self.may_nest() => self.atom(kind),
            _ => Expression::Query(Box::new(self.scalar(kind))),
        }
    }

    fn case(&mut self, kind: ExpressionType, depth: usize) -> Expression {
        let count = 1 + self.random.below(2);
        let otherwise = self.random.percent(60);
        if self.random.percent(35) {
            let operand_kind = self.kind();
            let operand = Box::new(self.expression(operand_kind, depth + 1));
            let when = (0..count)
                .map(|_| (self.expression(operand_kind, depth + 2), self.expression(kind, depth + 1)))
                .collect();
            let otherwise = otherwise.then(|| Box::new(self.expression(kind, depth + 1)));
            return Expression::Choice { kind, operand, when, otherwise };
        }
        let when =
            (0..count).map(|_| (self.condition(depth + 1), self.expression(kind, depth + 1))).collect::<Vec<_>>();
        let otherwise = otherwise.then(|| Box::new(self.expression(kind, depth + 1)));
        Expression::Case { kind, when, otherwise }
    }

    /// The argument of an aggregate: a column of the block itself, or an expression on one, since an aggregate of
    /// nothing but outer columns is the outer block's.
    fn argument(&mut self, kind: ExpressionType) -> Expression {
        let before = self.aggregate;
        self.aggregate = true;
        let column = self.own_column(kind);
        let argument = match column {
            None => self.literal(kind),
            Some(column) if self.random.percent(75) => Expression::Column(column),
            Some(column) => self.call_with(kind, 1, Expression::Column(column)),
        };
        self.aggregate = before;
        argument
    }

    fn aggregate(&mut self, kind: ExpressionType) -> Expression {
        let distinct = self.random.percent(12);
        let (aggregate, of) = match kind {
            ExpressionType::Number => match self.random.below(12) {
                0..=1 => return Expression::CountAll,
                2..=3 => (Aggregate::Count, KINDS[self.random.index(3)]),
                4..=6 => (Aggregate::Sum, kind),
                7..=8 => (Aggregate::Max, kind),
                9 => (Aggregate::Min, kind),
                10 => (Aggregate::Average, kind),
                _ => (Aggregate::VariancePopulation, kind),
            },
            ExpressionType::Text if self.random.percent(25) => (Aggregate::List, kind),
            _ if self.random.percent(50) => (Aggregate::Max, kind),
            _ => (Aggregate::Min, kind),
        };
        let distinct = distinct && aggregate != Aggregate::VariancePopulation;
        Expression::Aggregate { aggregate, distinct, argument: Box::new(self.argument(of)) }
    }

    fn window(&mut self, kind: ExpressionType) -> Expression {
        let Some(level) = self.levels.last().cloned() else { return self.atom(kind) };
        // Rows that are alike in all columns can change places; no others.
        let complete = level.columns.iter().map(|column| Expression::Column(column.clone())).collect::<Vec<_>>();
        let whole = self.random.percent(50) && !level.by_row;
        let mut order = Vec::new();
        if whole {
            order = complete.into_iter().map(|key| (key, self.direction())).collect();
        } else if self.random.percent(60) {
            let kind = self.kind();
            order.extend(self.own_column(kind).map(|key| (Expression::Column(key), self.direction())));
        }
        let argument = self.argument(kind);
        let ranked = kind == ExpressionType::Number && !order.is_empty();
        let function = match self.random.below(12) {
            0..=1 if ranked => WindowFunction::Rank(if self.random.percent(50) { "rank" } else { "dense_rank" }),
            2 if ranked && whole => WindowFunction::RowNumber,
            3 if ranked && whole => WindowFunction::Tile(1 + self.random.below(3) as u32),
            4..=5 if whole => {
                let name = if self.random.percent(50) { "lag" } else { "lead" };
                WindowFunction::Neighbour(name, argument, self.random.below(3) as u32)
            }
            6..=7 if whole => {
                WindowFunction::Edge(if self.random.percent(50) { "first_value" } else { "last_value" }, argument)
            }
            _ => {
                let aggregate = match (kind, self.random.below(5)) {
                    (ExpressionType::Number, 0) => Aggregate::Count,
                    (ExpressionType::Number, 1) => Aggregate::Sum,
                    (ExpressionType::Number, 2) => Aggregate::Average,
                    (_, 3) => Aggregate::Max,
                    _ => Aggregate::Min,
                };
                WindowFunction::Aggregate(aggregate, argument)
            }
        };
        let frames = if whole && self.random.percent(50) { ROW_FRAMES } else { FRAMES };
        let framed = matches!(function, WindowFunction::Aggregate(..) | WindowFunction::Edge(..));
        let frame = if framed { self.random.pick(frames).copied().unwrap_or_default() } else { "" };
        let mut partition = Vec::new();
        if self.random.percent(50) {
            let kind = self.kind();
            partition.extend(self.own_column(kind).map(Expression::Column));
        }
        let window = Window { function, partition, order, frame };
        if let Some(level) = self.levels.last_mut() {
            level.by_row |= window.is_by_row();
        }
        Expression::Window(Box::new(window))
    }

    // Conditions.

    fn operator(&mut self) -> &'static str {
        self.random.pick(OPERATORS).copied().unwrap_or("=")
    }

    fn compare(&mut self, depth: usize) -> Condition {
        let kind = self.kind();
        let left = self.expression(kind, depth + 1);
        let operator = self.operator();
        Condition::Compare(left, operator, self.expression(kind, depth + 1))
    }

    fn condition(&mut self, depth: usize) -> Condition {
        let may_nest = !self.aggregate && self.may_nest();
        let not = self.random.percent(35);
        match self.random.below(100) {
            _ if depth > 3 => self.compare(depth),
            0..=34 => self.compare(depth),
            35..=40 => {
                let kind = self.kind();
                Condition::IsNull(self.expression(kind, depth + 1), not)
            }
            41..=50 => {
                let conditions = (0..2 + self.random.below(2)).map(|_| self.condition(depth + 1)).collect();
                Condition::Or(conditions)
            }
            51..=60 => {
                let conditions = (0..2 + self.random.below(2)).map(|_| self.condition(depth + 1)).collect();
                Condition::And(conditions)
            }
            61..=64 => Condition::Not(Box::new(self.condition(depth + 1))),
            65 => Condition::NotTrue(Box::new(self.compare(depth + 1))),
            66..=71 => {
                let kinds: Vec<ExpressionType> =
                    (0..if self.random.percent(15) { 2 } else { 1 }).map(|_| self.kind()).collect();
                let left = kinds.iter().map(|kind| self.expression(*kind, depth + 1)).collect();
                let list = (0..1 + self.random.below(3))
                    .map(|_| kinds.iter().map(|kind| self.expression(*kind, depth + 2)).collect())
                    .collect();
                Condition::InList { left, not, list }
            }
            72..=74 => {
                let kind = self.kind();
                Condition::Between {
                    value: self.expression(kind, depth + 1),
                    not,
                    low: self.expression(kind, depth + 2),
                    high: self.expression(kind, depth + 2),
                }
            }
            75..=77 => Condition::Like {
                value: self.expression(ExpressionType::Text, depth + 1),
                not,
                pattern: self.random.pick(PATTERNS).copied().unwrap_or("%"),
            },
            _ if !may_nest => self.compare(depth),
            78..=86 => Condition::Exists(not, Box::new(self.query(None, false))),
            87..=93 => {
                let kinds: Vec<ExpressionType> =
                    (0..if self.random.percent(20) { 2 } else { 1 }).map(|_| self.kind()).collect();
                let left = kinds.iter().map(|kind| self.expression(*kind, depth + 1)).collect();
                Condition::InQuery { left, not, query: Box::new(self.query(Some(&kinds), false)) }
            }
            94..=98 => {
                let kind = self.kind();
                let left = self.expression(kind, depth + 1);
                let operator = self.operator();
                let quantifier = if not { "all" } else { "any" };
                let query = Box::new(self.query(Some(&[kind]), false));
                Condition::Quantified { left, operator, quantifier, query }
            }
            _ => {
                let kinds = [self.kind(), self.kind()];
                let left = kinds.iter().map(|kind| self.expression(*kind, depth + 1)).collect();
                let mut query = self.query(Some(&kinds), false);
                self.order(&mut query);
                query.fetch = Some((0, 1));
                Condition::CompareRow(left, not, Box::new(query))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use common::Seeded;

    use super::{Generator, Level};
    use crate::tree::{Column, Expression, ExpressionType};

    #[test]
    fn one_window_function_of_a_block_looks_at_single_rows() {
        let mut random = Seeded::at(1, 1);
        let mut generator = Generator::new(&mut random, &[]);
        let mut by_row = Vec::new();
        for _ in 0..50 {
            let columns = vec![Column { of: None, name: "a".to_owned(), kind: ExpressionType::Number }];
            generator.levels.push(Level { columns, ..Level::default() });
            let windows = (0..8).map(|_| generator.window(ExpressionType::Number));
            by_row
                .push(windows.filter(|made| matches!(made, Expression::Window(window) if window.is_by_row())).count());
            generator.levels.pop();
        }
        assert!(by_row.iter().all(|count| *count <= 1), "{by_row:?}");
        assert!(by_row.contains(&1), "{by_row:?}");
    }
}
