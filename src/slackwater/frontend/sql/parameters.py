"""The constructor parameters of the Catalyst classes we read, and what becomes of each.

A parameter that nobody reads can change what an expression means: a flag that turns errors
into NULL, a seed, a mode. So each class we read lists all its constructor parameters here. A
class or parameter that is not listed, and a value that is not the listed one, sends the
operator that holds the expression to Spark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from slackwater.frontend.sql.catalyst import Node


class Treatment(Enum):
    """The ways in which the reader takes a parameter."""

    CHILD = "child"
    """An expression, or several; read like any other."""
    ANSI = "ansi"
    """Repeats whether the session is in ANSI mode."""
    ZONE = "zone"
    """Repeats the session's time zone, or says none."""
    MODE = "mode"
    """An evaluation mode, which the JSON drops; the reader asks Spark for it."""
    READ = "read"
    """Read by the function that reads the class."""
    IGNORED = "ignored"
    """Without meaning for the value: buffer offsets, ids, names."""
    FIXED = "fixed"
    """One value only; any other is unknown to us."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One constructor parameter of a Catalyst expression."""

    name: str
    treatment: Treatment
    value: object = None
    """The only value we know, for a fixed parameter."""


ParameterTable = Mapping[str, Mapping[str, Parameter]]
"""The parameters of classes by their names."""


def parse_parameter(text: str) -> Parameter:
    """Read the short form: a name, `name:treatment` or `name=value`.

    >>> parse_parameter("failOnError:ansi").treatment
    <Treatment.ANSI: 'ansi'>
    >>> parse_parameter("seed=42").value
    42
    """
    if "=" in text:
        name, value = text.split("=", 1)
        return Parameter(name, Treatment.FIXED, json.loads(value))
    name, _, treatment = text.partition(":")
    return Parameter(name, Treatment(treatment or "child"))


_BUFFERS = "mutableAggBufferOffset:ignored inputAggBufferOffset:ignored"

