//! The instructions. Operands are registers: slots of the running frame, counted from its base.
//!
//! Parameters are the first registers of a frame, the result of a function follows them. A caller puts arguments into
//! consecutive registers at the end of its own frame; the callee's frame begins there, so nothing is copied.

use crate::ast::{CursorAttribute, SubscriptedAttribute};

/// A register, counted from the base of the frame.
pub type Register = u16;
/// An index into the instructions of the function.
pub type Target = u32;
/// An index into one of the unit's or the function's tables.
pub type Index = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl CompareOp {
    #[inline]
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// A method of collections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Count,
    First,
    Last,
    Next,
    Prior,
    Exists,
    Limit,
    Delete,
    Extend,
    Trim,
}

/// Functions that need the machine itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    SqlCode,
    SqlErrm,
    /// Time functions: the clock is read at each call.
    SysDate,
    SysTimestamp,
    Mod,
    Nvl,
    RaiseApplicationError,
    RegexpLike,
    /// UPDATING('COLUMN'): the set of columns is the first argument.
    Updating,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    Move {
        to: Register,
        from: Register,
    },
    Constant {
        to: Register,
        constant: Index,
    },
    Integer {
        to: Register,
        value: i32,
    },
    Null {
        to: Register,
    },
    /// Every register from this one on becomes NULL.
    ClearFrom {
        first: Register,
    },
    Load {
        to: Register,
        place: Index,
    },
    Store {
        place: Index,
        from: Register,
    },
    Field {
        to: Register,
        record: Register,
        field: u16,
    },
    Element {
        to: Register,
        collection: Register,
        subscript: Register,
    },
    /// As a variable of the type holds it.
    Coerce {
        to: Register,
        from: Register,
        scalar_type: Index,
    },
    /// ORA-06502 when it is NULL.
    NotNull {
        from: Register,
    },

    Add {
        to: Register,
        a: Register,
        b: Register,
    },
    AddConstant {
        to: Register,
        a: Register,
        by: i32,
    },
    Subtract {
        to: Register,
        a: Register,
        b: Register,
    },
    Multiply {
        to: Register,
        a: Register,
        b: Register,
    },
    Divide {
        to: Register,
        a: Register,
        b: Register,
    },
    Power {
        to: Register,
        a: Register,
        b: Register,
    },
    Negate {
        to: Register,
        a: Register,
    },
    IntegerAdd {
        to: Register,
        a: Register,
        b: Register,
        wrap: bool,
    },
    IntegerAddConstant {
        to: Register,
        a: Register,
        by: i32,
        wrap: bool,
    },
    IntegerSubtract {
        to: Register,
        a: Register,
        b: Register,
        wrap: bool,
    },
    IntegerMultiply {
        to: Register,
        a: Register,
        b: Register,
        wrap: bool,
    },
    Concatenate {
        to: Register,
        a: Register,
        b: Register,
    },
    Compare {
        to: Register,
        a: Register,
        b: Register,
        how: CompareOp,
    },
    SameElements {
        to: Register,
        a: Register,
        b: Register,
    },
    Not {
        to: Register,
        a: Register,
    },
    And {
        to: Register,
        a: Register,
        b: Register,
    },
    Or {
        to: Register,
        a: Register,
        b: Register,
    },
    IsNull {
        to: Register,
        a: Register,
        not: bool,
    },
    /// Value, pattern and perhaps the escape character from `first` on.
    Like {
        to: Register,
        first: Register,
        escape: bool,
    },

    Jump {
        target: Target,
    },
    /// A jump backwards, where the host may stop the program.
    Loop {
        target: Target,
    },
    JumpIfTrue {
        condition: Register,
        target: Target,
    },
    JumpIfFalse {
        condition: Register,
        target: Target,
    },
    JumpUnlessTrue {
        condition: Register,
        target: Target,
    },
    JumpIfNull {
        value: Register,
        target: Target,
    },
    JumpIfCompare {
        a: Register,
        b: Register,
        how: CompareOp,
        target: Target,
    },
    JumpUnlessCompare {
        a: Register,
        b: Register,
        how: CompareOp,
        target: Target,
    },
    JumpUnlessCompareConstant {
        a: Register,
        how: CompareOp,
        b: i16,
        target: Target,
    },
    /// Jumps when the loop has no turn at all.
    ForPrepare {
        counter: Register,
        limit: Register,
        reverse: bool,
        target: Target,
    },
    ForNext {
        counter: Register,
        limit: Register,
        target: Target,
    },
    ForNextReverse {
        counter: Register,
        limit: Register,
        target: Target,
    },

    Scalar {
        to: Register,
        function: Index,
        first: Register,
        count: u16,
    },
    Builtin {
        to: Register,
        builtin: Builtin,
        first: Register,
        count: u16,
    },

    Record {
        to: Register,
        first: Register,
        count: u16,
    },
    Construct {
        to: Register,
        first: Register,
        count: u16,
        kind: Index,
    },
    Method {
        to: Register,
        place: Index,
        method: Method,
        first: Register,
        count: u16,
    },
    /// Tests whether an element must be created before a part of it is changed.
    Missing {
        to: Register,
        place: Index,
    },

    /// A function of the same unit; its enclosing frame is `levels` frames up.
    Call {
        function: Index,
        first: Register,
        levels: u16,
    },
    CallLinked {
        link: u16,
        function: Index,
        first: Register,
    },
    CallNative {
        native: Index,
        first: Register,
    },
    /// Loads the state of another unit.
    Need {
        link: u16,
    },
    Return,
    /// ORA-06503.
    NoReturn,

    Raise {
        exception: Index,
    },
    Reraise {
        line_only: bool,
    },
    /// Sets the number of exceptions being handled in this function.
    Handling {
        depth: u16,
    },
    CaseNotFound,

    Execute {
        statement: Index,
        first: Register,
    },
    ForAllBegin,
    ForAllAdd {
        index: Register,
        first: Register,
        count: u16,
    },
    ForAllRun {
        statement: Index,
        save_exceptions: bool,
    },
    SelectInto {
        statement: Index,
        first: Register,
        to: Register,
    },
    SelectBulk {
        statement: Index,
        first: Register,
    },
    Query {
        statement: Index,
        first: Register,
        to: Register,
    },
    /// `declared`: ORA-06511 when it is open already.
    Open {
        cursor: Index,
        from: Register,
        declared: bool,
    },
    /// A row into `count` registers, or jump when there is none.
    Fetch {
        cursor: Index,
        to: Register,
        count: u16,
        ahead: bool,
        target: Target,
    },
    FetchBulk {
        cursor: Index,
        limit: Register,
        limited: bool,
    },
    Close {
        cursor: Index,
    },
    CloseLoop {
        cursor: Register,
    },
    /// The row that RETURNING gave, or jump when there is none.
    Returned {
        to: Register,
        count: u16,
        target: Target,
    },
    BulkColumn {
        to: Register,
        column: u16,
        shape: Index,
    },
    BulkRecords {
        to: Register,
        shape: Index,
    },
    Attribute {
        to: Register,
        cursor: Index,
        which: CursorAttribute,
    },
    SqlAttribute {
        to: Register,
        which: CursorAttribute,
    },
    BulkAttribute {
        to: Register,
        which: SubscriptedAttribute,
        subscript: Register,
    },
    CurrentRowid {
        to: Register,
        cursor: Index,
    },
    Dynamic {
        dynamic: Index,
        text: Register,
        first: Register,
    },
    DynamicQuery {
        dynamic: Index,
        text: Register,
        first: Register,
        to: Register,
    },
    Sequence {
        to: Register,
        sequence: Index,
        next: bool,
    },
}

const _: () = assert!(size_of::<Op>() <= 16);
