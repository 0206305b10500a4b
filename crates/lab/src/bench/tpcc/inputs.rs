//! The inputs of the transactions, drawn as the specification says (2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1, 5.2.3). A
//! session's seed settles all of them, so both sides get the same.

use std::fmt::Write as _;

use common::Seeded;

use super::load::SYLLABLES;
use super::size::{DISTRICTS, Size};

/// The constant of NURand that the last names of the rows were made with.
pub(super) const LAST_NAME_LOADED: u64 = 17;
/// The constants of the inputs; the one of last names differs from that of the rows by a number that 2.1.6.1 allows.
const LAST_NAME: u64 = LAST_NAME_LOADED + 83;
const CUSTOMER: u64 = 259;
const ITEM: u64 = 7_911;

/// The five kinds of transactions, in the order of [`Kind::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// Its name for people.
    pub(super) fn name(self) -> &'static str {
        ["New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"][self as usize]
    }

    /// Its procedure, and how many arguments that takes.
    pub(super) fn procedure(self) -> (&'static str, usize) {
        [("new_order", 4), ("payment", 7), ("order_status", 4), ("delivery", 2), ("stock_level", 3)][self as usize]
    }
}

/// An argument of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Integer(i64),
    Text(String),
    /// A text that is not given.
    NoText,
}

impl From<u64> for Argument {
    fn from(value: u64) -> Self {
        Self::Integer(value as i64)
    }
}

/// A customer by number or by last name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Customer {
    Number(u64),
    LastName(String),
}

/// A line of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) item: u64,
    pub(super) supplier: u64,
    pub(super) quantity: u64,
}

/// The inputs of one transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Transaction {
    NewOrder {
        warehouse: u64,
        district: u64,
        customer: u64,
        lines: Vec<Line>,
    },
    Payment {
        warehouse: u64,
        district: u64,
        /// Warehouse and district of the customer.
        of: (u64, u64),
        customer: Customer,
        cents: u64,
    },
    OrderStatus {
        warehouse: u64,
        district: u64,
        customer: Customer,
    },
    Delivery {
        warehouse: u64,
        carrier: u64,
    },
    StockLevel {
        warehouse: u64,
        district: u64,
        threshold: u64,
    },
}

impl Transaction {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::NewOrder { .. } => Kind::NewOrder,
            Self::Payment { .. } => Kind::Payment,
            Self::OrderStatus { .. } => Kind::OrderStatus,
            Self::Delivery { .. } => Kind::Delivery,
            Self::StockLevel { .. } => Kind::StockLevel,
        }
    }

    /// The arguments of its procedure, in their order.
    pub(super) fn arguments(&self) -> Vec<Argument> {
        match self {
            Self::NewOrder { warehouse, district, customer, lines } => {
                vec![(*warehouse).into(), (*district).into(), (*customer).into(), Argument::Text(text_of(lines))]
            }
            Self::Payment { warehouse, district, of, customer, cents } => {
                let [number, name] = customer.arguments();
                vec![(*warehouse).into(), (*district).into(), of.0.into(), of.1.into(), number, name, (*cents).into()]
            }
            Self::OrderStatus { warehouse, district, customer } => {
                let [number, name] = customer.arguments();
                vec![(*warehouse).into(), (*district).into(), number, name]
            }
            Self::Delivery { warehouse, carrier } => vec![(*warehouse).into(), (*carrier).into()],
            Self::StockLevel { warehouse, district, threshold } => {
                vec![(*warehouse).into(), (*district).into(), (*threshold).into()]
            }
        }
    }
}

impl Customer {
    fn arguments(&self) -> [Argument; 2] {
        match self {
            Self::Number(number) => [(*number).into(), Argument::NoText],
            Self::LastName(name) => [0.into(), Argument::Text(name.clone())],
        }
    }
}

