-- title: band join without equality between two small tables
-- data: tpch
-- covers: inner_join, non_equi_join, group_by, count
SELECT n.n_name, count(*) AS near_suppliers
FROM nation n
JOIN supplier s ON s.s_suppkey BETWEEN n.n_nationkey * 4 - 3 AND n.n_nationkey * 4 + 3
GROUP BY n.n_name
