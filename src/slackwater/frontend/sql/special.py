"""Reads the Catalyst expressions that need more than a name: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.errors import NonDeterministicError
from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.literals import quote_string
from slackwater.expr.nodes import (
    Call,
    Cast,
    CastMode,
    Expr,
    FieldAccess,
    Lambda,
    LambdaVariable,
    Literal,
    UserCall,
)
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.java_calls import invoke, options_text, static_invoke
from slackwater.frontend.sql.moments import TIMES
from slackwater.frontend.sql.reader import ExpressionReader
from slackwater.frontend.sql.scope import UnrepresentableError, expression_id
from slackwater.types import (
    BIGINT,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    DataType,
    Field,
    StringType,
    StructType,
    always_fits,
    parse_spark_type,
)

LEAST_VALUES: Mapping[DataType, str] = {
    TINYINT: str(-(2**7)),
    SMALLINT: str(-(2**15)),
    INTEGER: str(-(2**31)),
    BIGINT: str(-(2**63)),
}
"""Whole numbers that have no counterpart with the other sign."""


def cast(reader: ExpressionReader, node: Node) -> Expr:
    """A cast; what it does with errors is asked of Spark only if it can fail at all."""
    child = reader.read(node.children[0])
    target = parse_spark_type(node.value("dataType"))
    return Cast(child, target, _cast_mode(reader, node, child.dtype, target))


def _cast_mode(
    reader: ExpressionReader, node: Node, source: DataType, target: DataType
) -> CastMode:
    if _same_in_all_modes(source, target):
        return CastMode.SESSION
    session = reader.facts.session
    mode = reader.facts.jvm_plan.evaluation_mode(node, session.allow_precision_loss)
    if mode == session.mode:
        return CastMode.SESSION
    if mode == "TRY" or (mode == "LEGACY" and _only_nulls_errors(source, target)):
        return CastMode.TRY
    raise UnrepresentableError(f"a cast from {source} to {target} in evaluation mode {mode}")


def _same_in_all_modes(source: DataType, target: DataType) -> bool:
    """Whether a cast cannot fail; texts of decimals are written differently in each mode."""
    if isinstance(target, StringType):
        return False
    moments = (DATE, TIMESTAMP, TIMESTAMP_NTZ)
    return always_fits(source, target) or (source in moments and target in moments)


def _only_nulls_errors(source: DataType, target: DataType) -> bool:
    """Whether the legacy mode differs from ANSI only by giving NULL where ANSI fails."""
    return isinstance(source, StringType) and target in (DATE, TIMESTAMP, TIMESTAMP_NTZ)


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
    name = "subscript" if reader.may_fail(node) else "get"
    return call(name, *reader.read_all(node.children))


def element_at(reader: ExpressionReader, node: Node) -> Expr:
    """An element counted from one; with a default it is what `split_part` became."""
    if node.value("defaultValueOutOfBound"):
        split, position = node.children
        if split.name != "StringSplitSQL":
            raise UnrepresentableError("element_at with a default value has no SQL form")
        return call("split_part", *reader.read_all(split.children), reader.read(position))
    name = "try_element_at" if reader.is_quiet(node) else "element_at"
    return call(name, *reader.read_all(node.children))


def binary_from_text(reader: ExpressionReader, node: Node) -> Expr:
    """Bytes written as text; `to_binary` is the form that fails where the text is malformed."""
    function, form = {"UnBase64": ("unbase64", "base64"), "Unhex": ("unhex", "hex")}[node.name]
    (child,) = reader.read_all(node.children)
    if node.value("failOnError"):
        return call("to_binary", child, params=(quote_string(form),))
    return call(function, child)


def negative(reader: ExpressionReader, node: Node) -> Expr:
    """A number with the other sign; where it may wrap around, as inside `right`, it does."""
    (child,) = reader.read_all(node.children)
    if not reader.is_quiet(node):
        return call("negative", child)
    if child.dtype not in LEAST_VALUES:
        raise UnrepresentableError(f"the sign of {child.dtype} that wraps around")
    least = Literal(LEAST_VALUES[child.dtype], child.dtype)
    return call("case", call("=", child, least), child, call("negative", child))


def quiet(reader: ExpressionReader, node: Node) -> Expr:
    """A value that is NULL where computing it fails; only some functions have that form."""
    child = reader.read(node.children[0])
    if isinstance(child, Call) and child.function in _QUIET_FORMS:
        form = call(_QUIET_FORMS[child.function], *child.args, params=child.params)
        return with_type(form, child.dtype)
    raise UnrepresentableError("an expression that is NULL where it fails")


_QUIET_FORMS = {
    "to_binary": "try_to_binary",
    "aes_decrypt": "try_aes_decrypt",
    "date_add": "try_add",
    "date_sub": "try_subtract",
}


def variant_field(reader: ExpressionReader, node: Node) -> Expr:
    """A value inside a variant, by its path."""
    target = parse_spark_type(node.value("targetType"))
    function = "try_variant_get" if reader.is_quiet(node) else "variant_get"
    args = reader.read_all(node.children)
    return with_type(call(function, *args, params=(quote_string(target.sql()),)), target)


def like(reader: ExpressionReader, node: Node) -> Expr:
    """LIKE; the JSON drops the escape character."""
    escape = str(reader.facts.jvm_plan.attribute(node, "escapeChar"))
    return call("like", *reader.read_all(node.children), params=(quote_string(escape),))


def like_many(reader: ExpressionReader, node: Node) -> Expr:
    """LIKE ANY, LIKE ALL and their negations."""
    function = {
        "LikeAny": "like_any",
        "LikeAll": "like_all",
        "NotLikeAny": "not_like_any",
        "NotLikeAll": "not_like_all",
    }[node.name]
    patterns = reader.facts.jvm_plan.texts(node, "patterns")
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
    schema = parse_spark_type(node.value("schema"))
    options = options_text(reader.facts.jvm_plan.options(node, "options"))
    params = (quote_string(schema.sql()), *options)
    return with_type(call(function, reader.read(node.children[0]), params=params), schema)


def to_csv(reader: ExpressionReader, node: Node) -> Expr:
    """A struct as a line of text."""
    options = options_text(reader.facts.jvm_plan.options(node, "options"))
    return call("to_csv", reader.read(node.children[0]), params=options)


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
    """An error that the query raises itself; other errors than the user's have no SQL form."""
    condition, parameters = node.children
    if condition.value("value") != "USER_RAISED_EXCEPTION":
        raise UnrepresentableError(f"an error of condition {condition.value('value')}")
    message = _error_message(reader, parameters)
    return with_type(call("raise_error", message), parse_spark_type(node.value("dataType")))


def _error_message(reader: ExpressionReader, parameters: Node) -> Expr:
    """The user's text: the one value of the map that Spark has wrapped it into."""
    if parameters.name == "CreateMap":
        name, message = parameters.children
        if name.value("value") == "errorMessage":
            return reader.read(message)
    elif parameters.name == "Literal":
        found = reader.facts.jvm_plan.map_values(parameters)
        if list(found) == ["errorMessage"]:
            return Literal(found["errorMessage"], STRING)
    raise UnrepresentableError("an error without a message of the user's")


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
    if not reader.facts.jvm_plan.is_registered(node):
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
    **TIMES,
    "Cast": cast,
    "GetStructField": struct_field,
    "GetArrayStructFields": array_field,
    "GetArrayItem": array_item,
    "ElementAt": element_at,
    "UnBase64": binary_from_text,
    "Unhex": binary_from_text,
    "UnaryMinus": negative,
    "TryEval": quiet,
    "VariantGet": variant_field,
    "Like": like,
    "LikeAny": like_many,
    "LikeAll": like_many,
    "NotLikeAny": like_many,
    "NotLikeAll": like_many,
    "StringTrim": trim,
    "StringTrimLeft": trim,
    "StringTrimRight": trim,
    "Collate": collate,
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
