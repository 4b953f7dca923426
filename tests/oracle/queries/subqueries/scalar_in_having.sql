-- title: HAVING compares each group with a scalar over another table
-- data: tpch
-- covers: scalar_uncorrelated, having, group_by, count, decimal_division
SELECT c_nationkey, count(*) AS customers
FROM customer
GROUP BY c_nationkey
HAVING count(*) > (SELECT 0.6 * count(*) FROM supplier)
