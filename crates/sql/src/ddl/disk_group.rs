//! CREATE, ALTER and DROP DISKGROUP.

use common::Result;
use engine::ddl::DiskGroupChange;
use engine::instance::{DiskGroupSpec, DiskSpec, DisksOf, RebalanceClause};
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;
use storage::disk_group::{
    NameRequest, Protection, Redundancy, Striping, TemplateAttributes, TemplateRequest, repair_time_us,
};

/// The largest power of a rebalance.
const POWER_MAX: u16 = 1024;

/// Parses the clauses behind CREATE DISKGROUP.
pub(super) fn create(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    let redundancy = redundancy(words)?;
    let mut spec = DiskGroupSpec { name, redundancy, disks: Vec::new(), au_bytes: None, attributes: Vec::new() };
    spec.disks = disk_clauses(words)?;
    if spec.disks.is_empty() {
        return Err(words.error(905, "missing keyword: DISK expected"));
    }
    if spec.redundancy == Redundancy::External && spec.disks.iter().any(|disk| disk.failure_group.is_some()) {
        return Err(words.error(15067, "FAILGROUP is incompatible with EXTERNAL REDUNDANCY"));
    }
    if words.take("ATTRIBUTE") {
        create_attributes(words, &mut spec)?;
    }
    Ok(Command::CreateDiskGroup(spec))
}

/// The redundancy of a group; NORMAL where no clause tells it.
fn redundancy(words: &mut Words<'_>) -> Result<Redundancy> {
    for (clause, redundancy) in [
        ("EXTERNAL REDUNDANCY", Redundancy::External),
        ("NORMAL REDUNDANCY", Redundancy::Normal),
        ("HIGH REDUNDANCY", Redundancy::High),
    ] {
        if words.take(clause) {
            return Ok(redundancy);
        }
    }
    if ["FLEX REDUNDANCY", "EXTENDED REDUNDANCY"].into_iter().any(|clause| words.next_is(clause)) {
        return Err(words.unsupported("a disk group with"));
    }
    Ok(Redundancy::Normal)
}

/// `[REGULAR] [FAILGROUP name] DISK 'pattern' [NAME name] [SIZE size] [FORCE | NOFORCE] [, …] …`.
fn disk_clauses(words: &mut Words<'_>) -> Result<Vec<DiskSpec>> {
    let mut disks = Vec::new();
    loop {
        if words.next_is("QUORUM") {
            return Err(words.unsupported("a failure group of the kind"));
        }
        words.take("REGULAR");
        let failure_group = if words.take("FAILGROUP") { Some(words.identifier()?) } else { None };
        if !words.take("DISK") {
            return if failure_group.is_some() {
                Err(words.error(905, "missing keyword: DISK expected"))
            } else {
                Ok(disks)
            };
        }
        loop {
            let mut disk = DiskSpec { failure_group: failure_group.clone(), ..DiskSpec::new(words.string()?) };
            if words.take("NAME") {
                disk.name = Some(words.identifier()?);
            }
            if words.take("SIZE") {
                disk.bytes = Some(words.size()?);
            }
            if words.take("FORCE") {
                disk.force = true;
            } else {
                words.take("NOFORCE");
            }
            disks.push(disk);
            if !words.take_sign(&Token::Comma) {
                break;
            }
        }
    }
}

/// `'name' = 'value' [, …]` of CREATE DISKGROUP.
fn create_attributes(words: &mut Words<'_>, spec: &mut DiskGroupSpec) -> Result<()> {
    let start = words.clone();
    for (name, value) in attributes(words)? {
        if !name.eq_ignore_ascii_case("au_size") {
            spec.attributes.push((name, value));
            continue;
        }
        // A value has the form of a SIZE, in quotation marks.
        let bytes = Words::new(&value).and_then(|mut size| {
            let bytes = size.size()?;
            size.end().map(|()| bytes)
        });
        spec.au_bytes =
            Some(bytes.map_err(|_| start.error(15238, format!("{value} is not a valid value for attribute {name}")))?);
    }
    Ok(())
}

/// `'name' = 'value' [, …]`.
fn attributes(words: &mut Words<'_>) -> Result<Vec<(String, String)>> {
    each(words, |words| {
        let name = words.string()?;
        words.expect_sign(&Token::Eq)?;
        Ok((name, words.string()?))
    })
}

