-- title: uncorrelated scalars in the SELECT list: the whole answer changes with one value
-- data: tpch
-- covers: scalar_uncorrelated, avg, max, decimal
SELECT
  s_suppkey,
  s_acctbal - (SELECT avg(s_acctbal) FROM supplier) AS above_average,
  s_acctbal = (SELECT max(s_acctbal) FROM supplier) AS is_richest
FROM supplier
