//! The models that come with Highwater.

use common::Result;

use crate::file::ModelFile;

const MODELS: [(&str, &str); 7] = [
    ("disk-10k-73gb", include_str!("../catalogue/disk-10k-73gb.toml")),
    ("disk-15k-600gb", include_str!("../catalogue/disk-15k-600gb.toml")),
    ("nvme-p3700", include_str!("../catalogue/nvme-p3700.toml")),
    ("optane-p4800x", include_str!("../catalogue/optane-p4800x.toml")),
    ("ramsan-400", include_str!("../catalogue/ramsan-400.toml")),
    ("ramsan-500", include_str!("../catalogue/ramsan-500.toml")),
    ("volume-gp2-40gb", include_str!("../catalogue/volume-gp2-40gb.toml")),
];

/// Their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// The model of a name; None when there is none.
///
/// # Errors
/// HW-0080 when the catalogue is wrong; a test rules that out.
pub fn find(name: &str) -> Result<Option<ModelFile>> {
    let found = MODELS.iter().find(|(known, _)| *known == name);
    found.map(|(name, text)| ModelFile::parse(name, text)).transpose()
}
