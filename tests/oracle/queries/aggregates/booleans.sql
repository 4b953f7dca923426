-- title: bool_and, bool_or, every, some and count_if with NULLs and all-NULL groups
-- data: adversarial
-- covers: group_by, bool_aggregate, count_if
SELECT
  g,
  bool_and(v > 0) AS all_positive,
  bool_or(v > 10) AS any_large,
  every(k IS NOT NULL) AS all_keyed,
  some(v = 7) AS any_seven,
  count_if(v > 0) AS positives
FROM t_nulls
GROUP BY g
