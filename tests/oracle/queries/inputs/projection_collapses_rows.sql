-- title: a projection makes different rows equal: a bag keeps all copies
-- data: tpch
-- covers: projection
SELECT l_returnflag, l_linestatus, CAST(l_quantity AS INT) % 2 AS odd
FROM lineitem
WHERE l_shipdate < DATE '1992-03-01'
