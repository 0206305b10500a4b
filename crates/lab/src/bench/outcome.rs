//! The outcome of a benchmark. `docs/json.md` documents the JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::experiment::merged;
use crate::interval::median;
use crate::modelled_run::{DeviceReport, member};

/// One thing that both sides did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Case {
    pub case: String,
    /// Median; more is better.
    pub highwater: Option<f64>,
    /// Median; None where the peer is absent.
    pub peer: Option<f64>,
    /// Highwater over peer.
    pub ratio: Option<f64>,
    pub unit: String,
    pub peer_name: String,
    /// All runs, in their order.
    pub highwater_runs: Vec<f64>,
    pub peer_runs: Vec<f64>,
    /// The least ratio that is asked for; None where none is.
    #[serde(skip)]
    pub limit: Option<f64>,
}

impl Case {
    /// A case from its runs.
    #[must_use]
    pub fn new(
        case: &str,
        unit: &str,
        peer_name: &str,
        limit: Option<f64>,
        highwater_runs: Vec<f64>,
        peer_runs: Vec<f64>,
    ) -> Self {
        let (highwater, peer) = (median(&highwater_runs), median(&peer_runs));
        let ratio = highwater.zip(peer).filter(|(_, peer)| *peer > 0.0).map(|(highwater, peer)| highwater / peer);
        Self {
            case: case.to_owned(),
            highwater,
            peer,
            ratio,
            unit: unit.to_owned(),
            peer_name: peer_name.to_owned(),
            highwater_runs,
            peer_runs,
            limit,
        }
    }

    /// True: the ratio is at least the required one. None without both.
    #[must_use]
    pub fn reached(&self) -> Option<bool> {
        self.ratio.zip(self.limit).map(|(ratio, limit)| ratio >= limit)
    }
}

/// The whole outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub name: String,
    pub cases: Vec<Case>,
    /// The setup of both sides, and the changes that were durable when a time was taken.
    pub notes: Vec<String>,
    /// Cases that could not be compared, with the reason.
    pub skipped: Vec<String>,
    /// None: it ran on the machine's own devices.
    pub device: Option<DeviceReport>,
}

impl Outcome {
    /// The same with what the run on modelled devices says. One that cannot judge compares nothing.
    #[must_use]
    pub(super) fn on(mut self, device: DeviceReport) -> Self {
        if device.refusal().is_some() {
            self.cases.iter_mut().for_each(|case| case.ratio = None);
        }
        self.device = Some(device);
        self
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let limits: Map<String, Value> =
            self.cases.iter().filter_map(|case| Some((case.case.clone(), json!(case.limit?)))).collect();
        let own = json!({
            "name": self.name,
            "rows": self.cases,
            "limits": limits,
            "notes": self.notes,
            "skipped": self.skipped,
        });
        merged([own, member(self.device.as_ref())])
    }
}
