-- title: semi join, anti join, aggregate and top k in one plan
-- data: tpch
-- covers: exists, not_exists, group_by, order_by, limit, top_k
-- order: total
SELECT s.s_name, count(*) AS late_lines, max(datediff(l.l_receiptdate, l.l_commitdate)) AS worst
FROM supplier s
JOIN lineitem l ON s.s_suppkey = l.l_suppkey
WHERE l.l_receiptdate > l.l_commitdate
  AND EXISTS (SELECT 1 FROM orders o WHERE o.o_orderkey = l.l_orderkey AND o.o_orderstatus = 'F')
  AND NOT EXISTS (SELECT 1 FROM nation n WHERE n.n_nationkey = s.s_nationkey AND n.n_regionkey = 1)
GROUP BY s.s_name
ORDER BY late_lines DESC, s.s_name
LIMIT 10
