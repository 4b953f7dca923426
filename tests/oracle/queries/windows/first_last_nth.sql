-- title: first_value, last_value and nth_value: the default frame ends at the current row
-- data: tpch
-- covers: window, named_window, first_last_value, nth_value, rows_frame
SELECT
  s_nationkey,
  s_suppkey,
  first_value(s_name) OVER so_far AS first_name,
  last_value(s_name) OVER so_far AS this_name,
  nth_value(s_name, 2) OVER so_far AS second_so_far,
  last_value(s_name) OVER whole AS last_name
FROM supplier
WINDOW
  so_far AS (PARTITION BY s_nationkey ORDER BY s_suppkey),
  whole AS (
    PARTITION BY s_nationkey ORDER BY s_suppkey
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  )
