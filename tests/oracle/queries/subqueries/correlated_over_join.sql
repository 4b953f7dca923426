-- title: the correlated side is itself a join
-- data: tpch
-- covers: scalar_correlated, inner_join, sum, group_by
SELECT
  n.n_name,
  (
    SELECT sum(ps.ps_availqty)
    FROM partsupp ps
    JOIN supplier s ON ps.ps_suppkey = s.s_suppkey
    WHERE s.s_nationkey = n.n_nationkey
  ) AS available
FROM nation n
