-- title: PIVOT over two columns
-- data: tpch
-- covers: pivot, count
SELECT *
FROM (
  SELECT o_orderpriority, o_orderstatus, year(o_orderdate) AS order_year, o_orderkey
  FROM orders
)
PIVOT (
  count(o_orderkey)
  FOR (o_orderstatus, order_year) IN (('F', 1994) AS f94, ('O', 1996) AS o96, ('P', 1995) AS p95)
)
