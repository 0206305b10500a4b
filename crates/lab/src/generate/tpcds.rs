//! The tables of TPC-DS.

use std::fmt::Display;
use std::io;

use tpcdsgen::config::{SessionBuilder, Table};
use tpcdsgen::row;

use super::file::Rows;
use crate::Progress;

/// Rows between two messages of progress.
const ROWS_A_STEP: u64 = 16_384;

/// All but the one that says when and how the data was made.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    Table::values().iter().filter(|table| **table != Table::DbgenVersion).map(Table::get_name)
}

/// Writes a table's rows.
pub(super) fn write(name: &str, scale: f64, out: &mut Rows, progress: &mut dyn Progress) -> io::Result<()> {
    let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let table = Table::values().iter().find(|table| table.get_name() == name).copied();
    let table = table.ok_or_else(|| wrong(format!("no table {name}")))?;
    let session = SessionBuilder::new().with_scale_factor(scale).build().map_err(|error| wrong(error.to_string()))?;
    let source = session.get_scaling().get_row_count(source(table));
    // Orders have 8 to 16 lines (catalogue: 4 to 14), and every tenth line is returned.
    let expected = match table {
        Table::StoreSales | Table::WebSales => source * 12,
        Table::CatalogSales => source * 9,
        Table::StoreReturns | Table::WebReturns => source * 12 / 10,
        Table::CatalogReturns => source * 9 / 10,
        _ => source,
    };
    macro_rules! generators {
        ($($table:ident => $generator:ident),* $(,)?) => {
            match table {
                $(Table::$table => each(row::$generator::new(session, source), expected, out, progress),)*
            }
        };
    }
    generators! {
        CallCenter => CallCenterRowGenerator,
        CatalogPage => CatalogPageRowGenerator,
        CatalogReturns => CatalogReturnsRowGenerator,
        CatalogSales => CatalogSalesRowGenerator,
        Customer => CustomerRowGenerator,
        CustomerAddress => CustomerAddressRowGenerator,
        CustomerDemographics => CustomerDemographicsRowGenerator,
        DateDim => DateDimRowGenerator,
        DbgenVersion => DbgenVersionRowGenerator,
        HouseholdDemographics => HouseholdDemographicsRowGenerator,
        IncomeBand => IncomeBandRowGenerator,
        Inventory => InventoryRowGenerator,
        Item => ItemRowGenerator,
        Promotion => PromotionRowGenerator,
        Reason => ReasonRowGenerator,
        ShipMode => ShipModeRowGenerator,
        Store => StoreRowGenerator,
        StoreReturns => StoreReturnsRowGenerator,
        StoreSales => StoreSalesRowGenerator,
        TimeDim => TimeDimRowGenerator,
        Warehouse => WarehouseRowGenerator,
        WebPage => WebPageRowGenerator,
        WebReturns => WebReturnsRowGenerator,
        WebSales => WebSalesRowGenerator,
        WebSite => WebSiteRowGenerator,
    }
}

/// The table whose number of rows a generator goes by: returns come from sales.
fn source(table: Table) -> Table {
    match table {
        Table::StoreReturns => Table::StoreSales,
        Table::WebReturns => Table::WebSales,
        Table::CatalogReturns => Table::CatalogSales,
        other => other,
    }
}

/// Writes all rows that come. `expected` is about how many, for the progress alone.
pub(super) fn each<R: Display>(
    rows: impl Iterator<Item = R>,
    expected: u64,
    out: &mut Rows,
    progress: &mut dyn Progress,
) -> io::Result<()> {
    for row in rows {
        out.row(&row)?;
        if out.rows.is_multiple_of(ROWS_A_STEP) {
            progress.at(out.rows.min(expected), expected);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Suite, generate};
    use crate::Silent;

    /// The least scale has few orders; returns are about a tenth of their lines.
    #[test]
    fn returns_are_made_without_their_sales() {
        let folder = tempfile::tempdir().unwrap();
        let options = |table: &str| Options {
            suite: Suite::TpcDs,
            scale: 0.01,
            table: Some(table.to_owned()),
            out: folder.path().into(),
        };
        let sales = generate(&options("web_sales"), &mut Silent).unwrap();
        let returns = generate(&options("web_returns"), &mut Silent).unwrap();
        let (sales, returns) = (sales[0].rows, &returns[0]);
        assert!(returns.rows * 12 > sales && returns.rows * 8 < sales, "{} of {sales}", returns.rows);
        let text = std::fs::read_to_string(&returns.path).unwrap();
        assert!(text.lines().all(|line| line.matches('|').count() == 24));
    }
}
