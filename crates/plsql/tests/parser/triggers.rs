//! Triggers.

use plsql::ast::{Trigger, TriggerEvent, TriggerTiming, UnitKind};

use crate::{faults, show, unit};

fn trigger(text: &str) -> Trigger {
    match unit(text).kind {
        UnitKind::Trigger(trigger) => *trigger,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_row_trigger_with_everything() {
    let trigger = trigger(
        "create or replace trigger o.t
           before insert or update of a, b or delete on o.emp
           referencing old as vorher new nachher
           for each row
           disable
           when (nachher.a > 1 and vorher.a is null)
         declare
           x number;
         begin
           :nachher.a := :vorher.a + 1;
           if inserting or updating('A') then raise_application_error(-20001, 'x'); end if;
         exception
           when others then null;
         end t;",
    );
    assert_eq!((show::path(&trigger.name), show::path(&trigger.table)), ("O.T".to_owned(), "O.EMP".to_owned()));
    assert_eq!(trigger.timing, TriggerTiming::Before);
    assert_eq!(trigger.events.len(), 3);
    let TriggerEvent::Update { columns } = &trigger.events[1] else { panic!() };
    let columns: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    assert_eq!(columns, ["A", "B"]);
    assert_eq!((&*trigger.old.name, &*trigger.new.name), ("VORHER", "NACHHER"));
    assert!(trigger.for_each_row && trigger.disabled);
    assert_eq!(show::expr(&trigger.when.expect("a condition")), "(and (> NACHHER.A 1) (null VORHER.A))");
    assert_eq!(show::outline(&trigger.body.statements[..1]), ":NACHHER.A := (+ :VORHER.A 1)");
    assert_eq!((trigger.body.declarations.len(), trigger.body.handlers.len()), (1, 1));
}

#[test]
fn a_statement_trigger() {
    let trigger = trigger("create trigger t after delete on emp begin null; end;");
    assert_eq!(trigger.timing, TriggerTiming::After);
    assert_eq!(trigger.events, [TriggerEvent::Delete]);
    assert_eq!((&*trigger.old.name, &*trigger.new.name), ("OLD", "NEW"));
    assert!(!trigger.for_each_row && !trigger.disabled && trigger.when.is_none());
}

#[test]
fn a_trigger_may_call() {
    let trigger = trigger("trigger t before update on emp for each row enable call p(:new.a)");
    assert_eq!(show::outline(&trigger.body.statements), "P(:NEW.A)");
}

#[test]
fn when_is_for_rows_only() {
    assert_eq!(
        faults("create trigger t after delete on emp when (1 = 1) begin null; end;"),
        "1/31 PL/SQL: ORA-04077: WHEN clause cannot be used with table level triggers"
    );
}

#[test]
fn incomplete_triggers() {
    for (text, expected) in [
        ("trigger t on emp begin null; end;", "\"ON\" when expecting one of the following: before after"),
        (
            "trigger t before on emp begin null; end;",
            "\"ON\" when expecting one of the following: insert update delete",
        ),
        ("trigger t before insert emp begin null; end;", "\"EMP\" when expecting one of the following: on"),
        ("trigger t before insert on emp null;", "\"NULL\" when expecting one of the following: begin declare call"),
        ("trigger t before insert on emp begin null; end u;", "PLS-00113: END identifier 'U' must match 'T'"),
    ] {
        assert!(faults(text).contains(expected), "{text}: {}", faults(text));
    }
}
