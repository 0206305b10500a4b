//! Every form of every line, and lines that must not pass.

use super::*;

fn parsed(text: &str) -> Line<'_> {
    line(text).unwrap_or_else(|| panic!("not understood: {text}"))
}

fn call(text: &str) -> Call {
    match parsed(text) {
        Line::Call(call) => call,
        other => panic!("no call: {other:?}"),
    }
}

fn wait(text: &str) -> Wait<'_> {
    match parsed(text) {
        Line::Wait(wait) => wait,
        other => panic!("no wait: {other:?}"),
    }
}

fn refused(texts: &[&str]) {
    for text in texts {
        assert!(line(text).is_none(), "understood: {text}");
    }
}

#[test]
fn calls_of_9i() {
    let execute = call("EXEC #3:c=10000,e=12345,p=1,cr=2,cu=3,mis=4,r=5,dep=2,og=4,tim=987654321");
    let expected = Call {
        kind: CallKind::Execute,
        cursor: 3,
        cpu: Some(10_000),
        elapsed: Some(12_345),
        disk: Some(1),
        query: Some(2),
        current: Some(3),
        misses: Some(4),
        rows: Some(5),
        depth: 2,
        goal: Some(4),
        plan_hash: None,
        close_type: None,
        time: Some(987_654_321),
    };
    assert_eq!(execute, expected);
    for (text, kind) in [("PARSE", CallKind::Parse), ("FETCH", CallKind::Fetch), ("UNMAP", CallKind::Unmap)] {
        assert_eq!(call(&format!("{text} #1:c=0,e=0,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=0,tim=0")).kind, kind);
    }
    let unmap = call("SORT UNMAP #1:c=0,e=7,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=0,tim=0");
    assert_eq!((unmap.kind, unmap.elapsed, unmap.time), (CallKind::SortUnmap, Some(7), Some(0)));
}

#[test]
fn calls_of_11g_and_later() {
    let fetch =
        call("FETCH #140000000001:c=0,e=9,p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,plh=1234567890,tim=1700000000000009");
    assert_eq!((fetch.cursor, fetch.plan_hash), (140_000_000_001, Some(1_234_567_890)));
    let close = call("CLOSE #140000000001:c=1,e=2,dep=3,type=1,tim=5");
    assert_eq!((close.kind, close.depth, close.close_type), (CallKind::Close, 3, Some(1)));
    assert_eq!((close.disk, close.query, close.rows, close.goal), (None, None, None, None));
    assert_eq!(call("EXEC #1:c=0,e=-3,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,new=7,tim=5 ").elapsed, Some(-3));
}

#[test]
fn calls_that_were_cut_or_glued() {
    refused(&[
        "EXEC #3:c=0,e=68,p=0,cr=2,cu=3,mis=0,r=1,de",
        "EXEC #3:c=0,e=68,p=0,cr=2,cu=3,mis=0,r=1,dep=0,og=1",
        "EXEC #3:c=0,e=68,p=0,cr=2,cEXEC #4:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5",
        "EXEC #3:c=0,e=6EXEC #4:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5",
        "EXEC #3:c=0,e=68,p=0,cr=2,c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5",
        "EXEC #3:c=0,e=68,p=0,cr=2,cu=3,mis=0,r=1,dep=0,og=1,tim=",
        "EXEC #3:c=0,e=99999999999999999999,p=0,cr=2,cu=3,mis=0,r=1,dep=0,og=1,tim=5",
        "EXEC #3:c=0,e=1,p=0,cr=2,cu=3,mis=0,r=1,dep=99999999,og=1,tim=5",
        "EXEC #3:c=0,e=1,p=0,cr=2,cu=3,mis=0,r=1,dep=-1,og=1,tim=5",
        "EXEC #:c=0",
        "EXEC #-3:c=0,e=1,dep=0,tim=5",
        "EXEC #3",
        "EXEC",
        "FETCH",
        "SORT",
        "CLOSE #1:c=1,e=2,type=1,tim=5",
    ]);
}

#[test]
fn waits_of_9i_and_before() {
    let wait = wait("WAIT #1: nam='db file sequential read' ela= 14118 p1=4 p2=53903 p3=1");
    assert_eq!((wait.cursor, wait.event, wait.elapsed), (1, "db file sequential read", 14_118));
    let parameters = wait.parameters.map(|p| p.map(|p| (p.name, p.value)));
    assert_eq!(parameters, [Some(("p1", 4)), Some(("p2", 53_903)), Some(("p3", 1))]);
    assert_eq!((wait.object, wait.time), (None, None));
}

