//! Every name of a trace's profile.

use report::profile::Profile;
use report::tkprof::{self, Printed};
use report::trace::Header;

use super::Names;
use super::names::NameKind;
use super::report::without_quotes;

/// Words of plan operations; any other word in one is a name.
const OPERATIONS: &str = " ACCESS AGGREGATE ALL AND ANTI APPEND APPROXIMATE AS ASSEMBLY BATCHED BITMAP BLOOM BROADCAST BUFFER BUFFERED BY CARTESIAN CLUSTER \
COLLECTION COLUMN CONCATENATION CONNECT CONSISTENT CONSTRUCTOR CONVENTIONAL CONVERSION COORDINATOR COUNT CREATE CUBE DELETE DESCENDING DIRECT DOMAIN DUAL EXACT \
EXPRESSION EXTERNAL FAST FETCH FILTER FIRST FIXED FLASHBACK FOR FROM FULL FULLSCAN GLOBAL GROUP GROUPED HASH HYBRID ID IN INDEX INDEXES INLIST INMEMORY INSERT INTERSECTION \
INTO ITERATOR JOIN K KEY LIST LOAD LOCAL LOOPS MATERIALIZED MAX MAT_VIEW MERGE MIN MINUS MODEL MULTI-TABLE NESTED NO NOSORT NOT OF OFF OPTIMIZER OR ORDER ORDERED \
OUTER PARENT PARTITION PIPELINED PICKLER PL/SQL PROCEDURE PROJECTION PUSHED PUSHDOWN PX QC RANDOM RANGE RECEIVE RECURSIVE REFERENCE REMOTE RESULT REWRITE \
RIGHT ROLLUP ROUTER ROW ROWID ROWIDS ROWS RULES SAMPLE SCAN SEARCH SELECT SELECTION SEMI SEND SEQUENCE SET SINGLE SKIP SORT STATEMENT STATISTICS STOPKEY STORAGE SUBQUERY \
TABLE TEMP TO TRANSFORMATION UNION UNION-ALL UNIQUE UNPIVOT UPDATE USER USING VALUE VALUES VIEW WINDOW WITH WITHOUT XMLTABLE (MIN/MAX) (RANDOM) (ORDER) (RANGE) (HASH) \
(BROADCAST) (FULL) (CACHED) (BUFFERED) PARTITION: KEY(SQ) OUTER-JOIN ";

impl Names {
    /// Masks the profile. Events, classes and numbers stay as they are.
    pub(crate) fn profile(&mut self, profile: &mut Profile) {
        self.summary(&mut profile.summary);
        for event in &mut profile.events {
            event.name = without_quotes(&event.name);
        }
    }

    /// Masks the output of TKPROF.
    pub(crate) fn printed(&mut self, printed: &mut Printed) {
        self.summary(&mut printed.report);
        for line in &mut printed.misread {
            line.text.clear();
        }
    }

    fn summary(&mut self, summary: &mut tkprof::Report) {
        if let Some(name) = &mut summary.name {
            *name = self.input(name);
        }
        self.header(&mut summary.header);
        for line in &mut summary.reading.misread {
            line.text.clear();
        }
        for statement in &mut summary.statements {
            if let Some(sql) = &mut statement.sql {
                *sql = self.statement(sql);
            }
            for row_source in statement.plans.iter_mut().flat_map(|plan| &mut plan.row_sources) {
                row_source.operation = self.operation(&row_source.operation);
            }
        }
        for failed in &mut summary.parse_errors {
            failed.sql = self.statement(&failed.sql);
        }
    }

    fn header(&mut self, header: &mut Header) {
        if let Some(name) = &mut header.node_name {
            *name = self.replace(NameKind::Host, name);
        }
        if let Some(name) = &mut header.instance_name {
            *name = self.database(name);
        }
        // After the instance: folders are named after it.
        for path in [&mut header.trace_file, &mut header.oracle_home].into_iter().flatten() {
            *path = self.path(path);
        }
        header.image = None;
    }

    fn operation(&mut self, operation: &str) -> String {
        let words = operation.split(' ').map(|word| {
            let plain = word.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_punctuation());
            let known = OPERATIONS.contains(&format!(" {word} "));
            if plain || known { word.to_owned() } else { self.object(None, word) }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_plan_keeps_its_operations() {
        let mut names = Names::default();
        assert_eq!(
            names.operation("TABLE ACCESS FULL SALES PARTITION: 1 4"),
            "TABLE ACCESS FULL OBJECT_1 PARTITION: 1 4"
        );
        assert_eq!(names.operation("INDEX RANGE SCAN (MIN/MAX) I_SALES"), "INDEX RANGE SCAN (MIN/MAX) OBJECT_2");
    }
}
