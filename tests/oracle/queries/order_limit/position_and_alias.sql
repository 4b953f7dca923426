-- title: ordering by position and by an alias that shadows a column
-- data: tpch
-- covers: order_by
-- order: total
SELECT n_regionkey AS r, -n_nationkey AS n_nationkey, n_name
FROM nation
ORDER BY 1 DESC, n_nationkey
