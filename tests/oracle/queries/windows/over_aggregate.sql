-- title: window functions over the answer of a GROUP BY in the same SELECT
-- data: tpch
-- covers: window, group_by, sum, rank, lag_lead
SELECT
  year(o_orderdate) AS order_year,
  o_orderpriority,
  sum(o_totalprice) AS value,
  rank() OVER (PARTITION BY year(o_orderdate) ORDER BY sum(o_totalprice) DESC) AS place,
  sum(o_totalprice) - lag(sum(o_totalprice)) OVER (
    PARTITION BY o_orderpriority ORDER BY year(o_orderdate)
  ) AS growth,
  sum(sum(o_totalprice)) OVER (PARTITION BY year(o_orderdate)) AS year_value
FROM orders
GROUP BY year(o_orderdate), o_orderpriority