_SIGNATURES: Mapping[str, str] = {
    "": "CumeDist RowNumber",
    "child": """
        Acos Acosh ArrayDistinct ArrayMax ArrayMin Ascii Asin Asinh Atan Atanh Bin BitAndAgg
        BitLength BitOrAgg BitXorAgg BitwiseCount BitwiseNot Cbrt Ceil Chr Cos Cosh Cot Crc32 Csc
        DateFromUnixDate DayName DayOfMonth DayOfWeek DayOfYear Exp Explode Expm1
        ExtractANSIIntervalDays ExtractANSIIntervalHours ExtractANSIIntervalMinutes
        ExtractANSIIntervalMonths ExtractANSIIntervalSeconds ExtractANSIIntervalYears Factorial
        Flatten Floor Hex InitCap Inline IsNaN IsNotNull IsNull KnownFloatingPointNormalized
        KnownNotContainsNull KnownNotNull KnownNullable Length Log Log10 Log1p Log2 Lower
        MapEntries MapFromEntries MapKeys MapValues Max Md5 MicrosToTimestamp MillisToTimestamp
        Min Month MonthName NormalizeNaNAndZero Not OctetLength PosExplode Quarter
        RegrReplacement Reverse Rint Sec SecondsToTimestamp Sha1 Signum Sin Sinh SoundEx Sqrt
        StringSpace Tan Tanh ToDegrees ToRadians TryEval UnaryPositive UnixDate UnixMicros
        UnixMillis UnixSeconds Upper WeekDay WeekOfYear Year YearOfWeek""",
    "left right": """
        And ArrayContains ArrayExcept ArrayIntersect ArrayPosition ArrayRemove ArrayRepeat
        ArrayUnion ArraysOverlap Atan2 BitwiseAnd BitwiseGet BitwiseOr BitwiseXor Contains
        EndsWith EqualNullSafe EqualTo FindInSet FromUTCTimestamp GreaterThan GreaterThanOrEqual
        Hypot LessThan LessThanOrEqual Logarithm MapFromArrays NaNvl Or Pow RLike RegrIntercept
        RegrSlope Sha2 ShiftLeft ShiftRight ShiftRightUnsigned StartsWith ToCharacter ToNumber
        ToUTCTimestamp TryToNumber""",
    "children": """
        Coalesce Concat ConcatWs Count CreateNamedStruct DenseRank FormatString Greatest
        JsonTuple Least MapConcat PercentRank Rank ReplicateRows Stack""",
    "left right evalContext:mode": """
        Add Divide IntegralDivide Multiply Pmod Remainder Subtract""",
    "child evalContext:mode": "Sum",
    "child evalMode:mode": "Average",
    "child dataType:read timeZoneId:zone evalMode:mode": "Cast",
    "argument function": """
        ArrayFilter ArrayForAll ArrayTransform MapFilter TransformKeys TransformValues""",
    "argument function allowNullComparisonResult=false": "ArraySort",
    "argument function followThreeValuedLogic=true": "ArrayExists",
    "argument zero merge finish": "ArrayAggregate",
    "left right function": "MapZipWith ZipWith",
    "function arguments hidden=false": "LambdaFunction",
    "name:read dataType:read nullable:read exprId:read value:ignored": "NamedLambdaVariable",
    "child nullOnDivideByZero=true": """
        Kurtosis Skewness StddevPop StddevSamp VariancePop VarianceSamp""",
    "left right nullOnDivideByZero=true": "CovPopulation CovSample",
    "x y nullOnDivideByZero=true": "Corr",
    "child failOnError:ansi": "Abs",
    "child failOnError:read": "UnaryMinus UnBase64 Unhex",
    "child path targetType:read failOnError:read timeZoneId:zone": "VariantGet",
    "years months weeks days hours mins secs failOnError:read": "MakeInterval",
    "child patterns:read": "LikeAll LikeAny NotLikeAll NotLikeAny",
    "child timeZoneId:zone": "Hour Minute Second SecondWithFraction",
    "interval num": "DivideDTInterval DivideYMInterval MultiplyDTInterval MultiplyYMInterval",
    "srcStr trimStr": "StringTrim StringTrimLeft StringTrimRight",
    "subject regexp idx": "RegExpExtract RegExpExtractAll RegExpInStr",
    "subject regexp rep pos": "RegExpReplace",
    "child ignoreNulls:read": "First Last",
    f"child {_BUFFERS} ignoreNulls:read": "CollectList CollectSet",
    f"child {_BUFFERS} reverseOpt:read": "Mode",
    f"child nBins {_BUFFERS}": "HistogramNumeric",
    f"child delimiter orderExpressions {_BUFFERS}": "ListAgg",
    f"child percentageExpression accuracyExpression {_BUFFERS}": "ApproximatePercentile",
    f"child percentageExpression frequencyExpression {_BUFFERS} reverse:read": "Percentile",
    f"child percentageExpression reverse:read {_BUFFERS} legacyCalculation=false": "PercentileDisc",
    f"child relativeSD:read {_BUFFERS}": "HyperLogLogPlusPlus",
    f"pivotColumn valueColumn pivotColumnValues:read {_BUFFERS}": "PivotFirst",
    "valueExpr orderingExpr": "MaxBy MinBy",
    "y x": "RegrR2 RegrSXY",
    "aggregateFunction mode:read isDistinct:read filter resultId:ignored": "AggregateExpression",
    "windowFunction windowSpec": "WindowExpression",
    "partitionSpec orderSpec frameSpecification": "WindowSpecDefinition",
    "frameType:read lower upper": "SpecifiedWindowFrame",
    "child direction:read nullOrdering:read sameOrderExpressions:ignored": "SortOrder",
    "input inputOffset default ignoreNulls:read": "Lag",
    "input offset default ignoreNulls:read": "Lead",
    "input offset ignoreNulls:read": "NthValue",
    "buckets": "NTile",
    "child scale": "RoundCeil RoundFloor",
    "child scale ansiEnabled:ansi": "BRound Round",
    "children useStringTypeWhenEmpty=false": "CreateArray CreateMap",
    "children failOnError:ansi": "Elt",
    "children names:read": "ArraysZip",
    "children seed=42": "Murmur3Hash XxHash64",
    "n:read children": "AtLeastNNonNulls",
    "predicate trueValue falseValue": "If",
    "branches elseValue": "CaseWhen",
    "value list": "In",
    "startDate days": "DateAdd DateSub",
    "startDate": "LastDay",
    "startDate dayOfWeek failOnError:ansi": "NextDay",
    "startDate numMonths": "AddMonths",
    "endDate startDate": "DateDiff",
    "date format": "TruncDate",
    "date interval": "DateAddYMInterval",
    "date1 date2 roundOff timeZoneId:zone": "MonthsBetween",
    "days hours mins secs": "MakeDTInterval",
    "years months": "MakeYMInterval",
    "year month day failOnError:ansi": "MakeDate",
    "year month day hour min sec timezone timeZoneId:zone failOnError:read dataType:read": (
        "MakeTimestamp"
    ),
    "timeExp format timeZoneId:zone failOnError:ansi": "ToUnixTimestamp UnixTimestamp",
    "left right dataType:read suggestedFuncOnFail:ignored timeZoneId:zone failOnError:read": (
        "GetTimestamp"
    ),
    "left right timeZoneId:zone": "DateFormatClass",
    "sec format timeZoneId:zone": "FromUnixTime",
    "format timestamp timeZoneId:zone": "TruncTimestamp",
    "start interval timeZoneId:zone": "TimestampAddInterval",
    "timestamp interval timeZoneId:zone": "TimestampAddYMInterval",
    "unit:read quantity timestamp timeZoneId:zone": "TimestampAdd",
    "unit:read startTimestamp endTimestamp timeZoneId:zone": "TimestampDiff",
    "left right legacyInterval=false": "SubtractDates",
    "left right legacyInterval=false timeZoneId:zone": "SubtractTimestamps",
    "sourceTz targetTz sourceTs": "ConvertTimezone",
    "child fromType:read toType:read": "PreciseTimestampConversion",
    "start stop stepOpt timeZoneId:zone": "Sequence",
    "str len pad": "StringLPad StringRPad",
    "str pos len": "Substring",
    "str regex limit": "StringSplit",
    "str substr": "StringInstr",
    "str times": "StringRepeat",
    "strExpr delimExpr countExpr": "SubstringIndex",
    "substr str start": "StringLocate",
    "srcExpr matchingExpr replaceExpr": "StringTranslate",
    "srcExpr searchExpr replaceExpr": "StringReplace",
    "input replace pos len": "Overlay",
    "input upperChar lowerChar digitChar otherChar": "Mask",
    "left right threshold": "Levenshtein",
    "left right escapeChar:read": "Like",
    "numExpr fromBaseExpr toBaseExpr ansiEnabled:ansi": "Conv",
    "value minValue maxValue numBucket": "WidthBucket",
    "x d": "FormatNumber",
    "text pairDelim keyValueDelim": "StringToMap",
    "child collation": "Collate",
    "json path": "GetJsonObject",
    "schema:read options:read child timeZoneId:zone variantAllowDuplicateKeys=false": (
        "JsonToStructs"
    ),
    "schema:read options:read child timeZoneId:zone requiredSchema=null": "CsvToStructs",
    "options:read child timeZoneId:zone": "StructsToCsv",
    "base": "MapSort",
    "base ascendingOrder": "SortArray",
    "array delimiter nullReplacement": "ArrayJoin",
    "x start length": "Slice",
    "srcArrayExpr posExpr itemExpr legacyNegativeIndex=false": "ArrayInsert",
    "child legacySizeOfNull=false": "Size",
    "child key": "GetMapValue",
    "child ordinal failOnError:read": "GetArrayItem",
    "child ordinal:read name:ignored": "GetStructField",
    "child field:read ordinal:read numFields:ignored containsNull:read": "GetArrayStructFields",
    "left right defaultValueOutOfBound:read failOnError:read": "ElementAt",
    "errorClass errorParms dataType:read": "RaiseError",
    "value:read dataType:read": "Literal",
    "name:read dataType:read nullable:read metadata:read exprId:read qualifier:ignored": (
        "AttributeReference"
    ),
    "child name:read exprId:read qualifier:ignored explicitMetadata:read "
    "nonInheritableMetadataKeys:ignored": "Alias",
    "name:read func:read dataType:read children evalType:ignored udfDeterministic:read "
    "resultId:ignored": "PythonUDF",
    "plan:read outerAttrs=[] exprId:ignored joinCond=[] hint:ignored mayHaveCountBug:ignored "
    "needSingleJoin:ignored": "ScalarSubquery",
    "targetObject functionName:read dataType:read arguments methodInputTypes:ignored "
    "propagateNull:ignored returnNullable:ignored isDeterministic=true": "Invoke",
    "staticObject:read dataType:read functionName:read arguments inputTypes:ignored "
    "propagateNull:ignored returnNullable:ignored isDeterministic=true scalarFunction=null": (
        "StaticInvoke"
    ),
}

