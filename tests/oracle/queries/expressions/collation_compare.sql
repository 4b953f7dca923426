-- title: comparisons, IN, LIKE and DISTINCT under UTF8_LCASE and UNICODE_CI
-- data: adversarial
-- covers: collation
SELECT
  id,
  s COLLATE UTF8_LCASE = t AS equal_lcase,
  s COLLATE UNICODE_CI = t AS equal_unicode,
  s COLLATE UNICODE_CI_AI = t AS equal_no_accent,
  s COLLATE UTF8_LCASE < t AS less,
  s COLLATE UTF8_LCASE IN ('ABC', 'SS') AS in_list,
  contains(s COLLATE UTF8_LCASE, 'B') AS contains_b,
  s COLLATE UTF8_LCASE LIKE 'AB%' AS like_ab,
  s COLLATE UTF8_BINARY_RTRIM = t AS equal_trimmed
FROM t_str
