-- title: a window over a join whose both sides change
-- data: tpch
-- covers: window, inner_join, avg
SELECT
  ps.ps_partkey,
  ps.ps_suppkey,
  ps.ps_supplycost - min(ps.ps_supplycost) OVER (PARTITION BY ps.ps_partkey) AS above_cheapest,
  count(*) OVER (PARTITION BY s.s_nationkey) AS offers_of_nation
FROM partsupp ps
JOIN supplier s ON ps.ps_suppkey = s.s_suppkey
WHERE ps.ps_partkey <= 50
