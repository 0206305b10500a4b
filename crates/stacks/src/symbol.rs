//! Names of functions by address, from the program's symbols and line tables.
//!
//! Line tables know a function by its bare name and its file, which stands for its module: `storage::cache::get` is
//! `get` of crates/storage/src/cache.rs, or of a folder's mod.rs, whatever type it is a method of. Without line tables
//! there are the linker's names, with their types.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Component, Path};

use common::sync::Arc;

/// Names that were looked for already.
#[derive(Default)]
pub(crate) struct Symbols {
    known: HashMap<u64, Arc<[Arc<str>]>>,
}

impl Symbols {
    /// The functions at an address, the innermost first: those that the compiler has inlined there, then the enclosing
    /// one. An address without a symbol is its own name.
    pub(crate) fn names(&mut self, address: u64) -> Arc<[Arc<str>]> {
        let found = self.known.entry(address).or_insert_with(|| {
            let mut names: Vec<Arc<str>> = Vec::new();
            // It looks for the instruction before the given address, as for a return address.
            backtrace::resolve((address + 1) as *mut c_void, |symbol| {
                if let Some(name) = symbol.name() {
                    // The alternate form has no hash at its end.
                    let name = format!("{name:#}");
                    let qualified = symbol.filename().and_then(|file| qualified(&name, file));
                    names.push(qualified.unwrap_or(name).into());
                }
            });
            if names.is_empty() {
                names.push(format!("0x{address:x}").into());
            }
            names.into()
        });
        Arc::clone(found)
    }
}

/// A bare name with the module of its file before it; None when it is not bare.
fn qualified(name: &str, file: &Path) -> Option<String> {
    // Closures, and `name<types>`.
    let bare = name.split_once('<').map_or(name, |(bare, _)| bare);
    if bare.is_empty() || bare.contains("::") || bare.contains(' ') {
        return None;
    }
    let module = module(file)?;
    Some(format!("{module}::{bare}"))
}

/// `storage::segment::space` of crates/storage/src/segment/space/mod.rs; of a file that is not below `src`, its name.
fn module(file: &Path) -> Option<String> {
    let parts: Vec<&str> = file
        .components()
        .filter_map(|part| if let Component::Normal(part) = part { part.to_str() } else { None })
        .collect();
    let last = parts.last()?.strip_suffix(".rs")?;
    let Some(src) = parts.iter().rposition(|part| *part == "src").filter(|src| *src > 0) else {
        return Some(last.to_owned());
    };
    // A package from a registry has its version behind its name.
    let package = parts[src - 1];
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let name = package.rsplit_once('-').filter(|(_, rest)| is_version(rest)).map_or(package, |(name, _)| name);
    let mut modules = vec![name.replace('-', "_")];
    modules.extend(parts[src + 1..parts.len() - 1].iter().map(|part| (*part).to_owned()));
    if !["mod", "lib", "main"].contains(&last) {
        modules.push(last.to_owned());
    }
    Some(modules.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_gets_the_module_of_its_file() {
        for (name, file, expected) in [
            (
                "probe",
                "/w/crates/storage/src/segment/space/bitmap_search.rs",
                "storage::segment::space::bitmap_search::probe",
            ),
            ("{closure#0}", "crates/storage/src/cache/mod.rs", "storage::cache::{closure#0}"),
            (
                "call_once<fn() -> u8, ()>",
                "/rustc/59/library/core/src/ops/function.rs",
                "core::ops::function::call_once",
            ),
            ("wait", "/r/parking_lot-0.12.3/src/condvar.rs", "parking_lot::condvar::wait"),
            ("run", "/r/lock-api-0.4.0/src/lib.rs", "lock_api::run"),
            ("busy", "crates/stacks/tests/threads.rs", "threads::busy"),
        ] {
            assert_eq!(qualified(name, Path::new(file)).as_deref(), Some(expected));
        }
        for name in ["<a::B as c::D>::e", "a::b", "<impl a::B>::c<d>"] {
            assert_eq!(qualified(name, Path::new("crates/a/src/b.rs")), None);
        }
        assert_eq!(qualified("main", Path::new("main.c")), None);
    }
}
