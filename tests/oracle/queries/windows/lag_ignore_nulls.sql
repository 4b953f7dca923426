-- title: lag, lead, first_value and last_value with IGNORE NULLS
-- data: adversarial
-- covers: window, named_window, lag_lead, ignore_nulls, first_last_value, rows_frame
SELECT
  id,
  v,
  lag(v) IGNORE NULLS OVER in_order AS previous,
  lead(v, 1, 0) IGNORE NULLS OVER in_order AS next,
  last_value(v) IGNORE NULLS OVER so_far AS filled_forward,
  first_value(v) IGNORE NULLS OVER from_here AS filled_backward
FROM (SELECT DISTINCT id, v FROM t_skew) distinct_rows
WINDOW
  in_order AS (ORDER BY id, v),
  so_far AS (ORDER BY id, v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  from_here AS (ORDER BY id, v ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
