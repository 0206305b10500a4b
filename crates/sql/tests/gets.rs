//! Gets of the ways to rows: what is visited, once for each reason to visit it.
//!
//! The figures of an index range with one and two rows are those of STAT and FETCH lines in a published trace of a
//! database of another make (recursive statements on IDL_CHAR$ and IDL_UB2$, which fetch row by row).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use sql::{Connection, Datum};
use waits::Statistic;

/// 20,000 rows in the order of their key, 20 for each value of `grade`, which lie together; and in `spread` 20 that do
/// not. All indexes have one level of branches.
fn connection() -> Connection {
    let mut connection = support::connect();
    for text in [
        "create table t (id number primary key, grade number, spread number, pad varchar2(200))",
        "insert into t select level, ceil(level / 20), mod(level, 1000), lpad('x', 100) from dual connect by level <= 20000",
        "commit",
        "create index t_grade on t (grade)",
        "create index t_spread on t (spread, id)",
        "begin dbms_stats.gather_table_stats(user, 'T'); end;",
    ] {
        connection.run(text).unwrap();
    }
    let levels = connection.query("select distinct blevel from user_indexes where table_name = 'T'").unwrap();
    assert_eq!(levels, vec![vec![Datum::integer(1)]]);
    connection
}

/// Consistent and current gets of each fetch of a query, `rows` rows at a time; and all rows.
fn fetches(connection: &mut Connection, text: &str, rows: usize) -> (Vec<u64>, usize) {
    // The second execution has no gets of the dictionary and of segment headers.
    connection.query(text).unwrap();
    let cursor = connection.parse(text).unwrap();
    connection.execute(cursor).unwrap();
    let (mut gets, mut all) = (Vec::new(), 0);
    loop {
        let before = consistent(connection);
        let fetched = connection.fetch(cursor, rows).unwrap();
        gets.push(consistent(connection) - before);
        all += fetched.rows.len();
        if fetched.end {
            connection.close(cursor);
            return (gets, all);
        }
    }
}

fn consistent(connection: &Connection) -> u64 {
    connection.session().meter().value(Statistic::ConsistentGets)
}

