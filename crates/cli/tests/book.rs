//! The book (docs/, built by scripts/book.sh): every page is in its table of contents, every link leads somewhere, and
//! an item that a link names is declared in the file that the link leads to.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The table of contents.
const SUMMARY: &str = "SUMMARY.md";
/// Words in front of the name of an item where it is declared.
const DECLARED_BY: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod"];
/// Minimum numbers of pages, links, and links that name an item. Fewer means that the test misses some.
const PAGES_MIN: usize = 60;
const LINKS_MIN: usize = 200;
const ITEMS_MIN: usize = 90;

/// A link as a page has it.
#[derive(PartialEq, Debug)]
struct Link {
    text: String,
    /// Relative to the page; empty for a place of the page itself.
    path: String,
    fragment: Option<String>,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().unwrap()
}

/// All pages, relative to docs/, the table of contents among them.
fn pages() -> BTreeSet<String> {
    let (root, mut found, mut folders) = (docs(), BTreeSet::new(), vec![docs()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

fn read(page: &str) -> String {
    fs::read_to_string(docs().join(page)).unwrap()
}

/// The text without the parts between fences.
fn unfenced(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The links of a page, including images; not those out of the project.
fn links(text: &str) -> Vec<Link> {
    let (text, mut found) = (unfenced(text), Vec::new());
    for (at, _) in text.match_indices("](") {
        let Some((target, _)) = text[at + 2..].split_once(')') else { continue };
        if target.contains("://") {
            continue;
        }
        let shown = text[..at].rsplit_once('[').map_or("", |(_, shown)| shown);
        let (path, fragment) = target.split_once('#').map_or((target, None), |(path, at)| (path, Some(at.to_owned())));
        found.push(Link { text: shown.to_owned(), path: path.to_owned(), fragment });
    }
    found
}

/// True: the file declares an item of that name. For `Type::item` it must name the type, too.
fn declares(source: &str, name: &str) -> bool {
    let words: Vec<&str> = source.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let (owner, item) = name.rsplit_once("::").map_or((None, name), |(owner, item)| (Some(owner), item));
    words.windows(2).any(|pair| DECLARED_BY.contains(&pair[0]) && pair[1] == item)
        && owner.is_none_or(|owner| owner.split("::").all(|part| words.contains(&part)))
}

/// True: the text could be the name of an item.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
}

/// The anchor that mdBook and GitHub make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn has_anchor(text: &str, fragment: &str) -> bool {
    let text = unfenced(text);
    text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line.trim_start_matches('#')) == fragment)
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

/// The fault of a page's link; None: the link is good.
fn fault(page: &str, link: &Link) -> Option<String> {
    let docs = docs();
    let target = if link.path.is_empty() {
        docs.join(page)
    } else {
        plain(&docs.join(page).parent().unwrap_or(&docs).join(&link.path))
    };
    if !target.exists() {
        return Some(format!("{page}: {} is not there", link.path));
    }
    if target.extension().is_some_and(|extension| extension == "md") {
        if !target.starts_with(&docs) {
            return Some(format!("{page}: {} is no page of the book, and mdBook makes .html of it", link.path));
        }
        let text = fs::read_to_string(&target).unwrap();
        let missing = link.fragment.as_ref().filter(|fragment| !has_anchor(&text, fragment));
        return missing.map(|fragment| format!("{page}: {} has no heading #{fragment}", link.path));
    }
    let name = link.text.strip_prefix('`')?.strip_suffix('`')?;
    if target.ends_with(name) {
        return None;
    }
    let source = fs::read_to_string(&target).unwrap_or_default();
    let is_there =
        if link.path.ends_with(".rs") && is_name(name) { declares(&source, name) } else { source.contains(name) };
    (!is_there).then(|| format!("{page}: {} has no {name}", link.path))
}

#[test]
fn every_link_leads_to_what_it_names() {
    let (mut count, mut named, mut wrong) = (0, 0, Vec::new());
    for page in pages() {
        for link in links(&read(&page)) {
            count += 1;
            named += usize::from(link.text.starts_with('`') && link.path.ends_with(".rs"));
            wrong.extend(fault(&page, &link));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(count >= LINKS_MIN && named >= ITEMS_MIN, "{count} links, {named} of them name an item");
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let summary: Vec<String> = links(&read(SUMMARY)).into_iter().map(|link| link.path).collect();
    let listed: BTreeSet<String> = summary.iter().cloned().collect();
    let mut pages = pages();
    assert!(pages.remove(SUMMARY) && pages.len() >= PAGES_MIN, "{pages:?}");
    let unlisted: Vec<_> = pages.difference(&listed).collect();
    let missing: Vec<_> = listed.difference(&pages).collect();
    assert!(unlisted.is_empty() && missing.is_empty(), "not listed: {unlisted:?}; listed and not there: {missing:?}");
    assert_eq!(summary.len(), listed.len(), "a page is listed twice");
}

#[test]
fn what_a_page_includes_is_there() {
    for page in pages() {
        let text = read(&page);
        for part in text.split("{{#include ").skip(1) {
            let path = part.split("}}").next().unwrap_or_default().trim();
            let target = docs().join(&page).parent().unwrap().join(path);
            assert!(target.is_file(), "{page} includes {path}, which is not there");
        }
    }
}

#[test]
fn a_fault_is_found() {
    let link = |text: &str, target: &str| {
        let found = links(&format!("See [{text}]({target})."));
        assert_eq!(found.len(), 1, "{found:?}");
        fault("code/a-row.md", &found[0])
    };
    let cache = "../../crates/storage/src/cache/mod.rs";
    assert_eq!(link("`Cache::get_mut`", cache), None);
    assert!(link("`Cache::get_nothing`", cache).is_some());
    assert!(link("`NoSuchType::get_mut`", cache).is_some());
    assert!(link("`Cache::get_mut`", "../../crates/storage/src/cache/nothing.rs").is_some());
    assert_eq!(link("`cache/mod.rs`", cache), None);
    assert!(link("a crate", "../../crates/lab/README.md").is_some());
    assert_eq!(link("below", "#6-recovery"), None);
    assert!(link("below", "#7-nothing").is_some());
    assert!(links("```text\n[a](b)\n```\n[c](https://example.org)").is_empty());
    assert!(!declares("fn others() { call() }", "call"));
}
