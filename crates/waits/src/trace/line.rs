//! The lines of a trace file and their fields.

use super::{LEVEL_BINDS, LEVEL_WAITS, TraceFile};
use crate::event::Event;

/// A statement as PARSING IN CURSOR shows it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ParsedCursor<'a> {
    pub text: &'a str,
    /// Recursive depth: 0 for a user's call.
    pub depth: u32,
    /// The parsing schema's user number.
    pub uid: u32,
    /// The number of the user whose rights are in force.
    pub lid: u32,
    /// Command type: 2 insert, 3 select, 6 update, 7 delete, ….
    pub oct: u32,
    pub hash: u32,
    pub sql_id: &'a str,
    /// A number that identifies the shared cursor.
    pub address: u64,
    pub tim: u64,
}

/// Which call a line is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallKind {
    Parse,
    Exec,
    Fetch,
    Close,
}

/// What a call took. What calls made inside it took is part of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallFigures {
    pub cpu_us: u64,
    pub elapsed_us: u64,
    /// Blocks read.
    pub physical: u64,
    /// Consistent gets.
    pub consistent: u64,
    /// Current gets.
    pub current: u64,
    /// Library cache misses.
    pub misses: u64,
    pub rows: u64,
    /// Recursive depth: 0 for a user's call.
    pub depth: u32,
    /// Optimizer goal: 1 all rows, 2 first rows, 3 rule, 4 choose, 0 none.
    pub goal: u32,
    pub plan_hash: u32,
    /// For CLOSE alone: 0 hard close, 1 into a free slot of the session's cursor cache, 2 in place of another, 3 it was
    /// there already.
    pub close_type: u32,
    /// When the call ended, from `Meter::tim`.
    pub tim: u64,
}

/// A row source of a plan that was executed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StatLine<'a> {
    pub id: u32,
    /// The parent's id, 0 for the root.
    pub pid: u32,
    /// Place among its siblings, from 1.
    pub pos: u32,
    /// Rows it gave.
    pub cnt: u64,
    /// Object number, 0 for none.
    pub object: u32,
    /// As in `TABLE ACCESS FULL T1`.
    pub operation: &'a str,
    pub cr: u64,
    pub pr: u64,
    pub pw: u64,
    pub time_us: u64,
    /// The planner's estimates, where it has made them.
    pub cost: Option<u64>,
    pub size: Option<u64>,
    pub card: Option<u64>,
}

/// A bind variable's value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bind<'a> {
    /// Data type code: 1 VARCHAR2, 2 NUMBER, 12 DATE, 23 RAW, 96 CHAR, 180 TIMESTAMP.
    pub data_type: u32,
    /// Bytes reserved for a value.
    pub max_bytes: u32,
    /// Bytes of this value, 0 for NULL.
    pub bytes: u32,
    pub precision: u32,
    pub scale: i32,
    /// None for NULL.
    pub value: Option<&'a str>,
    /// Character and date values stand in quotation marks.
    pub quoted: bool,
}

impl TraceFile {
    /// A statement is being parsed in a cursor.
    pub fn parsing(&mut self, cursor: u64, parsed: &ParsedCursor<'_>) {
        self.stamp(parsed.tim);
        let ParsedCursor { text, depth, uid, lid, oct, hash, sql_id, address, tim } = parsed;
        self.line(format_args!("====================="));
        self.line(format_args!(
            "PARSING IN CURSOR #{cursor} len={} dep={depth} uid={uid} oct={oct} lid={lid} tim={tim} hv={hash} ad='{address:x}' \
             sqlid='{sql_id}'",
            text.len()
        ));
        self.line(format_args!("{text}"));
        self.line(format_args!("END OF STMT"));
    }

    /// A call has ended.
    pub fn call(&mut self, kind: CallKind, cursor: u64, figures: &CallFigures) {
        self.stamp(figures.tim);
        let CallFigures { cpu_us, elapsed_us, physical, consistent, current, misses, rows, .. } = figures;
        let CallFigures { depth, goal, plan_hash, close_type, tim, .. } = figures;
        let name = match kind {
            CallKind::Parse => "PARSE",
            CallKind::Exec => "EXEC",
            CallKind::Fetch => "FETCH",
            CallKind::Close => {
                return self.line(format_args!(
                    "CLOSE #{cursor}:c={cpu_us},e={elapsed_us},dep={depth},type={close_type},tim={tim}"
                ));
            }
        };
        self.line(format_args!(
            "{name} #{cursor}:c={cpu_us},e={elapsed_us},p={physical},cr={consistent},cu={current},mis={misses},r={rows},\
             dep={depth},og={goal},plh={plan_hash},tim={tim}"
        ));
    }

