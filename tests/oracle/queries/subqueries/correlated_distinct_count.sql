-- title: a correlated DISTINCT count beside a correlated plain count
-- data: tpch
-- covers: scalar_correlated, count_distinct, count_over_empty
SELECT
  n.n_name,
  (
    SELECT count(DISTINCT c.c_mktsegment)
    FROM customer c
    WHERE c.c_nationkey = n.n_nationkey AND c.c_acctbal < -900
  ) AS segments,
  (
    SELECT count(*)
    FROM customer c
    WHERE c.c_nationkey = n.n_nationkey AND c.c_acctbal < -900
  ) AS debtors
FROM nation n
