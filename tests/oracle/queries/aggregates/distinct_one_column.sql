-- title: several DISTINCT aggregates of one column beside plain ones
-- data: tpch
-- covers: group_by, count_distinct, sum_distinct, sum
SELECT
  l_returnflag,
  count(DISTINCT l_quantity) AS quantities,
  sum(DISTINCT l_quantity) AS sum_of_quantities,
  avg(DISTINCT l_quantity) AS mean_of_quantities,
  sum(l_quantity) AS total
FROM lineitem
GROUP BY l_returnflag
