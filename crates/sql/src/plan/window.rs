//! Window functions: `function(…) OVER (PARTITION BY … ORDER BY … frame)`.

use common::{Error, Result};
use datafusion::common::ScalarValue;
use datafusion::functions_window::{cume_dist, lead_lag, nth_value, ntile, rank, row_number};
use datafusion::logical_expr::expr::{NullTreatment, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{Expr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition};
use scalar::DatumType;
use sqlparser::ast::{self, WindowType};

use super::binder::{AGGREGATES_NESTED_MAX, Binder};
use super::bound::Bound;
use super::function::Call;
use super::scope::Scope;
use crate::functions;
use crate::types::literal;

/// Functions that are window functions alone.
pub(crate) const FUNCTIONS: &[&str] = &[
    "CUME_DIST",
    "DENSE_RANK",
    "FIRST_VALUE",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "NTILE",
    "PERCENT_RANK",
    "RANK",
    "ROW_NUMBER",
];

/// True: a window function has this name, and no aggregate has.
pub(super) fn exists(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

impl Binder<'_> {
    pub(crate) fn window_function(&self, call: &Call<'_>, over: &WindowType, scope: &Scope<'_>) -> Result<Bound> {
        let WindowType::WindowSpec(spec) = over else {
            return Err(Error::unsupported("named windows"));
        };
        let ast::WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        if window_name.is_some() {
            return Err(Error::unsupported("named windows"));
        }
        if call.name == functions::listagg::NAME && !(order_by.is_empty() && window_frame.is_none()) {
            return Err(Error::user(30487, "ORDER BY not allowed here: the order of LISTAGG stands in WITHIN GROUP"));
        }
        if self.aggregates_allowed.get() < AGGREGATES_NESTED_MAX {
            return Err(Error::user(30483, "window functions are not allowed here"));
        }
        let partition_by = partition_by.iter().map(|e| Ok(self.value(e, scope)?.expr)).collect::<Result<Vec<_>>>()?;
        let order_by = self.sort_keys(order_by, scope)?;
        let (fun, args, kind, bytes, integer) = self.window_parts(call, scope)?;
        // Ranking functions have no frame, and values are not ranges in Arrow: the frame counts groups of peers, which
        // is the same.
        let frame = match window_frame {
            None if order_by.is_empty() => WindowFrame::new(None),
            None => to_current_row(),
            Some(frame) => window_frame_of(frame)?,
        };
        let window = WindowFunction {
            fun,
            params: WindowFunctionParams {
                args,
                partition_by,
                order_by,
                window_frame: frame,
                filter: None,
                null_treatment: call.ignore_nulls.then_some(NullTreatment::IgnoreNulls),
                distinct: call.distinct && call.name != functions::listagg::NAME,
            },
        };
        let expr = Expr::WindowFunction(Box::new(window));
        let expr = if integer { functions::integer::to_number(expr) } else { expr };
        Ok(Bound::new(expr, kind).bytes(bytes))
    }

    /// The function, its arguments, the kind and length of the result, and true when that is an Arrow number.
    fn window_parts(
        &self,
        call: &Call<'_>,
        scope: &Scope<'_>,
    ) -> Result<(WindowFunctionDefinition, Vec<Expr>, DatumType, u32, bool)> {
        let ranking = match call.name.as_str() {
            "ROW_NUMBER" => Some(row_number::row_number_udwf()),
            "RANK" => Some(rank::rank_udwf()),
            "DENSE_RANK" => Some(rank::dense_rank_udwf()),
            "PERCENT_RANK" => Some(rank::percent_rank_udwf()),
            "CUME_DIST" => Some(cume_dist::cume_dist_udwf()),
            _ => None,
        };
        if let Some(udwf) = ranking {
            return Ok((WindowFunctionDefinition::WindowUDF(udwf), vec![], DatumType::Number, 40, true));
        }
        let small = |at: usize| -> Result<Expr> {
            let bound = self.value(call.arguments[at], scope)?;
            let value = literal::as_integer(&bound.expr)
                .ok_or_else(|| Error::unsupported(format!("{} with a count that is not a literal", call.name)))?;
            Ok(Expr::Literal(ScalarValue::Int64(Some(value)), None))
        };
        match call.name.as_str() {
            "NTILE" if call.arguments.len() == 1 => {
                let udwf = WindowFunctionDefinition::WindowUDF(ntile::ntile_udwf());
                Ok((udwf, vec![small(0)?], DatumType::Number, 40, true))
            }
            "LAG" | "LEAD" if (1..=3).contains(&call.arguments.len()) => {
                let value = self.value(call.arguments[0], scope)?;
                let mut args = vec![value.expr.clone()];
                if call.arguments.len() > 1 {
                    let offset = small(1)?;
                    if matches!(offset, Expr::Literal(ScalarValue::Int64(Some(offset)), _) if offset < 0) {
                        let offset = call.arguments[1];
                        return Err(Error::user(1428, format!("argument '{offset}' is out of range")));
                    }
                    args.push(offset);
                }
                if call.arguments.len() > 2 {
                    let otherwise = self.value(call.arguments[2], scope)?;
                    args.push(self.convert(otherwise, value.kind)?.expr);
                }
                let udwf = if call.name == "LAG" { lead_lag::lag_udwf() } else { lead_lag::lead_udwf() };
                Ok((WindowFunctionDefinition::WindowUDF(udwf), args, value.kind, value.bytes, false))
            }
            "FIRST_VALUE" | "LAST_VALUE" if call.arguments.len() == 1 => {
                let value = self.value(call.arguments[0], scope)?;
                let udwf = if call.name == "FIRST_VALUE" {
                    nth_value::first_value_udwf()
                } else {
                    nth_value::last_value_udwf()
                };
                Ok((WindowFunctionDefinition::WindowUDF(udwf), vec![value.expr], value.kind, value.bytes, false))
            }
            name if functions::aggregate::Measure::by_name(name).is_some()
                || matches!(name, "COUNT" | "MIN" | "MAX" | functions::listagg::NAME) =>
            {
                let (udaf, args, kind, bytes) = self.aggregate_parts(call, scope)?;
                Ok((WindowFunctionDefinition::AggregateUDF(udaf), args, kind, bytes, name == "COUNT"))
            }
            name => Err(Error::unsupported(format!("window function {name}"))),
        }
    }
}

fn window_frame_of(frame: &ast::WindowFrame) -> Result<WindowFrame> {
    let units = match frame.units {
        ast::WindowFrameUnits::Rows => WindowFrameUnits::Rows,
        ast::WindowFrameUnits::Range => WindowFrameUnits::Range,
        ast::WindowFrameUnits::Groups => return Err(Error::unsupported("GROUPS in a window")),
    };
    let bound = |bound: &ast::WindowFrameBound| -> Result<WindowFrameBound> {
        let distance = |e: &Option<Box<ast::Expr>>| -> Result<ScalarValue> {
            match e.as_deref() {
                None => Ok(ScalarValue::UInt64(None)),
                Some(ast::Expr::Value(v)) if units == WindowFrameUnits::Rows => match &v.value {
                    ast::Value::Number(digits, _) => digits
                        .parse()
                        .map(|n| ScalarValue::UInt64(Some(n)))
                        .map_err(|_| Error::unsupported(format!("window bound {digits}"))),
                    other => Err(Error::unsupported(format!("window bound {other}"))),
                },
                Some(other) => Err(Error::unsupported(format!("window bound {other}"))),
            }
        };
        Ok(match bound {
            ast::WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
            ast::WindowFrameBound::Preceding(e) => WindowFrameBound::Preceding(distance(e)?),
            ast::WindowFrameBound::Following(e) => WindowFrameBound::Following(distance(e)?),
        })
    };
    let start = bound(&frame.start_bound)?;
    let units = if units == WindowFrameUnits::Range { WindowFrameUnits::Groups } else { units };
    let end = match &frame.end_bound {
        Some(end) => bound(end)?,
        None => WindowFrameBound::CurrentRow,
    };
    Ok(WindowFrame::new_bounds(units, start, end))
}

/// From the first row to the last peer of the current one: the frame of a window with ORDER BY and no frame of its own.
fn to_current_row() -> WindowFrame {
    let first = WindowFrameBound::Preceding(ScalarValue::UInt64(None));
    WindowFrame::new_bounds(WindowFrameUnits::Groups, first, WindowFrameBound::CurrentRow)
}

#[cfg(test)]
mod tests {
    use scalar::functions::{lookup, unsupported};

    use super::FUNCTIONS;

    #[test]
    fn window_functions_have_one_home() {
        let elsewhere: Vec<_> =
            FUNCTIONS.iter().filter(|name| lookup(name).is_some() || unsupported::is_function(name)).collect();
        assert!(elsewhere.is_empty(), "{elsewhere:?}");
    }
}
