"""The function for each Catalyst expression: simple ones by name, the rest by their class.

A class in no table is not guessed at: the operator that holds it is recomputed by Spark, and
the reason names the class.
"""

from __future__ import annotations

from collections.abc import Mapping


def _pairs(text: str) -> dict[str, str]:
    """Pairs of Catalyst class and function name."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SIMPLE: Mapping[str, str] = _pairs(
    """
    EqualTo =   EqualNullSafe <=>   LessThan <   LessThanOrEqual <=
    GreaterThan >   GreaterThanOrEqual >=   And and   Or or   Not not
    IsNull isnull   IsNotNull isnotnull   IsNaN isnan   In in
    If if   CaseWhen case   Coalesce coalesce   Greatest greatest   Least least   NaNvl nanvl
    UnaryPositive positive   Abs abs
    BitwiseAnd &   BitwiseOr |   BitwiseXor ^   BitwiseNot ~   BitwiseCount bit_count
    BitwiseGet getbit   ShiftLeft shiftleft   ShiftRight shiftright
    ShiftRightUnsigned shiftrightunsigned
    Floor floor   Ceil ceil   RoundFloor round_floor   RoundCeil round_ceil
    Round round   BRound bround   Sqrt sqrt   Cbrt cbrt   Exp exp   Expm1 expm1
    Log ln   Log10 log10   Log2 log2   Log1p log1p   Logarithm log   Pow power
    Sin sin   Cos cos   Tan tan   Cot cot   Sec sec   Csc csc   Asin asin   Acos acos   Atan atan
    Sinh sinh   Cosh cosh   Tanh tanh   Asinh asinh   Acosh acosh   Atanh atanh   Atan2 atan2
    ToDegrees degrees   ToRadians radians   Signum sign   Rint rint   Hypot hypot
    Factorial factorial   Conv conv   Bin bin   Hex hex   WidthBucket width_bucket
    Murmur3Hash hash   XxHash64 xxhash64
    Upper upper   Lower lower   InitCap initcap   Reverse reverse   Substring substring
    StringRepeat repeat   StringReplace replace   StringTranslate translate
    SubstringIndex substring_index   StringLPad lpad   StringRPad rpad   Overlay overlay
    Concat concat   ConcatWs concat_ws   Elt elt   Length length   OctetLength octet_length
    BitLength bit_length   Ascii ascii   StringInstr instr   Levenshtein levenshtein
    FindInSet find_in_set   StringLocate locate   RLike rlike   Contains contains
    StartsWith startswith   EndsWith endswith   StringSplit split
    RegExpExtractAll regexp_extract_all   RegExpReplace regexp_replace
    RegExpExtract regexp_extract   RegExpInStr regexp_instr   SoundEx soundex   Chr chr
    StringSpace space   Md5 md5   Sha1 sha1   Sha2 sha2   Crc32 crc32
    FormatString format_string   FormatNumber format_number   ToCharacter to_char
    ToNumber to_number   TryToNumber try_to_number   StringToMap str_to_map   Mask mask
    Year year   Quarter quarter   Month month   DayOfMonth day   DayOfWeek dayofweek
    WeekDay weekday   DayOfYear dayofyear   WeekOfYear weekofyear
    Hour hour   Minute minute   Second second
    DateAdd date_add   DateSub date_sub   AddMonths add_months   LastDay last_day
    NextDay next_day   TruncDate trunc   MakeDate make_date   DateDiff datediff
    MonthsBetween months_between   TruncTimestamp date_trunc   DateFormatClass date_format
    UnixTimestamp unix_timestamp   ToUnixTimestamp unix_timestamp
    MonthName monthname   DayName dayname   FromUnixTime from_unixtime
    DateAddYMInterval +   TimestampAddYMInterval +
    SubtractDates -   SubtractTimestamps -   MultiplyYMInterval *   MultiplyDTInterval *
    DivideYMInterval /   DivideDTInterval /
    MakeYMInterval make_ym_interval   MakeDTInterval make_dt_interval
    FromUTCTimestamp from_utc_timestamp   ToUTCTimestamp to_utc_timestamp
    ConvertTimezone convert_timezone   UnixDate unix_date   UnixSeconds unix_seconds
    UnixMillis unix_millis   UnixMicros unix_micros   SecondsToTimestamp timestamp_seconds
    MillisToTimestamp timestamp_millis   MicrosToTimestamp timestamp_micros
    DateFromUnixDate date_from_unix_date
    CreateArray array   CreateMap map   CreateNamedStruct named_struct   Size size
    ArrayContains array_contains   ArraysOverlap arrays_overlap   ArrayDistinct array_distinct
    ArrayRemove array_remove   SortArray sort_array   Slice slice   ArrayExcept array_except
    ArrayIntersect array_intersect   ArrayUnion array_union   ArrayPosition array_position
    ArrayMin array_min   ArrayMax array_max   ArrayJoin array_join   Flatten flatten
    Sequence sequence   ArrayRepeat array_repeat   ArrayInsert array_insert
    MapKeys map_keys   MapValues map_values   MapEntries map_entries
    MapFromArrays map_from_arrays   MapFromEntries map_from_entries   MapConcat map_concat
    GetMapValue subscript   ArrayTransform transform   ArrayFilter filter   ArrayExists exists
    ArrayForAll forall   ArrayAggregate aggregate   ZipWith zip_with   MapFilter map_filter
    TransformKeys transform_keys   TransformValues transform_values   MapZipWith map_zip_with
    ArraySort array_sort   GetJsonObject get_json_object
    Explode explode   PosExplode posexplode   Inline inline   Stack stack   JsonTuple json_tuple
    ReplicateRows replicate_rows
    RowNumber row_number   CumeDist cume_dist   NTile ntile
    """
)

ARITHMETIC: Mapping[str, tuple[str, str | None]] = {
    "Add": ("+", "try_add"),
    "Subtract": ("-", "try_subtract"),
    "Multiply": ("*", "try_multiply"),
    "Divide": ("/", "try_divide"),
    "IntegralDivide": ("div", None),
    "Remainder": ("%", "try_mod"),
    "Pmod": ("pmod", None),
}
"""Operators whose evaluation mode the JSON drops, with the function that never raises."""

EXTRACTED_FIELDS: Mapping[str, str] = {
    "ExtractANSIIntervalYears": "YEAR",
    "ExtractANSIIntervalMonths": "MONTH",
    "ExtractANSIIntervalDays": "DAY",
    "ExtractANSIIntervalHours": "HOUR",
    "ExtractANSIIntervalMinutes": "MINUTE",
    "ExtractANSIIntervalSeconds": "SECOND",
    "YearOfWeek": "YEAROFWEEK",
    "SecondWithFraction": "SECOND",
}

TRANSPARENT = frozenset(
    {
        "KnownNotNull",
        "KnownNullable",
        "KnownNotContainsNull",
        "KnownFloatingPointNormalized",
        "NormalizeNaNAndZero",
        "MapSort",
    }
)
"""Marks that say something of their child's value and do not change it.

