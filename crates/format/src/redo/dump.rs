//! A redo record as text, for reading and for computations: `highwater dump … redo`.

use std::fmt::Write;

use common::{BlockClass, Result};

use super::{
    CHANGE, FIELD_BEGUN, FIELD_PROCESS, FIELD_TRANSACTION, FIELD_USER, NEW, NO_OBJECT, RECORD_BYTES, Record, SESSION,
    VECTOR_BYTES, Vector,
};

/// A line of the record and two of each of its vectors. All lengths are in bytes: those of the vectors and the record's
/// header add up to the record's.
///
/// # Errors
/// ORA-00353 for bytes that are no record.
pub fn dump(bytes: &[u8]) -> Result<String> {
    let record = Record::parse(bytes)?;
    let vectors = record.vectors()?;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "length {} (header {RECORD_BYTES}) scn {} session {} vectors {}",
        bytes.len(),
        record.scn.0,
        record.session,
        vectors.len()
    );
    for (number, vector) in vectors.iter().enumerate() {
        dump_vector(&mut out, number + 1, vector)?;
    }
    Ok(out)
}

fn operation(code: u8) -> String {
    match code {
        CHANGE => "change".to_owned(),
        NEW => "new block".to_owned(),
        other => format!("operation {other}"),
    }
}

fn class(number: u16) -> &'static str {
    BlockClass::ALL.into_iter().find(|class| *class as u16 == number).map_or("unknown class", BlockClass::name)
}

fn dump_session(out: &mut String, number: usize, vector: &Vector<'_>) -> Result<()> {
    let _ = write!(out, "  vector {number}: session length {} (header {VECTOR_BYTES})\n   ", vector.bytes());
    for piece in vector.pieces() {
        let (field, bytes) = piece?;
        let value = |from: usize, to: usize| {
            bytes
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .rev()
                .fold(0_u64, |value, byte| value << 8 | u64::from(*byte))
        };
        let _ = match field {
            FIELD_TRANSACTION => write!(out, " transaction {}.{}.{}", value(0, 2), value(2, 4), value(4, 8)),
            FIELD_PROCESS => write!(out, " process {}", value(0, 4)),
            FIELD_BEGUN => write!(out, " begun {}", value(0, 4)),
            FIELD_USER => write!(out, " user {}", String::from_utf8_lossy(bytes)),
            other => write!(out, " field {other}: {} bytes", bytes.len()),
        };
    }
    out.push('\n');
    Ok(())
}

fn dump_vector(out: &mut String, number: usize, vector: &Vector<'_>) -> Result<()> {
    if vector.code == SESSION {
        return dump_session(out, number, vector);
    }
    let object = if vector.object == NO_OBJECT { String::new() } else { format!(" object {}", vector.object) };
    let _ = writeln!(
        out,
        "  vector {number}: {} of {} {} (class {}){object} from {}.{} to {}.{} length {} (header {VECTOR_BYTES})",
        operation(vector.code),
        class(vector.class),
        vector.address,
        vector.class,
        vector.before.scn,
        vector.before.seq,
        vector.after.scn,
        vector.after.seq,
        vector.bytes(),
    );
    out.push_str("    offset:bytes");
    for piece in vector.pieces() {
        let (offset, bytes) = piece?;
        let _ = write!(out, " {offset}:{}", bytes.len());
    }
    out.push('\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::dump;
    use crate::block::BlockType;
    use common::{BlockClass, FileNumber, Xid};

    #[test]
    fn a_record_tells_what_it_changes_and_its_lengths_add_up() {
        let address = BlockAddress::new(FileNumber(4), 77);
        let mut old = vec![0; 2048];
        block::format(&mut old, BlockType::Data, address);
        let (one, two) = (Version { scn: 9, seq: 1 }, Version { scn: 12, seq: 1 });
        let mut new = old.clone();
        new[100..105].fill(7);
        new[300] = 1;
        let mut record = Vec::new();
        begin(&mut record);
        difference(&mut record, BlockClass::UndoBlock as u16, address, &Before::Whole(&old), &new, one, two);
        image(&mut record, BlockClass::Data as u16, address, &new, two);
        session(&mut record, Xid { segment: 3, slot: 5, sequence: 77 }, 9, 1_000_000, "SCOTT");
        finish(&mut record, 3, Scn(12), 3);
        let text = dump(&record).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        // A header of 28 bytes, pieces of 4 + 5 and 4 + 1, two bytes to the next multiple of four.
        let vector = "  vector 1: change of undo block 4.77 (class 18) object 0 from 9.1 to 12.1 length 44 (header 28)";
        assert_eq!(lines[1..3], [vector, "    offset:bytes 100:5 300:1"]);
        assert!(
            lines[3].starts_with("  vector 2: new block of data block 4.77 (class 1) object 0 from 0.0 to 12.1"),
            "{text}"
        );
        let length =
            |line: &str| -> usize { line.split("length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap() };
        assert_eq!(length(lines[0]), record.len());
        assert_eq!(lines[6], "    transaction 3.5.77 process 9 begun 1000000 user SCOTT");
        assert_eq!(24 + length(lines[1]) + length(lines[3]) + length(lines[5]), record.len());
        assert!(dump(&record[..60]).is_err());
    }
}
