-- title: lag, lead, first_value and last_value with IGNORE NULLS
-- data: adversarial
-- covers: window, lag_lead, ignore_nulls, first_last_value
SELECT
  id,
  v,
  lag(v) IGNORE NULLS OVER (ORDER BY id, v) AS previous,
  lead(v, 1, 0) IGNORE NULLS OVER (ORDER BY id, v) AS next,
  last_value(v) IGNORE NULLS OVER (ORDER BY id, v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS filled_forward,
  first_value(v) IGNORE NULLS OVER (ORDER BY id, v ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS filled_backward
FROM (SELECT DISTINCT id, v FROM t_skew) distinct_rows
