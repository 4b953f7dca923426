-- title: two uses of one CTE with different filters and different columns
-- data: tpch
-- covers: cte, cte_reused, union_all
WITH items AS (
  SELECT l_orderkey, l_shipmode, l_quantity, l_extendedprice * (1 - l_discount) AS revenue
  FROM lineitem
  WHERE l_orderkey < 2000
)
SELECT 'air' AS kind, count(*) AS line_count, sum(revenue) AS amount FROM items WHERE l_shipmode LIKE '%AIR%'
UNION ALL
SELECT 'bulk', count(*), sum(l_quantity) FROM items WHERE l_quantity > 40
