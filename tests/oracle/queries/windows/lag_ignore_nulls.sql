-- title: lag, lead, first_value and last_value with IGNORE NULLS
-- data: adversarial
-- covers: window, named_window, lag_lead, ignore_nulls, first_last_value, rows_frame
SELECT
  id,
  v,
  lag(v) IGNORE NULLS OVER w AS previous,
  lead(v, 1, 0) IGNORE NULLS OVER w AS next,
  last_value(v) IGNORE NULLS OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS forward,
  first_value(v) IGNORE NULLS OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS backward
FROM (SELECT DISTINCT id, v FROM t_skew) distinct_rows
WINDOW w AS (ORDER BY id, v)
