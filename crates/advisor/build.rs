//! Writes the catalogue of findings: each file of src/findings but mod.rs is one.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("src/findings");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string().map_err(|name| format!("{} is no name", name.display()))?;
        names.extend(name.strip_suffix(".rs").filter(|name| *name != "mod").map(str::to_owned));
    }
    names.sort();
    let list: String = names.iter().map(|name| format!("    &{name}::ABOUT,\n")).collect();
    fs::write(Path::new(&env::var("OUT_DIR")?).join("catalogue.rs"), format!("&[\n{list}]\n"))?;
    Ok(())
}
