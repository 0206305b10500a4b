//! One line into one record.
//!
//! A line is parsed strictly: a key that is no word, a number that does not end where a field ends or a missing part
//! make the line not understood, because such a line was cut or glued together. An unknown key is skipped: later
//! releases add some.

use super::fields::{NumberFields, TextFields, digits, number, small_number, whole_number};
use super::{
    Application, Call, CallError, CallKind, LobCall, Mark, Operation, Stat, TransactionEnd, Wait, WaitParameter,
};

/// The meaning of a line.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// `PARSING IN CURSOR`; the text follows.
    Parsing(CursorHead<'a>),
    /// `PARSE ERROR`; the text follows.
    ParseError(CursorHead<'a>),
    /// `BINDS #n:`; the binds follow.
    Binds {
        cursor: u64,
    },
    EndOfStatement,
    Call(Call),
    Wait(Wait<'a>),
    Stat(Stat<'a>),
    TransactionEnd(TransactionEnd),
    Error(CallError),
    Application(Application<'a>),
    Lob(LobCall<'a>),
    Mark(Mark<'a>),
    /// A rule, a blank line, or a line known to carry no figure.
    Nothing,
}

/// The fields of `PARSING IN CURSOR` and `PARSE ERROR`.
#[derive(Clone, Default, Debug)]
pub(super) struct CursorHead<'a> {
    pub(super) cursor: u64,
    pub(super) length: Option<u64>,
    pub(super) depth: Option<u32>,
    pub(super) user: Option<u32>,
    pub(super) privilege_user: Option<u32>,
    pub(super) command: Option<u32>,
    pub(super) time: Option<u64>,
    pub(super) hash_value: Option<u64>,
    pub(super) address: Option<&'a str>,
    pub(super) sql_id: Option<&'a str>,
    pub(super) error: Option<u32>,
}

/// Takes a line apart; `None` when it is not understood.
pub(super) fn line(text: &str) -> Option<Line<'_>> {
    match text.as_bytes().first() {
        None => Some(Line::Nothing),
        Some(b'E') => {
            if let Some(rest) = text.strip_prefix("EXEC #") {
                call(CallKind::Execute, rest)
            } else if let Some(rest) = text.strip_prefix("ERROR #") {
                call_error(rest)
            } else {
                (text.trim_end() == "END OF STMT").then_some(Line::EndOfStatement)
            }
        }
        Some(b'F') => call(CallKind::Fetch, text.strip_prefix("FETCH #")?),
        Some(b'W') => wait(text.strip_prefix("WAIT #")?),
        Some(b'C') => call(CallKind::Close, text.strip_prefix("CLOSE #")?),
        Some(b'P') => {
            if let Some(rest) = text.strip_prefix("PARSE #") {
                call(CallKind::Parse, rest)
            } else if let Some(rest) = text.strip_prefix("PARSING IN CURSOR #") {
                cursor_head(rest, ' ').map(Line::Parsing)
            } else {
                let head = cursor_head(text.strip_prefix("PARSE ERROR #")?, ':')?;
                head.error.is_some().then_some(Line::ParseError(head))
            }
        }
        Some(b'S') => match text.strip_prefix("STAT #") {
            Some(rest) => stat(rest),
            None => call(CallKind::SortUnmap, text.strip_prefix("SORT UNMAP #")?),
        },
        Some(b'U') => call(CallKind::Unmap, text.strip_prefix("UNMAP #")?),
        Some(b'X') => transaction_end(text.strip_prefix("XCTEND ")?),
        Some(b'B') => {
            let cursor = text.strip_prefix("BINDS #")?.trim_end().trim_end_matches(':');
            Some(Line::Binds { cursor: cursor_number(cursor)? })
        }
        Some(b'A') => application(text.strip_prefix("APPNAME ")?),
        Some(b'L') => lob(text),
        Some(b'*') => Mark::parse(text).map(Line::Mark),
        Some(b'=') => text.trim_end().bytes().all(|b| b == b'=').then_some(Line::Nothing),
        Some(_) => (text.trim().is_empty() || is_remark(text)).then_some(Line::Nothing),
    }
}

/// True: the line is certainly the start of a record, so a statement's text or a bind block must be over.
pub(super) fn begins_record(text: &str) -> bool {
    let numbered = |rest: &str| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && matches!(rest.as_bytes().get(digits), Some(b':' | b' '))
    };
    match text.as_bytes().first() {
        Some(b'=') => text.starts_with("=====================") && text.trim_end().bytes().all(|b| b == b'='),
        Some(b'X') => text.starts_with("XCTEND rlbk="),
        Some(b'B' | b'C' | b'E' | b'F' | b'P' | b'S' | b'U' | b'W') => {
            const KINDS: [&str; 11] = [
                "EXEC #",
                "FETCH #",
                "WAIT #",
                "PARSE #",
                "PARSING IN CURSOR #",
                "PARSE ERROR #",
                "STAT #",
                "CLOSE #",
                "BINDS #",
                "UNMAP #",
                "SORT UNMAP #",
            ];
            KINDS.iter().any(|kind| text.strip_prefix(kind).is_some_and(numbered))
        }
        _ => false,
    }
}

/// Lines of traces without use for a reader.
fn is_remark(text: &str) -> bool {
    const REMARKS: [&str; 5] = ["RPC ", "kkscoacd", "Dump of memory", "kxsGetRuntimeLock", "No bind buffers allocated"];
    REMARKS.iter().any(|remark| text.starts_with(remark))
}

fn cursor_number(text: &str) -> Option<u64> {
    u64::try_from(whole_number(text.as_bytes())?).ok()
}

/// Parts `12:rest`, or `12 rest`.
fn after_cursor(text: &str, separator: char) -> Option<(u64, &str)> {
    let (cursor, rest) = text.split_once(separator)?;
    Some((cursor_number(cursor)?, rest))
}

/// The figures of a call line in the order in which all releases print them; those after `og` are optional.
fn usual_call(kind: CallKind, text: &[u8]) -> Option<Call> {
    let mut rest = text;
    let mut field = |name: &[u8]| {
        let after = rest.strip_prefix(name)?;
        let (value, taken) = small_number(after)?;
        rest = &after[taken..];
        Some(value)
    };
    let cursor = u64::try_from(field(b"")?).ok()?;
    let (cpu, elapsed) = (field(b":c=")?, field(b",e=")?);
    let (disk, query, current) = (field(b",p=")?, field(b",cr=")?, field(b",cu=")?);
    let (misses, rows, depth, goal) = (field(b",mis=")?, field(b",r=")?, field(b",dep=")?, field(b",og=")?);
    let plan_hash = field(b",plh=");
    let time = field(b",tim=")?;
    // Anything more, or unusual, is left to the general parser.
    if !rest.is_empty() {
        return None;
    }
    Some(Call {
        kind,
        cursor,
        cpu: Some(cpu),
        elapsed: Some(elapsed),
        disk: Some(disk),
        query: Some(query),
        current: Some(current),
        misses: Some(misses),
        rows: Some(rows),
        depth: u32::try_from(depth).ok().filter(|depth| *depth <= DEEPEST)?,
        goal: Some(u32::try_from(goal).ok()?),
        plan_hash: plan_hash.map(u64::try_from).transpose().ok()?,
        close_type: None,
        time: Some(u64::try_from(time).ok()?),
    })
}

fn call<'a>(kind: CallKind, text: &str) -> Option<Line<'a>> {
    match usual_call(kind, text.as_bytes()) {
        Some(call) => Some(Line::Call(call)),
        None => any_call(kind, text),
    }
}

fn any_call<'a>(kind: CallKind, text: &str) -> Option<Line<'a>> {
    let bytes = text.as_bytes();
    let (cursor, taken) = number(bytes)?;
    let rest = bytes.get(taken..)?.strip_prefix(b":")?;
    let mut call = Call {
        kind,
        cursor: u64::try_from(cursor).ok()?,
        cpu: None,
        elapsed: None,
        disk: None,
        query: None,
        current: None,
        misses: None,
        rows: None,
        depth: 0,
        goal: None,
        plan_hash: None,
        close_type: None,
        time: None,
    };
    let mut depth = None;
    let mut fields = NumberFields::new(rest);
    for (key, value) in fields.by_ref() {
        // A key seen twice: two lines were glued together.
        let twice = match key {
            b"c" => call.cpu.replace(value).is_some(),
            b"e" => call.elapsed.replace(value).is_some(),
            b"p" => call.disk.replace(value).is_some(),
            b"cr" => call.query.replace(value).is_some(),
            b"cu" => call.current.replace(value).is_some(),
            b"mis" => call.misses.replace(value).is_some(),
            b"r" => call.rows.replace(value).is_some(),
            b"dep" => depth.replace(value).is_some(),
            b"og" => call.goal.replace(u32::try_from(value).ok()?).is_some(),
            b"plh" => call.plan_hash.replace(u64::try_from(value).ok()?).is_some(),
            b"type" => call.close_type.replace(u32::try_from(value).ok()?).is_some(),
            b"tim" => call.time.replace(u64::try_from(value).ok()?).is_some(),
            _ => false,
        };
        if twice {
            return None;
        }
    }
    // `tim` comes last in every release: without it the line was cut, perhaps within a number.
    if fields.broken() || call.time.is_none() || call.cpu.is_none() || call.elapsed.is_none() {
        return None;
    }
    call.depth = u32::try_from(depth?).ok().filter(|depth| *depth <= DEEPEST)?;
    Some(Line::Call(call))
}

/// Recursion deeper than this is no recursion but a damaged number.
const DEEPEST: u32 = 1000;

fn cursor_head(text: &str, separator: char) -> Option<CursorHead<'_>> {
    let (cursor, rest) = after_cursor(text, separator)?;
    let mut head = CursorHead { cursor, ..CursorHead::default() };
    let mut fields = TextFields::new(rest);
    for (key, value) in fields.by_ref() {
        let number = || whole_number(value.as_bytes());
        let small = || number().and_then(|n| u32::try_from(n).ok());
        let large = || number().and_then(|n| u64::try_from(n).ok());
        match key {
            "len" => head.length = Some(large()?),
            "dep" => head.depth = Some(small().filter(|depth| *depth <= DEEPEST)?),
            "uid" => head.user = Some(small()?),
            "lid" => head.privilege_user = Some(small()?),
            "oct" => head.command = Some(small()?),
            "tim" => head.time = Some(large()?),
            "hv" => head.hash_value = Some(large()?),
            "err" => head.error = Some(small()?),
            "ad" => head.address = Some(value),
            "sqlid" => head.sql_id = Some(value).filter(|id| !id.is_empty()),
            _ => {}
        }
    }
    (!fields.broken()).then_some(head)
}

fn wait(text: &str) -> Option<Line<'_>> {
    let bytes = text.as_bytes();
    let (cursor, taken) = digits(bytes)?;
    let after = text.get(taken..)?.strip_prefix(':')?.trim_ascii_start().strip_prefix("nam='")?;
    let at = end_of_event(after.as_bytes())?;
    let event = &after[..at];
    let mut rest = after[at + ELAPSED.len()..].trim_ascii_start();
    let (elapsed, taken) = small_number(rest.as_bytes())?;
    rest = rest.get(taken..)?;
    let mut wait = Wait { cursor, event, elapsed, parameters: [None; 3], object: None, time: None };
    let mut known = 0;
    loop {
        let field = rest.trim_ascii_start();
        if field.is_empty() {
            // Every release prints three parameters or the time behind them: without either the line was cut.
            return (wait.time.is_some() || known == 3).then_some(Line::Wait(wait));
        }
        if field.len() == rest.len() {
            // Going on without a blank: glued to another line.
            return None;
        }
        let (name, value, after) = wait_field(field)?;
        let twice = match name {
            "tim" => wait.time.replace(u64::try_from(value).ok()?).is_some(),
            // The object stands behind the event's own parameters, one of which may have the same name.
            "obj#" if known == 3 || is_last(after) => wait.object.replace(i64::try_from(value).ok()?).is_some(),
            _ => {
                *wait.parameters.get_mut(known)? = Some(WaitParameter { name, value });
                known += 1;
                false
            }
        };
        if twice {
            return None;
        }
        rest = after;
    }
}

/// The text between the event's name and the time waited.
const ELAPSED: &str = "' ela=";

/// Where the event's name ends; a name may hold a quote.
fn end_of_event(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\'', text).find(|at| text[*at..].starts_with(ELAPSED.as_bytes()))
}

