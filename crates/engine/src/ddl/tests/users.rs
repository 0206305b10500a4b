//! Users, roles and privileges.

use super::*;
use crate::ddl::{Quota, UserSpec};
use crate::dictionary::{ObjectPrivilege, SystemPrivilege, authenticate};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn with_password(password: &str) -> UserSpec {
    UserSpec { password: Some(password.to_owned()), ..UserSpec::default() }
}

#[test]
fn a_new_user_may_do_what_was_granted() {
    let database = Database::new();
    let system = database.session();
    system.create_user("SCOTT", &with_password("tiger")).unwrap();
    assert!(system.create_user("SCOTT", &with_password("x")).unwrap_err().is_ora(1920));
    let log_on = |password| authenticate(&system.catalog(), "SCOTT", Some(password));
    assert!(log_on("tiger").unwrap_err().is_ora(1045));
    system.grant(&names(&["CREATE SESSION"]), &names(&["SCOTT"]), false).unwrap();
    log_on("tiger").unwrap();
    assert!(log_on("lion").unwrap_err().is_ora(1017));
    assert!(authenticate(&system.catalog(), "NOBODY", Some("x")).unwrap_err().is_ora(1017));

    let scott = database.connect("SCOTT");
    let spec = TableSpec { owner: "SCOTT".to_owned(), ..table_spec("T") };
    assert!(scott.create_table(&spec).unwrap_err().is_ora(1031));
    system.grant(&names(&["create table"]), &names(&["SCOTT"]), false).unwrap();
    assert!(scott.create_table(&spec).unwrap_err().is_ora(1950));
    let quota = UserSpec { quotas: vec![("USERS".to_owned(), Quota::Unlimited)], ..UserSpec::default() };
    system.alter_user("SCOTT", &quota).unwrap();
    scott.create_table(&spec).unwrap();
    assert!(scott.create_table(&table_spec("T")).unwrap_err().is_ora(1031));
    assert!(scott.create_user("ADAM", &UserSpec::default()).unwrap_err().is_ora(1031));
    scott.alter_user("SCOTT", &with_password("lion")).unwrap();
    assert!(scott.alter_user("SCOTT", &quota).unwrap_err().is_ora(1031));
    drop((system, scott));

    let database = database.reopen();
    let catalog = database.session().catalog();
    authenticate(&catalog, "SCOTT", Some("lion")).unwrap();
    let scott = catalog.user("SCOTT").unwrap();
    assert_eq!(scott.default_tablespace, "USERS");
    assert!(scott.quotas.contains("USERS"));
    assert!(catalog.has_system_privilege("SCOTT", SystemPrivilege::CreateTable));
    let system = database.session();
    let locked = UserSpec { locked: Some(true), ..UserSpec::default() };
    system.alter_user("SCOTT", &locked).unwrap();
    assert!(authenticate(&system.catalog(), "SCOTT", Some("lion")).unwrap_err().is_ora(28000));
    assert!(system.drop_user("SCOTT", false).unwrap_err().is_ora(1922));
    system.drop_user("SCOTT", true).unwrap();
    assert!(system.catalog().user("SCOTT").is_none() && system.catalog().table("SCOTT", "T").is_none());
    assert!(system.drop_user("SYSTEM", true).unwrap_err().is_ora(1031));
}

#[test]
fn logons_fail_before_a_password_is_set() {
    let database = Database::new();
    let system = database.session();
    let log_on = |name: &str, password| authenticate(&system.catalog(), name, password);
    for name in ["SYSTEM", "SYS"] {
        for password in ["", "manager"] {
            assert!(log_on(name, Some(password)).unwrap_err().is_ora(1017), "{name}/{password}");
        }
        // The operating system's user has opened the files.
        log_on(name, None).unwrap();
    }
    system.alter_user("SYSTEM", &with_password("manager")).unwrap();
    log_on("SYSTEM", Some("manager")).unwrap();
    assert!(log_on("SYSTEM", Some("Manager")).unwrap_err().is_ora(1017));
    assert!(log_on("SYSTEM", Some("")).unwrap_err().is_ora(1017));
}

#[test]
fn a_lock_keeps_everybody_out_but_as_sysdba() {
    let database = Database::new();
    let system = database.session();
    let locked = |locked| UserSpec { locked: Some(locked), ..with_password("x") };
    for name in ["SYSTEM", "SYS"] {
        system.alter_user(name, &locked(true)).unwrap();
        assert!(authenticate(&system.catalog(), name, Some("x")).unwrap_err().is_ora(28000));
    }
    drop(system);
    let database = database.reopen();
    let sys = database.connect("SYS");
    assert!(authenticate(&sys.catalog(), "SYSTEM", None).unwrap_err().is_ora(28000));
    authenticate(&sys.catalog(), "SYS", None).unwrap();
    sys.alter_user("SYSTEM", &locked(false)).unwrap();
    authenticate(&sys.catalog(), "SYSTEM", None).unwrap();
}