/// Lines as the procedure takes them apart: 14 digits each.
fn text_of(lines: &[Line]) -> String {
    let mut text = String::with_capacity(lines.len() * 14);
    for Line { item, supplier, quantity } in lines {
        // Writing into a String does not fail.
        let _ = write!(text, "{item:06}{supplier:06}{quantity:02}");
    }
    text
}

/// The transactions of a session, one after the other, without end.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    numbers: Seeded,
    size: Size,
    /// A terminal belongs to one warehouse; a session stands for that warehouse's ten.
    home: u64,
}

impl Inputs {
    /// Those of a session of a run.
    pub(super) fn new(run: u64, session: u32, size: Size) -> Self {
        let home = u64::from(session) % size.warehouses + 1;
        Self { numbers: Seeded::at(run, u64::from(session) + 1), size, home }
    }

    /// The next transaction: 45 % New-Order, 43 % Payment, 4 % of each of the others.
    pub(super) fn draw(&mut self) -> Transaction {
        match self.numbers.below(100) {
            0..45 => self.new_order(),
            45..88 => self.payment(),
            88..92 => self.order_status(),
            92..96 => Transaction::Delivery { warehouse: self.home, carrier: self.between(1, 10) },
            _ => Transaction::StockLevel {
                warehouse: self.home,
                district: self.district(),
                threshold: self.between(10, 20),
            },
        }
    }

    fn new_order(&mut self) -> Transaction {
        let district = self.district();
        let customer = self.customer_number();
        let count = self.between(5, 15);
        let rolled_back = self.numbers.percent(1);
        let mut lines: Vec<Line> = (0..count)
            .map(|_| Line {
                item: self.skewed(8_191, 1, self.size.items, ITEM),
                supplier: if self.numbers.percent(1) { self.other_warehouse() } else { self.home },
                quantity: self.between(1, 10),
            })
            .collect();
        if rolled_back && let Some(last) = lines.last_mut() {
            last.item = 999_999;
        }
        Transaction::NewOrder { warehouse: self.home, district, customer, lines }
    }

    fn payment(&mut self) -> Transaction {
        let district = self.district();
        let of =
            if self.numbers.percent(15) { (self.other_warehouse(), self.district()) } else { (self.home, district) };
        let customer = self.customer();
        Transaction::Payment { warehouse: self.home, district, of, customer, cents: self.between(100, 500_000) }
    }

    fn order_status(&mut self) -> Transaction {
        let district = self.district();
        Transaction::OrderStatus { warehouse: self.home, district, customer: self.customer() }
    }

    fn district(&mut self) -> u64 {
        self.between(1, DISTRICTS)
    }

    /// By last name in 60 % of all cases.
    fn customer(&mut self) -> Customer {
        if !self.numbers.percent(60) {
            return Customer::Number(self.customer_number());
        }
        let names = self.size.names();
        let number = self.skewed(255, 0, names - 1, LAST_NAME);
        Customer::LastName(last_name(number))
    }

    fn customer_number(&mut self) -> u64 {
        self.skewed(1_023, 1, self.size.customers, CUSTOMER)
    }

    /// Any warehouse but the session's own, where there is another.
    fn other_warehouse(&mut self) -> u64 {
        if self.size.warehouses == 1 {
            return self.home;
        }
        let other = self.between(1, self.size.warehouses - 1);
        if other < self.home { other } else { other + 1 }
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.numbers.below(most - least + 1)
    }

    /// NURand (2.1.6): some numbers come more often than others.
    fn skewed(&mut self, bits: u64, least: u64, most: u64, constant: u64) -> u64 {
        let drawn = self.between(0, bits) | self.between(least, most);
        (drawn + constant) % (most - least + 1) + least
    }
}

fn last_name(number: u64) -> String {
    let syllable = |digit: u64| {
        let at = (digit % 10) as usize * 5;
        SYLLABLES.get(at..at + 5).unwrap_or_default().trim_end()
    };
    [syllable(number / 100), syllable(number / 10), syllable(number)].concat()
}

