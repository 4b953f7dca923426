-- title: a rank computed by counting larger rows of the same group
-- data: tpch
-- covers: scalar_correlated, inequality_correlation, count_over_empty
SELECT
  s.s_suppkey,
  s.s_nationkey,
  (
    SELECT count(*)
    FROM supplier o
    WHERE o.s_nationkey = s.s_nationkey AND o.s_acctbal > s.s_acctbal
  ) AS richer
FROM supplier s