Spark normalizes NaN, -0.0 and the order of map entries where it compares, groups and joins;
the plan we print goes through the same rules again, so the marks need not be written out.
"""

AGGREGATES: Mapping[str, str] = _pairs(
    """
    Count count   Min min   Max max   StddevPop stddev_pop   StddevSamp stddev_samp
    VariancePop var_pop   VarianceSamp var_samp   Skewness skewness   Kurtosis kurtosis
    Corr corr   CovPopulation covar_pop   CovSample covar_samp   RegrSlope regr_slope
    RegrIntercept regr_intercept   RegrR2 regr_r2   RegrSXY regr_sxy
    BitAndAgg bit_and   BitOrAgg bit_or   BitXorAgg bit_xor   MaxBy max_by   MinBy min_by
    ApproximatePercentile percentile_approx   HistogramNumeric histogram_numeric
    """
)

RANKS: Mapping[str, str] = _pairs("Rank rank   DenseRank dense_rank   PercentRank percent_rank")

NON_DETERMINISTIC: Mapping[str, str] = _pairs(
    """
    Rand rand   Randn randn   Uuid uuid   Shuffle shuffle   RandStr randstr   Uniform uniform
    MonotonicallyIncreasingID monotonically_increasing_id   SparkPartitionID spark_partition_id
    InputFileName input_file_name   InputFileBlockStart input_file_block_start
    InputFileBlockLength input_file_block_length   CurrentBatchTimestamp current_timestamp
    """
)
"""Functions whose value Spark itself cannot repeat."""
