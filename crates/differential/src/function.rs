//! Functions that both databases have, or that can be expressed in both: templates with `$1`, `$2` … for the arguments.
//!
//! Where one name means different things, the peer's template expresses Highwater's meaning: an empty string is NULL,
//! NULL joined to a text is the text, GREATEST of a NULL is NULL.

use crate::tree::ExpressionType;

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Function {
    pub(crate) kind: ExpressionType,
    pub(crate) arguments: &'static [ExpressionType],
    pub(crate) ours: &'static str,
    pub(crate) theirs: &'static str,
}

const N: ExpressionType = ExpressionType::Number;
const T: ExpressionType = ExpressionType::Text;
const D: ExpressionType = ExpressionType::Date;

const fn both(kind: ExpressionType, arguments: &'static [ExpressionType], text: &'static str) -> Function {
    Function { kind, arguments, ours: text, theirs: text }
}

const fn two(
    kind: ExpressionType,
    arguments: &'static [ExpressionType],
    ours: &'static str,
    theirs: &'static str,
) -> Function {
    Function { kind, arguments, ours, theirs }
}

/// The functions that every type has.
macro_rules! of_each {
    ($($kind:ident),*) => {
        &[$(
            both($kind, &[$kind, $kind], "nullif($1, $2)"),
            both($kind, &[$kind, $kind], "coalesce($1, $2)"),
            both($kind, &[$kind, $kind, $kind], "coalesce($1, $2, $3)"),
            two($kind, &[$kind, $kind], "nvl($1, $2)", "coalesce($1, $2)"),
            two($kind, &[N, $kind, $kind], "nvl2($1, $2, $3)", "(case when $1 is not null then $2 else $3 end)"),
            two($kind, &[T, $kind, $kind], "nvl2($1, $2, $3)", "(case when $1 is not null then $2 else $3 end)"),
            two(
                $kind,
                &[N, N, $kind, $kind],
                "decode($1, $2, $3, $4)",
                "(case when $1 is not distinct from $2 then $3 else $4 end)",
            ),
            two(
                $kind,
                &[T, T, $kind, T, $kind, $kind],
                "decode($1, $2, $3, $4, $5, $6)",
                "(case when $1 is not distinct from $2 then $3 when $1 is not distinct from $4 then $5 else $6 end)",
            ),
            two(
                $kind,
                &[D, D, $kind],
                "decode($1, $2, $3)",
                "(case when $1 is not distinct from $2 then $3 end)",
            ),
            two(
                $kind,
                &[$kind, $kind],
                "greatest($1, $2)",
                "(case when $1 is not null and $2 is not null then greatest($1, $2) end)",
            ),
            two(
                $kind,
                &[$kind, $kind],
                "least($1, $2)",
                "(case when $1 is not null and $2 is not null then least($1, $2) end)",
            ),
        )*]
    };
}

pub(crate) const OF_EACH: &[Function] = of_each!(N, T, D);

pub(crate) const NUMBERS: &[Function] = &[
    both(N, &[N, N], "($1 + $2)"),
    both(N, &[N, N], "($1 - $2)"),
    both(N, &[N, N], "($1 * $2)"),
    both(N, &[N], "(-($1))"),
    both(N, &[N, N], "round($1 / nullif($2, 0), 4)"),
    both(N, &[N], "abs($1)"),
    both(N, &[N], "sign($1)"),
    both(N, &[N], "floor($1)"),
    both(N, &[N], "ceil($1)"),
    both(N, &[N], "mod($1, 3)"),
    two(N, &[N, N], "mod($1, $2)", "(case when $2 = 0 then $1 else mod($1, $2) end)"),
    both(N, &[N], "round($1)"),
    both(N, &[N], "round($1, 1)"),
    both(N, &[N], "trunc($1, 1)"),
    two(N, &[T], "length($1)", "length($1)::numeric"),
    two(N, &[T], "instr($1, 'b')", "strpos($1, 'b')::numeric"),
    two(N, &[T], "ascii($1)", "ascii($1)::numeric"),
    two(N, &[D], "extract(year from $1)", "extract(year from $1)::numeric"),
    two(N, &[D], "to_number(to_char($1, 'DD'))", "extract(day from $1)::numeric"),
    two(N, &[D, D], "round($1 - $2, 4)", "round(extract(epoch from ($1 - $2))::numeric / 86400, 4)"),
];

pub(crate) const TEXTS: &[Function] = &[
    two(T, &[T, T], "($1 || $2)", "nullif(concat($1, $2), '')"),
    both(T, &[T], "upper($1)"),
    both(T, &[T], "lower($1)"),
    both(T, &[T], "initcap($1)"),
    two(T, &[T], "substr($1, 2)", "nullif(substr($1, 2), '')"),
    two(T, &[T], "substr($1, 1, 2)", "nullif(substr($1, 1, 2), '')"),
    two(T, &[T], "substr($1, -2)", "(case when length($1) >= 2 then right($1, 2) end)"),
    both(T, &[T], "lpad($1, 4, '*')"),
    both(T, &[T], "rpad($1, 3, 'xy')"),
    two(T, &[T], "replace($1, 'a')", "nullif(replace($1, 'a', ''), '')"),
    both(T, &[T], "replace($1, 'b', 'zz')"),
    two(T, &[T], "ltrim($1, 'ab')", "nullif(ltrim($1, 'ab'), '')"),
    two(T, &[T], "rtrim($1, 'b')", "nullif(rtrim($1, 'b'), '')"),
    two(T, &[T], "trim($1)", "nullif(trim($1), '')"),
    both(T, &[T], "translate($1, 'ab', 'xy')"),
    two(T, &[N], "to_char(trunc($1))", "trunc($1)::text"),
    both(T, &[D], "to_char($1, 'YYYY-MM-DD')"),
    both(T, &[D], "to_char($1, 'HH24:MI')"),
    two(T, &[T], "cast($1 as varchar2(2))", "cast($1 as varchar(2))"),
];

pub(crate) const DATES: &[Function] = &[
    two(D, &[D], "($1 + 1)", "($1 + interval '1 day')"),
    two(D, &[D], "($1 - 31)", "($1 - interval '31 days')"),
    two(D, &[D], "trunc($1)", "date_trunc('day', $1)"),
    two(D, &[D], "trunc($1, 'MM')", "date_trunc('month', $1)"),
    two(D, &[D], "trunc($1, 'YYYY')", "date_trunc('year', $1)"),
    two(
        D,
        &[D],
        "last_day($1)",
        "($1 + (date_trunc('month', $1) + interval '1 month' - interval '1 day' - date_trunc('day', $1)))",
    ),
    two(D, &[D], "add_months(trunc($1, 'MM'), 2)", "(date_trunc('month', $1) + interval '2 months')"),
    two(
        D,
        &[D],
        "to_date(to_char($1, 'YYYY-MM-DD'), 'YYYY-MM-DD')",
        "to_date(to_char($1, 'YYYY-MM-DD'), 'YYYY-MM-DD')::timestamp",
    ),
];

/// The functions that return this type.
pub(crate) fn giving(kind: ExpressionType) -> impl Iterator<Item = &'static Function> {
    let own = match kind {
        ExpressionType::Number => NUMBERS,
        ExpressionType::Text => TEXTS,
        ExpressionType::Date => DATES,
    };
    own.iter().chain(OF_EACH.iter().filter(move |function| function.kind == kind))
}