#[test]
fn another_users_table_is_hidden_until_something_on_it_is_granted() {
    let database = Database::new();
    let system = database.session();
    system.create_table(&table_spec("T")).unwrap();
    for user in ["SCOTT", "ADAM"] {
        system.create_user(user, &UserSpec::default()).unwrap();
    }
    let table = system.catalog().table("SYSTEM", "T").unwrap().clone();
    let may = |user: &str, privilege| system.catalog().check_table(user, &table, privilege);
    let (select, insert) = (ObjectPrivilege::Select, ObjectPrivilege::Insert);
    may("SYSTEM", insert).unwrap();
    assert!(may("SCOTT", select).unwrap_err().is_ora(942));
    system.grant_on(&[select], "SYSTEM", "T", &names(&["SCOTT"]), true).unwrap();
    may("SCOTT", select).unwrap();
    assert!(may("SCOTT", insert).unwrap_err().is_ora(1031));
    let scott = database.connect("SCOTT");
    assert!(scott.drop_table("SYSTEM", "T").unwrap_err().is_ora(1031));
    assert!(database.connect("ADAM").drop_table("SYSTEM", "T").unwrap_err().is_ora(942));
    scott.grant_on(&[select], "SYSTEM", "T", &names(&["PUBLIC"]), false).unwrap();
    assert!(scott.grant_on(&[insert], "SYSTEM", "T", &names(&["ADAM"]), false).unwrap_err().is_ora(1031));
    may("ADAM", select).unwrap();
    system.revoke_on(&[select], "SYSTEM", "T", &names(&["PUBLIC"])).unwrap();
    assert!(may("ADAM", select).unwrap_err().is_ora(942));
    assert!(system.revoke_on(&[insert], "SYSTEM", "T", &names(&["SCOTT"])).unwrap_err().is_ora(1927));
    assert!(system.grant_on(&[select], "SYSTEM", "T", &names(&["SYSTEM"]), false).unwrap_err().is_ora(1749));
    // Privileges on a table go with it.
    system.drop_table("SYSTEM", "T").unwrap();
    assert!(system.catalog().user("SCOTT").unwrap().objects.is_empty());
}

#[test]
fn roles_carry_privileges() {
    let database = Database::new();
    let system = database.session();
    system.create_user("SCOTT", &UserSpec::default()).unwrap();
    let has = |privilege| system.catalog().has_system_privilege("SCOTT", privilege);
    system.grant(&names(&["CONNECT", "RESOURCE"]), &names(&["SCOTT"]), false).unwrap();
    assert!(has(SystemPrivilege::CreateSession) && has(SystemPrivilege::CreateTable));
    assert!(!has(SystemPrivilege::AlterSystem));
    system.grant(&names(&["DBA"]), &names(&["RESOURCE"]), false).unwrap();
    assert!(has(SystemPrivilege::AlterSystem));
    assert!(system.grant(&names(&["RESOURCE"]), &names(&["DBA"]), false).unwrap_err().is_ora(1934));
    system.revoke(&names(&["RESOURCE"]), &names(&["SCOTT"])).unwrap();
    assert!(!has(SystemPrivilege::AlterSystem));
    assert!(system.revoke(&names(&["RESOURCE"]), &names(&["SCOTT"])).unwrap_err().is_ora(1951));
    assert!(system.grant(&names(&["FLY"]), &names(&["SCOTT"]), false).unwrap_err().is_ora(1919));
    assert!(system.grant(&names(&["DBA"]), &names(&["NOBODY"]), false).unwrap_err().is_ora(1917));
    let scott = database.connect("SCOTT");
    assert!(scott.grant(&names(&["CREATE SESSION"]), &names(&["SCOTT"]), false).unwrap_err().is_ora(1031));
}

#[test]
fn alter_system_takes_a_privilege() {
    use storage::parameters::{Parameter, Scope};
    let database = Database::new();
    let system = database.session();
    system.create_user("SCOTT", &UserSpec::default()).unwrap();
    let scott = database.connect("SCOTT");
    assert!(scott.alter_system("timed_statistics", "false", Scope::Both).unwrap_err().is_ora(1031));
    system.alter_system("timed_statistics", "false", Scope::Both).unwrap();
    assert!(!scott.parameters().boolean(Parameter::TimedStatistics));
    drop((system, scott));
    let database = database.reopen();
    assert!(!database.instance.parameters().boolean(Parameter::TimedStatistics));
    database.session().reset_system("timed_statistics").unwrap();
}

#[test]
fn dictionary_tables_refuse_changes() {
    let database = Database::new();
    let session = database.session();
    let catalog = session.catalog();
    let table = catalog.table("SYS", "TAB$").unwrap();
    catalog.check_table("SYSTEM", table, ObjectPrivilege::Select).unwrap();
    for user in ["SYS", "SYSTEM"] {
        assert!(catalog.check_table(user, table, ObjectPrivilege::Update).unwrap_err().is_ora(1031));
    }
}