/// All gets of a statement executed a second time.
fn gets(connection: &mut Connection, text: &str) -> [u64; 2] {
    connection.run(text).unwrap();
    connection.run("rollback").unwrap();
    let value = |connection: &Connection| {
        [Statistic::ConsistentGets, Statistic::DbBlockGets].map(|of| connection.session().meter().value(of))
    };
    let before = value(connection);
    connection.run(text).unwrap();
    let after = value(connection);
    connection.run("rollback").unwrap();
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn a_lookup_by_a_unique_key_visits_root_leaf_and_row() {
    let mut connection = connection();
    assert_eq!(fetches(&mut connection, "select pad from t where id = 777", 10), (vec![3], 1));
    assert_eq!(fetches(&mut connection, "select pad from t where id = 777777", 10), (vec![2], 0));
    // The key alone is in the index.
    assert_eq!(fetches(&mut connection, "select id from t where id = 777", 10), (vec![2], 1));
    // Three keys: three times.
    assert_eq!(fetches(&mut connection, "select pad from t where id in (7, 777, 7777)", 10), (vec![9], 3));
}

#[test]
fn a_range_gets_its_leaf_again_with_each_fetch_that_goes_on() {
    let mut connection = connection();
    // One row and a fetch that finds no more: 3 of the index, 1 of the table.
    let (found, rows) = fetches(&mut connection, "select pad from t where spread = 5 and id < 100", 1);
    assert_eq!((found.iter().sum::<u64>(), rows), (4, 1), "{found:?}");
    // Two rows, in two fetches: 3 of the index, 2 of the table.
    let (found, rows) = fetches(&mut connection, "select pad from t where spread = 5 and id < 1100", 1);
    assert_eq!((found[0] + found[1], rows), (5, 2), "{found:?}");
    // None: root and leaf.
    assert_eq!(fetches(&mut connection, "select pad from t where grade = 5.5", 1), (vec![2], 0));
}

#[test]
fn a_range_visits_each_block_of_neighbouring_rows_once_a_fetch() {
    let mut connection = connection();
    let (apart, rows) = fetches(&mut connection, "select pad from t where spread = 5", 100);
    assert_eq!((apart, rows), (vec![2 + 20], 20));
    // Twenty rows that follow each other lie in one block or two.
    let (together, rows) = fetches(&mut connection, "select pad from t where grade = 500", 100);
    assert!(rows == 20 && (3..=4).contains(&together[0]), "{together:?}");
    // No row is visited for what the entries have, and none for entries that a condition rejects.
    assert_eq!(fetches(&mut connection, "select id from t where spread = 5", 100), (vec![2], 20));
    let (found, rows) = fetches(&mut connection, "select pad from t where spread = 5 and mod(id, 1000) = 5", 100);
    assert_eq!((found, rows), (vec![22], 20));
    let (found, rows) = fetches(&mut connection, "select pad from t where spread = 5 and id in (5, 6, 1005)", 100);
    assert!(rows == 2 && found[0] <= 2 * 3 + 2, "{found:?}");
}

#[test]
fn ends_of_an_index_cost_one_descent() {
    let mut connection = connection();
    for query in ["select max(id) from t", "select min(spread) from t", "select max(id) from t where spread = 7"] {
        assert_eq!(fetches(&mut connection, query, 1).0.iter().sum::<u64>(), 2, "{query}");
    }
}

#[test]
fn whole_indexes_visit_their_leaves() {
    let mut connection = connection();
    let leaves = connection.query("select leaf_blocks from user_indexes where index_name = 'T_GRADE'").unwrap();
    let Datum::Number(leaves) = &leaves[0][0] else { panic!("{leaves:?}") };
    let leaves = format::number::decode_i64(leaves).unwrap() as u64;
    let in_order = "select /*+ index(t t_grade) no_index_ffs(t t_grade) */ count(grade) from t where grade > 0";
    assert_eq!(fetches(&mut connection, in_order, 1).0[0], 1 + leaves);
    // Segment header, maps, and all blocks below the high-water mark: the root, too, and blocks not yet taken.
    let (fast, _) =
        fetches(&mut connection, "select /*+ index_ffs(t t_grade) */ count(grade) from t where grade > 0", 1);
    assert!((leaves + 2..leaves + 20).contains(&fast[0]), "{fast:?}, {leaves} leaves");
}

#[test]
fn a_loop_looks_up_once_for_each_row() {
    let mut connection = connection();
    let query = "select /*+ ordered use_nl(b) */ a.id, b.pad from t a join t b on b.id = a.spread where a.grade = 500";
    let (found, rows) = fetches(&mut connection, query, 100);
    // Twenty rows of the outer table as above, and for each of them root, leaf and row; for one there is no row.
    assert!(rows == 19 && (62..=63).contains(&found[0]), "{found:?}");
}

#[test]
fn a_change_by_key_finds_the_row_and_gets_it_once_more_to_change_it() {
    let mut connection = connection();
    let [consistent, current] = gets(&mut connection, "update t set pad = 'y' where id = 777");
    // Root, leaf and row; the row's block, and those of the transaction's undo.
    assert_eq!(consistent, 3);
    assert!((2..=4).contains(&current), "{current}");
    let [consistent, _] = gets(&mut connection, "delete t where id = 777");
    // The row itself is not read to find it; each of three indexes is entered for its entry.
    assert!((2..=2 + 3 * 2).contains(&consistent), "{consistent}");
}

#[test]
fn hints_choose_the_index_of_a_loop_and_leave_it_a_loop() {
    let mut connection = connection();
    for hints in ["use_nl(b) index(b (id))", "use_nl(b) index_rs(b (id))", "use_nl(b) no_index_ffs(b)", "index(b (id))"]
    {
        let query = format!(
            "select /*+ ordered {hints} */ a.id, b.pad from t a join t b on b.id = a.spread where a.grade = 500"
        );
        let (found, rows) = fetches(&mut connection, &query, 100);
        assert!(rows == 19 && (62..=63).contains(&found[0]), "{hints}: {found:?}");
    }
    // Where the only index that may serve does not lead to the rows, there is no loop.
    let query = "select /*+ ordered use_nl(b) index(b t_grade) */ a.id, b.pad from t a join t b on b.id = a.spread \
                 where a.grade = 500";
    let (found, rows) = fetches(&mut connection, query, 100);
    assert!(rows == 19 && found[0] > 100, "{found:?}");
}

#[test]
fn a_null_in_a_list_costs_nothing() {
    let mut connection = connection();
    assert_eq!(fetches(&mut connection, "select pad from t where id in (7, 777, null)", 10), (vec![6], 2));
    assert_eq!(fetches(&mut connection, "select pad from t where id = 7 or id = null", 10), (vec![3], 1));
    // Its opposite is true for no row.
    assert_eq!(fetches(&mut connection, "select pad from t where id < 10 and id not in (7, null)", 10).1, 0);
    assert_eq!(fetches(&mut connection, "select pad from t where id < 10 and not (id = 7 or id = null)", 10).1, 0);
}

#[test]
fn more_rows_than_there_can_be_are_all_rows() {
    let mut connection = connection();
    for (clause, rows) in [
        ("fetch first 9223372036854775808 rows only", 9),
        ("fetch first 1e30 rows only", 9),
        ("offset 1e30 rows", 0),
        ("offset 2 rows fetch next 1e30 rows only", 7),
        ("offset 1e30 rows fetch next 1e30 rows only", 0),
    ] {
        let query = format!("select id from t where id < 10 order by id {clause}");
        assert_eq!(fetches(&mut connection, &query, 100).1, rows, "{clause}");
    }
}
