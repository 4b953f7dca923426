-- title: COUNT(DISTINCT) and GROUP BY under three collations give three answers
-- data: adversarial
-- covers: collation, global_aggregate, count_distinct
SELECT
  count(DISTINCT s) AS by_bytes,
  count(DISTINCT s COLLATE UTF8_LCASE) AS by_lower_case,
  count(DISTINCT s COLLATE UNICODE_CI_AI) AS by_letters
FROM t_str
