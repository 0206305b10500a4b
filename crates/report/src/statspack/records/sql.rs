//! Statements and their texts.

use super::super::record::record;
use super::super::value::ColumnType::{Number, Varchar2};

record! {
    /// A statement with its figures since it came into the cursor cache.
    SqlStatement in "STATS$SQL_SUMMARY" {
        /// The statement's id.
        sql_id: String => "SQL_ID" Varchar2(13),
        |
        /// The module that parsed it first.
        module: String => "MODULE" Varchar2(64),
        /// Oracle's number of the command: 2 INSERT, 3 SELECT, 6 UPDATE, 7 DELETE, 47 a PL/SQL block, …
        command: u64 => "COMMAND_TYPE" Number,
        /// Executions.
        executions: u64 => "EXECUTIONS" Number,
        /// Parse calls.
        parse_calls: u64 => "PARSE_CALLS" Number,
        /// Buffer gets.
        gets: u64 => "BUFFER_GETS" Number,
        /// Blocks read from files.
        reads: u64 => "DISK_READS" Number,
        /// Rows returned or changed.
        rows: u64 => "ROWS_PROCESSED" Number,
        /// Microseconds of CPU.
        cpu_us: u64 => "CPU_TIME" Number,
        /// Microseconds elapsed.
        elapsed_us: u64 => "ELAPSED_TIME" Number,
    }
}

record! {
    /// A piece of a statement's text.
    SqlText in "STATS$SQLTEXT" {
        /// The statement's id.
        sql_id: String => "SQL_ID" Varchar2(13),
        /// Counted from 0.
        piece: u64 => "PIECE" Number,
        |
        /// At most 64 bytes of it.
        text: String => "SQL_TEXT" Varchar2(64),
    }
}

impl SqlText {
    /// The pieces of a statement's text.
    #[must_use]
    pub fn pieces(sql_id: &str, text: &str) -> Vec<Self> {
        let mut rest = text;
        let mut pieces = Vec::with_capacity(text.len() / 60 + 1);
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(64));
            pieces.push(Self { sql_id: sql_id.to_owned(), piece: pieces.len() as u64, text: piece.to_owned() });
            rest = behind;
        }
        pieces
    }
}
