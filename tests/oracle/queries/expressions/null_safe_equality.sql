-- title: <=>, IS DISTINCT FROM and equal_null never give NULL
-- data: adversarial
-- covers: null_safe_equality
SELECT
  id,
  k <=> v AS safe_equal,
  k IS DISTINCT FROM v AS differ,
  g IS NOT DISTINCT FROM NULL AS no_group,
  equal_null(k, 1) AS is_one,
  k = v AS plain_equal
FROM t_nulls
