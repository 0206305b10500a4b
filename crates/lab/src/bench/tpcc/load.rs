//! The rows, by arithmetic alone: both sides carry out the same words over the same numbers, so no file goes from one
//! to the other, and the same rows are there.
//!
//! The specification draws many of these values at random; here they are remainders of multiples of primes. What the
//! transactions depend on is as the specification has it: 10 % customers of bad credit, 10 % ORIGINAL, 5 to 15 lines of
//! an order, a permutation of the customers over a district's orders, last names by NURand.

use super::dialect::Dialect;
use super::inputs::LAST_NAME_LOADED;
use super::size::{DISTRICTS, Size};

/// The ten syllables of last names, five letters each.
pub(super) const SYLLABLES: &str = "BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ";

/// The statements that fill the tables, a commit after each warehouse.
pub(super) fn rows(dialect: Dialect, size: Size) -> Vec<String> {
    let fill = Fill { dialect, size };
    let mut statements = Vec::new();
    if dialect == Dialect::Postgres {
        // The one function of these texts that is not on both sides.
        statements.push(
            "create function bitand(a bigint, b bigint) returns bigint immutable language sql return a & b".to_owned(),
        );
    }
    statements.push("begin".to_owned());
    statements.push(fill.items());
    for warehouse in 1..=size.warehouses {
        statements.extend(fill.warehouse(warehouse));
        statements.extend(["commit".to_owned(), "begin".to_owned()]);
    }
    statements.push("commit".to_owned());
    // A transaction of ours begins by itself.
    statements.retain(|text| dialect == Dialect::Postgres || text != "begin");
    statements
}

struct Fill {
    dialect: Dialect,
    size: Size,
}

impl Fill {
    fn items(&self) -> String {
        format!(
            "insert into item select n, 1 + mod(n * 7919, 10000), {name}, (100 + mod(n * 104729, 9901)) * 0.01, \
             case when mod(n * 31, 10) = 0 then {original} else {data} end from {numbers}",
            name = padded("'item ' || n", 14, 24, "n * 11"),
            original = padded("'x' || n || 'ORIGINAL'", 26, 50, "n * 13"),
            data = padded("'item data ' || n", 26, 50, "n * 13"),
            numbers = self.dialect.numbers(self.size.items),
        )
    }

    /// All rows of a warehouse.
    fn warehouse(&self, w: u64) -> Vec<String> {
        let Size { customers, .. } = self.size;
        let delivered = self.size.delivered();
        let next = customers + 1;
        vec![
            format!(
                "insert into warehouse select {w}, 'wh ' || n, {}, mod({w} * 577, 2001) * 0.0001, 300000 from {}",
                address(&format!("({w} + n)")),
                self.dialect.numbers(1)
            ),
            format!(
                "insert into district select {w}, n, 'dist ' || n, {}, mod(({w} * 10 + n) * 577, 2001) * 0.0001, \
                 30000, {next} from {}",
                address(&format!("({w} * 10 + n)")),
                self.dialect.numbers(DISTRICTS)
            ),
            self.stock(w),
            self.customers(w),
            format!(
                "insert into history select c, d, {w}, d, {w}, date '2026-01-01', 10, 'history data ' || c from {}",
                self.of_districts(w)
            ),
            format!(
                "insert into orders select {w}, d, c, 1 + mod(c * 7919 + d, {customers}), date '2026-01-01', \
                 case when c <= {delivered} then 1 + mod(h * 7919, 10) end, {LINES}, 1 from {}",
                self.of_districts(w)
            ),
            format!("insert into new_orders select {w}, d, c from {} where c > {delivered}", self.of_districts(w)),
            self.lines(w),
        ]
    }

    fn stock(&self, w: u64) -> String {
        let districts: Vec<String> = (1..=DISTRICTS).map(|d| padded(&format!("'d{d} ' || n"), 24, 24, "n")).collect();
        format!(
            "insert into stock select {w}, n, 10 + mod((n + {w}) * 7919, 91), {districts}, 0, 0, 0, \
             case when mod((n + {w}) * 37, 10) = 0 then {original} else {data} end from {numbers}",
            districts = districts.join(", "),
            original = padded("'x' || n || 'ORIGINAL'", 26, 50, "n * 17"),
            data = padded("'stock data ' || n", 26, 50, "n * 17"),
            numbers = self.dialect.numbers(self.size.items),
        )
    }

