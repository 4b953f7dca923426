-- title: several filtered counts over a union of events from three tables
-- data: tpch
-- covers: union_all, group_by, filter_clause, count_distinct
SELECT
  period,
  count(*) FILTER (WHERE kind = 'order') AS ordered,
  count(*) FILTER (WHERE kind = 'ship') AS shipped,
  count(*) FILTER (WHERE kind = 'receive') AS received,
  count(DISTINCT orderkey) AS orders_touched
FROM (
  SELECT 'order' AS kind, o_orderdate AS day, o_orderkey AS orderkey, date_format(o_orderdate, 'yyyy-QQQ') AS period FROM orders WHERE o_orderkey < 3000
  UNION ALL
  SELECT 'ship', l_shipdate, l_orderkey, date_format(l_shipdate, 'yyyy-QQQ') FROM lineitem WHERE l_orderkey < 3000
  UNION ALL
  SELECT 'receive', l_receiptdate, l_orderkey, date_format(l_receiptdate, 'yyyy-QQQ') FROM lineitem WHERE l_orderkey < 3000
) events
GROUP BY period
