"""Reads the calls of Java methods by which Spark replaces some functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.literals import quote_string
from slackwater.expr.nodes import Expr
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.reader import ExpressionReader
from slackwater.frontend.sql.scope import UnrepresentableError
from slackwater.types import parse_spark_type


@dataclass(frozen=True, slots=True)
class StaticForm:
    """A function of SQL that Spark replaces by a call of a static Java method."""

    function: str
    arguments: int
    """How many arguments are the user's; they come first."""
    added: tuple[str, ...] = ()
    """The constants that Spark adds behind them; with others it is another function."""


STATIC_INVOKES: Mapping[tuple[str, str], tuple[StaticForm, ...]] = {
    ("Base64", "encode"): (StaticForm("base64", 1, ("true",)),),
    ("Encode", "encode"): (StaticForm("encode", 2, ("false", "false")),),
    ("StringDecode", "decode"): (StaticForm("decode_charset", 2, ("false", "false")),),
    ("UrlCodec$", "encode"): (StaticForm("url_encode", 1),),
    ("UrlCodec$", "decode"): (
        StaticForm("url_decode", 1, ("true",)),
        StaticForm("try_url_decode", 1, ("false",)),
    ),
    ("ExpressionImplUtils", "isLuhnNumber"): (StaticForm("luhn_check", 1),),
    ("ExpressionImplUtils", "getSentences"): (StaticForm("sentences", 3),),
    ("JsonExpressionUtils", "lengthOfJsonArray"): (StaticForm("json_array_length", 1),),
    ("JsonExpressionUtils", "jsonObjectKeys"): (StaticForm("json_object_keys", 1),),
    ("ExpressionImplUtils", "quote"): (StaticForm("quote", 1),),
    ("ExpressionImplUtils", "validateUTF8String"): (StaticForm("validate_utf8", 1),),
    ("ExpressionImplUtils", "tryValidateUTF8String"): (StaticForm("try_validate_utf8", 1),),
    ("ExpressionImplUtils", "aesEncrypt"): (StaticForm("aes_encrypt", 6),),
    ("ExpressionImplUtils", "aesDecrypt"): (StaticForm("aes_decrypt", 5),),
    ("ByteArray", "lpad"): (StaticForm("lpad", 3),),
    ("ByteArray", "rpad"): (StaticForm("rpad", 3),),
    ("ByteArrayMethods", "startsWith"): (StaticForm("startswith", 2),),
    ("ByteArrayMethods", "endsWith"): (StaticForm("endswith", 2),),
    ("ByteArrayMethods", "contains"): (StaticForm("contains", 2),),
    ("BitmapExpressionUtils", "bitmapCount"): (StaticForm("bitmap_count", 1),),
    ("BitmapExpressionUtils", "bitmapBitPosition"): (StaticForm("bitmap_bit_position", 1),),
    ("BitmapExpressionUtils", "bitmapBucketNumber"): (StaticForm("bitmap_bucket_number", 1),),
    ("VariantExpressionEvalUtils$", "parseJson"): (
        StaticForm("parse_json", 1, ("false", "true", "true")),
        StaticForm("try_parse_json", 1, ("false", "false", "true")),
    ),
    ("VariantExpressionEvalUtils$", "isVariantNull"): (StaticForm("is_variant_null", 1),),
    ("VariantExpressionEvalUtils$", "isValidVariant"): (StaticForm("is_valid_variant", 1),),
    ("SchemaOfVariant$", "schemaOfVariant"): (StaticForm("schema_of_variant", 1),),
}
"""Functions by the class and name of the method that stands for them."""

_XPATHS = {
    "XPathBooleanEvaluator": "xpath_boolean",
    "XPathShortEvaluator": "xpath_short",
    "XPathIntEvaluator": "xpath_int",
    "XPathLongEvaluator": "xpath_long",
    "XPathFloatEvaluator": "xpath_float",
    "XPathDoubleEvaluator": "xpath_double",
    "XPathStringEvaluator": "xpath_string",
    "XPathListEvaluator": "xpath",
}
_STRING_METHODS = {"isValid": "is_valid_utf8", "makeValid": "make_valid_utf8"}


def invoke(reader: ExpressionReader, node: Node) -> Expr:
    """A method of an evaluator object, which stands for a function of SQL."""
    target, *args = node.children
    evaluator = str(target.value("value") or "").split("(", 1)[0]
    said = str(target.value("value") or "")
    if evaluator == "StructsToJsonEvaluator":
        return _to_json(reader, target, tuple(args))
    if evaluator == "ParseUrlEvaluator":
        function = "parse_url" if said.endswith(",true)") else "try_parse_url"
        return call(function, *reader.read_all(tuple(args)))
    if evaluator in _XPATHS:
        path = quote_string(str(reader.facts.jvm_plan.literal_value(target).path()))
        result = call(_XPATHS[evaluator], *reader.read_all(tuple(args)), params=(path,))
        return with_type(result, parse_spark_type(node.value("dataType")))
    method = str(node.value("functionName"))
    if target.name != "Literal" and method in _STRING_METHODS:
        return call(_STRING_METHODS[method], reader.read(target))
    raise UnrepresentableError(f"method {method} of {evaluator or 'a value'}")


def _to_json(reader: ExpressionReader, evaluator: Node, args: tuple[Node, ...]) -> Expr:
    """A value as JSON text, with the options that the user gives."""
    if not str(evaluator.value("value")).endswith(f",Some({reader.facts.session.zone}))"):
        raise UnrepresentableError("to_json in another time zone than the session's")
    given = reader.facts.jvm_plan.literal_value(evaluator).options()
    options = reader.facts.jvm_plan.dictionary(given)
    return call("to_json", *reader.read_all(args), params=options_text(options))


def options_text(options: Mapping[str, str]) -> tuple[str, ...]:
    """Options as the last argument of a function; none if there are none."""
    if not options:
        return ()
    pairs = ", ".join(
        f"{quote_string(key)}, {quote_string(value)}" for key, value in sorted(options.items())
    )
    return (f"map({pairs})",)


def static_invoke(reader: ExpressionReader, node: Node) -> Expr:
    """A static method that stands for a function of SQL."""
    owner = str(node.value("staticObject")).rsplit(".", 1)[-1]
    method = str(node.value("functionName"))
    form = _static_form(owner, method, node.children)
    if form is None:
        raise UnrepresentableError(f"static method {owner}.{method}")
    result = call(form.function, *reader.read_all(node.children[: form.arguments]))
    return with_type(result, parse_spark_type(node.value("dataType")))


def _static_form(owner: str, method: str, arguments: tuple[Node, ...]) -> StaticForm | None:
    """The function of SQL that becomes this very call, with the arguments Spark adds to it."""
    for form in STATIC_INVOKES.get((owner, method), ()):
        added = arguments[form.arguments :]
        if tuple(_constant_text(each) for each in added) == form.added:
            return form
    return None


def _constant_text(node: Node) -> str | None:
    return str(node.value("value")) if node.name == "Literal" else None