    fn customers(&self, w: u64) -> String {
        // NURand of the specification: OR is the sum less AND.
        let (a, b) = ("mod(h * 7919, 256)", "mod(h * 104729, 1000)");
        let named = format!(
            "(select d, c, h, case when c <= 1000 then c - 1 else mod({a} + {b} - bitand({a}, {b}) + \
             {LAST_NAME_LOADED}, 1000) end l from {}) named",
            self.of_districts(w)
        );
        format!(
            "insert into customer select {w}, d, c, {first}, 'OE', {last}, {address}, \
             lpad(cast(mod(h * 7919, 1000003) as varchar(16)), 16, '0'), date '2026-01-01', \
             case when mod(h * 47, 10) = 0 then 'BC' else 'GC' end, 50000, mod(h * 7919, 5001) * 0.0001, -10, 10, 1, \
             0, {data} from {named}",
            first = padded("'f' || mod(h * 7919, 99991)", 8, 16, "h * 11"),
            last = last_name("l"),
            address = address("h"),
            data = padded("'customer ' || c", 300, 500, "h * 7919"),
        )
    }

    fn lines(&self, w: u64) -> String {
        let Size { customers, items, .. } = self.size;
        let delivered = self.size.delivered();
        let lines = format!(
            "(select 1 + {district} d, 1 + mod(m, {customers}) o, l, m + 1 + {w} h from \
             (select {order} m, 1 + mod(n - 1, 15) l from {numbers}) numbered) placed where l <= {LINES}",
            district = whole("m", customers),
            order = whole("n - 1", 15),
            numbers = self.dialect.numbers(DISTRICTS * customers * 15),
        );
        format!(
            "insert into order_line select {w}, d, o, l, 1 + mod((h * 15 + l) * 7919, {items}), {w}, \
             case when o <= {delivered} then date '2026-01-01' end, 5, \
             case when o <= {delivered} then 0 else (1 + mod((h * 15 + l) * 104729, 999999)) * 0.01 end, {info} \
             from {lines}",
            info = padded("'dist info ' || l", 24, 24, "l"),
        )
    }

    /// As many rows as there are customers: district `d`, number in the district `c`, and `h`, which differs in each.
    fn of_districts(&self, w: u64) -> String {
        let Size { customers, .. } = self.size;
        format!(
            "(select 1 + {district} d, 1 + mod(n - 1, {customers}) c, n + {w} h from {numbers}) placed",
            district = whole("n - 1", customers),
            numbers = self.dialect.numbers(DISTRICTS * customers),
        )
    }
}

/// Lines of an order.
const LINES: &str = "5 + mod(h * 7919, 11)";

/// A quotient without its fraction: `/` of whole numbers is not the same on both sides.
fn whole(dividend: &str, divisor: u64) -> String {
    format!("(({dividend}) - mod({dividend}, {divisor})) / {divisor}")
}

/// A text, continued to a length from `least` to `most`.
fn padded(text: &str, least: u32, most: u32, by: &str) -> String {
    let lengths = most - least + 1;
    format!("rpad({text}, cast({least} + mod({by}, {lengths}) as integer), 'abcdefghij klmnopqrst uvwxyz')")
}

/// Two streets, city, state and zip code.
fn address(by: &str) -> String {
    [
        padded(&format!("'street ' || mod({by} * 31, 997)"), 10, 20, by),
        padded(&format!("'house ' || mod({by} * 37, 991)"), 10, 20, &format!("{by} * 3")),
        padded(&format!("'city ' || mod({by} * 41, 983)"), 10, 20, &format!("{by} * 7")),
        format!("substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ', cast(1 + mod({by} * 5, 25) as integer), 2)"),
        format!("lpad(cast(mod({by} * 43, 10000) as varchar(4)), 4, '0') || '11111'"),
    ]
    .join(", ")
}

/// The last name of a number below 1000.
fn last_name(number: &str) -> String {
    let syllable = |digit: &str| format!("rtrim(substr('{SYLLABLES}', cast({digit} * 5 + 1 as integer), 5))");
    let tens = format!("mod({}, 10)", whole(number, 10));
    [syllable(&whole(number, 100)), syllable(&tens), syllable(&format!("mod({number}, 10)"))].join(" || ")
}
