//! Physical attributes and STORAGE of tables and indexes.

use common::{Error, Result};
use sqlparser::tokenizer::Token;
use storage::cells::FlashUse;
use storage::segment::Storage;

use super::command::SegmentAttributes;
use crate::statement::words::Words;

/// Parses attributes as long as there are any.
pub(crate) fn segment(words: &mut Words<'_>, attributes: &mut SegmentAttributes) -> Result<()> {
    while one(words, attributes)? {}
    Ok(())
}

/// Parses one attribute; false when the next words are none.
pub(crate) fn one(words: &mut Words<'_>, attributes: &mut SegmentAttributes) -> Result<bool> {
    let physical = &mut attributes.physical;
    if words.take("PCTFREE") {
        once(words, &mut physical.pctfree, 2212, "PCTFREE")?;
    } else if words.take("PCTUSED") {
        once(words, &mut physical.pctused, 2213, "PCTUSED")?;
    } else if words.take("INITRANS") {
        once(words, &mut physical.initrans, 2206, "INITRANS")?;
    } else if words.take("MAXTRANS") {
        once(words, &mut physical.maxtrans, 2208, "MAXTRANS")?;
    } else if words.take("TABLESPACE") {
        attributes.tablespace = Some(words.identifier()?);
    } else if words.take("STORAGE") {
        storage(words, &mut attributes.storage)?;
    } else if words.take("CACHE") {
        attributes.cache = Some(true);
    } else if words.take("NOCACHE") {
        attributes.cache = Some(false);
    } else if words.take("LOGGING") {
        attributes.logging = Some(true);
    } else if words.take("NOLOGGING") {
        attributes.logging = Some(false);
    } else if words.take("ENABLE ROW MOVEMENT") {
        attributes.row_movement = Some(true);
    } else if words.take("DISABLE ROW MOVEMENT") {
        attributes.row_movement = Some(false);
    } else if parallel(words)? {
        // It has added its notice of having no effect.
    } else if words.take("MONITORING") {
        words.notice("MONITORING is not kept: how many rows of a table change is not counted");
    } else if words.take("NOMONITORING") {
        // The default.
    } else if words.take("NOCOMPRESS")
        || words.take("NOPARALLEL")
        || words.take("ORGANIZATION HEAP")
        || words.take("SEGMENT CREATION IMMEDIATE")
        || words.take("COMPUTE STATISTICS")
        || words.take("NOREVERSE")
    {
        // The default: rows are not compressed, statements are serial.
    } else {
        for refused in [
            "COMPRESS",
            "ORGANIZATION",
            "SEGMENT",
            "PARTITION",
            "CLUSTER",
            "REVERSE",
            "ONLINE",
            "LOCAL",
            "GLOBAL",
            "LOB",
            "ROWDEPENDENCIES",
            "ROW",
            "ENABLE ROW",
            "DISABLE ROW",
            "RESULT_CACHE",
            "INMEMORY",
            "SORT",
            "NOSORT",
            "UNUSABLE",
            "INVISIBLE",
            "BUFFER_POOL",
        ] {
            if words.next_is(refused) {
                return Err(words.unsupported("attribute"));
            }
        }
        return Ok(false);
    }
    Ok(true)
}

/// Parses PARALLEL with or without a degree; false when it does not come next.
pub(super) fn parallel(words: &mut Words<'_>) -> Result<bool> {
    if !words.take("PARALLEL") {
        return Ok(false);
    }
    let degree = match words.peek().map(|word| &word.token) {
        Some(Token::Number(..)) => words.integer()?.to_string(),
        Some(Token::LParen) => {
            words.advance();
            words.expect("DEGREE")?;
            let degree = if words.take("DEFAULT") { "DEFAULT".to_owned() } else { words.integer()?.to_string() };
            words.expect_sign(&Token::RParen)?;
            degree
        }
        _ => "DEFAULT".to_owned(),
    };
    if degree != "1" {
        words.notice(format!("PARALLEL {degree} is not kept: statements are serial"));
    }
    Ok(true)
}

/// Parses the number of an option that may occur once.
fn once(words: &mut Words<'_>, option: &mut Option<u64>, ora: u32, name: &str) -> Result<()> {
    if option.is_some() {
        return Err(words.error(ora, format!("duplicate {name} option specification")));
    }
    *option = Some(words.integer()?);
    Ok(())
}

fn storage(words: &mut Words<'_>, storage: &mut Storage) -> Result<()> {
    words.expect_sign(&Token::LParen)?;
    while !words.take_sign(&Token::RParen) {
        let small = |words: &mut Words<'_>, what: &str| -> Result<u32> {
            let number = words.integer()?;
            u32::try_from(number).map_err(|_| words.error(2143, format!("{what} {number} is too large")))
        };
        let lists = |words: &mut Words<'_>, what: &str| -> Result<u16> {
            let number = words.integer()?;
            u16::try_from(number).map_err(|_| words.error(2217, format!("{what} {number} is too large")))
        };
        if words.take("INITIAL") {
            storage.initial = Some(words.size()?);
        } else if words.take("NEXT") {
            storage.next = Some(words.size()?);
        } else if words.take("MINEXTENTS") {
            storage.minextents = Some(small(words, "MINEXTENTS")?);
        } else if words.take("MAXEXTENTS") {
            storage.maxextents = if words.take("UNLIMITED") { None } else { Some(small(words, "MAXEXTENTS")?) };
            if let Some(most) = storage.maxextents {
                words.notice(format!(
                    "MAXEXTENTS {most} limits nothing: a segment has as many extents as its tablespace has room for"
                ));
            }
        } else if words.take("PCTINCREASE") {
            let percent = small(words, "PCTINCREASE")?;
            storage.pctincrease = Some(percent);
            if percent != 0 {
                words.notice(format!("PCTINCREASE {percent} has no effect: the tablespace says how large extents are"));
            }
        } else if words.take("FREELISTS") {
            storage.freelists = lists(words, "FREELISTS")?;
        } else if words.take("FREELIST GROUPS") {
            storage.freelist_groups = lists(words, "FREELIST GROUPS")?;
        } else if words.take("CELL_FLASH_CACHE") {
            let wanted = FlashUse::ALL.into_iter().find(|wanted| words.take(wanted.name()));
            let wanted = wanted.ok_or_else(|| words.error(2143, "CELL_FLASH_CACHE is KEEP, NONE or DEFAULT"))?;
            storage.flash_cache = Some(wanted);
        } else if words.take("FLASH_CACHE") {
            if !words.take("DEFAULT") {
                return Err(words.unsupported("FLASH_CACHE"));
            }
        } else if words.take("BUFFER_POOL") {
            if !words.take("DEFAULT") {
                return Err(words.unsupported("BUFFER_POOL"));
            }
        } else if words.at_end() {
            return Err(words.error(907, "missing right parenthesis"));
        } else {
            return Err(Error::user(2143, "invalid STORAGE option").at(words.offset()));
        }
    }
    Ok(())
}
