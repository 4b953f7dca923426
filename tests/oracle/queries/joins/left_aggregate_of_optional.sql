-- title: counting a column of the optional side gives 0, counting rows gives 1
-- data: tpch
-- covers: left_join, group_by, count, sum, max
SELECT
  n.n_name,
  count(*) AS joined_rows,
  count(s.s_suppkey) AS suppliers,
  sum(s.s_acctbal) AS balance,
  max(s.s_name) AS last_name
FROM nation n
LEFT JOIN supplier s ON n.n_nationkey = s.s_nationkey AND s.s_acctbal > 5000
GROUP BY n.n_name
