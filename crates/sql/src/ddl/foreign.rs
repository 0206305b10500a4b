//! Session parameters of Oracle that Highwater does not have: scripts that set them run, and their session gets a
//! notice.

use common::{Error, Result};
use storage::parameters::Parameter;

/// Parameters that do not change results.
const WITHOUT_EFFECT: &[&str] = &[
    "asm_power_limit",
    "bitmap_merge_area_size",
    "container",
    "create_bitmap_area_size",
    "create_stored_outlines",
    "cursor_sharing",
    "ddl_lock_timeout",
    "deferred_segment_creation",
    "edition",
    "enable_ddl_logging",
    "fixed_date",
    "global_names",
    "hash_area_size",
    "hash_join_enabled",
    "heat_map",
    "inmemory_query",
    "nls_calendar",
    "nls_comp",
    "nls_currency",
    "nls_dual_currency",
    "nls_iso_currency",
    "nls_length_semantics",
    "nls_nchar_conv_excp",
    "nls_sort",
    "nls_time_format",
    "nls_time_tz_format",
    "nls_timestamp_tz_format",
    "object_cache_max_size_percent",
    "object_cache_optimal_size",
    "olap_page_pool_size",
    "optimizer_adaptive_plans",
    "optimizer_adaptive_statistics",
    "optimizer_capture_sql_plan_baselines",
    "optimizer_dynamic_sampling",
    "optimizer_features_enable",
    "optimizer_index_caching",
    "optimizer_mode",
    "optimizer_use_invisible_indexes",
    "optimizer_use_pending_statistics",
    "optimizer_use_sql_plan_baselines",
    "parallel_degree_limit",
    "parallel_degree_policy",
    "parallel_force_local",
    "parallel_instance_group",
    "parallel_min_percent",
    "parallel_min_time_threshold",
    "plscope_settings",
    "plsql_ccflags",
    "plsql_code_type",
    "plsql_debug",
    "plsql_optimize_level",
    "plsql_v2_compatibility",
    "plsql_warnings",
    "query_rewrite_enabled",
    "query_rewrite_integrity",
    "recyclebin",
    "remote_dependencies_mode",
    "result_cache_mode",
    "resumable_timeout",
    "session_cached_cursors",
    "skip_unusable_indexes",
    "sort_area_retained_size",
    "sort_area_size",
    "sqltune_category",
    "star_transformation_enabled",
    "time_zone",
    "use_stored_outlines",
    "workarea_size_policy",
    "xml_db_events",
];

/// Parameters whose other values would change results, with the accepted values.
const AS_IS: &[(&str, &[&str])] = &[
    ("fixed_date", &["NONE"]),
    ("nls_calendar", &["GREGORIAN"]),
    ("nls_comp", &["BINARY"]),
    ("nls_length_semantics", &["BYTE"]),
    ("nls_sort", &["BINARY"]),
];

/// The notice for such a parameter; None for a parameter of Highwater or an unknown one.
///
/// # Errors
/// HW-0001 where the value would change results.
pub(crate) fn notice(name: &str, value: &str) -> Result<Option<String>> {
    let hidden = name.starts_with('_') && Parameter::find(name).is_none();
    if !hidden && (WITHOUT_EFFECT.binary_search(&name).is_err() || Parameter::find(name).is_some()) {
        return Ok(None);
    }
    if let Some((_, values)) = AS_IS.iter().find(|(known, _)| *known == name) {
        if values.iter().any(|known| known.eq_ignore_ascii_case(value)) {
            return Ok(Some(format!("{name} is {} always", value.to_uppercase())));
        }
        return Err(Error::unsupported(format!("{name} = {value}")));
    }
    Ok(Some(format!("{name} has no effect here")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_holds_none_of_our_own() {
        assert!(WITHOUT_EFFECT.is_sorted());
        assert!(AS_IS.iter().all(|(name, _)| WITHOUT_EFFECT.contains(name)));
        let own: Vec<_> = WITHOUT_EFFECT.iter().filter(|name| Parameter::find(name).is_some()).collect();
        assert_eq!(own, Vec::<&&str>::new(), "these do what they say");
    }

    #[test]
    fn what_would_change_answers_is_refused() {
        assert!(notice("nls_sort", "GERMAN").is_err());
        assert!(notice("nls_sort", "binary").unwrap().is_some());
        assert_eq!(notice("no_such_parameter", "1").unwrap(), None);
        assert!(notice("_b_tree_bitmap_plans", "false").unwrap().is_some());
    }
}
