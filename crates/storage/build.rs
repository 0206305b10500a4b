//! Makes `enum Parameter` and its definitions from `src/parameters/parameters.toml`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;

#[derive(Deserialize)]
struct Declarations {
    parameter: Vec<Declaration>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declaration {
    name: String,
    r#type: String,
    default: String,
    min: Option<i64>,
    max: Option<i64>,
    #[serde(default)]
    values: Vec<String>,
    session: bool,
    system: String,
    derived: Option<String>,
    without_effect: Option<String>,
    #[serde(default)]
    without_effect_values: Vec<String>,
    description: String,
}

const SOURCE: &str = "src/parameters/parameters.toml";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SOURCE}");
    let mut declarations: Declarations = toml::from_str(&std::fs::read_to_string(SOURCE)?)?;
    declarations.parameter.sort_by(|a, b| a.name.cmp(&b.name));
    let mut seen = BTreeSet::new();
    for declaration in &declarations.parameter {
        assert!(seen.insert(&declaration.name), "{SOURCE}: {} is declared twice", declaration.name);
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("parameters.rs");
    std::fs::write(out, generate(&declarations.parameter)?)?;
    Ok(())
}

fn generate(declarations: &[Declaration]) -> Result<String, std::fmt::Error> {
    let mut code = String::from(
        "/// An initialization parameter.\n#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]\n#[repr(u16)]\npub enum Parameter {\n",
    );
    for (number, declaration) in declarations.iter().enumerate() {
        writeln!(
            code,
            "    /// `{}`: {}\n    {} = {number},",
            declaration.name,
            declaration.description,
            variant(&declaration.name)
        )?;
    }
    writeln!(code, "}}\n\nimpl Parameter {{\n    /// Every parameter, by name.")?;
    writeln!(code, "    pub const ALL: [Self; {}] = [", declarations.len())?;
    for declaration in declarations {
        writeln!(code, "        Self::{},", variant(&declaration.name))?;
    }
    writeln!(code, "    ];\n}}\n\nstatic DEFINITIONS: [Definition; {}] = [", declarations.len())?;
    for d in declarations {
        let parameter_type = match d.r#type.as_str() {
            "integer" => "Integer",
            "big integer" => "BigInteger",
            "boolean" => "Boolean",
            "string" => "String",
            other => panic!("{SOURCE}: {}: unknown type {other}", d.name),
        };
        let system = match d.system.as_str() {
            "immediate" => "Immediate",
            "restart" => "Restart",
            "fixed" => "Fixed",
            other => panic!("{SOURCE}: {}: unknown system {other}", d.name),
        };
        let range = match (d.min, d.max) {
            (Some(min), Some(max)) => format!("Some(({min}, {max}))"),
            (None, None) => "None".to_owned(),
            _ => panic!("{SOURCE}: {}: min and max go together", d.name),
        };
        let effect = match &d.without_effect {
            Some(why) => format!("Effect::None {{ values: &{:?}, why: {why:?} }}", d.without_effect_values),
            None => "Effect::Read".to_owned(),
        };
        writeln!(
            code,
            "    Definition {{ name: {:?}, parameter_type: ParameterType::{parameter_type}, default: {:?}, range: {range}, \
             values: &{:?}, session: {}, system: SystemChange::{system}, effect: {effect}, derived: {:?}, description: {:?} }},",
            d.name, d.default, d.values, d.session, d.derived, d.description
        )?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

/// `_walk_insert_threshold` becomes `WalkInsertThreshold`.
fn variant(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
        })
        .collect()
}
