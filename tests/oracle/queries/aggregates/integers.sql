-- title: SUM of INT widens to BIGINT, AVG to DOUBLE; groups with only NULLs give NULL
-- data: adversarial
-- covers: group_by, sum, count, avg, min, max
SELECT
  g,
  count(*) AS all_rows,
  count(v) AS with_value,
  count(k, v) AS with_both,
  sum(v) AS total,
  avg(v) AS mean,
  min(v) AS low,
  max(v) AS high
FROM t_nulls
GROUP BY g
