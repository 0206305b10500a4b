//! A second pass over the analysis of a masked model.

use super::Names;
use crate::analysis::Analysis;

impl Names {
    /// Replaces names of the file in every text of the analysis. There should be none: the model was masked before.
    pub(crate) fn analysis(&self, analysis: &mut Analysis) {
        for sum in &mut analysis.sums {
            for input in &mut sum.inputs {
                self.sweep(&mut input.section);
            }
        }
        for finding in &mut analysis.findings {
            self.sweep(&mut finding.title);
            for evidence in &mut finding.evidence {
                self.sweep(&mut evidence.text);
                self.sweep(&mut evidence.section);
            }
            finding.doubts.iter_mut().chain(&mut finding.advice).for_each(|text| self.sweep(text));
            if let Some(saving) = &mut finding.saving {
                self.sweep(&mut saving.assumption);
            }
        }
        for ruled in &mut analysis.ruled_out {
            self.sweep(&mut ruled.reason);
        }
        analysis.notes.iter_mut().for_each(|note| self.sweep(note));
        for unknown in &mut analysis.cannot_tell {
            self.sweep(&mut unknown.missing);
        }
    }
}
