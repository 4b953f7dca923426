-- title: one table three times in a chain, so that a change enters in three places
-- data: tpch
-- covers: self_join, multiway_join, residual_condition
SELECT a.n_name AS first_nation, b.n_name AS second_nation, c.n_name AS third_nation
FROM nation a
JOIN nation b ON a.n_regionkey = b.n_regionkey AND a.n_nationkey < b.n_nationkey
JOIN nation c ON b.n_regionkey = c.n_regionkey AND b.n_nationkey < c.n_nationkey
