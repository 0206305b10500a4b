//! The instance and the database.

use std::path::PathBuf;
use std::sync::Arc;

use engine::dictionary::DEFAULT_TABLESPACE;
use engine::instance::Instance;
use storage::parameters::Parameter;

use crate::cursor::trace;

use super::view::{Column, Table, View, date, n, number, s, text, unless_zero};

/// The version of this engine.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const INSTANCE: &[Column<Arc<Instance>>] = &[
    number("INSTANCE_NUMBER", |_| n(1)),
    text("INSTANCE_NAME", 16, |instance| s(instance.database_name().to_lowercase())),
    text("HOST_NAME", 64, |_| s(std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim())),
    text("VERSION", 17, |_| s(VERSION)),
    date("STARTUP_TIME", |instance| unless_zero(instance.started_us())),
    text("STATUS", 12, |_| s("OPEN")),
    text("DATABASE_STATUS", 17, |_| s("ACTIVE")),
];

const DATABASE: &[Column<Arc<Instance>>] = &[
    number("DBID", |instance| n(instance.dbid())),
    text("NAME", 9, |instance| s(instance.database_name())),
    date("CREATED", |instance| unless_zero(instance.control().data().created_us)),
    text("LOG_MODE", 12, |_| s("NOARCHIVELOG")),
    text("OPEN_MODE", 20, |_| s("READ WRITE")),
    number("CURRENT_SCN", |instance| n(instance.scn().0)),
];

/// Name and path of a place for diagnosis.
struct DiagnosticPlace(&'static str, PathBuf);

const DIAGNOSTICS: &[Column<DiagnosticPlace>] = &[
    number("INST_ID", |_| n(1)),
    text("NAME", 64, |DiagnosticPlace(name, _)| s(name)),
    text("VALUE", 512, |DiagnosticPlace(_, path)| s(path.to_string_lossy())),
];

const BANNER: &[Column<()>] = &[text("BANNER", 80, |()| s(concat!("Highwater ", env!("CARGO_PKG_VERSION"))))];

const PRODUCT: &[Column<()>] = &[
    text("PRODUCT", 80, |()| s("Highwater")),
    text("VERSION", 80, |()| s(VERSION)),
    text("STATUS", 80, |()| s("Production")),
];

const GLOBAL_NAME: &[Column<Arc<Instance>>] = &[text("GLOBAL_NAME", 4000, |instance| s(instance.database_name()))];

struct Property {
    name: &'static str,
    value: String,
    description: &'static str,
}

const PROPERTIES: &[Column<Property>] = &[
    text("PROPERTY_NAME", 128, |property| s(property.name)),
    text("PROPERTY_VALUE", 4000, |property| s(&property.value)),
    text("DESCRIPTION", 4000, |property| s(property.description)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$INSTANCE", &[INSTANCE], |cx, each| each(Arc::clone(cx.session.instance()))),
    &Table::new("V$DATABASE", &[DATABASE], |cx, each| each(Arc::clone(cx.session.instance()))),
    &Table::new("V$DIAG_INFO", &[DIAGNOSTICS], |cx, each| {
        each(DiagnosticPlace("Diag Trace", trace::directory(&cx.session)))?;
        each(DiagnosticPlace("Default Trace File", trace::path(&cx.session)))
    }),
    &Table::new("V$VERSION", &[BANNER], |_, each| each(())),
    &Table::new("PRODUCT_COMPONENT_VERSION", &[PRODUCT], |_, each| each(())),
    &Table::new("GLOBAL_NAME", &[GLOBAL_NAME], |cx, each| each(Arc::clone(cx.session.instance()))),
    &Table::new("DATABASE_PROPERTIES", &[PROPERTIES], |cx, each| {
        let instance = cx.session.instance();
        let nls = |parameter: Parameter| instance.parameters().text(parameter).to_string();
        let database = instance.database_name().to_owned();
        let properties = [
            ("DEFAULT_PERMANENT_TABLESPACE", DEFAULT_TABLESPACE.to_owned(), "Of users that name none"),
            ("GLOBAL_DB_NAME", database, "The database's name"),
            ("NLS_CHARACTERSET", "AL32UTF8".to_owned(), "Character set of texts"),
            ("NLS_DATE_FORMAT", nls(Parameter::NlsDateFormat), "How dates are written"),
            ("NLS_LENGTH_SEMANTICS", "BYTE".to_owned(), "What lengths of texts count"),
            ("NLS_NUMERIC_CHARACTERS", nls(Parameter::NlsNumericCharacters), "Decimal character and group separator"),
            ("NLS_SORT", "BINARY".to_owned(), "How texts are sorted"),
            ("NLS_TIMESTAMP_FORMAT", nls(Parameter::NlsTimestampFormat), "How timestamps are written"),
        ];
        properties.into_iter().try_for_each(|(name, value, description)| each(Property { name, value, description }))
    }),
];
