//! The choice of the two snapshots of a report, before their rows are read.

use std::fmt::Write;

use common::{Error, Result};

use super::records::Header;
use super::snapshot::row_of;

/// A snapshot's row of STATS$SNAPSHOT.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Taken {
    pub id: u64,
    pub database_id: u64,
    pub instance_number: u64,
    pub header: Header,
}

impl Taken {
    /// Out of a row of STATS$SNAPSHOT with all its columns.
    ///
    /// # Errors
    /// HW-0831 when it is none.
    pub fn from_row(row: &[super::Value]) -> Result<Self> {
        let ([id, database_id, instance_number], header) = row_of::<Header>(row)?;
        Ok(Self { id, database_id, instance_number, header })
    }
}

/// The ids of the begin and the end snapshot: those given, of which each must exist; without any, the last two, and
/// with one, its neighbour: the last of all as the end, the one before the end as the begin. `taken` are the snapshots
/// of one instance, in any order.
///
/// # Errors
/// ORA-20200 when a given snapshot does not exist, there are fewer than two, or they are one and the same or in the
/// wrong order.
pub fn choose(taken: &[Taken], begin: Option<u64>, end: Option<u64>) -> Result<(u64, u64)> {
    let mut ids: Vec<u64> = taken.iter().map(|taken| taken.id).collect();
    ids.sort_unstable();
    for (which, id) in [("begin", begin), ("end", end)] {
        if let Some(id) = id.filter(|id| !ids.contains(id)) {
            return refused(format!("the {which} snapshot {id} does not exist for this database and instance"));
        }
    }
    let two = || match ids.as_slice() {
        [] => "there is none; take them with STATSPACK.SNAP".to_owned(),
        [one] => format!("{one} is the only one; take another with STATSPACK.SNAP"),
        _ => "none was taken before the first".to_owned(),
    };
    let (begin, end) = match (begin, end) {
        (Some(begin), Some(end)) => (begin, end),
        (begin, end) if ids.len() > 1 => {
            let end = end.unwrap_or(ids[ids.len() - 1]);
            match begin.or_else(|| ids.iter().rev().find(|id| **id < end).copied()) {
                Some(begin) => (begin, end),
                None => return refused(format!("a report needs two snapshots: {}", two())),
            }
        }
        _ => return refused(format!("a report needs two snapshots: {}", two())),
    };
    in_order(begin, end)?;
    Ok((begin, end))
}

/// Two snapshots, the second taken after the first.
pub(super) fn in_order(begin: u64, end: u64) -> Result<()> {
    match begin.cmp(&end) {
        std::cmp::Ordering::Less => Ok(()),
        std::cmp::Ordering::Equal => {
            refused(format!("begin and end are the same snapshot, {begin}: a report needs two"))
        }
        std::cmp::Ordering::Greater => {
            refused(format!("the end snapshot, {end}, was taken before the begin snapshot, {begin}"))
        }
    }
}

pub(super) fn refused<T>(text: String) -> Result<T> {
    Err(Error::user(20_200, text))
}

