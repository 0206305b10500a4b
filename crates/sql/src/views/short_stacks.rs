//! Call stacks of sessions: a view without a counterpart in Oracle.

use common::sync::ThreadId;
use scalar::Datum;

use super::view::{Column, Table, View, maybe, n, number, s, text};
use crate::short_stack::short_stack;

/// Bytes of a stack in the view; the outermost functions are cut off.
const STACK_BYTES: u16 = 4_000;

/// The stack of a session whose call runs; none for one that does not answer, or whose call has ended meanwhile.
struct ShortStack {
    sid: u32,
    serial: u32,
    thread: ThreadId,
    line: Option<String>,
}

const STACKS: &[Column<ShortStack>] = &[
    number("SID", |row| n(row.sid)),
    number("SERIAL#", |row| n(row.serial)),
    text("STID", 24, |row| s(row.thread.0.to_string())),
    text("STACK", STACK_BYTES, |row| maybe(row.line.as_deref(), |line| Datum::varchar2(cut(line)))),
];

pub(crate) const VIEWS: &[&dyn View] = &[&Table::new("V$HW_SHORT_STACK", &[STACKS], |cx, each| {
    let instance = cx.session.instance();
    instance.sessions().iter().try_for_each(|figures| {
        let Some(thread) = figures.thread else { return Ok(()) };
        let Some(session) = instance.session(figures.sid, figures.serial) else { return Ok(()) };
        let line = short_stack(&session).ok().map(|stack| stack.line());
        each(ShortStack { sid: figures.sid, serial: figures.serial, thread, line })
    })
})];

/// The line, cut to the column's width.
fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(usize::from(STACK_BYTES))]
}
