-- title: full join of two grouped sides, coalescing the key afterwards
-- data: tpch
-- covers: full_join, subquery_in_from, group_by, count, coalesce
SELECT
  coalesce(c.nation, s.nation) AS nation,
  coalesce(c.customers, 0) AS customers,
  coalesce(s.suppliers, 0) AS suppliers
FROM (
  SELECT c_nationkey AS nation, count(*) AS customers
  FROM customer
  WHERE c_acctbal > 9500
  GROUP BY c_nationkey
) c
FULL JOIN (
  SELECT s_nationkey AS nation, count(*) AS suppliers
  FROM supplier
  WHERE s_acctbal > 5000
  GROUP BY s_nationkey
) s ON c.nation = s.nation
