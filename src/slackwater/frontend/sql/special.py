"""Reads the Catalyst expressions that need more than a name: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.errors import NonDeterministicError
from slackwater.expr.functions import call
from slackwater.expr.literals import quote_string
from slackwater.expr.nodes import (
    Cast,
    CastMode,
    Expr,
    FieldAccess,
    Lambda,
    LambdaVariable,
    UserCall,
    with_type,
)
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_tables import STATIC_INVOKES
from slackwater.frontend.sql.reader import ExpressionReader
from slackwater.frontend.sql.scope import UnrepresentableError, expression_id
from slackwater.types import (
    TIMESTAMP,
    ArrayType,
    Field,
    StringType,
    StructType,
    always_fits,
    parse_spark_type,
)


def cast(reader: ExpressionReader, node: Node) -> Expr:
    """A cast; whether it may fail quietly is asked of Spark only if it can fail at all."""
    child = reader.read(node.children[0])
    target = parse_spark_type(node.value("dataType"))
    quiet = not always_fits(child.dtype, target) and reader.facts.companion.is_try(node)
    return Cast(child, target, CastMode.TRY if quiet else CastMode.SESSION)


def struct_field(reader: ExpressionReader, node: Node) -> Expr:
    """A field of a struct, by its place."""
    child = reader.read(node.children[0])
    if not isinstance(child.dtype, StructType):
        raise UnrepresentableError("a field of a value whose type is not known")
    field = child.dtype.fields[int(node.value("ordinal"))]
    _require_unambiguous(child.dtype, field.name)
    return FieldAccess(child, field.name, field.dtype, field.nullable)


def array_field(reader: ExpressionReader, node: Node) -> Expr:
    """The same field of every struct in an array."""
    child = reader.read(node.children[0])
    if not isinstance(child.dtype, ArrayType) or not isinstance(child.dtype.element, StructType):
        raise UnrepresentableError("a field of an array whose type is not known")
    field = child.dtype.element.fields[int(node.value("ordinal"))]
    _require_unambiguous(child.dtype.element, field.name)
    nulls = child.dtype.contains_null or field.nullable
    return FieldAccess(child, field.name, ArrayType(field.dtype, nulls), False)


def array_item(reader: ExpressionReader, node: Node) -> Expr:
    """An array element by position; `get` is the form that never fails."""
    name = "subscript" if node.value("failOnError") else "get"
    return call(name, *reader.read_all(node.children))


def element_at(reader: ExpressionReader, node: Node) -> Expr:
    """An element counted from one; with a default it is what `split_part` became."""
    if node.value("defaultValueOutOfBound"):
        split, position = node.children
        if split.name != "StringSplitSQL":
            raise UnrepresentableError("element_at with a default value has no SQL form")
        return call("split_part", *reader.read_all(split.children), reader.read(position))
    same = node.value("failOnError") == reader.facts.ansi
    return call("element_at" if same else "try_element_at", *reader.read_all(node.children))


def like(reader: ExpressionReader, node: Node) -> Expr:
    """LIKE; the JSON drops the escape character."""
    escape = str(reader.facts.companion.attribute(node, "escapeChar"))
    return call("like", *reader.read_all(node.children), params=(quote_string(escape),))


def like_many(reader: ExpressionReader, node: Node) -> Expr:
    """LIKE ANY, LIKE ALL and their negations."""
    function = {
        "LikeAny": "like_any",
        "LikeAll": "like_all",
        "NotLikeAny": "not_like_any",
        "NotLikeAll": "not_like_all",
    }[node.name]
    patterns = reader.facts.companion.texts(node, "patterns")
    return call(function, reader.read(node.children[0]), params=tuple(map(quote_string, patterns)))


def trim(reader: ExpressionReader, node: Node) -> Expr:
    """The trim family."""
    function = {"StringTrim": "trim", "StringTrimLeft": "ltrim", "StringTrimRight": "rtrim"}
    return call(function[node.name], *reader.read_all(node.children))


def collate(reader: ExpressionReader, node: Node) -> Expr:
    """A string under a named collation."""
    child, collation = node.children
    name = str(collation.value("collationName"))
    return with_type(call("collate", reader.read(child), params=(name,)), StringType(name.upper()))


def timestamp_unit(reader: ExpressionReader, node: Node) -> Expr:
    """timestampadd and timestampdiff, which name a unit."""
    function = "timestampadd" if node.name == "TimestampAdd" else "timestampdiff"
    args = reader.read_all(node.children)
    result = call(function, *args, params=(str(node.value("unit")),))
    return result if function == "timestampdiff" else with_type(result, args[1].dtype)


def parse_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """Text read as a moment by a format."""
    args = reader.read_all(node.children)
    plain = parse_spark_type(node.value("dataType")) == TIMESTAMP
    if node.value("failOnError") != reader.facts.ansi:
        if not plain:
            raise UnrepresentableError("try_to_timestamp without time zone has no SQL form")
        return call("try_to_timestamp", *args)
    return call("to_timestamp_ltz" if plain else "to_timestamp_ntz", *args)


def make_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """A moment from its fields."""
    plain = parse_spark_type(node.value("dataType")) == TIMESTAMP
    function = "make_timestamp_ltz" if plain else "make_timestamp_ntz"
    if node.value("failOnError") != reader.facts.ansi:
        function = f"try_{function}"
    return call(function, *reader.read_all(node.children))


def precise_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """A moment as microseconds and back: what time windows are made of."""
    to_number = node.value("toType") == "long"
    return call("unix_micros" if to_number else "timestamp_micros", reader.read(node.children[0]))


def arrays_zip(reader: ExpressionReader, node: Node) -> Expr:
    """arrays_zip with the field names Spark chose from the original arguments."""
    args = reader.read_all(node.children)
    names = [str(each[0]["value"]) for each in node.value("names")]
    if not all(isinstance(arg.dtype, ArrayType) for arg in args):
        raise UnrepresentableError("arrays_zip of arrays whose types are not known")
    fields = tuple(
        Field(name, arg.dtype.element, True)
        for name, arg in zip(names, args, strict=True)
        if isinstance(arg.dtype, ArrayType)
    )
    target = ArrayType(StructType(fields), False)
    return Cast(with_type(call("arrays_zip", *args), target), target)


def from_text(reader: ExpressionReader, node: Node) -> Expr:
    """from_json and from_csv, with schema and options."""
    function = "from_json" if node.name == "JsonToStructs" else "from_csv"
    _check_usual(reader, node, skip=("schema", "options", "timeZoneId"))
    schema = parse_spark_type(node.value("schema"))
    options = _options(reader.facts.companion.options(node, "options"))
    params = (quote_string(schema.sql()), *options)
    return with_type(call(function, reader.read(node.children[0]), params=params), schema)


def to_csv(reader: ExpressionReader, node: Node) -> Expr:
    """A struct as a line of text."""
    options = _options(reader.facts.companion.options(node, "options"))
    return call("to_csv", reader.read(node.children[0]), params=options)


def _check_usual(reader: ExpressionReader, node: Node, skip: tuple[str, ...]) -> None:
    for name, value in node.fields.items():
        if name not in skip and isinstance(value, bool):
            reader.check_parameter(node, name, value)


def _options(options: Mapping[str, str]) -> tuple[str, ...]:
    if not options:
        return ()
    pairs = ", ".join(
        f"{quote_string(key)}, {quote_string(value)}" for key, value in sorted(options.items())
    )
    return (f"map({pairs})",)


_STRING_METHODS = {"isValid": "is_valid_utf8", "makeValid": "make_valid_utf8"}


def invoke(reader: ExpressionReader, node: Node) -> Expr:
    """A method of an evaluator object, which stands for a function of SQL."""
    target, *args = node.children
    evaluator = str(target.value("value") or "").split("(", 1)[0]
    if evaluator == "StructsToJsonEvaluator":
        if not reader.facts.companion.literal_value(target).options().isEmpty():
            raise UnrepresentableError("to_json with options")
        return call("to_json", *reader.read_all(tuple(args)))
    if evaluator == "ParseUrlEvaluator" and str(target.value("value")).endswith("true)"):
        return call("parse_url", *reader.read_all(tuple(args)))
    method = str(node.value("functionName"))
    if target.name != "Literal" and method in _STRING_METHODS:
        return call(_STRING_METHODS[method], reader.read(target))
    raise UnrepresentableError(f"method {method} of {evaluator or 'a value'}")


def static_invoke(reader: ExpressionReader, node: Node) -> Expr:
    """A static method that stands for a function of SQL."""
    owner = str(node.value("staticObject")).rsplit(".", 1)[-1]
    method = str(node.value("functionName"))
    if (owner, method) not in STATIC_INVOKES:
        raise UnrepresentableError(f"static method {owner}.{method}")
    function, arity = STATIC_INVOKES[owner, method]
    result = call(function, *reader.read_all(node.children[:arity]))
    return with_type(result, parse_spark_type(node.value("dataType")))


def lambda_function(reader: ExpressionReader, node: Node) -> Expr:
    """A lambda; its variables get names that no other lambda of the expression has."""
    body, *variables = node.children
    bound = tuple(_lambda_variable(reader, variable) for variable in variables)
    return Lambda(bound, reader.read(body))


def _lambda_variable(reader: ExpressionReader, node: Node) -> LambdaVariable:
    number = expression_id(node)
    name = reader.lambda_names.setdefault(
        number, f"{node.value('name')}_{len(reader.lambda_names)}"
    )
    return LambdaVariable(
        name, parse_spark_type(node.value("dataType")), bool(node.value("nullable"))
    )


def lambda_variable(reader: ExpressionReader, node: Node) -> Expr:
    """A use of a lambda's variable."""
    return _lambda_variable(reader, node)


