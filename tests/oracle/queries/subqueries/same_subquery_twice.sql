-- title: one subquery text used in FROM and in WHERE
-- data: tpch
-- covers: subquery_in_from, scalar_uncorrelated, group_by, max, sum
SELECT t.o_custkey, t.spent
FROM (SELECT o_custkey, sum(o_totalprice) AS spent FROM orders GROUP BY o_custkey) t
WHERE t.spent = (
  SELECT max(spent)
  FROM (SELECT o_custkey, sum(o_totalprice) AS spent FROM orders GROUP BY o_custkey) u
)
