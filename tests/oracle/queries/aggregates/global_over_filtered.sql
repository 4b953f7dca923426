-- title: a global aggregate whose filter keeps no row
-- data: tpch
-- covers: global_aggregate, count, sum, max
SELECT count(*) AS row_count, sum(o_totalprice) AS total, max(o_orderdate) AS last_date
FROM orders
WHERE o_orderdate > DATE '2030-01-01'
