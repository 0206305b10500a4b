//! A rotating disk in a model file.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::number::{Count, NotNegative, Positive};

/// A rotating disk.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSpec {
    pub rpm: Positive,
    pub surfaces: Count,
    /// From the outermost cylinder to the innermost.
    pub zones: Zones,
    pub seek: SeekSpec,
    /// Time that a write waits for the head to settle beyond a read's.
    #[serde(default)]
    pub write_settle_ms: NotNegative,
    #[serde(default)]
    pub head_switch_ms: NotNegative,
    /// Rate of the bus or link.
    pub bus_mb_per_s: Positive,
    #[serde(default)]
    pub overhead_ms: OverheadSpec,
    pub cache: CacheSpec,
    #[serde(default)]
    pub scheduling: Scheduling,
}

/// Cylinders of one track size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    pub cylinders: Count,
    /// Sectors of 512 bytes a track.
    pub sectors: Count,
}

/// Times of seeks.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "SeekForm")]
pub enum SeekSpec {
    /// Three figures of a data sheet.
    Figures { single_ms: f64, average_ms: f64, full_ms: f64 },
    /// Distance in cylinders and milliseconds, by distance.
    Measured(Vec<(u32, f64)>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeekForm {
    single_ms: Option<Positive>,
    average_ms: Option<Positive>,
    full_ms: Option<Positive>,
    measured_ms: Option<MeasuredPoints>,
}

/// Distances in cylinders and milliseconds, by rising distance. Each point is checked where it is read, so that an
/// error has the point's line.
struct MeasuredPoints(Vec<(u32, f64)>);

/// A seek may be shorter than one over a shorter distance by this share of it. Measurements scatter: DIXtrac's curve of
/// the Atlas 10K has one seek that took half as long again as its neighbours, so all later ones fall by up to 29 %.
const FALL_MAX: f64 = 1.0 / 3.0;

impl<'de> Deserialize<'de> for MeasuredPoints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PointsVisitor)
    }
}

struct PointsVisitor;

impl<'de> Visitor<'de> for PointsVisitor {
    type Value = MeasuredPoints;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pairs of a distance and milliseconds")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut points: A) -> Result<MeasuredPoints, A::Error> {
        let (mut read, mut longest) = (Vec::new(), (0, 0.0));
        while let Some(point) = points.next_element_seed(Behind { last: read.last().copied(), longest })? {
            if point.1 > longest.1 {
                longest = point;
            }
            read.push(point);
        }
        if read.is_empty() {
            return Err(A::Error::custom("measured_ms has no points"));
        }
        Ok(MeasuredPoints(read))
    }
}

/// Reads the point behind the last one; `longest` is the longest seek so far.
struct Behind {
    last: Option<(u32, f64)>,
    longest: (u32, f64),
}

impl<'de> DeserializeSeed<'de> for Behind {
    type Value = (u32, f64);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(u32, f64), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Behind {
    type Value = (u32, f64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of a distance and milliseconds")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<(u32, f64), A::Error> {
        let distance: u32 = pair.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let ms: f64 = pair.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        let (before, most) = self.longest;
        let last = self.last.map_or(0, |(last, _)| last);
        let why = if pair.next_element::<f64>()?.is_some() {
            "has more than two numbers".to_owned()
        } else if !ms.is_finite() || ms < 0.0 {
            "has no time that can be".to_owned()
        } else if distance <= last {
            format!("has a distance of {distance} cylinders behind {last}: distances rise, from 1 on")
        } else if ms < most * (1.0 - FALL_MAX) {
            format!("is more than a third shorter than the {most} ms over {before} cylinders: seeks rise with distance")
        } else {
            return Ok((distance, ms));
        };
        Err(A::Error::custom(format!("the measured seek [{distance}, {ms}] {why}")))
    }
}

impl TryFrom<SeekForm> for SeekSpec {
    type Error = String;

    fn try_from(form: SeekForm) -> Result<Self, String> {
        match form {
            SeekForm { single_ms: Some(single), average_ms: Some(average), full_ms: Some(full), measured_ms: None } => {
                let (single_ms, average_ms, full_ms) = (single.get(), average.get(), full.get());
                // A curve through an average close to the longest seek would rise above that and fall again.
                if single_ms > average_ms || average_ms > 0.8 * full_ms {
                    return Err("of a seek single_ms <= average_ms <= 0.8 full_ms".into());
                }
                Ok(Self::Figures { single_ms, average_ms, full_ms })
            }
            SeekForm { single_ms: None, average_ms: None, full_ms: None, measured_ms: Some(points) } => {
                Ok(Self::Measured(points.0))
            }
            _ => Err("a seek has single_ms, average_ms and full_ms, or measured_ms alone".into()),
        }
    }
}

/// Time of the controller for a command, by what it does and what the command before was.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OverheadSpec {
    pub read_hit: AfterSpec,
    pub read_miss: AfterSpec,
    /// A write that ends in the cache.
    pub write_hit: AfterSpec,
    /// A write that ends on the medium.
    pub write_miss: AfterSpec,
}

/// Milliseconds after a read and after a write.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AfterSpec {
    pub after_read: NotNegative,
    pub after_write: NotNegative,
}

/// The disk's own memory.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSpec {
    /// Streams of reads that it remembers.
    pub segments: Count,
    pub segment_kb: Positive,
    /// Read on behind a read at the most, as long as nothing else is to be done.
    pub read_ahead_kb: NotNegative,
    /// True: a write ends when the cache has it.
    pub write_back: bool,
    /// Written data that wait for the medium, at the most. None: a segment.
    pub write_kb: Option<Positive>,
}

/// Order in which requests that wait are carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheduling {
    /// In the order of their arrival.
    #[default]
    Fcfs,
    /// The next one in the direction of the last seek.
    Look,
    /// The one that the head reaches first.
    Satf,
}

/// Sectors of a surface at the most, 8 TB: so that the bytes of all surfaces fit 64 bits.
const SURFACE_SECTORS_MAX: u64 = 1 << 34;

/// Zones of a disk; at least eight cylinders together.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "Vec<ZoneSpec>")]
pub struct Zones(Vec<ZoneSpec>);

impl TryFrom<Vec<ZoneSpec>> for Zones {
    type Error = String;

    fn try_from(zones: Vec<ZoneSpec>) -> Result<Self, String> {
        let sectors = |zone: &ZoneSpec| u64::from(zone.cylinders.get()) * u64::from(zone.sectors.get());
        let (cylinders, all) = zones.iter().fold((0_u64, 0_u64), |(cylinders, all), zone| {
            (cylinders + u64::from(zone.cylinders.get()), all.saturating_add(sectors(zone)))
        });
        if cylinders < 8 || all > SURFACE_SECTORS_MAX {
            let most = SURFACE_SECTORS_MAX;
            let text = "a disk has at least 8 cylinders, and at most";
            return Err(format!(
                "the zones have {cylinders} cylinders, {all} sectors: {text} {most} sectors a surface"
            ));
        }
        Ok(Self(zones))
    }
}

impl Zones {
    pub fn iter(&self) -> impl Iterator<Item = &ZoneSpec> {
        self.0.iter()
    }
}

impl DiskSpec {
    /// Cylinders of all zones.
    #[must_use]
    pub fn cylinders(&self) -> u32 {
        self.zones.iter().map(|zone| zone.cylinders.get()).sum()
    }

    pub(super) fn turn_us(&self) -> f64 {
        60e6 / self.rpm.get()
    }

    pub(super) fn head_switch_us(&self) -> f64 {
        self.head_switch_ms.get() * 1e3
    }
}
