//! A redo record as text, for a person to read and to reckon with: `highwater dump … redo`.

use std::fmt::Write;

use common::{BlockClass, Result};

use super::{CHANGE, NEW, RECORD_BYTES, Record, VECTOR_BYTES, Vector};

/// A line of the record and two of each of its vectors. All lengths are in bytes: those of the vectors and the record's header add up to the record's.
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

fn dump_vector(out: &mut String, number: usize, vector: &Vector<'_>) -> Result<()> {
    let _ = writeln!(
        out,
        "  vector {number}: {} of {} {} (class {}) from {}.{} to {}.{} length {} (header {VECTOR_BYTES})",
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
    use common::{BlockClass, FileNumber};

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
        difference(&mut record, BlockClass::UndoBlock as u16, address, &old, &new, one, two);
        image(&mut record, BlockClass::Data as u16, address, &new, two);
        finish(&mut record, 2, Scn(12), 3);
        let text = dump(&record).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        // A header of 24 bytes, pieces of 4 + 5 and 4 + 1, two bytes to the next multiple of four.
        let vector = "  vector 1: change of undo block 4.77 (class 18) from 9.1 to 12.1 length 40 (header 24)";
        assert_eq!(lines[1..3], [vector, "    offset:bytes 100:5 300:1"]);
        assert!(lines[3].starts_with("  vector 2: new block of data block 4.77 (class 1) from 0.0 to 12.1"), "{text}");
        let length =
            |line: &str| -> usize { line.split("length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap() };
        assert_eq!(length(lines[0]), record.len());
        assert_eq!(24 + length(lines[1]) + length(lines[3]), record.len());
        assert!(dump(&record[..60]).is_err());
    }
}
