-- title: aggregates over a partition without order: every row shows its share
-- data: tpch
-- covers: window, sum, avg, count, decimal_division
SELECT
  s_suppkey,
  s_acctbal / nullif(sum(abs(s_acctbal)) OVER (PARTITION BY s_nationkey), 0) AS share,
  s_acctbal - avg(s_acctbal) OVER (PARTITION BY s_nationkey) AS above_mean,
  count(*) OVER () AS all_suppliers
FROM supplier
