-- title: LIMIT 0 has the schema and no row
-- data: tpch
-- covers: order_by, limit, empty_answer
SELECT o_orderkey, o_totalprice * 2 AS doubled
FROM orders
ORDER BY o_orderkey
LIMIT 0
