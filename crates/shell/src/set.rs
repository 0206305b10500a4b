//! SET and SHOW of settings: one table, a row a setting, with its parser and its display.

use common::{Error, ErrorKind, Number, Result};

use crate::settings::{Autotrace, Csv, RecordSeparator, ServerOutput, Settings, SqlCase};
use crate::words::{Word, whole};

/// The remaining words behind SET.
struct Arguments<'a> {
    words: std::iter::Peekable<std::slice::Iter<'a, Word>>,
    setting: String,
    /// Messages about the settings so far.
    said: &'a mut Vec<String>,
}

type Read = fn(&mut Settings, &mut Arguments<'_>) -> Result<()>;
type Show = fn(&Settings) -> String;

struct Setting {
    pattern: &'static str,
    read: Read,
    show: Show,
}

const fn setting(pattern: &'static str, read: Read, show: Show) -> Setting {
    Setting { pattern, read, show }
}

/// A setting that is accepted in silence: it has no visible effect in Highwater.
const fn invisible(pattern: &'static str) -> Setting {
    Setting { pattern, read: |_, a| a.skip(), show: |_| "has no effect".to_owned() }
}

/// A setting that is accepted without effect, with a message unless it asks for the shell's only behaviour.
macro_rules! without_effect {
    ($pattern:literal, $usual:literal) => {
        setting($pattern, |_, a| a.without_effect($usual), |_| "has no effect".to_owned())
    };
}

/// A setting that is supported only when OFF.
const fn refused(pattern: &'static str) -> Setting {
    Setting { pattern, read: |_, a| a.off_only(), show: |_| "OFF".to_owned() }
}

/// A setting that stays at its default.
macro_rules! fixed {
    ($pattern:literal, $value:literal) => {
        setting($pattern, |_, a| a.only($value), |_| $value.to_owned())
    };
}

const SETTINGS: &[Setting] = &[
    without_effect!("appi[nfo]", "off"),
    setting("array[size]", |s, a| a.number(1, 5000).map(|n| s.arraysize = n), |s| s.arraysize.to_string()),
    setting("auto[commit]", |s, a| a.autocommit().map(|on| s.autocommit = on), |s| on_off(s.autocommit)),
    refused("autorecovery"),
    setting("autop[rint]", |s, a| a.on_off().map(|on| s.autoprint = on), |s| on_off(s.autoprint)),
    setting("autot[race]", |s, a| a.autotrace().map(|trace| s.autotrace = trace), |s| shown_autotrace(s.autotrace)),
    fixed!("blo[ckterminator]", "."),
    without_effect!("buffer", "sql"),
    without_effect!("closecur[sor]", "off"),
    refused("cmds[ep]"),
    without_effect!("colinvi[sible]", "off"),
    setting("colsep", |s, a| a.text().map(|text| s.colsep = text), |s| format!("\"{}\"", s.colsep)),
    without_effect!("com[patibility]", "native"),
    setting("con[cat]", |s, a| a.character('.').map(|c| s.concat = c), |s| character(s.concat)),
    invisible("copyc[ommit]"),
    invisible("copytypecheck"),
    without_effect!("crt", ""),
    setting("def[ine]", |s, a| a.character('&').map(|c| s.define = c), |s| character(s.define)),
    setting("describe", |_, a| a.describe(), |_| "has no effect".to_owned()),
    without_effect!("doc[ument]", "on"),
    invisible("editf[ile]"),
    setting("echo", |s, a| a.on_off().map(|on| s.echo = on), |s| on_off(s.echo)),
    refused("emb[edded]"),
    without_effect!("errord[etails]", "on"),
    refused("errorl[ogging]"),
    setting("esc[ape]", |s, a| a.character('\\').map(|c| s.escape = c), |s| character(s.escape)),
    without_effect!("escchar", "off"),
    setting("exitc[ommit]", |s, a| a.on_off().map(|on| s.exitcommit = on), |s| on_off(s.exitcommit)),
    refused("flagger"),
    setting(
        "feed[back]",
        |s, a| a.feedback().map(|n| s.feedback = n),
        |s| match s.feedback {
            0 => "OFF".to_owned(),
            n => format!("ON for {n} or more rows"),
        },
    ),
    invisible("flu[sh]"),
    setting("hea[ding]", |s, a| a.on_off().map(|on| s.heading = on), |s| on_off(s.heading)),
    setting("heads[ep]", |s, a| a.character('|').map(|c| s.headsep = c), |s| character(s.headsep)),
    invisible("hist[ory]"),
    without_effect!("instance", "local"),
    without_effect!("jsonprint", "normal"),
    setting("lin[esize]", |s, a| a.number(1, 32767).map(|n| s.linesize = n), |s| s.linesize.to_string()),
    without_effect!("lobof[fset]", "1"),
    invisible("lobpre[fetch]"),
    without_effect!("logsource", ""),
    setting("long", |s, a| a.number(1, 2_000_000_000).map(|n| s.long = n), |s| s.long.to_string()),
    invisible("longc[hunksize]"),
    setting(
        "mark[up]",
        |s, a| a.markup().map(|csv| s.csv = csv),
        |s| match s.csv {
            None => "OFF".to_owned(),
            Some(csv) => format!("CSV ON DELIMITER {} QUOTE {}", csv.delimiter, on_off(csv.quote)),
        },
    ),
    without_effect!("maxd[ata]", ""),
    setting(
        "newp[age]",
        |s, a| a.newpage().map(|n| s.newpage = n),
        |s| s.newpage.map_or_else(|| "NONE".to_owned(), |n| n.to_string()),
    ),
    setting("null", |s, a| a.text().map(|text| s.null = text), |s| format!("\"{}\"", s.null)),
    setting("numf[ormat]", |s, a| a.numformat().map(|text| s.numformat = text), |s| format!("\"{}\"", s.numformat)),
    setting("num[width]", |s, a| a.number(2, 128).map(|n| s.numwidth = n), |s| s.numwidth.to_string()),
    setting("pages[ize]", |s, a| a.number(0, 50_000).map(|n| s.pagesize = n), |s| s.pagesize.to_string()),
    refused("pau[se]"),
    setting(
        "recsep",
        |s, a| a.recsep().map(|r| s.recsep = r),
        |s| match s.recsep {
            RecordSeparator::Off => "OFF".to_owned(),
            RecordSeparator::Wrapped => "WRAP".to_owned(),
            RecordSeparator::Each => "EACH".to_owned(),
        },
    ),
    setting("recsepchar", |s, a| a.one_character().map(|c| s.recsepchar = c), |s| format!("\"{}\"", s.recsepchar)),
    refused("rowlimit"),
    invisible("rowpre[fetch]"),
    setting("scan", |s, a| a.on_off().map(|on| s.define = on.then_some('&')), |s| on_off(s.define.is_some())),
    without_effect!("securedcol", "off"),
    setting(
        "serverout[put]",
        |s, a| a.serveroutput().map(|o| s.serveroutput = o),
        |s| match s.serveroutput {
            ServerOutput::Off => "OFF".to_owned(),
            ServerOutput::Wrapped => "ON SIZE UNLIMITED FORMAT WRAPPED".to_owned(),
            ServerOutput::WordWrapped => "ON SIZE UNLIMITED FORMAT WORD_WRAPPED".to_owned(),
            ServerOutput::Truncated => "ON SIZE UNLIMITED FORMAT TRUNCATED".to_owned(),
        },
    ),
    invisible("shift[inout]"),
    setting("show[mode]", |s, a| a.showmode().map(|on| s.showmode = on), |s| on_off(s.showmode)),
    setting("space", |s, a| a.number(0, 10).map(|n| s.colsep = " ".repeat(n)), |s| s.colsep.len().to_string()),
    setting("sqlbl[anklines]", |s, a| a.on_off().map(|on| s.sqlblanklines = on), |s| on_off(s.sqlblanklines)),
    setting(
        "sqlc[ase]",
        |s, a| a.sqlcase().map(|case| s.sqlcase = case),
        |s| match s.sqlcase {
            SqlCase::Mixed => "MIXED".to_owned(),
            SqlCase::Lower => "LOWER".to_owned(),
            SqlCase::Upper => "UPPER".to_owned(),
        },
    ),
    invisible("sqlco[ntinue]"),
    fixed!("sqln[umber]", "on"),
    fixed!("sqlpre[fix]", "#"),
    setting("sqlp[rompt]", |s, a| a.text().map(|text| s.sqlprompt = text), |s| format!("\"{}\"", s.sqlprompt)),
    without_effect!("sqlpluscompat[ibility]", ""),
    fixed!("sqlt[erminator]", ";"),
    invisible("statementc[ache]"),
    setting("suf[fix]", |s, a| a.text().map(|text| s.suffix = text), |s| format!("\"{}\"", s.suffix)),
    setting("tab", |s, a| a.on_off().map(|on| s.tab = on), |s| on_off(s.tab)),
    setting("term[out]", |s, a| a.on_off().map(|on| s.termout = on), |s| on_off(s.termout)),
    setting("ti[me]", |s, a| a.on_off().map(|on| s.time = on), |s| on_off(s.time)),
    setting("timi[ng]", |s, a| a.on_off().map(|on| s.timing = on), |s| on_off(s.timing)),
    setting("trim[out]", |s, a| a.on_off().map(|on| s.trimout = on), |s| on_off(s.trimout)),
    setting("trims[pool]", |s, a| a.on_off().map(|on| s.trimspool = on), |s| on_off(s.trimspool)),
    setting("tru[ncate]", |s, a| a.on_off().map(|on| s.wrap = !on), |s| on_off(!s.wrap)),
    setting("und[erline]", |s, a| a.character('-').map(|c| s.underline = c), |s| character(s.underline)),
    setting("ver[ify]", |s, a| a.on_off().map(|on| s.verify = on), |s| on_off(s.verify)),
    setting(
        "wra[p]",
        |s, a| a.on_off().map(|on| s.wrap = on),
        |s| if s.wrap { "lines will be wrapped" } else { "lines will be truncated" }.to_owned(),
    ),
    without_effect!("xmlopt[imizationcheck]", "off"),
    setting("xquery", |_, a| a.xquery(), |_| "has no effect".to_owned()),
];

/// SET: one setting after the other with its value, as in `set lines 100 pages 0`. Settings before an invalid one take
/// effect. Messages are added to `said`.
pub(crate) fn set(settings: &mut Settings, words: &[Word], said: &mut Vec<String>) -> Result<()> {
    let mut arguments = Arguments { words: words.iter().peekable(), setting: String::new(), said };
    if words.is_empty() {
        return Err(sp2(281, "SET: the name of a setting is missing"));
    }
    while let Some(word) = arguments.words.next() {
        let setting = find(word).ok_or_else(|| sp2(158, format!("SET: there is no setting \"{}\"", word.text)))?;
        arguments.setting = whole(setting.pattern).to_uppercase();
        let before = settings.showmode.then(|| shown(setting, settings));
        (setting.read)(settings, &mut arguments)?;
        if let Some(before) = before {
            let after = shown(setting, settings);
            arguments.said.extend([format!("old: {before}"), format!("new: {after}")]);
        }
    }
    Ok(())
}

/// SHOW of one setting; None when there is none of that name.
pub(crate) fn show(settings: &Settings, word: &Word) -> Option<String> {
    find(word).map(|setting| shown(setting, settings))
}

/// SHOW ALL: every setting, in order of name.
pub(crate) fn show_all(settings: &Settings) -> Vec<String> {
    SETTINGS.iter().map(|setting| shown(setting, settings)).collect()
}

fn shown(setting: &Setting, settings: &Settings) -> String {
    format!("{} {}", whole(setting.pattern), (setting.show)(settings))
}

fn find(word: &Word) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| word.is(setting.pattern))
}

