-- title: named windows, one used twice
-- data: adversarial
-- covers: window, named_window, sum, count, first_last_value
SELECT
  id,
  g,
  sum(v) OVER by_group AS total,
  count(v) OVER by_group AS filled,
  first_value(v) OVER in_order AS first_v
FROM t_nonull
WINDOW by_group AS (PARTITION BY g), in_order AS (PARTITION BY g ORDER BY id, v)
