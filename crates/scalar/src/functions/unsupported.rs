//! Oracle functions and pseudocolumns that are not supported: HW-0001 instead of an unknown name.

/// Sorted, for binary search.
const FUNCTIONS: &[&str] = &[
    "APPENDCHILDXML",
    "APPROX_COUNT",
    "APPROX_COUNT_DISTINCT",
    "APPROX_MEDIAN",
    "APPROX_PERCENTILE",
    "APPROX_RANK",
    "APPROX_SUM",
    "ASCIISTR",
    "BFILENAME",
    "BIN_TO_NUM",
    "BITOR",
    "BITXOR",
    "CARDINALITY",
    "CLUSTER_ID",
    "CLUSTER_PROBABILITY",
    "CLUSTER_SET",
    "COLLATION",
    "COLLECT",
    "COMPOSE",
    "CONVERT",
    "CON_DBID_TO_ID",
    "CON_NAME_TO_ID",
    "CORR",
    "CORR_K",
    "CORR_S",
    "COVAR_POP",
    "COVAR_SAMP",
    "CV",
    "DECOMPOSE",
    "DEPTH",
    "DEREF",
    "EMPTY_BLOB",
    "EMPTY_CLOB",
    "EXISTSNODE",
    "EXTRACTVALUE",
    "FEATURE_ID",
    "FROM_TZ",
    "GROUP_ID",
    "INSTR2",
    "INSTR4",
    "INSTRC",
    "ITERATION_NUMBER",
    "JSON_ARRAY",
    "JSON_ARRAYAGG",
    "JSON_OBJECT",
    "JSON_OBJECTAGG",
    "JSON_QUERY",
    "JSON_TABLE",
    "JSON_VALUE",
    "KURTOSIS_POP",
    "KURTOSIS_SAMP",
    "LENGTH2",
    "LENGTH4",
    "LENGTHC",
    "MAKE_REF",
    "NANVL",
    "NCHR",
    "NEW_TIME",
    "NLSSORT",
    "NLS_CHARSET_DECL_LEN",
    "NLS_CHARSET_ID",
    "NLS_CHARSET_NAME",
    "NLS_COLLATION_ID",
    "NLS_COLLATION_NAME",
    "NLS_INITCAP",
    "NLS_LOWER",
    "NLS_UPPER",
    "NTH_VALUE",
    "NUMTODSINTERVAL",
    "NUMTOYMINTERVAL",
    "ORA_DST_AFFECTED",
    "ORA_DST_CONVERT",
    "ORA_DST_ERROR",
    "PATH",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "POWERMULTISET",
    "POWERMULTISET_BY_CARDINALITY",
    "PREDICTION",
    "PREDICTION_COST",
    "PREDICTION_PROBABILITY",
    "PRESENTNNV",
    "PRESENTV",
    "PREVIOUS",
    "RATIO_TO_REPORT",
    "RAWTONHEX",
    "REF",
    "REFTOHEX",
    "REGR_AVGX",
    "REGR_AVGY",
    "REGR_COUNT",
    "REGR_INTERCEPT",
    "REGR_R2",
    "REGR_SLOPE",
    "REGR_SXX",
    "REGR_SXY",
    "REGR_SYY",
    "ROWIDTONCHAR",
    "SCN_TO_TIMESTAMP",
    "SET",
    "SKEWNESS_POP",
    "SKEWNESS_SAMP",
    "STANDARD_HASH",
    "STATS_BINOMIAL_TEST",
    "STATS_CROSSTAB",
    "STATS_F_TEST",
    "STATS_KS_TEST",
    "STATS_MODE",
    "STATS_MW_TEST",
    "STATS_ONE_WAY_ANOVA",
    "STATS_T_TEST_INDEP",
    "STATS_T_TEST_INDEPU",
    "STATS_T_TEST_ONE",
    "STATS_T_TEST_PAIRED",
    "STATS_WSR_TEST",
    "SYS_CONNECT_BY_PATH",
    "SYS_DBURIGEN",
    "SYS_EXTRACT_UTC",
    "SYS_OP_ZONE_ID",
    "SYS_TYPEID",
    "SYS_XMLAGG",
    "SYS_XMLGEN",
    "TIMESTAMP_TO_SCN",
    "TO_APPROX_COUNT_DISTINCT",
    "TO_APPROX_PERCENTILE",
    "TO_BINARY_DOUBLE",
    "TO_BINARY_FLOAT",
    "TO_BLOB",
    "TO_CLOB",
    "TO_DSINTERVAL",
    "TO_LOB",
    "TO_MULTI_BYTE",
    "TO_NCHAR",
    "TO_NCLOB",
    "TO_SINGLE_BYTE",
    "TO_TIMESTAMP_TZ",
    "TO_UTC_TIMESTAMP_TZ",
    "TO_YMINTERVAL",
    "TREAT",
    "TZ_OFFSET",
    "UNISTR",
    "VALIDATE_CONVERSION",
    "VALUE",
    "XMLAGG",
    "XMLATTRIBUTES",
    "XMLCAST",
    "XMLCDATA",
    "XMLCOLATTVAL",
    "XMLCOMMENT",
    "XMLCONCAT",
    "XMLDIFF",
    "XMLELEMENT",
    "XMLEXISTS",
    "XMLFOREST",
    "XMLISVALID",
    "XMLPARSE",
    "XMLPATCH",
    "XMLPI",
    "XMLQUERY",
    "XMLROOT",
    "XMLSEQUENCE",
    "XMLSERIALIZE",
    "XMLTABLE",
    "XMLTRANSFORM",
];

const PSEUDOCOLUMNS: &[&str] = &[
    "CONNECT_BY_ISCYCLE",
    "CONNECT_BY_ISLEAF",
    "OBJECT_ID",
    "OBJECT_VALUE",
    "ORA_ROWSCN",
    "VERSIONS_ENDSCN",
    "VERSIONS_ENDTIME",
    "VERSIONS_OPERATION",
    "VERSIONS_STARTSCN",
    "VERSIONS_STARTTIME",
    "VERSIONS_XID",
];

/// Functions whose names stand without parentheses, sorted.
const WITHOUT_PARENTHESES: &[&str] = &["DBTIMEZONE", "ORA_INVOKING_USER", "ORA_INVOKING_USERID", "SESSIONTIMEZONE"];

/// True: Oracle has a function of this name, in upper case, and neither this library nor SQL's aggregate and window
/// functions have it.
#[must_use]
pub fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

/// True: Oracle has a function of this name, in upper case, that is called without parentheses, and Highwater has not.
#[must_use]
pub fn is_without_parentheses(name: &str) -> bool {
    WITHOUT_PARENTHESES.binary_search(&name).is_ok()
}

/// True: Oracle has a pseudocolumn of this name, in upper case, and Highwater has not.
#[must_use]
pub fn is_pseudocolumn(name: &str) -> bool {
    PSEUDOCOLUMNS.binary_search(&name).is_ok()
}

/// The names of the functions, and then of those without parentheses; both sorted.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().chain(WITHOUT_PARENTHESES).copied()
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, PSEUDOCOLUMNS, WITHOUT_PARENTHESES, functions};
    use crate::functions::lookup;

    #[test]
    fn names_are_sorted() {
        assert!(FUNCTIONS.is_sorted());
        assert!(PSEUDOCOLUMNS.is_sorted());
        assert!(WITHOUT_PARENTHESES.is_sorted());
    }

    #[test]
    fn no_function_that_exists_is_listed() {
        let listed: Vec<_> = functions().filter(|name| lookup(name).is_some()).collect();
        assert!(listed.is_empty(), "{listed:?}");
    }
}
