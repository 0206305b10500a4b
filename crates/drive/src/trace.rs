//! Traces of real drives, one request a line: `R` or `W`, a word without meaning, first block, blocks, microseconds of
//! service, microseconds from its end to the next request.

use common::Result;

use crate::error::invalid;
use crate::model::{Kind, Request};

/// A request of a trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TraceRequest {
    pub request: Request,
    pub service_us: f64,
    pub think_us: f64,
}

fn line(words: &[&str]) -> Option<TraceRequest> {
    let [kind, _, block, blocks, service, think] = words else { return None };
    let kind = match *kind {
        "R" => Kind::Read,
        "W" => Kind::Write,
        _ => return None,
    };
    let time = |text: &str| text.parse::<f64>().ok().filter(|us| us.is_finite() && *us >= 0.0);
    let blocks = blocks.parse().ok().filter(|blocks| (1..=1 << 22).contains(blocks))?;
    let block = block.parse().ok().filter(|block| *block < 1 << 62)?;
    let request = Request { kind, block, blocks };
    Some(TraceRequest { request, service_us: time(service)?, think_us: time(think)? })
}

/// Reads a trace; `name` stands in errors. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// HW-0080 with the line that is none of a trace, or when there are fewer than four requests.
pub fn read_trace(name: &str, text: &str) -> Result<Vec<TraceRequest>> {
    let mut requests = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let words: Vec<_> = text.split_whitespace().collect();
        if words.is_empty() || text.starts_with('#') {
            continue;
        }
        let request = line(&words).ok_or_else(|| {
            let form = "R or W, a word, first block, blocks, microseconds of service and of think time";
            invalid(format!("{name}, line {number}: no request of a trace ({form})"))
        })?;
        requests.push(request);
    }
    if requests.len() < 4 {
        return Err(invalid(format!("{name}: {} requests; a score needs four at the least", requests.len())));
    }
    if requests.iter().all(|one| one.service_us == 0.0) {
        return Err(invalid(format!("{name}: no request has a time of service")));
    }
    Ok(requests)
}
