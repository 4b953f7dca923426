-- title: a scalar subquery without aggregate that selects one row by its key
-- data: tpch
-- covers: scalar_uncorrelated, scalar_one_row
SELECT s_suppkey, s_name
FROM supplier
WHERE s_acctbal > (SELECT s_acctbal FROM supplier WHERE s_suppkey = 7)
  AND s_nationkey <> (SELECT n_nationkey FROM nation WHERE n_nationkey = 6)