/// True: only the time may follow.
fn is_last(rest: &str) -> bool {
    let rest = rest.trim_ascii_start();
    rest.is_empty() || rest.starts_with("tim=")
}

/// `driver id=1650815232` or `usn<<16 | slot=65540`: a name that may hold blanks, a number, and what follows.
fn wait_field(text: &str) -> Option<(&str, i128, &str)> {
    let equals = memchr::memchr(b'=', text.as_bytes())?;
    let after = &text[equals + 1..];
    let (value, taken) = number(after.as_bytes())?;
    Some((&text[..equals], value, &after[taken..]))
}

fn stat(text: &str) -> Option<Line<'_>> {
    let (cursor, rest) = after_cursor(text, ' ')?;
    let (head, operation) = rest.split_once("op='")?;
    let operation = operation.trim_end().strip_suffix('\'')?;
    let mut stat = Stat {
        cursor,
        id: 0,
        rows: None,
        parent: None,
        position: None,
        object: None,
        operation: Operation::parse(operation),
    };
    let mut id = None;
    let mut fields = TextFields::new(head);
    for (key, value) in fields.by_ref() {
        let value = i64::try_from(whole_number(value.as_bytes())?).ok()?;
        let small = || u32::try_from(value).ok();
        match key {
            "id" => id = Some(small()?),
            "cnt" => stat.rows = Some(value),
            "pid" => stat.parent = Some(small()?),
            "pos" => stat.position = Some(small()?),
            "obj" => stat.object = Some(value),
            _ => {}
        }
    }
    stat.id = id?;
    (!fields.broken()).then_some(Line::Stat(stat))
}

