-- title: keep the latest row of each key: a delete brings the row before it back
-- data: tpch
-- covers: window, row_number, top_k
SELECT o_custkey, o_orderkey, o_orderdate, o_totalprice
FROM (
  SELECT *, row_number() OVER (PARTITION BY o_custkey ORDER BY o_orderdate DESC, o_orderkey DESC) AS age
  FROM orders
) dated
WHERE age = 1
