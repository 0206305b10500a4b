//! Smaller statements that may still differ: a part left out, or put in the place of the whole.

use crate::tree::{
    Body, Change, Condition, Expression, ExpressionType, From, Items, On, Query, Select, WindowFunction,
};

/// A value to put in a subexpression's place.
fn simplest(kind: ExpressionType) -> Expression {
    match kind {
        ExpressionType::Number => Expression::Literal(kind, "1"),
        ExpressionType::Text => Expression::Literal(kind, "a"),
        ExpressionType::Date => Expression::Literal(kind, "2024-02-29 00:00:00"),
    }
}

/// `whole` with one of `parts` exchanged for each smaller one.
fn within<T: Clone, W>(parts: &[T], smaller: impl Fn(&T) -> Vec<T>, whole: impl Fn(Vec<T>) -> W, out: &mut Vec<W>) {
    for (at, part) in parts.iter().enumerate() {
        for less in smaller(part) {
            let mut parts = parts.to_vec();
            parts[at] = less;
            out.push(whole(parts));
        }
    }
}

/// `whole` without one of `parts`, as long as one is left.
fn without<T: Clone, W>(parts: &[T], whole: impl Fn(Vec<T>) -> W, out: &mut Vec<W>) {
    if parts.len() > 1 {
        for at in 0..parts.len() {
            let mut parts = parts.to_vec();
            parts.remove(at);
            out.push(whole(parts));
        }
    }
}

fn optional<T>(part: Option<&T>, smaller: impl Fn(&T) -> Vec<T>) -> Vec<Option<T>> {
    part.map_or_else(Vec::new, |part| std::iter::once(None).chain(smaller(part).into_iter().map(Some)).collect())
}

pub(crate) fn expression(whole: &Expression) -> Vec<Expression> {
    let mut out = Vec::new();
    let kind = whole.kind();
    let mut children = |children: &[&Expression]| {
        out.extend(children.iter().filter(|child| child.kind() == kind).map(|child| (*child).clone()));
    };
    match whole {
        Expression::Column(_) | Expression::Literal(..) | Expression::Null(_) | Expression::CountAll => return out,
        Expression::Grouping(_) => {}
        Expression::Call(function, arguments) => {
            children(&arguments.iter().collect::<Vec<_>>());
            out.push(simplest(kind));
            within(arguments, expression, |arguments| Expression::Call(function, arguments), &mut out);
            return out;
        }
        Expression::Case { when, otherwise, .. } => {
            children(&when.iter().map(|(_, value)| value).chain(otherwise.as_deref()).collect::<Vec<_>>());
            out.push(simplest(kind));
            let case = |when, otherwise: &Option<Box<Expression>>| Expression::Case {
                kind,
                when,
                otherwise: otherwise.clone(),
            };
            without(when, |when| case(when, otherwise), &mut out);
            for smaller in optional(otherwise.as_deref(), expression) {
                out.push(case(when.clone(), &smaller.map(Box::new)));
            }
            let smaller = |(test, value): &(Condition, Expression)| {
                let tests = condition(test).into_iter().map(|test| (test, value.clone()));
                tests.chain(expression(value).into_iter().map(|value| (test.clone(), value))).collect()
            };
            within(when, smaller, |when| case(when, otherwise), &mut out);
            return out;
        }
        Expression::Choice { operand, when, otherwise, .. } => {
            children(&when.iter().map(|(_, value)| value).chain(otherwise.as_deref()).collect::<Vec<_>>());
            out.push(simplest(kind));
            let case = |operand: &Expression, when, otherwise: &Option<Box<Expression>>| Expression::Choice {
                kind,
                operand: Box::new(operand.clone()),
                when,
                otherwise: otherwise.clone(),
            };
            for operand in expression(operand) {
                out.push(case(&operand, when.clone(), otherwise));
            }
            without(when, |when| case(operand, when, otherwise), &mut out);
            for smaller in optional(otherwise.as_deref(), expression) {
                out.push(case(operand, when.clone(), &smaller.map(Box::new)));
            }
            let smaller = |(test, value): &(Expression, Expression)| {
                let tests = expression(test).into_iter().map(|test| (test, value.clone()));
                tests.chain(expression(value).into_iter().map(|value| (test.clone(), value))).collect()
            };
            within(when, smaller, |when| case(operand, when, otherwise), &mut out);
            return out;
        }
        Expression::Query(inner) => {
            out.push(simplest(kind));
            out.extend(query(inner).into_iter().map(|inner| Expression::Query(Box::new(inner))));
            return out;
        }
        Expression::Aggregate { aggregate, distinct, argument } => {
            if *distinct {
                out.push(Expression::Aggregate { aggregate: *aggregate, distinct: false, argument: argument.clone() });
            }
            for argument in expression(argument) {
                let argument = Box::new(argument);
                out.push(Expression::Aggregate { aggregate: *aggregate, distinct: *distinct, argument });
            }
        }
        Expression::Window(window) => {
            let mut less = (**window).clone();
            if less.partition.pop().is_some() {
                out.push(Expression::Window(Box::new(less)));
            }
            let mut less = (**window).clone();
            if !std::mem::take(&mut less.frame).is_empty() {
                out.push(Expression::Window(Box::new(less)));
            }
            // A function of single rows keeps an order without ties.
            for at in (0..window.order.len()).filter(|_| !window.is_by_row()) {
                let mut less = (**window).clone();
                less.order.remove(at);
                out.push(Expression::Window(Box::new(less)));
            }
            if let WindowFunction::Aggregate(aggregate, argument) = &window.function {
                for argument in expression(argument) {
                    let mut less = (**window).clone();
                    less.function = WindowFunction::Aggregate(*aggregate, argument);
                    out.push(Expression::Window(Box::new(less)));
                }
            }
        }
    }
    out.push(simplest(kind));
    out
}

