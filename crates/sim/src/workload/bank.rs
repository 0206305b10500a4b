//! A bank: money moves between accounts, and its sum stays.

use super::state::{Row, WorkloadState};

pub(crate) const TABLE: &str = "BANK";
pub(crate) const ACCOUNTS: u32 = 48;
/// The opening balance of each account.
pub(crate) const OPENING: i64 = 1000;

/// The row of an account.
pub(crate) fn account(key: u32, balance: i64) -> Row {
    vec![Some(key.to_be_bytes().to_vec()), Some(balance.to_string().into_bytes()), None]
}

/// The balance of an account.
pub(crate) fn balance(row: &Row) -> i64 {
    let text = row.get(1).and_then(Option::as_deref).map(String::from_utf8_lossy);
    text.and_then(|text| text.parse().ok()).unwrap_or(i64::MIN / 2)
}

/// The fault of the sum, if all accounts were opened.
pub(crate) fn wrong_sum(state: &WorkloadState) -> Option<String> {
    let accounts = &state.tables.get(TABLE)?.rows;
    if accounts.len() < ACCOUNTS as usize {
        return None;
    }
    let (sum, expected) = (accounts.values().map(|row| balance(row)).sum::<i64>(), i64::from(ACCOUNTS) * OPENING);
    (sum != expected).then(|| format!("the bank has {sum} instead of {expected}"))
}
