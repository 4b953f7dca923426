-- title: SUM and AVG over TINYINT and SMALLINT, whose result types are wider
-- data: tpch
-- covers: group_by, sum, avg, max, cast
SELECT
  p_mfgr,
  sum(CAST(p_size AS TINYINT)) AS tiny_sum,
  avg(CAST(p_size AS SMALLINT)) AS small_avg,
  max(CAST(p_size AS TINYINT)) AS tiny_max
FROM part
GROUP BY p_mfgr
