"""Calls of every function that says what it does with NULL: arguments that Spark accepts.

Calls are set apart by `|`, arguments by `;`. `!` marks an argument that cannot be NULL, such as a
lambda. What follows `#` are constants of the function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One call."""

    args: tuple[str, ...]
    params: tuple[str, ...]


def _calls(names: str, text: str) -> dict[str, tuple[Sample, ...]]:
    """The same calls for several functions."""
    calls = []
    for each in text.split(" | "):
        args, _, params = each.partition(" # ")
        calls.append(Sample(_parts(args), _parts(params)))
    return dict.fromkeys(names.split(), tuple(calls))


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


_LOGIC = {
    **_calls("= < <= > >= <=>", "1; 2 | 'a'; 'b' | array(1); array(2) | 0.5D; 1.5D"),
    **_calls("not", "TRUE"),
    **_calls("isnull isnotnull", "1 | 'a'"),
    **_calls("bits_of", "1.5D | CAST(-0.0 AS DOUBLE)"),
    **_calls("bucket_of", "1.5D | CAST(-0.0 AS DOUBLE)"),
    **_calls("isnan", "1.5D | CAST('NaN' AS DOUBLE)"),
    **_calls("at_least_n_non_nulls", "1; 2 # 1"),
}

_ARITHMETIC = {
    **_calls("+ - * / % pmod", "7; 2 | 7.5BD; 2.0BD | 7.5D; 2.0D"),
    **_calls("div", "7; 2 | 7.5BD; 2.0BD"),
    **_calls("try_add try_subtract try_multiply try_divide try_mod", "7; 2 | 7.5BD; 2.0BD"),
    **_calls("negative positive abs", "7 | 7.5BD | -7.5D | INTERVAL '2' DAY"),
    **_calls("& ^ getbit shiftleft shiftright shiftrightunsigned", "6; 3"),
    "|": (Sample(("6", "3"), ()),),
    **_calls("~", "6"),
    **_calls("bit_count", "6 | TRUE"),
    **_calls("floor ceil", "7 | 7.5BD | 7.5D | CAST('NaN' AS DOUBLE)"),
    **_calls("round bround", "7; 1 | 7.55BD; 1 | 7.55D; 1"),
    **_calls("round_floor round_ceil", "7.55BD # 1"),
    **_calls("sqrt cbrt exp expm1 sinh degrees radians rint", "0.5D | -2.0D"),
    **_calls("sin cos tan cot sec csc atan asinh cosh tanh sign", "0.5D | 0.0D"),
    **_calls("asin acos acosh atanh", "0.5D | 5.0D"),
    **_calls("atan2 hypot power", "0.5D; 2.0D | -1.0D; 0.5D"),
    **_calls("ln log10 log2 log1p", "0.5D"),
    **_calls("log", "2.0D; 0.5D"),
    **_calls("factorial", "5"),
    **_calls("width_bucket", "5.3D; 0.2D; 10.6D; 5L"),
    **_calls("conv", "'100'; 2; 10"),
    **_calls("bin", "13L"),
    **_calls("hex", "17L | 'Spark' | X'00FF'"),
    **_calls("unhex", "'00FF'"),
    **_calls("hash xxhash64", "1; 'a'"),
}