_OPERATOR_SIGNATURES: Mapping[str, str] = {
    "": "OneRowRelation",
    "condition child": "Filter",
    "projectList child": "Project",
    "left right joinType:read condition hint:ignored": "Join",
    "groupingExpressions aggregateExpressions child hint:ignored": "Aggregate",
    "windowExpressions partitionSpec orderSpec child hint:ignored": "Window",
    "projections output child": "Expand",
    "generator unrequiredChildIndex:read outer:read qualifier:ignored generatorOutput child": (
        "Generate"
    ),
    "order global:read child hint:ignored": "Sort",
    "limitExpr child": "GlobalLimit LocalLimit",
    "offsetExpr child": "Offset",
    "children byName:ignored allowMissingCol:ignored": "Union",
    "udfs resultAttrs child": "BatchEvalPython",
    "udfs resultAttrs child evalType:ignored": "ArrowEvalPython",
    "numPartitions:ignored shuffle:ignored child": "Repartition",
    "partitionExpressions child optNumPartitions:ignored optAdvisoryPartitionSize:ignored": (
        "RebalancePartitions RepartitionByExpression"
    ),
    "name:ignored metrics child dataframeId:ignored": "CollectMetrics",
    "child hints:ignored": "ResolvedHint",
    "identifier:ignored child": "SubqueryAlias",
    "nodeId:ignored eventTime delay:ignored child": "EventTimeWatermark",
    "output data:read isStreaming=false stream=null": "LocalRelation",
    "start:read end:read step:read numSlices:ignored output isStreaming=false": "Range",
}


