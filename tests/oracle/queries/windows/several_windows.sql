-- title: three windows with different partitions and orders in one query
-- data: tpch
-- covers: window, multiple_windows, rank, sum, row_number
SELECT
  c_custkey,
  rank() OVER (PARTITION BY c_nationkey ORDER BY c_acctbal DESC) AS in_nation,
  row_number() OVER (PARTITION BY c_mktsegment ORDER BY c_custkey) AS in_segment,
  sum(c_acctbal) OVER (PARTITION BY c_nationkey, c_mktsegment) AS pool
FROM customer
WHERE c_custkey <= 300
