-- title: a CTE with a window function, filtered differently by two readers
-- data: tpch
-- covers: cte, cte_reused, window, row_number
WITH ranked AS (
  SELECT
    s_nationkey,
    s_acctbal,
    row_number() OVER (PARTITION BY s_nationkey ORDER BY s_acctbal DESC, s_suppkey) AS place
  FROM supplier
)
SELECT a.s_nationkey, a.s_acctbal - b.s_acctbal AS lead_of_first
FROM ranked a
LEFT JOIN ranked b ON a.s_nationkey = b.s_nationkey AND b.place = 2
WHERE a.place = 1
