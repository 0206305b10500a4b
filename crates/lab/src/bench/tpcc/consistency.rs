//! The specification's conditions of consistency 1 to 4 (3.3.2.1 to 3.3.2.4).

use common::{Error, Result};

use super::side::Side;
use super::size::{DISTRICTS, Size};

/// A condition: its number, its words, and a query of those for which it holds, or is false, with the number that
/// there must be of them.
struct Condition {
    number: u32,
    words: &'static str,
    query: &'static str,
    expected: fn(Size) -> u64,
}

const CONDITIONS: [Condition; 4] = [
    Condition {
        number: 1,
        words: "W_YTD = sum(D_YTD) of each warehouse",
        query: "select count(*) from warehouse, \
                (select d_w_id, sum(d_ytd) d_sum from district group by d_w_id) d \
                where d_w_id = w_id and w_ytd = d_sum",
        expected: |size| size.warehouses,
    },
    Condition {
        // A district whose orders are all delivered has no rows in NEW_ORDERS.
        number: 2,
        words: "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID) of each district",
        query: "select count(*) from district \
                join (select o_w_id, o_d_id, max(o_id) o_max from orders group by o_w_id, o_d_id) o \
                on o_w_id = d_w_id and o_d_id = d_id \
                left join (select no_w_id, no_d_id, max(no_o_id) no_max from new_orders group by no_w_id, no_d_id) n \
                on no_w_id = d_w_id and no_d_id = d_id \
                where d_next_o_id - 1 = o_max and d_next_o_id - 1 = coalesce(no_max, d_next_o_id - 1)",
        expected: |size| size.warehouses * DISTRICTS,
    },
    Condition {
        number: 3,
        words: "max(NO_O_ID) - min(NO_O_ID) + 1 = rows of NEW_ORDERS of each district",
        query: "select count(*) from (select no_w_id, no_d_id from new_orders group by no_w_id, no_d_id \
                having max(no_o_id) - min(no_o_id) + 1 <> count(*)) n",
        expected: |_| 0,
    },
    Condition {
        number: 4,
        words: "sum(O_OL_CNT) = rows of ORDER_LINE of each district",
        query: "select count(*) from \
                (select o_w_id, o_d_id, sum(o_ol_cnt) o_sum from orders group by o_w_id, o_d_id) o, \
                (select ol_w_id, ol_d_id, count(*) ol_count from order_line group by ol_w_id, ol_d_id) l \
                where ol_w_id = o_w_id and ol_d_id = o_d_id and ol_count = o_sum",
        expected: |size| size.warehouses * DISTRICTS,
    },
];

/// Looks whether the conditions hold; `when` says after what.
///
/// # Errors
/// The side and the condition that is false.
pub(super) fn check(side: &mut dyn Side, size: Size, when: &str) -> Result<()> {
    CONDITIONS.iter().try_for_each(|condition| {
        let (found, expected) = (side.number(condition.query)?, (condition.expected)(size));
        if found == expected {
            return Ok(());
        }
        Err(Error::bug(format!(
            "{}, {when}: condition {} of consistency is false, {}: its query counts {found} and not {expected}",
            side.dialect().name(),
            condition.number,
            condition.words,
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::super::side::{Highwater, Side, fill};
    use super::super::size::Size;
    use super::check;

    #[test]
    fn each_condition_that_is_broken_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let size = Size::of(0.001);
        let mut side = Highwater::create(directory.path(), None, 16, "SETALL").unwrap();
        fill(&mut side, size).unwrap();
        check(&mut side, size, "after the load").unwrap();
        for (number, damage) in [
            (1, "update warehouse set w_ytd = w_ytd + 1"),
            (2, "update district set d_next_o_id = d_next_o_id + 1 where d_id = 3"),
            (3, "delete from new_orders where no_d_id = 4 and no_o_id = 25"),
            (4, "delete from order_line where ol_d_id = 5 and ol_o_id = 2 and ol_number = 1"),
        ] {
            side.run(damage).unwrap();
            let error = check(&mut side, size, "after the damage").unwrap_err();
            let named = format!("Highwater, after the damage: condition {number} of consistency is false");
            assert!(error.text.contains(&named), "{error}");
            side.run("rollback").unwrap();
        }
        Box::new(side).close().unwrap();
    }
}
