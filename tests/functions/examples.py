"""The examples by which Spark describes its own functions, turned into queries over tables.

An example such as `SELECT substring('Spark SQL', 5)` says nothing about changes. Its literals
become columns of a table and its inline tables become tables, so that rows can come and go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

_STRING = r"\b[rR]'[^']*'|\b[rR]\"[^\"]*\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_TYPED = r"\b(?:DATE|TIMESTAMP|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIME|X)\s*(?:'[^']*'|\"[^\"]*\")"
_INTERVAL = r"\bINTERVAL\s+-?\s*'[^']*'\s+\w+(?:\s+TO\s+\w+)?|\bINTERVAL(?:\s+-?[\d.]+\s+\w+)+"
_NUMBER = r"(?<![\w.$])(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?:[LSYDF]|BD)?\b"
_LITERAL = re.compile(
    rf"(?P<interval>{_INTERVAL})|(?P<typed>{_TYPED})|(?P<string>{_STRING})|(?P<number>{_NUMBER})"
    r"|(?P<truth>\b(?:true|false)\b)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^\s*> (SELECT\b.*?);?\s*$", re.IGNORECASE | re.MULTILINE)
_TABLE_FUNCTION = re.compile(r"^SELECT \* FROM (\w+\(.*\))$", re.IGNORECASE | re.DOTALL)
_VALUES = re.compile(r"\(?\s*\bVALUES\b", re.IGNORECASE)
_FROM = re.compile(r"\bFROM\b(?!\s*(?:'|\"))", re.IGNORECASE)
_ALIAS = re.compile(r"\s*\)?\s*(?:AS\s+)?(?P<name>\w+)\s*\((?P<columns>[^)]*)\)", re.IGNORECASE)


_NO_COLUMN = ("void", "interval", "variant", "time(")
"""Types that no table has, or that Arrow lacks."""


@dataclass(frozen=True)
class Example:
    """One example of one function."""

    function: str
    number: int
    sql: str

    @property
    def name(self) -> str:
        """A name for a view of it."""
        return re.sub(r"\W", lambda found: f"x{ord(found[0])}", f"{self.function}_{self.number}")


@dataclass(frozen=True)
class Literal:
    """A literal that has become a column."""

    column: str
    sql: str
    kind: str
    """Its type."""


@dataclass(frozen=True)
class RowCase:
    """A query whose literals are columns of the rows of one table."""

    example: Example
    template: str
    """What follows SELECT, with a place for every literal."""
    literals: tuple[Literal, ...]
    lateral: str | None = None
    """A call of a table function, joined to each row, with places for literals."""

    @property
    def name(self) -> str:
        """A name for a view of it."""
        return self.example.name

    def query(self, table: str) -> str:
        """The query over a table that has the columns."""
        names = [each.column for each in self.literals]
        if self.lateral is None:
            return f"SELECT id, {_filled(self.template, names)} FROM {table}"
        return f"SELECT t.id, u.* FROM {table} t, LATERAL {_filled(self.lateral, names)} u"


@dataclass(frozen=True)
class Sheet:
    """Several row cases as the columns of one query."""

    cases: tuple[RowCase, ...]

    @property
    def name(self) -> str:
        """A name for a view of it."""
        return f"sheet_{self.cases[0].example.name}"

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The columns that the query reads."""
        return tuple(each for case in self.cases for each in case.literals)

    def query(self, table: str) -> str:
        """The query over a table that has the columns."""
        texts = [
            f"{_filled(case.template, [each.column for each in case.literals])} AS r{number}"
            for number, case in enumerate(self.cases)
        ]
        return f"SELECT id, {', '.join(texts)} FROM {table}"


@dataclass(frozen=True)
class InlineTable:
    """A table that an example writes out."""

    name: str
    rows: tuple[str, ...]
    """The values of each row, without parentheses."""
    columns: str

    @property
    def sql(self) -> str:
        """A query for its rows."""
        rows = ", ".join(f"({row})" for row in self.rows)
        return f"SELECT * FROM VALUES {rows} AS x{self.columns}"


