-- title: EXISTS over groups of the correlated rows
-- data: tpch
-- covers: exists, having, group_by, count
SELECT o.o_orderkey
FROM orders o
WHERE o.o_orderstatus = 'P'
  AND EXISTS (
    SELECT l.l_suppkey
    FROM lineitem l
    WHERE l.l_orderkey = o.o_orderkey
    GROUP BY l.l_suppkey
    HAVING count(*) > 1
  )
