-- title: semi join where only some matches satisfy the inequality
-- data: tpch
-- covers: semi_join, residual_condition, group_by, count
SELECT o.o_orderpriority, count(*) AS orders
FROM orders o
LEFT SEMI JOIN lineitem l
  ON o.o_orderkey = l.l_orderkey
  AND l.l_shipdate > o.o_orderdate + INTERVAL '110' DAY
  AND l.l_quantity > 40
GROUP BY o.o_orderpriority