@dataclass(frozen=True)
class TableCase:
    """A query whose inline tables are tables."""

    example: Example
    sql: str
    """With `{name}` for each table."""
    tables: tuple[InlineTable, ...]

    @property
    def name(self) -> str:
        """A name for a view of it."""
        return self.example.name

    def query(self, prefix: str) -> str:
        """The query over tables whose names begin so."""
        sql = self.sql
        for table in self.tables:
            sql = sql.replace(f"\x00{table.name}\x00", f"{prefix}_{table.name}")
        return sql


@dataclass(frozen=True)
class Unturned:
    """An example that cannot be made a query over tables."""

    example: Example
    reason: str


Case = RowCase | TableCase
Kept = RowCase | TableCase | Sheet
"""What can be one view."""


def _filled(template: str, values: Sequence[str]) -> str:
    for position, value in enumerate(values):
        template = template.replace(f"\x00{position}\x00", value)
    return template


def spark_functions(spark: SparkSession) -> dict[str, tuple[str, str]]:
    """Every built-in function: the group it belongs to and the text of its examples."""
    analysis = spark._jvm.org.apache.spark.sql.catalyst.analysis
    found: dict[str, tuple[str, str]] = {}
    for registry in (analysis.FunctionRegistry.builtin(), analysis.TableFunctionRegistry.builtin()):
        identifiers = registry.listFunction()
        for k in range(identifiers.size()):
            identifier = identifiers.apply(k)
            info = registry.lookupFunction(identifier).get()
            name = str(identifier.funcName())
            group, text = found.get(name, (str(info.getGroup()), ""))
            found[name] = (group, text + str(info.getExamples()))
    return dict(sorted(found.items()))


def examples_of(function: str, text: str) -> Iterator[Example]:
    """The queries in the text of a function's examples."""
    for number, found in enumerate(_EXAMPLE.finditer(text)):
        yield Example(function, number, found[1].strip())


def turn(spark: SparkSession, example: Example) -> Case | Unturned:
    """Make an example a query over tables, or say why not."""
    try:
        spark.sql(example.sql)
    except PySparkException as problem:
        return Unturned(example, f"Spark refuses it: {problem.getCondition()}")
    if _VALUES.search(_masked(example.sql)):
        return _turn_tables(spark, example)
    found = _TABLE_FUNCTION.match(example.sql)
    if found:
        return _turn_row(spark, RowCase(example, "", (), found[1]))
    if _FROM.search(_outside_calls(example.sql)):
        return Unturned(example, "it reads something else than an inline table")
    return _turn_row(spark, RowCase(example, example.sql[len("SELECT") :].strip(), ()))


def works(spark: SparkSession, case: RowCase, values: Sequence[str]) -> bool:
    """Whether Spark computes the case from such a row; constants alone it would fold away."""
    names = ", ".join(["id", *(each.column for each in case.literals)])
    row = f"(SELECT * FROM VALUES ({', '.join(['0', *values])}) AS x({names}))"
    try:
        spark.sql(case.query(row)).collect()
    except (PySparkException, Py4JJavaError):
        return False
    return True


def _turn_row(spark: SparkSession, case: RowCase) -> Case | Unturned:
    turned = _turn_literals(spark, case)
    if works(spark, turned, [each.sql for each in turned.literals]):
        return turned
    return Unturned(case.example, "Spark fails on its own values")


def _turn_literals(spark: SparkSession, case: RowCase) -> RowCase:
    """As many literals as Spark allows become columns; without any it is the same in each row."""
    text = case.template if case.lateral is None else case.lateral
    spots = list(_LITERAL.finditer(text))
    chosen = list(range(len(spots)))
    built = _build(spark, case, text, spots, chosen)
    if built is None:
        chosen = []
        for position in range(len(spots)):
            trial = _build(spark, case, text, spots, [*chosen, position])
            if trial is not None:
                chosen.append(position)
                built = trial
    return built or case


