//! Definitions: tables, indexes, tablespaces, datafiles, undo tablespaces, disk groups.

use super::plan::{COLUMNS, Plan};
use super::state::Table;

const MB: u64 = 1 << 20;
const UNDO_BYTES: u64 = 8 * MB;
/// Tables and tablespaces beyond which they are dropped.
const TABLES_MAX: usize = 7;
const TABLESPACES_MAX: usize = 5;

impl Plan {
    /// A definition of a table, an index or a tablespace in a directory.
    pub(super) fn define(&mut self) {
        match self.random.below(100) {
            0..16 => self.create_table(),
            16..26 => self.truncate_table(),
            26..36 => self.drop_table(),
            36..48 => self.create_index(),
            48..54 => self.drop_index(),
            54..68 => self.create_tablespace(""),
            68..76 => self.add_datafile(""),
            76..84 => self.resize(),
            84..90 => self.drop_tablespace(),
            90..95 => self.change_undo(),
            _ => {
                let text = ["alter system checkpoint", "alter system switch logfile"][self.random.index(2)];
                self.say(text.to_owned());
            }
        }
    }

    /// A statement about disk groups or about a tablespace in one.
    pub(super) fn define_group(&mut self) {
        let groups: Vec<String> = self.current.groups.iter().cloned().collect();
        let empty: Vec<&String> =
            groups.iter().filter(|group| !self.current.tablespaces.keys().any(|name| is_of(name, group))).collect();
        let group = self.random.pick(&groups).cloned();
        match (self.random.below(100), group) {
            (_, None) | (0..10, _) if groups.len() < 2 => {
                let n = if groups.contains(&"G1".to_owned()) { 2 } else { 1 };
                self.current.groups.insert(format!("G{n}"));
                self.commit_by(format!("create diskgroup G{n} external redundancy disk 'disk{n}_*'"));
            }
            (0..25, _) if !empty.is_empty() => {
                let group = empty[self.random.index(empty.len())].clone();
                self.current.groups.remove(&group);
                self.commit_by(format!("drop diskgroup {group}"));
            }
            (25..65, Some(group)) => self.create_tablespace(&group),
            (65..80, Some(group)) => self.add_datafile(&group),
            (80..90, _) => self.drop_tablespace(),
            _ => self.create_table(),
        }
    }

    pub(super) fn create_table(&mut self) {
        if self.row_tables().len() > TABLES_MAX {
            return self.drop_table();
        }
        let (name, tablespace) = (format!("T{}", self.fresh()), self.a_place());
        let table = Table { tablespace: tablespace.clone(), ..Table::default() };
        self.current.tables.insert(name.clone(), table);
        self.commit_by(format!("create table {name} {COLUMNS} tablespace {tablespace}"));
    }

    fn truncate_table(&mut self) {
        let Some(name) = self.a_table() else { return };
        if let Some(table) = self.current.tables.get_mut(&name) {
            table.rows = Default::default();
        }
        self.commit_by(format!("truncate table {name}"));
    }

    fn drop_table(&mut self) {
        let tables: Vec<String> = self.row_tables().into_iter().filter(|name| !name.starts_with("ROWS")).collect();
        let Some(name) = self.random.pick(&tables).cloned() else { return };
        self.current.tables.remove(&name);
        self.commit_by(format!("drop table {name}"));
    }

    fn create_index(&mut self) {
        let Some(name) = self.a_table() else { return };
        // Not for a tablespace that is dropped with its contents.
        let tablespace = ["FREELISTS", "BITMAPS"][self.random.index(2)];
        let free = self.fresh();
        let Some(table) = self.current.tables.get_mut(&name) else { return };
        let index = format!("I{free}");
        // Each list of columns has one index at most.
        let used: Vec<bool> = ["N", "B"].iter().map(|end| table.indexes.iter().any(|i| i.ends_with(end))).collect();
        let (columns, end) = match used[..] {
            [false, _] => ("n", "N"),
            [true, false] => ("n, id", "B"),
            _ => return self.drop_index(),
        };
        table.indexes.insert(format!("{index}{end}"));
        self.commit_by(format!("create index {index}{end} on {name} ({columns}) tablespace {tablespace}"));
    }