fn boxed(queries: Vec<Query>) -> impl Iterator<Item = Box<Query>> {
    queries.into_iter().map(Box::new)
}

pub(crate) fn condition(whole: &Condition) -> Vec<Condition> {
    let mut out = Vec::new();
    match whole {
        Condition::Compare(left, operator, right) => {
            out.extend(expression(left).into_iter().map(|left| Condition::Compare(left, operator, right.clone())));
            out.extend(expression(right).into_iter().map(|right| Condition::Compare(left.clone(), operator, right)));
        }
        Condition::CompareRow(left, not, inner) => {
            out.extend(boxed(query(inner)).map(|inner| Condition::CompareRow(left.clone(), *not, inner)));
            within(left, expression, |left| Condition::CompareRow(left, *not, inner.clone()), &mut out);
        }
        Condition::IsNull(value, not) => {
            out.extend(expression(value).into_iter().map(|value| Condition::IsNull(value, *not)));
        }
        Condition::Not(inner) => {
            out.push((**inner).clone());
            out.extend(condition(inner).into_iter().map(|inner| Condition::Not(Box::new(inner))));
        }
        Condition::NotTrue(inner) => {
            out.push((**inner).clone());
            out.extend(condition(inner).into_iter().map(|inner| Condition::NotTrue(Box::new(inner))));
        }
        Condition::And(all) | Condition::Or(all) => {
            let again = |all| if matches!(whole, Condition::And(_)) { Condition::And(all) } else { Condition::Or(all) };
            out.extend(all.iter().cloned());
            without(all, again, &mut out);
            within(all, condition, again, &mut out);
        }
        Condition::InList { left, not, list } => {
            let again = |list| Condition::InList { left: left.clone(), not: *not, list };
            without(list, again, &mut out);
            if let ([_], false) = (left.as_slice(), list.is_empty()) {
                let smaller = |row: &Vec<Expression>| {
                    row.first().map(expression).unwrap_or_default().into_iter().map(|value| vec![value]).collect()
                };
                within(list, smaller, again, &mut out);
            }
            let again = |left| Condition::InList { left, not: *not, list: list.clone() };
            within(left, expression, again, &mut out);
            if *not {
                out.push(Condition::InList { left: left.clone(), not: false, list: list.clone() });
            }
        }
        Condition::InQuery { left, not, query: inner } => {
            let queries = boxed(query(inner));
            out.extend(queries.map(|query| Condition::InQuery { left: left.clone(), not: *not, query }));
            let again = |left| Condition::InQuery { left, not: *not, query: inner.clone() };
            within(left, expression, again, &mut out);
            if *not {
                out.push(Condition::InQuery { left: left.clone(), not: false, query: inner.clone() });
            }
        }
        Condition::Exists(not, inner) => {
            out.extend(boxed(query(inner)).map(|inner| Condition::Exists(*not, inner)));
            if *not {
                out.push(Condition::Exists(false, inner.clone()));
            }
        }
        Condition::Quantified { left, operator, quantifier, query: inner } => {
            let again =
                |left: &Expression, query| Condition::Quantified { left: left.clone(), operator, quantifier, query };
            out.extend(boxed(query(inner)).map(|inner| again(left, inner)));
            out.extend(expression(left).iter().map(|left| again(left, inner.clone())));
        }
        Condition::Between { value, not, low, high } => {
            let again = |value: &Expression, low: &Expression, high: &Expression| Condition::Between {
                value: value.clone(),
                not: *not,
                low: low.clone(),
                high: high.clone(),
            };
            out.push(Condition::Compare(value.clone(), ">=", low.clone()));
            out.push(Condition::Compare(value.clone(), "<=", high.clone()));
            out.extend(expression(value).iter().map(|value| again(value, low, high)));
            out.extend(expression(low).iter().map(|low| again(value, low, high)));
            out.extend(expression(high).iter().map(|high| again(value, low, high)));
        }
        Condition::Like { value, not, pattern } => {
            let smaller = expression(value).into_iter();
            out.extend(smaller.map(|value| Condition::Like { value, not: *not, pattern }));
        }
    }
    out
}

