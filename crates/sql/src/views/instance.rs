//! The instance and the database.

use engine::dictionary::DEFAULT_TABLESPACE;
use storage::parameters::Parameter;

use crate::cursor::trace;

use super::view::{View, at, date, n, number, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$INSTANCE",
        columns: &[
            number("INSTANCE_NUMBER"),
            text("INSTANCE_NAME", 16),
            text("HOST_NAME", 64),
            text("VERSION", 17),
            date("STARTUP_TIME"),
            text("STATUS", 12),
            text("DATABASE_STATUS", 17),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            rows.add(&[
                n(1),
                s(instance.database_name().to_lowercase()),
                s(host.trim()),
                s(env!("CARGO_PKG_VERSION")),
                at(instance.started_us())?,
                s("OPEN"),
                s("ACTIVE"),
            ])
        },
    },
    View {
        name: "V$DATABASE",
        columns: &[
            number("DBID"),
            text("NAME", 9),
            date("CREATED"),
            text("LOG_MODE", 12),
            text("OPEN_MODE", 20),
            number("CURRENT_SCN"),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let created_us = instance.control().data().created_us;
            rows.add(&[
                n(instance.dbid()),
                s(instance.database_name()),
                at(created_us)?,
                s("NOARCHIVELOG"),
                s("READ WRITE"),
                n(instance.scn().0),
            ])
        },
    },
    View {
        name: "V$DIAG_INFO",
        columns: &[number("INST_ID"), text("NAME", 64), text("VALUE", 512)],
        rows: |cx, rows| {
            let trace = |name, path: std::path::PathBuf| [n(1), s(name), s(path.to_string_lossy())];
            rows.add(&trace("Diag Trace", trace::directory(&cx.session)))?;
            rows.add(&trace("Default Trace File", trace::path(&cx.session)))
        },
    },
    View {
        name: "V$VERSION",
        columns: &[text("BANNER", 80)],
        rows: |_, rows| rows.add(&[s(concat!("Highwater ", env!("CARGO_PKG_VERSION")))]),
    },
    View {
        name: "PRODUCT_COMPONENT_VERSION",
        columns: &[text("PRODUCT", 80), text("VERSION", 80), text("STATUS", 80)],
        rows: |_, rows| rows.add(&[s("Highwater"), s(env!("CARGO_PKG_VERSION")), s("Production")]),
    },
    View {
        name: "GLOBAL_NAME",
        columns: &[text("GLOBAL_NAME", 4000)],
        rows: |cx, rows| rows.add(&[s(cx.session.instance().database_name())]),
    },
    View {
        name: "DATABASE_PROPERTIES",
        columns: &[text("PROPERTY_NAME", 128), text("PROPERTY_VALUE", 4000), text("DESCRIPTION", 4000)],
        rows: |cx, rows| {
            let nls = |parameter: Parameter| s(cx.session.instance().parameters().text(parameter));
            let database = s(cx.session.instance().database_name());
            rows.add(&[s("DEFAULT_PERMANENT_TABLESPACE"), s(DEFAULT_TABLESPACE), s("Of users that name none")])?;
            rows.add(&[s("GLOBAL_DB_NAME"), database, s("The database's name")])?;
            rows.add(&[s("NLS_CHARACTERSET"), s("AL32UTF8"), s("Character set of texts")])?;
            rows.add(&[s("NLS_DATE_FORMAT"), nls(Parameter::NlsDateFormat), s("How dates are written")])?;
            rows.add(&[s("NLS_LENGTH_SEMANTICS"), s("BYTE"), s("What lengths of texts count")])?;
            rows.add(&[
                s("NLS_NUMERIC_CHARACTERS"),
                nls(Parameter::NlsNumericCharacters),
                s("Decimal character and group separator"),
            ])?;
            rows.add(&[s("NLS_SORT"), s("BINARY"), s("How texts are sorted")])?;
            rows.add(&[s("NLS_TIMESTAMP_FORMAT"), nls(Parameter::NlsTimestampFormat), s("How timestamps are written")])
        },
    },
];