#[test]
fn waits_of_10g_and_later() {
    let enqueue = "WAIT #12: nam='enq: TX - row lock contention' ela= 5 name|mode=1415053318 usn<<16 | slot=65540 \
                   sequence=77 obj#=501 tim=9000";
    let wait = wait(enqueue);
    let names = wait.parameters.map(|p| p.map(|p| p.name));
    assert_eq!(names, [Some("name|mode"), Some("usn<<16 | slot"), Some("sequence")]);
    assert_eq!((wait.object, wait.time), (Some(501), Some(9000)));
}

#[test]
fn odd_waits() {
    let address = wait("WAIT #0: nam='latch: x' ela=5 address=18446744073709551615 number=1 tries=0 obj#=-1 tim=9");
    assert_eq!((address.parameters[0].map(|p| p.value), address.object), (Some(u64::MAX.into()), Some(-1)));
    let few = wait("WAIT #0: nam='own event' ela= 5 driver id=1 obj#=3 tim=9");
    assert_eq!((few.parameters[0].map(|p| p.name), few.parameters[1], few.object), (Some("driver id"), None, Some(3)));
    let object = wait("WAIT #0: nam='e' ela= 5 obj#=1 p2=2 p3=3 obj#=4 tim=9");
    assert_eq!((object.parameters[0].map(|p| p.value), object.object), (Some(1), Some(4)));
    assert_eq!(wait("WAIT #0: nam='it's' ela= 5 p1=1 p2=2 p3=3").event, "it's");
}

#[test]
fn waits_that_were_cut_or_glued() {
    refused(&[
        "WAIT #1: nam='db file seq",
        "WAIT #1: nam='x' ela= ",
        "WAIT #1: nam='x' ela= 5 p1=",
        "WAIT #1: nam='x' ela= 5 p1=1 p2=2",
        "WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3EXEC #1:c=0",
        "WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=5 tim=6",
        "WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 p4=4 tim=6",
        "WAIT #1: nam=x ela= 5 p1=1 p2=2 p3=3",
        "WAIT 1: nam='x' ela= 5 p1=1 p2=2 p3=3",
        "WHAT",
    ]);
}

#[test]
fn cursors_of_all_releases() {
    let head = |text| match parsed(text) {
        Line::Parsing(head) => head,
        other => panic!("no cursor: {other:?}"),
    };
    let nine = head("PARSING IN CURSOR #1 len=33 dep=1 uid=44 oct=3 lid=45 tim=12345 hv=678 ad='84bc'");
    assert_eq!((nine.cursor, nine.length, nine.depth, nine.user), (1, Some(33), Some(1), Some(44)));
    assert_eq!((nine.command, nine.privilege_user, nine.time), (Some(3), Some(45), Some(12_345)));
    assert_eq!((nine.hash_value, nine.address, nine.sql_id), (Some(678), Some("84bc"), None));
    let bare = head("PARSING IN CURSOR #73 len=1 dep=0");
    assert_eq!((bare.cursor, bare.user, bare.hash_value), (73, None, None));
    let twelve = head("PARSING IN CURSOR #73 len=1 dep=0 uid=1 oct=1 lid=1 tim=1 hv=1 ad='' sqlid='abc'");
    assert_eq!((twelve.sql_id, twelve.address), (Some("abc"), Some("")));
    refused(&[
        "PARSING IN CURSOR #1 len=33 dep=1 uid=44 oc",
        "PARSING IN CURSOR #1 len=x",
        "PARSING IN CURSOR #1",
        "PARSING IN CURSOR #1 len=3 sqlid='ab",
        "PARSING",
    ]);
}