fn from(whole: &From) -> Vec<From> {
    let mut out = Vec::new();
    match whole {
        From::Table { .. } => {}
        From::View { query: inner, alias, lateral } => {
            let again = |query| From::View { query, alias: alias.clone(), lateral: *lateral };
            out.extend(boxed(query(inner)).map(again));
        }
        From::Join { left, kind, right, on } => {
            out.push((**left).clone());
            out.push((**right).clone());
            let again = |left: &From, right: &From, on: &On| From::Join {
                left: Box::new(left.clone()),
                kind: *kind,
                right: Box::new(right.clone()),
                on: on.clone(),
            };
            out.extend(from(left).iter().map(|left| again(left, right, on)));
            out.extend(from(right).iter().map(|right| again(left, right, on)));
            match on {
                On::Condition(inner) => {
                    out.extend(condition(inner).into_iter().map(|inner| again(left, right, &On::Condition(inner))));
                }
                On::Using(columns) => without(columns, |columns| again(left, right, &On::Using(columns)), &mut out),
                On::Nothing | On::Natural => {}
            }
        }
        From::Marked { left, right, conditions } => {
            out.push((**left).clone());
            out.push((**right).clone());
            let again = |conditions| From::Marked { left: left.clone(), right: right.clone(), conditions };
            without(conditions, again, &mut out);
        }
    }
    out
}

fn select(whole: &Select) -> Vec<Select> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Select)| {
        let mut less = whole.clone();
        change(&mut less);
        out.push(less);
    };
    for filter in optional(whole.filter.as_ref(), condition) {
        with(&|less| less.filter.clone_from(&filter));
    }
    for having in optional(whole.having.as_ref(), condition) {
        with(&|less| less.having.clone_from(&having));
    }
    if whole.distinct {
        with(&|less| less.distinct = false);
    }
    if let Some(group) = &whole.group {
        with(&|less| less.group = None);
        for at in 0..group.keys.len() {
            with(&|less| {
                if let Some(group) = &mut less.group {
                    group.keys.remove(at);
                }
            });
        }
    }
    let mut froms = Vec::new();
    without(&whole.from, |from| from, &mut froms);
    within(&whole.from, from, |from| from, &mut froms);
    for from in froms {
        with(&|less| less.from.clone_from(&from));
    }
    if let Items::List(items) = &whole.items {
        let mut lists = Vec::new();
        within(items, expression, |items| items, &mut lists);
        for items in lists {
            with(&|less| less.items = Items::List(items.clone()));
        }
    }
    out
}

fn body(whole: &Body) -> Vec<Body> {
    match whole {
        Body::Select(inner) => select(inner).into_iter().map(|inner| Body::Select(Box::new(inner))).collect(),
        Body::Set(left, operator, right) => {
            let mut out = vec![(**left).clone(), (**right).clone()];
            out.extend(body(left).into_iter().map(|left| Body::Set(Box::new(left), *operator, right.clone())));
            out.extend(body(right).into_iter().map(|right| Body::Set(left.clone(), *operator, Box::new(right))));
            out
        }
    }
}