fn transaction_end(text: &str) -> Option<Line<'_>> {
    let (mut rollback, mut read_only, mut time) = (None, None, None);
    let mut fields = NumberFields::new(text.trim_end().as_bytes());
    for (key, value) in fields.by_ref() {
        match key {
            b"rlbk" => rollback = Some(value != 0),
            b"rd_only" => read_only = Some(value != 0),
            b"tim" => time = Some(u64::try_from(value).ok()?),
            _ => {}
        }
    }
    if fields.broken() {
        return None;
    }
    Some(Line::TransactionEnd(TransactionEnd { rollback: rollback?, read_only, time }))
}

fn call_error(text: &str) -> Option<Line<'_>> {
    let (cursor, rest) = after_cursor(text, ':')?;
    let (mut error, mut time) = (None, None);
    let mut fields = TextFields::new(rest);
    for (key, value) in fields.by_ref() {
        let value = whole_number(value.as_bytes())?;
        match key {
            "err" => error = Some(u32::try_from(value).ok()?),
            "tim" => time = Some(u64::try_from(value).ok()?),
            _ => {}
        }
    }
    if fields.broken() {
        return None;
    }
    Some(Line::Error(CallError { cursor, error: error?, time }))
}

fn application(text: &str) -> Option<Line<'_>> {
    let (mut module, mut action) = (None, None);
    let mut fields = TextFields::new(text);
    for (key, value) in fields.by_ref() {
        match key {
            "mod" => module = Some(value),
            "act" => action = Some(value),
            _ => {}
        }
    }
    if fields.broken() {
        return None;
    }
    Some(Line::Application(Application { module: module?, action }))
}

/// `LOBREAD: c=0,e=4,p=0,cr=1,cu=0,tim=5` or `LOBWRITE: type=PERSISTENT LOB,bytes=8132,c=…`.
fn lob(text: &str) -> Option<Line<'_>> {
    let (operation, rest) = text.split_once(':')?;
    if !operation.starts_with("LOB") || !operation.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let mut rest = rest.trim();
    if let Some(typed) = rest.strip_prefix("type=") {
        rest = typed.split_once(',')?.1;
    }
    let mut lob = LobCall {
        operation,
        bytes: None,
        cpu: None,
        elapsed: None,
        disk: None,
        query: None,
        current: None,
        time: None,
    };
    let mut fields = NumberFields::new(rest.as_bytes());
    for (key, value) in fields.by_ref() {
        match key {
            b"bytes" => lob.bytes = Some(value),
            b"c" => lob.cpu = Some(value),
            b"e" => lob.elapsed = Some(value),
            b"p" => lob.disk = Some(value),
            b"cr" => lob.query = Some(value),
            b"cu" => lob.current = Some(value),
            b"tim" => lob.time = Some(u64::try_from(value).ok()?),
            _ => {}
        }
    }
    (!fields.broken() && lob.time.is_some()).then_some(Line::Lob(lob))
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
