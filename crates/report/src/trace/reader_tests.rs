//! Records that span lines, and damaged files.

use super::*;
use crate::trace::{CallKind, Named};

/// Each record in a few words.
fn words(text: impl AsRef<[u8]>) -> (Vec<String>, Reading) {
    let mut out = Vec::new();
    let reading = read(text.as_ref(), &mut |record| {
        out.push(match record {
            Record::Header(header) => format!("header {}", header.lines),
            Record::Mark(Mark::Session { sid, serial, .. }) => format!("session {sid}.{serial}"),
            Record::Mark(Mark::Named { what: Named::Module, value, .. }) => format!("module {value}"),
            Record::Mark(mark) => format!("mark {mark:?}"),
            Record::Parsing(p) => {
                format!("parsing {} {:?}{}", p.cursor, p.text, if p.incomplete { " cut" } else { "" })
            }
            Record::Call(call) => format!("{:?} {}", call.kind, call.cursor),
            Record::Wait(wait) => format!("wait {} {}", wait.cursor, wait.event),
            Record::Stat(stat) => format!("stat {}", stat.id),
            Record::Binds(binds) => {
                let values: Vec<_> = binds.iter().map(|bind| format!("{}={:?}", bind.position, bind.value)).collect();
                format!("binds {} {}", binds.cursor, values.join(" "))
            }
            Record::TransactionEnd(end) => format!("end {}", end.rollback),
            Record::Error(error) => format!("error {}", error.error),
            Record::ParseError(error) => format!("parse error {} {:?}", error.error, error.text),
            Record::Application(application) => format!("application {}", application.module),
            Record::Lob(lob) => format!("lob {}", lob.operation),
        });
        Ok(())
    });
    (out, reading.unwrap_or_else(|e| panic!("{e}")))
}

const EXEC: &str = "EXEC #1:c=0,e=0,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5\n";

#[test]
fn a_statement_keeps_its_text() {
    let (records, reading) = words(format!(
        "=====================\nPARSING IN CURSOR #1 len=21 dep=0 uid=1 oct=3 lid=1 tim=1 hv=1 ad='1'\nselect 1\n\n  from dual\n\
         END OF STMT\n{EXEC}"
    ));
    assert_eq!(records, ["header 0", "parsing 1 \"select 1\\n\\n  from dual\"", "Execute 1"]);
    assert_eq!((reading.lines, reading.records, reading.not_understood), (7, 2, 0));
    assert_eq!((reading.truncation, reading.unfinished_statements), (None, 0));
}

#[test]
fn a_text_may_look_like_a_trace_within_its_length() {
    let text = "select '\n=====================\nXCTEND rlbk=0\n' from dual";
    let (records, reading) =
        words(format!("PARSING IN CURSOR #1 len={} dep=0 uid=1\n{text}\nEND OF STMT\n{EXEC}", text.len()));
    assert_eq!(records[1], format!("parsing 1 {text:?}"));
    assert_eq!(reading.unfinished_statements, 0);
}

#[test]
fn a_text_without_its_end() {
    let (records, reading) = words(format!("PARSING IN CURSOR #1 len=8 dep=0 uid=1\nselect 1\n{EXEC}"));
    assert_eq!(records[1..], ["parsing 1 \"select 1\" cut", "Execute 1"]);
    assert_eq!((reading.unfinished_statements, reading.truncation), (1, None));
    let (records, _) = words(format!("PARSING IN CURSOR #1 len=800 dep=0 uid=1\nselect 1\n{EXEC}"));
    assert_eq!(records[1..], ["parsing 1 \"select 1\" cut", "Execute 1"]);
    let (records, reading) = words("PARSING IN CURSOR #1 len=800 dep=0 uid=1\nselect 1");
    assert_eq!(records[1..], ["parsing 1 \"select 1\" cut"]);
    assert_eq!(reading.truncation, Some(Truncation::StatementUnfinished));
}

#[test]
fn binds_end_with_the_next_record() {
    let (records, reading) = words(format!(
        "BINDS #1:\n\n Bind#0\n  oacdty=01\n  value=\"a\nEXEC of text\nb\"\n Bind#1\n  value=7\n{EXEC}BINDS #2:\nkkscoacd\n \
         Bind#0\n  value=\nDump of memory from 0x1 to 0x2\n7F0012345678 00000000 [....]\ngarbage\n{EXEC}"
    ));
    let expected = [
        "header 0",
        "binds 1 0=Some(\"a\\nEXEC of text\\nb\") 1=Some(\"7\")",
        "Execute 1",
        "binds 2 0=Some(\"\")",
        "Execute 1",
    ];
    assert_eq!(records, expected);
    assert_eq!(reading.not_understood, 1);
    assert_eq!(reading.misread[0], MisreadLine { line: 17, text: "garbage".into() });
}

