//! Turns errors.toml into the library's table, so that a wrong file fails the build.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Errors {
    error: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    number: String,
    name: String,
    cause: String,
    action: String,
}

/// Prefix, variant of `Family`, digits; in the order of the file.
const FAMILIES: [(&str, &str, usize); 5] =
    [("ORA", "Ora", 5), ("HW", "Hw", 4), ("PLS", "Pls", 5), ("SP2", "Sp2", 4), ("KUP", "Kup", 5)];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    println!("cargo::rerun-if-changed=errors.toml");
    let errors: Errors = toml::from_str(&fs::read_to_string(Path::new(&folder).join("errors.toml"))?)?;
    let mut code = String::from("static ENTRIES: &[Entry] = &[\n");
    let mut last = None;
    for Entry { number, name, cause, action } in &errors.error {
        let (place, family, value) = parsed(number).ok_or_else(|| format!("{number} is not a number of an error"))?;
        if last.replace((place, value)).is_some_and(|last| last >= (place, value)) {
            return Err(format!("{number} stands behind a number that it comes before, or twice").into());
        }
        if name.is_empty() || name.ends_with('.') || name.contains('\n') {
            return Err(format!("{number}: the name is one line without a full stop").into());
        }
        if [cause, action].iter().any(|text| !text.ends_with('.') || text.contains('\n')) {
            return Err(format!("{number}: cause and action are sentences, each on one line").into());
        }
        writeln!(
            code,
            "    Entry {{ code: Code {{ family: Family::{family}, number: {value} }}, name: {name:?}, \
             cause: {cause:?}, action: {action:?} }},"
        )?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("entries.rs"), code)?;
    Ok(())
}

/// `ORA-00942`: the family's place and variant, and the number.
fn parsed(text: &str) -> Option<(usize, &'static str, u32)> {
    let (prefix, digits) = text.split_once('-')?;
    let place = FAMILIES.iter().position(|(family, ..)| *family == prefix)?;
    let (_, variant, width) = FAMILIES[place];
    let is_number = digits.len() == width && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((place, variant, digits.parse().ok().filter(|_| is_number)?))
}