/// The snapshots of an instance as spreport.sql lists them before it asks for two of them. A blank line stands where
/// the instance was started: a report cannot begin before it and end behind it.
#[must_use]
pub fn list(taken: &[Taken], database: &str, instance: &str) -> String {
    let mut text = String::new();
    let cut = |name: &str| name.chars().take(12).collect::<String>();
    let (database, instance) = (cut(database), cut(instance));
    let mut line = |texts: [&str; 6]| {
        let [instance, database, id, time, level, comment] = texts;
        let all = format!("{instance:12} {database:12} {id:>9} {time:18} {level:>5} {comment}");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", all.trim_end());
    };
    line(["", "", "", "", "Snap", ""]);
    line(["Instance", "DB Name", "Snap Id", "Snap Started", "Level", "Comment"]);
    let dashes = [12, 12, 9, 18, 5, 20].map(|width| "-".repeat(width));
    line(dashes.each_ref().map(String::as_str));
    let mut sorted: Vec<&Taken> = taken.iter().collect();
    sorted.sort_by_key(|taken| taken.id);
    for (at, taken) in sorted.iter().enumerate() {
        let header = &taken.header;
        if at > 0 && sorted[at - 1].header.startup != header.startup {
            line([""; 6]);
        }
        let comment: String = header.comment.chars().take(20).collect();
        line([
            &instance,
            &database,
            &taken.id.to_string(),
            &header.time.to_second(),
            &header.level.to_string(),
            &comment,
        ]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::time::LocalTime;
    use super::*;

    fn taken(ids: &[u64]) -> Vec<Taken> {
        ids.iter().map(|id| Taken { id: *id, ..Taken::default() }).collect()
    }

    fn error(ids: &[u64], begin: Option<u64>, end: Option<u64>) -> String {
        choose(&taken(ids), begin, end).unwrap_err().to_string()
    }

    #[test]
    fn the_last_two_where_none_is_asked_for() {
        assert_eq!(choose(&taken(&[7, 3, 5]), None, None).unwrap(), (5, 7));
    }

    #[test]
    fn the_neighbour_of_the_one_that_is_asked_for() {
        assert_eq!(choose(&taken(&[3, 5, 7]), Some(3), None).unwrap(), (3, 7));
        assert_eq!(choose(&taken(&[3, 5, 7]), None, Some(5)).unwrap(), (3, 5));
    }

    #[test]
    fn a_snapshot_that_is_missing() {
        let missing = "snapshot 6 does not exist for this database and instance";
        assert_eq!(error(&[5, 7], Some(6), Some(7)), format!("ORA-20200: the begin {missing}"));
        assert_eq!(error(&[5, 7], Some(5), Some(6)), format!("ORA-20200: the end {missing}"));
        assert_eq!(error(&[], Some(6), None), format!("ORA-20200: the begin {missing}"));
    }

    #[test]
    fn too_few_snapshots() {
        assert_eq!(
            error(&[], None, None),
            "ORA-20200: a report needs two snapshots: there is none; take them with STATSPACK.SNAP"
        );
        assert_eq!(
            error(&[5], None, None),
            "ORA-20200: a report needs two snapshots: 5 is the only one; take another with STATSPACK.SNAP"
        );
        assert_eq!(
            error(&[5, 7], None, Some(5)),
            "ORA-20200: a report needs two snapshots: none was taken before the first"
        );
    }

    #[test]
    fn one_and_the_same_or_in_the_wrong_order() {
        assert_eq!(
            error(&[5, 7], Some(5), Some(5)),
            "ORA-20200: begin and end are the same snapshot, 5: a report needs two"
        );
        assert_eq!(
            error(&[5, 7], Some(7), None),
            "ORA-20200: begin and end are the same snapshot, 7: a report needs two"
        );
        assert_eq!(
            error(&[5, 7], Some(7), Some(5)),
            "ORA-20200: the end snapshot, 5, was taken before the begin snapshot, 7"
        );
    }

    #[test]
    fn the_list_is_parted_where_the_instance_was_started() {
        let mut snapshots = taken(&[2, 1, 3]);
        for (at, taken) in snapshots.iter_mut().enumerate() {
            taken.header.time = LocalTime(1_398_277_840 + taken.id as i64);
            taken.header.startup = LocalTime(if taken.id < 3 { 7 } else { 8 });
            taken.header.level = 7;
            taken.header.comment = ["second", "", "after a night"][at].to_owned();
        }
        let text = list(&snapshots, "SHELVES", "shelves_of_north");
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "                                                        Snap",
                "Instance     DB Name        Snap Id Snap Started       Level Comment",
                "------------ ------------ --------- ------------------ ----- --------------------",
                "shelves_of_n SHELVES              1 23-Apr-14 18:30:41     7",
                "shelves_of_n SHELVES              2 23-Apr-14 18:30:42     7 second",
                "",
                "shelves_of_n SHELVES              3 23-Apr-14 18:30:43     7 after a night",
            ]
        );
    }
}
