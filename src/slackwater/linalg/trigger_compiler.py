"""Compiles a program to triggers: deltas go from statement to statement (algorithm 6.3).

>>> from slackwater.linalg.dims import shape
>>> from slackwater.linalg.matrix_nodes import Product
>>> from slackwater.linalg.matrix_program import Input, Statement
>>> from slackwater.linalg.trigger_text import print_trigger
>>> a = Input("A", shape("n", "n"))
>>> square = Program((a,), (Statement("B", Product(a.ref, a.ref)),), ("B",))
>>> print(print_trigger(compile_program(square).triggers[0]))
ON UPDATE A BY (u_A, v_A):
  U_B := [u_A, A * u_A + u_A * (v_A' * u_A)];
  V_B := [A' * v_A, v_A];
  A += u_A * v_A';  % rank r_A
  B += U_B * V_B';  % rank 2*r_A
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from slackwater.linalg.build import added, identity, inverse, product, scaled, transposed
from slackwater.linalg.delta import (
    Delta,
    DeltaRules,
    NotIncrementalError,
    Term,
    dense,
    merged,
    rank_of,
    stacked,
)
from slackwater.linalg.delta_forms import Form, Options
from slackwater.linalg.dims import Dim, Shape, dim
from slackwater.linalg.matrix_nodes import Inverse, Ref, names_read
from slackwater.linalg.matrix_program import InputKind, Program, Statement
from slackwater.linalg.named_factors import NamedFactors
from slackwater.linalg.naming import Names
from slackwater.linalg.triggers import (
    Append,
    Apply,
    Change,
    CompiledProgram,
    Event,
    MatricesChanged,
    Reevaluate,
    RowsChanged,
    Step,
    Trigger,
)
from slackwater.linalg.unread import kept_matrices, without_unread


def compile_program(program: Program, options: Options | None = None) -> CompiledProgram:
    """The triggers of every input, of every bag, and of all matrices at once."""
    options = options or Options()
    singles = [each.name for each in program.inputs if not each.grows]
    groups = [{name} for name in singles] + ([set(singles)] if len(singles) > 1 else [])
    events: list[Event] = [matrices_changed(program, group) for group in groups]
    events += [rows_changed(program, bag) for bag in sorted(program.bags)]
    triggers = [compile_trigger(program, event, options) for event in events]
    kept = kept_matrices(program, triggers)
    return CompiledProgram(program, tuple(without_unread(each, kept) for each in triggers), kept)


def matrices_changed(program: Program, names: Iterable[str]) -> MatricesChanged:
    """The event that these inputs change, each by factors of a rank of its own."""
    naming = Names(program.names)
    changes = []
    for name in sorted(names):
        ref = program.input(name).ref
        rank = dim(program.rank_name(name))
        left = Ref(naming.fresh(f"u_{name}"), Shape(ref.shape.rows, rank))
        right = Ref(naming.fresh(f"v_{name}"), Shape(ref.shape.cols, rank))
        changes.append(Change(ref, left, right))
    return MatricesChanged(tuple(changes))


def rows_changed(program: Program, bag: str) -> RowsChanged:
    """The event that rows of a bag come or go."""
    naming, count = Names(program.names), dim(program.rank_name(bag))
    weights = program.weights[bag]
    rows = tuple(
        (each.ref, Ref(naming.fresh(f"d_{each.name}"), Shape(count, each.shape.cols)))
        for each in program.inputs
        if each.kind is InputKind.ROWS and str(each.shape.rows) == bag
    )
    changed = Ref(naming.fresh(f"d_{weights.name}"), Shape(count, Dim(1)))
    return RowsChanged(bag, rows, (weights, changed))


def compile_trigger(program: Program, event: Event, options: Options) -> Trigger:
    """The trigger of one event, with an update for every matrix that changes."""
    building = _TriggerBuilder(program, event, options)
    for statement in program.statements:
        building.propagate(statement)
    return building.trigger()


def find_trigger(compiled: CompiledProgram, names: frozenset[str], options: Options) -> Trigger:
    """The trigger for these inputs; compiled now if nobody asked for this group before."""
    found = compiled.trigger(names)
    if found is not None:
        return found
    event = event_of(compiled.program, names)
    return without_unread(compile_trigger(compiled.program, event, options), compiled.kept)


def event_of(program: Program, names: frozenset[str]) -> Event:
    """The event that exactly these inputs change."""
    bag = next((each for each in program.bags if program.inputs_of(each) == names), None)
    return rows_changed(program, bag) if bag else matrices_changed(program, names)


class _TriggerBuilder:
    """The deltas known so far, and the steps that compute and apply them."""

    def __init__(self, program: Program, event: Event, options: Options):
        self._program = program
        self._event = event
        self._options = options
        self._factors = NamedFactors(Names(program.names | _parameters(event)))
        self._changes: dict[str, Delta] = {}
        self._anew: dict[str, Reevaluate] = {}
        self._updates: list[Step] = []
        self._start()

    def _start(self) -> None:
        """The inputs change as the event says."""
        if isinstance(self._event, RowsChanged):
            pairs = (*self._event.rows, self._event.weights)
            self._updates += [Append(given, rows) for given, rows in pairs]
            return
        for change in self._event.changes:
            self._changes[change.input.name] = (Term(change.left, change.right),)
            self._updates.append(Apply(change.input, change.left, change.right))

    def propagate(self, statement: Statement) -> None:
        """Derive how a statement's matrix changes, from the changes of what it reads."""
        stale = [name for name in names_read(statement.value) if name in self._anew]
        if stale:
            self._give_up(statement, f"it reads {stale[0]}, which is evaluated anew")
            return
        try:
            delta = self._delta(statement)
        except NotIncrementalError as why:
            self._give_up(statement, str(why))
            return
        if delta:
            self._represent(statement, delta)

    def _give_up(self, statement: Statement, reason: str) -> None:
        self._anew[statement.name] = Reevaluate(statement.ref, reason)

    def _delta(self, statement: Statement) -> Delta:
        rows = self._event if isinstance(self._event, RowsChanged) else None
        rules = DeltaRules(self._changes, rows)
        if isinstance(statement.value, Inverse):
            return self._inverse_delta(statement, rules.delta(statement.value.child))
        known = self._factors.known
        terms = rules.delta(statement.value)
        return merged(Term(known(term.left), known(term.right)) for term in terms)

    def _inverse_delta(self, statement: Statement, inner: Delta) -> Delta:
        """Woodbury: Δ(E^-1) = -(W U) (I + V' W U)^-1 (W' V)', where W is the old inverse."""
        if not inner:
            return ()
        name, kept, term = statement.name, statement.ref, stacked(inner)
        moved = self._factors.assign(f"G_{name}", product(kept, term.left))
        small = added(identity(rank_of(term)), product(transposed(term.right), moved))
        core = self._factors.assign(f"K_{name}", inverse(small))
        left = scaled(-1.0, product(moved, core))
        return (Term(left, product(transposed(kept), term.right)),)

    def _represent(self, statement: Statement, delta: Delta) -> None:
        """Give the delta a name in the form that the policy asks for."""
        term = stacked(delta)
        form = self._options.policy(statement, rank_of(term))
        if statement.name in self._options.anew:
            form = Form.ANEW
        match form:
            case Form.ANEW:
                self._give_up(statement, "that is cheaper than its delta")
                return
            case Form.FACTORED:
                term = self._factored(statement, term)
            case Form.COMPRESSED:
                rank = dim(self._program.rank_name(statement.name))
                factored = self._factored(statement, term)
                term = self._factors.compress(statement.name, factored, rank)
            case Form.TALL | Form.WIDE:
                term = self._dense(statement, delta, form)
            case _:
                assert_never(form)
        self._changes[statement.name] = (term,)
        self._updates.append(Apply(statement.ref, term.left, term.right))

    def _factored(self, statement: Statement, term: Term) -> Term:
        left = self._factors.assign(f"U_{statement.name}", term.left)
        return Term(left, self._factors.assign(f"V_{statement.name}", term.right))

    def _dense(self, statement: Statement, delta: Delta, form: Form) -> Term:
        """One matrix times an identity, which vanishes from all that follows."""
        if form is Form.TALL:
            tall = self._factors.assign(f"D_{statement.name}", dense(delta))
            return Term(tall, identity(tall.shape.cols))
        turned = self._factors.assign(f"D_{statement.name}", transposed(dense(delta)))
        return Term(identity(turned.shape.cols), turned)

    def trigger(self) -> Trigger:
        """All steps: factors from old values first, then updates, then what is evaluated anew."""
        steps = self._factors.steps()
        return Trigger(self._event, (*steps, *self._updates, *self._anew.values()))


def _parameters(event: Event) -> frozenset[str]:
    if isinstance(event, RowsChanged):
        return frozenset(rows.name for _, rows in (*event.rows, event.weights))
    return frozenset(each.name for c in event.changes for each in (c.left, c.right))
