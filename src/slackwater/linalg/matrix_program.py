"""Matrix programs: inputs, statements and outputs, as one frozen value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from slackwater.errors import MatrixError
from slackwater.linalg.build import bound, is_symmetric
from slackwater.linalg.dims import Shape, Sizes
from slackwater.linalg.matrix_nodes import Expr, Identity, Ref, Zeros, names_read, walk
from slackwater.linalg.matrix_text import print_expr


class InputKind(Enum):
    """The ways in which inputs change."""

    MATRIX = "matrix"
    """By products of thin factors; its shape stays."""
    SYMMETRIC = "symmetric"
    """The same, and it always equals its transpose."""
    ROWS = "rows"
    """By rows that come and go: a bag of rows, whose order means nothing."""
    WEIGHTS = "weights"
    """How often each row of a bag counts; the compiler adds this input, people do not."""


@dataclass(frozen=True, slots=True)
class Input:
    """A matrix that is given from outside."""

    name: str
    shape: Shape
    kind: InputKind = InputKind.MATRIX

    def __post_init__(self) -> None:
        """The name can be read, and the rows of a bag have a name to grow by."""
        self.ref  # noqa: B018 - a reference refuses wrong names and shapes
        if self.grows and self.shape.rows.symbol is None:
            raise MatrixError(
                f"the rows of {self.name} come and go, so their number cannot be {self.shape.rows}",
                where=f"input {self.name}",
                hint=f"Name it: input {self.name}(m, {self.shape.cols}) rows;",
            )

    @property
    def grows(self) -> bool:
        """True if it has the rows of a bag."""
        return self.kind in (InputKind.ROWS, InputKind.WEIGHTS)

    @property
    def ref(self) -> Ref:
        """The input as an expression."""
        return Ref(self.name, self.shape, self.kind is InputKind.SYMMETRIC)

    def __str__(self) -> str:
        """The declaration in the text form."""
        kind = "" if self.kind is InputKind.MATRIX else f" {self.kind.value}"
        return f"input {self.name}({self.shape.rows}, {self.shape.cols}){kind};"


@dataclass(frozen=True, slots=True)
class Statement:
    """A matrix with the expression that defines it."""

    name: str
    value: Expr
    symmetric: bool | None = None
    """True if it is read as symmetric, where a rewrite has changed what the form shows."""

    @property
    def ref(self) -> Ref:
        """The result as an expression."""
        shown = is_symmetric(self.value) if self.symmetric is None else self.symmetric
        return Ref(self.name, self.value.shape, shown)

    def rewritten(self, value: Expr) -> Statement:
        """The same matrix by another expression."""
        return Statement(self.name, value, self.ref.symmetric)

    def __str__(self) -> str:
        """The statement in the text form."""
        return f"{self.name} := {print_expr(self.value)};"


@dataclass(frozen=True, slots=True)
class Program:
    """Statements over inputs, in order, and the names whose values somebody wants."""

    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]

    def __post_init__(self) -> None:
        """Names are defined once, before they are read, and read as what they are."""
        known: dict[str, Ref] = {}
        for entry in self.entries:
            if isinstance(entry, Statement):
                _check_reads(entry, known)
            if entry.name in known:
                raise MatrixError(
                    f"{entry.name} is defined twice",
                    where=str(entry),
                    hint="Give every matrix a name of its own.",
                )
            known[entry.name] = entry.ref
        _check_outputs(self)
        _check_bags(self)

    def __str__(self) -> str:
        """The program in the text form, which reads back as the same program."""
        lines = [str(each) for each in self.entries]
        return "\n".join([*lines, f"output {', '.join(self.outputs)};"]) + "\n"

    @property
    def entries(self) -> list[Input | Statement]:
        """Inputs and statements, in order."""
        return [*self.inputs, *self.statements]

    @property
    def definitions(self) -> Mapping[str, Statement]:
        """The statements by name."""
        return {each.name: each for each in self.statements}

    @property
    def bags(self) -> frozenset[str]:
        """The names of sizes that grow and shrink with rows."""
        rows = (each.shape.rows.symbol for each in self.inputs if each.grows)
        return frozenset(name for name in rows if name)

    @property
    def names(self) -> frozenset[str]:
        """The names of all matrices."""
        return frozenset(each.name for each in self.entries)

    @property
    def weights(self) -> Mapping[str, Ref]:
        """By the name of a bag, how often each of its rows counts."""
        found = (each for each in self.inputs if each.kind is InputKind.WEIGHTS)
        return {str(each.shape.rows): each.ref for each in found}

    def rank_name(self, changed: str) -> str:
        """The name of the size that stands for the rank by which a matrix or bag changes."""
        sizes = {name for each in self.inputs for name in each.shape.names}
        name = f"r_{changed}"
        while name in sizes:
            name += "_"
        return name

    def inputs_of(self, bag: str) -> frozenset[str]:
        """The inputs that hold the rows of a bag, weights among them."""
        held = (each for each in self.inputs if each.grows and str(each.shape.rows) == bag)
        return frozenset(each.name for each in held)

    def input(self, name: str) -> Input:
        """The input of this name."""
        for each in self.inputs:
            if each.name == name:
                return each
        raise MatrixError(
            f"the program has no input {name}",
            hint=f"Its inputs are {', '.join(each.name for each in self.inputs)}.",
        )

    def bind(self, sizes: Sizes) -> Program:
        """The program with numbers for names of sizes; those of bags stay names."""
        fixed = {name: size for name, size in sizes.items() if name not in self.bags}
        return Program(
            tuple(replace(each, shape=each.shape.bind(fixed)) for each in self.inputs),
            tuple(each.rewritten(bound(each.value, fixed)) for each in self.statements),
            self.outputs,
        )

    def readers(self, names: Iterable[str]) -> frozenset[str]:
        """The statements that read any of these matrices, directly or through others."""
        found = set(names)
        for each in self.statements:
            if found & set(names_read(each.value)):
                found.add(each.name)
        return frozenset(found & self.definitions.keys())


def _check_reads(statement: Statement, known: Mapping[str, Ref]) -> None:
    for node in walk(statement.value):
        if not isinstance(node, Ref):
            continue
        found = known.get(node.name)
        if found is None:
            raise MatrixError(
                f"{node.name} is read before it is defined",
                where=str(statement),
                hint=f"Known here: {', '.join(known) or 'nothing'}.",
            )
        if found.shape != node.shape or found.symmetric != node.symmetric:
            raise MatrixError(
                f"{node.name} is {found.shape}, but read as {node.shape}", where=str(statement)
            )


def _check_outputs(program: Program) -> None:
    unknown = [name for name in program.outputs if name not in program.definitions]
    if unknown or not program.outputs:
        raise MatrixError(
            f"no statement defines the output {unknown[0]}" if unknown else "there is no output",
            hint=f"Defined are {', '.join(program.definitions) or 'none'}.",
        )


def _check_bags(program: Program) -> None:
    """Rows of a bag have no order, so they may only be summed over."""
    for each in program.inputs:
        size = each.shape.cols.names if each.grows else each.shape.names
        if size & program.bags:
            bag = ", ".join(sorted(size & program.bags))
            raise MatrixError(
                f"{each.name} is {each.shape}, but rows of {bag} come and go",
                where=str(each),
                hint=f"Use {bag} only for the rows of inputs like input X({bag}, n) rows;",
            )
    for statement in program.statements:
        for node in walk(statement.value):
            _check_bag_node(statement, node, program.bags)


def _check_bag_node(statement: Statement, node: Expr, bags: frozenset[str]) -> None:
    grown = node.shape.rows.names & bags and node.shape.cols.names & bags
    constant = isinstance(node, Identity | Zeros) and node.shape.names & bags
    if grown or constant or statement.value.shape.names & bags:
        raise MatrixError(
            f"{print_expr(node)} is {node.shape}: it has an entry for every row of a bag",
            where=str(statement),
            hint="Sum over the rows, as X' * X and X' * Y do.",
        )
