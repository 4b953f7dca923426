"""Small relations for golden cases, built by hand."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    RankKind,
    Recompute,
    Scan,
    Sort,
    Union,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Cast,
    ColumnId,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.expr.registers import Sketch
from slackwater.optimizer.normalize import normalize
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    IntervalType,
    MapType,
)

MONEY = DecimalType(12, 2)


def column(number: int, name: str, dtype: DataType = BIGINT, nullable: bool = True) -> Column:
    """A column."""
    return Column(ColumnId(number), name, dtype, nullable)


T_MONTHS = column(91, "months", IntervalType("YEAR", "MONTH"))
S_SPAN = column(92, "span", CALENDAR_INTERVAL)
SPANS = Scan("spans", (S_SPAN,))
TERMS = Scan("terms", (T_MONTHS,))
O_ID, O_CUSTOMER, O_TOTAL, O_DAY, O_WEIGHT = (
    column(1, "id", nullable=False),
    column(2, "customer"),
    column(3, "total", MONEY),
    column(4, "day", DATE),
    column(5, "weight", DOUBLE),
)
C_ID, C_NAME, C_COUNTRY = (
    column(11, "id", nullable=False),
    column(12, "name", STRING),
    column(13, "country", STRING),
)
N_ID, N_MARKS = column(94, "id"), column(95, "marks", MapType(STRING, STRING))
NOTES = Scan("notes", (N_ID, N_MARKS))
E_ID, E_TAGS = column(21, "id"), column(22, "tags", ArrayType(STRING))
ORDERS = Scan("orders", (O_ID, O_CUSTOMER, O_TOTAL, O_DAY, O_WEIGHT))
CUSTOMERS = Scan("customers", (C_ID, C_NAME, C_COUNTRY))
EVENTS = Scan("events", (E_ID, E_TAGS))
ONE, HUNDRED = Literal("1", BIGINT), Literal("100", BIGINT)
BY_CUSTOMER = (JoinKey(O_CUSTOMER.ref(), C_ID.ref()),)
GERMAN = call("=", C_COUNTRY.ref(), Literal("DE", STRING))
DEAR = call(">", O_TOTAL.ref(), Literal("100.00", MONEY))
R_KEY, R_DIGITS = column(31, "key"), column(32, "digits", INTEGER)
REGISTERS = Scan("registers", (R_KEY, R_DIGITS))
SKETCH = Sketch(4, (15.5, 60.25), (10.0, 7.5, 0.125))
ESTIMATE = aggregate("approx_count_distinct", O_DAY.ref(), params=("0.3D", *SKETCH.params))
FAILING = call(
    ">", call("/", O_TOTAL.ref(), Cast(O_CUSTOMER.ref(), DecimalType(20, 0))), Literal("1", MONEY)
)


def output(number: int, name: str, expr: Expr) -> Output:
    """A column defined by an expression."""
    return Output(Column(ColumnId(number), name, expr.dtype, expr.nullable), expr)


def keys(*columns: Column) -> tuple[Output, ...]:
    """Columns handed on."""
    return tuple(Output(each, each.ref()) for each in columns)


def grouped(rel: Rel, by: tuple[Column, ...], **calls: AggregateCall) -> Aggregate:
    """An aggregate; new columns are numbered from 51."""
    made = (output(number, name, each) for number, (name, each) in enumerate(calls.items(), 51))
    return Aggregate(rel, keys(*by), tuple(made))


def joined(kind: JoinKind, residual: Expr | None = None, *, keyed: bool = True) -> Join:
    """Orders joined with customers."""
    mark = column(41, "exists", BOOLEAN, False) if kind is JoinKind.MARK else None
    right: Rel = CUSTOMERS
    return Join(kind, ORDERS, right, BY_CUSTOMER if keyed else (), residual, mark)


def picked(rel: Rel, *columns: Column) -> Project:
    """Some columns of a relation."""
    return Project(rel, keys(*columns))


def _percentile(function: str, shares: str) -> AggregateCall:
    """Percentiles of orders' weights."""
    several = ArrayType(DOUBLE, False)
    dtype = several if shares.startswith("ARRAY") else DOUBLE
    found = aggregate(function, O_WEIGHT.ref(), Literal(shares, dtype))
    return replace(found, call_type=dtype)


