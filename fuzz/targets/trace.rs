//! A trace file, as it is and as the reader's own templates make it: read, summed up, printed, as JSON.

#![no_main]

use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;
use report::profile::{self, ProfileOptions};
use report::tkprof::{self, Options};
use report::trace::{self, Record};

/// Lines of a trace; `@` stands for a number.
const LINES: &[&str] = &[
    "*** 2024-02-29 13:45:30.123",
    "*** SESSION ID:(@.@) 2024-02-29 13:45:30.123",
    "=====================",
    "PARSING IN CURSOR #@ len=@ dep=@ uid=@ oct=@ lid=@ tim=@ hv=@ ad='7f00' sqlid='g4y6nw3tts7cc'",
    "select 1 from dual",
    "END OF STMT",
    "PARSE #@:c=@,e=@,p=@,cr=@,cu=@,mis=@,r=@,dep=@,og=@,plh=@,tim=@",
    "EXEC #@:c=@,e=@,p=@,cr=@,cu=@,mis=@,r=@,dep=@,og=@,tim=@",
    "FETCH #@:c=@,e=@,p=@,cr=@,cu=@,mis=@,r=@,dep=@,og=@,plh=@,tim=@",
    "UNMAP #@:c=@,e=@,p=@,cr=@,cu=@,mis=@,r=@,dep=@,og=@,tim=@",
    "CLOSE #@:c=@,e=@,dep=@,type=@,tim=@",
    "WAIT #@: nam='db file sequential read' ela= @ file#=@ block#=@ blocks=@ obj#=@ tim=@",
    "WAIT #@: nam='SQL*Net message from client' ela= @ driver id=@ #bytes=@ p3=@ obj#=-1 tim=@",
    "STAT #@ id=@ cnt=@ pid=@ pos=@ obj=@ op='TABLE ACCESS FULL T (cr=@ pr=@ pw=@ time=@ us cost=@ size=@ card=@)'",
    "XCTEND rlbk=@, rd_only=@, tim=@",
    "ERROR #@:err=@ tim=@",
    "PARSE ERROR #@:len=@ dep=@ uid=@ oct=@ lid=@ tim=@ err=@",
    "BINDS #@:",
    " Bind#@",
    "  oacdty=@ mxl=@(@) mxlc=@ mal=@ scl=@ pre=@",
    "  kxsbbbfp=7f00  bln=@  avl=@  flg=@",
    "  value=@",
    "  value=\"text",
];

fn numbers(line: &str, input: &mut Input<'_>) -> String {
    let mut text = String::new();
    for (n, part) in line.split('@').enumerate() {
        if n > 0 {
            let number = match input.byte() {
                // Few cursors, users and depths, so that lines belong together.
                small @ 0..=199 => u64::from(small % 4),
                200..=239 => u64::from(input.word()),
                240..=249 => input.long(),
                250..=252 => u64::MAX,
                _ => i64::MAX as u64,
            };
            text.push_str(&number.to_string());
        }
        text.push_str(part);
    }
    text
}

fn lines(mut input: Input<'_>) -> Vec<u8> {
    let mut text = String::from("Trace file toy_ora_77.trc\nOracle Database 11g Release 11.2.0.1.0 - Production\n");
    while !input.is_empty() {
        let line = LINES[input.below(LINES.len())];
        let line = numbers(line, &mut input);
        let end = if input.byte() == 255 { input.below(line.len() + 1) } else { line.len() };
        text.push_str(&line[..end]);
        text.push('\n');
    }
    text.into_bytes()
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let own = data.first().is_some_and(|first| (0x80..0xC0).contains(first));
    let bytes = if own {
        input.byte();
        lines(input)
    } else {
        input.rest().to_vec()
    };
    let mut records = 0;
    let reading = trace::read(&bytes[..], &mut |record| {
        records += 1;
        if let Record::Binds(binds) = record {
            let _ = binds.iter().count();
        }
        Ok(())
    });
    if let Ok(reading) = &reading {
        assert_eq!(reading.records + 1, records);
    }
    for options in [Options::default(), Options { aggregate: false, inclusive: true, ..Options::default() }] {
        let report = tkprof::summarise(&bytes[..], &options);
        assert_eq!(report.is_ok(), reading.is_ok());
        let Ok(report) = report else { return };
        let mut printed = Vec::new();
        tkprof::print(&report, &options, &mut printed).expect("memory takes what is written");
        assert!(!printed.is_empty());
        let json = serde_json::to_string(&tkprof::json(&report, &options)).expect("a report is JSON");
        assert!(json.starts_with('{'));
    }
    let Ok(profile) = profile::read(&bytes[..], &Options::default()) else { return };
    // Nothing of the wall clock is left out or counted twice. Times of many years are cut to the largest that fits.
    let parts = profile.lines.iter().map(|line| i128::from(line.total_ns));
    if parts.clone().all(|part| part.abs() < 1 << 60) {
        assert_eq!(parts.sum::<i128>(), i128::from(profile.elapsed_ns));
    }
    let mut printed = Vec::new();
    profile::print(&profile, &ProfileOptions::default(), &mut printed).expect("memory takes what is written");
});
