//! The nine tables and their indexes, in both sides' words.

use super::dialect::{Dialect, TABLESPACE};

/// A type of a column; both sides get the nearest that they have.
#[derive(Clone, Copy)]
enum Type {
    Integer,
    Decimal(u32, u32),
    Text(u32),
    Date,
}

use Type::{Date, Decimal, Integer, Text};

/// A table.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    /// Columns of the primary key; empty where the specification has none.
    key: &'static str,
}

const TABLES: [Table; 9] = [
    Table {
        name: "warehouse",
        columns: &[
            ("w_id", Integer),
            ("w_name", Text(10)),
            ("w_street_1", Text(20)),
            ("w_street_2", Text(20)),
            ("w_city", Text(20)),
            ("w_state", Text(2)),
            ("w_zip", Text(9)),
            ("w_tax", Decimal(4, 4)),
            ("w_ytd", Decimal(12, 2)),
        ],
        key: "w_id",
    },
    Table {
        name: "district",
        columns: &[
            ("d_w_id", Integer),
            ("d_id", Integer),
            ("d_name", Text(10)),
            ("d_street_1", Text(20)),
            ("d_street_2", Text(20)),
            ("d_city", Text(20)),
            ("d_state", Text(2)),
            ("d_zip", Text(9)),
            ("d_tax", Decimal(4, 4)),
            ("d_ytd", Decimal(12, 2)),
            ("d_next_o_id", Integer),
        ],
        key: "d_w_id, d_id",
    },
    Table {
        name: "customer",
        columns: &[
            ("c_w_id", Integer),
            ("c_d_id", Integer),
            ("c_id", Integer),
            ("c_first", Text(16)),
            ("c_middle", Text(2)),
            ("c_last", Text(16)),
            ("c_street_1", Text(20)),
            ("c_street_2", Text(20)),
            ("c_city", Text(20)),
            ("c_state", Text(2)),
            ("c_zip", Text(9)),
            ("c_phone", Text(16)),
            ("c_since", Date),
            ("c_credit", Text(2)),
            ("c_credit_lim", Decimal(12, 2)),
            ("c_discount", Decimal(4, 4)),
            ("c_balance", Decimal(12, 2)),
            ("c_ytd_payment", Decimal(12, 2)),
            ("c_payment_cnt", Integer),
            ("c_delivery_cnt", Integer),
            ("c_data", Text(500)),
        ],
        key: "c_w_id, c_d_id, c_id",
    },
    Table {
        name: "history",
        columns: &[
            ("h_c_id", Integer),
            ("h_c_d_id", Integer),
            ("h_c_w_id", Integer),
            ("h_d_id", Integer),
            ("h_w_id", Integer),
            ("h_date", Date),
            ("h_amount", Decimal(6, 2)),
            ("h_data", Text(24)),
        ],
        key: "",
    },
    Table {
        name: "new_orders",
        columns: &[("no_w_id", Integer), ("no_d_id", Integer), ("no_o_id", Integer)],
        key: "no_w_id, no_d_id, no_o_id",
    },
    Table {
        name: "orders",
        columns: &[
            ("o_w_id", Integer),
            ("o_d_id", Integer),
            ("o_id", Integer),
            ("o_c_id", Integer),
            ("o_entry_d", Date),
            ("o_carrier_id", Integer),
            ("o_ol_cnt", Integer),
            ("o_all_local", Integer),
        ],
        key: "o_w_id, o_d_id, o_id",
    },
    Table {
        name: "order_line",
        columns: &[
            ("ol_w_id", Integer),
            ("ol_d_id", Integer),
            ("ol_o_id", Integer),
            ("ol_number", Integer),
            ("ol_i_id", Integer),
            ("ol_supply_w_id", Integer),
            ("ol_delivery_d", Date),
            ("ol_quantity", Integer),
            ("ol_amount", Decimal(6, 2)),
            ("ol_dist_info", Text(24)),
        ],
        key: "ol_w_id, ol_d_id, ol_o_id, ol_number",
    },
    Table {
        name: "item",
        columns: &[
            ("i_id", Integer),
            ("i_im_id", Integer),
            ("i_name", Text(24)),
            ("i_price", Decimal(5, 2)),
            ("i_data", Text(50)),
        ],
        key: "i_id",
    },
    Table {
        name: "stock",
        columns: &[
            ("s_w_id", Integer),
            ("s_i_id", Integer),
            ("s_quantity", Integer),
            ("s_dist_01", Text(24)),
            ("s_dist_02", Text(24)),
            ("s_dist_03", Text(24)),
            ("s_dist_04", Text(24)),
            ("s_dist_05", Text(24)),
            ("s_dist_06", Text(24)),
            ("s_dist_07", Text(24)),
            ("s_dist_08", Text(24)),
            ("s_dist_09", Text(24)),
            ("s_dist_10", Text(24)),
            ("s_ytd", Integer),
            ("s_order_cnt", Integer),
            ("s_remote_cnt", Integer),
            ("s_data", Text(50)),
        ],
        key: "s_w_id, s_i_id",
    },
];