_TOTAL, _COUNT = aggregate("sum", O_TOTAL.ref()), aggregate("count", ONE)
_LESS = call("<", O_ID.ref(), C_ID.ref())
_COUNTED_DAYS = aggregate("count", O_DAY.ref(), distinct=True)
_RANK = Window(
    ORDERS,
    (O_CUSTOMER.ref(),),
    (SortKey(O_DAY.ref(), ascending=False),),
    (output(61, "place", WindowCall(call("rank"), None)),),
)

_BY_DAY = (SortKey(O_DAY.ref()), SortKey(O_ID.ref(), ascending=False))


def ranked(*functions: WindowCall) -> Window:
    """Orders with functions by customer in the order of days; columns are numbered from 61."""
    outputs = (output(61 + n, f"f{n}", each) for n, each in enumerate(functions))
    return Window(ORDERS, (O_CUSTOMER.ref(),), _BY_DAY, tuple(outputs))


def bounded(rel: Window, sign: str, limit: int, function: int = 0) -> Filter:
    """The rows of a window for which one of its functions compares with a number."""
    place = rel.functions[function].column.ref()
    return Filter(rel, call(sign, place, Literal(str(limit), INTEGER)))


def first_orders(kind: RankKind, *by: Column) -> GroupLimit:
    """The first three orders, of all or of each value of some columns."""
    return GroupLimit(ORDERS, tuple(each.ref() for each in by), _BY_DAY, kind, 3)


def _framed(call: AggregateCall, unit: FrameUnit, upper: BoundKind) -> WindowCall:
    frame = Frame(unit, FrameBound(BoundKind.UNBOUNDED_PRECEDING), FrameBound(upper))
    return WindowCall(call, frame)


_NUMBER, _PLACE, _DENSE = (
    WindowCall(call(name), None) for name in ("row_number", "rank", "dense_rank")
)
_RUNNING = _framed(_TOTAL, FrameUnit.ROWS, BoundKind.CURRENT_ROW)
_SUM_WITH_PEERS = _framed(_TOTAL, FrameUnit.RANGE, BoundKind.CURRENT_ROW)
_COUNT_WITH_PEERS = _framed(_COUNT, FrameUnit.RANGE, BoundKind.CURRENT_ROW)
_OF_ALL = _framed(_COUNT, FrameUnit.ROWS, BoundKind.UNBOUNDED_FOLLOWING)
_AFTER = WindowCall(call("lead", O_ID.ref(), Literal("1", INTEGER), O_ID.ref()), None)
_BEFORE = WindowCall(call("lag", O_ID.ref(), Literal("1", INTEGER), O_ID.ref()), None)
_RUNNING_COLUMN = column(61, "f0", _RUNNING.dtype)
_FIRST = call("=", column(61, "f0", INTEGER, False).ref(), Literal("1", INTEGER))
_SECOND = call("<", column(61, "f0", INTEGER, False).ref(), Literal("3", INTEGER))


def shifted(function: str, value: Column, rows: int) -> WindowCall:
    """LAG or LEAD."""
    return WindowCall(call(function, value.ref(), Literal(str(rows), INTEGER)), None)


def framed(function: AggregateCall, unit: FrameUnit, lower: Expr, upper: Expr) -> WindowCall:
    """An aggregate over a frame between two distances."""
    bounds = (FrameBound(BoundKind.OFFSET, each) for each in (lower, upper))
    return WindowCall(function, Frame(unit, *bounds))


LARGE: dict[str, Rel] = {
    "values before and behind in large partitions": Window(
        ORDERS,
        (O_CUSTOMER.ref(),),
        (SortKey(O_DAY.ref(), ascending=False),),
        (
            output(61, "before", shifted("lag", O_TOTAL, 1)),
            output(62, "behind", shifted("lead", O_TOTAL, 2)),
        ),
    ),
    "sums over days of many rows": Window(
        ORDERS,
        (),
        (SortKey(O_DAY.ref()),),
        (
            output(
                61,
                "week",
                framed(
                    aggregate("sum", O_TOTAL.ref()),
                    FrameUnit.RANGE,
                    Literal("-7", INTEGER),
                    Literal("0", INTEGER),
                ),
            ),
        ),
    ),
    "noop: ranks in large partitions": _RANK,
}
"""Windows whose partitions are known to be large."""

