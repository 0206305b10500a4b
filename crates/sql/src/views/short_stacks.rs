//! Call stacks of sessions: a view without a counterpart in Oracle.

use scalar::Datum;

use super::view::{View, maybe, n, number, s, text};
use crate::short_stack::short_stack;

/// Bytes of a stack in the view; the outermost functions are cut off.
const STACK_BYTES: u16 = 4_000;

pub(crate) const VIEWS: &[View] = &[View {
    name: "V$HW_SHORT_STACK",
    columns: &[number("SID"), number("SERIAL#"), text("STID", 24), text("STACK", STACK_BYTES)],
    rows: |cx, rows| {
        let instance = cx.session.instance();
        instance.sessions().iter().try_for_each(|figures| {
            let Some(thread) = figures.thread else { return Ok(()) };
            let Some(session) = instance.session(figures.sid, figures.serial) else { return Ok(()) };
            // Empty for a session that does not answer, or whose call has ended meanwhile.
            let stack = short_stack(&session).ok().map(|stack| stack.line());
            rows.add(&[
                n(figures.sid),
                n(figures.serial),
                s(thread.0.to_string()),
                maybe(stack, |line| Datum::varchar2(cut(&line))),
            ])
        })
    },
}];

/// The line, cut to the column's width.
fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(usize::from(STACK_BYTES))]
}