/// What `one` parses, and more of it behind commas.
fn each<T>(words: &mut Words<'_>, mut one: impl FnMut(&mut Words<'_>) -> Result<T>) -> Result<Vec<T>> {
    let mut all = vec![one(words)?];
    while words.take_sign(&Token::Comma) {
        all.push(one(words)?);
    }
    Ok(all)
}

/// ADD, DROP and RENAME of aliases and directories; None: the statement is another one.
fn names(words: &mut Words<'_>) -> Result<Option<Vec<NameRequest>>> {
    let to = |words: &mut Words<'_>| -> Result<(String, String)> {
        let from = words.string()?;
        words.expect("TO")?;
        Ok((from, words.string()?))
    };
    let requests = if words.take("ADD DIRECTORY") {
        each(words, |words| words.string().map(NameRequest::AddDirectory))
    } else if words.take("DROP DIRECTORY") {
        each(words, |words| {
            let name = words.string()?;
            let force = words.take("FORCE");
            if !force {
                words.take("NOFORCE");
            }
            Ok(NameRequest::DropDirectory { name, force })
        })
    } else if words.take("RENAME DIRECTORY") {
        each(words, |words| to(words).map(|(from, to)| NameRequest::RenameDirectory { from, to }))
    } else if words.take("ADD ALIAS") {
        each(words, |words| {
            let alias = words.string()?;
            words.expect("FOR")?;
            Ok(NameRequest::AddAlias { alias, file: words.string()? })
        })
    } else if words.take("DROP ALIAS") {
        each(words, |words| words.string().map(NameRequest::DropAlias))
    } else if words.take("RENAME ALIAS") {
        each(words, |words| to(words).map(|(from, to)| NameRequest::RenameAlias { from, to }))
    } else {
        return Ok(None);
    };
    requests.map(Some)
}

/// ADD, ALTER (MODIFY) and DROP of templates; None: the statement is another one.
fn templates(words: &mut Words<'_>) -> Result<Option<Vec<TemplateRequest>>> {
    let with = |words: &mut Words<'_>| Ok((words.identifier()?, template_attributes(words)?));
    let requests = if words.take("ADD TEMPLATE") {
        each(words, |words| with(words).map(|(name, attributes)| TemplateRequest::Add(name, attributes)))
    } else if words.take("ALTER TEMPLATE") || words.take("MODIFY TEMPLATE") {
        each(words, |words| with(words).map(|(name, attributes)| TemplateRequest::Alter(name, attributes)))
    } else if words.take("DROP TEMPLATE") {
        each(words, |words| words.identifier().map(TemplateRequest::Drop))
    } else {
        return Ok(None);
    };
    requests.map(Some)
}

/// `{ATTRIBUTES | ATTRIBUTE} ([MIRROR | HIGH | UNPROTECTED] [FINE | COARSE])`.
fn template_attributes(words: &mut Words<'_>) -> Result<TemplateAttributes> {
    let mut attributes = TemplateAttributes::default();
    if !words.take("ATTRIBUTE") {
        words.expect("ATTRIBUTES")?;
    }
    words.expect_sign(&Token::LParen)?;
    while !words.take_sign(&Token::RParen) {
        let at = words.clone();
        let protections =
            [("UNPROTECTED", Protection::Unprotected), ("MIRROR", Protection::Mirror), ("HIGH", Protection::High)];
        let stripings = [("COARSE", Striping::Coarse), ("FINE", Striping::Fine)];
        if let Some((_, protection)) = protections.into_iter().find(|(word, _)| words.take(word)) {
            if attributes.protection.replace(protection).is_some() {
                return Err(at.error(15109, "conflicting protection attributes specified"));
            }
        } else if let Some((_, striping)) = stripings.into_iter().find(|(word, _)| words.take(word)) {
            if attributes.striping.replace(striping).is_some() {
                return Err(at.error(15111, "conflicting or duplicate STRIPE options"));
            }
        } else if ["HOT", "COLD", "MIRRORHOT", "MIRRORCOLD", "PARITY"].into_iter().any(|word| words.next_is(word)) {
            return Err(words.unsupported("the template attribute"));
        } else {
            return Err(words.error(907, "missing right parenthesis"));
        }
    }
    Ok(attributes)
}

