//! Bind variables in a plan that is kept: typed parameters, whose values an execution gives.

use std::sync::Arc;

use common::sync::Mutex;
use common::sync::atomic::{AtomicU64, Ordering};
use datafusion::arrow::datatypes::Field;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::Placeholder;
use scalar::{Context, Datum, DatumType};

use super::bound::Bound;
use crate::types::ArrowForm;

/// The values of the bind variables in the present execution of a plan, and the context of its functions.
#[derive(Debug)]
pub(crate) struct Parameters {
    context: Arc<dyn Context>,
    values: Mutex<Arc<[Datum]>>,
    /// How often they have been given values.
    runs: AtomicU64,
}

impl Parameters {
    pub(crate) fn new(context: Arc<dyn Context>, values: Vec<Datum>) -> Arc<Self> {
        Arc::new(Self { context, values: Mutex::new(values.into()), runs: AtomicU64::new(0) })
    }

    /// Parameters of a subquery's plan: without values so far.
    pub(crate) fn of_subquery(&self) -> Arc<Self> {
        Self::new(Arc::clone(&self.context), Vec::new())
    }

    /// The values of an execution that begins.
    pub(crate) fn set(&self, values: Vec<Datum>) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        *self.values.lock() = values.into();
    }

    /// The values of a run of a subquery: the enclosing query's, then those of its columns.
    pub(crate) fn set_within(&self, outer: &[Datum], columns: impl Iterator<Item = Datum>) {
        self.set(outer.iter().cloned().chain(columns).collect());
    }

    /// The number of the run of the query that has them. The answers of its subqueries are good for one: they may
    /// depend on the values.
    pub(crate) fn run(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    pub(crate) fn values(&self) -> Arc<[Datum]> {
        Arc::clone(&self.values.lock())
    }

    pub(crate) fn context(&self) -> &dyn Context {
        &*self.context
    }

    pub(crate) fn shared_context(&self) -> Arc<dyn Context> {
        Arc::clone(&self.context)
    }
}

/// The bind variable `name` of this type, at `position` among the statement's.
pub(crate) fn parameter(position: usize, name: &str, kind: DatumType) -> Bound {
    let id = format!("${position} {name}");
    let field = Arc::new(Field::new(&id, kind.arrow(), true));
    Bound::new(Expr::Placeholder(Placeholder::new_with_field(id, Some(field))), kind)
}

/// The position of a parameter.
pub(crate) fn position(placeholder: &Placeholder) -> Option<usize> {
    placeholder.id.strip_prefix('$')?.split(' ').next()?.parse().ok()
}

/// The name of a parameter's bind variable.
pub(crate) fn name(placeholder: &Placeholder) -> &str {
    placeholder.id.split_once(' ').map_or("", |(_, name)| name)
}

/// True: the expression has parameters, and no columns.
pub(crate) fn is_over_parameters(expr: &Expr) -> bool {
    let mut found = false;
    let other = expr.exists(|node| {
        found |= matches!(node, Expr::Placeholder(_));
        Ok(matches!(
            node,
            Expr::Column(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::ScalarSubquery(_)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
        ))
    });
    found && !other.unwrap_or(true)
}

/// The text of a value over parameters in plans: its bind variable.
pub(crate) fn shown(expr: &Expr) -> String {
    let mut text = String::new();
    // The visitor does not fail.
    let _ = expr.apply(|node| {
        if let Expr::Placeholder(placeholder) = node {
            text = format!(":{}", name(placeholder));
            return Ok(TreeNodeRecursion::Stop);
        }
        Ok(TreeNodeRecursion::Continue)
    });
    text
}