_KEY = "X'000102030405060708090A0B0C0D0E0F'"
_ENCRYPTED = f"aes_encrypt(X'00FF', {_KEY}, 'ECB', 'PKCS')"
_STRINGS = {
    **_calls("upper lower initcap trim ltrim rtrim reverse", "'a b' | ''"),
    **_calls("substring", "'abc'; 2; 1 | X'00FF'; 9; 1"),
    **_calls("repeat", "'ab'; 2 | 'ab'; -1"),
    **_calls("replace translate", "'abc'; 'b'; 'x'"),
    **_calls("substring_index", "'a.b'; '.'; 1"),
    **_calls("lpad rpad", "'ab'; 5; 'x' | 'ab'; 5; '' | X'00'; 2; X'01'"),
    **_calls("overlay", "'Spark'; '_'; 2; 1"),
    **_calls("concat", "'a'; 'b' | array(1); array(2) | X'00'; X'01'"),
    **_calls("length octet_length bit_length", "'abc' | X'00FF'"),
    **_calls("ascii soundex", "'abc' | ''"),
    **_calls("instr", "'abc'; 'b'"),
    **_calls("find_in_set", "'b'; 'a,b' | 'a,b'; 'a,b'"),
    **_calls("like ilike", "'abc'; 'a%' # '/'"),
    **_calls("rlike contains startswith endswith", "'abc'; 'a'"),
    **_calls("split", "'a,b'; ','; -1"),
    **_calls("regexp_extract_all", "'a1'; '([a-z])(x)?'; 2 | 'b'; 'a'; 0"),
    **_calls("regexp_extract", "'a1'; '([a-z])(x)?'; 2 | 'b'; '(a)'; 1"),
    **_calls("regexp_replace", "'abc'; 'b'; 'x'; 1"),
    **_calls("regexp_instr", "'abc'; 'b'; 0"),
    **_calls("chr", "65L | -1L"),
    **_calls("space", "2 | -1"),
    **_calls("md5 sha1 crc32 base64", "X'00FF' | X''"),
    **_calls("sha2", "X'00FF'; 256 | X'00FF'; 7"),
    **_calls("to_char", "78.12BD; '99.99' | 78.12BD; '9' | DATE '2024-01-02'; 'yyyy'"),
    **_calls("split_part", "'a,b'; ','; 2 | 'a,b'; ','; 9"),
    **_calls("unbase64", "'AA=='"),
    **_calls("to_binary try_to_binary", "'00FF' # 'hex'"),
    **_calls("encode", "'abc'; 'utf-8'"),
    **_calls("decode_charset", "X'41'; 'utf-8'"),
    **_calls("url_encode url_decode try_url_decode", "'a'"),
    **_calls("parse_url try_parse_url", "'http://a/?x=1'; 'QUERY'; 'x' | 'http://a/'; 'HOST'"),
    **_calls("monthname dayname", "DATE '2024-01-02'"),
    **_calls("to_number try_to_number", "'12'; '99'"),
    **_calls("format_number", "12.3D; 2 | 12.3D; '#.#'"),
    **_calls("collate", "'a' # UTF8_LCASE"),
    **_calls("luhn_check", "'79927398713' | 'a'"),
    **_calls("is_valid_utf8 make_valid_utf8", "'a' | CAST(X'80' AS STRING)"),
    **_calls("try_validate_utf8", "'a' | CAST(X'80' AS STRING)"),
    **_calls("validate_utf8 quote", "'a'"),
    **_calls("aes_encrypt", f"X'00FF'; {_KEY}; 'GCM'; 'DEFAULT'; X'000102030405060708090A0B'; X''"),
    **_calls("aes_decrypt try_aes_decrypt", f"{_ENCRYPTED}; {_KEY}; 'ECB'; 'PKCS'; X''"),
    **_calls("bitmap_count", "X'00FF'"),
    **_calls("bitmap_bit_position bitmap_bucket_number", "5L"),
}

_MOMENT = "TIMESTAMP '2024-01-31 10:11:12.5'"
_TIME = {
    **_calls("year quarter month day dayofweek weekday dayofyear weekofyear", "DATE '2024-01-31'"),
    **_calls("hour minute second", _MOMENT),
    **_calls("extract", f"{_MOMENT} # SECOND | INTERVAL '2' DAY # DAY"),
    **_calls("date_add date_sub add_months", "DATE '2024-01-31'; 1"),
    **_calls("last_day", "DATE '2024-01-31'"),
    **_calls("next_day", "DATE '2024-01-31'; 'MON'"),
    **_calls("trunc", "DATE '2024-01-31'; 'MM'"),
    **_calls("make_date", "2024; 1; 31"),
    **_calls("datediff", "DATE '2024-01-31'; DATE '2024-01-01'"),
    **_calls("months_between", f"{_MOMENT}; TIMESTAMP '2023-01-31 00:00:00'; TRUE"),
    **_calls("date_trunc", f"'HOUR'; {_MOMENT}"),
    **_calls("date_format", f"{_MOMENT}; 'yyyy' | {_MOMENT}; ''"),
    **_calls("from_unixtime", "5L; 'yyyy' | -5L; ''"),
    **_calls("unix_timestamp to_timestamp_ltz to_timestamp_ntz", "'2024'; 'yyyy'"),
    **_calls("try_to_timestamp", "'2024'; 'yyyy'"),
    **_calls("make_timestamp_ltz try_make_timestamp_ltz", "2024; 1; 31; 10; 11; 12.5BD; 'UTC'"),
    **_calls("make_timestamp_ntz try_make_timestamp_ntz", "2024; 1; 31; 10; 11; 12.5BD"),
    **_calls("timestampadd", f"5L; {_MOMENT} # DAY"),
    **_calls("timestampdiff", f"{_MOMENT}; TIMESTAMP '2023-01-31 00:00:00' # DAY"),
    **_calls("make_interval try_make_interval", "1; 2; 3; 4; 5; 6; 7.5BD"),
    **_calls("make_ym_interval", "1; 2"),
    **_calls("make_dt_interval", "1; 2; 3; 4.5BD"),
    **_calls("from_utc_timestamp to_utc_timestamp", f"{_MOMENT}; 'Europe/Berlin'"),
    **_calls("convert_timezone", "'UTC'; 'Europe/Berlin'; TIMESTAMP_NTZ '2024-01-31 00:00:00'"),
    **_calls("unix_seconds unix_millis unix_micros", _MOMENT),
    **_calls("unix_date", "DATE '2024-01-31'"),
    **_calls("timestamp_seconds", "5L | 5.5BD | 5.5D"),
    **_calls("timestamp_millis timestamp_micros", "5L"),
    **_calls("date_from_unix_date", "5"),
}

