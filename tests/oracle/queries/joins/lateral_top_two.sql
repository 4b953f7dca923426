-- title: LATERAL with a correlated ORDER BY and LIMIT: the first two of each group
-- data: tpch
-- covers: lateral_join, order_by, limit
SELECT n.n_name, s.s_name, s.s_acctbal
FROM nation n,
  LATERAL (
    SELECT s_name, s_acctbal
    FROM supplier
    WHERE s_nationkey = n.n_nationkey
    ORDER BY s_acctbal DESC, s_suppkey
    LIMIT 2
  ) s
