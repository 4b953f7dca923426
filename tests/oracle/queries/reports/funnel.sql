-- title: several filtered counts over a union of events from two tables
-- data: tpch
-- covers: union_all, group_by, filter_clause, count_distinct, datetime_functions
SELECT
  date_format(day, 'yyyy-QQQ') AS period,
  count(*) FILTER (WHERE kind = 'order') AS ordered,
  count(*) FILTER (WHERE kind = 'ship') AS shipped,
  count(*) FILTER (WHERE kind = 'receive') AS received,
  count(DISTINCT orderkey) AS orders_touched
FROM (
  SELECT 'order' AS kind, o_orderdate AS day, o_orderkey AS orderkey FROM orders
  UNION ALL
  SELECT 'ship', l_shipdate, l_orderkey FROM lineitem
  UNION ALL
  SELECT 'receive', l_receiptdate, l_orderkey FROM lineitem
) events
WHERE orderkey < 3000
GROUP BY date_format(day, 'yyyy-QQQ')
