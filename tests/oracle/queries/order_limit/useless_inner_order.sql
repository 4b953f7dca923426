-- title: ORDER BY in a subquery without LIMIT has no meaning
-- data: tpch
-- covers: order_by, subquery_in_from, group_by, max
SELECT n_regionkey, max(n_name) AS last_name
FROM (SELECT * FROM nation ORDER BY n_name) sorted
GROUP BY n_regionkey
