//! How many rows there are. Below one warehouse, its customers, items and orders become fewer.

/// Districts of a warehouse.
pub(super) const DISTRICTS: u64 = 10;
/// Warehouses at scale 1.
const WAREHOUSES: f64 = 10.0;
/// Customers of a district, and its orders at the beginning.
const CUSTOMERS: f64 = 3_000.0;
const ITEMS: f64 = 100_000.0;
/// The fewest that the transactions can work with: orders of fifteen lines, and some that are not delivered.
const LEAST_CUSTOMERS: f64 = 30.0;
const LEAST_ITEMS: f64 = 200.0;

/// The numbers that rows and inputs are made by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) warehouses: u64,
    /// Of a district; it begins with as many orders.
    pub(super) customers: u64,
    pub(super) items: u64,
}

impl Size {
    pub(super) fn of(scale: f64) -> Self {
        let warehouses = (WAREHOUSES * scale).round().clamp(1.0, 999_999.0);
        let share = (WAREHOUSES * scale).min(1.0);
        let part = |whole: f64, least: f64| (whole * share).round().max(least) as u64;
        Self {
            warehouses: warehouses as u64,
            customers: part(CUSTOMERS, LEAST_CUSTOMERS),
            items: part(ITEMS, LEAST_ITEMS),
        }
    }

    /// The last order of a district that is delivered already: 70 % are.
    pub(super) fn delivered(self) -> u64 {
        self.customers * 7 / 10
    }

    /// Last names that there are: the first customers of a district have one each.
    pub(super) fn names(self) -> u64 {
        self.customers.min(1_000)
    }
}
