//! LISTAGG: the texts of a group, concatenated in the order of its own sort keys.
//!
//! DataFusion's aggregate node does not keep an order for foreign functions, so the keys are further arguments: the
//! text, the separator, then one argument a key. The keys' directions are part of the function's value and name: two
//! lists that differ in them alone must not be merged.

use std::collections::HashSet;
use std::fmt::Write;
use std::hash::Hash;
use std::sync::Arc;

use common::{Error, Result, limits};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};

use super::packed::{Packed, unpack};
use crate::error::to_datafusion;

/// The name in statements.
pub(crate) const NAME: &str = "LISTAGG";
/// Arguments before the sort keys: the text and the separator.
pub(crate) const FIXED_ARGUMENTS: usize = 2;

/// Direction of one key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Direction {
    pub(crate) ascending: bool,
    pub(crate) nulls_first: bool,
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct Listagg {
    name: String,
    order: Vec<Direction>,
    distinct: bool,
    signature: Signature,
}

/// The aggregate as a function of a text, a separator (both VARCHAR2) and a value for each key of `order`, of any kind.
pub(crate) fn function(order: Vec<Direction>, distinct: bool) -> Arc<AggregateUDF> {
    let mut name = NAME.to_owned();
    if distinct {
        name.push_str(" DISTINCT");
    }
    for key in &order {
        // Writing to a string does not fail.
        let _ = write!(name, " {}{}", if key.ascending { '+' } else { '-' }, if key.nulls_first { '0' } else { '1' });
    }
    let signature = Signature::any(FIXED_ARGUMENTS + order.len(), Volatility::Immutable);
    Arc::new(AggregateUDF::new_from_impl(Listagg { name, order, distinct, signature }))
}

impl AggregateUDFImpl for Listagg {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Utf8)
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> datafusion::common::Result<Box<dyn Accumulator>> {
        Ok(Box::new(List { order: self.order.clone(), distinct: self.distinct, ..List::default() }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> datafusion::common::Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[value]", args.name), ArrowType::Binary, true))])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// One text of the list.
#[derive(Debug)]
struct ListItem {
    /// Its sort keys, encoded so that bytes compare in the requested order.
    keys: Vec<u8>,
    text: String,
    separator: String,
}

/// The texts of one group; NULLs are left out.
#[derive(Debug, Default)]
struct List {
    order: Vec<Direction>,
    distinct: bool,
    converter: Option<RowConverter>,
    entries: Vec<ListItem>,
    bytes: usize,
}

impl List {
    fn keys(&mut self, columns: &[ArrayRef]) -> datafusion::common::Result<Option<datafusion::arrow::row::Rows>> {
        if self.order.is_empty() {
            return Ok(None);
        }
        if self.converter.is_none() {
            let fields = columns.iter().zip(&self.order).map(|(column, key)| {
                let options = SortOptions { descending: !key.ascending, nulls_first: key.nulls_first };
                SortField::new_with_options(column.data_type().clone(), options)
            });
            self.converter = Some(RowConverter::new(fields.collect())?);
        }
        match &self.converter {
            Some(converter) => Ok(Some(converter.convert_columns(columns)?)),
            None => Err(to_datafusion(Error::bug("LISTAGG without a converter of its keys"))),
        }
    }

    fn push(&mut self, keys: Vec<u8>, text: String, separator: String) {
        self.bytes += size_of::<ListItem>() + keys.len() + text.len() + separator.len();
        self.entries.push(ListItem { keys, text, separator });
    }

    fn text(&mut self) -> Result<Option<String>> {
        // Stable: texts with equal keys keep their order of arrival.
        if self.distinct && self.order.is_empty() {
            self.entries.sort_by(|a, b| a.text.cmp(&b.text));
        } else {
            self.entries.sort_by(|a, b| a.keys.cmp(&b.keys));
        }
        let mut seen = HashSet::new();
        let mut list = String::new();
        let mut any = false;
        for entry in &self.entries {
            if self.distinct && !seen.insert(entry.text.as_str()) {
                continue;
            }
            if any {
                list.push_str(&entry.separator);
            }
            any = true;
            list.push_str(&entry.text);
            if list.len() > limits::VARCHAR2_BYTES_MAX {
                return Err(Error::user(1489, "result of string concatenation is too long"));
            }
        }
        Ok((!list.is_empty()).then_some(list))
    }
}

impl Accumulator for List {
    fn update_batch(&mut self, values: &[ArrayRef]) -> datafusion::common::Result<()> {
        let keys = self.keys(&values[FIXED_ARGUMENTS..])?;
        let texts = values[0].as_string::<i32>();
        let separators = values[1].as_string::<i32>();
        for row in (0..texts.len()).filter(|row| texts.is_valid(*row)) {
            self.push(
                keys.as_ref().map_or_else(Vec::new, |keys| keys.row(row).as_ref().to_vec()),
                texts.value(row).to_owned(),
                if separators.is_valid(row) { separators.value(row).to_owned() } else { String::new() },
            );
        }
        Ok(())
    }

    fn evaluate(&mut self) -> datafusion::common::Result<ScalarValue> {
        Ok(ScalarValue::Utf8(self.text().map_err(to_datafusion)?))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes
    }

    fn state(&mut self) -> datafusion::common::Result<Vec<ScalarValue>> {
        let mut packed = Packed::default();
        for entry in &self.entries {
            for part in [&entry.keys[..], entry.text.as_bytes(), entry.separator.as_bytes()] {
                packed.push(part).map_err(to_datafusion)?;
            }
        }
        Ok(vec![ScalarValue::Binary(Some(packed.into_bytes()))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> datafusion::common::Result<()> {
        let states = states[0].as_binary::<i32>();
        for row in (0..states.len()).filter(|row| states.is_valid(*row)) {
            for entry in unpack(states.value(row)).map_err(to_datafusion)?.chunks_exact(3) {
                self.push(entry[0].to_vec(), text_of(entry[1])?, text_of(entry[2])?);
            }
        }
        Ok(())
    }
}

fn text_of(bytes: &[u8]) -> datafusion::common::Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| to_datafusion(Error::bug("LISTAGG of a text that is none")))
}
