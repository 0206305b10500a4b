//! A model file: TOML with the numbers of one device.

use std::collections::BTreeMap;

use common::Result;
use serde::Deserialize;

use crate::disk::{Disk, spec::DiskSpec};
use crate::error::{invalid, of_toml};
use crate::flash::{Flash, FlashSpec};
use crate::model::Model;
use crate::volume::{Volume, VolumeSpec};

/// The content of a model file.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelFile {
    /// The device, in one line.
    pub device: String,
    /// Where each number is from: by the number's name, or for all of them.
    pub sources: BTreeMap<String, String>,
    pub spec: DeviceSpec,
}

/// The kind of a device.
#[derive(Clone, PartialEq, Debug)]
pub enum DeviceSpec {
    Disk(DiskSpec),
    Flash(FlashSpec),
    /// A volume over a network, or memory behind a link.
    Volume(VolumeSpec),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    device: String,
    sources: BTreeMap<String, String>,
    disk: Option<DiskSpec>,
    flash: Option<FlashSpec>,
    volume: Option<VolumeSpec>,
}

impl ModelFile {
    /// Reads a model file's text; `name` stands in errors.
    ///
    /// # Errors
    /// HW-0080 with the line that is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let Form { device, sources, disk, flash, volume } =
            toml::from_str(text).map_err(|error| of_toml(name, text, &error))?;
        if let Some(volume) = &volume
            && let Some(burst) = volume.burst
            && volume.iops.is_none_or(|iops| iops > burst.iops)
        {
            return Err(invalid(format!("{name}: burst needs iops, and is not below it")));
        }
        let specs = [disk.map(DeviceSpec::Disk), flash.map(DeviceSpec::Flash), volume.map(DeviceSpec::Volume)];
        let mut specs = specs.into_iter().flatten();
        match (specs.next(), specs.next()) {
            (Some(spec), None) => Ok(Self { device, sources, spec }),
            _ => Err(invalid(format!("{name}: a model has one of the sections [disk], [flash] and [volume]"))),
        }
    }

    /// The model as that of a rotating disk.
    ///
    /// # Errors
    /// HW-0080 when it is of another device.
    pub fn disk(&self) -> Result<&DiskSpec> {
        match &self.spec {
            DeviceSpec::Disk(disk) => Ok(disk),
            _ => Err(invalid(format!("{}: a trace is scored with a model of a disk", self.device))),
        }
    }

    /// A device at rest.
    #[must_use]
    pub fn start(&self) -> Box<dyn Model> {
        match &self.spec {
            DeviceSpec::Disk(disk) => Box::new(Disk::new(disk)),
            DeviceSpec::Flash(flash) => Box::new(Flash::new(flash)),
            DeviceSpec::Volume(volume) => Box::new(Volume::new(volume)),
        }
    }
}