pub(crate) fn query(whole: &Query) -> Vec<Query> {
    let mut out = Vec::new();
    if whole.fetch.is_some() {
        out.push(Query { fetch: None, ..whole.clone() });
    }
    if !whole.order.is_empty() {
        out.push(Query { order: Vec::new(), fetch: None, ..whole.clone() });
    }
    for at in 0..whole.with.len() {
        let mut less = whole.clone();
        less.with.remove(at);
        out.push(less);
    }
    out.extend(body(&whole.body).into_iter().map(|body| Query { body, ..whole.clone() }));
    for (at, (name, inner)) in whole.with.iter().enumerate() {
        for inner in query(inner) {
            let mut less = whole.clone();
            less.with[at] = (name.clone(), inner);
            out.push(less);
        }
    }
    // One column less; only where the number of columns is free.
    if let (Body::Select(select), None) = (&whole.body, whole.fetch)
        && let Items::List(items) = &select.items
    {
        let mut lists = Vec::new();
        without(items, |items| items, &mut lists);
        for items in lists {
            let mut less = (**select).clone();
            less.items = Items::List(items);
            let body = Body::Select(Box::new(less));
            out.push(Query { body, order: Vec::new(), ..whole.clone() });
        }
    }
    out
}

pub(crate) fn change(whole: &Change) -> Vec<Change> {
    let mut out = Vec::new();
    match whole {
        Change::InsertValues { table, columns, values } => {
            let again = |values| Change::InsertValues { table: table.clone(), columns: columns.clone(), values };
            within(values, expression, again, &mut out);
        }
        Change::InsertQuery { table, columns, query: inner } => {
            let again = |query| Change::InsertQuery { table: table.clone(), columns: columns.clone(), query };
            out.extend(query(inner).into_iter().map(again));
        }
        Change::Update { table, alias, set, set_query, filter } => {
            let again = |set, set_query, filter| Change::Update {
                table: table.clone(),
                alias: alias.clone(),
                set,
                set_query,
                filter,
            };
            for filter in optional(filter.as_ref(), condition) {
                out.push(again(set.clone(), set_query.clone(), filter));
            }
            if set_query.is_some() && !set.is_empty() {
                out.push(again(set.clone(), None, filter.clone()));
                out.push(again(Vec::new(), set_query.clone(), filter.clone()));
            }
            if let Some((columns, inner)) = set_query {
                for inner in query(inner) {
                    out.push(again(set.clone(), Some((columns.clone(), inner)), filter.clone()));
                }
            }
            without(set, |set| again(set, set_query.clone(), filter.clone()), &mut out);
            let smaller = |(column, value): &(String, Expression)| {
                expression(value).into_iter().map(|value| (column.clone(), value)).collect()
            };
            within(set, smaller, |set| again(set, set_query.clone(), filter.clone()), &mut out);
        }
        Change::Delete { table, alias, filter } => {
            for filter in optional(filter.as_ref(), condition) {
                out.push(Change::Delete { table: table.clone(), alias: alias.clone(), filter });
            }
        }
        Change::Merge { table, alias, source, source_alias, on, update, insert } => {
            let again = |source: &Query, update, insert| Change::Merge {
                table: table.clone(),
                alias: alias.clone(),
                source: source.clone(),
                source_alias: source_alias.clone(),
                on: on.clone(),
                update,
                insert,
            };
            if update.is_some() && insert.is_some() {
                out.push(again(source, None, insert.clone()));
                out.push(again(source, update.clone(), None));
            }
            out.extend(query(source).iter().map(|source| again(source, update.clone(), insert.clone())));
            if let Some(set) = update {
                without(set, |set| again(source, Some(set), insert.clone()), &mut out);
                let smaller = |(column, value): &(String, Expression)| {
                    expression(value).into_iter().map(|value| (column.clone(), value)).collect()
                };
                within(set, smaller, |set| again(source, Some(set), insert.clone()), &mut out);
            }
            if let Some((columns, values)) = insert {
                let whole = |values| again(source, update.clone(), Some((columns.clone(), values)));
                within(values, expression, whole, &mut out);
            }
        }
        Change::Savepoint | Change::RollbackToSavepoint | Change::Rollback | Change::Commit => {}
    }
    out
}