/// The indexes beside the keys: customers by name, and a customer's orders.
const INDEXES: [(&str, &str); 2] = [
    ("customer_name", "customer (c_w_id, c_d_id, c_last, c_first)"),
    ("orders_customer", "orders (o_w_id, o_d_id, o_c_id, o_id)"),
];

/// The statements that make the empty tables.
pub(super) fn tables(dialect: Dialect) -> Vec<String> {
    let mut statements = Vec::new();
    if dialect == Dialect::Highwater {
        statements.push(format!(
            "create tablespace {TABLESPACE} datafile 'tpcc01.dbf' size 64M autoextend on next 64M \
             extent management local autoallocate segment space management auto"
        ));
    }
    statements.extend(TABLES.iter().map(|table| {
        let columns: Vec<String> =
            table.columns.iter().map(|(name, of)| format!("{name} {}", type_name(dialect, *of))).collect();
        // PCTFREE is 10 by default: as much room for rows that change is left on the other side.
        let stored = match dialect {
            Dialect::Highwater => format!("tablespace {TABLESPACE}"),
            Dialect::Postgres => "with (fillfactor = 90)".to_owned(),
        };
        format!("create table {} ({}) {stored}", table.name, columns.join(", "))
    }));
    statements
}

/// The statements that make keys and indexes of loaded tables, and statistics of both.
pub(super) fn indexes(dialect: Dialect) -> Vec<String> {
    let (of_key, of_index) = match dialect {
        Dialect::Highwater => (format!(" using index tablespace {TABLESPACE}"), format!(" tablespace {TABLESPACE}")),
        Dialect::Postgres => (String::new(), String::new()),
    };
    let mut statements: Vec<String> = TABLES
        .iter()
        .filter(|table| !table.key.is_empty())
        .map(|table| format!("alter table {} add primary key ({}){of_key}", table.name, table.key))
        .collect();
    statements.extend(INDEXES.map(|(name, columns)| format!("create index {name} on {columns}{of_index}")));
    match dialect {
        Dialect::Highwater => {
            statements.extend(TABLES.iter().map(|table| format!("analyze table {} compute statistics", table.name)))
        }
        Dialect::Postgres => statements.push("vacuum analyze".to_owned()),
    }
    statements
}

fn type_name(dialect: Dialect, of: Type) -> String {
    match (dialect, of) {
        (Dialect::Highwater, Integer) => "number".to_owned(),
        (Dialect::Highwater, Decimal(digits, scale)) => format!("number({digits},{scale})"),
        (Dialect::Highwater, Text(bytes)) => format!("varchar2({bytes})"),
        (Dialect::Highwater, Date) => "date".to_owned(),
        // Keys that both sides can compare fast.
        (Dialect::Postgres, Integer) => "bigint".to_owned(),
        (Dialect::Postgres, Decimal(digits, scale)) => format!("numeric({digits},{scale})"),
        (Dialect::Postgres, Text(bytes)) => format!("varchar({bytes})"),
        (Dialect::Postgres, Date) => "timestamp(0)".to_owned(),
    }
}
