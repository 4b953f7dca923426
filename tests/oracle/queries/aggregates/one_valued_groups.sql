-- title: any_value, first and last over columns that the group key determines
-- data: tpch
-- covers: group_by, any_value, count
SELECT
  c_nationkey,
  any_value(n_name) AS nation,
  first(n_regionkey) AS region,
  last(n_name) AS same_nation,
  first_value(n_regionkey) AS same_region,
  count(*) AS customers
FROM customer
JOIN nation ON c_nationkey = n_nationkey
GROUP BY c_nationkey