    /// A wait is over. Written when the trace level has [`LEVEL_WAITS`].
    pub fn wait(&mut self, cursor: u64, event: Event, parameters: [u64; 3], micros: u64, object: i64, tim: u64) {
        if self.level() & LEVEL_WAITS == 0 {
            return;
        }
        self.stamp(tim);
        let label = |position: usize, absent: &'static str| match event.parameters()[position] {
            "" => absent,
            name => name,
        };
        let (p1, p2, p3) = (label(0, "p1"), label(1, "p2"), label(2, "p3"));
        let [v1, v2, v3] = parameters;
        self.line(format_args!(
            "WAIT #{cursor}: nam='{event}' ela= {micros} {p1}={v1} {p2}={v2} {p3}={v3} obj#={object} tim={tim}"
        ));
    }

    /// The figures of one row source of a cursor's plan.
    pub fn stat(&mut self, cursor: u64, stat: &StatLine<'_>) {
        use std::fmt::Write as _;
        let StatLine { id, pid, pos, cnt, object, operation, cr, pr, pw, time_us, cost, size, card } = stat;
        let mut estimates = String::new();
        for (name, value) in [("cost", cost), ("size", size), ("card", card)] {
            if let Some(value) = value {
                let _ = write!(estimates, " {name}={value}");
            }
        }
        self.line(format_args!(
            "STAT #{cursor} id={id} cnt={cnt} pid={pid} pos={pos} obj={object} op='{operation} (cr={cr} pr={pr} pw={pw} \
             time={time_us} us{estimates})'"
        ));
    }

    /// The values bound to a cursor. Written when the trace level has [`LEVEL_BINDS`].
    pub fn binds(&mut self, cursor: u64, binds: &[Bind<'_>]) {
        if self.level() & LEVEL_BINDS == 0 || binds.is_empty() {
            return;
        }
        self.line(format_args!("BINDS #{cursor}:"));
        let reserved = |bind: &Bind<'_>| bind.max_bytes.next_multiple_of(8);
        let mut size: u32 = binds.iter().map(reserved).sum();
        let mut offset = 0;
        for (position, bind) in binds.iter().enumerate() {
            let Bind { data_type, max_bytes, bytes, precision, scale, value, quoted } = bind;
            self.line(format_args!(" Bind#{position}"));
            self.line(format_args!(
                "  oacdty={data_type:02} mxl={max_bytes:02}({bytes:02}) mxlc=00 mal=00 scl={scale:02} pre={precision:02}"
            ));
            self.line(format_args!("  oacflg=00 fl2=0001 frm=00 csi=00 siz={size} off={offset}"));
            self.line(format_args!("  kxsbbbfp=00000000  bln={max_bytes:02}  avl={bytes:02}  flg=05"));
            match value {
                Some(value) if *quoted => self.line(format_args!("  value=\"{value}\"")),
                Some(value) => self.line(format_args!("  value={value}")),
                None => {}
            }
            size = 0;
            offset += reserved(bind);
        }
    }

    /// A transaction has ended.
    pub fn xctend(&mut self, rolled_back: bool, read_only: bool, tim: u64) {
        self.stamp(tim);
        self.line(format_args!("XCTEND rlbk={}, rd_only={}, tim={tim}", u32::from(rolled_back), u32::from(read_only)));
    }

    /// A call other than a parse has failed.
    pub fn error(&mut self, cursor: u64, number: u32, tim: u64) {
        self.stamp(tim);
        self.line(format_args!("ERROR #{cursor}:err={number} tim={tim}"));
    }

    /// A parse has failed.
    pub fn parse_error(&mut self, cursor: u64, parsed: &ParsedCursor<'_>, number: u32) {
        self.stamp(parsed.tim);
        let ParsedCursor { text, depth, uid, lid, oct, tim, .. } = parsed;
        self.line(format_args!("====================="));
        self.line(format_args!(
            "PARSE ERROR #{cursor}:len={} dep={depth} uid={uid} oct={oct} lid={lid} tim={tim} err={number}",
            text.len()
        ));
        self.line(format_args!("{text}"));
    }
}
