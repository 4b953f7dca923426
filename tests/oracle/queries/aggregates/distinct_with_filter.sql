-- title: DISTINCT and FILTER in the same aggregate, with several filters
-- data: adversarial
-- covers: group_by, count_distinct, multi_distinct, filter_clause
SELECT
  g,
  count(DISTINCT k) FILTER (WHERE v > 0) AS keys_positive,
  count(DISTINCT v) FILTER (WHERE k IS NULL) AS values_unkeyed,
  sum(DISTINCT v) AS sum_values,
  count(v) AS plain
FROM t_nulls
GROUP BY g