def _build(
    spark: SparkSession, case: RowCase, text: str, spots: list[re.Match[str]], chosen: list[int]
) -> RowCase | None:
    if not chosen:
        return None
    parts, literals, end = [], [], 0
    try:
        schema = spark.sql(f"SELECT {', '.join(spots[k][0] for k in chosen)}").schema
    except (PySparkException, Py4JJavaError):
        return None
    for place, (k, field) in enumerate(zip(chosen, schema.fields, strict=True)):
        parts += [text[end : spots[k].start()], f"\x00{place}\x00"]
        end = spots[k].end()
        if field.dataType.simpleString().startswith(_NO_COLUMN):
            return None
        column = f"{case.example.name}_{place}"
        literals.append(Literal(column, spots[k][0], field.dataType.simpleString()))
    turned = "".join([*parts, text[end:]])
    name = "template" if case.lateral is None else "lateral"
    built = replace(case, **{name: turned, "literals": tuple(literals)})
    columns = ", ".join(f"{each.sql} AS {each.column}" for each in literals)
    try:
        spark.sql(built.query(f"(SELECT 1 AS id, {columns} FROM range(1))"))
    except (PySparkException, Py4JJavaError):
        return None
    return built


def sheets(spark: SparkSession, cases: Sequence[RowCase], most: int) -> Iterator[Kept]:
    """Row cases together, as far as Spark accepts them in one query."""
    together: list[RowCase] = []
    for case in cases:
        if not _fits(spark, Sheet((case,))):
            yield case
            continue
        if len(together) == most:
            yield Sheet(tuple(together))
            together = []
        together.append(case)
    if together:
        yield Sheet(tuple(together))


def _fits(spark: SparkSession, sheet: Sheet) -> bool:
    (case,) = sheet.cases
    columns = "".join(f", {each.sql} AS {each.column}" for each in sheet.literals)
    table = f"(SELECT 1 AS id{columns} FROM range(1))"
    try:
        plan = spark.sql(sheet.query(table))
    except (PySparkException, Py4JJavaError):
        return False
    generates = "Generate" in plan._jdf.queryExecution().analyzed().toString()
    return case.lateral is None and not generates


def _turn_tables(spark: SparkSession, example: Example) -> Case | Unturned:
    sql = example.sql
    tables: list[InlineTable] = []
    while True:
        found = _VALUES.search(_masked(sql))
        if found is None:
            break
        end = _end_of_rows(sql, found.end())
        alias = _ALIAS.match(sql, end)
        opening = "(" if found[0].startswith("(") else ""
        rows = sql[found.end() : end]
        if alias is None:
            name, columns = "", ""
            stop = end + (1 if opening else 0)
        else:
            name, columns, stop = alias["name"], f"({alias['columns']})", alias.end()
        table = f"t{len(tables)}"
        tables.append(InlineTable(table, tuple(_split_rows(rows)), columns))
        sql = f"{sql[: found.start()]} \x00{table}\x00 AS {name or 'x'}{columns}{sql[stop:]}"
    case = TableCase(example, sql, tuple(tables))
    try:
        for each in tables:
            spark.sql(each.sql).createOrReplaceTempView(f"try_{each.name}")
        spark.sql(case.query("try"))
    except PySparkException as problem:
        return Unturned(example, f"its inline table cannot be taken out: {problem.getCondition()}")
    return case


def _masked(sql: str) -> str:
    """The text with the insides of strings blanked out."""
    return re.sub(_STRING, lambda found: "'" + " " * (len(found[0]) - 2) + "'", sql)


def _outside_calls(sql: str) -> str:
    """The text without what stands between parentheses."""
    masked = _masked(sql)
    while True:
        shorter = re.sub(r"\([^()]*\)", "", masked)
        if shorter == masked:
            return masked
        masked = shorter


def _split_rows(rows: str) -> Iterator[str]:
    """The rows of an inline table without their parentheses."""
    masked, depth, start = _masked(rows) + ",", 0, 0
    for position, character in enumerate(masked):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            row = rows[start:position].strip()
            yield row[1:-1] if row.startswith("(") else row
            start = position + 1


def _end_of_rows(sql: str, start: int) -> int:
    """Where the rows of an inline table end: they are values or tuples between commas."""
    masked, depth, position, expects = _masked(sql), 0, start, True
    while position < len(masked):
        rest = masked[position:]
        character = masked[position]
        if depth == 0 and not expects:
            after = re.match(r"\s*,", rest)
            if after is None:
                return position
            position += after.end()
            expects = True
            continue
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            expects = depth > 0
        elif depth == 0 and not character.isspace():
            word = re.match(r"\w*'[^']*'|[-\w.]+(?=\()|[-\w.]+", rest)
            position += word.end() - 1 if word else 0
            expects = rest[word.end() :].startswith("(") if word else True
        position += 1
    return position