#[test]
fn row_sources_of_all_releases() {
    let stat = |text| match parsed(text) {
        Line::Stat(stat) => stat,
        other => panic!("no row source: {other:?}"),
    };
    let nine = stat("STAT #1 id=2 cnt=30 pid=1 pos=4 obj=0 op='SORT ORDER BY '");
    assert_eq!((nine.id, nine.rows, nine.parent, nine.position), (2, Some(30), Some(1), Some(4)));
    assert_eq!((nine.object, nine.operation.name, nine.operation.figures.query), (Some(0), "SORT ORDER BY", None));
    let seven = stat("STAT #1 id=1 cnt=3 op='it's'");
    assert_eq!((seven.parent, seven.object, seven.operation.name), (None, None, "it's"));
    let twelve = stat("STAT #1 id=1 cnt=3 pid=0 pos=1 obj=9 op='VIEW  V (cr=1 pr=2 pw=3 str=1 time=4 us)'");
    assert_eq!((twelve.operation.name, twelve.operation.figures.starts), ("VIEW  V", Some(1)));
    refused(&[
        "STAT #1 id=2 cnt=30 pid=1 pos=4 obj=0 op='SORT OR",
        "STAT #1 id=2 cnt=30 pid=1 pos=4",
        "STAT #1 cnt=30 op='A'",
        "STAT #1 id=2 cnt=x op='A'",
    ]);
}

#[test]
fn transactions_and_errors() {
    let end = |text| match parsed(text) {
        Line::TransactionEnd(end) => end,
        other => panic!("no end: {other:?}"),
    };
    assert_eq!(end("XCTEND rlbk=0, rd_only=1"), TransactionEnd { rollback: false, read_only: Some(true), time: None });
    assert_eq!(
        end("XCTEND rlbk=1, rd_only=0, tim=5"),
        TransactionEnd { rollback: true, read_only: Some(false), time: Some(5) }
    );
    let error = CallError { cursor: 4, error: 1555, time: Some(99) };
    assert!(matches!(parsed("ERROR #4:err=1555 tim=99"), Line::Error(found) if found == error));
    let head = match parsed("PARSE ERROR #4:len=9 dep=0 uid=5 oct=3 lid=5 tim=1 err=942") {
        Line::ParseError(head) => head,
        other => panic!("no error: {other:?}"),
    };
    assert_eq!((head.cursor, head.length, head.error), (4, Some(9), Some(942)));
    refused(&[
        "XCTEND rd_only=1",
        "XCTEND rlbk=0, rd_on",
        "ERROR #4:tim=3",
        "ERROR #4:err=x tim=3",
        "PARSE ERROR #4:len=9 dep=0",
    ]);
}

#[test]
fn the_rest() {
    let application = match parsed("APPNAME mod='SQL*Plus' mh=3669949024 act='load' ah=4029777240") {
        Line::Application(application) => application,
        other => panic!("no application: {other:?}"),
    };
    assert_eq!((application.module, application.action), ("SQL*Plus", Some("load")));
    let lob = |text| match parsed(text) {
        Line::Lob(lob) => lob,
        other => panic!("no lob: {other:?}"),
    };
    let read = lob("LOBREAD: c=1,e=4,p=2,cr=3,cu=0,tim=5");
    assert_eq!((read.operation, read.bytes, read.disk, read.time), ("LOBREAD", None, Some(2), Some(5)));
    let write = lob("LOBWRITE: type=PERSISTENT LOB,bytes=8132,c=0,e=1,p=0,cr=0,cu=0,tim=5");
    assert_eq!((write.operation, write.bytes), ("LOBWRITE", Some(8132)));
    assert!(matches!(parsed("BINDS #12:"), Line::Binds { cursor: 12 }));
    assert!(matches!(parsed("END OF STMT"), Line::EndOfStatement));
    for nothing in ["", "  ", "=====================", "RPC CALL:x", "kkscoacd", "\t"] {
        assert!(matches!(parsed(nothing), Line::Nothing), "{nothing:?}");
    }
    refused(&["LOBREAD: c=1", "LOWER", "BINDS #x:", "BEGIN", "END OF", "=== x", "APPNAME act='a'", "garbage", "ü"]);
}

#[test]
fn unmistakable_beginnings_of_records() {
    for text in ["EXEC #1:c=0", "WAIT #12: nam", "=====================", "XCTEND rlbk=0", "PARSING IN CURSOR #1 len"] {
        assert!(begins_record(text), "{text}");
    }
    for text in ["EXEC #x", "EXEC immediate", "===", "===================== x", "select", "", "WAIT", "*** 2024-01-01"]
    {
        assert!(!begins_record(text), "{text}");
    }
}