NORMALIZE: dict[str, Rel] = {
    "noop: a scan stays a scan": ORDERS,
    "noop: a filter over a scan stays where it is": Filter(ORDERS, DEAR),
    "distinct becomes grouping by all columns": Distinct(picked(ORDERS, O_CUSTOMER, O_DAY)),
    "groups by INTERVAL are groups by its text": grouped(SPANS, (S_SPAN,), spans=_COUNT),
    "count of distinct values counts groups": grouped(
        ORDERS, (O_CUSTOMER,), days=aggregate("count", O_DAY.ref(), distinct=True)
    ),
    "noop: distinct beside another aggregate": grouped(
        ORDERS,
        (O_CUSTOMER,),
        days=aggregate("count", O_DAY.ref(), distinct=True),
        total=_TOTAL,
    ),
    "noop: distinct with a filter": grouped(
        ORDERS, (O_CUSTOMER,), days=aggregate("count", O_DAY.ref(), distinct=True, where=DEAR)
    ),
    "percentiles are kept apart from what is beside them": grouped(
        ORDERS,
        (O_CUSTOMER,),
        middle=_percentile("percentile", "0.5"),
        orders=_COUNT,
        least=aggregate("min", O_TOTAL.ref()),
    ),
    "percentiles of all rows are kept apart": grouped(
        ORDERS, (), middle=_percentile("percentile", "0.5"), orders=_COUNT
    ),
    "noop: percentiles beside what needs the rows of its group": grouped(
        ORDERS,
        (O_CUSTOMER,),
        middle=_percentile("percentile", "0.5"),
        days=aggregate("collect_list", O_DAY.ref()),
    ),
    "an estimate of distinct values counts registers": grouped(
        ORDERS, (O_CUSTOMER,), days=ESTIMATE
    ),
    "an estimate beside sums is joined to them": grouped(
        ORDERS, (O_CUSTOMER,), days=ESTIMATE, total=_TOTAL
    ),
    "an estimate beside distinct values is joined to them": grouped(
        ORDERS, (O_CUSTOMER,), exact=_COUNTED_DAYS, days=ESTIMATE, total=_TOTAL
    ),
    "estimates without a key are joined as they are": grouped(
        ORDERS,
        (),
        days=ESTIMATE,
        weights=aggregate(
            "approx_count_distinct", O_WEIGHT.ref(), where=DEAR, params=("0.3D", *SKETCH.params)
        ),
    ),
    "noop: an estimate beside collected values": grouped(
        ORDERS, (O_CUSTOMER,), days=ESTIMATE, all=aggregate("collect_list", O_DAY.ref())
    ),
    "noop: an estimate whose sketch is not known": grouped(
        ORDERS,
        (O_CUSTOMER,),
        days=aggregate("approx_count_distinct", O_DAY.ref(), params=("0.05D",)),
    ),
    "not in becomes an anti join and two facts": joined(JoinKind.NULL_AWARE_ANTI),
    "noop: not in with a residual condition": joined(JoinKind.NULL_AWARE_ANTI, _LESS),
    "noop: an anti join": joined(JoinKind.ANTI),
    "a right join without equality changes sides": joined(JoinKind.RIGHT, _LESS, keyed=False),
    "a full join without equality is a left join and the rest": joined(
        JoinKind.FULL, _LESS, keyed=False
    ),
    "noop: a full join by a key": joined(JoinKind.FULL),
    "a left join is padded apart": joined(JoinKind.LEFT),
    "noop: a left join with a residual condition": joined(JoinKind.LEFT, _LESS),
    "noop: a left join with one row a key": Join(
        JoinKind.LEFT,
        CUSTOMERS,
        grouped(ORDERS, (O_CUSTOMER,), total=_TOTAL),
        (JoinKey(C_ID.ref(), O_CUSTOMER.ref()),),
    ),
    "a limit goes below a projection": Limit(
        picked(Sort(ORDERS, (SortKey(O_DAY.ref()),)), O_ID), 10
    ),
    "an offset needs the rows before it": Limit(Sort(ORDERS, (SortKey(O_DAY.ref()),)), 10, 5),
    "a filter over a join goes to the side it reads": Filter(
        joined(JoinKind.INNER), call("and", DEAR, GERMAN)
    ),
    "noop: a filter that may fail stays above the join": Filter(joined(JoinKind.INNER), FAILING),
    "noop: a filter over an outer join stays above it": Filter(
        joined(JoinKind.LEFT, _LESS), GERMAN
    ),
    "sides of a join give only what is needed": picked(joined(JoinKind.INNER), O_ID, C_NAME),
    "a bounded row number needs the first rows": bounded(ranked(_NUMBER), "<=", 3),
    "a rank below a bound needs fewer rows": bounded(ranked(_PLACE), "<", 3),
    "a place that is named needs the rows before it": bounded(ranked(_DENSE), "=", 2),
    "a bound may stand before the rank": Filter(
        ranked(_PLACE), call(">=", Literal("2", INTEGER), column(61, "f0", INTEGER, False).ref())
    ),
    "the least of several bounds counts": Filter(
        ranked(_NUMBER, _PLACE, _RUNNING), call("and", DEAR, call("and", _FIRST, _SECOND))
    ),
    "the first row needs no number": bounded(ranked(_NUMBER, _DENSE), "=", 1),
    "rows that share the first place are still numbered": bounded(
        ranked(_NUMBER, _PLACE), "=", 1, function=1
    ),
    "functions that look back see the same rows": bounded(
        ranked(_PLACE, _BEFORE, _COUNT_WITH_PEERS), "<=", 2
    ),
    "a rank of all rows is bounded too": bounded(
        Window(ORDERS, (), _BY_DAY, ranked(_NUMBER).functions), "<=", 3
    ),
    "noop: a rank with a lower bound": bounded(ranked(_NUMBER), ">", 3),
    "noop: a rank with a high bound": bounded(ranked(_NUMBER), "<=", 5000),
    "noop: a bound or something else": Filter(ranked(_NUMBER), call("or", _FIRST, DEAR)),
    "noop: a bound of another column": Filter(
        ranked(_NUMBER), call("<", O_ID.ref(), Literal("3", BIGINT))
    ),
    "noop: a bound that is a column": Filter(
        ranked(_NUMBER), call("<", Cast(_FIRST.args[0], BIGINT), O_ID.ref())
    ),
    "noop: a bound of a running sum": Filter(
        ranked(_RUNNING), call("<", _RUNNING_COLUMN.ref(), Literal("3", _RUNNING.dtype))
    ),
    "noop: a bounded rank beside what looks ahead": bounded(ranked(_NUMBER, _AFTER), "<=", 3),
    "noop: a bounded rank beside a count of all": bounded(ranked(_PLACE, _OF_ALL), "<=", 3),
    "noop: a bounded row number beside a count with peers": bounded(
        ranked(_NUMBER, _COUNT_WITH_PEERS), "<=", 3
    ),
    "noop: a bounded rank beside a sum that Spark computes for all rows": bounded(
        ranked(_PLACE, _SUM_WITH_PEERS), "<=", 3
    ),
    "noop: a bounded row number beside a running sum and a lag": bounded(
        ranked(_NUMBER, _RUNNING, _BEFORE), "<=", 3
    ),
    "noop: a choice of places": Filter(
        ranked(_NUMBER),
        call("in", _FIRST.args[0], Literal("1", INTEGER), Literal("4", INTEGER)),
    ),
}