#[cfg(test)]
mod tests {
    use super::{Customer, Inputs, Kind, Line, Transaction, last_name};
    use crate::bench::tpcc::size::Size;

    const DRAWN: usize = 40_000;

    fn drawn(run: u64, session: u32) -> Vec<Transaction> {
        let mut inputs = Inputs::new(run, session, Size::of(1.0));
        (0..DRAWN).map(|_| inputs.draw()).collect()
    }

    /// Asserts that a share of `whole` is `percent`, give or take `by`.
    fn near(part: usize, whole: usize, percent: f64, by: f64) {
        let share = 100.0 * part as f64 / whole as f64;
        assert!((share - percent).abs() <= by, "{share} % beside {percent} %");
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_another_gives_others() {
        assert_eq!(drawn(1, 3), drawn(1, 3));
        assert_ne!(drawn(1, 3), drawn(2, 3));
        assert_ne!(drawn(1, 3), drawn(1, 13));
    }

    #[test]
    fn the_mix_is_that_of_the_specification() {
        let drawn = drawn(7, 0);
        for (kind, percent) in Kind::ALL.into_iter().zip([45.0, 43.0, 4.0, 4.0, 4.0]) {
            near(drawn.iter().filter(|one| one.kind() == kind).count(), DRAWN, percent, 1.0);
        }
    }

    #[test]
    fn orders_have_lines_suppliers_and_mistakes_as_the_specification_says() {
        let size = Size::of(1.0);
        let drawn = drawn(7, 4);
        let orders: Vec<&Vec<Line>> = drawn
            .iter()
            .filter_map(|one| match one {
                Transaction::NewOrder { warehouse, lines, .. } => {
                    assert_eq!(*warehouse, 5);
                    Some(lines)
                }
                _ => None,
            })
            .collect();
        assert!(orders.iter().all(|lines| (5..=15).contains(&lines.len())));
        let lines: Vec<&Line> = orders.iter().copied().flatten().collect();
        near(lines.len(), orders.len(), 1_000.0, 10.0);
        near(lines.iter().filter(|line| line.supplier != 5).count(), lines.len(), 1.0, 0.2);
        let wrong = |lines: &&&Vec<Line>| lines.last().unwrap().item > size.items;
        near(orders.iter().filter(wrong).count(), orders.len(), 1.0, 0.3);
        assert!(lines.iter().all(|line| (1..=10).contains(&line.quantity) && line.supplier <= size.warehouses));
    }

    #[test]
    fn payments_are_remote_and_by_name_as_the_specification_says() {
        let drawn = drawn(7, 4);
        let payments: Vec<(bool, bool)> = drawn
            .iter()
            .filter_map(|one| match one {
                Transaction::Payment { warehouse, district, of, customer, cents } => {
                    assert!((100..=500_000).contains(cents));
                    assert!(of.0 != *warehouse || of.1 == *district);
                    Some((of.0 != *warehouse, matches!(customer, Customer::LastName(_))))
                }
                _ => None,
            })
            .collect();
        near(payments.iter().filter(|(remote, _)| *remote).count(), payments.len(), 15.0, 1.5);
        near(payments.iter().filter(|(_, by_name)| *by_name).count(), payments.len(), 60.0, 2.0);
    }

    #[test]
    fn with_few_rows_inputs_stay_within_them() {
        let size = Size::of(0.001);
        assert_eq!(size, Size { warehouses: 1, customers: 30, items: 1_000 });
        let mut inputs = Inputs::new(1, 5, size);
        for _ in 0..10_000 {
            if let Transaction::NewOrder { warehouse, customer, lines, .. } = inputs.draw() {
                assert!(warehouse == 1 && (1..=30).contains(&customer));
                assert!(lines.iter().all(|line| line.supplier == 1 && (line.item <= 1_000 || line.item == 999_999)));
            }
        }
    }

    #[test]
    fn last_names_are_three_syllables() {
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
        assert_eq!(last_name(999), "EINGEINGEING");
    }
}