_COLLECTIONS = {
    **_calls("array", "1; 2"),
    **_calls("map", "!'a'; 1"),
    **_calls("named_struct", "!'a'; 1"),
    **_calls("element_at try_element_at", "sequence(1, 2); 1 | map('a', 1); 'a'"),
    **_calls("subscript", "sequence(1, 2); 1 | map('a', 1); 'a'"),
    **_calls("get", "array(1, 2); 1"),
    **_calls("array_min array_max array_distinct", "array(1, 2) | array(1, NULL)"),
    **_calls("array_contains array_position", "array(1, 2); 1"),
    **_calls("array_remove", "array(1, 2); 1 | array(1, NULL); 1"),
    **_calls("arrays_overlap array_except array_intersect array_union", "array(1, 2); array(2)"),
    **_calls("exists forall filter", "array(1, 2); !x -> x > 1 | array(1); !x -> x > NULL"),
    **_calls("sort_array", "array(1, NULL); TRUE"),
    **_calls("slice", "array(1, 2); 1; 1 | array(1, 2); 9; 1"),
    **_calls("array_sort", "array(2, 1); !(x, y) -> x - y"),
    **_calls("map_filter", "map('a', 1); !(k, v) -> v > 1"),
    **_calls("array_join", "array('a', NULL); ','; 'x'"),
    **_calls("flatten", "array(array(1), array(2))"),
    **_calls("sequence", "1; 5; 2"),
    **_calls("arrays_zip", "array(1, 2); array('a')"),
    **_calls("map_keys map_values map_entries", "map('a', 1)"),
    **_calls("map_from_arrays", "array('a'); array(1)"),
    **_calls("map_from_entries", "array(struct('a', 1))"),
    **_calls("map_concat", "map('a', 1); map('b', 2)"),
    **_calls("transform", "array(1, 2); !x -> x + 1"),
    **_calls("zip_with", "array(1, 2); array(3); !(x, y) -> x + y"),
}

_DOCUMENTS = {
    **_calls("get_json_object", "'[1]'; '$[0]'"),
    **_calls("parse_json try_parse_json", "'[1]'"),
    **_calls("variant_get try_variant_get", "parse_json('[1]'); '$[0]' # 'INT'"),
    **_calls("schema_of_variant", "parse_json('[1]')"),
    **_calls("xpath xpath_boolean xpath_string", "'<a>1</a>' # '/a/text()'"),
    **_calls("xpath_short xpath_int xpath_long xpath_float xpath_double", "'<a>1</a>' # '/a'"),
    **_calls("to_json", "named_struct('a', 1)"),
    **_calls("from_json", "'{\"a\": 1}' # 'a INT'"),
    **_calls("from_csv", "'1' # 'a INT'"),
    **_calls("to_csv", "named_struct('a', 1)"),
    **_calls("json_array_length", "'[1]'"),
    **_calls("json_object_keys", "'{\"a\": 1}'"),
}

_LIMBS = {
    **_calls("near_value", "1.5D | 1e300D | CAST('NaN' AS DOUBLE)"),
    **_calls("near_product near_product_error", "1.5D; 0.1D | 1e300D; 0.1D"),
    **_calls("near_digit", "1.5D # 0; 1 | -1e-9D # -3; 1"),
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    **_LOGIC,
    **_ARITHMETIC,
    **_STRINGS,
    **_TIME,
    **_COLLECTIONS,
    **_DOCUMENTS,
    **_LIMBS,
}
