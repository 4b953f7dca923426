-- title: row_number over an order that ends in a key
-- data: tpch
-- covers: window, row_number
SELECT
  s_nationkey,
  s_suppkey,
  row_number() OVER (PARTITION BY s_nationkey ORDER BY s_acctbal DESC, s_suppkey) AS place
FROM supplier