#[test]
fn a_parse_error_takes_its_text_by_length() {
    let error = "PARSE ERROR #1:len=17 dep=0 uid=5 oct=3 lid=5 tim=1 err=942\n";
    let (records, reading) = words(format!("{error}select 1\nfrom abc\nstray\n{EXEC}{error}cut\n{EXEC}{error}"));
    let expected = [
        "header 0",
        "parse error 942 \"select 1\\nfrom abc\"",
        "Execute 1",
        "parse error 942 \"cut\"",
        "Execute 1",
        "parse error 942 \"\"",
    ];
    assert_eq!(records, expected);
    assert_eq!(reading.not_understood, 1);
}

#[test]
fn garbage_between_lines_is_counted_and_kept() {
    let garbage: String = (0..30).map(|n| format!("ORA-00000: stray {n}\n{EXEC}")).collect();
    let (records, reading) = words(format!("{EXEC}{garbage}"));
    assert_eq!(records.len(), 32);
    assert_eq!((reading.not_understood, reading.misread.len()), (30, KEPT_FAULTS));
    assert_eq!(reading.misread[0].line, 2);
    let (_, reading) = words(format!("{EXEC}{}\n", "é".repeat(5000)));
    assert_eq!(reading.misread[0].text.chars().count(), KEPT_CHARACTERS);
}

#[test]
fn a_last_line_that_was_cut() {
    for cut in ["EXEC #1:c=0,e=0,p=0,cr=0,c", "WAIT #1: nam='x' ela= 1", "STAT #1 id=1 cnt=3 op='S", "EXE"] {
        let (records, reading) = words(format!("{EXEC}{cut}"));
        assert_eq!(records, ["header 0", "Execute 1"], "{cut}");
        assert_eq!((reading.truncation, reading.not_understood), (Some(Truncation::LastLineCut), 1), "{cut}");
    }
    let (records, reading) = words(format!("{EXEC}{}", EXEC.trim_end()));
    assert_eq!((records.len(), reading.truncation), (3, None));
}

#[test]
fn a_file_that_reached_its_size() {
    let (_, reading) = words(format!("{EXEC}\n*** DUMP FILE SIZE IS LIMITED TO 100 BYTES ***\n"));
    assert_eq!(reading.truncation, Some(Truncation::SizeLimit));
}

#[test]
fn line_ends_and_encodings_do_not_matter() {
    let text = format!(
        "Oracle Database 11g Release 11.2.0.1.0\n*** SESSION ID:(1.2) 2024-01-01 00:00:00.000\n*** MODULE NAME:(grün) \
         2024-01-01 00:00:00.000\nPARSING IN CURSOR #1 len=8 dep=0 uid=1\nselect 1\nEND OF STMT\n{EXEC}"
    );
    let (expected, reading) = words(&text);
    assert_eq!(expected, ["header 1", "session 1.2", "module grün", "parsing 1 \"select 1\"", "Execute 1"]);
    assert_eq!((reading.encoding, reading.repaired_lines), (Encoding::Ascii, 0));
    assert_eq!(words(text.replace('\n', "\r\n")).0, expected);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (records, reading) = words(utf16);
    assert_eq!((records, reading.encoding), (expected.clone(), Encoding::Utf16Little));
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let (records, reading) = words(latin);
    assert_eq!((records[2].as_str(), reading.repaired_lines), ("module gr\u{fffd}n", 1));
}

#[test]
fn text_that_is_no_trace_is_refused() {
    let number = |text: &str| read(text.as_bytes(), &mut |_| Ok(())).err().map(|e| e.number.to_string());
    assert_eq!(number("").as_deref(), Some("HW-0801"));
    assert_eq!(number("\n\n").as_deref(), Some("HW-0803"));
    assert_eq!(number("Dear all,\n\n*** 2024-01-01 meeting\n=====\nbye\n").as_deref(), Some("HW-0803"));
    assert_eq!(number(&"line\n".repeat(1000)).as_deref(), Some("HW-0803"));
    assert_eq!(number("Oracle Database 11g Release 11.2.0.1.0\nInstance name: x\n"), None);
}

#[test]
fn an_error_of_the_visitor_ends_the_reading() {
    let mut seen = 0;
    let result = read(EXEC.repeat(10).as_bytes(), &mut |record| {
        seen += 1;
        match record {
            Record::Call(call) if call.kind == CallKind::Execute && seen == 3 => Err(Error::unsupported("more")),
            _ => Ok(()),
        }
    });
    assert_eq!((seen, result.is_err()), (3, true));
}

#[test]
fn a_head_within_the_file_is_no_fault() {
    let head = "/u01/udump/toy_ora_77.trc\nOracle Database 10g Release 10.2.0.4.0 - Production\nSystem name:\tLinux\nORACLE_HOME = /u01\n\n*** 2007-01-01 00:00:00.000\n";
    let call = "EXEC #1:c=0,e=3,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5\n";
    let text = format!("{head}{call}{head}{call}ORACLE_HOME = /u01\n{call}");
    let mut calls = 0;
    let reading = read(text.as_bytes(), &mut |record| {
        calls += u32::from(matches!(record, Record::Call(_)));
        Ok(())
    })
    .unwrap();
    assert_eq!((calls, reading.later_headers, reading.not_understood), (3, 1, 1));
    assert_eq!(reading.misread[0].line, 15);
}
