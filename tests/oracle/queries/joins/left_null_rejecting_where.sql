-- title: a WHERE that rejects NULLs turns the left join into an inner join
-- data: tpch
-- covers: left_join, group_by, count
SELECT c.c_mktsegment, count(*) AS urgent_orders, count(DISTINCT c.c_custkey) AS customers
FROM customer c
LEFT JOIN orders o ON c.c_custkey = o.o_custkey
WHERE o.o_orderpriority = '1-URGENT'
GROUP BY c.c_mktsegment
