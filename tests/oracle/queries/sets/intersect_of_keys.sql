-- title: INTERSECT between grouped answers of two tables
-- data: tpch
-- covers: intersect, group_by, having, count
SELECT c_nationkey AS nation FROM customer GROUP BY c_nationkey HAVING count(*) > 60
INTERSECT
SELECT s_nationkey FROM supplier GROUP BY s_nationkey HAVING count(*) > 3
