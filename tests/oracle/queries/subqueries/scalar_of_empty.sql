-- title: a scalar subquery without a row is NULL, in arithmetic and in a comparison
-- data: adversarial
-- covers: scalar_uncorrelated, scalar_empty, empty_input, coalesce
SELECT
  id,
  v + (SELECT v FROM t_empty) AS null_sum,
  coalesce((SELECT v FROM t_empty), -1) AS fallback,
  (v > (SELECT v FROM t_empty)) IS NULL AS unknown
FROM t_nonull
