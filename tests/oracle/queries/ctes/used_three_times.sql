-- title: one CTE used three times: in FROM, in a scalar and in EXISTS
-- data: tpch
-- covers: cte, cte_reused, scalar_uncorrelated, exists
WITH per_nation AS (
  SELECT s_nationkey, count(*) AS suppliers, sum(s_acctbal) AS balance
  FROM supplier
  GROUP BY s_nationkey
)
SELECT p.s_nationkey, p.suppliers, p.balance
FROM per_nation p
WHERE p.balance > (SELECT avg(balance) FROM per_nation)
  AND EXISTS (SELECT 1 FROM per_nation q WHERE q.suppliers = p.suppliers AND q.s_nationkey <> p.s_nationkey)