def raise_error(reader: ExpressionReader, node: Node) -> Expr:
    """An error the query raises itreader."""
    dtype = parse_spark_type(node.value("dataType"))
    return with_type(call("raise_error", *reader.read_all(node.children)), dtype)


def at_least_n(reader: ExpressionReader, node: Node) -> Expr:
    """What dropna leaves: a count of values that are neither NULL nor NaN."""
    params = (str(node.value("n")),)
    return call("at_least_n_non_nulls", *reader.read_all(node.children), params=params)


def scalar_subquery(reader: ExpressionReader, node: Node) -> Expr:
    """The value of a subquery, already joined in as a column."""
    column = reader.subqueries.get(node.way)
    if column is None:
        raise UnrepresentableError("a subquery stands where its value cannot be joined in")
    return column.ref()


def user_function(reader: ExpressionReader, node: Node) -> Expr:
    """A Python function, which can be applied again if it is registered by name."""
    name = str(node.value("name"))
    if not node.value("udfDeterministic"):
        raise NonDeterministicError(
            f"function {name} is declared non-deterministic",
            hint="Register it without asNondeterministic if its result depends on its "
            "arguments alone.",
        )
    if not reader.facts.companion.is_registered(node):
        raise UnrepresentableError(
            f"Python function {name} is not registered by name (use spark.udf.register)"
        )
    dtype = parse_spark_type(node.value("dataType"))
    return UserCall(name, reader.read_all(node.children), dtype)


