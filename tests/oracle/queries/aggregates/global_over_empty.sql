-- title: a global aggregate of nothing is one row of zeros and NULLs
-- data: adversarial
-- covers: global_aggregate, empty_input, count, sum, avg, min, max, collect, stddev
SELECT
  count(*) AS all_rows,
  count(v) AS with_value,
  sum(v) AS total,
  avg(d) AS mean,
  min(g) AS low,
  max(ts) AS last_time,
  count(DISTINCT k) AS keys,
  stddev(v) AS deviation,
  collect_list(v) AS listed,
  bool_and(v > 0) AS all_positive,
  count_if(v > 0) AS positives
FROM t_empty
