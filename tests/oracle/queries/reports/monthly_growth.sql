-- title: growth against the previous month, with months that have no orders
-- data: tpch
-- covers: group_by, window, lag_lead, datetime_functions, case
SELECT
  month_start,
  orders,
  value,
  value - lag(value) OVER (ORDER BY month_start) AS growth,
  sum(orders) OVER (ORDER BY month_start ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS three_months,
  CASE WHEN value > avg(value) OVER () THEN 'above' ELSE 'below' END AS against_mean
FROM (
  SELECT trunc(o_orderdate, 'MM') AS month_start, count(*) AS orders, sum(o_totalprice) AS value
  FROM orders
  WHERE o_orderpriority = '1-URGENT'
  GROUP BY trunc(o_orderdate, 'MM')
) monthly
