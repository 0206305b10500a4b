//! EXECUTE IMMEDIATE and FORALL.

use super::convert::Typed;
use super::error::{Compiled, fault, unsupported, wrong_type};
use super::op::{Op, Register};
use super::place::{Designated, PlaceExpr};
use super::symbol::{Access, Symbol, Variable, VariableHome};
use super::types::Type;
use super::{Compiler, Scope};
use crate::ast::{At, Expr, ExprKind, ForAllBounds, Ident, Into, Mode, Path, Statement, StatementKind, Using};
use crate::value::{ScalarKind, ScalarType};

/// Bounds of FORALL: integers, and not NULL.
const BOUND: ScalarType = ScalarType { kind: ScalarKind::Integer { wrap: false }, not_null: true, range: None };

impl Compiler<'_> {
    pub(crate) fn execute_immediate(
        &mut self,
        text: &Expr,
        into: Option<&Into>,
        using: &[Using],
        returning: Option<&Into>,
        at: At,
    ) -> Compiled<()> {
        let targets = match into.or(returning) {
            Some(into) => self.targets_of(into)?,
            None => Vec::new(),
        };
        // OUT binds go back into these.
        let mut out: Vec<Option<PlaceExpr>> = Vec::with_capacity(using.len());
        for each in using {
            out.push(if each.mode == Mode::In { None } else { Some(self.target(&each.value)?) });
        }
        let count = self.single_record(&targets).map_or(targets.len(), |record| record.fields.len());
        let count = match &targets[..] {
            [PlaceExpr { data_type: Type::Collection(collection), .. }] => match &collection.element {
                Type::Record(record) => record.fields.len(),
                _ => 1,
            },
            _ => count,
        };
        let shape = |into: &Into| (count as u16, into.bulk);
        let (text, dynamic, first) = self.dynamic(text, using, into.map(shape), returning.map(shape))?;
        self.emit(Op::Dynamic { dynamic, text, first });
        for (index, (place, each)) in out.iter().zip(using).enumerate() {
            let Some(place) = place else { continue };
            let mark = self.mark();
            let register = first + index as Register;
            let Type::Scalar(scalar) = &place.data_type else { return wrong_type(each.value.at) };
            let scalar_type = self.scalar_type(*scalar);
            self.emit(Op::Coerce { to: register, from: register, scalar_type });
            self.assign(place, Typed::register(register, place.data_type.clone()), each.value.at)?;
            self.release(mark);
        }
        let Some(into) = into.or(returning) else { return Ok(()) };
        if into.bulk {
            return self.bulk_targets(into, &targets, None);
        }
        let to = self.allocate_many(count)?;
        let none = self.label();
        self.emit(Op::Returned { to, count: count as u16, target: none.0 });
        let types = vec![Type::Unknown; count];
        self.assign_values(into, &targets, &types, to)?;
        self.bind(none);
        let _ = at;
        Ok(())
    }

    pub(crate) fn for_all(
        &mut self,
        variable: &Ident,
        bounds: &ForAllBounds,
        save_exceptions: bool,
        statement: &Statement,
        at: At,
    ) -> Compiled<()> {
        let index = self.allocate()?;
        let home = VariableHome::Frame { level: self.level(), register: index };
        let symbol = Symbol::Variable(Variable {
            name: variable.name.clone(),
            home,
            data_type: Type::INTEGER,
            access: Access::ReadOnly,
            value: None,
        });
        let mut scope = Scope::default();
        scope.names.insert(variable.name.clone(), vec![symbol]);
        let StatementKind::Sql(sql) = &statement.kind else {
            return match &statement.kind {
                StatementKind::ExecuteImmediate { .. } => unsupported(at, "FORALL with EXECUTE IMMEDIATE"),
                _ => fault(at, 103, "FORALL takes one INSERT, UPDATE, DELETE or MERGE statement"),
            };
        };
        let targets = match &sql.into {
            Some(into) if into.bulk => Some((into, self.targets_of(into)?)),
            Some(into) => {
                return fault(into.at, 497, "cannot mix between single row and multi-row (BULK) in INTO list");
            }
            None => None,
        };
        self.emit(Op::ForAllBegin);
        let done = self.label();
        let again = self.label();
        let walk = self.for_all_begin(bounds, index, done, again)?;
        self.scopes.push(scope);
        let made = self.prepare_with_binds(sql);
        self.scopes.pop();
        let (bound, columns) = made?;
        self.emit(Op::ForAllAdd { index, first: bound.first, count: bound.count });
        self.for_all_next(&walk, index, again);
        self.bind(done);
        self.emit(Op::ForAllRun { statement: bound.index, save_exceptions });
        match targets {
            Some((into, targets)) => self.bulk_into(into, &targets, &columns, true),
            None => Ok(()),
        }
    }

    fn for_all_begin(
        &mut self,
        bounds: &ForAllBounds,
        index: Register,
        done: super::emit::Label,
        again: super::emit::Label,
    ) -> Compiled<ForallWalk> {
        match bounds {
            ForAllBounds::Range { low, high } => {
                let limit = self.allocate()?;
                self.bound(low, index)?;
                self.bound(high, limit)?;
                self.emit(Op::ForPrepare { counter: index, limit, reverse: false, target: done.0 });
                self.bind(again);
                Ok(ForallWalk::Range { limit })
            }
            ForAllBounds::IndicesOf { collection, between } => {
                let place = self.walked(collection)?;
                let limits = match between {
                    Some((low, high)) => {
                        let (from, to) = (self.allocate()?, self.allocate()?);
                        self.bound(low, from)?;
                        self.bound(high, to)?;
                        Some((from, to))
                    }
                    None => None,
                };
                let steps = self.place(place.root, &place.steps);
                let method = |method, first, count| Op::Method { to: index, place: steps, method, first, count };
                self.emit(method(super::op::Method::First, 0, 0));
                self.bind(again);
                self.emit(Op::JumpIfNull { value: index, target: done.0 });
                let skip = self.label();
                if let Some((from, to)) = limits {
                    let how = super::op::CompareOp::Greater;
                    self.emit(Op::JumpIfCompare { a: index, b: to, how, target: done.0 });
                    let how = super::op::CompareOp::Less;
                    self.emit(Op::JumpIfCompare { a: index, b: from, how, target: skip.0 });
                }
                Ok(ForallWalk::Indices { place: steps, skip })
            }
            ForAllBounds::ValuesOf(collection) => {
                let place = self.walked(collection)?;
                let key = self.allocate()?;
                let steps = self.place(place.root, &place.steps);
                self.emit(Op::Method { to: key, place: steps, method: super::op::Method::First, first: 0, count: 0 });
                self.bind(again);
                self.emit(Op::JumpIfNull { value: key, target: done.0 });
                let mut element = place.clone();
                element.steps.push(super::unit::PathStep::Element(key));
                let element = self.place(element.root, &element.steps);
                self.emit(Op::Load { to: index, place: element });
                Ok(ForallWalk::Values { place: steps, key })
            }
        }
    }

    fn for_all_next(&mut self, walk: &ForallWalk, index: Register, again: super::emit::Label) {
        let next = |place, key| Op::Method { to: key, place, method: super::op::Method::Next, first: key, count: 1 };
        match walk {
            ForallWalk::Range { limit } => {
                self.emit(Op::ForNext { counter: index, limit: *limit, target: again.0 });
            }
            ForallWalk::Indices { place, skip } => {
                self.bind(*skip);
                self.emit(next(*place, index));
                self.emit(Op::Loop { target: again.0 });
            }
            ForallWalk::Values { place, key } => {
                self.emit(next(*place, *key));
                self.emit(Op::Loop { target: again.0 });
            }
        }
    }

    fn bound(&mut self, bound: &Expr, to: Register) -> Compiled<()> {
        let mark = self.mark();
        let value = self.expression(bound, None)?;
        let value = self.convert(value, &Type::Scalar(BOUND), bound.at, Some(to))?;
        self.move_to(&value, to);
        self.release(mark);
        Ok(())
    }

    /// The collection whose subscripts or values FORALL iterates over.
    fn walked(&mut self, path: &Path) -> Compiled<PlaceExpr> {
        let expression = Expr { kind: ExprKind::Path(path.clone()), at: path.at() };
        match self.designate(&expression)? {
            Designated::Place(place) if matches!(place.data_type, Type::Collection(_)) => Ok(place),
            _ => wrong_type(path.at()),
        }
    }
}

/// Iteration of FORALL.
enum ForallWalk {
    Range { limit: Register },
    Indices { place: u32, skip: super::emit::Label },
    Values { place: u32, key: Register },
}
