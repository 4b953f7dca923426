-- title: FILTER inside a window aggregate
-- data: adversarial
-- covers: window, filter_clause, count, sum
SELECT
  id,
  g,
  count(*) FILTER (WHERE v > 5) OVER (PARTITION BY g) AS large_in_group,
  sum(v) FILTER (WHERE k = 1) OVER () AS total_of_first
FROM t_nonull