KEPT: dict[str, Rel] = {
    "a filter": Filter(ORDERS, DEAR),
    "a filter that may fail": Filter(ORDERS, FAILING),
    "a projection": Project(ORDERS, (output(51, "double", call("+", O_ID.ref(), O_ID.ref())),)),
    "a union": Union((picked(ORDERS, O_ID), picked(CUSTOMERS, C_ID)), (column(51, "id"),)),
    "an exploded array": Generate(
        EVENTS, call("explode", E_TAGS.ref()), False, (column(51, "tag", STRING),)
    ),
    "an inner join": joined(JoinKind.INNER),
    "an inner join with a residual condition": joined(JoinKind.INNER, _LESS),
    "a join without a key": joined(JoinKind.INNER, _LESS, keyed=False),
    "a cross join": joined(JoinKind.CROSS, keyed=False),
    "a left join": joined(JoinKind.LEFT, _LESS),
    "a full join": joined(JoinKind.FULL),
    "a semi join": joined(JoinKind.SEMI),
    "an anti join": joined(JoinKind.ANTI),
    "an anti join without a key": joined(JoinKind.ANTI, _LESS, keyed=False),
    "a mark join": joined(JoinKind.MARK),
    "a single join": joined(JoinKind.SINGLE),
    "a self join": Join(
        JoinKind.INNER,
        ORDERS,
        Scan(
            "orders",
            tuple(
                column(70 + n, each.name, each.dtype, each.nullable)
                for n, each in enumerate(ORDERS.columns)
            ),
        ),
        (JoinKey(O_CUSTOMER.ref(), column(71, "customer").ref()),),
    ),
    "sums and counts by key": grouped(ORDERS, (O_CUSTOMER,), total=_TOTAL, orders=_COUNT),
    "sums by a key that is stored in another form": grouped(TERMS, (T_MONTHS,), orders=_COUNT),
    "sums without a key": grouped(ORDERS, (), total=_TOTAL, orders=_COUNT),
    "an average": grouped(ORDERS, (O_CUSTOMER,), mean=aggregate("avg", O_TOTAL.ref())),
    "a sum of floating numbers": grouped(
        ORDERS, (O_CUSTOMER,), weight=aggregate("sum", O_WEIGHT.ref())
    ),
    "a deviation of floating numbers": grouped(
        ORDERS, (O_CUSTOMER,), spread=aggregate("stddev_samp", O_WEIGHT.ref())
    ),
    "an average of floating numbers beside an extreme": grouped(
        ORDERS,
        (O_CUSTOMER,),
        mean=aggregate("avg", O_WEIGHT.ref()),
        first=aggregate("min", O_DAY.ref()),
    ),
    "extremes under deletes": grouped(
        ORDERS, (O_CUSTOMER,), first=aggregate("min", O_DAY.ref()), total=_TOTAL
    ),
    "an extreme of all rows": grouped(ORDERS, (), first=aggregate("min", O_DAY.ref())),
    "percentiles by key": grouped(
        ORDERS,
        (O_CUSTOMER,),
        middle=_percentile("percentile", "0.5"),
        most=_percentile("percentile", "0.9"),
    ),
    "percentiles of all rows": grouped(
        ORDERS, (), tails=_percentile("percentile", "ARRAY(0.1D, 0.9D)")
    ),
    "an estimate from registers": grouped(
        REGISTERS,
        (R_KEY,),
        values=aggregate("count_by_registers", R_DIGITS.ref(), params=SKETCH.params),
    ),
    "collected values": grouped(ORDERS, (O_CUSTOMER,), days=aggregate("collect_list", O_DAY.ref())),
    "distinct rows": Aggregate(ORDERS, keys(O_CUSTOMER, O_DAY), ()),
    "ranks by key": _RANK,
    "ranks of all rows": Window(
        ORDERS,
        (),
        (SortKey(O_DAY.ref()),),
        (output(61, "place", WindowCall(call("rank"), None)),),
    ),
    **LARGE,
    "the first rows": Limit(Sort(ORDERS, (SortKey(O_DAY.ref()), SortKey(O_ID.ref()))), 3),
    "the first rows by key": first_orders(RankKind.ROW_NUMBER, O_CUSTOMER),
    "the first ranks by key": first_orders(RankKind.RANK, O_CUSTOMER),
    "the first ranks of all rows": first_orders(RankKind.DENSE_RANK),
    "the first rows by a key with columns that cannot be held against others": GroupLimit(
        NOTES, (N_ID.ref(),), (SortKey(N_ID.ref()),), RankKind.ROW_NUMBER, 1
    ),
    "the first rows by key as a filter says it": normalize(bounded(ranked(_NUMBER), "<=", 3)),
    "the first rows of all as a filter says it": normalize(
        bounded(Window(ORDERS, (), _BY_DAY, ranked(_NUMBER).functions), "<=", 3)
    ),
    "a part left to Spark": Recompute(
        "fragment_of_a_test", "nobody knows it", ("orders",), (column(51, "id"),)
    ),
    "a sum over a join": grouped(joined(JoinKind.INNER), (C_COUNTRY,), total=_TOTAL),
}