    fn drop_index(&mut self) {
        let Some(name) = self.a_table() else { return };
        let Some(table) = self.current.tables.get_mut(&name) else { return };
        let Some(index) = table.indexes.iter().find(|index| !index.ends_with("_U")).cloned() else { return };
        table.indexes.remove(&index);
        self.commit_by(format!("drop index {index}"));
    }

    /// In a disk group, or in the data directory where `group` is empty.
    pub(super) fn create_tablespace(&mut self, group: &str) {
        if self.current.tablespaces.len() > TABLESPACES_MAX {
            return self.drop_tablespace();
        }
        let n = self.fresh();
        let bytes = MB * (2 + self.random.below(2));
        let management = ["manual", "auto"][self.random.index(2)];
        let (name, file) = if group.is_empty() {
            (format!("TS{n}"), format!("ts{n}.dbf"))
        } else {
            (format!("TS{n}{group}"), format!("+{group}"))
        };
        self.current.tablespaces.insert(name.clone(), vec![bytes]);
        self.commit_by(format!(
            "create tablespace {name} datafile '{file}' size {bytes} extent management local uniform size 64K \
             segment space management {management}"
        ));
    }

    pub(super) fn add_datafile(&mut self, group: &str) {
        let of = |name: &&String| if group.is_empty() { !name.contains('G') } else { is_of(name, group) };
        let names: Vec<String> = self.current.tablespaces.keys().filter(of).cloned().collect();
        let Some(name) = self.random.pick(&names).cloned() else { return self.create_tablespace(group) };
        let file = if group.is_empty() { format!("more{}.dbf", self.fresh()) } else { format!("+{group}") };
        if let Some(files) = self.current.tablespaces.get_mut(&name) {
            files.push(2 * MB);
            files.sort_unstable();
        }
        self.commit_by(format!("alter tablespace {name} add datafile '{file}' size {}", 2 * MB));
    }

    /// Growth only: blocks behind a lower end may be in use.
    fn resize(&mut self) {
        let one_file =
            |(name, files): &(&String, &Vec<u64>)| name.starts_with("TS") && !name.contains('G') && files.len() == 1;
        let found: Vec<(String, u64)> =
            self.current.tablespaces.iter().filter(one_file).map(|(name, files)| (name.clone(), files[0])).collect();
        let Some((name, bytes)) = self.random.pick(&found).cloned() else { return self.create_tablespace("") };
        let bytes = bytes + MB / 2;
        self.current.tablespaces.insert(name.clone(), vec![bytes]);
        self.commit_by(format!("alter database datafile '{}.dbf' resize {bytes}", name.to_lowercase()));
    }

    pub(super) fn drop_tablespace(&mut self) {
        let names: Vec<String> =
            self.current.tablespaces.keys().filter(|name| name.starts_with("TS")).cloned().collect();
        let Some(name) = self.random.pick(&names).cloned() else { return };
        self.current.tablespaces.remove(&name);
        let gone: Vec<String> = self
            .current
            .tables
            .iter()
            .filter(|(_, table)| table.tablespace == name)
            .map(|(name, _)| name.clone())
            .collect();
        for table in &gone {
            self.current.tables.remove(table);
        }
        self.commit_by(format!("drop tablespace {name} including contents and datafiles"));
    }

    /// Another undo tablespace; the one before is dropped.
    fn change_undo(&mut self) {
        let before = self.current.tablespaces.keys().find(|name| name.starts_with("UN")).cloned();
        let name = format!("UN{}", self.fresh());
        self.current.tablespaces.insert(name.clone(), vec![UNDO_BYTES]);
        self.commit_by(format!(
            "create undo tablespace {name} datafile '{}.dbf' size {}",
            name.to_lowercase(),
            UNDO_BYTES
        ));
        self.say(format!("alter system set undo_tablespace = {name}"));
        if let Some(before) = before {
            self.current.tablespaces.remove(&before);
            self.commit_by(format!("drop tablespace {before} including contents and datafiles"));
        }
    }
}

fn is_of(tablespace: &str, group: &str) -> bool {
    tablespace.ends_with(group)
}
