-- title: left join onto a left join, parenthesised to the right
-- data: tpch
-- covers: left_join, multiway_join, group_by, count, sum
SELECT r.r_name, count(n.n_nationkey) AS nations, count(s.s_suppkey) AS suppliers, sum(s.s_acctbal) AS balance
FROM region r
LEFT JOIN (nation n LEFT JOIN supplier s ON n.n_nationkey = s.s_nationkey AND s.s_acctbal < 0)
  ON r.r_regionkey = n.n_regionkey AND n.n_name LIKE '%A'
GROUP BY r.r_name