/// `DROP AFTER n {M | H}` of OFFLINE, in microseconds.
fn drop_after(words: &mut Words<'_>) -> Result<Option<u64>> {
    if !words.take("DROP AFTER") {
        return Ok(None);
    }
    let at = words.clone();
    let count = words.integer()?;
    let unit = if words.take("M") {
        "m"
    } else {
        words.expect("H")?;
        "h"
    };
    let text = format!("{count}{unit}");
    repair_time_us(&text)
        .map(Some)
        .ok_or_else(|| at.error(15238, format!("{text} is not a valid value for DROP AFTER")))
}

/// Parses the clauses behind ALTER DISKGROUP.
pub(super) fn alter(words: &mut Words<'_>) -> Result<Command> {
    if words.next_is("ALL") {
        return Err(words.unsupported("ALTER DISKGROUP"));
    }
    let name = words.identifier()?;
    let change = change(words)?;
    if !words.at_end() {
        return Err(words.unsupported("ALTER DISKGROUP"));
    }
    Ok(Command::AlterDiskGroup { name, change })
}

fn change(words: &mut Words<'_>) -> Result<DiskGroupChange> {
    if words.take("MOUNT") {
        words.take("RESTRICTED");
        let force = words.take("FORCE");
        if !force {
            words.take("NOFORCE");
        }
        return Ok(DiskGroupChange::Mount { force });
    }
    if words.take("DISMOUNT") {
        words.take("NOFORCE");
        return Ok(DiskGroupChange::Dismount);
    }
    if let Some(requests) = names(words)? {
        return Ok(DiskGroupChange::Names(requests));
    }
    if let Some(requests) = templates(words)? {
        return Ok(DiskGroupChange::Templates(requests));
    }
    if words.take("SET ATTRIBUTE") {
        return Ok(DiskGroupChange::SetAttributes(attributes(words)?));
    }
    if words.take("DROP FILE") {
        return Ok(DiskGroupChange::DropFile(words.string()?));
    }
    if words.take("ADD") {
        if !["DISK", "FAILGROUP", "REGULAR", "QUORUM"].into_iter().any(|next| words.next_is(next)) {
            return Err(words.unsupported("ALTER DISKGROUP … ADD"));
        }
        let disks = disk_clauses(words)?;
        return Ok(DiskGroupChange::AddDisks(disks, rebalance(words)?));
    }
    if words.take("DROP") {
        let disks = disks_of(words, false)?;
        let force = words.take("FORCE");
        if !force {
            words.take("NOFORCE");
        }
        return Ok(DiskGroupChange::DropDisks { disks, force, rebalance: rebalance(words)? });
    }
    if words.take("UNDROP DISKS") {
        return Ok(DiskGroupChange::UndropDisks);
    }
    if words.take("RESIZE") {
        let disks = disks_of(words, true)?;
        let bytes = if words.take("SIZE") { Some(words.size()?) } else { None };
        return Ok(DiskGroupChange::ResizeDisks { disks, bytes, rebalance: rebalance(words)? });
    }
    if words.take("ONLINE") {
        let disks = disks_of(words, true)?;
        words.take("WAIT");
        return Ok(DiskGroupChange::Online(disks));
    }
    if words.take("OFFLINE") {
        let disks = disks_of(words, false)?;
        return Ok(DiskGroupChange::Offline(disks, drop_after(words)?));
    }
    if words.take("CHECK") {
        words.take("ALL");
        let repair = words.take("REPAIR");
        if !repair {
            words.take("NOREPAIR");
        }
        return Ok(DiskGroupChange::Check { repair });
    }
    if words.next_is("REBALANCE") {
        return Ok(DiskGroupChange::Rebalance(rebalance(words)?));
    }
    Err(words.unsupported("ALTER DISKGROUP"))
}

/// `DISK name [, …]`, `DISKS IN FAILGROUP name [, …]`, or, where a statement has it, `ALL`.
fn disks_of(words: &mut Words<'_>, all: bool) -> Result<DisksOf> {
    if all && words.take("ALL") {
        return Ok(DisksOf::All);
    }
    let groups = words.take("DISKS IN FAILGROUP");
    if !groups {
        words.expect("DISK")?;
    }
    let mut names = vec![words.identifier()?];
    while words.take_sign(&Token::Comma) {
        names.push(words.identifier()?);
    }
    Ok(if groups { DisksOf::FailureGroups(names) } else { DisksOf::Named(names) })
}

