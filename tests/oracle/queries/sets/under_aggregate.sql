-- title: an aggregate over a set operation over aggregates
-- data: tpch
-- covers: except, group_by, count, inner_join
SELECT n_name, count(*) AS customers_without_open_order
FROM (
  SELECT c_custkey, c_nationkey FROM customer
  EXCEPT
  SELECT c_custkey, c_nationkey FROM customer JOIN orders ON c_custkey = o_custkey WHERE o_orderstatus = 'O'
) idle
JOIN nation ON c_nationkey = n_nationkey
GROUP BY n_name
