-- title: IN against the answer of a grouped subquery with two aggregates
-- data: tpch
-- covers: in_subquery, multi_column_in, group_by, max, count
SELECT s_nationkey, s_name, s_acctbal
FROM supplier
WHERE (s_nationkey, s_acctbal) IN (
  SELECT s_nationkey, max(s_acctbal)
  FROM supplier
  GROUP BY s_nationkey
  HAVING count(*) > 2
)