fn on_off(on: bool) -> String {
    if on { "ON" } else { "OFF" }.to_owned()
}

fn shown_autotrace(trace: Autotrace) -> String {
    if !trace.is_on() {
        return "OFF".to_owned();
    }
    let mut text = if trace.only { "TRACEONLY" } else { "ON" }.to_owned();
    for (on, word) in [(trace.explain, " EXPLAIN"), (trace.statistics, " STATISTICS")] {
        text.push_str(if on { word } else { "" });
    }
    text
}

fn character(value: Option<char>) -> String {
    value.map_or_else(|| "OFF".to_owned(), |c| format!("\"{c}\" (hex {:02x})", u32::from(c)))
}

fn sp2(number: u32, text: impl Into<String>) -> Error {
    Error::new(ErrorKind::User, Number::Sp2(number), text)
}

impl Arguments<'_> {
    fn next(&mut self) -> Result<&Word> {
        let setting = &self.setting;
        self.words.next().ok_or_else(|| sp2(267, format!("SET {setting}: the value is missing")))
    }

    /// Takes the next word when it is one of these.
    fn take(&mut self, pattern: &str) -> bool {
        self.words.next_if(|word| word.is(pattern)).is_some()
    }

    fn wrong(&self, wanted: &str) -> Error {
        sp2(265, format!("SET {} takes {wanted}", self.setting))
    }

    fn on_off(&mut self) -> Result<bool> {
        let word = self.next()?;
        if word.is("on") {
            Ok(true)
        } else if word.is("off") {
            Ok(false)
        } else {
            Err(self.wrong("ON or OFF"))
        }
    }

    fn off_only(&mut self) -> Result<()> {
        if self.take("off") {
            return Ok(());
        }
        Err(Error::unsupported(format!("SET {} other than OFF", self.setting)))
    }

    fn only(&mut self, value: &str) -> Result<()> {
        let word = self.next()?;
        if word.text.eq_ignore_ascii_case(value) || word.is("on") {
            return Ok(());
        }
        Err(Error::unsupported(format!("SET {} other than {value}", self.setting)))
    }

    fn without_effect(&mut self, usual: &str) -> Result<()> {
        let word = self.next()?;
        if !word.text.eq_ignore_ascii_case(usual) {
            self.no_effect();
        }
        Ok(())
    }

    fn no_effect(&mut self) {
        self.said.push(format!("SET {} has no effect here", self.setting));
    }

    /// DEPTH, LINENUM and INDENT, each with its value.
    fn describe(&mut self) -> Result<()> {
        let mut any = false;
        while self.take("depth") || self.take("linenum") || self.take("indent") {
            self.skip()?;
            any = true;
        }
        if any { Ok(()) } else { Err(self.wrong("DEPTH, LINENUM or INDENT")) }
    }

    fn xquery(&mut self) -> Result<()> {
        if !["baseuri", "ordering", "node", "context"].iter().any(|option| self.take(option)) {
            return Err(self.wrong("BASEURI, ORDERING, NODE or CONTEXT"));
        }
        self.skip()?;
        self.no_effect();
        Ok(())
    }

    fn showmode(&mut self) -> Result<bool> {
        if self.take("both") { Ok(true) } else { self.on_off() }
    }

    fn sqlcase(&mut self) -> Result<SqlCase> {
        let word = self.next()?;
        if word.is("mix[ed]") {
            Ok(SqlCase::Mixed)
        } else if word.is("lo[wer]") {
            Ok(SqlCase::Lower)
        } else if word.is("up[per]") {
            Ok(SqlCase::Upper)
        } else {
            Err(self.wrong("MIXED, LOWER or UPPER"))
        }
    }

    fn skip(&mut self) -> Result<()> {
        self.next().map(|_| ())
    }

    fn number(&mut self, least: usize, most: usize) -> Result<usize> {
        let word = self.next()?;
        let value = word.text.parse::<usize>().ok().filter(|n| (least..=most).contains(n));
        value.ok_or_else(|| sp2(267, format!("SET {} takes a number from {least} to {most}", self.setting)))
    }

    fn text(&mut self) -> Result<String> {
        Ok(self.next()?.text.clone())
    }

    /// ON: the default character; OFF: none; else the one character given.
    fn character(&mut self, default: char) -> Result<Option<char>> {
        if self.take("on") {
            return Ok(Some(default));
        }
        if self.take("off") {
            return Ok(None);
        }
        self.one_character().map(Some)
    }

    fn one_character(&mut self) -> Result<char> {
        let word = self.next()?;
        let mut chars = word.text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if word.quoted || !c.is_alphanumeric() || self.setting == "UNDERLINE" => Ok(c),
            _ => Err(self.wrong("ON, OFF or one character that is neither a letter nor a digit")),
        }
    }

    fn autocommit(&mut self) -> Result<bool> {
        if self.take("imm[ediate]") {
            return Ok(true);
        }
        if self.words.peek().is_some_and(|word| word.text.parse::<u32>().is_ok()) {
            return Err(Error::unsupported("SET AUTOCOMMIT with a number of statements"));
        }
        self.on_off()
    }

    fn autotrace(&mut self) -> Result<Autotrace> {
        const USAGE: &str = "Usage: SET AUTOT[RACE] {OFF | ON | TRACE[ONLY]} [EXP[LAIN]] [STAT[ISTICS]]";
        let word = self.words.next().ok_or_else(|| sp2(281, format!("autotrace missing set option\n{USAGE}")))?;
        if word.is("off") {
            return Ok(Autotrace::default());
        }
        let only = word.is("trace[only]");
        if !only && !word.is("on") {
            return Err(sp2(158, format!("unknown SET autotrace option \"{}\"\n{USAGE}", word.text)));
        }
        let (mut explain, mut statistics) = (false, false);
        loop {
            if self.take("exp[lain]") {
                explain = true;
            } else if self.take("stat[istics]") {
                statistics = true;
            } else {
                break;
            }
        }
        // Without a word, both.
        let both = !explain && !statistics;
        Ok(Autotrace { explain: explain || both, statistics: statistics || both, only })
    }

    fn feedback(&mut self) -> Result<u64> {
        if self.words.peek().is_some_and(|word| word.text.parse::<u64>().is_ok()) {
            return self.number(0, 50_000).map(|n| n as u64);
        }
        if self.words.peek().is_some_and(|word| word.is("only") || word.is("sql_id")) {
            return Err(Error::unsupported("SET FEEDBACK ONLY and SQL_ID"));
        }
        self.on_off().map(u64::from)
    }

    fn markup(&mut self) -> Result<Option<Csv>> {
        if !self.take("csv") {
            if self.take("html") && self.take("off") {
                return Ok(None);
            }
            return Err(Error::unsupported("SET MARKUP other than CSV ON or OFF"));
        }
        let on = self.on_off()?;
        let mut csv = Csv { delimiter: ',', quote: true };
        loop {
            if self.take("delim[iter]") {
                csv.delimiter = self.one_character()?;
            } else if self.take("quote") {
                csv.quote = self.on_off()?;
            } else {
                return Ok(on.then_some(csv));
            }
        }
    }

    fn newpage(&mut self) -> Result<Option<usize>> {
        if self.take("none") { Ok(None) } else { self.number(0, 999).map(Some) }
    }

    fn numformat(&mut self) -> Result<String> {
        let format = self.text()?;
        if !format.is_empty() {
            crate::number::check(&format)?;
        }
        Ok(format)
    }

    fn recsep(&mut self) -> Result<RecordSeparator> {
        let word = self.next()?;
        if word.is("wr[apped]") {
            Ok(RecordSeparator::Wrapped)
        } else if word.is("ea[ch]") {
            Ok(RecordSeparator::Each)
        } else if word.is("off") {
            Ok(RecordSeparator::Off)
        } else {
            Err(self.wrong("WRAPPED, EACH or OFF"))
        }
    }

    fn serveroutput(&mut self) -> Result<ServerOutput> {
        if !self.on_off()? {
            return Ok(ServerOutput::Off);
        }
        let mut output = ServerOutput::WordWrapped;
        loop {
            if self.take("size") {
                if !self.take("unl[imited]") {
                    self.number(2000, 1_000_000)?;
                }
            } else if self.take("for[mat]") {
                output = if self.take("wra[pped]") {
                    ServerOutput::Wrapped
                } else if self.take("wor[d_wrapped]") {
                    ServerOutput::WordWrapped
                } else if self.take("tru[ncated]") {
                    ServerOutput::Truncated
                } else {
                    return Err(self.wrong("WRAPPED, WORD_WRAPPED or TRUNCATED as its FORMAT"));
                };
            } else {
                return Ok(output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::split;

    fn after(line: &str) -> Settings {
        let mut settings = Settings::default();
        set(&mut settings, &split(line), &mut Vec::new()).unwrap();
        settings
    }

    #[test]
    fn several_settings_on_a_line() {
        let settings = after("lines 200 pages 0 trimspool on feed off echo on timi on define off");
        assert_eq!((settings.linesize, settings.pagesize, settings.feedback), (200, 0, 0));
        assert!(settings.trimspool && settings.echo && settings.timing && settings.define.is_none());
    }

    #[test]
    fn values_are_checked() {
        let mut settings = Settings::default();
        for line in [
            "",
            "nosuch 1",
            "lin",
            "linesize x",
            "pagesize 50001",
            "echo maybe",
            "autotrace",
            "autotrace explain",
            "define ab",
            "sqlprompt",
        ] {
            assert!(set(&mut settings, &split(line), &mut Vec::new()).is_err(), "{line}");
        }
        assert!(set(&mut settings, &split("pagesize 20 echo maybe"), &mut Vec::new()).is_err());
        assert_eq!(settings.pagesize, 20);
    }

    #[test]
    fn patterns_are_told_apart() {
        for (word, name) in [
            ("num", "numwidth"),
            ("numf", "numformat"),
            ("ti", "time"),
            ("timing", "timing"),
            ("head", "heading"),
            ("trims", "trimspool"),
            ("auto", "autocommit"),
        ] {
            let found = find(&split(word)[0]).unwrap();
            assert_eq!(whole(found.pattern), name);
        }
    }

    #[test]
    fn autotrace() {
        let shown = |line| shown_autotrace(after(line).autotrace);
        assert_eq!(shown("autot on"), "ON EXPLAIN STATISTICS");
        assert_eq!(shown("autotrace trace exp lines 90"), "TRACEONLY EXPLAIN");
        assert_eq!(shown("autotrace on stat"), "ON STATISTICS");
        assert_eq!(shown("autotrace traceonly autotrace off"), "OFF");
        let error = set(&mut Settings::default(), &split("autotrace maybe"), &mut Vec::new()).unwrap_err();
        assert_eq!(error.number, Number::Sp2(158));
    }

    #[test]
    fn server_output_and_csv() {
        assert_eq!(after("serveroutput on size 1000000 format wrapped lines 90").serveroutput, ServerOutput::Wrapped);
        assert_eq!(after("markup csv on delimiter ';' quote off").csv, Some(Csv { delimiter: ';', quote: false }));
        assert_eq!(after("newpage none").newpage, None);
    }

    /// The result of a setting that is not at its default.
    #[derive(PartialEq, Eq, Debug)]
    enum Fate {
        /// SHOW displays the new value.
        Done,
        /// Accepted in silence: no visible difference.
        Silent,
        /// Accepted, with a message that it has no effect.
        Said,
        /// HW-0001.
        Refused,
        /// SP2-0158, as for an unknown setting.
        Unknown,
    }

    /// Every SET of SQL*Plus, those that it keeps for old scripts too.
    const WALK: &[(Fate, &str)] = &[
        (Fate::Said, "appinfo on"),
        (Fate::Done, "arraysize 100"),
        (Fate::Done, "autocommit on"),
        (Fate::Refused, "autorecovery on"),
        (Fate::Done, "autoprint on"),
        (Fate::Done, "autotrace on"),
        (Fate::Refused, "blockterminator ,"),
        (Fate::Said, "buffer mine"),
        (Fate::Said, "closecursor on"),
        (Fate::Refused, "cmdsep ;"),
        (Fate::Said, "colinvisible on"),
        (Fate::Done, "colsep |"),
        (Fate::Said, "compatibility v8"),
        (Fate::Done, "concat +"),
        (Fate::Silent, "copycommit 5"),
        (Fate::Silent, "copytypecheck off"),
        (Fate::Said, "crt vt100"),
        (Fate::Done, "define ^"),
        (Fate::Silent, "describe depth 2 linenum on indent off"),
        (Fate::Said, "document off"),
        (Fate::Done, "echo on"),
        (Fate::Silent, "editfile x"),
        (Fate::Refused, "embedded on"),
        (Fate::Said, "errordetails verbose"),
        (Fate::Refused, "errorlogging on"),
        (Fate::Done, "escape on"),
        (Fate::Said, "escchar @"),
        (Fate::Done, "exitcommit off"),
        (Fate::Refused, "flagger full"),
        (Fate::Done, "feedback 1"),
        (Fate::Silent, "flush off"),
        (Fate::Done, "heading off"),
        (Fate::Done, "headsep !"),
        (Fate::Silent, "history on"),
        (Fate::Said, "instance other"),
        (Fate::Said, "jsonprint pretty"),
        (Fate::Done, "linesize 100"),
        (Fate::Said, "loboffset 5"),
        (Fate::Silent, "lobprefetch 100"),
        (Fate::Said, "logsource x"),
        (Fate::Done, "long 1000"),
        (Fate::Silent, "longchunksize 1000"),
        (Fate::Done, "markup csv on"),
        (Fate::Refused, "markup html on"),
        (Fate::Said, "maxdata 100"),
        (Fate::Done, "newpage 0"),
        (Fate::Done, "null x"),
        (Fate::Done, "numformat 999"),
        (Fate::Done, "numwidth 20"),
        (Fate::Done, "pagesize 100"),
        (Fate::Refused, "pause on"),
        (Fate::Done, "recsep off"),
        (Fate::Done, "recsepchar ="),
        (Fate::Refused, "rowlimit 5"),
        (Fate::Silent, "rowprefetch 5"),
        (Fate::Done, "scan off"),
        (Fate::Said, "securedcol on"),
        (Fate::Done, "serveroutput on"),
        (Fate::Silent, "shiftinout vis"),
        (Fate::Done, "showmode on"),
        (Fate::Done, "space 3"),
        (Fate::Done, "sqlblanklines on"),
        (Fate::Done, "sqlcase upper"),
        (Fate::Silent, "sqlcontinue x"),
        (Fate::Refused, "sqlnumber off"),
        (Fate::Said, "sqlpluscompatibility 9.2"),
        (Fate::Refused, "sqlprefix @"),
        (Fate::Done, "sqlprompt x"),
        (Fate::Refused, "sqlterminator +"),
        (Fate::Silent, "statementcache 5"),
        (Fate::Done, "suffix txt"),
        (Fate::Done, "tab off"),
        (Fate::Done, "termout off"),
        (Fate::Done, "time on"),
        (Fate::Done, "timing on"),
        (Fate::Done, "trimout off"),
        (Fate::Done, "trimspool on"),
        (Fate::Done, "truncate on"),
        (Fate::Done, "underline ="),
        (Fate::Done, "verify off"),
        (Fate::Done, "wrap off"),
        (Fate::Said, "xmloptimizationcheck on"),
        (Fate::Said, "xquery ordering unordered"),
        (Fate::Unknown, "sqlformat ansiconsole"),
        (Fate::Unknown, "nosuch 5"),
    ];

    fn fate(words: &[Word]) -> Fate {
        let mut settings = Settings::default();
        let before = show(&settings, &words[0]);
        let mut said = Vec::new();
        match set(&mut settings, words, &mut said) {
            Err(error) if error.number == Number::Hw(1) => Fate::Refused,
            Err(error) => {
                assert_eq!(error.number, Number::Sp2(158));
                Fate::Unknown
            }
            Ok(()) if show(&settings, &words[0]) != before => Fate::Done,
            Ok(()) if said.is_empty() => Fate::Silent,
            Ok(()) => Fate::Said,
        }
    }

    #[test]
    fn every_setting_has_its_fate() {
        for (expected, line) in WALK {
            assert_eq!(fate(&split(line)), *expected, "set {line}");
        }
        for setting in SETTINGS {
            let walked = WALK.iter().any(|(_, line)| split(line)[0].is(setting.pattern));
            assert!(walked, "{} is not in the list", setting.pattern);
        }
    }

    #[test]
    fn the_usual_value_is_no_news() {
        let mut said = Vec::new();
        set(&mut Settings::default(), &split("appinfo off escchar off document on"), &mut said).unwrap();
        assert!(said.is_empty(), "{said:?}");
    }
}