/// `[REBALANCE [POWER n] [WAIT | NOWAIT]]`.
fn rebalance(words: &mut Words<'_>) -> Result<RebalanceClause> {
    let mut clause = RebalanceClause::default();
    if !words.take("REBALANCE") {
        return Ok(clause);
    }
    if words.take("POWER") {
        let at = words.clone();
        let power = u16::try_from(words.integer()?).ok().filter(|power| *power <= POWER_MAX);
        clause.power = Some(power.ok_or_else(|| at.error(15102, "invalid POWER expression: it is 0 to 1024"))?);
    }
    if words.take("WAIT") {
        clause.wait = true;
    } else {
        words.take("NOWAIT");
    }
    Ok(clause)
}

/// Parses the clauses behind DROP DISKGROUP.
pub(super) fn drop(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    if words.take("FORCE") {
        words.expect("INCLUDING CONTENTS")?;
        return Ok(Command::DropDiskGroup { name, contents: true, force: true });
    }
    let contents = words.take("INCLUDING CONTENTS");
    if !contents {
        words.take("EXCLUDING CONTENTS");
    }
    Ok(Command::DropDiskGroup { name, contents, force: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::parse::parse;

    #[test]
    fn patterns_and_the_size_of_allocation_units() {
        let text = "create diskgroup group1 external redundancy disk 'group1_*', '/dev/x%n' attribute 'au_size' = '4M'";
        let Command::CreateDiskGroup(spec) = parse(text).unwrap().0 else { panic!() };
        assert_eq!((spec.name.as_str(), spec.au_bytes), ("GROUP1", Some(4 << 20)));
        assert_eq!(spec.redundancy, Redundancy::External);
        assert_eq!(spec.disks, ["group1_*", "/dev/x%n"].map(DiskSpec::new));
        let Command::CreateDiskGroup(spec) =
            parse("create diskgroup g external redundancy disk 'a' disk 'b'").unwrap().0
        else {
            panic!()
        };
        assert_eq!((spec.disks.len(), spec.au_bytes), (2, None));
    }

    #[test]
    fn failure_groups_names_and_sizes_of_disks() {
        let text = "create diskgroup g failgroup f1 disk 'a' name d1 size 1g force, 'b' failgroup f2 disk 'c' noforce";
        let Command::CreateDiskGroup(spec) = parse(text).unwrap().0 else { panic!() };
        assert_eq!(spec.redundancy, Redundancy::Normal);
        let disk =
            |pattern: &str, group: &str| DiskSpec { failure_group: Some(group.into()), ..DiskSpec::new(pattern) };
        let first = DiskSpec { name: Some("D1".into()), bytes: Some(1 << 30), force: true, ..disk("a", "F1") };
        assert_eq!(spec.disks, [first, disk("b", "F1"), disk("c", "F2")]);
        let error = parse("create diskgroup g external redundancy failgroup f disk 'a'").unwrap_err();
        assert!(error.is_ora(15067), "{error}");
    }

    #[test]
    fn changes_of_disks() {
        let change = |text: &str| match parse(&format!("alter diskgroup g {text}")).unwrap().0 {
            Command::AlterDiskGroup { change, .. } => change,
            _ => panic!("{text}"),
        };
        let power = |power, wait| RebalanceClause { power, wait };
        let none = RebalanceClause::default();
        let named = |names: &[&str]| DisksOf::Named(names.iter().map(|name| (*name).to_owned()).collect());
        for (text, expected) in [
            ("mount force", DiskGroupChange::Mount { force: true }),
            ("mount", DiskGroupChange::Mount { force: false }),
            ("undrop disks", DiskGroupChange::UndropDisks),
            ("add disk 'x'", DiskGroupChange::AddDisks(vec![DiskSpec::new("x")], none)),
            ("offline disk d1, d2", DiskGroupChange::Offline(named(&["D1", "D2"]), None)),
            ("offline disk d1 drop after 90 m", DiskGroupChange::Offline(named(&["D1"]), Some(90 * 60_000_000))),
            ("offline disk d1 drop after 2h", DiskGroupChange::Offline(named(&["D1"]), Some(7200 * 1_000_000))),
            ("online all", DiskGroupChange::Online(DisksOf::All)),
            ("online disks in failgroup f", DiskGroupChange::Online(DisksOf::FailureGroups(vec!["F".into()]))),
            ("rebalance power 11 wait", DiskGroupChange::Rebalance(power(Some(11), true))),
            ("rebalance", DiskGroupChange::Rebalance(none)),
            ("check", DiskGroupChange::Check { repair: false }),
            ("check all repair", DiskGroupChange::Check { repair: true }),
            (
                "drop disk d1 force rebalance power 0",
                DiskGroupChange::DropDisks { disks: named(&["D1"]), force: true, rebalance: power(Some(0), false) },
            ),
            (
                "resize all size 2g rebalance nowait",
                DiskGroupChange::ResizeDisks { disks: DisksOf::All, bytes: Some(2 << 30), rebalance: none },
            ),
        ] {
            assert_eq!(change(text), expected, "{text}");
        }
        assert!(parse("alter diskgroup g rebalance power 1025").unwrap_err().is_ora(15102));
        assert!(parse("alter diskgroup g drop disk").is_err());
    }

    #[test]
    fn names_templates_and_attributes() {
        let change = |text: &str| match parse(&format!("alter diskgroup g {text}")).unwrap().0 {
            Command::AlterDiskGroup { change, .. } => change,
            _ => panic!("{text}"),
        };
        let names = |text: &str| match change(text) {
            DiskGroupChange::Names(requests) => requests,
            other => panic!("{text}: {other:?}"),
        };
        let own = |name: &str| name.to_owned();
        assert_eq!(
            names("add directory '+G/a', '+G/a/b'"),
            ["+G/a", "+G/a/b"].map(|name| NameRequest::AddDirectory(own(name)))
        );
        assert_eq!(
            names("drop directory '+G/a' force, '+G/b' noforce"),
            [("+G/a", true), ("+G/b", false)]
                .map(|(name, force)| NameRequest::DropDirectory { name: own(name), force })
        );
        let (from, to) = (own("+G/a"), own("+G/b"));
        assert_eq!(
            names("rename directory '+G/a' to '+G/b'"),
            [NameRequest::RenameDirectory { from: from.clone(), to: to.clone() }]
        );
        assert_eq!(names("rename alias '+G/a' to '+G/b'"), [NameRequest::RenameAlias { from, to }]);
        assert_eq!(
            names("add alias '+G/x' for '+G.256.1'"),
            [NameRequest::AddAlias { alias: own("+G/x"), file: own("+G.256.1") }]
        );
        assert_eq!(names("drop alias '+G/x'"), [NameRequest::DropAlias(own("+G/x"))]);
        let attributes = TemplateAttributes { protection: Some(Protection::High), striping: Some(Striping::Fine) };
        assert_eq!(
            change("add template t attributes (high fine), u attributes ()"),
            DiskGroupChange::Templates(vec![
                TemplateRequest::Add(own("T"), attributes),
                TemplateRequest::Add(own("U"), TemplateAttributes::default())
            ])
        );
        let unprotected = TemplateAttributes { protection: Some(Protection::Unprotected), striping: None };
        assert_eq!(
            change("modify template datafile attribute (unprotected)"),
            DiskGroupChange::Templates(vec![TemplateRequest::Alter(own("DATAFILE"), unprotected)])
        );
        assert_eq!(change("drop template t"), DiskGroupChange::Templates(vec![TemplateRequest::Drop(own("T"))]));
        assert_eq!(
            change("set attribute 'disk_repair_time' = '2h'"),
            DiskGroupChange::SetAttributes(vec![(own("disk_repair_time"), own("2h"))])
        );
        for (text, number) in [
            ("add template t attributes (high mirror)", 15109),
            ("add template t attributes (fine coarse)", 15111),
            ("add template t attributes (fine", 907),
            ("add template t", 905),
            ("add alias '+G/x'", 905),
            ("offline disk d drop after 1", 905),
            ("offline disk d drop after 99999999999 h", 15238),
        ] {
            let error = parse(&format!("alter diskgroup g {text}")).unwrap_err();
            assert!(error.is_ora(number), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_not_carried_out_is_refused() {
        for text in [
            "create diskgroup g flex redundancy disk 'a'",
            "create diskgroup g quorum failgroup f disk 'a'",
            "alter diskgroup g add template t attributes (hot)",
            "alter diskgroup g add volume v",
            "alter diskgroup all mount",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.is_own(1), "{text}: {error}");
        }
        let error = parse("create diskgroup g external redundancy disk 'a' attribute 'au_size' = 'much'").unwrap_err();
        assert!(error.is_ora(15238), "{error}");
        assert!(parse("create diskgroup g external redundancy").unwrap_err().is_ora(905));
        assert!(parse("create diskgroup g").unwrap_err().is_ora(905));
        assert!(parse("drop diskgroup g force").unwrap_err().is_ora(905));
    }
}