def _by_class(signatures: Mapping[str, str]) -> Mapping[str, Mapping[str, Parameter]]:
    return MappingProxyType(
        {
            name: {each.name: each for each in map(parse_parameter, signature.split())}
            for signature, names in signatures.items()
            for name in names.split()
        }
    )


EXPRESSION_PARAMETERS = _by_class(_SIGNATURES)
"""Every Catalyst expression we read, with all its constructor parameters in order."""

OPERATOR_PARAMETERS = _by_class(_OPERATOR_SIGNATURES)
"""Every logical operator we read; the leaves that stand for sources are made by ourselves."""


@dataclass(frozen=True, slots=True)
class SessionMeaning:
    """The settings of a session as far as they change the meaning of expressions in it."""

    ansi: bool
    zone: str
    allow_precision_loss: bool

    @property
    def mode(self) -> str:
        """The evaluation mode of an ordinary expression."""
        return "ANSI" if self.ansi else "LEGACY"


def unknown_parameter(node: Node, known: ParameterTable, session: SessionMeaning) -> str | None:
    """The reason why a node is not understood, or None.

    The JSON leaves out parameters without a value, so that a parameter that a later Spark adds
    is noticed as soon as it says something.
    """
    parameters = known.get(node.name)
    if parameters is None:
        kind = "operator" if known is OPERATOR_PARAMETERS else "expression"
        return f"{kind} {node.name} is not known"
    for name, value in node.fields.items():
        parameter = parameters.get(name)
        if parameter is None:
            return f"{node.name} has a parameter {name} that is not known"
        if not _understood(parameter, value, session):
            return f"{node.name} with {name} = {json.dumps(value)} has no SQL form"
    return None


def _understood(parameter: Parameter, value: object, session: SessionMeaning) -> bool:
    match parameter.treatment:
        case Treatment.ANSI:
            return value is session.ansi
        case Treatment.ZONE:
            return value is None or value == session.zone
        case Treatment.FIXED:
            return value == parameter.value
        case Treatment.CHILD | Treatment.MODE | Treatment.READ | Treatment.IGNORED:
            return True
        case _:
            assert_never(parameter.treatment)
