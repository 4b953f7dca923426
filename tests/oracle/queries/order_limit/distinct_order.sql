-- title: DISTINCT with ORDER BY and LIMIT
-- data: tpch
-- covers: distinct, order_by, limit
-- order: total
SELECT DISTINCT p_brand, p_size
FROM part
ORDER BY p_size DESC, p_brand
LIMIT 20
