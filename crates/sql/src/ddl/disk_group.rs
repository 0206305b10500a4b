//! CREATE, ALTER and DROP DISKGROUP.

use common::Result;
use engine::ddl::DiskGroupChange;
use engine::instance::DiskGroupSpec;
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;

/// Parses the clauses behind CREATE DISKGROUP.
pub(super) fn create(words: &mut Words<'_>) -> Result<Command> {
    let mut spec = DiskGroupSpec { name: words.identifier()?, patterns: Vec::new(), au_bytes: None };
    if !words.take("EXTERNAL REDUNDANCY") {
        // Without a REDUNDANCY clause Oracle's groups are mirrored.
        let other = ["NORMAL REDUNDANCY", "HIGH REDUNDANCY", "FLEX REDUNDANCY", "EXTENDED REDUNDANCY"];
        let given = other.into_iter().any(|redundancy| words.next_is(redundancy));
        return Err(if given || words.next_is("DISK") || words.next_is("FAILGROUP") {
            words.unsupported("a disk group without EXTERNAL REDUNDANCY:")
        } else {
            words.error(905, "missing keyword: EXTERNAL REDUNDANCY expected")
        });
    }
    while words.take("DISK") {
        loop {
            spec.patterns.push(words.string()?);
            if ["NAME", "SIZE", "FORCE", "NOFORCE"].into_iter().any(|option| words.next_is(option)) {
                return Err(words.unsupported("an option of a disk:"));
            }
            if !words.take_sign(&Token::Comma) {
                break;
            }
        }
    }
    if ["FAILGROUP", "REGULAR", "QUORUM"].into_iter().any(|kind| words.next_is(kind)) {
        return Err(words.unsupported("CREATE DISKGROUP"));
    }
    if spec.patterns.is_empty() {
        return Err(words.error(905, "missing keyword: DISK expected"));
    }
    if words.take("ATTRIBUTE") {
        attributes(words, &mut spec)?;
    }
    Ok(Command::CreateDiskGroup(spec))
}

/// `'name' = 'value' [, …]`.
fn attributes(words: &mut Words<'_>, spec: &mut DiskGroupSpec) -> Result<()> {
    loop {
        let start = words.clone();
        let name = words.string()?;
        words.expect_sign(&Token::Eq)?;
        let at = words.clone();
        let value = words.string()?;
        if !name.eq_ignore_ascii_case("au_size") {
            return Err(start.unsupported("the disk group attribute"));
        }
        // A value has the form of a SIZE, in quotation marks.
        let bytes = Words::new(&value).and_then(|mut size| {
            let bytes = size.size()?;
            size.end().map(|()| bytes)
        });
        spec.au_bytes =
            Some(bytes.map_err(|_| at.error(15238, format!("{value} is not a valid value for attribute {name}")))?);
        if !words.take_sign(&Token::Comma) {
            return Ok(());
        }
    }
}

/// Parses the clauses behind ALTER DISKGROUP.
pub(super) fn alter(words: &mut Words<'_>) -> Result<Command> {
    if words.next_is("ALL") {
        return Err(words.unsupported("ALTER DISKGROUP"));
    }
    let name = words.identifier()?;
    let change = if words.take("MOUNT") {
        DiskGroupChange::Mount
    } else if words.take("DISMOUNT") {
        DiskGroupChange::Dismount
    } else if words.take("DROP FILE") {
        DiskGroupChange::DropFile(words.string()?)
    } else {
        return Err(words.unsupported("ALTER DISKGROUP"));
    };
    if !words.at_end() {
        return Err(words.unsupported("ALTER DISKGROUP"));
    }
    Ok(Command::AlterDiskGroup { name, change })
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
        assert_eq!(spec.patterns, ["group1_*", "/dev/x%n"]);
        let Command::CreateDiskGroup(spec) =
            parse("create diskgroup g external redundancy disk 'a' disk 'b'").unwrap().0
        else {
            panic!()
        };
        assert_eq!((spec.patterns.len(), spec.au_bytes), (2, None));
    }

    #[test]
    fn what_is_not_carried_out_is_refused() {
        for text in [
            "create diskgroup g disk 'a'",
            "create diskgroup g normal redundancy disk 'a'",
            "create diskgroup g high redundancy failgroup f disk 'a'",
            "create diskgroup g external redundancy failgroup f disk 'a'",
            "create diskgroup g external redundancy disk 'a' name d1",
            "create diskgroup g external redundancy disk 'a' force",
            "create diskgroup g external redundancy disk 'a' attribute 'compatible.asm' = '19.0'",
            "alter diskgroup g add disk 'b'",
            "alter diskgroup g rebalance power 4",
            "alter diskgroup g mount force",
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
