//! The tables of TPC-H, their keys, and the indexes of their references.

/// A table: its name, its columns, its primary key.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [&'static str],
    pub(super) key: &'static str,
}

pub(super) const TABLES: [Table; 8] = [
    Table {
        name: "region",
        columns: &["r_regionkey number(38) not null", "r_name char(25)", "r_comment varchar2(152)"],
        key: "r_regionkey",
    },
    Table {
        name: "nation",
        columns: &[
            "n_nationkey number(38) not null",
            "n_name char(25)",
            "n_regionkey number(38)",
            "n_comment varchar2(152)",
        ],
        key: "n_nationkey",
    },
    Table {
        name: "supplier",
        columns: &[
            "s_suppkey number(38) not null",
            "s_name char(25)",
            "s_address varchar2(40)",
            "s_nationkey number(38)",
            "s_phone char(15)",
            "s_acctbal number(12,2)",
            "s_comment varchar2(101)",
        ],
        key: "s_suppkey",
    },
    Table {
        name: "customer",
        columns: &[
            "c_custkey number(38) not null",
            "c_name varchar2(25)",
            "c_address varchar2(40)",
            "c_nationkey number(38)",
            "c_phone char(15)",
            "c_acctbal number(12,2)",
            "c_mktsegment char(10)",
            "c_comment varchar2(117)",
        ],
        key: "c_custkey",
    },
    Table {
        name: "part",
        columns: &[
            "p_partkey number(38) not null",
            "p_name varchar2(55)",
            "p_mfgr char(25)",
            "p_brand char(10)",
            "p_type varchar2(25)",
            "p_size number(38)",
            "p_container char(10)",
            "p_retailprice number(12,2)",
            "p_comment varchar2(23)",
        ],
        key: "p_partkey",
    },
    Table {
        name: "partsupp",
        columns: &[
            "ps_partkey number(38) not null",
            "ps_suppkey number(38) not null",
            "ps_availqty number(38)",
            "ps_supplycost number(12,2)",
            "ps_comment varchar2(199)",
        ],
        key: "ps_partkey, ps_suppkey",
    },
    Table {
        name: "orders",
        columns: &[
            "o_orderkey number(38) not null",
            "o_custkey number(38)",
            "o_orderstatus char(1)",
            "o_totalprice number(12,2)",
            "o_orderdate date",
            "o_orderpriority char(15)",
            "o_clerk char(15)",
            "o_shippriority number(38)",
            "o_comment varchar2(79)",
        ],
        key: "o_orderkey",
    },
    Table {
        name: "lineitem",
        columns: &[
            "l_orderkey number(38) not null",
            "l_partkey number(38)",
            "l_suppkey number(38)",
            "l_linenumber number(38) not null",
            "l_quantity number(12,2)",
            "l_extendedprice number(12,2)",
            "l_discount number(12,2)",
            "l_tax number(12,2)",
            "l_returnflag char(1)",
            "l_linestatus char(1)",
            "l_shipdate date",
            "l_commitdate date",
            "l_receiptdate date",
            "l_shipinstruct char(25)",
            "l_shipmode char(10)",
            "l_comment varchar2(44)",
        ],
        key: "l_orderkey, l_linenumber",
    },
];

/// Columns of references that are no leading part of a key: the table, and the columns of an index.
pub(super) const REFERENCES: [(&str, &str); 7] = [
    ("nation", "n_regionkey"),
    ("supplier", "s_nationkey"),
    ("customer", "c_nationkey"),
    ("partsupp", "ps_suppkey"),
    ("orders", "o_custkey"),
    ("lineitem", "l_partkey, l_suppkey"),
    ("lineitem", "l_suppkey"),
];

/// The fields of a file with the table's rows, as ORACLE_LOADER has them.
pub(super) fn fields(table: &Table) -> String {
    let field = |column: &&str| {
        let name = column.split(' ').next().unwrap_or_default();
        if column.ends_with(" date") { format!("{name} date mask \"YYYY-MM-DD\"") } else { name.to_owned() }
    };
    table.columns.iter().map(field).collect::<Vec<_>>().join(", ")
}

/// The columns as an external table has them.
pub(super) fn nullable(table: &Table) -> String {
    table.columns.iter().map(|column| column.trim_end_matches(" not null")).collect::<Vec<_>>().join(", ")
}
