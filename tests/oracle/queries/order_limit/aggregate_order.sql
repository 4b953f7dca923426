-- title: ordering a grouped answer by an aggregate that is not selected
-- data: tpch
-- covers: group_by, order_by, limit, sum
-- order: total
SELECT c_nationkey, count(*) AS customers
FROM customer
GROUP BY c_nationkey
ORDER BY sum(c_acctbal) DESC, c_nationkey
LIMIT 7