def lag_or_lead(reader: ExpressionReader, node: Node) -> Expr:
    """A value some rows before or after."""
    return call("lag" if node.name == "Lag" else "lead", *reader.read_all(node.children))


def nth_value(reader: ExpressionReader, node: Node) -> Expr:
    """The n-th value of the frame."""
    return call("nth_value", *reader.read_all(node.children))


def _require_unambiguous(dtype: StructType, name: str) -> None:
    same = [field for field in dtype.fields if field.name.lower() == name.lower()]
    if len(same) > 1:
        raise UnrepresentableError(f"struct has several fields named {name}")


SPECIAL: Mapping[str, Callable[[ExpressionReader, Node], Expr]] = {
    "Cast": cast,
    "GetStructField": struct_field,
    "GetArrayStructFields": array_field,
    "GetArrayItem": array_item,
    "ElementAt": element_at,
    "Like": like,
    "LikeAny": like_many,
    "LikeAll": like_many,
    "NotLikeAny": like_many,
    "NotLikeAll": like_many,
    "StringTrim": trim,
    "StringTrimLeft": trim,
    "StringTrimRight": trim,
    "Collate": collate,
    "TimestampAdd": timestamp_unit,
    "TimestampDiff": timestamp_unit,
    "GetTimestamp": parse_timestamp,
    "MakeTimestamp": make_timestamp,
    "PreciseTimestampConversion": precise_timestamp,
    "ArraysZip": arrays_zip,
    "JsonToStructs": from_text,
    "CsvToStructs": from_text,
    "StructsToCsv": to_csv,
    "Invoke": invoke,
    "StaticInvoke": static_invoke,
    "LambdaFunction": lambda_function,
    "NamedLambdaVariable": lambda_variable,
    "RaiseError": raise_error,
    "AtLeastNNonNulls": at_least_n,
    "ScalarSubquery": scalar_subquery,
    "PythonUDF": user_function,
    "Lag": lag_or_lead,
    "Lead": lag_or_lead,
    "NthValue": nth_value,
}
