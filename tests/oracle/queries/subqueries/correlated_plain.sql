-- title: correlated scalar without aggregate where a key allows one match at most
-- data: tpch
-- covers: scalar_correlated_plain
SELECT
  s.s_suppkey,
  (SELECT n.n_name FROM nation n WHERE n.n_nationkey = s.s_nationkey) AS nation,
  (SELECT n.n_name FROM nation n WHERE n.n_nationkey = s.s_nationkey AND n.n_regionkey = 2) AS asian
FROM supplier s
